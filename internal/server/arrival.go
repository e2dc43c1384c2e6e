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

// A client that sends nothing for the time of patience is left, and so is one that sent less than a
// slowest number of bytes for each second after the first of patience.
const (
	patience = 30 * time.Second
	slowest  = 64 << 10
)

// incoming is a request's body as it comes. Its errors are Timeout for a client that is too slow.
type incoming struct {
	io.ReadCloser
	connection *http.ResponseController
	began      time.Time
	arrived    int64
	until      time.Time // the deadline that the connection has; zero if it knows none
	endless    bool      // the connection knows no deadlines, as in tests of handlers
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

// extend moves the deadline by what arrived. That costs a system call or a timer, so it is done at
// most once in a second.
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

// done lets the connection be used for other requests.
func (in *incoming) done() {
	if !in.endless {
		_ = in.connection.SetReadDeadline(time.Time{}) // it worked a moment ago
	}
}

// A body takes memory for its announced size when some of it came, so that it holds little while it
// waits for the rest. A client that brings less than a brisk number of bytes between two looks keeps no
// memory but for what came and the next step.
const (
	firstBytes = 4 << 10   // are read before any memory is taken; net/http has them in a buffer
	proofBytes = 256 << 10 // come before memory is taken for more
	slowStep   = 64 << 10
	growth     = 4 // of the buffer of a large body: a client that announces much need not send it
	lookEvery  = 250 * time.Millisecond
	brisk      = 256 << 10
)

var firstBuffers = sync.Pool{New: func() any { return new([firstBytes]byte) }}

// receive reads a body of at most limit bytes. It takes memory before it reads, so that what
// arrives faster than it can be stored waits in the network, and then is refused.
func (b *body) receive(w http.ResponseWriter, r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	in := newIncoming(w, r)
	defer in.done()
	first := firstBuffers.Get().(*[firstBytes]byte)
	defer firstBuffers.Put(first)
	n, err := in.Read(first[:])
	expected := max(r.ContentLength, int64(n)) + 1 // one more, to see the end
	if r.ContentLength < 0 && err == nil {
		expected = limit + 1
	}
	hold := func(total int64) error {
		began := time.Now()
		err := b.hold(r.Context(), total)
		in.began = in.began.Add(time.Since(began)) // what the body waits for is not its client's time
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

// brokenOff is the error for a body that ended early.
func brokenOff(n int, err error) error {
	if base.KindOf(err) == base.Timeout {
		return err
	}
	return base.Errorf(base.Canceled, "the body ends after %d bytes: %w", n, err)
}

// leastHeld is what a body holds of which so many bytes came, into a buffer of a size: for the next
// step too.
func leastHeld(came, size int) int64 {
	return max(decodedShare*int64(min(came+slowStep, size)), int64(size))
}

// came notes what is there of the body.
func (b *body) came(n, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived, b.least = n, leastHeld(n, size)
}

// watch gives back what the body took in advance when little of it comes, until the returned function
// is called.
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
