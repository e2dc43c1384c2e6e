package mutate

import "github.com/scoterdb/scoter/internal/batch"

// insert runs the mode Insert for a table that refuses existing keys. Columns that the rows lack
// get their defaults. New columns of the table are added in the edit that adds the rows, so a
// refused request changes nothing.
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
		// The evolution is a separate edit here, because the rows are written as parts, for the
		// schema that the table has after it.
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
