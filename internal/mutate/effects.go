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
)

// effects are the rows that a plan's query returned, with the action of the statement for each row.
// All slices except values are indexed by the number of the row, counted across all batches of
// values.
type effects struct {
	plan    *rowPlan
	values  []arrow.RecordBatch // the plan's columns in storage types
	actions []uint8
	rows    []base.RowAddress // the address of each row; its Source is 0 for a new row
	// The keys of existing rows; empty if the plan does not read them (rowPlan.touches)
	touched []batch.KeyHash
	// removed has the rows to delete for a plan that only deletes. In bitmaps, any number of rows
	// takes little memory. For such a plan all other fields are empty.
	removed map[base.SourceID]*roaring.Bitmap
	release []func()
}

func (f *effects) close() {
	for _, rec := range f.values {
		rec.Release()
	}
	for _, r := range f.release {
		r()
	}
}

// collect reads the whole result of a plan's query. It reserves memory for the result from room.
func (x *execution) collect(p *rowPlan, rows Rows, room *engine.Room) (*effects, error) {
	f := &effects{plan: p, removed: map[base.SourceID]*roaring.Bitmap{}}
	if err := each(x.ctx, rows, func(rec arrow.RecordBatch) error { return f.add(room, rec) }); err != nil {
		f.close()
		return nil, p.query.placed(err)
	}
	return f, nil
}

func (f *effects) add(room *engine.Room, rec arrow.RecordBatch) error {
	if f.plan.onlyRemoves() {
		return f.addRemoved(room, rec)
	}
	release, err := room.Take(batch.Bytes(rec))
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

// addRemoved adds the rows whose addresses are in a batch to removed, the rows to delete.
func (f *effects) addRemoved(room *engine.Room, rec arrow.RecordBatch) error {
	sources, ordinals := rec.Column(0).(*array.Uint64).Uint64Values(), rec.Column(1).(*array.Int64).Int64Values()
	rows := make([]uint32, len(ordinals))
	for i, n := range ordinals {
		rows[i] = uint32(n)
	}
	for from := 0; from < len(sources); {
		source, to := base.SourceID(sources[from]), from
		for to < len(sources) && sources[to] == sources[from] {
			to++
		}
		removed := f.removed[source]
		if removed == nil {
			removed = roaring.New()
			f.removed[source] = removed
		}
		before := removed.GetSizeInBytes()
		removed.AddMany(rows[from:to])
		from = to
		if after := removed.GetSizeInBytes(); after > before {
			release, err := room.Take(int64(after - before))
			if err != nil {
				return err
			}
			f.release = append(f.release, release)
		}
	}
	return nil
}

func (f *effects) addAddresses(rec arrow.RecordBatch) error {
	n := int(rec.NumRows())
	sources, ordinals := rec.Column(0).(*array.Uint64), rec.Column(1).(*array.Int64)
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
			row = base.RowAddress{Source: base.SourceID(sources.Value(i)), Ordinal: base.RowOrdinal(ordinals.Value(i))}
		}
		f.actions = append(f.actions, uint8(action))
		f.rows = append(f.rows, row)
	}
	return f.addTouched(rec)
}

// addTouched reads the keys of existing rows from a batch of the query's result, and adds their
// hashes to touched.
func (f *effects) addTouched(rec arrow.RecordBatch) error {
	columns := f.plan.touched()
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
	f.touched = append(f.touched, hashes...)
	return err
}

