package write

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/tx"
)

// conformedRows has the rows of a request for one table, in the form in which they are committed.
type conformedRows struct {
	table schema.Table
	rows  []arrow.RecordBatch // the rows, conformed to the table; empty if the field keyed has them
	keyed []*incoming.Rows    // the rows, if the table has a primary key
	// evolution is the change of the table's schema that the rows need, or nil.
	evolution *engine.Evolution
}

// conformAll conforms the rows of a request to their tables, and returns one element for each
// table. The caller must call the returned function release, even after an error.
func (m *Writer) conformAll(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (all []conformedRows, release func(), err error) {
	release = func() {
		for _, one := range all {
			batch.ReleaseAll(one.rows)
			incoming.ReleaseAll(one.keyed)
		}
	}
	for _, rows := range tables {
		one, err := m.conformOne(ctx, rows, o)
		if err != nil {
			return all, release, err
		}
		all = append(all, one)
	}
	return all, release, nil
}

// conformOne conforms the rows of a request for one table to that table.
func (m *Writer) conformOne(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (one conformedRows, err error) {
	w := &rowsRequest{Writer: m, ctx: ctx, rows: rows, mode: Upsert, options: o}
	if rows.Deleting != nil {
		return w.mixedRows()
	}
	t, err := m.Names.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	// If the lookup fails, for example because the table does not exist, or the table has no
	// primary key, continue with the store's Conform below. Conform reports the error of a failed
	// lookup.
	if err == nil && len(t.PrimaryKey) > 0 {
		if one.keyed, err = w.pieces(t); err != nil {
			return one, base.Wrap(err, "table %s", t.QualifiedName())
		}
		one.evolution = w.evolution
		if len(one.keyed) > 0 {
			// The table is taken from the rows, not from the lookup above. The table may have been
			// dropped and created again since that lookup.
			one.table = one.keyed[0].Table
			return one, nil
		}
	}
	var records []arrow.RecordBatch
	if one.table, one.evolution, records, err = m.Store.Conform(ctx, rows, o); err != nil {
		return one, err
	}
	if batch.Rows(records) == 0 || len(one.table.PrimaryKey) == 0 {
		one.rows = records
		return one, nil
	}
	defer batch.ReleaseAll(records)
	if incoming.AppendsAsIs(one.table, rows) {
		one.rows, err = batch.Arrange(records, rows.Numbers)
		return one, err
	}
	a, err := w.incoming(one.table, records)
	if err != nil {
		return one, base.Wrap(err, "table %s", one.table.QualifiedName())
	}
	one.keyed = []*incoming.Rows{a}
	return one, nil
}

// incoming returns the records, which conform to table t, as incoming rows. The caller can upsert
// them by the table's primary key without a query. incoming returns an error for rows that need a
// query.
func (w *rowsRequest) incoming(t schema.Table, records []arrow.RecordBatch) (*incoming.Rows, error) {
	if err := incoming.CheckKeyValues(t, records); err != nil {
		return nil, err
	}
	given := incoming.GivenBy(w.rows, t)
	if w.rows.WholeRows {
		// All columns count as given, also a version column that the sender left out: the rows must
		// be compared with the versions of existing rows.
		given = t.Columns
	}
	if len(given) < len(t.Columns) && (incoming.ChangesPlacement(t, given) || t.Condition() != "") {
		return nil, base.Errorf(base.Invalid, "rows that lack some of its columns need a separate request")
	}
	records, err := batch.Arrange(records, w.rows.Numbers)
	if err != nil {
		return nil, err
	}
	defer batch.ReleaseAll(records)
	return incoming.New(t, records, given, given, incoming.ReplaceRow)
}

// appendAll appends the rows of one request to several tables, some of which have a primary key. It
// returns tx.ErrStale if the schema of a table changed in the meantime.
func (m *Writer) appendAll(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (counts engine.Counts, err error) {
	all, release, err := m.conformAll(ctx, tables, o)
	defer release()
	if err != nil {
		return engine.Counts{}, err
	}
	slices.SortFunc(all, func(a, b conformedRows) int { return int(a.table.ID) - int(b.table.ID) })
	for i := range all[1:] {
		if all[i].table.ID == all[i+1].table.ID && len(all[i].table.PrimaryKey) > 0 {
			return engine.Counts{}, base.Errorf(base.Invalid, "table %s is listed twice in one request", all[i].table.QualifiedName())
		}
	}
	err = m.Retry(ctx, func(a *tx.Attempt) (err error) {
		o.Reservation, o.Lock = a.Reservation, a.Lock
		counts, err = m.commitAll(ctx, a, all, o)
		return err
	})
	return counts, err
}

// commitAll commits the rows of all tables of a request as one edit. Its argument must be sorted by
// table.
func (m *Writer) commitAll(ctx context.Context, a *tx.Attempt, all []conformedRows, o engine.AppendOptions) (engine.Counts, error) {
	var ids, keyed []base.TableID
	for _, one := range all {
		if one.evolution != nil {
			o.Evolutions = append(o.Evolutions, *one.evolution)
		}
		ids = append(ids, one.table.ID)
		if len(one.keyed) > 0 || one.table.MergeOnRead {
			keyed = append(keyed, one.table.ID)
		}
	}
	// These tables can be locked because they exist: Append creates only tables without a primary
	// key.
	release, err := a.Begin(ctx, o.BeforeLockWait, o.Lock, keyed...)
	if err != nil {
		return engine.Counts{}, err
	}
	defer release()
	snap, err := m.Snapshots.DeduplicatedSnapshotAs(ctx, o.Evolutions, ids...)
	if err != nil {
		return engine.Counts{}, err
	}
	defer snap.Release()
	var changes []engine.Change
	for _, one := range all {
		t := snap.Tables[one.table.ID]
		if len(one.keyed) == 0 && t.Schema.Version != one.table.Version {
			return engine.Counts{}, tx.ErrStale
		}
		change := engine.Change{Table: one.table.ID, Inserted: one.rows, AppendOnly: true, Counts: engine.Counts{Inserted: int64(batch.Rows(one.rows))}}
		if len(one.keyed) > 0 {
			if change, _, err = m.upsertChanges(ctx, t, one.keyed, incoming.ReplaceRow); err != nil {
				return engine.Counts{}, base.Wrap(err, "table %s", one.table.QualifiedName())
			}
		}
		changes = append(changes, change)
	}
	result, err := m.Commits.Commit(ctx, snap, changes, o)
	return result.Counts, err
}

// Append adds rows to tables, all or nothing, as engine.Engine.Append does.
//
// Rows for a table with a primary key replace or change the existing rows of the same key. If the
// table merges on read and the rows have all columns, they count as inserted, because Append does
// not look up whether their keys exist.
//
// Two kinds of rows for a table with a primary key are refused in a request with rows for several
// tables. They need a request of their own:
//   - rows with only some columns, if this moves them to another partition or sort position,
//   - rows with only some columns of a table with CHECK constraints.
func (m *Writer) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (engine.Counts, error) {
	return m.Idempotent(ctx, o, func(o engine.AppendOptions) (engine.Counts, error) {
		keyed := false
		for _, rows := range tables {
			t, err := m.Names.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
			// If the lookup fails, for example because there is no such table, the table counts as
			// one without a primary key. The store's Append below returns the error.
			keyed = keyed || err == nil && !incoming.AppendsAsIs(t, rows)
		}
		if !keyed {
			result, err := m.Store.Append(ctx, tables, o)
			if !errors.Is(err, engine.ErrMissingColumn) {
				return result.Counts, err
			}
		}
		if len(tables) == 1 && o.Progress == nil && tables[0].Deleting == nil {
			return m.Write(ctx, tables[0], Upsert, nil, o)
		}
		for range tx.MaxAttempts {
			counts, err := m.appendAll(ctx, tables, o)
			if !errors.Is(err, tx.ErrStale) {
				return counts, err
			}
		}
		return engine.Counts{}, tx.ErrTooManyConflicts()
	})
}

// Check returns nil if Append would accept the rows now. It changes nothing. Its errors are those
// of Append, except for memory limits.
func (m *Writer) Check(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	_, release, err := m.conformAll(ctx, tables, o)
	release()
	return err
}
