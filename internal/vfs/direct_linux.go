package vfs

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct makes direct writes (O_DIRECT) to a file, which it opens a second time for that. Large
// aligned writes then go to the device without a copy in the page cache. Measured on ext4 on a
// virtual disk, writing 600 MB takes 0.08 s of CPU time this way, and 0.35 to 1.2 s through the
// page cache. Direct and other writes to the same file may be mixed: Linux drops the cached pages
// that a direct write covers.
type direct struct {
	mu     sync.Mutex
	opened bool // whether openDirect was called, even if it failed; guarded by mu
	// file is the file, open for direct writes. It is nil if the file system has no direct writes.
	// It is guarded by mu.
	file *os.File
}

// A write is made directly if two conditions hold: its address, offset and length are multiples of
// DirectAlign bytes, and its length is at least DirectBytes. For a smaller write, the time to wait
// for the device costs more than bypassing the page cache saves.
const (
	DirectAlign = 4 << 10
	DirectBytes = 256 << 10
)

func newDirect() *direct { return &direct{} }

// writeAt writes bytes of p directly to the device, and returns the number n of bytes written. If n
// is less than len(p), the rest cannot be written directly, and the caller writes it through the
// page cache.
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

// openDirect opens the file f a second time, for direct writes. It uses f's descriptor instead of
// its path, because the file may have been renamed. It returns nil if that fails.
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
		// This happens on tmpfs, or without /proc. The caller then writes through the page cache.
		return nil
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
