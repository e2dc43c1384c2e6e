package encode

import (
	"io"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
)

const (
	// flushAt is when a buffer is written: large enough that a system call and an HTTP chunk
	// cost nothing, small enough to stay in the L2 cache.
	flushAt = 128 << 10
	// keepAtMost bounds the buffers that are kept for the next result: one huge value must not
	// stay in memory.
	keepAtMost = 1 << 20
)

// out buffers what encoders append to buf and remembers the writer's first error.
type out struct {
	w       io.Writer
	buf     []byte
	written int64 // bytes that w accepted
	err     error // first error of w; no rows are written after it
	refused bool  // the error is of a piece that w took nothing of
}

var outBuffers = sync.Pool{New: func() any { b := make([]byte, 0, flushAt+flushAt/4); return &b }}

func newOut(w io.Writer) *out {
	return &out{w: w, buf: (*outBuffers.Get().(*[]byte))[:0]}
}

// free gives the buffer back. The out is not used afterwards.
func (o *out) free() {
	if cap(o.buf) <= keepAtMost {
		b := o.buf[:0]
		outBuffers.Put(&b)
	}
	o.buf = nil
}

// flush writes what is buffered.
func (o *out) flush() error {
	if len(o.buf) == 0 || o.err != nil {
		return o.err
	}
	o.write(o.buf)
	o.buf = o.buf[:0]
	return o.err
}

// rows appends n rows, or other pieces, with f, and writes what is buffered whenever it is enough.
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

// Write implements io.Writer for libraries that write in pieces: small ones are gathered, large
// ones passed on.
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
