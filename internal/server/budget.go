package server

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/scoterdb/scoter/internal/base"
)

// budget limits the memory of running requests: their bodies and the rows decoded from them.
//
// This budget is separate from the engine's budget for stored rows. A request that holds memory of
// this budget may wait for the engine's memory. The engine's memory is freed by flushes, which do
// not depend on requests, so there is no deadlock between the two budgets.
//
// Requests that hold no memory wait in a queue, first come, first served. Requests that hold memory
// and need more are served before them, since they release their memory when they are done. A
// request that holds memory is refused without waiting if waiting could be a deadlock. That is the
// case if the waiting requests that hold memory could not all be served one after the other, each
// from the memory that the requests before it release.
type budget struct {
	limit   int64
	waiting time.Duration // maximum time that a request waits for memory
	failing func() error  // returns the reason why the engine cannot store rows, or nil
	used    atomic.Int64  // bytes that requests hold; changed only under mu

	// tableWaits and waitingBytes count the memory of requests that wait for a locked table. See
	// the method beginTableWait.
	tableWaits   *semaphore.Weighted
	waitingBytes atomic.Int64 // bytes that requests hold while they wait for a locked table

	mu          sync.Mutex
	holders     []*waiter // requests that hold memory and wait for more
	newRequests []*waiter // waiting requests that hold no memory
}

// waiter is a request that waits for memory.
type waiter struct {
	held, bytes int64
	served      chan struct{} // closed when the request gets its memory
}

// budgetWait is the maximum time that a request waits for memory of this budget. Requests wait for
// the engine's memory for the same time.
const budgetWait = 5 * time.Second

func newBudget(limit int64, failing func() error) *budget {
	return &budget{limit: limit, waiting: budgetWait, failing: failing, tableWaits: semaphore.NewWeighted(limit / tableWaitShare)}
}

// maxPerRequest returns the maximum memory that one request may reserve. The rest of the limit is
// left for small requests, so that a single large request cannot keep them from starting.
func (g *budget) maxPerRequest() int64 { return g.limit - g.limit/8 }

// tryReserve takes n bytes for a request that already holds memory of the budget, without waiting.
// It returns false if n bytes are not free.
func (g *budget) tryReserve(n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tryTake(n)
}

// reserve takes n bytes of the budget for a request, and waits until they are free. The argument
// held is the number of bytes that the request already holds. The sum of the two must not exceed
// the limit. reserve returns an Unavailable error if the memory is not free in time, or if waiting
// could be a deadlock (see wouldDeadlock). If the engine's flushes fail, it returns their error.
func (g *budget) reserve(ctx context.Context, held, n int64) error {
	w := g.enqueue(held, n)
	if w == nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, g.waiting)
	defer cancel()
	if w.served != nil {
		select {
		case <-w.served:
			return nil
		case <-limited.Done():
		}
		if g.dequeue(w) {
			return nil
		}
	}
	if err := ctx.Err(); err != nil {
		return base.Wrap(err, "wait for memory")
	}
	if cause := g.failing(); cause != nil {
		return base.Wrap(cause, "no memory for more requests, because rows cannot be written to disk")
	}
	return base.Errorf(base.Unavailable, "no memory for more requests: they arrive faster than they can be stored").
		WithHint("retry after a second, or send slower")
}

// enqueue takes n bytes for a request, and returns nil if they are free. The argument held is the
// number of bytes that the request already holds. If the n bytes are not free, enqueue puts the
// request into the queue and returns it as a waiter. If waiting could be a deadlock, it does not
// put the request into the queue, and returns a waiter whose channel served is nil.
func (g *budget) enqueue(held, n int64) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if (held > 0 || len(g.holders)+len(g.newRequests) == 0) && g.tryTake(n) {
		return nil
	}
	w := &waiter{held: held, bytes: n}
	if held == 0 {
		g.newRequests = append(g.newRequests, w)
	} else if g.wouldDeadlock(w) {
		return w
	} else {
		g.holders = append(g.holders, w)
	}
	w.served = make(chan struct{})
	return w
}

// wouldDeadlock reports whether a request that holds memory could be in a deadlock with the waiting
// requests that hold memory. They are in a deadlock if at some point none of them can be served
// before another one releases its memory. The caller holds mu.
func (g *budget) wouldDeadlock(w *waiter) bool {
	all := append(slices.Clone(g.holders), w)
	slices.SortFunc(all, func(a, b *waiter) int { return cmp.Compare(a.bytes, b.bytes) })
	free := g.limit
	for _, w := range all {
		free -= w.held
	}
	for _, w := range all {
		if w.bytes > free {
			return true
		}
		free += w.held
	}
	return false
}

// dequeue removes a request from the queue. It returns true if the request has got its memory
// already.
func (g *budget) dequeue(w *waiter) (served bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.served:
		return true
	default:
	}
	is := func(other *waiter) bool { return other == w }
	g.holders, g.newRequests = slices.DeleteFunc(g.holders, is), slices.DeleteFunc(g.newRequests, is)
	g.serveWaiting()
	return false
}

// release returns n bytes to the budget, and serves waiting requests.
func (g *budget) release(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used.Add(-n)
	g.serveWaiting()
}

// serveWaiting serves waiting requests while there is enough memory. It first serves requests that
// already hold memory. When no such request waits, it serves requests that hold no memory, in the
// order in which they came. The caller holds mu.
func (g *budget) serveWaiting() {
	g.holders = slices.DeleteFunc(g.holders, g.serve)
	for len(g.holders) == 0 && len(g.newRequests) > 0 && g.serve(g.newRequests[0]) {
		g.newRequests = g.newRequests[1:]
	}
}

// serve takes the memory that a waiting request wants and notifies the request. It returns false if
// that memory is not free. The caller holds mu.
func (g *budget) serve(w *waiter) bool {
	if !g.tryTake(w.bytes) {
		return false
	}
	close(w.served)
	return true
}

// tryTake takes n bytes of the budget. It returns false if they are not free. The caller holds mu.
func (g *budget) tryTake(n int64) bool {
	if g.used.Load()+n > g.limit {
		return false
	}
	g.used.Add(n)
	return true
}
