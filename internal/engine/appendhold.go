package engine

import (
	"context"

	"github.com/scoterdb/scoter/internal/base"
)

// appendHold makes appends to one table wait until the channel ended is closed. It is needed in
// addition to the table lock, because the table lock keeps out changes of existing rows, but not
// appends.
type appendHold struct{ ended chan struct{} }

// holdAppends makes appends to a table wait until the returned function release is called. When
// holdAppends returns, all acknowledged rows are visible. The caller must hold the exclusive table
// lock, so a table has only one hold at a time. A hold must be short, because the waiting requests
// keep their memory.
func (e *Engine) holdAppends(ctx context.Context, id base.TableID) (release func(), err error) {
	h := &appendHold{ended: make(chan struct{})}
	var t *table
	err = e.commit(ctx, func() (err error) {
		if t, err = e.tableLocked(id); err == nil {
			t.appendHold.Store(h)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return func() {
		t.appendHold.Store(nil)
		close(h.ended)
	}, nil
}

// waitForAppendHold waits until appends to the table need not wait any more (see holdAppends).
// waited reports whether it had to wait.
func (e *Engine) waitForAppendHold(ctx context.Context, id base.TableID) (waited bool, err error) {
	e.mu.RLock()
	t := e.tables[id]
	e.mu.RUnlock()
	if t == nil {
		return false, nil // the table was dropped; the caller finds that out itself
	}
	h := t.appendHold.Load()
	if h == nil {
		return false, nil
	}
	select {
	case <-h.ended:
		return true, nil
	case <-ctx.Done():
		return true, base.Wrap(ctx.Err(), "wait for a change of the table's schema")
	case <-e.closing:
		return true, errClosed
	}
}
