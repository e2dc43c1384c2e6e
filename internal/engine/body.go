package engine

import (
	"encoding/binary"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/scoterdb/scoter/internal/base"
)

// body is the encoded form of a request's batches, which follows the header in a log frame, as
// slices. Large buffers are not copied: their slices point into the memory of the memtable's rows,
// or of a patch's values. That memory does not change until the frame is in the log.
type body struct {
	slices [][]byte
	bytes  int64
	short  []byte // copies of short pieces, one after the other
	from   int    // start of the short pieces that are not in slices yet
}

// keptBytes is the size from which a buffer is referenced instead of copied. For less, a copy is
// cheaper than a slice.
const keptBytes = 4 << 10

// maxPooledBody is the largest memory for short pieces that free returns to the pool.
const maxPooledBody = 4 << 20

var bodies = sync.Pool{New: func() any { return new(body) }}

// free returns the body's own memory to the pool. Its slices must not be read any more.
func (b *body) free() {
	if cap(b.short) <= maxPooledBody {
		*b = body{slices: b.slices[:0], short: b.short[:0]}
		clear(b.slices[:cap(b.slices)])
		bodies.Put(b)
	}
}

// cut ends the current slice of short pieces.
func (b *body) cut() {
	if b.from < len(b.short) {
		b.slices = append(b.slices, b.short[b.from:len(b.short):len(b.short)])
		b.from = len(b.short)
	}
}

// Write appends a piece: a copy if it is short, otherwise the slice itself.
func (b *body) Write(p []byte) (int, error) {
	b.bytes += int64(len(p))
	if len(p) < keptBytes {
		b.short = append(b.short, p...)
		return len(p), nil
	}
	b.cut()
	b.slices = append(b.slices, p)
	return len(p), nil
}

// add appends a batch. The batch's memory must not change before free.
func (b *body) add(record arrow.RecordBatch) error {
	// The length is only known at the end. It has its own memory, since short may be reallocated.
	length := make([]byte, 4)
	b.cut()
	b.slices = append(b.slices, length)
	b.bytes += int64(len(length))
	at := b.bytes
	w := ipc.NewWriter(b, ipc.WithSchema(record.Schema()))
	if err := w.Write(record); err != nil {
		return base.Errorf(base.Internal, "encode rows for the log: %w", err)
	}
	if err := w.Close(); err != nil {
		return base.Errorf(base.Internal, "encode rows for the log: %w", err)
	}
	b.cut()
	n := b.bytes - at
	if n > maxBodyBytes {
		return errBody(n)
	}
	binary.LittleEndian.PutUint32(length, uint32(n))
	return nil
}
