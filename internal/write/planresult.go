package write

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/statement"
)

// planResult are the rows that a plan's query returned, with the action of the statement for each
// row. All slices except values have one element for each row. Rows are counted across all batches
// of values.
type planResult struct {
	plan    *dml.Plan
	values  []arrow.RecordBatch // the plan's columns in storage types
	actions []uint8
	rows    []base.RowAddress // the address of each row; its Rowset is 0 for a new row
	// existingKeys has the hashes of the keys of existing rows. It is empty if the plan does not
	// read keys (dml.Plan.yieldsKeys).
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
func (x *execution) collect(p *dml.Plan, rows sqlquery.Rows, reservation *engine.Reservation) (*planResult, error) {
	f := &planResult{plan: p, deleted: map[base.RowsetID]*roaring.Bitmap{}}
	if err := sqlquery.Each(x.Ctx, rows, func(rec arrow.RecordBatch) error { return f.add(reservation, rec) }); err != nil {
		f.close()
		return nil, p.Query.WithPosition(err)
	}
	return f, nil
}

func (f *planResult) add(reservation *engine.Reservation, rec arrow.RecordBatch) error {
	if f.plan.OnlyDeletes() {
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
		if actions.IsNull(i) || int(action) >= len(f.plan.Actions) {
			return base.Errorf(base.Internal, "a row without an action")
		}
		var row base.RowAddress
		switch kind := f.plan.Actions[action].Kind; {
		case kind == dml.FailRow:
			message := "Merge error condition WHEN " + f.plan.Actions[action].Name
			if given := rec.Column(3).(*array.String); given.IsValid(i) {
				message += ": " + given.Value(i)
			}
			return base.Errorf(base.Invalid, "%s", message)
		case kind != dml.InsertRow:
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
	columns := f.plan.KeyColumns()
	if len(columns) == 0 {
		return nil
	}
	values := make([]arrow.Array, len(columns))
	first := len(f.plan.Head()) - len(columns)
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
	table := f.plan.Table
	table.Columns = f.plan.Columns
	next, rows := len(f.plan.Head()), rec.NumRows()
	var fields []arrow.Field
	var columns []arrow.Array
	for _, c := range table.Columns {
		if one := f.plan.ConstantValue(c); one != nil {
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
		if err := statement.CheckViolations(rec.Column(next), f.plan.Table, 0); err != nil {
			return nil, err
		}
	}
	own := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rows)
	defer own.Release()
	return batch.Conform(own, table, batch.ConformOptions{})
}
