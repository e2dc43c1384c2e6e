package encode

import (
	"io"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
)

const (
	// flushAt is the size in bytes at which a buffer is written. It is large enough to make the
	// cost of a system call and an HTTP chunk negligible, and small enough for the L2 cache.
	flushAt = 128 << 10
	// keepAtMost is the largest buffer in bytes that is reused for the next result. Larger ones are
	// freed, so that one huge value does not stay in memory.
	keepAtMost = 1 << 20
)

// out buffers the output of encoders in buf, and remembers the writer's first error.
type out struct {
	w       io.Writer
	buf     []byte
	written int64 // bytes that w accepted
	err     error // first error of w; no rows are written after it
	refused bool  // w accepted nothing of the write that failed
}

var outBuffers = sync.Pool{New: func() any { b := make([]byte, 0, flushAt+flushAt/4); return &b }}

func newOut(w io.Writer) *out {
	return &out{w: w, buf: (*outBuffers.Get().(*[]byte))[:0]}
}

// free returns the buffer to the pool. The out must not be used afterwards.
func (o *out) free() {
	if cap(o.buf) <= keepAtMost {
		b := o.buf[:0]
		outBuffers.Put(&b)
	}
	o.buf = nil
}

// flush writes the buffered bytes.
func (o *out) flush() error {
	if len(o.buf) == 0 || o.err != nil {
		return o.err
	}
	o.write(o.buf)
	o.buf = o.buf[:0]
	return o.err
}

// rows appends n rows, or other pieces, with f. It flushes whenever flushAt bytes are buffered.
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

// Write implements io.Writer for libraries that write in pieces. It buffers small pieces and passes
// large ones on.
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
