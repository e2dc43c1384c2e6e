package encode

import (
	"io"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
)

const (
	// flushAt is the number of buffered bytes of output at which the buffer is written. It is large
	// enough to make the cost of a system call and an HTTP chunk negligible, and small enough for
	// the L2 cache.
	flushAt = 128 << 10
	// keepAtMost is the maximum size in bytes of a buffer that is reused for another result. Larger
	// buffers are freed, so that one huge value does not stay in memory.
	keepAtMost = 1 << 20
)

// out collects the output of an encoder in the buffer buf, and writes it to the writer w. It
// remembers the first error of w.
type out struct {
	w       io.Writer
	buf     []byte
	written int64 // written is the number of bytes that w has accepted.
	err     error // err is the first error of w. After an error no more rows are written.
	refused bool  // refused says that the write that failed did not write a single byte.
}

var outBuffers = sync.Pool{New: func() any { b := make([]byte, 0, flushAt+flushAt/4); return &b }}

func newOut(w io.Writer) *out {
	return &out{w: w, buf: (*outBuffers.Get().(*[]byte))[:0]}
}

// free returns the output's buffer to the pool. The output must not be used afterwards.
func (o *out) free() {
	if cap(o.buf) <= keepAtMost {
		b := o.buf[:0]
		outBuffers.Put(&b)
	}
	o.buf = nil
}

// flush writes the buffered bytes to w.
func (o *out) flush() error {
	if len(o.buf) == 0 || o.err != nil {
		return o.err
	}
	o.write(o.buf)
	o.buf = o.buf[:0]
	return o.err
}

// rows calls the function f with each number from 0 to n-1. Each call appends a row, or some other
// output, to the buffer. The buffer is written out whenever it has at least flushAt bytes.
func (o *out) rows(n int, f func(dst []byte, i int) []byte) error {
	b := o.buf
	for i := range n {
		if b = f(b, i); len(b) < flushAt {
			continue
		}
		o.buf = b
		if err := o.flush(); err != nil {
			return err
		}
		b = o.buf
	}
	o.buf = b
	return nil
}

// Write implements io.Writer for libraries that write their output in several calls. It buffers the
// bytes of small calls, and passes those of large calls on to w.
func (o *out) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if len(o.buf)+len(p) >= flushAt {
		if err := o.flush(); err != nil {
			return 0, err
		}
		if len(p) >= flushAt/2 {
			o.write(p)
			return len(p), o.err
		}
	}
	o.buf = append(o.buf, p...)
	return len(p), nil
}

func (o *out) write(p []byte) {
	n, err := o.w.Write(p)
	o.written += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		o.err, o.refused = base.Wrap(err, "write to client"), n == 0
	}
}
