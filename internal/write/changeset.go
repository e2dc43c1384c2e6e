package write

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// changeSet is the change set of a statement, computed from its effects (the rows that its query
// returned). It also says which of these rows RETURNING reads, and which are inserted.
type changeSet struct {
	change engine.Change
	// The following fields have row numbers within the effects of the statement:
	//   - returned are the rows over which RETURNING is evaluated, ascending.
	//   - inserted are the rows of change.Inserted, ascending.
	//   - movedRows are the inserted rows that replace an existing row of the table.
	returned, inserted []uint32
	movedRows          map[uint32]bool
	// tombstones has the row numbers, within the effects, of deletions: rows whose deletion column
	// says that their key is deleted.
	tombstones map[uint32]bool
}

// isNew reports whether an inserted row does not replace an existing row. i is an index of
// o.inserted.
func (o *changeSet) isNew(i int) bool { return !o.movedRows[o.inserted[i]] }

// skip removes rows from the rows to insert. The keys of its argument are indexes of
// o.inserted.
func (o *changeSet) skip(inserted map[uint32]bool) error {
	if len(inserted) == 0 {
		return nil
	}
	var remaining []uint32
	for i, row := range o.inserted {
		if !inserted[uint32(i)] {
			remaining = append(remaining, uint32(i))
			continue
		}
		if o.tombstones[row] {
			continue // a deletion was not counted as inserted
		}
		o.change.Counts.Inserted--
		o.returned = slices.DeleteFunc(o.returned, func(r uint32) bool { return r == row })
	}
	if len(remaining) == 0 {
		o.change.Inserted = nil
		return nil
	}
	rec, err := batch.Take(o.change.Inserted, remaining)
	o.change.Inserted = []arrow.RecordBatch{rec}
	return err
}

// changeSet sorts the effects (the rows that the query returned) by row address, and makes a change
// set of them. If the deletion column of a row says that its key is deleted, the existing row
// counts as deleted, and RETURNING does not return it. INSERT treats such rows in the same way.
func (f *planResult) changeSet() (*changeSet, error) {
	p := f.plan
	o := &changeSet{change: engine.Change{Table: p.Table.ID, Deleted: f.deleted, Unmodified: map[base.RowsetID]*roaring.Bitmap{}}, movedRows: map[uint32]bool{}, tombstones: map[uint32]bool{}}
	for _, rows := range f.deleted {
		o.change.Counts.Deleted += int64(rows.GetCardinality())
	}
	set := map[base.ColumnID]bool{}
	for _, a := range p.Actions {
		for _, id := range a.Set {
			set[id] = true
		}
	}
	var inserted, updated []uint32
	addressed, err := f.existingRows()
	if err != nil {
		return nil, err
	}
	first := uint32(0)
	for _, values := range f.values {
		for _, i := range p.Tombstones(values) {
			// Leave out rows that DELETE removes. For these rows the batch has the values from
			// before the statement, so their deletion column says nothing about the statement.
			o.tombstones[first+i] = p.Actions[f.actions[first+i]].Kind != dml.DeleteRow
		}
		first += uint32(values.NumRows())
	}
	for i, action := range f.actions {
		if p.Actions[action].Kind == dml.InsertRow {
			inserted = append(inserted, uint32(i))
			if !o.tombstones[uint32(i)] {
				o.change.Counts.Inserted++
			}
		}
	}
	o.returned = slices.DeleteFunc(slices.Concat(addressed, inserted), func(i uint32) bool { return o.tombstones[i] })
	for _, i := range addressed {
		if p.ConflictsOnKey(p.Actions[f.actions[i]]) {
			o.change.Keys = append(o.change.Keys, f.existingKeys[i].High)
		}
		switch p.Actions[f.actions[i]].Kind {
		case dml.DeleteRow:
			o.change.Counts.Deleted++
			addRow(o.change.Deleted, f.rows[i])
		case dml.UpdateRow:
			if o.tombstones[i] {
				o.change.Counts.Deleted++
			} else {
				o.change.Counts.Updated++
			}
			switch {
			case o.tombstones[i] && !p.Table.KeepsTombstones():
				addRow(o.change.Deleted, f.rows[i])
			case p.ChangesPlacement:
				addRow(o.change.Deleted, f.rows[i])
				inserted = append(inserted, i)
				o.movedRows[i] = true
			// The action sets no columns. An example is ON CONFLICT DO UPDATE that sets only key
			// columns.
			case len(set) == 0:
				addRow(o.change.Unmodified, f.rows[i])
			default:
				updated = append(updated, i)
			}
		}
	}
	slices.Sort(o.returned)
	slices.Sort(inserted)
	if len(inserted) > 0 {
		rec, err := batch.Take(f.values, inserted)
		if err != nil {
			return nil, err
		}
		o.change.Inserted, o.inserted = []arrow.RecordBatch{rec}, inserted
	}
	values := newValues{table: p.Table, columns: p.Columns, values: f.values, columnsSet: set}
	o.change.Updated, err = values.patches(updated, func(row uint32) base.RowAddress { return f.rows[row] })
	return o, err
}

