package mutate

import "github.com/scoterdb/scoter/internal/batch"

// insert adds rows to a table that refuses a key that is there. Columns that the rows lack have
// their defaults. What the table gains for the rows comes in their edit: a refused request changes
// nothing.
func (w *write) insert() (Counts, error) {
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
		return Counts{}, w.store.Evolve(w.ctx, w.evolving().Evolutions)
	}
	sent := givenBy(w.rows, t)
	if bytesOf(records) > w.store.ChunkBytes() {
		// Not in the edit of the rows, whose parts are written for the table as it is then.
		if err := w.store.Evolve(w.ctx, w.evolving().Evolutions); err != nil {
			return Counts{}, err
		}
		return w.insertMany(w.ctx, t, sent, refuseRow, w.options, taking(records))
	}
	a, err := arrive(t, records, sent, t.Columns, refuseRow)
	if err != nil {
		return Counts{}, err
	}
	defer a.release()
	return w.upsert(w.ctx, []*arrivals{a}, refuseRow, w.evolving(), nil)
}
