package part

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"
)

// dictionary is what the different values of a leaf are, in order of appearance, as PLAIN has them.
type dictionary struct {
	page   []byte
	values int
}

// distinctValues makes a dictionary of a leaf's values, and replaces them in its pieces by their indices; false, and the
// pieces are as they were, if the dictionary would be larger than a page of it may be.
func distinctValues(descr *pqschema.Column, pieces []shredded) (dictionary, bool) {
	d := dictionary{}
	indices := make([][]int32, len(pieces))
	for i, s := range pieces {
		indices[i] = make([]int32, s.present.len())
		if ext, is := s.values.(array.ExtensionArray); is {
			pieces[i].values = ext.Storage()
			pieces[i].values.Retain()
			s.values.Release()
		}
	}
	var add func(values arrow.Array, s selection, out []int32) bool
	switch descr.PhysicalType() {
	case parquet.Types.Int32:
		add = numbers(&d, int32s)
	case parquet.Types.Int64:
		add = numbers(&d, int64s)
	default:
		add = d.others(descr)
	}
	for i, s := range pieces {
		if !add(s.values, s.present, indices[i]) {
			return dictionary{}, false
		}
	}
	if d.values == 0 {
		return dictionary{}, false
	}
	for i := range pieces {
		s := &pieces[i]
		data := array.NewData(arrow.PrimitiveTypes.Int32, len(indices[i]), []*memory.Buffer{nil, memory.NewBufferBytes(bytesOf(indices[i]))}, nil, 0, 0)
		s.values.Release()
		s.values = array.NewInt32Data(data)
		s.present = selectAll(s.values)
	}
	return d, true
}

// numbers adds numbers to a dictionary; it returns false once there are too many.
func numbers[T int32 | int64](d *dictionary, gather func(arrow.Array, selection) ([]T, bool)) func(arrow.Array, selection, []int32) bool {
	known := map[T]int32{}
	return func(values arrow.Array, s selection, out []int32) bool {
		all, ok := gather(values, s)
		for i, v := range all {
			index, seen := known[v]
			if !seen {
				index = int32(d.values)
				known[v] = index
				d.page = append(d.page, bytesOf([]T{v})...)
				d.values++
				if len(d.page) > maxDictionaryBytes {
					return false
				}
			}
			out[i] = index
		}
		return ok
	}
}

// others is numbers of anything else.
func (d *dictionary) others(descr *pqschema.Column) func(arrow.Array, selection, []int32) bool {
	known := map[string]int32{}
	return func(values arrow.Array, s selection, out []int32) bool {
		for i := range out {
			before := len(d.page)
			page, err := appendPlain(d.page, descr, values, s.slice(i, i+1))
			if err != nil || len(page) > maxDictionaryBytes {
				return false
			}
			d.page = page
			index, seen := known[string(page[before:])]
			if seen {
				d.page = page[:before]
			} else {
				index = int32(d.values)
				known[string(page[before:])] = index
				d.values++
			}
			out[i] = index
		}
		return true
	}
}
