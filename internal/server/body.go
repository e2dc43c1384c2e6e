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

// body is a request's body in memory, decompressed, with the memory that is accounted for it
// and the rows decoded from it. Close it.
type body struct {
	bytes   []byte
	gate    *gate
	pooled  *[]byte // whose memory bytes is in
	largest int64   // that the rows may take in memory
	// untilFree waits for the request's table; nil if it names none.
	untilFree func() error

	mu      sync.Mutex
	held    int64 // of the gate; guarded by mu
	arrived int   // bytes of the body so far; guarded by mu
	least   int64 // that is held for them; guarded by mu
}

// decodedShare is what a body and its rows are assumed to take, in bodies: the rows are about
// as large as what they are decoded from.
const decodedShare = 2

// buffers are reused between requests of the usual size.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooledBuffer = 8 << 20

// readBody reads a request's body, and decompresses it. untilFree, if not nil, waits until no statement has
// the request's table to itself: see stall.
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

// largest is what the rows of a request may take in memory.
func (s *Server) largest() int64 { return int64(s.settings.WriteMemory) / 3 }

// hold takes memory until the body has total bytes of the gate, and may wait for it.
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

// try is hold that does not wait, and reports whether there was enough.
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

// keep gives back all memory but total bytes.
func (b *body) keep(total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.held - total; n > 0 {
		b.gate.give(n)
		b.held = total
	}
}

// claimed accounts for rows of so many bytes, as the body says, before they are decoded: what is
// compressed may be any number of times as large as the body.
func (b *body) claimed(ctx context.Context, rows int64) error {
	return b.hold(ctx, int64(len(b.bytes))+rows)
}

// decoded accounts for rows that are decoded from the body: their own size takes the place
// of the body's, which is not needed any more. Storing them takes twice as much, of the engine.
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

// unpacked is an error if what the engine writes out of dictionaries, for columns of these types, is more than rows may take.
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

// buffer returns memory of a size that begins with some content. What the body was in before is not
// used any more.
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

// decompress replaces a compressed body by what it holds. It waits for memory with nothing but the
// compressed body: where more is needed than the body says, and is not free at once, it begins anew.
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

// Close gives the memory back. The bytes must not be used any more. It may be called more
// than once.
func (b *body) Close() {
	b.keep(0)
	b.drop()
}

// drop lets go of the bytes.
func (b *body) drop() {
	recycle(b.pooled)
	b.bytes, b.pooled = nil, nil
}

// recycle lets other requests use a buffer.
func recycle(buf *[]byte) {
	if buf != nil && cap(*buf) <= maxPooledBuffer {
		buffers.Put(buf)
	}
}
