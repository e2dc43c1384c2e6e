package engine

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// budget counts the memory of memtables and of running requests. A request that needs more than is
// free waits in a queue, for a limited time. The memory of a memtable counts until the last query
// that reads it ends, because the budget bounds the memory that is really in use.
type budget struct {
	limit int64

	mu    sync.Mutex
	used  int64     // guarded by mu
	queue []*waiter // guarded by mu; in order of arrival
	late  bool      // guarded by mu: a request gave up waiting, and no request got memory since
}

type waiter struct {
	bytes int64
	ready chan struct{}
}

// take reserves bytes if they are free and no request waits. It does not wait. there reports
// whether it reserved them. If bytes exceed the whole budget, the error is TooLarge.
func (b *budget) take(bytes int64) (there bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.takeLocked(bytes)
}

func (b *budget) takeLocked(bytes int64) (there bool, err error) {
	if bytes > b.limit {
		return false, base.Errorf(base.TooLarge, "a request of %d bytes: the memory for rows is %d bytes", bytes, b.limit).
			WithHint("send smaller requests, or raise the memory limit")
	}
	if len(b.queue) > 0 || b.used+bytes > b.limit {
		return false, nil
	}
	b.used += bytes
	b.late = false
	return true, nil
}

// acquire reserves bytes, and waits for them if necessary. It calls full once before it waits. If
// the channel that giveUp returns receives a value first, the error is errMemory.
func (b *budget) acquire(ctx context.Context, bytes int64, giveUp func() <-chan time.Time, full func()) error {
	b.mu.Lock()
	if there, err := b.takeLocked(bytes); there || err != nil {
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
			b.late = b.late || err == error(errMemory)
			b.admitLocked() // a smaller request that waited behind this one may fit now
			return err
		}
	}
	return nil // the memory was granted at the same moment
}

// force reserves bytes without waiting, even if they exceed the limit. It is for memory that is in
// use already, such as that of replayed rows.
func (b *budget) force(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += bytes
}

func (b *budget) release(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	b.admitLocked()
}

func (b *budget) admitLocked() {
	for len(b.queue) > 0 && b.used+b.queue[0].bytes <= b.limit {
		b.used += b.queue[0].bytes
		b.late = false
		close(b.queue[0].ready)
		b.queue = b.queue[1:]
	}
}

// starved reports whether the last request that needed memory gave up waiting, and more than half
// of the budget is still in use.
func (b *budget) starved() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.late && b.used > b.limit/2
}

// waiting reports whether a request waits for memory.
func (b *budget) waiting() bool {
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

func (e *Engine) acquire(ctx context.Context, bytes int64) error {
	err := e.budget.acquire(ctx, bytes,
		func() <-chan time.Time { return e.clock.After(e.settings.MaxWait) },
		func() {
			// Most of the memory may be held by the active generation, which is not due for a flush
			// yet. The signal makes the committer freeze it.
			if !e.settings.DisableAutomaticFlush {
				e.queue.signal()
			}
		})
	if err == error(errMemory) {
		if cause := e.flushFailure.Load(); cause != nil {
			return base.Wrap(cause, "no memory for more rows, because those there are cannot be written to disk")
		}
	}
	return err
}
