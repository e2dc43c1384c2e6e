package spool

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Query computes a result.
type Query interface {
	// Wanted reports whether other queries wait for the slot of this one.
	Wanted() bool
	// Yield gives up the slot of the query, because the reader has been too slow since that time.
	// It returns the reason if the result must end now.
	Yield(since time.Time) error
}

// Writer sends a result to its reader. The goroutine that produces the result calls Write, Full and
// Finish. From the first large piece on, another goroutine writes to the reader.
type Writer struct {
	to    io.Writer
	space *Space
	pause time.Duration
	query Query

	work chan struct{} // signals that there are bytes to send or that the result has ended
	room chan struct{} // signals that a buffer is free or that the reader is gone
	done chan struct{} // closed when the sender has ended; nil before the sender has started

	mu      sync.Mutex // guards the rest
	queue   [][]byte   // to send before the file
	idle    []*buffer
	made    int       // number of buffers
	taken   time.Time // when the reader last took a whole buffer
	file    *os.File  // nil until the reader stalls for the first time
	sent    int64     // bytes of the file that were sent
	spooled int64     // bytes in the file; 0 if all of them were sent
	since   time.Time // when the oldest bytes in the file were written
	most    int64     // maximum size of the file
	ended   bool
	err     error // of the reader
}

type buffer [160 << 10]byte

const (
	mostBuffers = 2
	largePiece  = 64 << 10
	smallPiece  = 4 << 10
)

// tick is the interval at which a stalled reader is checked.
const tick = 50 * time.Millisecond

var pool = sync.Pool{New: func() any { return new(buffer) }}

// NewWriter returns a writer to a reader. The result moves to a file if the reader takes nothing
// for the duration pause, or for a tick while other queries wait for a slot. The caller must call
// Finish.
func NewWriter(to io.Writer, space *Space, pause time.Duration, query Query) *Writer {
	return &Writer{to: to, space: space, pause: pause, query: query, taken: time.Now(), work: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// Full waits until more of the result may be computed, and then returns nil. Otherwise it returns
// the reason for which the result must end: the error of Query.Yield, the error of the reader, or a
// Timeout. It is a Timeout if too many bytes wait for this reader or for others, and this reader
// has taken nothing for two pauses.
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

// Write accepts all bytes, whether or not the reader has taken them. It fails if the reader is
// gone, if there is no space, or if the query must end and does not know it yet. Where possible, it
// refuses a piece as a whole. It never refuses a small piece, so that the result can say why it
// ends.
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

// over reports whether new bytes would go to a file for which there is no space.
func (w *Writer) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spooled > 0 && w.space.over()
}

// put takes some of the bytes, or none if no buffer is free.
func (w *Writer) put(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	if w.spooled > 0 {
		return w.spool(p)
	}
	// The last buffer of the queue is not being sent yet, so it can be filled up.
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

// wait waits for a buffer. It returns false if the reader has stalled for too long, and true if a
// buffer may be free.
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

// putAside switches the result to the file, until the reader has taken all bytes, and writes p to
// it. If the query must end, it still accepts the bytes unless refuse is set. The next call of Full
// then returns the reason.
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

// send writes to the reader until the result ends or the reader is gone.
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

// next waits for the next piece to send and returns it in a buffer. It returns nil at the end.
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

// read reads the next piece of the file, which has spooled bytes.
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

// empty frees the space of the file. mu must be held.
func (w *Writer) empty() error {
	w.space.give(w.spooled)
	w.sent, w.spooled = 0, 0
	if err := w.file.Truncate(0); err != nil {
		return base.Errorf(base.Internal, "empty the file of a spooled result: %w", err)
	}
	return nil
}

// recycle takes back the buffer of a piece that was sent.
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

// fail records that the reader is gone.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	notify(w.room)
}

// Finish waits until the reader has taken all bytes. If the reader is gone, it returns the error.
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

// notify wakes the goroutine that waits, or is going to wait, on a channel of capacity 1.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
