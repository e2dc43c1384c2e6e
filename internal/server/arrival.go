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

// Limits for clients that send a body slowly. The server ends a request if the client sends nothing
// for idleTimeout. After the first idleTimeout, it also ends a request if the client has sent fewer
// than minBytesPerSecond on average.
const (
	idleTimeout       = 30 * time.Second
	minBytesPerSecond = 64 << 10
)

// bodyReader is a request's body that is being received. Read returns a Timeout error if the client
// is too slow.
type bodyReader struct {
	io.ReadCloser
	connection *http.ResponseController
	began      time.Time
	received   int64
	until      time.Time // read deadline of the connection; zero until one is set
	// whether the connection does not support deadlines, as in tests of handlers
	endless bool
}

func newBodyReader(w http.ResponseWriter, r *http.Request) *bodyReader {
	return &bodyReader{ReadCloser: r.Body, connection: http.NewResponseController(w), began: time.Now()}
}

func (in *bodyReader) Read(p []byte) (int, error) {
	in.extend()
	n, err := in.ReadCloser.Read(p)
	in.received += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, base.Errorf(base.Timeout, "the body arrives too slowly: nothing for %v, or less than %d bytes in a second", idleTimeout, int64(minBytesPerSecond))
	}
	return n, err
}

// extend moves the connection's read deadline to idleTimeout from now, or to an earlier time if the
// body has arrived at less than minBytesPerSecond. Setting a deadline costs a system call or a
// timer, so extend sets it at most once per second.
func (in *bodyReader) extend() {
	until := time.Now().Add(idleTimeout)
	if allowed := in.began.Add(idleTimeout + time.Duration(in.received/minBytesPerSecond)*time.Second); allowed.Before(until) {
		until = allowed
	}
	if in.endless || until.Sub(in.until) < time.Second {
		return
	}
	in.until = until
	in.endless = in.connection.SetReadDeadline(until) != nil
}

// done removes the read deadline, so that the connection can be used for other requests.
func (in *bodyReader) done() {
	if !in.endless {
		// The error is ignored: setting a deadline worked before, so the connection supports it.
		_ = in.connection.SetReadDeadline(time.Time{})
	}
}

// Limits for the memory of a body while it arrives. The body reserves memory for its announced size
// only after some of it has arrived, so a body whose rest does not arrive holds little memory. At
// intervals the server checks how much has arrived. If fewer than fastBytes have arrived since the
// last check, the body keeps only the memory for the received bytes and for the next step of
// reading, and releases the rest.
const (
	// firstBytes are read before any memory is reserved, because net/http has these bytes in a
	// buffer anyway.
	firstBytes = 4 << 10
	proofBytes = 256 << 10 // bytes that must arrive before memory for the rest is reserved
	slowStep   = 64 << 10
	// growth is the factor by which the buffer of a body grows. The buffer is not allocated in the
	// announced size, because a client may announce a large body and not send it.
	growth     = 4
	checkEvery = 250 * time.Millisecond
	fastBytes  = 256 << 10
)

var firstBuffers = sync.Pool{New: func() any { return new([firstBytes]byte) }}

// receive reads a body of at most limit bytes. It reserves memory before it reads. If bodies arrive
// faster than rows can be stored, it waits for memory and does not read, and after some time it
// refuses the request.
func (b *body) receive(w http.ResponseWriter, r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	in := newBodyReader(w, r)
	defer in.done()
	first := firstBuffers.Get().(*[firstBytes]byte)
	defer firstBuffers.Put(first)
	n, err := in.Read(first[:])
	// One byte more is expected than the body has, so that Read reports the end of the body.
	expected := max(r.ContentLength, int64(n)) + 1
	if r.ContentLength < 0 && err == nil {
		expected = limit + 1
	}
	hold := func(total int64) error {
		began := time.Now()
		err := b.reserve(r.Context(), total)
		// The time spent waiting for memory does not count against the client.
		in.began = in.began.Add(time.Since(began))
		return err
	}
	if err := hold(decodedFactor * min(expected, proofBytes)); err != nil {
		return err
	}
	if b.awaitTable != nil && b.budget.tableWaitsFull() {
		b.shrinkTo(0)
		if err := b.awaitTable(); err != nil {
			return err
		}
		if err := hold(decodedFactor * min(expected, proofBytes)); err != nil {
			return err
		}
	}
	buf := b.buffer(min(expected, proofBytes), first[:n])
	if err == nil {
		defer b.releaseIfSlow(len(buf), cap(buf))()
	}
	for err == nil {
		if len(buf) == cap(buf) {
			if r.ContentLength >= 0 && len(buf) == proofBytes {
				if err := hold(decodedFactor * expected); err != nil {
					return err
				}
			}
			size := min(expected, growth*int64(cap(buf)))
			if err := hold(size); err != nil {
				return err
			}
			buf = b.buffer(max(size, int64(len(buf))+1), buf)
		}
		if err := hold(minReservation(len(buf), cap(buf))); err != nil {
			return err
		}
		n, err = in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		b.noteReceived(len(buf), cap(buf))
		if int64(len(buf)) > limit {
			return tooLarge(limit)
		}
	}
	if err != io.EOF {
		return errBodyEnded(len(buf), err)
	}
	b.bytes = buf
	return nil
}

// errBodyEnded returns the error for a body that ended after n bytes, before the end that the
// client announced. err is the error of reading it.
func errBodyEnded(n int, err error) error {
	if base.KindOf(err) == base.Timeout {
		return err
	}
	return base.Errorf(base.Canceled, "the body ends after %d bytes: %w", n, err)
}

// minReservation returns how many bytes of memory a body must hold when it has received the given
// number of bytes (came). size is the size of its buffer. The result includes the memory for the
// next step of reading.
func minReservation(came, size int) int64 {
	return max(decodedFactor*int64(min(came+slowStep, size)), int64(size))
}

// noteReceived records that n bytes of the body have arrived, and the size of its buffer.
func (b *body) noteReceived(n, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received, b.minReserved = n, minReservation(n, size)
}

// releaseIfSlow starts a regular check of how much of the body arrives, and returns stop, which
// ends the checks. If little has arrived since the last check, the check releases the memory that
// the body reserved in advance. n bytes have arrived so far, and size is the size of the buffer.
func (b *body) releaseIfSlow(n, size int) (stop func()) {
	b.noteReceived(n, size)
	var timer *time.Timer
	ended, before := false, n
	look := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if ended {
			return
		}
		if b.received-before < fastBytes && b.reserved > b.minReserved {
			b.budget.memory.Release(b.reserved - b.minReserved)
			b.reserved = b.minReserved
		}
		before = b.received
		timer.Reset(checkEvery)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	timer = time.AfterFunc(checkEvery, look)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		ended = true
		timer.Stop()
	}
}
