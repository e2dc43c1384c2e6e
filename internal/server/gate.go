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

// gate limits the memory of running requests: their bodies and the rows decoded from them.
//
// It is separate from the engine's budget for stored rows. A request that holds memory of the gate
// may wait for the engine's memory. The engine's memory is freed by flushes, which do not depend on
// requests, so there is no deadlock between the two.
//
// Requests that hold no memory wait in a queue, first come, first served. A request that holds
// memory and needs more is served before them, since it releases its memory when it is done. It is
// refused at once if it could deadlock: if the waiting requests that hold memory could not all be
// served, one after the other, from the memory that they and all other requests release.
type gate struct {
	limit   int64
	waiting time.Duration // maximum time that a request waits for memory
	failing func() error  // returns the reason why the engine cannot store rows, or nil
	used    atomic.Int64  // bytes that requests hold; changed only under mu

	// stalls and stalled count the memory of requests that wait for a locked table. See stall.
	stalls  *semaphore.Weighted
	stalled atomic.Int64 // in bytes

	mu        sync.Mutex
	holders   []*waiter // requests that hold memory and wait for more
	newcomers []*waiter // waiting requests that hold no memory
}

// waiter is a request that waits for memory.
type waiter struct {
	held, wanted int64
	served       chan struct{} // closed when the request has its memory
}

// gateWaiting is the maximum time that a request waits for memory. It is the same as the engine's.
const gateWaiting = 5 * time.Second

func newGate(limit int64, failing func() error) *gate {
	return &gate{limit: limit, waiting: gateWaiting, failing: failing, stalls: semaphore.NewWeighted(limit / stalledShare)}
}

// most returns the maximum memory that one request may reserve. The rest of the limit is left for
// small requests. Without it, a single large request could keep them from starting.
func (g *gate) most() int64 { return g.limit - g.limit/8 }

// try takes n bytes for a request that already holds memory of the gate. It returns false if n
// bytes are not free.
func (g *gate) try(n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.serve(n)
}

// take takes n bytes for a request that already holds held bytes of the gate. held and n together
// must not exceed the limit. take returns an Unavailable error if the memory is not free in time,
// or if waiting could be a deadlock (see circle). If the engine's flushes fail, it returns their
// error.
func (g *gate) take(ctx context.Context, held, n int64) error {
	w := g.enter(held, n)
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
		if g.leave(w) {
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

// enter takes n bytes and returns nil if they are free. Otherwise it puts the request in the queue
// and returns it as a waiter. If waiting could be a deadlock, it returns a waiter whose channel
// served is nil, which is not in the queue.
func (g *gate) enter(held, n int64) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if (held > 0 || len(g.holders)+len(g.newcomers) == 0) && g.serve(n) {
		return nil
	}
	w := &waiter{held: held, wanted: n}
	if held == 0 {
		g.newcomers = append(g.newcomers, w)
	} else if g.circle(w) {
		return w
	} else {
		g.holders = append(g.holders, w)
	}
	w.served = make(chan struct{})
	return w
}

// circle reports whether a request that holds memory would deadlock with the waiting requests that
// hold memory. That is so if at some point none of them could be served before another one releases
// its memory. The caller holds mu.
func (g *gate) circle(w *waiter) bool {
	all := append(slices.Clone(g.holders), w)
	slices.SortFunc(all, func(a, b *waiter) int { return cmp.Compare(a.wanted, b.wanted) })
	free := g.limit
	for _, w := range all {
		free -= w.held
	}
	for _, w := range all {
		if w.wanted > free {
			return true
		}
		free += w.held
	}
	return false
}

// leave removes a request from the queue. It returns true if the request got its memory before.
func (g *gate) leave(w *waiter) (served bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.served:
		return true
	default:
	}
	is := func(other *waiter) bool { return other == w }
	g.holders, g.newcomers = slices.DeleteFunc(g.holders, is), slices.DeleteFunc(g.newcomers, is)
	g.wake()
	return false
}

// give returns n bytes to the gate, and serves waiting requests.
func (g *gate) give(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used.Add(-n)
	g.wake()
}

// wake serves waiting requests. First come all requests that already hold memory, if there is
// enough for them. Then, if none of these is still waiting, come requests that hold no memory, in
// their order. The caller holds mu.
func (g *gate) wake() {
	g.holders = slices.DeleteFunc(g.holders, g.end)
	for len(g.holders) == 0 && len(g.newcomers) > 0 && g.end(g.newcomers[0]) {
		g.newcomers = g.newcomers[1:]
	}
}

// end takes the memory of a waiting request, if it is free, and notifies the request. The caller
// holds mu.
func (g *gate) end(w *waiter) bool {
	if !g.serve(w.wanted) {
		return false
	}
	close(w.served)
	return true
}

// serve takes n bytes if they are free. The caller holds mu.
func (g *gate) serve(n int64) bool {
	if g.used.Load()+n > g.limit {
		return false
	}
	g.used.Add(n)
	return true
}
