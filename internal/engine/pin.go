package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"golang.org/x/sync/semaphore"
)

// Pins says which table lock a statement holds on the tables that it changes. If several statements
// wait for a table lock, they get it in the order in which they asked.
type Pins uint8

const (
	Unpinned Pins = iota // the statement holds no lock
	// The statement shares the lock (Share): no other statement holds it exclusively.
	Shared
	Pinned // the statement holds the lock exclusively (Pin)
)

// wholePin is the weight of an exclusive lock in the semaphore of a table. A shared lock has the
// weight 1, so wholePin bounds the number of shared locks.
const wholePin = 1 << 40

func newPin() *semaphore.Weighted { return semaphore.NewWeighted(wholePin) }

// Waits, if not nil, is called before a request or statement waits for a table lock. If it returns an
// error, the lock is not waited for, and the caller gets that error. Otherwise the returned function
// over is called after the wait.
type Waits func(ctx context.Context) (over func(), err error)

// ErrPinned says that a change was refused, because another statement has locked its table
// exclusively. The caller may wait with Share and try again. It must release its snapshot first,
// because a snapshot keeps rows in memory.
var ErrPinned = base.Errorf(base.Conflict, "another statement has the table to itself")

// Pin locks tables exclusively until release is called. While they are locked, Commit returns
// ErrPinned to other statements that change these tables without a lock. A statement takes the lock
// from its second attempt on. It takes its snapshot under the lock, and commits with Pins set to
// Pinned. So no other statement changes what it reads or writes.
//
// Flushes and merges continue, since they change no rows. Appends continue, too, except for tables
// that merge on read, where they wait. If a table does not exist, the error is NotFound.
//
// A statement that needs locks on several tables must take them in one call. They are taken in the
// order of the tables' ids, so that two statements never wait for each other.
//
// The caller must hold neither a snapshot nor memory of a Room.
func (e *Engine) Pin(ctx context.Context, waits Waits, tables ...base.TableID) (release func(), err error) {
	held, unpin, err := e.acquirePins(ctx, waits, tables, wholePin)
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

// Share takes shared locks on tables until release is called: many statements can have one at a
// time, but no other statement gets an exclusive lock. It waits while a statement holds an
// exclusive lock. Everything else is as for Pin.
func (e *Engine) Share(ctx context.Context, waits Waits, tables ...base.TableID) (release func(), err error) {
	_, release, err = e.acquirePins(ctx, waits, tables, 1)
	return release, err
}

// tryShare is Share, except that it returns ErrPinned instead of waiting.
func (e *Engine) tryShare(ctx context.Context, tables []base.TableID) (release func(), err error) {
	refuse := func(context.Context) (func(), error) { return nil, ErrPinned }
	return e.Share(ctx, refuse, tables...)
}

// acquirePins takes the semaphores of tables with a weight, in the order of the tables' ids. The
// weight is 1 for a shared and wholePin for an exclusive lock.
func (e *Engine) acquirePins(ctx context.Context, waits Waits, ids []base.TableID, weight int64) (held []*table, release func(), err error) {
	release = func() {
		for _, t := range held {
			t.pin.Release(weight)
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		t, err := e.acquirePin(ctx, waits, id, weight)
		if err != nil {
			release()
			return nil, nil, err
		}
		held = append(held, t)
	}
	return held, release, nil
}

func (e *Engine) acquirePin(ctx context.Context, waits Waits, table base.TableID, weight int64) (*table, error) {
	e.mu.RLock()
	t, err := e.tableLocked(table)
	e.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	if t.pin.TryAcquire(weight) {
		return t, nil
	}
	if waits != nil {
		over, err := waits(ctx)
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
