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

// interruptAgain is the time between interrupts of one query.
const interruptAgain = 10 * time.Millisecond

// interruptible interrupts what the connection does when ctx ends, or when the memory of all queries is exceeded and this one has the most, until
// the returned function is called. That waits for an interrupt under way: it must not hit the connection's next query. The returned context
// ends with the reason. It interrupts again and again, since DuckDB forgets an interrupt from before the query began to run.
func (c *Conn) interruptible(ctx context.Context) (within context.Context, unhook func()) {
	within, cancel := context.WithCancelCause(ctx)
	statement := &statement{account: c.account, end: cancel}
	cppMemory.begin(statement)
	var mu sync.Mutex
	ended := false
	stop := context.AfterFunc(within, func() {
		interrupt := func() (again bool) {
			mu.Lock()
			defer mu.Unlock()
			if !ended {
				c.account.Stop(true)
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
		cppMemory.end(statement)
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			ended = true
			c.account.Stop(false)
			cancel(nil)
		}
	}
}

// contextError prefers the reason for which the context ended to the interrupt
// that it caused.
func contextError(ctx context.Context, err *base.Error) error {
	if ctx.Err() == nil {
		if err.Kind != base.Canceled {
			return err
		}
		// Nobody interrupted it but DuckDB itself, whose other thread failed first: of the two errors it sometimes
		// (1.5.5: one in fifty on two threads) keeps this one, and the cause is lost.
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
