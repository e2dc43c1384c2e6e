package catalog

import (
	"errors"
	"io"
	"os"

	"github.com/scoterdb/scoter/internal/base"
	"golang.org/x/sys/unix"
)

// lockOthersOut takes the lock by which SQLite programs exclude each other, so that one
// that opens the file of a running server is told that it is locked. Without it, it would
// take the journal of a transaction under way for a crash's and undo half of it.
//
// The bytes are those of SQLite's file format: 512 at 1 GiB, PENDING, RESERVED and SHARED.
// The lock belongs to the open file description, not to the process, so that closing
// another descriptor of the same file does not drop it.
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
		return f, nil // a file system without locks; the data directory's own lock remains
	default:
		err = base.Errorf(base.Unavailable, "lock: %w", err)
	}
	return nil, errors.Join(err, f.Close())
}
