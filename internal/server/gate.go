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

// gate counts the memory of requests under way: their bodies and the rows decoded from them.
// It is separate from the engine's budget for stored rows. A request that holds memory of the gate
// may wait for the engine's, and what the engine holds is freed by flushes, whatever requests do:
// so no circle goes through both.
//
// A request that holds nothing waits in line, first come, first served. A request that holds memory
// and needs more goes before those, since it gives memory back once it is done. It is refused at
// once if it would wait in a circle: if the requests that hold memory and wait could not all be
// served, one after the other, with the memory that everybody else holds.
type gate struct {
	limit   int64
	waiting time.Duration // the longest
	failing func() error  // why the engine cannot store rows, or nil
	used    atomic.Int64  // changed under mu

	// Of requests that wait for tables: see stall.
	stalls  *semaphore.Weighted
	stalled atomic.Int64 // bytes

	mu        sync.Mutex
	holders   []*waiter // hold memory and wait for more
	newcomers []*waiter // hold none
}

// waiter is a request that waits.
type waiter struct {
	held, wanted int64
	served       chan struct{} // closed when it has what it wanted
}

// gateWaiting is how long a request waits for memory; the engine's own patience.
const gateWaiting = 5 * time.Second

func newGate(limit int64, failing func() error) *gate {
	return &gate{limit: limit, waiting: gateWaiting, failing: failing, stalls: semaphore.NewWeighted(limit / stalledShare)}
}

// most is what one request is counted with at most. The rest is for those that hold a little while they
// wait: beside a request that needs everything they could not.
func (g *gate) most() int64 { return g.limit - g.limit/8 }

// try takes n bytes for a request that holds memory already, if they are free.
func (g *gate) try(n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.serve(n)
}

// take takes n bytes for a request that holds some bytes of the gate already, or 0: no more than
// the limit together. Errors: Unavailable if they are not free in time or the request would wait in a
// circle; or what the engine's flushes fail with.
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

// enter takes n bytes and returns nil, or puts the request in line. If it may not wait, served of
// what is returned is nil.
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

// circle reports whether a holder cannot wait beside those who wait, since none of them would be
// served before another one gives back what it holds. mu is held.
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

// leave takes a request out of the line, and reports whether it was served before that.
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

// give gives back n bytes.
func (g *gate) give(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used.Add(-n)
	g.wake()
}

// wake serves those who wait and can be served: every such holder, or else the first newcomers.
// mu is held.
func (g *gate) wake() {
	g.holders = slices.DeleteFunc(g.holders, g.end)
	for len(g.holders) == 0 && len(g.newcomers) > 0 && g.end(g.newcomers[0]) {
		g.newcomers = g.newcomers[1:]
	}
}

// end serves a request that waits, if it can be. mu is held.
func (g *gate) end(w *waiter) bool {
	if !g.serve(w.wanted) {
		return false
	}
	close(w.served)
	return true
}

// serve takes n bytes, if they are free. mu is held.
func (g *gate) serve(n int64) bool {
	if g.used.Load()+n > g.limit {
		return false
	}
	g.used.Add(n)
	return true
}
