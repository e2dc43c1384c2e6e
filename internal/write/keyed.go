package write

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
	"github.com/scoterdb/scoter/internal/tx"
)

// upsert commits incoming rows for one table in one edit. No key occurs in two elements of the
// argument all. The function before, if not nil, is called before the commit with the indexes of
// the rows of all[0] that the commit will store. If this call returns an error, nothing is
// committed. upsert returns tx.ErrStale if the table's schema has changed since the rows were
// prepared.
func (m *Writer) upsert(ctx context.Context, all []*incoming.Rows, c incoming.Policy, o engine.AppendOptions, before func(remaining []uint32) error) (counts engine.Counts, err error) {
	err = m.Retry(ctx, func(a *tx.Attempt) (err error) {
		o.Reservation, o.Lock = a.Reservation, a.Lock
		counts, err = m.tryUpsert(ctx, a, all, c, o, before)
		return err
	})
	return counts, err
}

func (m *Writer) tryUpsert(ctx context.Context, a *tx.Attempt, all []*incoming.Rows, c incoming.Policy, o engine.AppendOptions, before func(remaining []uint32) error) (counts engine.Counts, err error) {
	table := all[0].Table.ID
	if makes := len(o.Evolutions) > 0 && o.Evolutions[0].Table.Version == 1; makes {
		o.Lock = engine.NoLock // a table that does not exist yet cannot be locked
	}
	release, err := a.Begin(ctx, o.BeforeLockWait, o.Lock, table)
	if err != nil {
		return engine.Counts{}, err
	}
	defer release()
	snap, err := m.Snapshots.DeduplicatedSnapshotAs(ctx, o.Evolutions, table)
	if err != nil {
		return engine.Counts{}, err
	}
	defer snap.Release()
	change, remaining, err := m.upsertChanges(ctx, snap.Tables[table], all, c)
	if err == nil && before != nil {
		err = before(remaining)
	}
	if err != nil {
		return change.Counts, err
	}
	if len(change.Deleted)+len(change.Updated)+len(change.Inserted) == 0 {
		return change.Counts, m.Commits.Evolve(ctx, o.Evolutions)
	}
	_, err = m.Commits.Commit(ctx, snap, []engine.Change{change}, o)
	return change.Counts, err
}

// upsertChanges turns all incoming rows for one table into one engine.Change. No key occurs in two
// elements of the argument all. The result remaining has the indexes of the rows of all[0] that the
// change stores. upsertChanges returns tx.ErrStale if the table's schema has changed since the rows
// were prepared.
func (m *Writer) upsertChanges(ctx context.Context, t *snapshot.Table, all []*incoming.Rows, c incoming.Policy) (change engine.Change, remaining []uint32, err error) {
	for i, a := range all {
		if t.Schema.ID != a.Table.ID || t.Schema.Version != a.Table.Version {
			return change, nil, tx.ErrStale
		}
		one, rows, err := m.upsertChange(ctx, t, a, c)
		if err != nil {
			return change, nil, err
		}
		if i == 0 {
			change, remaining = one, rows
			continue
		}
		change.Counts = change.Counts.Plus(one.Counts)
		change.Updated, change.Inserted = append(change.Updated, one.Updated...), append(change.Inserted, one.Inserted...)
		change.Keys = append(change.Keys, one.Keys...)
		mergeRows(change.Deleted, one.Deleted)
		mergeRows(change.Unmodified, one.Unmodified)
	}
	return change, remaining, nil
}

// upsertChange turns incoming rows into an engine.Change. It compares them with the existing rows
// of the same keys in a snapshot. The result remaining has the indexes of the incoming rows that
// the change stores.
func (m *Writer) upsertChange(ctx context.Context, t *snapshot.Table, a *incoming.Rows, c incoming.Policy) (change engine.Change, remaining []uint32, err error) {
	addresses, err := m.Keys.Find(ctx, t, keys.Key(a.Table, a.Rows), a.Hashes)
	if err != nil {
		return change, nil, err
	}
	var states []keys.State
	if a.Table.RowVersion != 0 || a.Table.IsDeleted != 0 {
		if states, err = m.Keys.States(ctx, t, addresses); err != nil {
			return change, nil, err
		}
	}
	change, remaining, updated, err := keyedChange(a, addresses, states, c)
	if err == nil {
		updated, err = m.moveRows(ctx, t, a, &change, updated, addresses)
	}
	if err == nil {
		change.Updated, err = m.patches(ctx, t, a, updated, addresses)
	}
	return change, remaining, err
}

