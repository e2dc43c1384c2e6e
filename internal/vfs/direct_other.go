//go:build !linux

package vfs

import "os"

// Direct writes (see direct_linux.go) are not used on this operating system. It has no direct
// writes, or they follow other rules.
const (
	DirectAlign = 4 << 10
	DirectBytes = 256 << 10
)

type direct struct{}

func newDirect() *direct { return nil }

func (*direct) writeAt(*os.File, []byte, int64) (int, error) { return 0, nil }

func (*direct) close() error { return nil }
