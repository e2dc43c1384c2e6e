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
	lanes  []uint16 // the source of each of the window's rows, as a number
	// order are the window's rows still to be given, as ordinals over its batches: each row's
	// way from its source to its place in the result, which goes to move.
	order []uint32
	last  []int64 // of the window's rows, the last one given, per source

	parts    []base.SourceID // of the sources, by number
	byNumber []*patch.Lane
	move     *patch.Interleaved
}

// cursor is a source with the batch of it that is loaded.
type cursor struct {
	source *source
	number uint16
	rows   arrow.RecordBatch // not given yet; nil if there are none
	keys   arrow.RecordBatch // their sort key columns
}

func newInterleave(sources []*source, table schema.Table, yield func() error) *interleave {
	deleted := map[base.SourceID]*roaring.Bitmap{}
	for _, s := range sources {
		deleted[s.part.ID] = nil
		if s.patches != nil {
			deleted[s.part.ID] = s.patches.Deleted
		}
	}
	in := &interleave{table: table, yield: yield, keys: table, move: patch.NewInterleaved(deleted), last: make([]int64, len(sources))}
	in.keys.Columns = nil
	for _, f := range table.SortKey {
		in.keys.Columns = append(in.keys.Columns, table.Columns[table.ColumnByID(f.Column)])
	}
	for i, s := range sources {
		in.sources = append(in.sources, &cursor{source: s, number: uint16(i)})
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

// note enters where rows of the window go. Each source's rows must come in their order: that is how they are found
// again.
func (in *interleave) note(order []uint32) error {
	for _, o := range order {
		n := in.lanes[o]
		if int64(o) <= in.last[n] {
			id := in.parts[n]
			return &sourceError{id, base.Errorf(base.Internal, "table %s: part %d is not in the order of the sort key", in.table.QualifiedName(), id)}
		}
		in.last[n] = int64(o)
		in.move.Add(in.byNumber[n])
	}
	return nil
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
	counts, err := in.counts()
	if err != nil {
		return err
	}
	for i, c := range in.sources {
		if counts[i] > 0 {
			in.window = append(in.window, c.take(counts[i]))
			in.lanes = append(in.lanes, slices.Repeat([]uint16{c.number}, counts[i])...)
		}
		in.last[c.number] = -1
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
			r, err := c.source.next()
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
	in.sources = live
	return failed
}

// counts returns how many of each source's loaded rows are in the window: those that come before
// all that is not loaded.
func (in *interleave) counts() ([]int, error) {
	keys := make([]arrow.RecordBatch, len(in.sources))
	first := make([]uint32, len(in.sources)) // of each source's rows among those of all
	counts := make([]int, len(in.sources))
	next := uint32(0)
	var lastRows []uint32 // of the sources with more to come
	var unfinished []int
	for i, c := range in.sources {
		keys[i], first[i], counts[i] = c.keys, next, int(c.keys.NumRows())
		next += uint32(counts[i])
		if c.source.left > 0 {
			lastRows, unfinished = append(lastRows, next-1), append(unfinished, i)
		}
	}
	if len(unfinished) == 0 {
		return counts, nil
	}
	// The least of the last rows bounds the window; of equals that of the first source.
	order, err := in.sortKeys(keys, lastRows)
	if err != nil {
		return nil, err
	}
	bound, boundRow := unfinished[order[0]], lastRows[order[0]]
	search := make([]interval, len(in.sources))
	for i := range search {
		if i != bound {
			search[i].to = counts[i]
		}
	}
	for {
		// Probes in the order of the sources: then a stable sort puts a row that equals the
		// bound before it exactly if its source comes first.
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
		before := make([]int, len(in.sources)) // probes before the bound
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

// sortKeys returns the order of some of the rows. They are taken out first: what a sort costs also
// grows with the dictionaries, and these then hold nothing else.
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

// interval is where in a source's loaded rows the window may end: rows before from are in
// it, those at to and after are not.
type interval struct{ from, to int }

// maxProbes is how many rows of a source are compared with the bound at once: three steps then search a
// whole row group.
const maxProbes = 64

func (iv interval) step() int { return max(1, (iv.to-iv.from+maxProbes-1)/maxProbes) }

// probes yields the rows to compare, ascending; none if the end is known.
func (iv interval) probes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for p := iv.from; p < iv.to && yield(p); p += iv.step() {
		}
	}
}

// narrow takes in that so many of the probes are in the window.
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
	in.window, in.order, in.lanes = nil, nil, in.lanes[:0]
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
