package mutate

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// delete deletes the existing rows that have the keys of the incoming rows. If the key is the
// table's primary key, the versions of the incoming rows count too: a row with a lower version than
// the existing row has no effect. If the table keeps tombstones (rows that say that their key is
// deleted), each row that has an effect leaves one.
func (w *rowsRequest) delete(t schema.Table, key []string) (engine.Counts, error) {
	ids, err := keyColumns(t, key)
	if err != nil {
		return engine.Counts{}, err
	}
	versioned := isKey(t, key) && schema.Contains(givenBy(w.rows, t), t.RowVersion)
	if versioned {
		ids = append(ids, t.RowVersion)
	}
	sub := t
	sub.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return !slices.Contains(ids, c.ID) })
	w.rows.Batches = slices.Clone(w.rows.Batches)
	for i, rec := range w.rows.Batches {
		w.rows.Batches[i] = selectColumns(rec, sub.Columns)
	}
	if err := checkSameColumns(w.rows, t); err != nil {
		return engine.Counts{}, err
	}
	sub.Columns = givenBy(w.rows, sub)
	records, err := w.conform(sub)
	if err != nil {
		return engine.Counts{}, err
	}
	defer batch.ReleaseAll(records)
	if !versioned || !t.KeepsTombstones() || batch.Rows(records) == 0 {
		return w.apply(sub, records, key)
	}
	if _, err := keyColumns(sub, key); err != nil {
		return engine.Counts{}, err
	}
	return w.writeTombstones(t, sub, records)
}

// writeTombstones inserts a tombstone for each incoming row. A tombstone has the columns that the
// row has. Its other columns are NULL, or an arbitrary value if they are NOT NULL, since no query
// shows them. For the same reason CHECK constraints are not checked.
func (w *rowsRequest) writeTombstones(t, sub schema.Table, records []arrow.RecordBatch) (engine.Counts, error) {
	var tombstones []arrow.RecordBatch
	defer func() { batch.ReleaseAll(tombstones) }()
	for _, rec := range records {
		made, err := tombstonesOf(t, sub, rec)
		if err != nil {
			return engine.Counts{}, err
		}
		tombstones = append(tombstones, made)
	}
	if batch.TotalBytes(tombstones) > w.loads.ChunkBytes() {
		return w.bulkUpsert(w.ctx, t, t.Columns, replaceRow, w.options, batchesOf(tombstones))
	}
	given := append(slices.Clone(sub.Columns), t.Columns[t.ColumnByID(t.IsDeleted)])
	a, err := newIncoming(t, tombstones, given, given, replaceRow)
	if err != nil {
		return engine.Counts{}, err
	}
	defer a.release()
	return w.upsert(w.ctx, []*incomingRows{a}, replaceRow, w.options, nil)
}

// tombstonesOf turns rows into tombstones of table t. The rows conform to sub, which has some of
// the columns of t.
func tombstonesOf(t, sub schema.Table, rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	var fields []arrow.Field
	var columns []arrow.Array
	add := func(c schema.Column, values arrow.Array) {
		fields, columns = append(fields, c.Arrow()), append(columns, values)
	}
	for _, c := range t.Columns {
		at := sub.ColumnByID(c.ID)
		switch {
		case c.ID == t.IsDeleted:
			b := array.NewBooleanBuilder(memory.DefaultAllocator)
			b.Append(true)
			values, err := batch.Repeat(b.NewArray(), int(rec.NumRows()))
			if err != nil {
				return nil, err
			}
			defer values.Release()
			add(c, values)
		case at >= 0:
			add(c, rec.Column(at))
		case c.NotNull:
			values, err := batch.Blank(c.Type, int(rec.NumRows()))
			if err != nil {
				return nil, base.Wrap(err, "column %q", c.Name)
			}
			defer values.Release()
			add(c, values)
		}
	}
	own := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
	defer own.Release()
	return batch.Conform(own, t, batch.ConformOptions{})
}

// selectColumns returns a batch with the columns of rec that are in the list wanted. It shares the
// arrays of rec without a reference of its own, so it must not be released.
func selectColumns(rec arrow.RecordBatch, wanted []schema.Column) arrow.RecordBatch {
	var at []int
	for i, f := range rec.Schema().Fields() {
		if slices.ContainsFunc(wanted, func(c schema.Column) bool { return schema.Fold(c.Name) == schema.Fold(f.Name) }) {
			at = append(at, i)
		}
	}
	return project(rec, at)
}
