package mutate

import "github.com/scoterdb/scoter/internal/batch"

// insert runs the mode Insert for a table that refuses existing keys. Columns that the rows lack
// get their defaults. If the rows need new columns in the table, the edit that adds the rows also
// adds the columns. So a refused request changes nothing.
func (w *rowsRequest) insert() (Counts, error) {
	t, evolution, records, err := w.store.Conform(w.ctx, w.rows, w.options)
	if err != nil {
		return Counts{}, err
	}
	defer releaseAll(records)
	w.evolution = evolution
	switch {
	case !t.InsertRefuses():
		return Counts{}, errStale
	case batch.Rows(records) == 0:
		return Counts{}, w.store.Evolve(w.ctx, w.optionsWithEvolution().Evolutions)
	}
	sentColumns := givenBy(w.rows, t)
	if bytesOf(records) > w.store.ChunkBytes() {
		// The rows are written as parts, and these need the new schema. So here the change of the
		// schema is an edit of its own.
		if err := w.store.Evolve(w.ctx, w.optionsWithEvolution().Evolutions); err != nil {
			return Counts{}, err
		}
		return w.bulkUpsert(w.ctx, t, sentColumns, refuseRow, w.options, batchesOf(records))
	}
	a, err := newIncoming(t, records, sentColumns, t.Columns, refuseRow)
	if err != nil {
		return Counts{}, err
	}
	defer a.release()
	return w.upsert(w.ctx, []*incomingRows{a}, refuseRow, w.optionsWithEvolution(), nil)
}
