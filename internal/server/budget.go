package server

import (
	"context"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ledger"
)

// budget is the memory of running requests: an account, and the time for which requests wait for
// memory. A request that holds memory of the account may wait for memory of the engine's account
// for rows. That memory is freed by flushes, which do not depend on requests, so there is no
// deadlock between the two accounts.
type budget struct {
	memory *ledger.Account
	// locked is the part of memory that requests hold while they wait for a locked table. It is nil
	// for a budget whose requests wait for no tables.
	locked  *ledger.Account
	waiting time.Duration // maximum time that a request waits for memory
	failing func() error  // returns the reason why the engine cannot store rows, or nil
}

// budgetWait is the maximum time that a request waits for memory of this budget. Requests wait for
// the engine's memory for the same time.
const budgetWait = 5 * time.Second

// maxPerRequest returns the maximum memory that one request may reserve. The rest of the limit is
// left for small requests, so that a single large request cannot keep them from starting.
func (g *budget) maxPerRequest() int64 { return g.memory.Limit() - g.memory.Limit()/8 }

// reserve reserves n bytes for a request, and waits until they are free. The argument held is the
// number of bytes that the request already holds. reserve returns an Unavailable error if the
// memory is not free in time, or if waiting could be a deadlock (see ledger.Account.Grow). If the
// engine's flushes fail, it returns their error.
func (g *budget) reserve(ctx context.Context, held, n int64) error {
	err := g.memory.Grow(ctx, held, n, ledger.Wait{Most: g.waiting})
	if err != error(ledger.ErrBusy) {
		return err
	}
	if cause := g.failing(); cause != nil {
		return base.Wrap(cause, "no memory for more requests, because rows cannot be written to disk")
	}
	return base.Errorf(base.Unavailable, "no memory for more requests: they arrive faster than they can be stored").
		WithHint("retry after a second, or send slower")
}
