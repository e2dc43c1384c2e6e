package mutate

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// conflict says what happens to an incoming row if its key exists, and if it does not.
type conflict uint8

const (
	replaceRow conflict = iota // set the row's columns in the existing row, or insert the row
	keepRow                    // leave the row out if the key exists
	// Set the row's columns in the existing row; leave the row out if there is none.
	updateRows
	deleteRows // delete the existing row
	refuseRow  // fail if the key exists, or occurs twice in the request
)

// arrivals are incoming rows for a table with a primary key.
type arrivals struct {
	table  schema.Table      // the table with only the columns that the rows have
	rows   arrow.RecordBatch // conformed to the table; no two rows have the same key
	given  []schema.Column   // the columns that the rows set in existing rows
	hashes []batch.KeyHash
	unset  string // the name of a NOT NULL column without a value, or empty; see intake
	standing
}

func (a *arrivals) release() { a.rows.Release() }

func releaseArrivals(all []*arrivals) {
	for _, a := range all {
		a.release()
	}
}

// arrive makes incoming rows of batches that conform to the table. There must be at least one
// batch. sent are the columns that the sender gave; given are the columns to set in existing rows.
//
// Of several rows with one key it retains only one: the row with the highest version. Of equal
// versions this is the last row, or with keepRow the first one. With refuseRow two rows of one key
// are an error.
func arrive(t schema.Table, batches []arrow.RecordBatch, sent, given []schema.Column, c conflict) (*arrivals, error) {
	all, err := batch.Concat(batches)
	if err != nil {
		return nil, err
	}
	defer all.Release()
	standing, err := standingOf(t, all, sent)
	if err != nil {
		return nil, err
	}
	return arriveAs(t, all, standing, given, c)
}

// arriveAs makes incoming rows of one batch, as arrive does. own has the rows' versions and
// deletion marks.
func arriveAs(t schema.Table, all arrow.RecordBatch, own standing, given []schema.Column, c conflict) (*arrivals, error) {
	hashes, err := batch.KeyHashes(keys.Key(t, all))
	if err != nil {
		return nil, err
	}
	a := &arrivals{table: t, given: given, hashes: hashes, standing: own}
	at := make(map[batch.KeyHash]uint32, len(hashes))
	for i, h := range hashes {
		other, there := at[h]
		if there && c == refuseRow {
			return nil, refusedKey(t, keys.Key(t, all), i)
		}
		if !there || a.replaces(uint32(i), other, c) {
			at[h] = uint32(i)
		}
		if a.ends != nil {
			a.ended[at[h]] = a.ends[i] || there && a.ended[other]
		}
	}
	if len(at) == len(hashes) {
		all.Retain()
		a.rows = all
		return a, nil
	}
	var order []uint32
	a.hashes = nil
	for i, h := range hashes {
		if at[h] == uint32(i) {
			order = append(order, uint32(i))
			a.hashes = append(a.hashes, h)
		}
	}
	a.standing = a.take(order)
	a.rows, err = batch.Take([]arrow.RecordBatch{all}, order)
	return a, err
}

// upsert commits incoming rows for one table in one edit. No two elements of all have a key in
// common. before, if not nil, is called before the commit, with the indexes of the rows of all[0]
// that the commit will store. If before returns an error, nothing is committed. The error errStale
// means that the table has another schema by now.
func (m *Mutator) upsert(ctx context.Context, all []*arrivals, c conflict, o engine.AppendOptions, before func(kept []uint32) error) (counts Counts, err error) {
	err = m.again(ctx, func(room *engine.Room, pins engine.Pins) (err error) {
		o.Room, o.Pins = room, pins
		counts, err = m.tryUpsert(ctx, all, c, o, before)
		return err
	})
	return counts, err
}

