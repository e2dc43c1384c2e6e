package slt

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropFromPageCache removes a file from the system's page cache, so that the next read reads the
// disk. The file must be synced.
func dropFromPageCache(f *os.File) error {
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
