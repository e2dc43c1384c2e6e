package engine

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// budget counts the memory of memtables and of running requests. A request that needs more memory
// than is free waits in a queue, for a limited time. The memory of a memtable counts until the last
// query that reads it ends, because the budget bounds the memory that is really in use.
type budget struct {
	limit int64

	mu    sync.Mutex
	used  int64     // reserved bytes; guarded by mu
	queue []*waiter // requests that wait for memory, in the order in which they came; guarded by mu
	// gaveUp says that a request gave up waiting, and that no request got memory since then. It is
	// guarded by mu.
	gaveUp bool
}

type waiter struct {
	bytes int64
	ready chan struct{}
}

// tryReserve reserves the given number of bytes without waiting. It succeeds if that many bytes are
// free and no request waits for memory. The result named there reports whether it succeeded. If
// bytes is more than the whole budget, the error is TooLarge.
func (b *budget) tryReserve(bytes int64) (there bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tryReserveLocked(bytes)
}

func (b *budget) tryReserveLocked(bytes int64) (there bool, err error) {
	if bytes > b.limit {
		return false, base.Errorf(base.TooLarge, "a request of %d bytes: the memory for rows is %d bytes", bytes, b.limit).
			WithHint("send smaller requests, or raise the memory limit")
	}
	if len(b.queue) > 0 || b.used+bytes > b.limit {
		return false, nil
	}
	b.used += bytes
	b.gaveUp = false
	return true, nil
}

// reserve reserves bytes, and waits until they are free if necessary. It calls the function full
// once before it waits. giveUp returns a channel that limits the wait: if the channel receives a
// value before the bytes are free, the error is errMemory.
func (b *budget) reserve(ctx context.Context, bytes int64, giveUp func() <-chan time.Time, full func()) error {
	b.mu.Lock()
	if there, err := b.tryReserveLocked(bytes); there || err != nil {
		b.mu.Unlock()
		return err
	}
	w := &waiter{bytes, make(chan struct{})}
	b.queue = append(b.queue, w)
	b.mu.Unlock()
	full()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		err = base.Wrap(ctx.Err(), "wait for memory")
	case <-giveUp():
		err = errMemory
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.queue {
		if other == w {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			b.gaveUp = b.gaveUp || err == error(errMemory)
			// a smaller request that waited behind this one may get its memory now
			b.serveWaitersLocked()
			return err
		}
	}
	return nil // the memory was granted at the same moment as the wait ended
}

// forceReserve reserves bytes without waiting, even if the budget is then exceeded. It is for
// memory that is in use already, such as that of rows replayed from the log.
func (b *budget) forceReserve(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += bytes
}

func (b *budget) release(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	b.serveWaitersLocked()
}

func (b *budget) serveWaitersLocked() {
	for len(b.queue) > 0 && b.used+b.queue[0].bytes <= b.limit {
		b.used += b.queue[0].bytes
		b.gaveUp = false
		close(b.queue[0].ready)
		b.queue = b.queue[1:]
	}
}

// starved reports whether two things hold: the last request that needed memory gave up waiting, and
// more than half of the budget is still in use.
func (b *budget) starved() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gaveUp && b.used > b.limit/2
}

// hasWaiters reports whether a request waits for memory.
func (b *budget) hasWaiters() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) > 0
}

func (b *budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

var errMemory = base.Errorf(base.Unavailable, "no memory for more rows: they arrive faster than they can be written to disk").
	WithHint("retry after a second, or send slower")

func (e *Engine) reserve(ctx context.Context, bytes int64) error {
	err := e.budget.reserve(ctx, bytes,
		func() <-chan time.Time { return e.clock.After(e.settings.MaxWait) },
		func() {
			// Most of the memory may belong to the active generation (the log segment and memtables
			// that get new rows), which is not due for a flush yet. Wake the committer, so that it
			// freezes that generation. The generation is then flushed.
			if !e.settings.DisableAutomaticFlush {
				e.queue.signal()
			}
		})
	if err == error(errMemory) {
		if cause := e.flushFailure.Load(); cause != nil {
			return base.Wrap(cause, "no memory for more rows, because rows in memory cannot be written to disk")
		}
	}
	return err
}
