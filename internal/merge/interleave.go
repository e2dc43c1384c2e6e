package merge

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
)

// interleave gives the rows of sorted sources in the order of the sort key; equal keys in the
// order of the sources, and within one in its order.
//
// The simple way is a heap of the sources' next rows. It compares and copies row by row, through the
// type of every column each time. Instead the rows go in windows: whatever of the sources' loaded
// batches sorts before everything that is not loaded yet. A window is sorted and gathered by the same vectorized
// code as a flush, to which rows that are sorted already cost little.
//
// Memory: a batch of each source, and a row group of the result.
type interleave struct {
	sources []*cursor
	table   schema.Table
	keys    schema.Table // the table with its sort key's columns alone
	yield   func() error // called between row groups; its error ends the merge

	window []arrow.RecordBatch
	// order are the window's rows still to be given, as ordinals over its batches: each row's
	// way from its source to its place in the result.
	order []uint32
}

// cursor is a source with the batch of it that is loaded.
type cursor struct {
	source *source
	rows   arrow.RecordBatch // not given yet; nil if there are none
	keys   arrow.RecordBatch // their sort key columns
}

func newInterleave(sources []*source, table schema.Table, yield func() error) *interleave {
	in := &interleave{table: table, yield: yield, keys: table}
	in.keys.Columns = nil
	for _, f := range table.SortKey {
		in.keys.Columns = append(in.keys.Columns, table.Columns[table.ColumnByID(f.Column)])
	}
	for _, s := range sources {
		in.sources = append(in.sources, &cursor{source: s})
	}
	return in
}

// next returns up to a row group of rows, which the caller releases, or io.EOF.
func (in *interleave) next() (arrow.RecordBatch, error) {
	if err := in.yield(); err != nil {
		return nil, err
	}
	if len(in.order) == 0 {
		if err := in.advance(); err != nil {
			return nil, err
		}
	}
	n := min(len(in.order), part.RowGroupRows)
	rec, err := batch.Take(in.window, in.order[:n])
	in.order = in.order[n:]
	return rec, err
}

// advance makes the next window.
func (in *interleave) advance() error {
	in.releaseWindow()
	if err := in.load(); err != nil {
		return err
	}
	if len(in.sources) == 0 {
		return io.EOF
	}
	last, err := in.bound()
	if err != nil {
		return err
	}
	var bound arrow.RecordBatch
	if last >= 0 {
		bound = in.sources[last].lastKey()
		defer bound.Release()
	}
	for i, c := range in.sources {
		n := int(c.rows.NumRows())
		if last >= 0 && i != last {
			if n, err = in.countBefore(c.keys, bound, i < last); err != nil {
				return err
			}
		}
		if n > 0 {
			in.window = append(in.window, c.take(n))
		}
	}
	in.order, err = batch.Sort(in.window, in.table)
	return err
}

// load gets a batch of every source that has none left, and forgets those at their end.
func (in *interleave) load() error {
	live := in.sources[:0]
	var failed error
	for _, c := range in.sources {
		for c.rows == nil && failed == nil {
			rec, err := c.source.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				failed = err
				break
			}
			if rec.NumRows() > 0 {
				c.rows, c.keys = rec, in.keysOf(rec)
			} else {
				rec.Release()
			}
		}
		if c.rows != nil {
			live = append(live, c)
		}
	}
	in.sources = live
	return failed
}

// bound returns the source whose last loaded row bounds the window: the least of those with more to
// come, the first of equals. It is -1 if everything is loaded.
func (in *interleave) bound() (int, error) {
	var candidates []int
	var lastKeys []arrow.RecordBatch
	defer func() { releaseRecords(lastKeys) }()
	for i, c := range in.sources {
		if c.source.left > 0 {
			candidates, lastKeys = append(candidates, i), append(lastKeys, c.lastKey())
		}
	}
	if len(candidates) == 0 {
		return -1, nil
	}
	order, err := batch.Sort(lastKeys, in.keys)
	if err != nil {
		return 0, err
	}
	return candidates[order[0]], nil
}

// countBefore returns how many of the sorted rows come before the row bound, which is one of
// another source. A row that equals it comes before it if its source does.
func (in *interleave) countBefore(rows, bound arrow.RecordBatch, sourceBefore bool) (int, error) {
	from, to := 0, int(rows.NumRows())
	for from < to {
		middle := (from + to) / 2
		row := rows.NewSlice(int64(middle), int64(middle)+1)
		pair, first := []arrow.RecordBatch{row, bound}, uint32(0)
		if !sourceBefore {
			pair, first = []arrow.RecordBatch{bound, row}, 1
		}
		order, err := batch.Sort(pair, in.keys)
		row.Release()
		if err != nil {
			return 0, err
		}
		if order[0] == first {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from, nil
}

// keysOf returns the sort key's columns of a batch.
func (in *interleave) keysOf(rec arrow.RecordBatch) arrow.RecordBatch {
	fields := make([]arrow.Field, len(in.keys.Columns))
	columns := make([]arrow.Array, len(fields))
	for i, c := range in.keys.Columns {
		at := in.table.ColumnByID(c.ID)
		fields[i], columns[i] = rec.Schema().Field(at), rec.Column(at)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
}

// lastKey returns the key of the last loaded row.
func (c *cursor) lastKey() arrow.RecordBatch {
	return c.keys.NewSlice(c.keys.NumRows()-1, c.keys.NumRows())
}

// take gives the first n loaded rows.
func (c *cursor) take(n int) arrow.RecordBatch {
	rows, keys := c.rows, c.keys
	defer keys.Release()
	total := rows.NumRows()
	if int64(n) == total {
		c.rows, c.keys = nil, nil
		return rows
	}
	defer rows.Release()
	c.rows, c.keys = rows.NewSlice(int64(n), total), keys.NewSlice(int64(n), total)
	return rows.NewSlice(0, int64(n))
}

func (in *interleave) releaseWindow() {
	releaseRecords(in.window)
	in.window, in.order = nil, nil
}

// close releases what is loaded.
func (in *interleave) close() {
	in.releaseWindow()
	for _, c := range in.sources {
		if c.rows != nil {
			c.rows.Release()
			c.keys.Release()
		}
	}
}

func releaseRecords(recs []arrow.RecordBatch) {
	for _, r := range recs {
		r.Release()
	}
}
