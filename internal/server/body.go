package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// body is a request's body in memory, decompressed, with the share of the write memory
// that it and the rows decoded from it take. Close it.
type body struct {
	bytes    []byte
	store    Store
	releases []func()
	pooled   *[]byte
}

// buffers are reused between requests of the usual size.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooledBuffer = 8 << 20

// readStep is what a body of unknown length is read in.
const readStep = 1 << 20

// expansion is what a compressed body is first assumed to grow to. A body that grows
// more is decompressed once more, with memory for the largest allowed.
const expansion = 8

// readBody reads a request's body. It takes memory before it reads, so that what
// arrives faster than it can be stored waits in the network, and then is refused.
func (s *Server) readBody(r *http.Request) (*body, error) {
	limit := int64(s.settings.MaxBody)
	b := &body{store: s.store, pooled: buffers.Get().(*[]byte)}
	if err := b.read(r, limit); err != nil {
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
	// The decoder's batches are about as large as what they are decoded from.
	if err := b.take(r.Context(), int64(len(b.bytes))); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *body) take(ctx context.Context, n int64) error {
	if n == 0 {
		return nil
	}
	release, err := b.store.Reserve(ctx, n)
	if err == nil {
		b.releases = append(b.releases, release)
	}
	return err
}

func tooLarge(limit int64) error {
	return base.Errorf(base.TooLarge, "the body is larger than %d bytes", limit).WithHint("send smaller requests, or raise max_body")
}

func (b *body) read(r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	buf := (*b.pooled)[:0]
	step := int64(readStep)
	if r.ContentLength >= 0 {
		step = r.ContentLength + 1 // one more, to see the end
	}
	for {
		if int64(len(buf)) > limit {
			return tooLarge(limit)
		}
		if err := b.take(r.Context(), step); err != nil {
			return err
		}
		if need := len(buf) + int(step); cap(buf) < need {
			buf = append(make([]byte, 0, max(need, 2*cap(buf))), buf...)
		}
		room := buf[len(buf) : len(buf)+int(step)]
		n, err := io.ReadFull(r.Body, room)
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF) && (r.ContentLength < 0 || int64(len(buf)) == r.ContentLength):
			*b.pooled, b.bytes = buf, buf
			return nil
		case err != nil:
			return base.Errorf(base.Canceled, "the body ends after %d bytes: %w", len(buf), err)
		}
		step = readStep
	}
}

func (b *body) decompress(ctx context.Context, encoding string, limit int64) error {
	for _, allowed := range []int64{min(limit, expansion*int64(len(b.bytes))), limit} {
		if err := b.take(ctx, allowed); err != nil {
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

// Close gives the memory back. The bytes must not be used any more.
func (b *body) Close() {
	for _, release := range b.releases {
		release()
	}
	if cap(*b.pooled) <= maxPooledBuffer {
		buffers.Put(b.pooled)
	}
}
