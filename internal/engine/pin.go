package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"golang.org/x/sync/semaphore"
)

// Pins says what a statement holds of tables. A table's pin goes to those who wait for it in their order.
type Pins uint8

const (
	Unpinned Pins = iota // nothing
	Shared               // Share: nobody pins them
	Pinned               // Pin
)

// wholePin is the weight of Pin: more than there are shares at once.
const wholePin = 1 << 40

func newPin() *semaphore.Weighted { return semaphore.NewWeighted(wholePin) }

// ErrPinned sends a change back that was computed without a pin while another statement has the one of its
// table: whoever waits for that must hold no snapshot, since it keeps rows in memory. It waits with Share.
var ErrPinned = base.Errorf(base.Conflict, "another statement has the table to itself")

// Pin keeps other statements' changes of tables out until release is called: their Commit is ErrPinned. A statement
// holds it from its second attempt on, takes its snapshot under it, and commits with Pins
// Pinned, so that neither what it changes nor what it reads is changed under its hands. Flushes and merges go on: they
// change no row; and so do appends, but to tables that merge on read, where they wait. A table that is not there is NotFound.
// Who needs several takes them in one call: they are taken in one order, so that two never wait for one another.
//
// Of the options only Waits counts. The caller must hold neither a snapshot nor memory of a Room.
func (e *Engine) Pin(ctx context.Context, o AppendOptions, tables ...base.TableID) (release func(), err error) {
	held, unpin, err := e.acquirePins(ctx, o, tables, wholePin)
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

// Share waits until nobody pins one of some tables, and keeps it so until release is called. The rest is as for Pin.
func (e *Engine) Share(ctx context.Context, o AppendOptions, tables ...base.TableID) (release func(), err error) {
	_, release, err = e.acquirePins(ctx, o, tables, 1)
	return release, err
}

// tryShare is Share that is ErrPinned where it would have to wait.
func (e *Engine) tryShare(ctx context.Context, tables []base.TableID) (release func(), err error) {
	refuse := func(context.Context) (func(), error) { return nil, ErrPinned }
	return e.Share(ctx, AppendOptions{Waits: refuse}, tables...)
}

// acquirePins takes a weight of the pins of some tables, in the order of their ids.
func (e *Engine) acquirePins(ctx context.Context, o AppendOptions, ids []base.TableID, weight int64) (held []*table, release func(), err error) {
	release = func() {
		for _, t := range held {
			t.pin.Release(weight)
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		t, err := e.acquirePin(ctx, o, id, weight)
		if err != nil {
			release()
			return nil, nil, err
		}
		held = append(held, t)
	}
	return held, release, nil
}

func (e *Engine) acquirePin(ctx context.Context, o AppendOptions, table base.TableID, weight int64) (*table, error) {
	e.mu.RLock()
	t, err := e.tableLocked(table)
	e.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	if t.pin.TryAcquire(weight) {
		return t, nil
	}
	if o.Waits != nil {
		over, err := o.Waits(ctx)
		if err != nil {
			return nil, err
		}
		defer over()
	}
	if err := t.pin.Acquire(ctx, weight); err != nil {
		return nil, base.Wrap(err, "wait for another statement on table %d", table)
	}
	return t, nil
}
