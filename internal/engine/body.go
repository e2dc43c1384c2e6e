package engine

import (
	"encoding/binary"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/scoterdb/scoter/internal/base"
)

// body is the encoded form of a request's batches, as slices. In a log frame it follows the header.
// Large buffers are not copied: their slices point into the memory of the memtable's rows, or of a
// patch's values. That memory does not change until the frame is in the log.
type body struct {
	slices [][]byte
	bytes  int64
	short  []byte // copies of short pieces of the encoding, one after the other
	from   int    // index in short of the first piece that no slice has yet
}

// keptBytes is the size from which a buffer becomes a slice of its own. Copying a smaller one into
// short costs less.
const keptBytes = 4 << 10

// maxPooledBody bounds the memory that free returns to the pool, so that the pool does not keep the
// memory of unusually large requests.
const maxPooledBody = 4 << 20

var bodies = sync.Pool{New: func() any { return new(body) }}

// free returns the memory of short to the pool. The body's slices must not be read any more.
func (b *body) free() {
	if cap(b.short) <= maxPooledBody {
		*b = body{slices: b.slices[:0], short: b.short[:0]}
		clear(b.slices[:cap(b.slices)])
		bodies.Put(b)
	}
}

// cut makes a slice of the short pieces that no slice has yet.
func (b *body) cut() {
	if b.from < len(b.short) {
		b.slices = append(b.slices, b.short[b.from:len(b.short):len(b.short)])
		b.from = len(b.short)
	}
}

// Write appends a piece of the encoding: as a copy if it is short, and otherwise as a slice without
// a copy.
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

// add appends the encoding of a batch. The batch's memory must not change before free.
func (b *body) add(record arrow.RecordBatch) error {
	// The length is known only at the end. It has memory of its own, because short may be
	// reallocated.
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
