package vfs

import (
	"testing"

	"github.com/scoterdb/scoter/internal/base"
)

// /dev/full is the kernel's own full disk.
func TestRealFullDiskIsStorageFull(t *testing.T) {
	f, err := OS.OpenReadWrite("/dev/full")
	must(t, err)
	_, err = f.WriteAt([]byte("x"), 0)
	wantKind(t, err, base.StorageFull, ErrNoSpace)
	must(t, f.Close())
}
