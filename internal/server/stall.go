package server

import (
	"context"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// A statement may have a table to itself for as long as it takes, and requests for that table wait with
// their rows in memory. Together they hold at most a half of the gate, so that requests for other
// tables find room. Once they hold a quarter, requests for such a table wait before their bodies are read,
// with nothing in memory.
const (
	stalledShare = 2
	crowdedShare = 4
)

// stallPatience is how long a request waits, with its rows in memory, to be among those that may wait.
// Many statements have a table to themselves for a moment only.
const stallPatience = 250 * time.Millisecond

// stall counts n bytes of a request that begins to wait for a table, until over is called. It is Unavailable
// if those that wait hold as much as they may. A single request may hold more.
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

// crowded reports whether the requests that wait for tables hold so much memory that others for such
// tables are to wait with none.
func (g *gate) crowded() bool { return g.stalled.Load() >= g.limit/crowdedShare }

// untilFree waits, for as long as requests wait for memory, until no statement has a table to itself.
func (s *Server) untilFree(ctx context.Context, name engine.TableName) error {
	t, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	if err != nil {
		return nil // it is made, or refused, later on
	}
	limited, cancel := context.WithTimeout(ctx, s.gate.waiting)
	defer cancel()
	release, err := s.store.Share(limited, engine.AppendOptions{}, t.ID)
	switch {
	case err == nil:
		release()
	case ctx.Err() != nil:
		return base.Wrap(ctx.Err(), "wait for another statement")
	case limited.Err() != nil:
		return errStalled
	}
	return nil // another error is found again
}

// waits is engine.AppendOptions.Waits of the request.
func (b *body) waits(ctx context.Context) (over func(), err error) {
	held, _ := b.lacking(0)
	return b.gate.stall(ctx, held)
}
