package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"golang.org/x/sync/semaphore"
)

// TableLock says which kind of table lock a statement holds on the tables that it changes. If
// several statements wait for the lock of a table, they get it in the order in which they asked.
type TableLock uint8

const (
	NoLock TableLock = iota // the statement holds no lock
	// SharedLock means that the statement holds a shared lock (from ShareTables), so no other
	// statement holds the exclusive lock.
	SharedLock
	ExclusiveLock // the statement holds the exclusive lock (from LockTables)
)

// exclusiveWeight is the weight of an exclusive lock in the semaphore of a table. A shared lock has
// the weight 1. So there can be at most exclusiveWeight shared locks at a time.
const exclusiveWeight = 1 << 40

func newTableLock() *semaphore.Weighted { return semaphore.NewWeighted(exclusiveWeight) }

// BeforeLockWait is a function that is called before a request or statement waits for a table lock.
// If it returns an error, the caller gets that error instead of waiting. Otherwise the returned
// function over is called after the wait. A nil BeforeLockWait is not called.
type BeforeLockWait func(ctx context.Context) (over func(), err error)

// ErrTableLocked says that a change was refused, because another statement has locked its table
// exclusively. The caller may wait for the lock with ShareTables and try again. It must release its
// snapshot before that, because a snapshot keeps rows in memory.
var ErrTableLocked = base.Errorf(base.Conflict, "another statement has locked the table")

// LockTables locks tables exclusively until the returned function release is called. While they are
// locked, Commit returns ErrTableLocked to other statements that change these tables without a
// lock. A statement calls LockTables when it runs for the second time, because its first attempt
// had a conflict. It takes its snapshot under the lock, and commits with AppendOptions.Lock set to
// ExclusiveLock. So no other statement changes what it reads or writes.
//
// Flushes and merges continue, since they change no rows. Appends continue, too, except for tables
// that merge on read, where they wait. If a table does not exist, the error is NotFound.
//
// A statement that needs locks on several tables must take them in one call. They are taken in the
// order of the tables' ids, so that two statements never wait for each other.
//
// The caller must hold neither a snapshot nor memory of a Reservation.
func (e *Engine) LockTables(ctx context.Context, beforeWait BeforeLockWait, tables ...base.TableID) (release func(), err error) {
	held, unlock, err := e.acquireTableLocks(ctx, beforeWait, tables, exclusiveWeight)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	for _, t := range held {
		t.lockedSeq = e.seq
	}
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		for _, t := range held {
			t.lockedSeq = 0
		}
		e.mu.Unlock()
		unlock()
	}, nil
}

// ShareTables takes shared locks on tables until the returned function release is called. Many
// statements can have a shared lock at a time, but then no other statement gets an exclusive lock.
// ShareTables waits while a statement holds an exclusive lock. The other rules of LockTables apply
// to ShareTables, too.
func (e *Engine) ShareTables(ctx context.Context, beforeWait BeforeLockWait, tables ...base.TableID) (release func(), err error) {
	_, release, err = e.acquireTableLocks(ctx, beforeWait, tables, 1)
	return release, err
}

// tryShareTables takes shared locks on tables like ShareTables, except that it returns
// ErrTableLocked instead of waiting.
func (e *Engine) tryShareTables(ctx context.Context, tables []base.TableID) (release func(), err error) {
	refuse := func(context.Context) (func(), error) { return nil, ErrTableLocked }
	return e.ShareTables(ctx, refuse, tables...)
}

// acquireTableLocks takes the semaphores of the tables with the given ids, in the order of the ids.
// It takes each with the given weight: 1 for a shared lock, and exclusiveWeight for an exclusive
// one.
func (e *Engine) acquireTableLocks(ctx context.Context, beforeWait BeforeLockWait, ids []base.TableID, weight int64) (held []*table, release func(), err error) {
	release = func() {
		for _, t := range held {
			t.lock.Release(weight)
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		t, err := e.acquireTableLock(ctx, beforeWait, id, weight)
		if err != nil {
			release()
			return nil, nil, err
		}
		held = append(held, t)
	}
	return held, release, nil
}

func (e *Engine) acquireTableLock(ctx context.Context, beforeWait BeforeLockWait, table base.TableID, weight int64) (*table, error) {
	e.mu.RLock()
	t, err := e.tableLocked(table)
	e.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	if t.lock.TryAcquire(weight) {
		return t, nil
	}
	if beforeWait != nil {
		over, err := beforeWait(ctx)
		if err != nil {
			return nil, err
		}
		defer over()
	}
	if err := t.lock.Acquire(ctx, weight); err != nil {
		return nil, base.Wrap(err, "wait for another statement on table %d", table)
	}
	return t, nil
}
