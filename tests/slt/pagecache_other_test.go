//go:build !linux

package slt

import "os"

// dropFromPageCache does nothing: only Linux can remove a single file from the page cache.
func dropFromPageCache(*os.File) error { return nil }
