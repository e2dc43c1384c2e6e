package server

import (
	"context"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/ledger"
)

// Limits for requests that wait for a locked table. A statement may lock a table for a long time,
// and requests for that table wait with their rows in memory. The account ledger.Locked limits what
// they hold together, so that there is memory for requests for other tables. Once they hold half of
// that, further requests for a locked table wait before their bodies are read, without memory.

// tableWaitTimeout is how long a request with rows in memory waits if the requests that wait for
// locked tables already hold their whole share of the memory. If that has not changed in this time,
// the request is refused. The time is not zero, because many statements lock a table only for a
// moment.
const tableWaitTimeout = 250 * time.Millisecond

// beginTableWait counts n bytes of a request that begins to wait for a locked table, until the
// caller calls the returned function over. It returns an Unavailable error if the waiting requests
// together would hold more than their share of the memory. A request of more bytes than this share
// counts as exactly the share, so a single large request may wait.
func (g *budget) beginTableWait(ctx context.Context, n int64) (over func(), err error) {
	n = min(n, g.locked.Limit())
	switch err := g.memory.Transfer(ctx, n, g.locked, ledger.Wait{Most: tableWaitTimeout}); {
	case err == error(ledger.ErrBusy):
		return nil, errTableWaits
	case err != nil:
		return nil, base.Wrap(err, "wait for another statement")
	}
	return func() { g.locked.Move(n, g.memory) }, nil
}

var errTableWaits = base.Errorf(base.Unavailable, "another statement has locked the table, and waiting requests have used up their memory").
	WithHint("retry after a second")

// tableWaitsFull reports whether the requests that wait for locked tables hold so much memory that
// further ones have to wait before their bodies are read.
func (g *budget) tableWaitsFull() bool { return g.locked.Used() >= g.locked.Limit()/2 }

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
