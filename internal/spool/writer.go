package spool

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Query is the query that computes the result.
type Query interface {
	// Wanted reports whether other queries wait for this query's slot.
	Wanted() bool
	// Yield gives up the slot of the query, because the reader of its result has been too slow
	// since the given time. If the query must end now, it returns the reason.
	Yield(since time.Time) error
}

// Writer sends a result to its reader. The goroutine that produces the result calls Write, Full and
// Finish. After the first large piece, another goroutine (the sender) writes to the reader.
type Writer struct {
	to    io.Writer
	space *Space
	pause time.Duration
	query Query

	work chan struct{} // signals that there are bytes to send, or that the result has ended
	room chan struct{} // signals that a buffer is free, or that the reader has failed
	done chan struct{} // closed when the sender has ended; nil if it has not started

	mu      sync.Mutex // guards the following fields
	queue   [][]byte   // buffers to send, before the bytes in the file
	idle    []*buffer
	made    int       // number of buffers that were made
	taken   time.Time // when the reader last received a whole buffer
	file    *os.File  // the spool file; nil until the reader stalls for the first time
	sent    int64     // number of the file's bytes that were sent
	spooled int64     // number of bytes in the file; 0 if all of them were sent
	since   time.Time // when the oldest bytes in the file were written
	most    int64     // maximum size of the file
	ended   bool
	err     error // the error of writing to the reader
}

type buffer [160 << 10]byte

const (
	mostBuffers = 2
	largePiece  = 64 << 10
	smallPiece  = 4 << 10
)

// tick is how often Write checks whether it has to stop waiting for the reader.
const tick = 50 * time.Millisecond

var pool = sync.Pool{New: func() any { return new(buffer) }}

