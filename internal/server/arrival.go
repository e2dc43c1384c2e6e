package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Limits for slow clients. The server ends a request if the client sends nothing for the time
// patience. It also ends a request if, after the first period of patience, the client has sent
// fewer than slowest bytes per second.
const (
	patience = 30 * time.Second
	slowest  = 64 << 10
)

// incoming is a request's body that is being received. Read returns a Timeout error if the client
// is too slow.
type incoming struct {
	io.ReadCloser
	connection *http.ResponseController
	began      time.Time
	arrived    int64
	until      time.Time // the read deadline of the connection; zero if none was set yet
	endless    bool      // the connection does not support deadlines, as in tests of handlers
}

func newIncoming(w http.ResponseWriter, r *http.Request) *incoming {
	return &incoming{ReadCloser: r.Body, connection: http.NewResponseController(w), began: time.Now()}
}

func (in *incoming) Read(p []byte) (int, error) {
	in.extend()
	n, err := in.ReadCloser.Read(p)
	in.arrived += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, base.Errorf(base.Timeout, "the body arrives too slowly: nothing for %v, or less than %d bytes in a second", patience, int64(slowest))
	}
	return n, err
}

// extend moves the read deadline, depending on how much of the body has arrived. Setting a deadline
// costs a system call or a timer, so it is set at most once per second.
func (in *incoming) extend() {
	until := time.Now().Add(patience)
	if allowed := in.began.Add(patience + time.Duration(in.arrived/slowest)*time.Second); allowed.Before(until) {
		until = allowed
	}
	if in.endless || until.Sub(in.until) < time.Second {
		return
	}
	in.until = until
	in.endless = in.connection.SetReadDeadline(until) != nil
}

// done removes the read deadline, so that the connection can be used for other requests.
func (in *incoming) done() {
	if !in.endless {
		// The error is ignored: setting a deadline worked before, so the connection supports it.
		_ = in.connection.SetReadDeadline(time.Time{})
	}
}

// Limits for the memory of a body while it arrives. The body reserves memory for its announced size
// only after some of it has arrived, so it holds little memory while it waits for the rest. If
// fewer than brisk bytes arrive between two checks, the body releases all memory except for what
// has arrived and the next step.
const (
	// Read before any memory is reserved; net/http has these bytes in a buffer.
	firstBytes = 4 << 10
	proofBytes = 256 << 10 // bytes that must arrive before memory for the rest is reserved
	slowStep   = 64 << 10
	// growth is the factor by which a buffer grows. The buffer is not allocated in the announced
	// size, because a client may announce a large body and not send it.
	growth    = 4
	lookEvery = 250 * time.Millisecond
	brisk     = 256 << 10
)

var firstBuffers = sync.Pool{New: func() any { return new([firstBytes]byte) }}

// receive reads a body of at most limit bytes. It reserves memory before it reads. If bodies arrive
// faster than rows can be stored, the bytes wait in the network, and after some time the request is
// refused.
func (b *body) receive(w http.ResponseWriter, r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	in := newIncoming(w, r)
	defer in.done()
	first := firstBuffers.Get().(*[firstBytes]byte)
	defer firstBuffers.Put(first)
	n, err := in.Read(first[:])
	// One byte more, in order to notice the end of the body.
	expected := max(r.ContentLength, int64(n)) + 1
	if r.ContentLength < 0 && err == nil {
		expected = limit + 1
	}
	hold := func(total int64) error {
		began := time.Now()
		err := b.hold(r.Context(), total)
		// The time spent waiting for memory does not count against the client.
		in.began = in.began.Add(time.Since(began))
		return err
	}
	if err := hold(decodedShare * min(expected, proofBytes)); err != nil {
		return err
	}
	if b.untilFree != nil && b.gate.crowded() {
		b.keep(0)
		if err := b.untilFree(); err != nil {
			return err
		}
		if err := hold(decodedShare * min(expected, proofBytes)); err != nil {
			return err
		}
	}
	buf := b.buffer(min(expected, proofBytes), first[:n])
	if err == nil {
		defer b.watch(len(buf), cap(buf))()
	}
	for err == nil {
		if len(buf) == cap(buf) {
			if r.ContentLength >= 0 && len(buf) == proofBytes {
				if err := hold(decodedShare * expected); err != nil {
					return err
				}
			}
			size := min(expected, growth*int64(cap(buf)))
			if err := hold(size); err != nil {
				return err
			}
			buf = b.buffer(max(size, int64(len(buf))+1), buf)
		}
		if err := hold(leastHeld(len(buf), cap(buf))); err != nil {
			return err
		}
		n, err = in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		b.came(len(buf), cap(buf))
		if int64(len(buf)) > limit {
			return tooLarge(limit)
		}
	}
	if err != io.EOF {
		return brokenOff(len(buf), err)
	}
	b.bytes = buf
	return nil
}

// brokenOff returns the error for a body that ended after n bytes, before its announced end.
func brokenOff(n int, err error) error {
	if base.KindOf(err) == base.Timeout {
		return err
	}
	return base.Errorf(base.Canceled, "the body ends after %d bytes: %w", n, err)
}

// leastHeld returns the memory that a body must hold after came bytes of it have arrived, in a
// buffer of the given size. This includes the memory for the next step.
func leastHeld(came, size int) int64 {
	return max(decodedShare*int64(min(came+slowStep, size)), int64(size))
}

// came records that n bytes of the body have arrived, and the size of its buffer.
func (b *body) came(n, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived, b.least = n, leastHeld(n, size)
}

// watch starts a regular check of how much of the body arrives. If little arrived since the last
// check, it releases the memory that the body reserved in advance. The check ends when stop is
// called.
func (b *body) watch(n, size int) (stop func()) {
	b.came(n, size)
	var timer *time.Timer
	ended, before := false, n
	look := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if ended {
			return
		}
		if b.arrived-before < brisk && b.held > b.least {
			b.gate.give(b.held - b.least)
			b.held = b.least
		}
		before = b.arrived
		timer.Reset(lookEvery)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	timer = time.AfterFunc(lookEvery, look)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		ended = true
		timer.Stop()
	}
}
