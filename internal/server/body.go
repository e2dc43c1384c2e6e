package server

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// body is a request's decompressed body in memory. It holds the memory that is reserved for it and
// for the rows decoded from it, so it must be closed.
type body struct {
	bytes   []byte
	budget  *budget
	pooled  *[]byte // the buffer from the pool that holds the field bytes
	largest int64   // maximum size of the request's rows in memory, in bytes
	// awaitTable waits until no statement has locked the table of the request. It is nil if the
	// request does not name a table.
	awaitTable func() error

	mu          sync.Mutex
	reserved    int64 // bytes that the body holds of the budget; guarded by mu
	received    int   // number of bytes of the body that have arrived; guarded by mu
	minReserved int64 // bytes that must stay reserved for what has arrived; guarded by mu
}

// decodedFactor is how much memory a body and its rows are assumed to need together, as a multiple
// of the body's size. The rows are about as large as the body.
const decodedFactor = 2

// buffers is a pool of buffers for requests of usual size.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooledBuffer = 8 << 20

// readBody reads and decompresses a request's body. memory is the budget from which it reserves
// memory. If awaitTable is not nil, readBody calls it to wait until no statement has locked the
// table of the request. See beginTableWait.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, memory *budget, awaitTable func() error) (*body, error) {
	limit := int64(s.settings.MaxBody)
	b := &body{budget: memory, largest: s.largest(), awaitTable: awaitTable}
	err := b.receive(w, r, limit)
	if err == nil {
		err = b.decompress(r.Context(), r.Header.Get("Content-Encoding"), limit)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// largest is the maximum size of a request's rows in memory, in bytes.
func (s *Server) largest() int64 { return s.memory.Rows.Limit() / 3 }

// reserve reserves more memory for the body, so that the body holds as many bytes as total says. It
// may wait for memory.
func (b *body) reserve(ctx context.Context, total int64) error {
	for total = min(total, b.budget.maxPerRequest()); ; {
		held, more := b.missing(total)
		if more <= 0 {
			return nil
		}
		if err := b.budget.reserve(ctx, held, more); err != nil {
			return err
		}
		b.addReserved(more)
	}
}

// tryReserve reserves more memory for the body, so that the body holds as many bytes as total says.
// It does not wait, and returns false if there is not enough memory.
func (b *body) tryReserve(total int64) bool {
	_, more := b.missing(min(total, b.budget.maxPerRequest()))
	if more <= 0 {
		return true
	}
	if !b.budget.memory.TryGrow(more) {
		return false
	}
	b.addReserved(more)
	return true
}

func (b *body) missing(total int64) (held, more int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reserved, total - b.reserved
}

func (b *body) addReserved(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved += n
}

// shrinkTo releases memory of the body, so that the body holds at most as many bytes as total says.
func (b *body) shrinkTo(total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.reserved - total; n > 0 {
		b.budget.memory.Release(n)
		b.reserved = total
	}
}

// reserveClaimed reserves memory for rows before they are decoded from the body. The argument rows
// is their size in bytes, as the body announces it. Compressed rows may be many times as large as
// the body.
func (b *body) reserveClaimed(ctx context.Context, rows int64) error {
	return b.reserve(ctx, int64(len(b.bytes))+rows)
}

// reserveDecoded adjusts the reserved memory after the rows were decoded from the body. It releases
// the memory for the body's bytes, and then holds memory only for the actual size of the rows. To
// store the rows, the engine reserves twice their size from an account of its own.
func (b *body) reserveDecoded(ctx context.Context, batches ...arrow.RecordBatch) error {
	var total int64
	for _, rec := range batches {
		total += batch.Bytes(rec)
	}
	b.drop()
	if total > b.largest {
		b.shrinkTo(0)
		return b.tooMany(total)
	}
	b.shrinkTo(total)
	return b.reserve(ctx, total)
}

// checkUnpacked returns an error if the rows would be too large for one request once the engine has
// replaced dictionaries by their values, as it does for columns of certain types. The argument
// types has the types of the table's columns.
func (b *body) checkUnpacked(types []schema.Field, batches []arrow.RecordBatch) error {
	var total int64
	for _, rec := range batches {
		total += batch.Unpacked(rec, types)
	}
	if total > b.largest {
		return b.tooMany(total)
	}
	return nil
}

func (b *body) tooMany(total int64) error {
	return base.Errorf(base.TooLarge, "the request's rows take %d bytes in memory: the limit is %d", total, b.largest).
		WithHint("send smaller requests, or raise memory")
}

func tooLarge(limit int64) error {
	return base.Errorf(base.TooLarge, "the body is larger than %d bytes", limit).WithHint("send smaller requests")
}

// buffer returns a buffer of the given size that begins with content. It takes the place of the
// body's previous buffer, which must not be used afterwards.
func (b *body) buffer(size int64, content []byte) []byte {
	if b.pooled == nil {
		b.pooled = buffers.Get().(*[]byte)
	}
	buf := (*b.pooled)[:0]
	if int64(cap(buf)) < size {
		buf = make([]byte, 0, size)
	}
	buf = append(buf, content...)
	*b.pooled = buf
	return buf[:len(buf):size]
}

// decompress replaces a compressed body by its content. header is the request's Content-Encoding.
// If the content is larger than announced and no memory is free at the moment, it drops what it has
// decompressed, waits for memory, and starts again. So while it waits it holds only the compressed
// body.
func (b *body) decompress(ctx context.Context, header string, limit int64) error {
	encoding, err := ingest.Encoding(header, b.bytes)
	if err != nil || encoding == ingest.Identity {
		return err
	}
	packed, from := b.bytes, b.pooled
	b.bytes, b.pooled = nil, nil
	defer recycle(from)
	size, decoder := ingest.DecodedSize(encoding, packed)
	need := func(size int64) int64 { return int64(len(packed)) + decoder + decodedFactor*size }
	for size = min(limit, size); ; {
		if !b.tryReserve(need(size)) {
			b.shrinkTo(int64(len(packed)))
			if err := b.reserve(ctx, need(size)); err != nil {
				return err
			}
		}
		grow := func(out []byte, more int64) ([]byte, error) {
			if size = min(more, limit+1); !b.tryReserve(need(size)) {
				return nil, errRestart
			}
			return b.buffer(size, out), nil
		}
		out, err := ingest.Decompress(encoding, packed, b.buffer(size+1, nil), limit, grow)
		if errors.Is(err, errRestart) {
			continue
		}
		if err != nil {
			return err
		}
		b.bytes = out
		b.shrinkTo(max(decodedFactor*int64(len(out)), int64(cap(out))))
		return nil
	}
}

var errRestart = errors.New("no memory is free at once for a growing body")

// Close releases the body's memory. The bytes must not be used afterwards. Close may be called more
// than once.
func (b *body) Close() {
	b.shrinkTo(0)
	b.drop()
}

// drop returns the buffer of the body to the pool.
func (b *body) drop() {
	recycle(b.pooled)
	b.bytes, b.pooled = nil, nil
}

// recycle returns a buffer to the pool.
func recycle(buf *[]byte) {
	if buf != nil && cap(*buf) <= maxPooledBuffer {
		buffers.Put(buf)
	}
}
