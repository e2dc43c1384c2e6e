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
	gate    *gate
	pooled  *[]byte // the buffer from the pool that has bytes
	largest int64   // maximum size of the request's rows in memory
	// untilFree waits until the table of the request is not locked. It is nil if the request does
	// not name a table.
	untilFree func() error

	mu      sync.Mutex
	held    int64 // memory reserved from the gate; guarded by mu
	arrived int   // number of bytes of the body that have arrived; guarded by mu
	least   int64 // memory that the body must hold for these bytes; guarded by mu
}

// decodedShare is the memory that a body and its rows are assumed to need, as a multiple of the
// body's size. The rows are about as large as their wire format.
const decodedShare = 2

// buffers is a pool of buffers for requests of usual size.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooledBuffer = 8 << 20

// readBody reads and decompresses a request's body. untilFree, if not nil, waits until the table of
// the request is not locked. See stall.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, memory *gate, untilFree func() error) (*body, error) {
	limit := int64(s.settings.MaxBody)
	b := &body{gate: memory, largest: s.largest(), untilFree: untilFree}
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
func (s *Server) largest() int64 { return int64(s.settings.WriteMemory) / 3 }

// hold reserves memory of the gate, so that the body holds total bytes. It may wait for memory.
func (b *body) hold(ctx context.Context, total int64) error {
	for total = min(total, b.gate.most()); ; {
		held, more := b.lacking(total)
		if more <= 0 {
			return nil
		}
		if err := b.gate.take(ctx, held, more); err != nil {
			return err
		}
		b.took(more)
	}
}

// try reserves memory of the gate so that the body holds total bytes, as hold does, but without
// waiting. It returns false if there is not enough memory.
func (b *body) try(total int64) bool {
	_, more := b.lacking(min(total, b.gate.most()))
	if more <= 0 {
		return true
	}
	if !b.gate.try(more) {
		return false
	}
	b.took(more)
	return true
}

func (b *body) lacking(total int64) (held, more int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held, total - b.held
}

func (b *body) took(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held += n
}

// keep releases memory of the gate, so that the body holds at most total bytes.
func (b *body) keep(total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.held - total; n > 0 {
		b.gate.give(n)
		b.held = total
	}
}

// claimed reserves memory for rows before they are decoded. rows is their size in bytes, which the
// wire format announces. Compressed rows may be many times as large as the body.
func (b *body) claimed(ctx context.Context, rows int64) error {
	return b.hold(ctx, int64(len(b.bytes))+rows)
}

// decoded adjusts the reservation after the rows were decoded from the body. The actual size of the
// rows replaces the size of the body, whose bytes are released. To store the rows, the engine
// reserves twice their size from its own budget.
func (b *body) decoded(ctx context.Context, batches ...arrow.RecordBatch) error {
	var total int64
	for _, rec := range batches {
		total += batch.Bytes(rec)
	}
	b.drop()
	if total > b.largest {
		b.keep(0)
		return b.tooMany(total)
	}
	b.keep(total)
	return b.hold(ctx, total)
}

// unpacked returns an error if the rows would be too large without dictionaries, which the engine
// expands for columns of these types.
func (b *body) unpacked(types []schema.Field, batches []arrow.RecordBatch) error {
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
		WithHint("send smaller requests, or raise write_memory")
}

func tooLarge(limit int64) error {
	return base.Errorf(base.TooLarge, "the body is larger than %d bytes", limit).WithHint("send smaller requests")
}

// buffer returns a buffer of the given size that begins with content. It replaces the body's
// previous buffer, which must not be used afterwards.
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
// While decompress waits for memory it holds only the compressed body: if the content is larger
// than announced and memory is not free at once, it drops what was decompressed, waits, and starts
// again.
func (b *body) decompress(ctx context.Context, header string, limit int64) error {
	encoding, err := ingest.Encoding(header, b.bytes)
	if err != nil || encoding == ingest.Identity {
		return err
	}
	packed, from := b.bytes, b.pooled
	b.bytes, b.pooled = nil, nil
	defer recycle(from)
	size, decoder := ingest.DecodedSize(encoding, packed)
	need := func(size int64) int64 { return int64(len(packed)) + decoder + decodedShare*size }
	for size = min(limit, size); ; {
		if !b.try(need(size)) {
			b.keep(int64(len(packed)))
			if err := b.hold(ctx, need(size)); err != nil {
				return err
			}
		}
		grow := func(out []byte, more int64) ([]byte, error) {
			if size = min(more, limit+1); !b.try(need(size)) {
				return nil, errBeginAnew
			}
			return b.buffer(size, out), nil
		}
		out, err := ingest.Decompress(encoding, packed, b.buffer(size+1, nil), limit, grow)
		if errors.Is(err, errBeginAnew) {
			continue
		}
		if err != nil {
			return err
		}
		b.bytes = out
		b.keep(max(decodedShare*int64(len(out)), int64(cap(out))))
		return nil
	}
}

var errBeginAnew = errors.New("no memory at once for a body that grows")

// Close releases the body's memory. The bytes must not be used afterwards. Close may be called more
// than once.
func (b *body) Close() {
	b.keep(0)
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
