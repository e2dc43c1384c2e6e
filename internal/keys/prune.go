package keys

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// ranges has the least and the greatest value among the wanted keys, for each column of the key.
type ranges []batch.ColumnStats

func rangesOf(columns []arrow.Array) (ranges, error) {
	out := make(ranges, len(columns))
	return out, out.add(columns)
}

// add extends the ranges so that they include the given values. The argument columns has one array
// for each column of the key.
func (r ranges) add(columns []arrow.Array) error {
	for i, c := range columns {
		stats, err := batch.Stats(c)
		if err != nil {
			return err
		}
		r[i] = r[i].Merge(stats)
	}
	return nil
}

// meet reports whether a part may have any of the wanted keys, according to its statistics.
func (r ranges) meet(t *snapshot.Table, key []base.ColumnID, p *catalog.Part) bool {
	for i, id := range key {
		stats, known := boundsOf(t, id, p)
		if !known {
			continue
		}
		// If a range has NaN, its upper end is not known, because NaN is above all other values.
		if order, ok := r[i].Max.Compare(stats.Min); ok && order < 0 && !r[i].HasNaN {
			return false
		}
		if order, ok := r[i].Min.Compare(stats.Max); ok && order > 0 {
			return false
		}
	}
	return true
}

// leading has the values of the wanted keys in the first column of the key, if they are whole
// numbers. With them each key is looked up only in the parts that may have it. In a table that is
// sorted by this column, that is usually one part of many.
type leading []int64

// add appends the values of the array a. If they are not whole numbers, the result is nil.
func (l leading) add(a arrow.Array) leading {
	switch a := a.(type) {
	case *array.Int8:
		return appendAll(l, a.Int8Values())
	case *array.Int16:
		return appendAll(l, a.Int16Values())
	case *array.Int32:
		return appendAll(l, a.Int32Values())
	case *array.Int64:
		return append(l, a.Int64Values()...)
	case *array.Uint8:
		return appendAll(l, a.Uint8Values())
	case *array.Uint16:
		return appendAll(l, a.Uint16Values())
	case *array.Uint32:
		return appendAll(l, a.Uint32Values())
	case *array.Date32:
		return appendAll(l, a.Date32Values())
	case *array.Timestamp:
		return appendAll(l, a.TimestampValues())
	}
	return nil
}

func appendAll[T int8 | int16 | int32 | uint8 | uint16 | uint32 | arrow.Date32 | arrow.Timestamp](to []int64, values []T) []int64 {
	to = slices.Grow(to, len(values))
	for _, v := range values {
		to = append(to, int64(v))
	}
	return to
}

// within returns a function that reports whether a part may have a wanted key. The argument of the
// function is the index of the key. If no key can be excluded for the part, within returns nil.
func (l leading) within(t *snapshot.Table, key []base.ColumnID, p *catalog.Part) func(row uint32) bool {
	stats, known := boundsOf(t, key[0], p)
	least, ok := wholeNumber(stats.Min)
	most, alsoOK := wholeNumber(stats.Max)
	if l == nil || !known || !ok || !alsoOK {
		return nil
	}
	return func(row uint32) bool { return least <= l[row] && l[row] <= most }
}

func wholeNumber(v schema.Value) (int64, bool) {
	if n, ok := v.Int(); ok {
		return n, true
	}
	n, ok := v.Uint()
	return int64(n), ok && n <= math.MaxInt64
}

// shareKeys reports whether two parts may have rows of the same key.
func shareKeys(t *snapshot.Table, key []base.ColumnID, p, q *catalog.Part) bool {
	for _, id := range key {
		a, known := boundsOf(t, id, p)
		b, alsoKnown := boundsOf(t, id, q)
		if !known || !alsoKnown {
			continue
		}
		if order, ok := a.Max.Compare(b.Min); ok && order < 0 {
			return false
		}
		if order, ok := a.Min.Compare(b.Max); ok && order > 0 {
			return false
		}
	}
	return true
}

// boundsOf returns the statistics of a column in a part. If the column had another type when the
// part was written, it returns false.
func boundsOf(t *snapshot.Table, id base.ColumnID, p *catalog.Part) (schema.ColumnStats, bool) {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return schema.ColumnStats{}, false
	}
	at := written.ColumnByID(id)
	now := t.Schema.Columns[t.Schema.ColumnByID(id)]
	stats, ok := p.Stats[id]
	return stats, ok && at >= 0 && written.Columns[at].Type.Equal(now.Type)
}