// NewWriter returns a writer that sends a result to the reader to. The result continues in a file
// if the reader receives nothing for the time pause, or for a tick while other queries wait for a
// slot. The caller must call Finish.
func NewWriter(to io.Writer, space *Space, pause time.Duration, query Query) *Writer {
	return &Writer{to: to, space: space, pause: pause, query: query, taken: time.Now(), work: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// Full waits until the query may compute more of its result, and then returns nil. If the result
// must end, it returns the reason: the error of Query.Yield, the error of the reader, or a Timeout.
// A Timeout means that too many bytes wait for this reader or for others, and that this reader has
// received nothing for two pauses.
func (w *Writer) Full() error {
	for {
		w.mu.Lock()
		err, spooled, most, since, idle := w.err, w.spooled, w.most, w.since, time.Since(w.taken)
		w.mu.Unlock()
		if err != nil || spooled == 0 {
			return err
		}
		if err := w.query.Yield(since); err != nil {
			return err
		}
		if spooled <= most && !w.space.full() {
			return nil
		}
		if idle >= 2*w.pause {
			return errFull(min(most, w.space.limit))
		}
		select {
		case <-w.room:
		case <-time.After(tick):
		}
	}
}

// Write accepts all bytes, even if the reader is slow. It returns an error if the reader has
// failed, if there is no space, or if the query must end but has not been told yet by Full. If
// possible, it then accepts none of the bytes. It always accepts a small piece, so that the result
// can end with an error message.
func (w *Writer) Write(p []byte) (int, error) {
	if len(p) > smallPiece && w.over() {
		return 0, errFull(w.space.limit)
	}
	for n := 0; n < len(p); {
		taken, err := w.put(p[n:])
		n += taken
		if err == nil && taken == 0 && !w.wait() {
			taken, err = w.putAside(p[n:], n == 0 && len(p) > smallPiece)
			n += taken
		}
		if err != nil {
			return n, err
		}
	}
	return len(p), nil
}

// over reports whether new bytes would go to the file, and the space for files is used up.
func (w *Writer) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spooled > 0 && w.space.over()
}

// put accepts as many bytes of p as fit into a buffer, or all of them if the result is in the file.
// It returns the number of bytes; 0 if no buffer is free.
func (w *Writer) put(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	if w.spooled > 0 {
		return w.spool(p)
	}
	// The last buffer of the queue is not being sent yet, so it can be filled.
	if last := len(w.queue) - 1; last >= 0 && len(w.queue[last]) < len(buffer{}) {
		n, full := len(w.queue[last]), w.queue[last][:len(buffer{})]
		more := copy(full[n:], p)
		w.queue[last] = full[:n+more]
		return more, nil
	}
	var buf *buffer
	if last := len(w.idle) - 1; last >= 0 {
		buf, w.idle = w.idle[last], w.idle[:last]
	} else if w.made < mostBuffers {
		buf = pool.Get().(*buffer)
		w.made++
	} else {
		return 0, nil
	}
	n := copy(buf[:], p)
	w.queue = append(w.queue, buf[:n])
	if w.done == nil && (len(w.queue) > 1 || n >= largePiece) {
		w.done = make(chan struct{})
		go w.send()
	}
	notify(w.work)
	return n, nil
}

// wait waits until a buffer may be free, and then returns true. It returns false if the result has
// to continue in the file, because the reader has stalled for too long.
func (w *Writer) wait() bool {
	ticks := time.NewTicker(min(tick, w.pause))
	defer ticks.Stop()
	for began := time.Now(); ; {
		select {
		case <-w.room:
			return true
		case <-ticks.C:
			if time.Since(began) >= w.pause || w.query.Wanted() {
				return false
			}
		}
	}
}

// putAside writes p to the file. From then on the result goes to the file, until the reader has
// received all of it. If the query must end (Query.Yield returns an error), the next call of Full
// returns the reason; if refuse is set, putAside returns it and writes nothing.
func (w *Writer) putAside(p []byte, refuse bool) (int, error) {
	now := time.Now()
	if err := w.query.Yield(now); err != nil && refuse {
		return 0, err
	}
	if w.file == nil {
		file, err := w.space.create()
		if err != nil {
			return 0, err
		}
		w.file = file
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since, w.most = now, w.space.most()
	return w.spool(p)
}

// spool appends bytes to the file. mu must be held.
func (w *Writer) spool(p []byte) (int, error) {
	n := int64(len(p))
	if err := w.space.take(n); err != nil {
		return 0, err
	}
	if _, err := w.file.WriteAt(p, w.spooled); err != nil {
		w.space.give(n)
		return 0, base.Errorf(base.StorageFull, "spool a result for a slow reader: %w", err)
	}
	w.spooled += n
	notify(w.work)
	return len(p), nil
}

// send sends bytes to the reader until the result ends or the reader fails. It is the sender's
// goroutine.
func (w *Writer) send() {
	defer close(w.done)
	for {
		piece, err := w.next()
		if piece == nil && err == nil {
			return
		}
		if err == nil {
			_, err = w.to.Write(piece)
		}
		w.recycle(piece)
		if err != nil {
			w.fail(err)
			return
		}
	}
}

// next waits until there is a piece to send, and returns it in a buffer. It returns nil after the
// last piece.
func (w *Writer) next() ([]byte, error) {
	for {
		w.mu.Lock()
		if len(w.queue) > 0 {
			piece := w.queue[0]
			w.queue = w.queue[1:]
			w.mu.Unlock()
			return piece, nil
		}
		spooled, ended := w.spooled, w.ended
		w.mu.Unlock()
		switch {
		case spooled > w.sent:
			return w.read(spooled)
		case ended:
			return nil, nil
		}
		<-w.work
	}
}

// read returns the next piece of the file in a buffer. spooled is the number of bytes in the file.
func (w *Writer) read(spooled int64) ([]byte, error) {
	buf := pool.Get().(*buffer)
	piece := buf[:min(int64(len(buf)), spooled-w.sent)]
	if _, err := w.file.ReadAt(piece, w.sent); err != nil {
		pool.Put(buf)
		return nil, base.Errorf(base.Internal, "read a spooled result: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	w.sent += int64(len(piece))
	if w.sent == w.spooled {
		return piece, w.empty()
	}
	return piece, nil
}

// empty gives back the space of the file, after all its bytes were sent. mu must be held.
func (w *Writer) empty() error {
	w.space.give(w.spooled)
	w.sent, w.spooled = 0, 0
	if err := w.file.Truncate(0); err != nil {
		return base.Errorf(base.Internal, "empty the file of a spooled result: %w", err)
	}
	return nil
}

// recycle makes the buffer of a piece free after the piece was sent.
func (w *Writer) recycle(piece []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken = time.Now()
	buf := (*buffer)(piece[:len(buffer{})])
	if w.made > mostBuffers {
		w.made--
		pool.Put(buf)
	} else {
		w.idle = append(w.idle, buf)
	}
	notify(w.room)
}

// fail records an error of writing to the reader.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	notify(w.room)
}

// Finish waits until the reader has received all bytes. If writing to the reader failed, it returns
// the error.
func (w *Writer) Finish() error {
	w.mu.Lock()
	w.ended = true
	if w.done == nil {
		w.done = make(chan struct{})
		w.mu.Unlock()
		w.send()
	} else {
		w.mu.Unlock()
		notify(w.work)
		<-w.done
	}
	for _, buf := range w.idle {
		pool.Put(buf)
	}
	if w.file == nil {
		return w.err
	}
	w.space.give(w.spooled)
	if err := w.file.Close(); err != nil && w.err == nil {
		return base.Errorf(base.Internal, "close the file of a spooled result: %w", err)
	}
	return w.err
}

// notify wakes the goroutine that waits on a channel of capacity 1, now or later.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
