//go:build !linux

package catalog

import "io"

type noLock struct{}

func (noLock) Close() error { return nil }

// lockOthersOut does nothing: only Linux has locks that belong to an open file and that SQLite's
// own locks respect. Do not open a running server's catalog with another program.
func lockOthersOut(string) (io.Closer, error) { return noLock{}, nil }
