package patch

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// Column has the newest values of one column, for those rows of a rowset that have a new value in
// it.
type Column struct {
	Ordinals []uint32 // numbers of the rows with new values, ascending
	// Values are the new values in the column's storage type; texts are not dictionary-encoded.
	Values arrow.Array
}

// Column returns the new values of a column. They are converted to the column's current type, which
// may be wider than when some of them were set. Values of deleted rows may be included. If there
// are no new values, it returns nil. The set caches the result, so each call returns the same
// *Column until the type changes.
func (s *Set) Column(c schema.Column) (*Column, error) {
	at, found := slices.BinarySearchFunc(s.chains, c.ID, chain.compare)
	if !found {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	want := c.Type.Arrow()
	if known := s.folded[c.ID]; known != nil && arrow.TypeEqual(known.Values.DataType(), want) {
		return known, nil
	}
	runs, err := s.chains[at].compact()
	if err == nil {
		err = s.retype(runs, want, c.Type)
	}
	var r run
	if err == nil {
		r, err = fold(runs)
	}
	if err != nil {
		return nil, base.Wrap(err, "patch of rowset %d: column %q", s.Rowset, c.Name)
	}
	column := &Column{Ordinals: r.ordinals, Values: r.values}
	if s.folded == nil {
		s.folded = map[base.ColumnID]*Column{}
	}
	s.folded[c.ID] = column
	return column, nil
}

// retype converts the new values in all runs to the Arrow type want. Later runs are newer. Values
// that newer ones replace, and values of deleted rows, are left out, because the type want may not
// be able to represent them.
func (s *Set) retype(runs []run, want arrow.DataType, t schema.Type) (err error) {
	if len(runs) == 1 && arrow.TypeEqual(runs[0].values.DataType(), want) {
		return nil
	}
	gone := roaring.New()
	if s.Deleted != nil {
		gone = s.Deleted.Clone()
	}
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		newer := r.ordinals
		if !arrow.TypeEqual(r.values.DataType(), want) {
			var live, at []uint32
			for k, o := range r.ordinals {
				if !gone.Contains(o) {
					live, at = append(live, o), append(at, uint32(k))
				}
			}
			taken, err := batch.TakeValues(r.values, at)
			if err != nil {
				return err
			}
			r.ordinals = live
			if r.values, err = batch.Convert(taken, t); err != nil {
				return err
			}
		}
		gone.AddMany(newer)
	}
	return nil
}

// Within returns which of n consecutive rows have a new value. The argument first is the number of
// the first of these n rows in the rowset. The result rows has indexes from 0 to n-1. The result
// from is the index in c.Values of the value of rows[0].
func (c *Column) Within(first uint32, n int64) (rows []uint32, from int) {
	from, _ = slices.BinarySearch(c.Ordinals, first)
	for _, o := range c.Ordinals[from:] {
		if int64(o)-int64(first) >= n {
			break
		}
		rows = append(rows, o-first)
	}
	return rows, from
}

// Apply returns a copy of the batch rec in which changed rows have their new values. The argument
// first is the number of the batch's first row in its rowset. The argument table is the schema
// version of the batch, which must not be older than that of the new values. Deleted rows stay in
// the batch: see Live.
func (s *Set) Apply(rec arrow.RecordBatch, table schema.Table, first uint32) (arrow.RecordBatch, error) {
	columns := slices.Clone(rec.Columns())
	var made []arrow.Array
	for i, c := range table.Columns {
		newer, err := s.Column(c)
		if err != nil {
			return nil, err
		}
		if newer == nil {
			continue
		}
		rows, from := newer.Within(first, rec.NumRows())
		if len(rows) == 0 {
			continue
		}
		if columns[i], err = batch.Overlay(columns[i], rows, newer.Values, from); err != nil {
			return nil, base.Wrap(err, "patch of rowset %d: column %q", s.Rowset, c.Name)
		}
		made = append(made, columns[i])
	}
	if made == nil {
		rec.Retain()
		return rec, nil
	}
	defer func() {
		for _, a := range made {
			a.Release()
		}
	}()
	return array.NewRecordBatch(rec.Schema(), columns, rec.NumRows()), nil
}

// Gone returns which of n consecutive rows are deleted or have a new value in the column c. The
// argument first is the number of the first of these n rows in the rowset. The result has indexes
// from 0 to n-1. The values that were first written for these rows may not fit the column's current
// type. A nil set has no such rows.
func (s *Set) Gone(c schema.Column, first uint32, n int) (rows []uint32, err error) {
	if s == nil {
		return nil, nil
	}
	newer, err := s.Column(c)
	if err != nil {
		return nil, err
	}
	if newer != nil {
		rows, _ = newer.Within(first, int64(n))
	}
	if s.Deleted == nil {
		return rows, nil
	}
	deleted := s.Deleted.Iterator()
	deleted.AdvanceIfNeeded(first)
	for deleted.HasNext() && int64(deleted.PeekNext()) < int64(first)+int64(n) {
		rows = append(rows, deleted.Next()-first)
	}
	slices.Sort(rows)
	return slices.Compact(rows), nil
}

// Live returns which of n consecutive rows are not deleted. The argument first is the number of the
// first of these n rows in the rowset. The result live has indexes from 0 to n-1. If none of the
// rows is deleted, the result all is true, and the result live is nil.
func (s *Set) Live(first uint32, n int) (live []uint32, all bool) {
	if s == nil || s.Deleted == nil || !s.Deleted.IntersectsWithInterval(uint64(first), uint64(first)+uint64(n)) {
		return nil, true
	}
	deleted := s.Deleted.Iterator()
	deleted.AdvanceIfNeeded(first)
	for i := range uint32(n) {
		if deleted.HasNext() && deleted.PeekNext() == first+i {
			deleted.Next()
			continue
		}
		live = append(live, i)
	}
	return live, false
}

// Over returns the current values of a few rows in the column c. A row's value is the new value
// that the set has or, if there is none, its written value. The argument rows has ascending row
// numbers. The argument written has the values that these rows were written with. Over searches
// each row on its own, so it does not compute the new values of the whole column.
func (s *Set) Over(c schema.Column, rows []uint32, written arrow.Array) (arrow.Array, error) {
	at, found := slices.BinarySearchFunc(s.chains, c.ID, chain.compare)
	if !found {
		return written, nil
	}
	runs := s.chains[at].runs
	records := []arrow.RecordBatch{oneColumn(written)}
	next := uint32(written.Len())
	take := make([]uint32, len(rows))
	changed := false
	for i, row := range rows {
		take[i] = uint32(i)
		for _, r := range slices.Backward(runs) {
			k, there := slices.BinarySearch(r.ordinals, row)
			if !there {
				continue
			}
			value, err := batch.Convert(array.NewSlice(r.values, int64(k), int64(k+1)), c.Type)
			if err != nil {
				return nil, base.Wrap(err, "patch of rowset %d: column %q", s.Rowset, c.Name)
			}
			records = append(records, oneColumn(value))
			take[i], changed = next, true
			next++
			break
		}
	}
	if !changed {
		return written, nil
	}
	taken, err := batch.Take(records, take)
	if err != nil {
		return nil, base.Wrap(err, "patch of rowset %d: column %q", s.Rowset, c.Name)
	}
	return taken.Column(0), nil
}

func oneColumn(values arrow.Array) arrow.RecordBatch {
	return newRecord([]arrow.Field{{Name: "v", Type: values.DataType(), Nullable: true}}, []arrow.Array{values})
}
