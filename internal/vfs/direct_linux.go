package vfs

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct is a second descriptor of a file, through which large aligned writes go to the
// device without a copy in the page cache. Measured on ext4 on a virtual disk: 600 MB that
// way take 0.08 s of processor time, through the page cache 0.35 to 1.2. The two may be mixed
// on one file: Linux drops the cached pages that a direct write covers.
type direct struct {
	mu     sync.Mutex
	opened bool     // guarded by mu
	file   *os.File // guarded by mu; nil if the file system has no such writes
}

// DirectAlign is what the address, the offset and the length of a write are multiples of if it
// is to bypass the page cache, and DirectBytes the least length: smaller ones are not worth the wait.
const (
	DirectAlign = 4 << 10
	DirectBytes = 256 << 10
)

func newDirect() *direct { return &direct{} }

// writeAt writes p directly, or as much of it as that is possible for; the rest is the caller's.
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

// openDirect opens the file once more, by its descriptor: it may have been renamed.
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
		return nil // tmpfs, no /proc: the page cache will do
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