// existingRows returns the indexes, in f.rows, of the rows that change an existing row of the
// table. They are sorted by the address of the existing row. If several rows of f.rows change the
// same existing row, only the first of them is returned. If the plan does not allow that
// (dml.Plan.RejectsDuplicates), existingRows returns an error.
func (f *planResult) existingRows() ([]uint32, error) {
	order := make([]uint32, 0, len(f.rows))
	for i, row := range f.rows {
		if row.Rowset != 0 {
			order = append(order, uint32(i))
		}
	}
	byAddress := func(a, b uint32) int { return compareAddresses(f.rows[a], f.rows[b]) }
	if !slices.IsSortedFunc(order, byAddress) {
		slices.SortStableFunc(order, byAddress)
	}
	n := len(order)
	order = slices.CompactFunc(order, func(a, b uint32) bool { return byAddress(a, b) == 0 })
	if len(order) < n && f.plan.RejectsDuplicates {
		return nil, base.Errorf(base.Invalid, "%s would change a row of table %s twice", f.plan.Verb, f.plan.Table.QualifiedName()).
			WithHint("at most one row of the source may match a row of the table")
	}
	return order, nil
}

func compareAddresses(a, b base.RowAddress) int {
	if c := cmp.Compare(a.Rowset, b.Rowset); c != 0 {
		return c
	}
	return cmp.Compare(a.Ordinal, b.Ordinal)
}

// addRow adds a row to the bitmap of its rowset.
func addRow(to map[base.RowsetID]*roaring.Bitmap, row base.RowAddress) {
	if to[row.Rowset] == nil {
		to[row.Rowset] = roaring.New()
	}
	to[row.Rowset].Add(uint32(row.Ordinal))
}

// mergeRows adds the row numbers of one map of bitmaps to the other one (to). Each bitmap has rows
// of one rowset, and the keys of both maps are ids of rowsets.
func mergeRows(to, rows map[base.RowsetID]*roaring.Bitmap) {
	for rowset, more := range rows {
		if to[rowset] == nil {
			to[rowset] = roaring.New()
		}
		to[rowset].Or(more)
	}
}

// newValues has new values of columns for rows of a table, such as those that an UPDATE computed.
type newValues struct {
	table      schema.Table
	columns    []schema.Column // the columns that the batches in values have
	values     []arrow.RecordBatch
	columnsSet map[base.ColumnID]bool // the columns to change, a subset of the field columns
}

// patches makes patches for some rows of v: one patch (patch.Layer) for each rowset. The argument
// rows has numbers of rows in v.values. The function address gives the address of each row; these
// addresses must ascend.
func (v *newValues) patches(rows []uint32, address func(row uint32) base.RowAddress) ([]patch.Layer, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var columns []int // indexes into v.columns, by ascending column id
	for i, c := range v.columns {
		if v.columnsSet[c.ID] {
			columns = append(columns, i)
		}
	}
	slices.SortFunc(columns, func(a, b int) int { return cmp.Compare(v.columns[a].ID, v.columns[b].ID) })
	if len(columns) == 0 {
		return nil, nil
	}
	ids := make([]base.ColumnID, len(columns))
	for i, at := range columns {
		ids[i] = v.columns[at].ID
	}
	projected := make([]arrow.RecordBatch, len(v.values))
	for i, rec := range v.values {
		projected[i] = incoming.Project(rec, columns)
		defer projected[i].Release()
	}
	var out []patch.Layer
	for from := 0; from < len(rows); {
		to, rowset := from, address(rows[from]).Rowset
		for to < len(rows) && address(rows[to]).Rowset == rowset {
			to++
		}
		taken, err := batch.Gather(projected, rows[from:to])
		if err != nil {
			return nil, err
		}
		// Batches that arrive over HTTP may have dictionary arrays; patches must not.
		values, err := batch.Plain(taken)
		taken.Release()
		if err != nil {
			return nil, err
		}
		ordinals := make([]uint32, to-from)
		for i, row := range rows[from:to] {
			ordinals[i] = uint32(address(row).Ordinal)
		}
		out = append(out, patch.Layer{Rowset: rowset, Version: v.table.Version, Columns: ids, Ordinals: ordinals, Values: values})
		from = to
	}
	return out, nil
}
