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

// interleave returns the rows of sorted parts in the order of the sort key. Rows with equal keys
// are in the order of the parts, and rows of one part keep their order.
//
// The simple way is a heap with the next row of each part. It compares and copies row by row, with
// a type switch per column each time. Instead, interleave works in windows. A window consists of
// all loaded rows that sort before every row that is not loaded yet. It is sorted and gathered by
// the same vectorized code as a flush, which is fast for input that is mostly sorted.
//
// Memory: a batch of each part, and a row group of the result.
type interleave struct {
	inputs []*cursor
	table  schema.Table
	keys   schema.Table // the table with only the columns of its sort key
	yield  func() error // called between row groups; an error ends the merge

	window []arrow.RecordBatch
	lanes  []uint16 // the number of the part of each row of the window
	// order has the ordinals in the window of the rows that were not returned yet, in the order of
	// the result. move records each row's way from its part to its place in the result.
	order []uint32
	last  []int64 // by part: the last row of the window that was returned

	parts    []base.SourceID // by number
	byNumber []*patch.Lane
	move     *patch.Interleaved
}

// cursor is a part and its loaded batch.
type cursor struct {
	input  *input
	number uint16
	rows   arrow.RecordBatch // not in a window yet; nil if there are none
	keys   arrow.RecordBatch // the sort key columns of rows
}

func newInterleave(inputs []*input, table schema.Table, yield func() error) *interleave {
	deleted := map[base.SourceID]*roaring.Bitmap{}
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

// note records where rows of the window go. Rows of one part must stay in order, because the move
// from old to new addresses relies on it.
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

// advance loads the next window.
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

// load reads a batch of every part that has no loaded rows, and drops the parts that are at their
// end.
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

// counts returns how many loaded rows of each part are in the window: the rows that sort before all
// rows that are not loaded.
func (in *interleave) counts() ([]int, error) {
	keys := make([]arrow.RecordBatch, len(in.inputs))
	// first[i] is the index of the first row of part i in the concatenation of all loaded rows
	first := make([]uint32, len(in.inputs))
	counts := make([]int, len(in.inputs))
	next := uint32(0)
	var lastRows []uint32 // of the parts that have more rows to load
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
	// The least of the last rows bounds the window. Among equal ones, that of the first part does.
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
		// Probes are in the order of the parts. So a stable sort puts a row that equals the bound
		// before it exactly if the row's part comes first.
		var rows []uint32
		var sourceOf []int
		for i := range search {
			if i == bound {
				rows, sourceOf = append(rows, boundRow), append(sourceOf, bound)
			}
			for p := range search[i].probes() {
				rows, sourceOf = append(rows, first[i]+uint32(p)), append(sourceOf, i)
			}
		}
		if len(rows) == 1 {
			break
		}
		if order, err = in.sortKeys(keys, rows); err != nil {
			return nil, err
		}
		before := make([]int, len(in.inputs)) // number of probes before the bound
		for _, o := range order {
			if sourceOf[o] == bound {
				break
			}
			before[sourceOf[o]]++
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

// sortKeys returns the order of some rows. It copies the rows first: the cost of a sort also grows
// with the dictionaries, and those of the copy contain only the values of these rows.
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

// interval bounds where the window ends in the loaded rows of a part: rows before from are in the
// window, rows at to and after it are not.
type interval struct{ from, to int }

// maxProbes is how many rows of a part are compared with the bound at once. With it, three steps
// search a whole row group.
const maxProbes = 64

func (iv interval) step() int { return max(1, (iv.to-iv.from+maxProbes-1)/maxProbes) }

// probes yields the rows to compare, ascending; none if the end is known.
func (iv interval) probes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for p := iv.from; p < iv.to && yield(p); p += iv.step() {
		}
	}
}

// narrow shrinks the interval, given how many of the probes are in the window.
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

// take removes and returns the first n loaded rows.
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

// close releases the loaded rows.
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
