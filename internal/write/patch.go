package write

import (
	"errors"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/tx"
)

// changeRows runs a statement that changes rows of a table. The function plan plans the statement.
// changeRows runs the plan's query to find the rows, and commits the change set. It does all of
// this again if other statements changed the rows in the meantime.
func (x *execution) changeRows(plan func() (*dml.Plan, error)) (result *Result, err error) {
	err = x.Retry(x.Ctx, func(a *tx.Attempt) error {
		result, err = x.attempt(plan, a)
		return err
	})
	return result, err
}

func (x *execution) attempt(plan func() (*dml.Plan, error), a *tx.Attempt) (*Result, error) {
	p, err := plan()
	if err != nil {
		return nil, err
	}
	reservation, lock := a.Reservation, a.Lock
	release, err := x.lockTables(a, p.Table.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	found, err := x.find(p, plan)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	p = found.plan
	s := found.Snapshot()
	now := s.Tables[p.Table.ID] // nil if the name now means another table or a view
	known := func(id base.ColumnID) bool { return slices.Contains(p.Pending, id) }
	if now == nil || now.Schema.Version != p.Table.Version || slices.ContainsFunc(now.PendingColumns(nil), func(id base.ColumnID) bool { return !known(id) }) {
		return nil, engine.ErrChanged
	}
	f, err := x.collect(p, found, reservation)
	if err != nil {
		return nil, err
	}
	defer f.close()
	// From here on the statement waits for table locks and connections. It must not hold a
	// connection meanwhile, because the holder of the lock may be waiting for that connection.
	s.Retain()
	defer s.Release()
	reads := found.ReadDependencies()
	found.Close()
	o, err := f.changeSet()
	if err != nil {
		return nil, err
	}
	if err := x.checkKeys(f, o, s); err != nil {
		return nil, err
	}
	result := &Result{Counts: o.change.Counts}
	if !p.Returning.None() {
		// RETURNING runs before the commit, because an error in it must leave nothing changed.
		if result.Rows, err = x.returnedOf(f, o, reservation); err != nil {
			return nil, err
		}
	}
	if len(o.change.Deleted)+len(o.change.Updated)+len(o.change.Inserted) == 0 {
		return result, x.Commits.Evolve(x.Ctx, x.Options.Evolutions)
	}
	o.change.ReadDependencies = p.Reads(reads)
	if found.located > 0 && int64(found.located) == o.change.Counts.Rows() {
		o.change.ReadDependencies = []engine.ReadDependency{{Table: p.Table.ID, NewRowsOnly: true}}
	}
	x.lastReads = nil
	for _, r := range o.change.ReadDependencies {
		x.lastReads = append(x.lastReads, r.Table)
	}
	options := x.Options
	options.Lock, options.Reservation = lock, reservation
	rewrites := x.rewrites(o.change)
	if !rewrites {
		_, err = x.Commits.Commit(x.Ctx, s, []engine.Change{o.change}, options)
		rewrites = x.Mode == dml.Auto && errors.Is(err, engine.ErrColumnBytes)
	}
	if rewrites {
		// The change of the schema (Evolutions) is an edit of its own, because a rewrite commits
		// the rows as parts. If the rewrite fails, for example because the disk is full, the table
		// still has its new schema.
		if err = x.Commits.Evolve(x.Ctx, options.Evolutions); err != nil {
			result.Close()
			return nil, err
		}
		x.Options.Evolutions = nil // another attempt must not make these changes again
		err = x.Rewriter.Mutate(x.Ctx, s, o.change, options)
	}
	if err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// lockTables locks the table that a statement changes and the tables that its last attempt read. If
// the tables that it only reads were not locked, statements that change them all the time would
// make this statement run again each time.
func (x *execution) lockTables(a *tx.Attempt, target base.TableID) (release func(), err error) {
	release, err = a.Begin(x.Ctx, x.Options.BeforeLockWait, a.Lock, append(x.lastReads, target)...)
	if base.KindOf(err) == base.NotFound && len(x.lastReads) > 0 {
		// A table was dropped: the next attempt resolves its name again.
		x.lastReads, err = nil, engine.ErrChanged
	}
	return release, err
}

// rewrites reports whether a change is made by rewriting parts. In the mode Auto this is so only if
// there is no memory for a patch.
//
// If there is memory, Auto does not rewrite, because that would not pay. This was measured with
// `scoter-bench overlay --kinds modes` on 200,000 rows of lineitem. A patch is visible after 3%
// (for 1% of the rows) to 22% (for all rows) of the processor time that rewriting the parts takes.
// Together with the later merge that applies it, a patch takes 0.7 to 1.3 times the time of a
// rewrite.
func (x *execution) rewrites(c engine.Change) bool {
	// rows is the number of existing rows that change, and bytes is their size.
	rows, bytes := uint64(0), int64(0)
	for _, deleted := range c.Deleted {
		rows += deleted.GetCardinality()
		bytes += int64(deleted.GetSizeInBytes())
	}
	for _, l := range c.Updated {
		rows += uint64(len(l.Ordinals))
		bytes += batch.Bytes(l.Values) + 4*int64(len(l.Ordinals)*len(l.Columns))
	}
	for _, rec := range c.Inserted {
		bytes += batch.Bytes(rec)
	}
	f := Facts{InsertsOnly: rows == 0}
	f.FitsPatch = f.InsertsOnly || x.Mode != dml.Auto || x.Loads.FitsPatch(bytes)
	_, rewrites := choose(&Job{Mode: x.Mode}, f).(rewriteWay)
	return rewrites
}