func (m *Mutator) tryUpsert(ctx context.Context, all []*arrivals, c conflict, o engine.AppendOptions, before func(kept []uint32) error) (counts Counts, err error) {
	table := all[0].table.ID
	if makes := len(o.Evolutions) > 0 && o.Evolutions[0].Table.Version == 1; makes {
		o.Pins = engine.Unpinned // a table that does not exist yet cannot be locked
	}
	release, err := m.hold(ctx, o.Waits, o.Pins, table)
	if err != nil {
		return Counts{}, err
	}
	defer release()
	snap, err := m.store.SettledAs(ctx, o.Evolutions, table)
	if err != nil {
		return Counts{}, err
	}
	defer snap.Release()
	change, kept, err := m.arriveAll(ctx, snap.Tables[table], all, c)
	if err == nil && before != nil {
		err = before(kept)
	}
	if err != nil {
		return change.Counts, err
	}
	if len(change.Deleted)+len(change.Updated)+len(change.Inserted) == 0 {
		return change.Counts, m.store.Evolve(ctx, o.Evolutions)
	}
	_, err = m.store.Commit(ctx, snap, []engine.Change{change}, o)
	return change.Counts, err
}

// arriveAll makes one change of all incoming rows for one table. No two elements of all have a key
// in common. kept are the indexes of the rows of all[0] that the change stores. The error errStale
// means that the table has another schema by now.
func (m *Mutator) arriveAll(ctx context.Context, t *snapshot.Table, all []*arrivals, c conflict) (change engine.Change, kept []uint32, err error) {
	for i, a := range all {
		if t.Schema.ID != a.table.ID || t.Schema.Version != a.table.Version {
			return change, nil, errStale
		}
		one, rows, err := m.arrive(ctx, t, a, c)
		if err != nil {
			return change, nil, err
		}
		if i == 0 {
			change, kept = one, rows
			continue
		}
		change.Counts = change.Counts.Plus(one.Counts)
		change.Updated, change.Inserted = append(change.Updated, one.Updated...), append(change.Inserted, one.Inserted...)
		change.Keys = append(change.Keys, one.Keys...)
		joinRows(change.Deleted, one.Deleted)
		joinRows(change.Kept, one.Kept)
	}
	return change, kept, nil
}

// arrive makes a change of incoming rows, based on the existing rows in a snapshot. kept are the
// indexes of the incoming rows that the change stores.
func (m *Mutator) arrive(ctx context.Context, t *snapshot.Table, a *arrivals, c conflict) (change engine.Change, kept []uint32, err error) {
	addresses, err := m.keys.Find(ctx, t, keys.Key(a.table, a.rows), a.hashes)
	if err != nil {
		return change, nil, err
	}
	var states []keys.State
	if a.table.RowVersion != 0 || a.table.IsDeleted != 0 {
		if states, err = m.keys.States(ctx, t, addresses); err != nil {
			return change, nil, err
		}
	}
	change, kept, updated, err := a.change(addresses, states, c)
	if err == nil {
		updated, err = m.move(ctx, t, a, &change, updated, addresses)
	}
	if err == nil {
		change.Updated, err = m.layers(ctx, t, a, updated, addresses)
	}
	return change, kept, err
}

