package encode

import (
	"io"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
)

const (
	// flushAt is the size in bytes from which the buffer is written. It is large enough to make the
	// cost of a system call and an HTTP chunk negligible, and small enough for the L2 cache.
	flushAt = 128 << 10
	// keepAtMost is the maximum size in bytes of a buffer that is reused for another result. Larger
	// buffers are freed, so that one huge value does not stay in memory.
	keepAtMost = 1 << 20
)

// out collects the output of an encoder in buf, and writes it to w. It remembers the first error of
// w.
type out struct {
	w       io.Writer
	buf     []byte
	written int64 // bytes that w accepted
	err     error // the first error of w; no rows are written after it
	refused bool  // whether w accepted no byte of the write that failed
}

var outBuffers = sync.Pool{New: func() any { b := make([]byte, 0, flushAt+flushAt/4); return &b }}

func newOut(w io.Writer) *out {
	return &out{w: w, buf: (*outBuffers.Get().(*[]byte))[:0]}
}

// free returns the buffer to the pool. out must not be used afterwards.
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

// rows calls f for 0 to n-1, which appends a row or another piece of output. It writes the buffer
// whenever it has flushAt bytes.
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

// Write implements io.Writer for libraries that write output in pieces. It buffers small pieces,
// and passes large ones on to w.
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
