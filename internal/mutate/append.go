package mutate

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// Append adds rows to tables, all or nothing, as engine.Engine.Append does.
//
// Rows for a table with a primary key replace or change the existing rows of the same key. If the
// table merges on read and the rows have all columns, they count as inserted, because Append does
// not look up whether their keys exist.
//
// For a table with a primary key, a request with rows for several tables must not:
//   - move rows to another partition or sort position by giving only some of their columns,
//   - give only some columns of a table with checks.
//
// Such rows need a request of their own.
func (m *Mutator) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (Counts, error) {
	return m.once(ctx, o, func(o engine.AppendOptions) (Counts, error) {
		keyed := false
		for _, rows := range tables {
			t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
			// An error about a table without a primary key is not handled here: Append returns it
			// below.
			keyed = keyed || err == nil && !goesIn(t, rows)
		}
		if !keyed {
			result, err := m.store.Append(ctx, tables, o)
			if !errors.Is(err, engine.ErrPartial) {
				return result.Counts, err
			}
		}
		if len(tables) == 1 && o.Progress == nil && tables[0].Deleting == nil {
			return m.Write(ctx, tables[0], Upsert, nil, o)
		}
		for range maxAttempts {
			counts, err := m.appendAll(ctx, tables, o)
			if !errors.Is(err, errStale) {
				return counts, err
			}
		}
		return Counts{}, errTooOften()
	})
}

// goesIn reports whether rows are appended to a table as they are, without regard to existing rows
// of the same keys.
func goesIn(t schema.Table, rows engine.TableRows) bool {
	if rows.Deleting != nil {
		return false
	}
	return len(t.PrimaryKey) == 0 || comesUnseen(t, givenBy(rows, t), rows.Whole) && checkSameColumns(rows, t) == nil
}

// comesUnseen reports whether rows are appended to a table without looking up existing rows of
// their keys. given are the columns that the sender gave. whole says that the columns that the
// sender did not give get their defaults, instead of keeping existing values.
func comesUnseen(t schema.Table, given []schema.Column, whole bool) bool {
	return t.MergeOnRead && (whole || len(given) == len(t.Columns))
}

// Fits returns nil if Append would accept the rows now. It changes nothing. Its errors are those of
// Append, except for memory limits.
func (m *Mutator) Fits(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	_, release, err := m.appended(ctx, tables, o)
	release()
	return err
}

// appended has the rows of a request for one table.
type appended struct {
	table schema.Table
	rows  []arrow.RecordBatch // conformed to the table; empty if keyed is set
	keyed []*arrivals         // keyed has the rows instead, if the table has a primary key.
	// evolution is the change of the table's schema that the rows need, or nil.
	evolution *engine.Evolution
}

// appended conforms the rows of a request to their tables. The caller must call release, even after
// an error.
func (m *Mutator) appended(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (all []appended, release func(), err error) {
	release = func() {
		for _, one := range all {
			releaseAll(one.rows)
			releaseArrivals(one.keyed)
		}
	}
	for _, rows := range tables {
		one, err := m.appendedTo(ctx, rows, o)
		if err != nil {
			return all, release, err
		}
		all = append(all, one)
	}
	return all, release, nil
}

// appendedTo conforms the rows for one table to that table.
func (m *Mutator) appendedTo(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (one appended, err error) {
	w := &write{Mutator: m, ctx: ctx, rows: rows, mode: Upsert, options: o}
	if rows.Deleting != nil {
		return w.withDeletions()
	}
	t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	// For a table without a primary key, Conform returns the error.
	if err == nil && len(t.PrimaryKey) > 0 {
		if one.keyed, err = w.pieces(t); err != nil {
			return one, base.Wrap(err, "table %s", t.QualifiedName())
		}
		one.evolution = w.evolution
		if len(one.keyed) > 0 {
			// The table of the rows, because the table may have been dropped and created again
			// since.
			one.table = one.keyed[0].table
			return one, nil
		}
	}
	var records []arrow.RecordBatch
	if one.table, one.evolution, records, err = m.store.Conform(ctx, rows, o); err != nil {
		return one, err
	}
	if batch.Rows(records) == 0 || len(one.table.PrimaryKey) == 0 {
		one.rows = records
		return one, nil
	}
	defer releaseAll(records)
	if goesIn(one.table, rows) {
		one.rows, err = batch.Arrange(records, rows.Numbers)
		return one, err
	}
	a, err := w.arrivals(one.table, records)
	if err != nil {
		return one, base.Wrap(err, "table %s", one.table.QualifiedName())
	}
	one.keyed = []*arrivals{a}
	return one, nil
}

// arrivals returns rows that conform to a table as incoming rows. They can be upserted by the
// table's primary key without a query.
func (w *write) arrivals(t schema.Table, records []arrow.RecordBatch) (*arrivals, error) {
	if err := checkKeyValues(t, records); err != nil {
		return nil, err
	}
	given := givenBy(w.rows, t)
	if w.rows.Whole {
		// The version column counts as given: a row that lacks it must be compared with existing
		// rows like the rows that have it.
		given = t.Columns
	}
	if len(given) < len(t.Columns) && (movesRow(t, given) || t.Condition() != "") {
		return nil, base.Errorf(base.Invalid, "rows with some of its columns need a request of their own")
	}
	records, err := batch.Arrange(records, w.rows.Numbers)
	if err != nil {
		return nil, err
	}
	defer releaseAll(records)
	return arrive(t, records, given, given, replaceRow)
}

// appendAll appends to several tables, some of which have a primary key. It returns errStale if the
// schema of a table changed in the meantime.
func (m *Mutator) appendAll(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (counts Counts, err error) {
	all, release, err := m.appended(ctx, tables, o)
	defer release()
	if err != nil {
		return Counts{}, err
	}
	slices.SortFunc(all, func(a, b appended) int { return int(a.table.ID) - int(b.table.ID) })
	for i := range all[1:] {
		if all[i].table.ID == all[i+1].table.ID && len(all[i].table.PrimaryKey) > 0 {
			return Counts{}, base.Errorf(base.Invalid, "table %s comes twice in one request", all[i].table.QualifiedName())
		}
	}
	err = m.again(ctx, func(room *engine.Room, pins engine.Pins) (err error) {
		o.Room, o.Pins = room, pins
		counts, err = m.commitAll(ctx, all, o)
		return err
	})
	return counts, err
}

// commitAll commits all rows as one edit. all is sorted by table.
func (m *Mutator) commitAll(ctx context.Context, all []appended, o engine.AppendOptions) (Counts, error) {
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
	// All of these tables exist: Append creates only tables without a primary key.
	release, err := m.hold(ctx, o.Waits, o.Pins, keyed...)
	if err != nil {
		return Counts{}, err
	}
	defer release()
	snap, err := m.store.SettledAs(ctx, o.Evolutions, ids...)
	if err != nil {
		return Counts{}, err
	}
	defer snap.Release()
	var changes []engine.Change
	for _, one := range all {
		t := snap.Tables[one.table.ID]
		if len(one.keyed) == 0 && t.Schema.Version != one.table.Version {
			return Counts{}, errStale
		}
		change := engine.Change{Table: one.table.ID, Inserted: one.rows, Appended: true, Counts: Counts{Inserted: int64(batch.Rows(one.rows))}}
		if len(one.keyed) > 0 {
			if change, _, err = m.arriveAll(ctx, t, one.keyed, replaceRow); err != nil {
				return Counts{}, base.Wrap(err, "table %s", one.table.QualifiedName())
			}
		}
		changes = append(changes, change)
	}
	result, err := m.store.Commit(ctx, snap, changes, o)
	return result.Counts, err
}
