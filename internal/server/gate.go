package server

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/scoterdb/scoter/internal/base"
)

// gate counts the memory of requests under way: their bodies and the rows decoded from them.
// It is apart from the engine's budget for stored rows on purpose. A request that holds some of the
// one waits for the other, and what the engine holds is freed by flushes, whatever requests
// do: so nobody waits in a circle. The library is x/sync: it serves who came first.
type gate struct {
	limit   int64
	waiting time.Duration // the longest
	places  *semaphore.Weighted
	used    atomic.Int64
	failing func() error // why the engine cannot store rows, or nil
}

// gateWaiting is how long a request waits for memory; the engine's own patience.
const gateWaiting = 5 * time.Second

func newGate(limit int64, failing func() error) *gate {
	return &gate{limit: limit, waiting: gateWaiting, places: semaphore.NewWeighted(limit), failing: failing}
}

// take takes n bytes, no more than the limit. Errors: Unavailable if there are none in time, or what
// the engine's flushes fail with.
func (g *gate) take(ctx context.Context, n int64) error {
	if !g.places.TryAcquire(n) {
		limited, cancel := context.WithTimeout(ctx, g.waiting)
		defer cancel()
		if g.places.Acquire(limited, n) != nil {
			if err := ctx.Err(); err != nil {
				return base.Wrap(err, "wait for memory")
			}
			if cause := g.failing(); cause != nil {
				return base.Wrap(cause, "no memory for more requests, because rows cannot be written to disk")
			}
			return base.Errorf(base.Unavailable, "no memory for more requests: they arrive faster than they can be stored").
				WithHint("retry after a second, or send slower")
		}
	}
	g.used.Add(n)
	return nil
}

func (g *gate) give(n int64) {
	g.used.Add(-n)
	g.places.Release(n)
}
