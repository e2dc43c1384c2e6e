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

// Append adds rows to tables, all or nothing, as engine.Engine.Append does. Rows for a table with a primary key change
// those of the same key; whole ones of a table that merges on read count as inserted, for nobody looks whether their keys are there. Beside rows for other tables they must not move rows by giving only some of their columns, nor
// give only some columns of a table with checks: that takes a request of their own.
func (m *Mutator) Append(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) (Counts, error) {
	return m.once(ctx, o, func(o engine.AppendOptions) (Counts, error) {
		keyed := false
		for _, rows := range tables {
			t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
			keyed = keyed || err == nil && !goesIn(t, rows) // of others Append says what is wrong
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

// goesIn reports whether rows go into a table as they come, whatever is there.
func goesIn(t schema.Table, rows engine.TableRows) bool {
	if rows.Deleting != nil {
		return false
	}
	return len(t.PrimaryKey) == 0 || comesUnseen(t, givenBy(rows, t), rows.Whole) && checkSameColumns(rows, t) == nil
}

// comesUnseen reports whether rows of which the sender gave some columns come into a table without a look at those of their keys that are there.
// whole says that the columns that it did not give have their defaults.
func comesUnseen(t schema.Table, given []schema.Column, whole bool) bool {
	return t.MergeOnRead && (whole || len(given) == len(t.Columns))
}

// Fits returns nil if Append would take the rows now. It changes nothing. The error is that of Append, but for limits of memory.
func (m *Mutator) Fits(ctx context.Context, tables []engine.TableRows, o engine.AppendOptions) error {
	_, release, err := m.appended(ctx, tables, o)
	release()
	return err
}

// appended are rows for one of several tables.
type appended struct {
	table schema.Table
	rows  []arrow.RecordBatch // conformed, unless some are keyed
	keyed []*arrivals         // rows for a table with a primary key
	// evolution is what the table becomes with them, or nil.
	evolution *engine.Evolution
}

// appended conforms rows to their tables. release is to be called in any case.
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

// appendedTo conforms rows to their table.
func (m *Mutator) appendedTo(ctx context.Context, rows engine.TableRows, o engine.AppendOptions) (one appended, err error) {
	w := &write{Mutator: m, ctx: ctx, rows: rows, mode: Upsert, options: o}
	if rows.Deleting != nil {
		return w.withDeletions()
	}
	t, err := m.store.Lookup(rows.Table.Database, rows.Table.Schema, rows.Table.Name)
	if err == nil && len(t.PrimaryKey) > 0 { // of others Conform says what is wrong
		if one.keyed, err = w.pieces(t); err != nil {
			return one, base.Wrap(err, "table %s", t.QualifiedName())
		}
		one.evolution = w.evolution
		if len(one.keyed) > 0 {
			one.table = one.keyed[0].table // which may have been made anew
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

// arrivals returns rows that conform to a table as arrivals that are upserted by its primary key without a query.
func (w *write) arrivals(t schema.Table, records []arrow.RecordBatch) (*arrivals, error) {
	if err := checkKeyValues(t, records); err != nil {
		return nil, err
	}
	given := givenBy(w.rows, t)
	if w.rows.Whole {
		given = t.Columns // also the version: a row that lacks it must not count otherwise beside one that has it
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

// appendAll appends to several tables, some of which have a primary key. errStale says that the schema of one changed meanwhile.
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

// commitAll makes one change of what is appended, sorted by table.
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
	release, err := m.hold(ctx, o, o.Pins, keyed...) // none is yet to be made: rows make tables without a key here
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