// change makes a change of incoming rows, based on the existing rows with the same keys. addresses
// has the address of the existing row for each incoming row, with Source 0 if the key does not
// exist. states has the version and deletion mark of each existing row, if the table has versions
// or tombstones.
//
// kept are the indexes of the incoming rows that the change stores. updated are the indexes of the
// rows that set only some columns in existing rows. They are not in the change yet: the caller
// makes patches of them.
func (a *arrivals) change(addresses []base.RowAddress, states []keys.State, c conflict) (change engine.Change, kept, updated []uint32, err error) {
	change = engine.Change{Table: a.table.ID, Deleted: map[base.SourceID]*roaring.Bitmap{}, Kept: map[base.SourceID]*roaring.Bitmap{}}
	whole := len(a.given) == len(a.table.Columns) && c == replaceRow
	moves := movesRow(a.table, a.given)
	sets := slices.ContainsFunc(a.given, func(c schema.Column) bool { return !slices.Contains(a.table.PrimaryKey, c.ID) })
	// In these tables a commit may append a row without looking up its key. So the keys of rows
	// that are deleted or get a version must be compared when this change is committed.
	minded := a.table.MergeOnRead && a.table.RowVersion != 0
	touch := func(i int) {
		if minded {
			change.Keys = append(change.Keys, a.hashes[i].High)
		}
	}
	var inserted []uint32
	for i, address := range addresses {
		stored := address.Source != 0
		there := stored
		if stored && states != nil {
			if a.older(i, states[i]) {
				addRow(change.Kept, address)
				continue
			}
			there = !states[i].Deleted
		}
		if there && c == refuseRow && !a.deletes(i) {
			return change, nil, nil, refusedKey(a.table, keys.Key(a.table, a.rows), i)
		}
		deletes := a.deletes(i) || c == deleteRows
		leaves := !deletes || c != deleteRows && a.table.KeepsTombstones() && !a.endsKey(uint32(i))
		switch {
		case there && c == keepRow, !there && (c == updateRows || c == deleteRows):
			if stored {
				addRow(change.Kept, address)
			} else {
				// If another statement inserts the key before this commit, the result is different.
				change.Keys = append(change.Keys, a.hashes[i].High)
			}
			continue
		case there && deletes:
			change.Counts.Deleted++
		case deletes:
			if !stored && !leaves {
				// As above, an insert of the key changes the result.
				change.Keys = append(change.Keys, a.hashes[i].High)
			}
		case there:
			change.Counts.Updated++
			kept = append(kept, uint32(i))
		default:
			change.Counts.Inserted++
			kept = append(kept, uint32(i))
		}
		// An incoming row with only some columns changes the existing row. But a tombstone that
		// would be stored in another place is inserted as a new row, since it does not need the
		// existing row's values of other columns.
		if leaves && there && !whole && !(deletes && moves) {
			if sets {
				updated = append(updated, uint32(i))
			} else {
				addRow(change.Kept, address)
			}
			if contains(a.given, a.table.RowVersion) {
				touch(i)
			}
			continue
		}
		if stored {
			addRow(change.Deleted, address)
			touch(i)
		}
		if leaves {
			inserted = append(inserted, uint32(i))
		}
	}
	if len(inserted) > 0 && a.unset != "" {
		return change, nil, nil, errUnset(a.table, a.unset)
	}
	if len(inserted) > 0 {
		rec, err := batch.Take([]arrow.RecordBatch{a.rows}, inserted)
		if err != nil {
			return change, nil, nil, err
		}
		change.Inserted = []arrow.RecordBatch{rec}
		for _, at := range inserted {
			change.Keys = append(change.Keys, a.hashes[at].High)
		}
	}
	return change, kept, updated, nil
}

// layers makes patches that set columns of existing rows. Rows of some parts have stored
// expressions that no merge has applied yet. A patch for such a row also has the present values of
// the columns that the expressions set.
func (m *Mutator) layers(ctx context.Context, t *snapshot.Table, a *arrivals, updated []uint32, addresses []base.RowAddress) ([]patch.Layer, error) {
	values := a.newValues()
	slices.SortFunc(updated, func(i, j uint32) int { return compareAddresses(addresses[i], addresses[j]) })
	// The parts with stored expressions that set other columns than the patch.
	lacking := map[base.SourceID]bool{}
	if len(t.Expressions) > 0 {
		for _, p := range t.Parts {
			lacking[p.ID] = slices.ContainsFunc(t.PendingColumns(p), func(id base.ColumnID) bool { return !values.set[id] })
		}
	}
	var plain, filled []uint32
	for _, i := range updated {
		if lacking[addresses[i].Source] {
			filled = append(filled, i)
		} else {
			plain = append(plain, i)
		}
	}
	layers, err := values.layers(plain, func(i uint32) base.RowAddress { return addresses[i] })
	if err != nil || len(filled) == 0 {
		return layers, err
	}
	more, err := m.fill(ctx, t, values, filled, addresses)
	return append(layers, more...), err
}

// movesRow reports whether a change of these columns may change where a row is stored (its
// partition or position). The table has a primary key.
func movesRow(t schema.Table, columns []schema.Column) bool {
	return slices.ContainsFunc(columns, func(c schema.Column) bool {
		return !slices.Contains(t.PrimaryKey, c.ID) && t.InKey(c.ID)
	})
}

// emptyRows returns a batch of the table without rows.
func emptyRows(t schema.Table) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.Arrow())
	defer b.Release()
	return b.NewRecordBatch()
}
