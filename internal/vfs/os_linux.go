package vfs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// syncData makes the bytes and the length of a file durable, with fdatasync. It does not sync the
// modification time, because that alone would cost a commit of the file system's journal each time.
func syncData(f *os.File) error {
	return control(f, func(fd int) error { return unix.Fdatasync(fd) })
}

// allocate reserves space for a file and extends it, with fallocate. Later writes then change no
// metadata, so fdatasync need not write the journal.
func allocate(f *os.File, size int64) error {
	err := control(f, func(fd int) error { return unix.Fallocate(fd, 0, 0, size) })
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}

// control calls a system call with the descriptor of a file, and repeats the call if a signal
// interrupts it. The descriptor cannot be closed during the call.
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
