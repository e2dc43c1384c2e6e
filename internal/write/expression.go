package write

import (
	"errors"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/storable"
	"github.com/scoterdb/scoter/internal/tx"
)

// An UPDATE in the mode "expression" writes no values for rows in parts. Instead its SQL is stored,
// and applied when the rows are read. Rows that have values in memory (in memtables or patches) get
// patches, as from any UPDATE.
//
// The stored SQL must always give the same values, and must never fail. Otherwise queries or merges
// would fail, and the rows could not be repaired. So the SQL may use only the row's own columns,
// and functions that depend only on their arguments (deterministic.go).
//
// The parts' statistics may prove that the SQL cannot fail for any row (proof.go). Then the
// statement takes the same time for a table of any size. Without a proof the SQL is tried out: a
// query reads the columns that the SQL names, and counts the rows that it would change.

// expressionUpdate runs an UPDATE in the mode "expression".
func (x *execution) expressionUpdate() (*Result, error) {
	rows, tried := int64(0), &trialState{}
	defer tried.close()
	err := x.Retry(x.Ctx, func(a *tx.Attempt) (err error) {
		if rows, err = x.tryExpression(a, tried); errors.Is(err, engine.ErrMemoryBusy) {
			// The table lock is released now, because another statement may wait for it while
			// holding the memory that this statement needs.
			tried.close()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Result{Counts: engine.Counts{Updated: rows}}, nil
}

// trialState is what a statement retains from one attempt to the next: the lock of its table, and
// for each part the number of rows that the expression changes.
//
// While the table is locked, no other statement changes rows, and new rows are in new parts. So a
// later attempt tries out only the new parts. Without that, flushes could make the statement run
// again forever if rows arrive fast.
type trialState struct {
	lock    engine.TableLock
	release func() // releases the table locks; nil if none are held
	table   base.TableID
	version uint32 // the version of the table's schema
	rows    map[base.RowsetID]int64
}

func (t *trialState) close() {
	if t.release != nil {
		t.release()
		t.lock, t.release = engine.NoLock, nil
	}
}

func (x *execution) tryExpression(a *tx.Attempt, tried *trialState) (rows int64, err error) {
	reservation, lock := a.Reservation, a.Lock
	e, named, err := x.ReadExpression()
	if err != nil {
		return 0, err
	}
	if tried.table != e.Table.ID {
		// The name of the table means another table than in the last attempt. Discard what that
		// attempt found.
		tried.close()
	}
	fresh := tried.lock != engine.ExclusiveLock || tried.version != e.Table.Version
	if tried.lock != lock {
		tried.close()
		if tried.release, err = a.Begin(x.Ctx, x.Options.BeforeLockWait, lock, e.Table.ID); err != nil {
			return 0, err
		}
		tried.lock = lock
	} else if err := a.WaitForMemory(x.Ctx); err != nil {
		return 0, err
	}
	if fresh {
		tried.table, tried.version, tried.rows = e.Table.ID, e.Table.Version, map[base.RowsetID]int64{}
	}
	s, err := x.Snapshots.DeduplicatedSnapshot(x.Ctx, e.Table.ID)
	if err != nil {
		return 0, err
	}
	defer s.Release()
	t := s.Tables[e.Table.ID]
	if t.Schema.Version != e.Table.Version {
		return 0, engine.ErrChanged
	}
	proven, err := storable.Prove(x.Statement.Statement, e, t)
	if err != nil {
		return 0, err
	}
	written, err := storedRows(t)
	if err != nil {
		return 0, err
	}
	inParts := written.Rows()
	if !proven {
		if inParts, err = x.evaluateOnParts(e, written, tried.rows); err != nil {
			return 0, err
		}
	}
	change, err := x.patchInMemory(e, named, t, reservation)
	if err != nil {
		return 0, err
	}
	change.Expression, change.ReadDependencies = &e.Expression, []engine.ReadDependency{{Table: e.Table.ID}}
	// Superseded rows (replaced by other rows of their keys) must be deleted in the same edit,
	// because the expression was not tried out on them.
	change.DeleteSuperseded = true
	change.Counts.Updated += inParts
	if inParts == 0 {
		change.Expression = nil // there are no rows to which the expression would apply
	}
	changed := change.Counts.Rows()
	if changed == 0 {
		return 0, nil
	}
	options := x.Options
	options.Lock, options.Reservation = lock, reservation
	_, err = x.Commits.Commit(x.Ctx, s, []engine.Change{change}, options)
	return changed, err
}
