package merge

import (
	"io"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// interleave returns the rows of several sorted parts in the order of the sort key. Rows with equal
// keys are in the order of the parts, and rows of one part stay in their order.
//
// The usual way is a heap with the next row of each part. It compares and copies row by row, with a
// type switch per column each time. Instead, interleave works in windows. A window has all loaded
// rows that sort before every row that is not loaded yet. It is sorted and gathered by the same
// vectorized code as a flush, which is fast for input that is mostly sorted.
//
// interleave needs the memory of one batch of each part, and of one row group of the result.
type interleave struct {
	inputs []*cursor
	table  schema.Table
	keys   schema.Table // the table, with only the columns of its sort key
	// yield is the function that is called between row groups; if it returns an error, the merge
	// ends.
	yield func() error

	window []arrow.RecordBatch
	lanes  []uint16 // lanes[i] is the number of the part that row i of the window comes from
	// order has the rows of the window that were not returned yet, in the order of the result. Rows
	// are counted from the start of the window. The field move records the old and the new address
	// of each returned row.
	order []uint32
	// last[n] is the last returned row of part n, as an index in the window; -1 if there is none
	last []int64

	parts    []base.RowsetID // ids of the parts, by their numbers in the merge
	byNumber []*patch.Lane
	move     *patch.Interleaved
}

// cursor is one part of a merge, with a batch of rows that was loaded from it.
type cursor struct {
	input  *input
	number uint16
	rows   arrow.RecordBatch // loaded rows that are not in a window yet; nil if there are none
	keys   arrow.RecordBatch // the columns of the field rows that are in the sort key
}

func newInterleave(inputs []*input, table schema.Table, yield func() error) *interleave {
	deleted := map[base.RowsetID]*roaring.Bitmap{}
	for _, s := range inputs {
		deleted[s.part.ID] = nil
		if s.patches != nil {
			deleted[s.part.ID] = s.patches.Deleted
		}
	}
	in := &interleave{table: table, yield: yield, keys: table, move: patch.NewInterleaved(deleted), last: make([]int64, len(inputs))}
	in.keys.Columns = nil
	for _, f := range table.SortKey {
		in.keys.Columns = append(in.keys.Columns, table.Columns[table.ColumnByID(f.Column)])
	}
	for i, s := range inputs {
		in.inputs = append(in.inputs, &cursor{input: s, number: uint16(i)})
		in.parts, in.byNumber = append(in.parts, s.part.ID), append(in.byNumber, in.move.Lane(s.part.ID))
	}
	return in
}

// next returns the next rows of the result, at most one row group of them. After the last row it
// returns io.EOF. The caller releases the batch.
func (in *interleave) next() (arrow.RecordBatch, error) {
	if err := in.yield(); err != nil {
		return nil, err
	}
	if len(in.order) == 0 {
		if err := in.advance(); err != nil {
			return nil, err
		}
	}
	rec, n, err := batch.TakeFirst(in.window, in.order, part.RowGroupRows)
	if err != nil {
		return nil, err
	}
	if err := in.note(in.order[:n]); err != nil {
		rec.Release()
		return nil, err
	}
	in.order = in.order[n:]
	return rec, nil
}

// note records rows of the window as the next rows of the result. If rows of one part are out of
// order, it returns an error, because the field move, which maps old row addresses to new ones, can
// represent only rows that stay in order.
func (in *interleave) note(order []uint32) error {
	for _, o := range order {
		n := in.lanes[o]
		if int64(o) <= in.last[n] {
			id := in.parts[n]
			return &inputError{id, base.Errorf(base.Internal, "table %s: part %d is not in the order of the sort key", in.table.QualifiedName(), id)}
		}
		in.last[n] = int64(o)
		in.move.Add(in.byNumber[n])
	}
	return nil
}

// advance makes the next window: it loads batches as needed, and sorts the rows that belong to the
// window. A window has all loaded rows that sort before every row that is not loaded yet.
func (in *interleave) advance() error {
	in.releaseWindow()
	if err := in.load(); err != nil {
		return err
	}
	if len(in.inputs) == 0 {
		return io.EOF
	}
	counts, err := in.counts()
	if err != nil {
		return err
	}
	for i, c := range in.inputs {
		if counts[i] > 0 {
			in.window = append(in.window, c.take(counts[i]))
			in.lanes = append(in.lanes, slices.Repeat([]uint16{c.number}, counts[i])...)
		}
		in.last[c.number] = -1
	}
	in.order, err = batch.Sort(in.window, in.table)
	return err
}

// load reads a batch of each part that has no loaded rows, and removes the parts that have no more
// rows.
func (in *interleave) load() error {
	live := in.inputs[:0]
	var failed error
	for _, c := range in.inputs {
		for c.rows == nil && failed == nil {
			r, err := c.input.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				failed = err
				break
			}
			if r.rec.NumRows() > 0 {
				c.rows, c.keys = r.rec, in.keysOf(r.rec)
			} else {
				r.rec.Release()
			}
		}
		if c.rows != nil {
			live = append(live, c)
		}
	}
	in.inputs = live
	return failed
}

