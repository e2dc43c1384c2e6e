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

// Pin keeps other statements' changes of tables out until release is called: they wait in Commit. A statement
// holds it from its second attempt on, takes its snapshot under it, and commits with
// AppendOptions.Pinned, so that neither what it changes nor what it reads is changed under its hands. Flushes and merges go on: they
// change no row; and so do appends, but to tables that merge on read, where they do. A table that is not there is NotFound.
// Who needs several takes them in one call: they are taken in one order, so that two never wait for one another.
func (e *Engine) Pin(ctx context.Context, tables ...base.TableID) (release func(), err error) {
	held, unpin, err := e.acquirePins(ctx, tables, pinned)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	for _, t := range held {
		t.pinnedSeq = e.seq
	}
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		for _, t := range held {
			t.pinnedSeq = 0
		}
		e.mu.Unlock()
		unpin()
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
	_, release, err = e.acquirePins(ctx, ids, 1)
	return release, err
}

// acquirePins takes a weight of the pins of some tables, in the order of their ids.
func (e *Engine) acquirePins(ctx context.Context, ids []base.TableID, weight int64) (held []*table, release func(), err error) {
	release = func() {
		for _, t := range held {
			t.pin.Release(weight)
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		t, err := e.acquirePin(ctx, id, weight)
		if err != nil {
			release()
			return nil, nil, err
		}
		held = append(held, t)
	}
	return held, release, nil
}
