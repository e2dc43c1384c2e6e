package mutate

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// planResult are the rows that a plan's query returned, with the action of the statement for each
// row. All slices except values have one element for each row. Rows are counted across all batches
// of values.
type planResult struct {
	plan    *rowPlan
	values  []arrow.RecordBatch // the plan's columns in storage types
	actions []uint8
	rows    []base.RowAddress // the address of each row; its Rowset is 0 for a new row
	// existingKeys has the hashes of the keys of existing rows. It is empty if the plan does not
	// read keys (rowPlan.yieldsKeys).
	existingKeys []batch.KeyHash
	// deleted has the rows to delete for a plan that only deletes. They are bitmaps, because these
	// need little memory for any number of rows. For such a plan all other fields are empty.
	deleted map[base.RowsetID]*roaring.Bitmap
	release []func()
}

func (f *planResult) close() {
	for _, rec := range f.values {
		rec.Release()
	}
	for _, r := range f.release {
		r()
	}
}

// collect reads the whole result of a plan's query. It reserves memory for the result, in the given
// reservation.
func (x *execution) collect(p *rowPlan, rows sqlquery.Rows, reservation *engine.Reservation) (*planResult, error) {
	f := &planResult{plan: p, deleted: map[base.RowsetID]*roaring.Bitmap{}}
	if err := sqlquery.Each(x.ctx, rows, func(rec arrow.RecordBatch) error { return f.add(reservation, rec) }); err != nil {
		f.close()
		return nil, p.query.withPosition(err)
	}
	return f, nil
}

func (f *planResult) add(reservation *engine.Reservation, rec arrow.RecordBatch) error {
	if f.plan.onlyDeletes() {
		return f.addDeleted(reservation, rec)
	}
	release, err := reservation.TryReserve(batch.Bytes(rec))
	if err != nil {
		return err
	}
	f.release = append(f.release, release)
	if err := f.addAddresses(rec); err != nil {
		return err
	}
	values, err := f.conform(rec)
	if err != nil {
		return err
	}
	f.values = append(f.values, values)
	return nil
}

// addDeleted adds the row addresses in a batch to f.deleted, the rows to delete.
func (f *planResult) addDeleted(reservation *engine.Reservation, rec arrow.RecordBatch) error {
	rowsets, ordinals := rec.Column(0).(*array.Uint64).Uint64Values(), rec.Column(1).(*array.Int64).Int64Values()
	rows := make([]uint32, len(ordinals))
	for i, n := range ordinals {
		rows[i] = uint32(n)
	}
	for from := 0; from < len(rowsets); {
		rowset, to := base.RowsetID(rowsets[from]), from
		for to < len(rowsets) && rowsets[to] == rowsets[from] {
			to++
		}
		removed := f.deleted[rowset]
		if removed == nil {
			removed = roaring.New()
			f.deleted[rowset] = removed
		}
		before := removed.GetSizeInBytes()
		removed.AddMany(rows[from:to])
		from = to
		if after := removed.GetSizeInBytes(); after > before {
			release, err := reservation.TryReserve(int64(after - before))
			if err != nil {
				return err
			}
			f.release = append(f.release, release)
		}
	}
	return nil
}

func (f *planResult) addAddresses(rec arrow.RecordBatch) error {
	n := int(rec.NumRows())
	rowsets, ordinals := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
	actions := rec.Column(2).(*array.Int32)
	f.actions, f.rows = slices.Grow(f.actions, n), slices.Grow(f.rows, n)
	for i := range n {
		action := actions.Value(i)
		if actions.IsNull(i) || int(action) >= len(f.plan.actions) {
			return base.Errorf(base.Internal, "a row without an action")
		}
		var row base.RowAddress
		switch kind := f.plan.actions[action].kind; {
		case kind == failRow:
			message := "Merge error condition WHEN " + f.plan.actions[action].name
			if given := rec.Column(3).(*array.String); given.IsValid(i) {
				message += ": " + given.Value(i)
			}
			return base.Errorf(base.Invalid, "%s", message)
		case kind != insertRow:
			row = base.RowAddress{Rowset: base.RowsetID(rowsets.Value(i)), Ordinal: base.RowOrdinal(ordinals.Value(i))}
		}
		f.actions = append(f.actions, uint8(action))
		f.rows = append(f.rows, row)
	}
	return f.addExistingKeys(rec)
}

// addExistingKeys reads the keys of existing rows from a batch of the query's result, and adds
// their hashes to f.existingKeys.
func (f *planResult) addExistingKeys(rec arrow.RecordBatch) error {
	columns := f.plan.keyColumns()
	if len(columns) == 0 {
		return nil
	}
	values := make([]arrow.Array, len(columns))
	first := len(f.plan.head()) - len(columns)
	for i, c := range columns {
		var err error
		if values[i], err = batch.Convert(rec.Column(first+i), c.Type); err != nil {
			return err
		}
		defer values[i].Release()
	}
	hashes, err := batch.KeyHashes(values)
	f.existingKeys = append(f.existingKeys, hashes...)
	return err
}

