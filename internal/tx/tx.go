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

// Retry calls the function try, which makes a change from a new snapshot. After one of these
// errors, retry calls that function again:
//   - engine.ErrChanged: other statements changed the rows that the call had read. All later calls
//     hold exclusive locks of their tables, so that the other statements wait.
//   - engine.ErrTableLocked: another statement holds the lock of a table. All later calls hold
//     shared locks of their tables.
//   - engine.ErrMemoryBusy: there was no memory for the rows. Before the next call, retry waits for
//     memory.
//
// The argument lock of that function says which table locks it must take before it takes a
// snapshot. When it returns one of these errors, it must have changed nothing, and must hold no
// locks.
func (m *Manager) Retry(ctx context.Context, try func(reservation *engine.Reservation, lock engine.TableLock) error) error {
	reservation := m.Commits.NewReservation()
	defer reservation.Close()
	lock := engine.NoLock
	for range MaxAttempts {
		err := try(reservation, lock)
		switch {
		case errors.Is(err, engine.ErrMemoryBusy):
			if err := reservation.WaitForMore(ctx); err != nil {
				return err
			}
		case errors.Is(err, engine.ErrTableLocked):
			lock = max(lock, engine.SharedLock)
			reservation.BeginAttempt()
		case errors.Is(err, engine.ErrChanged):
			lock = engine.ExclusiveLock
			reservation.BeginAttempt()
		default:
			return err
		}
	}
	return ErrTooManyConflicts()
}

// TakeLocks locks tables as lock says: not at all, shared or exclusively.
func (m *Manager) TakeLocks(ctx context.Context, beforeWait engine.BeforeLockWait, lock engine.TableLock, tables ...base.TableID) (release func(), err error) {
	switch lock {
	case engine.SharedLock:
		return m.Locks.ShareTables(ctx, beforeWait, tables...)
	case engine.ExclusiveLock:
		return m.Locks.LockTables(ctx, beforeWait, tables...)
	}
	return func() {}, nil
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

func ErrTooManyConflicts() error {
	return base.Errorf(base.Conflict, "other statements changed what this one reads, %d times in a row", MaxAttempts).WithHint("run the statement again")
}

// ErrStale says that rows were prepared for a schema that their table no longer has. The caller has
// to prepare the rows again.
var ErrStale = engine.ErrSchemaChanged
