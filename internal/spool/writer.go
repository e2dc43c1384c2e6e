package spool

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Query is what computes a result.
type Query interface {
	// Wanted reports whether other queries wait for its place.
	Wanted() bool
	// Yield lets another query have its place: the reader takes too little since that time. It
	// returns the reason if the result should end now.
	Yield(since time.Time) error
}

// Writer passes a result on to its reader. Write, Full and Finish are called by the goroutine that produces the
// result; another one writes to the reader, from the first large piece on.
type Writer struct {
	to    io.Writer
	space *Space
	pause time.Duration
	query Query

	work chan struct{} // there is something to send, or there will be nothing more
	room chan struct{} // there is a buffer, or the reader is gone
	done chan struct{} // the sender has ended; nil if it has not begun

	mu    sync.Mutex // guards the rest
	queue [][]byte   // to send first
	idle  []*buffer
	made  int       // buffers
	taken time.Time // when the reader had a whole buffer last
	file  *os.File  // nil until the reader stalls first
	sent  int64     // of the file
	kept  int64     // in the file; 0 if nothing of it is left to send
	since time.Time // when the first of it was kept
	most  int64     // that the file should have
	ended bool
	err   error // of the reader
}

type buffer [160 << 10]byte

const (
	mostBuffers = 2
	largePiece  = 64 << 10
	smallPiece  = 4 << 10
)

// tick is the time between two looks at a reader that is waited for.
const tick = 50 * time.Millisecond

var pool = sync.Pool{New: func() any { return new(buffer) }}

// NewWriter returns a writer to a reader, who may take nothing for a pause, or for a tick while
// other queries want the place of this one. Finish must be called.
func NewWriter(to io.Writer, space *Space, pause time.Duration, query Query) *Writer {
	return &Writer{to: to, space: space, pause: pause, query: query, taken: time.Now(), work: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// Full returns nil once more of the result may be computed, or the reason why it should end: a
// Timeout error if too much of it waits for the reader, or for others' readers, and this one has
// taken nothing for two pauses; or what the query says.
func (w *Writer) Full() error {
	for {
		w.mu.Lock()
		err, kept, most, since, idle := w.err, w.kept, w.most, w.since, time.Since(w.taken)
		w.mu.Unlock()
		if err != nil || kept == 0 {
			return err
		}
		if err := w.query.Yield(since); err != nil {
			return err
		}
		if kept <= most && !w.space.full() {
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

// Write takes all bytes, whether the reader has them or not. It fails if the reader is gone, if
// there is no space, or if the query must end and does not yet know it. Where it can, it refuses a
// piece as a whole, and never a small one, so that the result can say why it ends.
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

// over reports whether what is written would go to a file for which there is no space.
func (w *Writer) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.kept > 0 && w.space.over()
}

// put takes some of the bytes, or none if no buffer is free.
func (w *Writer) put(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	if w.kept > 0 {
		return w.keep(p)
	}
	if last := len(w.queue) - 1; last >= 0 && len(w.queue[last]) < len(buffer{}) { // it is not being sent yet
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

// wait waits for a buffer, and reports whether one may be free before the reader was waited for
// long enough.
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

// putAside takes the bytes into the file, and those that follow, until the reader has them. If the
// query must end, it takes them all the same unless they may be refused: Full, which is asked for
// the next of them, gives the reason then.
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
	return w.keep(p)
}

// keep writes bytes to the file. mu is held.
func (w *Writer) keep(p []byte) (int, error) {
	n := int64(len(p))
	if err := w.space.take(n); err != nil {
		return 0, err
	}
	if _, err := w.file.WriteAt(p, w.kept); err != nil {
		w.space.give(n)
		return 0, base.Errorf(base.StorageFull, "keep a result for a slow reader: %w", err)
	}
	w.kept += n
	notify(w.work)
	return len(p), nil
}

// send writes to the reader until there is no more or the reader is gone.
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

// next waits for what is to be sent, in a buffer. It returns nil at the end.
func (w *Writer) next() ([]byte, error) {
	for {
		w.mu.Lock()
		if len(w.queue) > 0 {
			piece := w.queue[0]
			w.queue = w.queue[1:]
			w.mu.Unlock()
			return piece, nil
		}
		kept, ended := w.kept, w.ended
		w.mu.Unlock()
		switch {
		case kept > w.sent:
			return w.read(kept)
		case ended:
			return nil, nil
		}
		<-w.work
	}
}

// read reads bytes of the file, of which there are so many.
func (w *Writer) read(kept int64) ([]byte, error) {
	buf := pool.Get().(*buffer)
	piece := buf[:min(int64(len(buf)), kept-w.sent)]
	if _, err := w.file.ReadAt(piece, w.sent); err != nil {
		pool.Put(buf)
		return nil, base.Errorf(base.Internal, "read a result that was kept for a slow reader: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	w.sent += int64(len(piece))
	if w.sent == w.kept {
		return piece, w.empty()
	}
	return piece, nil
}

// empty gives back the space of the file. mu is held.
func (w *Writer) empty() error {
	w.space.give(w.kept)
	w.sent, w.kept = 0, 0
	if err := w.file.Truncate(0); err != nil {
		return base.Errorf(base.Internal, "empty a file of a slow reader: %w", err)
	}
	return nil
}

// recycle takes a buffer that was sent.
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

// fail notes that the reader is gone.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	notify(w.room)
}

// Finish waits until the reader has everything, or is gone: then it returns the error.
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
	w.space.give(w.kept)
	if err := w.file.Close(); err != nil && w.err == nil {
		return base.Errorf(base.Internal, "close a file of a slow reader: %w", err)
	}
	return w.err
}

// notify wakes who waits, or will wait, on a channel of one place.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
