//go:build !linux

package vfs

import "os"

// syncData is a full fsync. On macOS this is F_FULLFSYNC, which reaches the medium.
func syncData(f *os.File) error { return f.Sync() }

func allocate(*os.File, int64) error { return nil }
