package server

import (
	"context"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// Limits for requests that wait for a locked table. A statement may lock a table for a long time,
// and requests for that table wait with their rows in memory. Together they hold at most
// 1/tableWaitShare of the budget, so that there is memory for requests for other tables. Once they
// hold 1/fullShare of the budget, further requests for a locked table wait before their bodies are
// read, without memory.
const (
	tableWaitShare = 2
	fullShare      = 4
)

// tableWaitTimeout is how long a request with rows in memory waits if the requests that wait for
// locked tables already hold their whole share of the memory (1/tableWaitShare). If that has not
// changed in this time, the request is refused. The time is not zero, because many statements lock
// a table only for a moment.
const tableWaitTimeout = 250 * time.Millisecond

// beginTableWait counts n bytes of a request that begins to wait for a locked table, until the
// caller calls the returned function over. It returns an Unavailable error if the waiting requests
// together would hold more than 1/tableWaitShare of the budget. A request of more bytes than this
// share counts as exactly the share, so a single large request may wait.
func (g *budget) beginTableWait(ctx context.Context, n int64) (over func(), err error) {
	n = min(n, g.limit/tableWaitShare)
	limited, cancel := context.WithTimeout(ctx, tableWaitTimeout)
	defer cancel()
	if g.tableWaits.Acquire(limited, n) != nil {
		if err := ctx.Err(); err != nil {
			return nil, base.Wrap(err, "wait for another statement")
		}
		return nil, errTableWaits
	}
	g.waitingBytes.Add(n)
	return func() {
		g.waitingBytes.Add(-n)
		g.tableWaits.Release(n)
	}, nil
}

var errTableWaits = base.Errorf(base.Unavailable, "another statement has locked the table, and waiting requests have used up their memory").
	WithHint("retry after a second")

// tableWaitsFull reports whether the requests that wait for locked tables hold so much memory that
// further ones have to wait before their bodies are read.
func (g *budget) tableWaitsFull() bool { return g.waitingBytes.Load() >= g.limit/fullShare }

// awaitTable waits until no statement holds the lock of a table. The maximum time is the same as
// for requests that wait for memory.
func (s *Server) awaitTable(ctx context.Context, name engine.TableName) error {
	t, err := s.store.Lookup(name.Database, name.Schema, name.Name)
	if err != nil {
		return nil // the table does not exist; the caller creates it or refuses the request
	}
	limited, cancel := context.WithTimeout(ctx, s.budget.waiting)
	defer cancel()
	release, err := s.store.ShareTables(limited, nil, t.ID)
	switch {
	case err == nil:
		release()
	case ctx.Err() != nil:
		return base.Wrap(ctx.Err(), "wait for another statement")
	case limited.Err() != nil:
		return errTableWaits
	}
	return nil // any other error occurs again when the rows are stored
}

// beginTableWait counts the memory of the request while it waits for a table lock. The engine calls
// it before such a wait (engine.BeforeLockWait).
func (b *body) beginTableWait(ctx context.Context) (over func(), err error) {
	held, _ := b.missing(0)
	return b.budget.beginTableWait(ctx, held)
}
