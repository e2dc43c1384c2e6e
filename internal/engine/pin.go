package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"golang.org/x/sync/semaphore"
)

// Pins says which table lock a statement holds on the tables that it changes. Waiting statements
// get a table lock in the order in which they asked.
type Pins uint8

const (
	Unpinned Pins = iota // no lock
	Shared               // locked by Share: no statement holds the lock exclusively
	Pinned               // locked exclusively, by Pin
)

// wholePin is the weight of an exclusive lock. A shared lock has the weight 1, so it must exceed
// the number of shared locks at any time.
const wholePin = 1 << 40

func newPin() *semaphore.Weighted { return semaphore.NewWeighted(wholePin) }

// ErrPinned is the error of a change without a table lock, while another statement has locked its
// table. The caller must release its snapshot before it waits with Share, because a snapshot keeps
// rows in memory.
var ErrPinned = base.Errorf(base.Conflict, "another statement has the table to itself")

// Pin locks tables exclusively until release is called. Other statements that try to change these
// tables without a lock get ErrPinned from Commit. A statement takes the lock from its second
// attempt on. It takes its snapshot under the lock, and commits with Pins set to Pinned. So no
// other statement changes what it reads or writes.
//
// Flushes and merges continue, since they change no rows. Appends continue too, except for tables
// that merge on read, where they wait. If a table does not exist, the error is NotFound.
//
// A statement that needs locks on several tables must take them in one call. They are taken in the
// order of ids, so that two statements never wait for each other.
//
// Of the options, Pin uses only Waits. The caller must hold neither a snapshot nor memory of a
// Room.
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

// Share waits until no statement holds an exclusive lock on the tables, and keeps others from
// taking one until release is called. Everything else is as for Pin.
func (e *Engine) Share(ctx context.Context, o AppendOptions, tables ...base.TableID) (release func(), err error) {
	_, release, err = e.acquirePins(ctx, o, tables, 1)
	return release, err
}

// tryShare is Share, except that it returns ErrPinned instead of waiting.
func (e *Engine) tryShare(ctx context.Context, tables []base.TableID) (release func(), err error) {
	refuse := func(context.Context) (func(), error) { return nil, ErrPinned }
	return e.Share(ctx, AppendOptions{Waits: refuse}, tables...)
}

// acquirePins takes table locks with a weight, in the order of the tables' ids.
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