// keyedChange turns incoming rows into an engine.Change, based on the existing rows with the same
// keys. addresses has the address of the existing row for each incoming row; its Rowset is 0 if the
// key does not exist. states has the version and deletion mark of each existing row, if the table
// has versions or tombstones (rows that say that their key is deleted).
//
// The result remaining has the indexes of the incoming rows that the change stores. The result
// updated has the indexes of the rows that set only some columns in existing rows. They are not in
// the change yet: the caller makes patches of them.
func keyedChange(a *incoming.Rows, addresses []base.RowAddress, states []keys.State, c incoming.Policy) (change engine.Change, remaining, updated []uint32, err error) {
	change = engine.Change{Table: a.Table.ID, Deleted: map[base.RowsetID]*roaring.Bitmap{}, Unmodified: map[base.RowsetID]*roaring.Bitmap{}}
	whole := len(a.Assigned) == len(a.Table.Columns) && c == incoming.ReplaceRow
	moves := incoming.ChangesPlacement(a.Table, a.Assigned)
	sets := slices.ContainsFunc(a.Assigned, func(c schema.Column) bool { return !slices.Contains(a.Table.PrimaryKey, c.ID) })
	// In a table that merges on read, a commit may append a row without looking up its key. So the
	// committer compares the keys of such rows with change.Keys: the keys of the existing rows that
	// this change deletes, or whose version it sets.
	minded := a.Table.MergeOnRead && a.Table.RowVersion != 0
	touch := func(i int) {
		if minded {
			change.Keys = append(change.Keys, a.Hashes[i].High)
		}
	}
	var inserted []uint32
	for i, address := range addresses {
		stored := address.Rowset != 0
		there := stored
		if stored && states != nil {
			if a.IsSuperseded(i, states[i]) {
				addRow(change.Unmodified, address)
				continue
			}
			there = !states[i].Deleted
		}
		if there && c == incoming.RefuseRow && !a.Deletes(i) {
			return change, nil, nil, incoming.RefusedKey(a.Table, keys.Key(a.Table, a.Rows), i)
		}
		deletes := a.Deletes(i) || c == incoming.DeleteOnConflict
		leaves := !deletes || c != incoming.DeleteOnConflict && a.Table.KeepsTombstones() && !a.IsUnversionedDelete(uint32(i))
		switch {
		case there && c == incoming.SkipRow, !there && (c == incoming.UpdateOnConflict || c == incoming.DeleteOnConflict):
			if stored {
				addRow(change.Unmodified, address)
			} else {
				// No row has the key. The committer compares the key with later commits, because
				// the result is different if another statement inserts the key before this commit.
				change.Keys = append(change.Keys, a.Hashes[i].High)
			}
			continue
		case there && deletes:
			change.Counts.Deleted++
		case deletes:
			if !stored && !leaves {
				// No row has the key. The committer compares the key with later commits, because
				// this deletion has a different result if another statement inserts the key before
				// this commit.
				change.Keys = append(change.Keys, a.Hashes[i].High)
			}
		case there:
			change.Counts.Updated++
			remaining = append(remaining, uint32(i))
		default:
			change.Counts.Inserted++
			remaining = append(remaining, uint32(i))
		}
		// An incoming row with only some columns changes the existing row. But a tombstone that
		// would be stored in another place is inserted as a new row, since it does not need the
		// existing row's values of other columns.
		if leaves && there && !whole && !(deletes && moves) {
			if sets {
				updated = append(updated, uint32(i))
			} else {
				addRow(change.Unmodified, address)
			}
			if schema.Contains(a.Assigned, a.Table.RowVersion) {
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
	if len(inserted) > 0 && a.MissingNotNull != "" {
		return change, nil, nil, incoming.ErrMissingNotNull(a.Table, a.MissingNotNull)
	}
	if len(inserted) > 0 {
		rec, err := batch.Take([]arrow.RecordBatch{a.Rows}, inserted)
		if err != nil {
			return change, nil, nil, err
		}
		change.Inserted = []arrow.RecordBatch{rec}
		for _, at := range inserted {
			change.Keys = append(change.Keys, a.Hashes[at].High)
		}
	}
	return change, remaining, updated, nil
}

// patches makes patches that set columns of existing rows. If a part has pending columns (with a
// stored expression that no merge has applied yet), a patch for a row of this part also has the
// values that the row has now in these columns.
func (m *Writer) patches(ctx context.Context, t *snapshot.Table, a *incoming.Rows, updated []uint32, addresses []base.RowAddress) ([]patch.Layer, error) {
	values := newValuesOf(a)
	slices.SortFunc(updated, func(i, j uint32) int { return compareAddresses(addresses[i], addresses[j]) })
	// lacking[id] says that the part with this id lacks the results of an expression update (an
	// UPDATE that is stored as SQL) that sets columns which the patch does not set.
	lacking := map[base.RowsetID]bool{}
	if len(t.Expressions) > 0 {
		for _, p := range t.Parts {
			lacking[p.ID] = slices.ContainsFunc(t.PendingColumns(p), func(id base.ColumnID) bool { return !values.columnsSet[id] })
		}
	}
	var plain, filled []uint32
	for _, i := range updated {
		if lacking[addresses[i].Rowset] {
			filled = append(filled, i)
		} else {
			plain = append(plain, i)
		}
	}
	layers, err := values.patches(plain, func(i uint32) base.RowAddress { return addresses[i] })
	if err != nil || len(filled) == 0 {
		return layers, err
	}
	more, err := m.patchesWithPending(ctx, t, values, filled, addresses)
	return append(layers, more...), err
}
