package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

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
	held    int64
	pooled  *[]byte
	largest int64 // that the rows may take in memory
}

// decodedShare is what a body and its rows are assumed to take, in bodies: the rows are about
// as large as what they are decoded from.
const decodedShare = 2

// buffers are reused between requests of the usual size.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooledBuffer = 8 << 20

// readStep is what a body of unknown length is read in.
const readStep = 1 << 20

// expansion is what a compressed body is first assumed to grow to. A body that grows
// more is decompressed once more, with memory for the largest allowed.
const expansion = 8

// A client that is slow to send its body holds memory meanwhile: it has patience, and a
// second more for each slowest bytes.
const (
	patience = 30 * time.Second
	slowest  = 64 << 10
)

// readBody reads a request's body. It takes memory before it reads, so that what
// arrives faster than it can be stored waits in the network, and then is refused.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, memory *gate) (*body, error) {
	limit := int64(s.settings.MaxBody)
	b := &body{gate: memory, pooled: buffers.Get().(*[]byte), largest: s.largest()}
	if err := b.readInTime(w, r, limit); err != nil {
		b.Close()
		return nil, err
	}
	encoding := r.Header.Get("Content-Encoding")
	if encoding != "" || ingest.Compressed(b.bytes) {
		if err := b.decompress(r.Context(), encoding, limit); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// largest is what the rows of a request may take in memory.
func (s *Server) largest() int64 { return int64(s.settings.WriteMemory) / 3 }

// take takes memory. One request never waits for more than there is.
func (b *body) take(ctx context.Context, n int64) error {
	if n = min(n, b.gate.limit-b.held); n <= 0 {
		return nil
	}
	if err := b.gate.take(ctx, n); err != nil {
		return err
	}
	b.held += n
	return nil
}

// claimed accounts for rows of so many bytes, as the body says, before they are decoded: what is compressed may be any number of times as large as the
// body. Who waits holds nothing, or two would wait for each other; newcomers stand in line behind.
func (b *body) claimed(ctx context.Context, rows int64) error {
	all := int64(len(b.bytes)) + rows
	if all <= b.held {
		return nil
	}
	b.give(b.held)
	return b.take(ctx, all)
}

// decoded accounts for rows that are decoded from the body: their own size takes the place
// of the body's, which is not needed any more. Storing them takes twice as much, of the engine.
func (b *body) decoded(ctx context.Context, batches ...arrow.RecordBatch) error {
	var total int64
	for _, rec := range batches {
		total += batch.Bytes(rec)
	}
	b.drop()
	if total <= min(b.held, b.largest) {
		b.give(b.held - total)
		return nil
	}
	b.give(b.held) // see claimed
	if total > b.largest {
		return b.tooMany(total)
	}
	return b.take(ctx, total)
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

func (b *body) readInTime(w http.ResponseWriter, r *http.Request, limit int64) error {
	size := r.ContentLength
	switch {
	case size > limit:
		return tooLarge(limit)
	case size < 0:
		size = limit
	}
	return inTime(w, size, func() error { return b.read(r, limit) })
}

// inTime reads a body of so many bytes at most.
func inTime(w http.ResponseWriter, size int64, read func() error) error {
	connection := http.NewResponseController(w)
	// A connection without deadlines, as in tests of handlers, waits for the client.
	if connection.SetReadDeadline(time.Now().Add(patience+time.Duration(size/slowest)*time.Second)) == nil {
		defer func() { _ = connection.SetReadDeadline(time.Time{}) }() // it worked a moment ago
	}
	err := read()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return base.Errorf(base.Timeout, "the body arrives too slowly: less than %d bytes in a second", int64(slowest))
	}
	return err
}

func (b *body) read(r *http.Request, limit int64) error {
	buf := (*b.pooled)[:0]
	step := int64(readStep)
	if r.ContentLength >= 0 {
		step = r.ContentLength + 1 // one more, to see the end
	}
	for {
		if err := b.take(r.Context(), decodedShare*step); err != nil {
			return err
		}
		if need := len(buf) + int(step); cap(buf) < need {
			buf = append(make([]byte, 0, max(need, 2*cap(buf))), buf...)
		}
		room := buf[len(buf) : len(buf)+int(step)]
		n, err := fill(r.Body, room)
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return tooLarge(limit)
		case err == io.EOF:
			*b.pooled, b.bytes = buf, buf
			return nil
		case err != nil:
			return base.Errorf(base.Canceled, "the body ends after %d bytes: %w", len(buf), err)
		}
		step = readStep
	}
}

// fill reads until the buffer is full. Other than with io.ReadFull, io.EOF is the end of the
// whole body only, and io.ErrUnexpectedEOF that of one whose client broke off: the first half
// of a body must not be taken for all of it.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

func (b *body) decompress(ctx context.Context, encoding string, limit int64) error {
	for _, allowed := range []int64{min(limit, expansion*int64(len(b.bytes))), limit} {
		if err := b.take(ctx, decodedShare*allowed); err != nil {
			return err
		}
		out, err := ingest.Decompress(encoding, bytes.NewReader(b.bytes), allowed)
		if err == nil {
			b.bytes = out
			return nil
		}
		if base.KindOf(err) != base.TooLarge || allowed == limit {
			return err
		}
	}
	return tooLarge(limit)
}

// Close gives the memory back. The bytes must not be used any more. It may be called more
// than once.
func (b *body) Close() {
	b.give(b.held)
	b.drop()
}

// give gives back some of the memory.
func (b *body) give(n int64) {
	if n > 0 {
		b.gate.give(n)
		b.held -= n
	}
}

// drop lets go of the bytes.
func (b *body) drop() {
	if b.pooled != nil && cap(*b.pooled) <= maxPooledBuffer {
		buffers.Put(b.pooled)
	}
	b.bytes, b.pooled = nil, nil
}
