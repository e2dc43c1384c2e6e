package vfs

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct opens a file a second time, for direct writes (O_DIRECT). Large aligned writes then go to
// the device without a copy in the page cache. Measured on ext4 on a virtual disk, 600 MB take 0.08
// s of CPU time this way, and 0.35 to 1.2 s through the page cache. Both ways may be mixed on one
// file: Linux drops the cached pages that a direct write covers.
type direct struct {
	mu     sync.Mutex
	opened bool     // guarded by mu
	file   *os.File // guarded by mu; nil if the file system has no direct writes
}

// A write is made directly if its address, offset and length are multiples of DirectAlign, and its
// length is at least DirectBytes. For a smaller write, bypassing the page cache is not worth the
// wait for the device.
const (
	DirectAlign = 4 << 10
	DirectBytes = 256 << 10
)

func newDirect() *direct { return &direct{} }

// writeAt writes p directly, or only the first n bytes if the rest cannot be written directly. The
// caller writes the rest.
func (d *direct) writeAt(f *os.File, p []byte, offset int64) (n int, err error) {
	if len(p) < DirectBytes || (int64(len(p))|offset|int64(uintptr(unsafe.Pointer(unsafe.SliceData(p)))))%DirectAlign != 0 {
		return 0, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.opened {
		d.opened = true
		d.file = openDirect(f)
	}
	if d.file == nil {
		return 0, nil
	}
	for n < len(p) && n%DirectAlign == 0 {
		m := 0
		err := control(d.file, func(fd int) (err error) {
			m, err = unix.Pwrite(fd, p[n:], offset+int64(n))
			return err
		})
		if err == syscall.EINVAL || err == syscall.EOPNOTSUPP {
			d.close()
			return n, nil
		}
		if err != nil {
			return n, &os.PathError{Op: "write", Path: f.Name(), Err: err}
		}
		if m <= 0 {
			return n, nil
		}
		n += m
	}
	return n, nil
}

// openDirect opens the file f a second time. It does so through f's descriptor, because the file
// may have been renamed.
func openDirect(f *os.File) *os.File {
	var again *os.File
	err := control(f, func(fd int) error {
		number, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_WRONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
		if err == nil {
			again = os.NewFile(uintptr(number), f.Name())
		}
		return err
	})
	if err != nil {
		return nil // on tmpfs, or without /proc: the caller then uses the page cache
	}
	return again
}

func (d *direct) close() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	return err
}
