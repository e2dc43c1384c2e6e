//go:build !linux

package slt

import "os"

// dropFromPageCache does nothing: only Linux drops a single file.
func dropFromPageCache(*os.File) error { return nil }
