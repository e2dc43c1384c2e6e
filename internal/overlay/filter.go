package overlay

/*
#include "memscan.h"
*/
import "C"

import (
	"math"
	"unsafe"

	"github.com/scoterdb/scoter/internal/schema"
)

// filter is a condition on one column that the scan of memtables checks. It corresponds to
// scoter_filter in memscan.h.
type filter struct {
	column      int // index of the column in the schema version of the memtables
	texts       []string
	least, most int64
}

// memtableFilters returns filters for those bounds (conditions of the query) that the scan of
// memtables can check. These are equality of texts, and ranges of whole numbers of four or eight
// bytes. All other bounds, and bounds of columns whose type has changed, are checked by the query
// itself.
func memtableFilters(now, written schema.Table, bounds []Bound) []filter {
	var out []filter
	ranges := map[int]int{} // for each column that has a filter, the index of that filter in out
	for i := range bounds {
		b := &bounds[i]
		current, at := now.ColumnByID(b.Column), written.ColumnByID(b.Column)
		if current < 0 || at < 0 || len(b.Values) == 0 || !now.Columns[current].Type.Equal(written.Columns[at].Type) {
			continue
		}
		switch written.Columns[at].Type.Kind {
		case schema.Varchar:
			if texts, ok := b.texts(); ok && b.Operator == Equal {
				out = append(out, filter{column: at, texts: texts})
			}
		case schema.Integer, schema.Date, schema.BigInt, schema.Timestamp, schema.TimestampTZ, schema.TimestampNS:
			values, ok := b.ints()
			if !ok {
				continue
			}
			k, known := ranges[at]
			if !known {
				k = len(out)
				ranges[at] = k
				out = append(out, filter{column: at, least: math.MinInt64, most: math.MaxInt64})
			}
			out[k].narrow(b.Operator, values)
		}
	}
	return out
}

func (b *Bound) texts() ([]string, bool) {
	out := make([]string, len(b.Values))
	for i, v := range b.Values {
		text, ok := v.Text()
		if !ok {
			return nil, false
		}
		out[i] = text
	}
	return out, true
}

// narrow makes the range of numbers of a filter smaller: it leaves out numbers that cannot meet a
// bound with this operator and these values. Both ends of the range are included, even for < and >,
// because the query checks its condition again.
func (f *filter) narrow(o Operator, values []int64) {
	least, most := values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	if o == Equal || o == Greater || o == GreaterOrEqual {
		f.least = max(f.least, least)
	}
	if o == Equal || o == Less || o == LessOrEqual {
		f.most = min(f.most, most)
	}
}

// describeFilters adds the filters, as C structs, to the description of a scan.
func (s *scan) describeFilters(out *C.scoter_scan, filters []filter) {
	m := &s.memory
	described := cArray[C.scoter_filter](m, len(filters))
	for i, f := range filters {
		d := &described[i]
		d.column, d.least, d.most = C.int32_t(f.column), C.int64_t(f.least), C.int64_t(f.most)
		texts, lengths := cArray[*C.char](m, len(f.texts)), cArray[C.int64_t](m, len(f.texts))
		for k, text := range f.texts {
			texts[k], lengths[k] = m.text(text), C.int64_t(len(text))
		}
		d.n_texts, d.texts, d.lengths = C.int32_t(len(texts)), unsafe.SliceData(texts), unsafe.SliceData(lengths)
	}
	out.n_filters, out.filters = C.int32_t(len(filters)), unsafe.SliceData(described)
}
