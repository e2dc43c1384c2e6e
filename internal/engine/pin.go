package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"golang.org/x/sync/semaphore"
)

// pinned is the weight of a pin: more than there are changes at once.
const pinned = 1 << 40

// newPin returns a table's pin, which goes to those who wait for it in their order.
func newPin() *semaphore.Weighted { return semaphore.NewWeighted(pinned) }

// Pin keeps other statements' changes of a table out until release is called: they wait in Commit. A statement
// holds it from its second attempt on, takes its snapshot under it, and commits with
// AppendOptions.Pinned, so that what it changes is not changed under its hands. Flushes and merges go on: they
// change no row; and so do appends, but to tables that merge on read, where they do.
func (e *Engine) Pin(ctx context.Context, table base.TableID) (release func(), err error) {
	t, err := e.acquirePin(ctx, table, pinned)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	t.pinnedSeq = e.seq
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		t.pinnedSeq = 0
		e.mu.Unlock()
		t.pin.Release(pinned)
	}, nil
}

func (e *Engine) acquirePin(ctx context.Context, table base.TableID, weight int64) (*table, error) {
	e.mu.RLock()
	t, err := e.tableLocked(table)
	e.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	if err := t.pin.Acquire(ctx, weight); err != nil {
		return nil, base.Wrap(err, "wait for another statement on table %d", table)
	}
	return t, nil
}

// sharePins waits until nobody pins one of some tables, and keeps it so.
func (e *Engine) sharePins(ctx context.Context, ids []base.TableID) (release func(), err error) {
	slices.Sort(ids) // in one order, so that two never wait for one another
	var held []*table
	release = func() {
		for _, t := range held {
			t.pin.Release(1)
		}
	}
	for _, id := range slices.Compact(ids) {
		t, err := e.acquirePin(ctx, id, 1)
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, t)
	}
	return release, nil
}
