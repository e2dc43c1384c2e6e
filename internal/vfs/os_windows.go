package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func isStorageFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// syncDir does nothing: NTFS keeps names durable with its journal, and Windows has no sync of a
// folder.
func syncDir(string) error { return nil }

func freeSpace(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var available uint64
	err = windows.GetDiskFreeSpaceEx(path, &available, nil, nil)
	return available, err
}

// tryLock takes the exclusive lock of a file without waiting. The result held is true if another
// owner, in this process or another one, holds the lock. On Windows other processes cannot read a
// locked byte. So tryLock locks a byte far behind the process id in the file, which other processes
// read.
func tryLock(f *os.File) (held bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}

// errNoSpace is this operating system's error for a full disk.
const errNoSpace = windows.ERROR_DISK_FULL
