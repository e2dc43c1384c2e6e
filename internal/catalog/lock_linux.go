package catalog

import (
	"errors"
	"io"
	"os"

	"github.com/scoterdb/scoter/internal/base"
	"golang.org/x/sys/unix"
)

// lockOthersOut takes the lock by which SQLite programs exclude each other, so that a program that
// opens the catalog of a running server gets an error. Without the lock, such a program would
// mistake the journal of the running transaction for that of a crash, and undo half of the
// transaction.
//
// The locked bytes are those of SQLite's file format: 512 bytes at 1 GiB, which are PENDING,
// RESERVED and SHARED. The lock belongs to the open file description and not to the process, so
// closing another descriptor of the same file does not drop it.
func lockOthersOut(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "lock: %w", err)
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: 1 << 30, Len: 512}
	err = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		err = base.Errorf(base.Conflict, "another program has it open").WithHint("close what is reading the catalog")
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		// The file system has no locks; the lock of the data directory still excludes other
		// servers.
		return f, nil
	default:
		err = base.Errorf(base.Unavailable, "lock: %w", err)
	}
	return nil, errors.Join(err, f.Close())
}
