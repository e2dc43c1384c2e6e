package ingest

import (
	"math"
	"slices"

	"github.com/scoterdb/scoter/internal/intern"
)

// Strings collects the values of a column of text or bytes. While values repeat, it stores each
// distinct value once, and one uint32 index per row, as in Arrow's dictionary layout. When too many
// values are distinct, it switches to the layout of plain utf8 for good.
type Strings struct {
	rows  int
	plain bool

	// values are the distinct values of the column. The field is used until the column switches to
	// plain utf8.
	values intern.Table
	// indices has the index of each row's value. The field is used until the column switches to
	// plain utf8.
	indices []uint32

	// data has the bytes of all rows. The field is used once the column has switched to plain utf8.
	data []byte
	// offsets says where each row begins in data, and where the last one ends. The field is used
	// once the column has switched to plain utf8.
	offsets []int32
}

// dictionaryMax and dictionaryCheck are limits above which a dictionary is given up. Measured with
// 14-byte values, in CPU time per row:
//   - A repeated value costs 10 to 15 ns with up to a thousand distinct values. In plain utf8 it
//     costs 26. With more distinct values, lookups miss the CPU caches: 23 ns at ten thousand, 35
//     at thirty thousand.
//   - A new value costs 40 to 80 ns. In plain utf8 it costs 15 to 27.
const (
	// dictionaryMax is the maximum number of values in a dictionary.
	dictionaryMax = 1 << 14

	// dictionaryCheck is the number of values above which at least every second row must repeat a
	// value. Many columns repeat little in their first rows, so this rule does not apply until the
	// number of values exceeds an eighth of the expected rows. If no value repeats after all, a
	// fifth of the time is wasted.
	dictionaryCheck = 512
)

// row returns the value of row i, which must not be NULL.
func (s *Strings) row(i int) []byte {
	if s.plain {
		return s.data[s.offsets[i]:s.offsets[i+1]]
	}
	return s.values.Value(s.indices[i])
}

// reserve allocates memory for the given total number of rows.
func (s *Strings) reserve(rows int) {
	if s.plain && s.offsets == nil {
		s.offsets = append(make([]int32, 0, 64), 0)
	}
	if !s.plain && rows > len(s.indices) {
		s.indices = slices.Grow(s.indices, rows-len(s.indices))
	}
}

// appendNulls appends n rows for NULLs. Their content is never read.
func (s *Strings) appendNulls(n int) {
	s.reserve(0)
	s.rows += n
	if s.plain {
		for range n {
			s.offsets = append(s.offsets, int32(len(s.data)))
		}
		return
	}
	s.indices = append(s.indices, make([]uint32, n)...)
}

// append appends a row with the value v. It returns false and appends nothing in two cases: v is
// not valid UTF-8 (in a column of text), or the column would exceed the maximum of 2 GiB.
func (s *Strings) append(v []byte) bool {
	if s.plain {
		return ValidText(v) && s.appendPlain(v)
	}
	index, ok := s.values.Find(v)
	if !ok {
		return s.appendNew(v)
	}
	s.indices = append(s.indices, index)
	s.rows++
	return true
}

// appendNew appends a row with a value that no earlier row has. It returns what append returns.
func (s *Strings) appendNew(v []byte) bool {
	if !ValidText(v) || s.values.Bytes()+len(v) > math.MaxInt32 {
		return false
	}
	n := s.values.Len()
	if n >= dictionaryMax || n >= dictionaryCheck && n > s.rows/2 && n > cap(s.indices)/8 {
		if !s.turnPlain() {
			return false
		}
		return s.appendPlain(v)
	}
	s.indices = append(s.indices, s.values.Add(v))
	s.rows++
	return true
}

func (s *Strings) appendPlain(v []byte) bool {
	if len(s.data)+len(v) > math.MaxInt32 {
		return false
	}
	s.data = append(s.data, v...)
	s.offsets = append(s.offsets, int32(len(s.data)))
	s.rows++
	return true
}

// turnPlain gives up the dictionary and converts the rows to plain utf8. It returns false if they
// do not fit into 2 GiB.
func (s *Strings) turnPlain() bool {
	if s.plain {
		return true
	}
	size := 0
	if s.values.Len() > 0 { // without values, all rows are NULL
		for _, i := range s.indices {
			size += len(s.values.Value(i))
		}
	}
	if size > math.MaxInt32 {
		return false
	}
	data := make([]byte, 0, size)
	offsets := make([]int32, 1, max(s.rows, cap(s.indices))+1)
	for _, i := range s.indices {
		if s.values.Len() > 0 {
			data = append(data, s.values.Value(i)...)
		}
		offsets = append(offsets, int32(len(data)))
	}
	s.data, s.offsets = data, offsets
	s.indices, s.values, s.plain = nil, intern.Table{}, true
	return true
}

// chooseLayout decides, when all rows are present, whether the dictionary is given up. A dictionary
// with nearly as many values as rows costs more than plain utf8.
func (s *Strings) chooseLayout() {
	if !s.plain && s.values.Len() > s.rows/2 {
		s.turnPlain() // if the rows do not fit into plain utf8, the dictionary stays
	}
}
