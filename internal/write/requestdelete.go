package write

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/schema"
)

// delete deletes the existing rows that have the keys of the incoming rows. If the key is the
// table's primary key, the versions of the incoming rows count too: a row with a lower version than
// the existing row has no effect. If the table keeps tombstones (rows that say that their key is
// deleted), each row that has an effect leaves one.
func (w *rowsRequest) delete(t schema.Table, key []string) (engine.Counts, error) {
	ids, err := incoming.KeyColumns(t, key)
	if err != nil {
		return engine.Counts{}, err
	}
	versioned := incoming.IsKey(t, key) && schema.Contains(incoming.GivenBy(w.rows, t), t.RowVersion)
	if versioned {
		ids = append(ids, t.RowVersion)
	}
	sub := t
	sub.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return !slices.Contains(ids, c.ID) })
	w.rows.Batches = slices.Clone(w.rows.Batches)
	for i, rec := range w.rows.Batches {
		w.rows.Batches[i] = incoming.SelectColumns(rec, sub.Columns)
	}
	if err := incoming.CheckSameColumns(w.rows, t); err != nil {
		return engine.Counts{}, err
	}
	sub.Columns = incoming.GivenBy(w.rows, sub)
	records, err := w.conform(sub)
	if err != nil {
		return engine.Counts{}, err
	}
	defer batch.ReleaseAll(records)
	if !versioned || !t.KeepsTombstones() || batch.Rows(records) == 0 {
		return w.apply(sub, records, key)
	}
	if _, err := incoming.KeyColumns(sub, key); err != nil {
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
		made, err := incoming.TombstonesOf(t, sub, rec)
		if err != nil {
			return engine.Counts{}, err
		}
		tombstones = append(tombstones, made)
	}
	if batch.TotalBytes(tombstones) > w.Loads.ChunkBytes() {
		return w.bulkUpsert(w.ctx, t, t.Columns, incoming.ReplaceRow, w.options, batchesOf(tombstones))
	}
	given := append(slices.Clone(sub.Columns), t.Columns[t.ColumnByID(t.IsDeleted)])
	a, err := incoming.New(t, tombstones, given, given, incoming.ReplaceRow)
	if err != nil {
		return engine.Counts{}, err
	}
	defer a.Release()
	return w.upsert(w.ctx, []*incoming.Rows{a}, incoming.ReplaceRow, w.options, nil)
}
