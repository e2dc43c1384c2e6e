package engine

import (
	"encoding/binary"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/scoterdb/scoter/internal/base"
)

// body is what follows a frame's header: the request's batches, encoded, in slices. Large
// buffers are not copied: their slices point to where the memtable will have the rows, or the patch its
// values, which stay as they are until the frame is in the log.
type body struct {
	slices [][]byte
	bytes  int64
	short  []byte // short pieces, one behind the other
	from   int    // where those begin that are not in slices yet
}

// keptBytes is from which size on a buffer is not copied: below, a slice costs more.
const keptBytes = 4 << 10

// maxPooledBody is the largest memory for short pieces that is kept for reuse.
const maxPooledBody = 4 << 20

var bodies = sync.Pool{New: func() any { return new(body) }}

// free gives the body's own memory back for reuse. Nobody may read it any more.
func (b *body) free() {
	if cap(b.short) <= maxPooledBody {
		*b = body{slices: b.slices[:0], short: b.short[:0]}
		clear(b.slices[:cap(b.slices)])
		bodies.Put(b)
	}
}

// cut ends the slice of short pieces.
func (b *body) cut() {
	if b.from < len(b.short) {
		b.slices = append(b.slices, b.short[b.from:len(b.short):len(b.short)])
		b.from = len(b.short)
	}
}

// Write appends a piece: a copy of it if it is short, else itself.
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

// add appends a batch, whose memory stays as it is until free.
func (b *body) add(record arrow.RecordBatch) error {
	// The length is known at the end. It has memory of its own, since short may move.
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
