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

// syncDir does nothing: NTFS journals names itself and offers no sync of a folder.
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

// tryLock takes the lock of a file, unless another owner holds it. Then held is true. The other
// owner may be in this process or another one. Windows prevents others from reading locked bytes,
// so the locked byte is far behind the process id, which others read.
func tryLock(f *os.File) (held bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}

// errNoSpace is the error of a full disk on this system.
const errNoSpace = windows.ERROR_DISK_FULL
