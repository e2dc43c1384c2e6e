package mutate

import (
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
)

// insert runs the mode Insert for a table that refuses existing keys. Columns that the rows lack
// get their defaults. If the rows need new columns in the table, the edit that adds the rows also
// adds the columns. So a refused request changes nothing.
func (w *rowsRequest) insert() (engine.Counts, error) {
	t, evolution, records, err := w.store.Conform(w.ctx, w.rows, w.options)
	if err != nil {
		return engine.Counts{}, err
	}
	defer batch.ReleaseAll(records)
	w.evolution = evolution
	switch {
	case !t.InsertRefuses():
		return engine.Counts{}, errStale
	case batch.Rows(records) == 0:
		return engine.Counts{}, w.commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions)
	}
	sentColumns := givenBy(w.rows, t)
	if batch.TotalBytes(records) > w.loads.ChunkBytes() {
		// The rows are written as parts, and these need the new schema. So here the change of the
		// schema is an edit of its own.
		if err := w.commits.Evolve(w.ctx, w.optionsWithEvolution().Evolutions); err != nil {
			return engine.Counts{}, err
		}
		return w.bulkUpsert(w.ctx, t, sentColumns, refuseRow, w.options, batchesOf(records))
	}
	a, err := newIncoming(t, records, sentColumns, t.Columns, refuseRow)
	if err != nil {
		return engine.Counts{}, err
	}
	defer a.release()
	return w.upsert(w.ctx, []*incomingRows{a}, refuseRow, w.optionsWithEvolution(), nil)
}
