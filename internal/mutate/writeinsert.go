package mutate

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
)

// insert adds rows to a table that refuses a key that is there. Columns that the rows lack have their defaults.
func (w *write) insert(t schema.Table) (Counts, error) {
	t, records, err := w.whole(t)
	if err != nil {
		return Counts{}, err
	}
	defer releaseAll(records)
	switch {
	case !t.InsertRefuses():
		return Counts{}, errStale
	case batch.Rows(records) == 0:
		return Counts{}, nil
	}
	sent := givenBy(w.rows, t)
	if bytesOf(records) > w.store.ChunkBytes() {
		return w.insertMany(w.ctx, t, sent, refuseRow, w.options, taking(records))
	}
	a, err := arrive(t, records, sent, t.Columns, refuseRow)
	if err != nil {
		return Counts{}, err
	}
	defer a.release()
	return w.upsert(w.ctx, []*arrivals{a}, refuseRow, w.options, nil)
}

// whole returns the rows as the table stores them. Where the table has to change for them, their keys are looked up first: a request that is refused
// leaves the table as it is.
func (w *write) whole(t schema.Table) (schema.Table, []arrow.RecordBatch, error) {
	fixed := w.options
	fixed.Create = false
	now, records, err := w.store.Conform(w.ctx, w.rows, fixed)
	if err == nil || !w.options.Create {
		return now, records, err
	}
	if err := w.checkNewKeys(t); err != nil {
		return t, nil, err
	}
	return w.store.Conform(w.ctx, w.rows, w.options)
}

// checkNewKeys refuses rows of which two have one key, or one has a key that is there. Rows that do not have all columns of the key pass.
func (w *write) checkNewKeys(t schema.Table) error {
	sub := t
	sub.Columns = slices.DeleteFunc(givenBy(w.rows, t), func(c schema.Column) bool { return !slices.Contains(t.PrimaryKey, c.ID) })
	if len(sub.Columns) < len(t.PrimaryKey) {
		return nil
	}
	var records []arrow.RecordBatch
	defer func() { releaseAll(records) }()
	for _, in := range w.rows.Batches {
		rec, err := batch.Conform(only(in, sub.Columns), sub, batch.ConformOptions{})
		if err != nil {
			return nil // Conform of whole rows says so, with the number of the row
		}
		records = append(records, rec)
	}
	all, err := batch.Concat(records)
	if err != nil {
		return err
	}
	defer all.Release()
	columns := keys.Key(sub, all)
	hashes, err := batch.KeyHashes(columns)
	if err != nil {
		return err
	}
	snap, err := w.store.Settled(w.ctx, t.ID)
	if err != nil {
		return err
	}
	defer snap.Release()
	found, err := w.keys.Find(w.ctx, snap.Tables[t.ID], columns, hashes)
	if err != nil {
		return err
	}
	seen := make(map[batch.KeyHash]bool, len(hashes))
	for i, h := range hashes {
		if seen[h] || found[i].Source != 0 {
			return refusedKey(t, columns, i)
		}
		seen[h] = true
	}
	return nil
}
