package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/scoterdb/scoter/internal/base"
)

// OS is the operating system's file system.
var OS FS = osFS{}

type osFS struct{}

const (
	dirPerm  = 0o750
	filePerm = 0o640
)

// osError returns an error of the operating system with the right base.Kind. It does not add to the
// message, because that of an *fs.PathError already names the operation and the path.
func osError(err error) error {
	var number syscall.Errno
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return base.Errorf(base.NotFound, "%w", err)
	case errors.Is(err, fs.ErrExist):
		return base.Errorf(base.Conflict, "%w", err)
	case isStorageFull(err):
		return base.Errorf(base.StorageFull, "%w", err).WithHint("free space on this disk or raise the quota")
	case errors.As(err, &number):
		return base.Errorf(base.Unavailable, "%w", err)
	default:
		return err // Scoter used a closed file, or has a similar defect
	}
}

func (osFS) Create(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return nil, osError(err)
	}
	return osFile{f, newDirect()}, nil
}

func (osFS) Open(path string) (Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, osError(err)
	}
	return osFile{f: f}, nil
}

func (osFS) OpenReadWrite(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, osError(err)
	}
	return osFile{f, newDirect()}, nil
}

func (osFS) Mkdir(path string) error { return osError(os.Mkdir(path, dirPerm)) }

func (osFS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, osError(err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

func (osFS) Stat(path string) (Info, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Info{}, osError(err)
	}
	if info.IsDir() {
		return Info{IsDir: true}, nil
	}
	return Info{Size: info.Size()}, nil
}

func (osFS) Remove(path string) error { return osError(os.Remove(path)) }

func (osFS) SyncDir(dir string) error { return osError(syncDir(dir)) }

func (osFS) FreeSpace(dir string) (uint64, error) {
	bytes, err := freeSpace(dir)
	if err != nil {
		return 0, osError(&fs.PathError{Op: "free space", Path: dir, Err: err})
	}
	return bytes, nil
}

func (osFS) rename(oldPath, newPath string) error { return osError(os.Rename(oldPath, newPath)) }

// Lock takes an advisory lock on a file that it keeps open. So the kernel releases the lock however
// the process ends. The file contains the process id of the lock's owner, for the error message
// that other processes get. It is not removed after use: otherwise two processes could lock two
// different files of the same name.
func (osFS) Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return nil, osError(err)
	}
	held, err := tryLock(f)
	if err != nil {
		return nil, errors.Join(osError(&fs.PathError{Op: "lock", Path: path, Err: err}), f.Close())
	}
	if held {
		owner := make([]byte, 20)
		n, _ := f.ReadAt(owner, 0) // if the owner cannot be read, the message leaves it out
		message := fmt.Sprintf("%s is in use by another process", filepath.Dir(path))
		if pid := strings.TrimSpace(string(owner[:n])); pid != "" {
			message += " (" + pid + ")"
		}
		conflict := base.Errorf(base.Conflict, "%s", message).WithHint("stop that process, or use another directory")
		return nil, errors.Join(conflict, f.Close())
	}
	// Ignore a full disk, because the id is only used in a message.
	if err := errors.Join(f.Truncate(0), writePID(f)); err != nil && !isStorageFull(err) {
		return nil, errors.Join(osError(err), f.Close())
	}
	return f, nil
}

func writePID(f *os.File) error {
	_, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

type osFile struct {
	f      *os.File
	direct *direct // nil if the file is open for reading only
}

func (o osFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := o.f.ReadAt(p, offset)
	return n, osError(err)
}

func (o osFile) WriteAt(p []byte, offset int64) (int, error) {
	n, err := o.direct.writeAt(o.f, p, offset)
	if err == nil && n < len(p) {
		var m int
		m, err = o.f.WriteAt(p[n:], offset+int64(n))
		n += m
	}
	return n, osError(err)
}

func (o osFile) Size() (int64, error) {
	info, err := o.f.Stat()
	if err != nil {
		return 0, osError(err)
	}
	return info.Size(), nil
}

func (o osFile) Truncate(size int64) error { return osError(o.f.Truncate(size)) }

func (o osFile) Allocate(size int64) error {
	if err := allocate(o.f, size); err != nil {
		return osError(&fs.PathError{Op: "allocate", Path: o.f.Name(), Err: err})
	}
	return nil
}

func (o osFile) Sync() error {
	if err := syncData(o.f); err != nil {
		return osError(&fs.PathError{Op: "sync", Path: o.f.Name(), Err: err})
	}
	return nil
}

func (o osFile) Close() error {
	err := o.f.Close()
	if o.direct != nil {
		err = errors.Join(err, o.direct.close())
	}
	return osError(err)
}
