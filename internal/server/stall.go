package server

import (
	"context"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// Limits for requests that wait for a locked table. A statement may hold the lock of a table for a
// long time, and requests for that table wait with their rows in memory. Together they hold at most
// 1/stalledShare of the gate's memory, so that there is memory for requests for other tables. Once
// they hold 1/crowdedShare of it, further requests for a locked table wait before their bodies are
// read, without memory.
const (
	stalledShare = 2
	crowdedShare = 4
)

// stallPatience is how long a request with rows in memory may wait until the other waiting requests
// hold less memory than 1/stalledShare. It is not zero, because many statements hold a table lock
// only for a moment.
const stallPatience = 250 * time.Millisecond

// stall counts n bytes of a request that begins to wait for a locked table, until over is called.
// It returns an Unavailable error if the waiting requests would hold more than 1/stalledShare of
// the gate's memory. n counts as that share at most, so a single large request may wait.
func (g *gate) stall(ctx context.Context, n int64) (over func(), err error) {
	n = min(n, g.limit/stalledShare)
	limited, cancel := context.WithTimeout(ctx, stallPatience)
	defer cancel()
	if g.stalls.Acquire(limited, n) != nil {
		if err := ctx.Err(); err != nil {
			return nil, base.Wrap(err, "wait for another statement")
		}
		return nil, errStalled
	}
	g.stalled.Add(n)
	return func() {
		g.stalled.Add(-n)
		g.stalls.Release(n)
	}, nil
}

var errStalled = base.Errorf(base.Unavailable, "another statement has the table to itself, and requests that wait for it hold as much memory as they may").
	WithHint("retry after a second")

// crowded reports whether the requests that wait for locked tables hold so much memory that further
// ones have to wait before their bodies are read.
func (g *gate) crowded() bool { return g.stalled.Load() >= g.limit/crowdedShare }

// untilFree waits until no statement holds the lock of a table. The maximum time is the same as for
// requests that wait for memory.
func (s *Server) untilFree(ctx context.Context, name engine.TableName) error {
	t, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	if err != nil {
		return nil // later the table will be created, or the request refused
	}
	limited, cancel := context.WithTimeout(ctx, s.gate.waiting)
	defer cancel()
	release, err := s.store.Share(limited, nil, t.ID)
	switch {
	case err == nil:
		release()
	case ctx.Err() != nil:
		return base.Wrap(ctx.Err(), "wait for another statement")
	case limited.Err() != nil:
		return errStalled
	}
	return nil // any other error will occur again later
}

// waits counts the memory of the request while it waits for a table lock. It is the engine.Waits of
// the request.
func (b *body) waits(ctx context.Context) (over func(), err error) {
	held, _ := b.lacking(0)
	return b.gate.stall(ctx, held)
}
