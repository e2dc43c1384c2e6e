package engine

import (
	"context"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ledger"
)

// The account ledger.Rows counts the memory of memtables and of running requests. The memory of a
// memtable counts until the last query that reads it ends, because the account bounds the memory
// that is really in use. Memory that is in use already, such as that of rows replayed from the log,
// is charged. A request that needs more memory than is free waits in a queue, for a limited time.

var errMemory = base.Errorf(base.Unavailable, "no memory for more rows: they arrive faster than they can be written to disk").
	WithHint("retry after a second, or send slower")

// tryReserve reserves bytes for rows if they are free and no request waits for memory. The errors
// are those of ledger.Account.Try.
func (e *Engine) tryReserve(bytes int64) (ok bool, err error) {
	if ok, err = e.memory.Rows.Try(bytes); ok {
		e.served()
	}
	return ok, err
}

// reserve reserves bytes for rows, and waits up to Settings.MaxWait until they are free. Then the
// error is Unavailable or, if flushes fail, the error of the last flush.
func (e *Engine) reserve(ctx context.Context, bytes int64) error {
	err := e.memory.Rows.Reserve(ctx, bytes, ledger.Wait{Most: e.settings.MaxWait, After: e.clock.After, Begins: func() {
		// Most of the memory may belong to the active generation, which is not due for a flush yet.
		// Wake the committer, so that it freezes that generation, which is then flushed.
		if !e.settings.DisableAutomaticFlush {
			e.queue.signal()
		}
	}})
	switch {
	case err == nil:
		e.served()
	case err == error(ledger.ErrBusy):
		e.gaveUp.Store(true)
		if cause := e.flushFailure.Load(); cause != nil {
			return base.Wrap(cause, "no memory for more rows, because rows in memory cannot be written to disk")
		}
		return errMemory
	}
	return err
}

// served notes that a request got memory.
func (e *Engine) served() {
	if e.gaveUp.Load() { // reading first is cheaper: all writers share this value
		e.gaveUp.Store(false)
	}
}

// starved reports whether two things hold: the last request that needed memory gave up waiting, and
// more than half of the memory for rows is still in use.
func (e *Engine) starved() bool {
	return e.gaveUp.Load() && e.memory.Rows.Used() > e.memory.Rows.Limit()/2
}
