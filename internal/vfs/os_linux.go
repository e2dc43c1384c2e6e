package vfs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// syncData is fdatasync. It syncs the bytes and the length, but not the modification time, which
// alone would cost a journal commit per sync.
func syncData(f *os.File) error {
	return control(f, func(fd int) error { return unix.Fdatasync(fd) })
}

// allocate is fallocate that also extends the file. Later writes then change no metadata, and
// fdatasync writes no journal.
func allocate(f *os.File, size int64) error {
	err := control(f, func(fd int) error { return unix.Fallocate(fd, 0, 0, size) })
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}

// control runs a system call on the file's descriptor, and repeats it when a signal interrupts it.
// The descriptor cannot be closed during the call.
func control(f *os.File, call func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var callErr error
	err = conn.Control(func(fd uintptr) {
		for {
			if callErr = call(int(fd)); callErr != syscall.EINTR {
				return
			}
		}
	})
	return errors.Join(err, callErr)
}