// conform returns the values of a batch in the types in which the table stores them.
func (f *planResult) conform(rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	table := f.plan.table
	table.Columns = f.plan.columns
	next, rows := len(f.plan.head()), rec.NumRows()
	var fields []arrow.Field
	var columns []arrow.Array
	for _, c := range table.Columns {
		if one := f.plan.constantValue(c); one != nil {
			values, err := batch.Repeat(one, int(rows))
			if err != nil {
				return nil, err
			}
			defer values.Release()
			fields, columns = append(fields, arrow.Field{Name: c.Name, Type: one.DataType()}), append(columns, values)
			continue
		}
		fields, columns = append(fields, rec.Schema().Field(next)), append(columns, rec.Column(next))
		next++
	}
	if next < int(rec.NumCols()) {
		if err := checkViolations(rec.Column(next), f.plan.table, 0); err != nil {
			return nil, err
		}
	}
	own := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rows)
	defer own.Release()
	return batch.Conform(own, table, batch.ConformOptions{})
}

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

// tombstones returns the numbers of the rows of a batch whose deletion column says that their key
// is deleted. The batch has the values of the plan's columns. For a plain UPDATE it returns no
// rows, because UPDATE may set the deletion column like any other.
func (p *rowPlan) tombstones(values arrow.RecordBatch) []uint32 {
	at := slices.IndexFunc(p.columns, func(c schema.Column) bool { return c.ID == p.table.IsDeleted })
	if at < 0 || p.verb == "UPDATE" {
		return nil
	}
	return batch.TrueRows(values.Column(at))
}

// changeSet sorts the effects (the rows that the query returned) by row address, and makes a change
// set of them. If the deletion column of a row says that its key is deleted, the existing row
// counts as deleted, and RETURNING does not return it. INSERT treats such rows in the same way.
func (f *planResult) changeSet() (*changeSet, error) {
	p := f.plan
	o := &changeSet{change: engine.Change{Table: p.table.ID, Deleted: f.deleted, Unmodified: map[base.RowsetID]*roaring.Bitmap{}}, movedRows: map[uint32]bool{}, tombstones: map[uint32]bool{}}
	for _, rows := range f.deleted {
		o.change.Counts.Deleted += int64(rows.GetCardinality())
	}
	set := map[base.ColumnID]bool{}
	for _, a := range p.actions {
		for _, id := range a.set {
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
		for _, i := range p.tombstones(values) {
			// Leave out rows that DELETE removes. For these rows the batch has the values from
			// before the statement, so their deletion column says nothing about the statement.
			o.tombstones[first+i] = p.actions[f.actions[first+i]].kind != deleteRow
		}
		first += uint32(values.NumRows())
	}
	for i, action := range f.actions {
		if p.actions[action].kind == insertRow {
			inserted = append(inserted, uint32(i))
			if !o.tombstones[uint32(i)] {
				o.change.Counts.Inserted++
			}
		}
	}
	o.returned = slices.DeleteFunc(slices.Concat(addressed, inserted), func(i uint32) bool { return o.tombstones[i] })
	for _, i := range addressed {
		if p.conflictsOnKey(p.actions[f.actions[i]]) {
			o.change.Keys = append(o.change.Keys, f.existingKeys[i].High)
		}
		switch p.actions[f.actions[i]].kind {
		case deleteRow:
			o.change.Counts.Deleted++
			addRow(o.change.Deleted, f.rows[i])
		case updateRow:
			if o.tombstones[i] {
				o.change.Counts.Deleted++
			} else {
				o.change.Counts.Updated++
			}
			switch {
			case o.tombstones[i] && !p.table.KeepsTombstones():
				addRow(o.change.Deleted, f.rows[i])
			case p.changesPlacement:
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
	values := newValues{table: p.table, columns: p.columns, values: f.values, columnsSet: set}
	o.change.Updated, err = values.patches(updated, func(row uint32) base.RowAddress { return f.rows[row] })
	return o, err
}

// existingRows returns the indexes, in f.rows, of the rows that change an existing row of the
// table. They are sorted by the address of the existing row. If several rows of f.rows change the
// same existing row, only the first of them is returned. If the plan does not allow that
// (rowPlan.rejectsDuplicates), existingRows returns an error.
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
	if len(order) < n && f.plan.rejectsDuplicates {
		return nil, base.Errorf(base.Invalid, "%s would change a row of table %s twice", f.plan.verb, f.plan.table.QualifiedName()).
			WithHint("at most one row of the source may match a row of the table")
	}
	return order, nil
}

// checkViolations returns an error if a row violates a CHECK constraint of the table. column has a
// Boolean for each row of a batch: true if the row violates a constraint. The argument first is the
// number of the batch's first row in the statement.
func checkViolations(column arrow.Array, t schema.Table, first int64) error {
	violated := column.(*array.Boolean)
	for i := range violated.Len() {
		if violated.IsValid(i) && violated.Value(i) {
			return engine.ErrViolated(t, first+int64(i))
		}
	}
	return nil
}
