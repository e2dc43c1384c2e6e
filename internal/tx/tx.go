package tx

import (
	"context"
	"errors"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Commits commits changes of rows.
type Commits interface {
	NewReservation() *engine.Reservation
	Commit(ctx context.Context, s *snapshot.Snapshot, changes []engine.Change, o engine.AppendOptions) (engine.Result, error)
	Evolve(ctx context.Context, evolutions []engine.Evolution) error
	RunOnce(ctx context.Context, o engine.AppendOptions, run func(engine.AppendOptions) (engine.Result, error)) (engine.Result, error)
}

// Snapshots returns snapshots of tables.
type Snapshots interface {
	Snapshot(ids ...base.TableID) (*snapshot.Snapshot, error)
	DeduplicatedSnapshot(ctx context.Context, ids ...base.TableID) (*snapshot.Snapshot, error)
	DeduplicatedSnapshotAs(ctx context.Context, evolutions []engine.Evolution, ids ...base.TableID) (*snapshot.Snapshot, error)
}

// Locks locks tables.
type Locks interface {
	LockTables(ctx context.Context, beforeWait engine.BeforeLockWait, tables ...base.TableID) (release func(), err error)
	ShareTables(ctx context.Context, beforeWait engine.BeforeLockWait, tables ...base.TableID) (release func(), err error)
}

// Manager runs changes: it takes their locks and memory, and runs them again after conflicts.
type Manager struct {
	Commits   Commits
	Snapshots Snapshots
	Locks     Locks
}

// MaxAttempts is how many times a statement is tried if other statements keep changing the rows
// that it reads. Then it fails.
const MaxAttempts = 100

// Attempt is one run of a change. It begins with Begin, and then takes a snapshot.
type Attempt struct {
	// Reservation is the memory of the attempt. It is only for TryReserve. If memory is short, the
	// attempt fails with engine.ErrMemoryBusy.
	Reservation *engine.Reservation
	// Lock says which table locks the attempt must take: none, shared or exclusive ones.
	Lock engine.TableLock

	locks Locks
	// short says that an attempt lacked memory. So this attempt waits for memory after it has taken
	// its locks.
	short bool
	// waited says that the attempt before had memory that it had waited for.
	waited bool
}

// Retry calls the function try, which makes a change from a new snapshot. After one of these
// errors, Retry calls that function again:
//   - engine.ErrChanged: other statements changed the rows that the call had read. All later calls
//     hold exclusive locks of their tables, so that the other statements wait.
//   - engine.ErrTableLocked: another statement holds the lock of a table. All later calls hold
//     shared locks of their tables.
//   - engine.ErrMemoryBusy: there was no memory for the rows. The next call waits for memory, after
//     it has taken its locks.
//
// When that function returns one of these errors, it must have changed nothing, and must hold
// neither locks nor a snapshot.
func (m *Manager) Retry(ctx context.Context, try func(a *Attempt) error) error {
	a := &Attempt{Reservation: m.Commits.NewReservation(), Lock: engine.NoLock, locks: m.Locks}
	defer a.Reservation.Close()
	for range MaxAttempts {
		err := try(a)
		switch {
		case errors.Is(err, engine.ErrMemoryBusy):
			a.short = true
		case errors.Is(err, engine.ErrTableLocked):
			a.Lock = max(a.Lock, engine.SharedLock)
		case errors.Is(err, engine.ErrChanged):
			a.Lock = engine.ExclusiveLock
		default:
			return err
		}
		// The next attempt may wait for locks. It must not hold memory meanwhile, because the
		// holder of a lock may need that memory.
		a.short = a.short || a.waited
		a.waited = false
		a.Reservation.BeginAttempt()
		a.Reservation.Close()
	}
	return ErrTooManyConflicts()
}

// Begin locks tables as lock says: not at all, shared or exclusively. If an attempt before lacked
// memory, Begin then waits for memory. The caller must not hold a snapshot. It must call the
// returned function release, which releases the locks.
func (a *Attempt) Begin(ctx context.Context, beforeWait engine.BeforeLockWait, lock engine.TableLock, tables ...base.TableID) (release func(), err error) {
	release = func() {}
	switch lock {
	case engine.SharedLock:
		release, err = a.locks.ShareTables(ctx, beforeWait, tables...)
	case engine.ExclusiveLock:
		release, err = a.locks.LockTables(ctx, beforeWait, tables...)
	}
	if err != nil {
		return nil, err
	}
	if err := a.WaitForMemory(ctx); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// WaitForMemory waits for memory if an attempt before lacked it. Begin calls it. An attempt that
// still has the locks that it needs calls only WaitForMemory.
func (a *Attempt) WaitForMemory(ctx context.Context) error {
	if !a.short {
		return nil
	}
	a.short, a.waited = false, true
	return a.Reservation.WaitForMore(ctx)
}

// Idempotent calls run, which changes rows. If an earlier request had the same idempotency key, it
// returns the counts of that request instead. See engine.Engine.Once.
func (m *Manager) Idempotent(ctx context.Context, o engine.AppendOptions, run func(engine.AppendOptions) (engine.Counts, error)) (engine.Counts, error) {
	result, err := m.Commits.RunOnce(ctx, o, func(o engine.AppendOptions) (engine.Result, error) {
		counts, err := run(o)
		return engine.Result{Counts: counts}, err
	})
	return result.Counts, err
}

// ErrTooManyConflicts returns the error for a change that was tried MaxAttempts times.
func ErrTooManyConflicts() error {
	return base.Errorf(base.Conflict, "other statements changed what this one reads, %d times in a row", MaxAttempts).WithHint("run the statement again")
}

// ErrStale says that rows were prepared for a schema that their table no longer has. The caller has
// to prepare the rows again.
var ErrStale = engine.ErrSchemaChanged
