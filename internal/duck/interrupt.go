package duck

/*
#include <duckdb.h>
*/
import "C"

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// interruptAgain is the time after which an interrupt is sent to a query again.
const interruptAgain = 10 * time.Millisecond

// interruptible makes the connection's statement end early in two cases: if ctx ends, and if all
// queries together exceed their memory and this one holds the most. It does so until the returned
// function unhook is called. The returned context ends together with the statement, and its cause
// is the reason.
//
// The interrupt is sent repeatedly, since DuckDB forgets an interrupt that arrives before the query
// has begun to run. unhook waits for an interrupt that is being sent, so that it cannot hit the
// connection's next query.
func (c *Conn) interruptible(ctx context.Context) (within context.Context, unhook func()) {
	within, cancel := context.WithCancelCause(ctx)
	statement := &statement{account: c.account, end: cancel}
	memoryInUse.begin(statement)
	var mu sync.Mutex
	ended := false
	stop := context.AfterFunc(within, func() {
		interrupt := func() (again bool) {
			mu.Lock()
			defer mu.Unlock()
			if !ended {
				c.account.Interrupt(true)
				C.duckdb_interrupt(c.conn)
			}
			return !ended
		}
		for interrupt() {
			time.Sleep(interruptAgain)
		}
	})
	return within, func() {
		stop()
		memoryInUse.end(statement)
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			ended = true
			c.account.Interrupt(false)
			cancel(nil)
		}
	}
}

// contextError returns the error of a statement that was interrupted because ctx ended. It gives
// the reason why ctx ended, in place of DuckDB's error about the interrupt.
func contextError(ctx context.Context, err *base.Error) error {
	if ctx.Err() == nil {
		if err.Kind != base.Canceled {
			return err
		}
		// DuckDB interrupted the query itself, after another of its threads failed. Sometimes
		// DuckDB reports this interrupt instead of the failure (1.5.5: one time in fifty with two
		// threads), and the cause is lost.
		return base.Errorf(base.Invalid, "the query failed in one of its threads, and DuckDB did not keep the reason").
			WithHint("run it again to see it")
	}
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return base.Errorf(base.Timeout, "the query took longer than its timeout")
	case errors.Is(cause, errMemory):
		return cause
	default:
		return base.Wrap(cause, "the query was canceled")
	}
}
