package engine

import (
	"context"

	"github.com/scoterdb/scoter/internal/base"
)

// hold makes appends to one table wait until over is closed. A table lock keeps out changes of
// existing rows, but not appends.
type hold struct{ over chan struct{} }

// holdAppends makes appends to a table wait until release is called. When it returns, all rows that
// were acknowledged are visible. The caller holds the table lock, so there is only one hold at a
// time. A hold must be short, because the waiting requests keep their memory.
func (e *Engine) holdAppends(ctx context.Context, id base.TableID) (release func(), err error) {
	h := &hold{over: make(chan struct{})}
	var t *table
	err = e.commit(ctx, func() (err error) {
		if t, err = e.tableLocked(id); err == nil {
			t.held.Store(h)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return func() {
		t.held.Store(nil)
		close(h.over)
	}, nil
}

// waitForHold waits until the hold on a table ends, and reports whether there was one.
func (e *Engine) waitForHold(ctx context.Context, id base.TableID) (waited bool, err error) {
	e.mu.RLock()
	t := e.tables[id]
	e.mu.RUnlock()
	if t == nil {
		return false, nil // the table was dropped, which the caller finds out itself
	}
	h := t.held.Load()
	if h == nil {
		return false, nil
	}
	select {
	case <-h.over:
		return true, nil
	case <-ctx.Done():
		return true, base.Wrap(ctx.Err(), "wait for a change of the table's schema")
	case <-e.closing:
		return true, errClosed
	}
}
