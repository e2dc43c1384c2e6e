package slt

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropFromPageCache has the system read a file from the disk again when it is read next. The file must be synced.
func dropFromPageCache(f *os.File) error {
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
