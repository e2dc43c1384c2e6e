package engine

import (
	"encoding/binary"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/scoterdb/scoter/internal/base"
)

// body is the encoded form of a request's batches, as a list of slices. In a log frame it follows
// the header. Large buffers are not copied: their slices point into the memory of the memtable's
// rows, or of a patch's values. That memory does not change until the frame is in the log.
type body struct {
	slices [][]byte
	bytes  int64
	short  []byte // short has copies of the short buffers of the encoding, one after the other.
	// from is the position in the field short where the bytes begin that are not in slices yet.
	from int
}

// shortBytes is the size in bytes from which a buffer becomes a slice of its own. A smaller buffer
// is copied into body.short, which costs less.
const shortBytes = 4 << 10

// maxPooledBody is the maximum size in bytes of the memory that body.free returns to the pool. So
// the pool does not retain the memory of unusually large requests.
const maxPooledBody = 4 << 20

var bodies = sync.Pool{New: func() any { return new(body) }}

// free returns the memory of body.short to the pool. The caller must not read the body's slices any
// more.
func (b *body) free() {
	if cap(b.short) <= maxPooledBody {
		*b = body{slices: b.slices[:0], short: b.short[:0]}
		clear(b.slices[:cap(b.slices)])
		bodies.Put(b)
	}
}

// cut makes one slice of the bytes in the field short that are not in slices yet, and adds it to
// slices.
func (b *body) cut() {
	if b.from < len(b.short) {
		b.slices = append(b.slices, b.short[b.from:len(b.short):len(b.short)])
		b.from = len(b.short)
	}
}

// Write appends p to the encoding. A short p is copied. A longer one becomes a slice without a
// copy.
func (b *body) Write(p []byte) (int, error) {
	b.bytes += int64(len(p))
	if len(p) < shortBytes {
		b.short = append(b.short, p...)
		return len(p), nil
	}
	b.cut()
	b.slices = append(b.slices, p)
	return len(p), nil
}

// add appends the encoding of a batch to the body. The batch's memory must not change before the
// body is freed.
func (b *body) add(record arrow.RecordBatch) error {
	// The length of the encoding is known only after the batch was encoded, so its four bytes are
	// filled in later. They have memory of their own, because the buffer body.short may be
	// reallocated meanwhile.
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