// conform returns the values of a batch in the types in which the table stores them.
func (f *effects) conform(rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	table := f.plan.table
	table.Columns = f.plan.columns
	next, rows := len(f.plan.head()), rec.NumRows()
	var fields []arrow.Field
	var columns []arrow.Array
	for _, c := range table.Columns {
		if one := f.plan.given(c); one != nil {
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

// outcome is the change set of a statement, made of its effects. It also says which rows of the
// effects are returned or inserted.
type outcome struct {
	change engine.Change
	// The following fields have numbers of rows of the effects, in ascending order:
	//   - returned are the rows over which RETURNING is evaluated.
	//   - inserted are the rows of change.Inserted.
	//   - moved are the inserted rows that replace an existing row of the table.
	returned, inserted []uint32
	moved              map[uint32]bool
	// buries has the numbers of the rows of the effects that are deletions: their deletion column
	// says that their key is deleted.
	buries map[uint32]bool
}

// isNew reports whether row i of o.inserted does not replace an existing row.
func (o *outcome) isNew(i int) bool { return !o.moved[o.inserted[i]] }

// leaveOut removes rows from those that will be inserted. The argument's keys are indexes of
// o.inserted.
func (o *outcome) leaveOut(inserted map[uint32]bool) error {
	if len(inserted) == 0 {
		return nil
	}
	var kept []uint32
	for i, row := range o.inserted {
		if !inserted[uint32(i)] {
			kept = append(kept, uint32(i))
			continue
		}
		if o.buries[row] {
			continue // a deletion was not counted as inserted
		}
		o.change.Counts.Inserted--
		o.returned = slices.DeleteFunc(o.returned, func(r uint32) bool { return r == row })
	}
	if len(kept) == 0 {
		o.change.Inserted = nil
		return nil
	}
	rec, err := batch.Take(o.change.Inserted, kept)
	o.change.Inserted = []arrow.RecordBatch{rec}
	return err
}

// buries returns the numbers of the rows of a batch whose deletion column says that their key is
// deleted. The batch has the values of the plan's columns. For a plain UPDATE it returns none,
// because UPDATE may set that column like any other.
func (p *rowPlan) buries(values arrow.RecordBatch) []uint32 {
	at := slices.IndexFunc(p.columns, func(c schema.Column) bool { return c.ID == p.table.IsDeleted })
	if at < 0 || p.verb == "UPDATE" {
		return nil
	}
	return batch.TrueRows(values.Column(at))
}

// resolve orders the effects by row address, and makes a change set of them. A row whose deletion
// column says that its key is deleted has the same effect as in an INSERT: it counts as the
// deletion of the existing row, and RETURNING does not return it.
func (f *effects) resolve() (*outcome, error) {
	p := f.plan
	o := &outcome{change: engine.Change{Table: p.table.ID, Deleted: f.removed, Kept: map[base.SourceID]*roaring.Bitmap{}}, moved: map[uint32]bool{}, buries: map[uint32]bool{}}
	for _, rows := range f.removed {
		o.change.Counts.Deleted += int64(rows.GetCardinality())
	}
	set := map[base.ColumnID]bool{}
	for _, a := range p.actions {
		for _, id := range a.set {
			set[id] = true
		}
	}
	var inserted, updated []uint32
	addressed, err := f.addressed()
	if err != nil {
		return nil, err
	}
	first := uint32(0)
	for _, values := range f.values {
		for _, i := range p.buries(values) {
			// For a row that DELETE removes, values has the row as it was before, so its deletion
			// column does not count.
			o.buries[first+i] = p.actions[f.actions[first+i]].kind != deleteRow
		}
		first += uint32(values.NumRows())
	}
	for i, action := range f.actions {
		if p.actions[action].kind == insertRow {
			inserted = append(inserted, uint32(i))
			if !o.buries[uint32(i)] {
				o.change.Counts.Inserted++
			}
		}
	}
	o.returned = slices.DeleteFunc(slices.Concat(addressed, inserted), func(i uint32) bool { return o.buries[i] })
	for _, i := range addressed {
		if p.touchesKey(p.actions[f.actions[i]]) {
			o.change.Keys = append(o.change.Keys, f.touched[i].High)
		}
		switch p.actions[f.actions[i]].kind {
		case deleteRow:
			o.change.Counts.Deleted++
			addRow(o.change.Deleted, f.rows[i])
		case updateRow:
			if o.buries[i] {
				o.change.Counts.Deleted++
			} else {
				o.change.Counts.Updated++
			}
			switch {
			case o.buries[i] && !p.table.KeepsTombstones():
				addRow(o.change.Deleted, f.rows[i])
			case p.moves:
				addRow(o.change.Deleted, f.rows[i])
				inserted = append(inserted, i)
				o.moved[i] = true
			// Nothing is set, for example by ON CONFLICT DO UPDATE that sets only key columns.
			case len(set) == 0:
				addRow(o.change.Kept, f.rows[i])
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
	values := newValues{table: p.table, columns: p.columns, values: f.values, set: set}
	o.change.Updated, err = values.layers(updated, func(row uint32) base.RowAddress { return f.rows[row] })
	return o, err
}

// addressed returns the numbers of the effects on existing rows, by ascending address. If several
// effects are on one row, it returns the first one, or an error if the plan does not allow that
// (once).
func (f *effects) addressed() ([]uint32, error) {
	order := make([]uint32, 0, len(f.rows))
	for i, row := range f.rows {
		if row.Source != 0 {
			order = append(order, uint32(i))
		}
	}
	byAddress := func(a, b uint32) int { return compareAddresses(f.rows[a], f.rows[b]) }
	if !slices.IsSortedFunc(order, byAddress) {
		slices.SortStableFunc(order, byAddress)
	}
	n := len(order)
	order = slices.CompactFunc(order, func(a, b uint32) bool { return byAddress(a, b) == 0 })
	if len(order) < n && f.plan.once {
		return nil, base.Errorf(base.Invalid, "%s would change a row of table %s twice", f.plan.verb, f.plan.table.QualifiedName()).
			WithHint("not more than one row of the source may match a row of the table")
	}
	return order, nil
}

// checkViolations returns an error if a row violates a check of the table. column is Boolean, and
// true for such a row. first is the number of its first row in the statement.
func checkViolations(column arrow.Array, t schema.Table, first int64) error {
	violated := column.(*array.Boolean)
	for i := range violated.Len() {
		if violated.IsValid(i) && violated.Value(i) {
			return engine.ErrViolated(t, first+int64(i))
		}
	}
	return nil
}