// counts returns for each part how many of its loaded rows belong to the next window: those that
// sort before every row that is not loaded yet.
func (in *interleave) counts() ([]int, error) {
	keys := make([]arrow.RecordBatch, len(in.inputs))
	// first[i] is where the rows of part i begin in the list of the loaded rows of all parts.
	first := make([]uint32, len(in.inputs))
	counts := make([]int, len(in.inputs))
	next := uint32(0)
	var lastRows []uint32 // last loaded row of each part that has more rows to load
	var unfinished []int
	for i, c := range in.inputs {
		keys[i], first[i], counts[i] = c.keys, next, int(c.keys.NumRows())
		next += uint32(counts[i])
		if c.input.left > 0 {
			lastRows, unfinished = append(lastRows, next-1), append(unfinished, i)
		}
	}
	if len(unfinished) == 0 {
		return counts, nil
	}
	// The window ends with the bound: the row that sorts first among lastRows. If several are
	// equal, it is the row of the first part.
	order, err := in.sortKeys(keys, lastRows)
	if err != nil {
		return nil, err
	}
	bound, boundRow := unfinished[order[0]], lastRows[order[0]]
	search := make([]interval, len(in.inputs))
	for i := range search {
		if i != bound {
			search[i].to = counts[i]
		}
	}
	for {
		// The probes (rows to compare with the bound) are listed in the order of their parts. So if
		// a probe equals the bound, the stable sort puts it before the bound exactly if the probe's
		// part comes first.
		var rows []uint32
		var partOf []int
		for i := range search {
			if i == bound {
				rows, partOf = append(rows, boundRow), append(partOf, bound)
			}
			for p := range search[i].probes() {
				rows, partOf = append(rows, first[i]+uint32(p)), append(partOf, i)
			}
		}
		if len(rows) == 1 {
			break
		}
		if order, err = in.sortKeys(keys, rows); err != nil {
			return nil, err
		}
		// before has for each part the number of its probes that sort before the bound.
		before := make([]int, len(in.inputs))
		for _, o := range order {
			if partOf[o] == bound {
				break
			}
			before[partOf[o]]++
		}
		for i := range search {
			search[i].narrow(before[i])
		}
	}
	for i := range counts {
		if i != bound {
			counts[i] = search[i].from
		}
	}
	return counts, nil
}

// sortKeys returns the sorted order of the given rows, as indexes in rows. The argument keys has
// the key columns of all loaded rows. sortKeys sorts a copy of the given rows, whose dictionaries
// have only the values of these rows, because sorting takes longer with larger dictionaries.
func (in *interleave) sortKeys(keys []arrow.RecordBatch, rows []uint32) ([]uint32, error) {
	if len(in.keys.Columns) == 0 {
		order := make([]uint32, len(rows))
		for i := range order {
			order[i] = uint32(i)
		}
		return order, nil
	}
	taken, err := batch.Take(keys, rows)
	if err != nil {
		return nil, err
	}
	defer taken.Release()
	return batch.Sort([]arrow.RecordBatch{taken}, in.keys)
}

// interval says what is known about where the window ends in the loaded rows of a part. The rows
// before the index from are in the window. The rows at and after the index to are not.
type interval struct{ from, to int }

// maxProbes is the maximum number of rows of a part that are compared with the bound (the last row
// of the window) at once. With 64 rows at a time, three steps find the end of the window in a whole
// row group.
const maxProbes = 64

func (iv interval) step() int { return max(1, (iv.to-iv.from+maxProbes-1)/maxProbes) }

// probes yields the indexes of the rows to compare with the bound (the last row of the window), in
// ascending order. If the end of the window is known, it yields none.
func (iv interval) probes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for p := iv.from; p < iv.to && yield(p); p += iv.step() {
		}
	}
}

// narrow makes the interval smaller. The argument before is the number of probes (rows that were
// compared with the bound) that sort before the bound. These rows are in the window.
func (iv *interval) narrow(before int) {
	step := iv.step()
	from, to := iv.from, iv.to
	if before > 0 {
		from = iv.from + (before-1)*step + 1
	}
	if next := iv.from + before*step; next < iv.to {
		to = next
	}
	iv.from, iv.to = from, to
}

// keysOf returns a batch that has the columns of rec which are in the sort key.
func (in *interleave) keysOf(rec arrow.RecordBatch) arrow.RecordBatch {
	fields := make([]arrow.Field, len(in.keys.Columns))
	columns := make([]arrow.Array, len(fields))
	for i, c := range in.keys.Columns {
		at := in.table.ColumnByID(c.ID)
		fields[i], columns[i] = rec.Schema().Field(at), rec.Column(at)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rec.NumRows())
}

// take removes the first n loaded rows from the cursor, and returns them.
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
	in.window, in.order, in.lanes = nil, nil, in.lanes[:0]
}

// close releases the loaded rows of all parts.
func (in *interleave) close() {
	in.releaseWindow()
	for _, c := range in.inputs {
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
