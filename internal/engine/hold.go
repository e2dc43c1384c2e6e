package engine

import (
	"context"

	"github.com/scoterdb/scoter/internal/base"
)

// hold keeps rows that are appended to one table out of it. Changes of rows that are there are kept
// out by the table's pin.
type hold struct{ over chan struct{} }

// holdAppends keeps rows that are appended to a table out until release is called: who brings them
// waits. Rows that were acknowledged before are published when it returns. The caller has the
// table's pin, so there is one hold at a time. It is for a moment: writers wait with their requests
// in memory.
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

// waitForHold waits until no hold keeps rows out of a table, and reports whether one did.
func (e *Engine) waitForHold(ctx context.Context, id base.TableID) (waited bool, err error) {
	e.mu.RLock()
	t := e.tables[id]
	e.mu.RUnlock()
	if t == nil {
		return false, nil // dropped: who wants it finds out
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
