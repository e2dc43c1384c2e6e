package vfs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// syncData makes the bytes and the length of a file durable, with fdatasync. It does not make the
// modification time durable, because that would cost a commit of the file system's journal each
// time.
func syncData(f *os.File) error {
	return control(f, func(fd int) error { return unix.Fdatasync(fd) })
}

// allocate reserves disk space for a file and extends it to the length size, in bytes, with
// fallocate. Later writes into this space do not change the file's metadata, so fdatasync need not
// write the file system's journal.
func allocate(f *os.File, size int64) error {
	err := control(f, func(fd int) error { return unix.Fallocate(fd, 0, 0, size) })
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}

// control makes a system call with the descriptor of a file, and repeats it if a signal interrupts
// it. The file cannot be closed during the call.
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
