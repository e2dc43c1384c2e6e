package spool

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Query is the query that computes a result.
type Query interface {
	// OthersWaiting reports whether other queries wait for the slot of this query (the right to
	// run).
	OthersWaiting() bool
	// Yield gives up the slot of the query (its right to run), because the reader of the result has
	// been too slow since the given time. If the query must end now, Yield returns the reason.
	Yield(since time.Time) error
}

// Writer sends a result to its reader. The goroutine that produces the result calls Write, Full and
// Finish. After the first Write of many bytes, a second goroutine, the sender, writes to the
// reader.
type Writer struct {
	to    io.Writer
	space *Space
	pause time.Duration
	query Query

	work chan struct{} // wakes the sender: there are bytes to send, or the result has ended
	// room wakes the producer of the result: a buffer is free, or writing to the reader has failed.
	room chan struct{}
	done chan struct{} // closed when the sender goroutine has ended; nil if it was not started

	mu    sync.Mutex // guards the fields from queue to err
	queue [][]byte   // buffers that wait to be sent; they are sent before the bytes in the file
	idle  []*buffer
	made  int       // number of buffers that were allocated
	taken time.Time // when the reader last received a whole buffer
	// file has the rest of the result. It is nil until the reader is too slow for the first time.
	file    *os.File
	sent    int64     // number of bytes of the file that were sent to the reader
	spooled int64     // number of bytes in the file; back to 0 after all of them were sent
	since   time.Time // when the oldest bytes in the file were written to it
	most    int64     // maximum size of the file in bytes
	ended   bool
	err     error // error of writing to the reader, or nil
}

type buffer [160 << 10]byte

const (
	mostBuffers = 2
	largePiece  = 64 << 10
	smallPiece  = 4 << 10
)

// tick is the interval at which Write, while it waits for the reader, checks whether to stop
// waiting.
const tick = 50 * time.Millisecond

var pool = sync.Pool{New: func() any { return new(buffer) }}

// NewWriter returns a Writer that sends a result to a reader. It writes the result to the io.Writer
// in the argument to. The result continues in a file in two cases: the reader has received nothing
// for the duration pause, or it has received nothing for a tick (50 ms) while other queries wait
// for their turn to run. The caller must call Finish.
func NewWriter(to io.Writer, space *Space, pause time.Duration, query Query) *Writer {
	return &Writer{to: to, space: space, pause: pause, query: query, taken: time.Now(), work: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// Full waits until the query may compute more of its result, and then returns nil. If the result
// must end, it returns the reason: the error of Query.Yield, the error of the reader, or a Timeout.
// A Timeout occurs if too many bytes wait for this reader or for others, and this reader has
// received nothing for twice the duration pause.
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

// Write accepts all bytes, even if the reader is slow. It returns an error if writing to the reader
// has failed, if there is no space, or if the query must end and Full has not reported that yet. In
// case of an error it accepts none of the bytes, if possible. A small number of bytes is always
// accepted, so that the result can end with an error message.
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

// over reports whether new bytes would have to go to the file although the space for files is used
// up.
func (w *Writer) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spooled > 0 && w.space.over()
}

// put accepts as many bytes of p as fit into a buffer. If the result continues in the file, it
// writes all of them to the file. It returns the number of accepted bytes, or 0 if no buffer is
// free.
func (w *Writer) put(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	if w.spooled > 0 {
		return w.spool(p)
	}
	// The sender is not sending the last buffer of the queue yet, so more bytes can be added to it.
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

// wait waits until a buffer may be free, and then returns true. It returns false if the reader has
// been too slow for too long, so that the result has to continue in the file.
func (w *Writer) wait() bool {
	ticks := time.NewTicker(min(tick, w.pause))
	defer ticks.Stop()
	for began := time.Now(); ; {
		select {
		case <-w.room:
			return true
		case <-ticks.C:
			if time.Since(began) >= w.pause || w.query.OthersWaiting() {
				return false
			}
		}
	}
}

// putAside writes p to the file. From then on the rest of the result goes to the file, until the
// reader has received all bytes of the file. If the query must end (Query.Yield returns an error),
// the argument refuse decides what happens. If refuse is true, putAside writes nothing and returns
// the error. If it is false, putAside writes p, and the next call of Full returns the error.
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

// spool appends the bytes p to the file. The caller holds mu.
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

// send is the body of the sender goroutine. It sends bytes to the reader until the result ends or
// writing to the reader fails.
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

// next waits until there are bytes to send, and returns them in a buffer. It returns nil after the
// end of the result.
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

// read returns the file's next unsent bytes, in a buffer. The argument spooled is the number of
// bytes in the file.
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

// empty is called when all bytes of the file were sent. It gives the file's space back for new
// bytes. The caller holds mu.
func (w *Writer) empty() error {
	w.space.give(w.spooled)
	w.sent, w.spooled = 0, 0
	if err := w.file.Truncate(0); err != nil {
		return base.Errorf(base.Internal, "empty the file of a spooled result: %w", err)
	}
	return nil
}

// recycle frees a buffer for new bytes. The argument piece is the buffer's content, which was sent.
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

// notify sends a signal on a channel of capacity 1. It wakes a goroutine that waits on the channel
// now, or the next one that will.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
