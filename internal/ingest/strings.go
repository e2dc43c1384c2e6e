package ingest

import (
	"math"
	"slices"

	"github.com/scoterdb/scoter/internal/intern"
)

// Strings collects a column's strings. As long as values repeat it keeps each of
// them once and an index per row (Arrow's dictionary form, uint32 indices); when
// too many are distinct it turns into plain utf8 and stays so.
type Strings struct {
	rows  int
	plain bool

	values  intern.Table // unless plain
	indices []uint32     // per row, unless plain

	data    []byte  // of every row, if plain
	offsets []int32 // len(data) boundaries: one more than rows
}

// When a dictionary stops paying. Measured on 14-byte values, CPU per row: a repeated
// value costs 10 to 15 ns up to a thousand distinct ones, where plain utf8 costs 26;
// 23 at ten thousand, 35 at thirty thousand, where lookups miss the caches. A new value
// costs 40 to 80 ns where plain costs 15 to 27.
const (
	// dictionaryMax is the most values that a dictionary holds.
	dictionaryMax = 1 << 14

	// From dictionaryCheck values on, at least every second row must repeat one. Many
	// columns repeat little in their first rows, so values up to an eighth of the
	// expected rows are let pass: if none repeats after all, that has cost a fifth more.
	dictionaryCheck = 512
)

// row returns the value of a row that is not NULL.
func (s *Strings) row(i int) []byte {
	if s.plain {
		return s.data[s.offsets[i]:s.offsets[i+1]]
	}
	return s.values.Value(s.indices[i])
}

// reserve makes room for rows in total.
func (s *Strings) reserve(rows int) {
	if s.plain && s.offsets == nil {
		s.offsets = append(make([]int32, 0, 64), 0)
	}
	if !s.plain && rows > len(s.indices) {
		s.indices = slices.Grow(s.indices, rows-len(s.indices))
	}
}

// appendNulls adds n rows whose content is never looked at.
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

// append adds a row. It reports false, and adds nothing, if the value is not valid
// UTF-8 or the column outgrows utf8's 2 GiB.
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

// appendNew adds a row with a value that no earlier row has.
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

// turnPlain rewrites the rows in the plain form. It reports false if they do not
// fit into 2 GiB.
func (s *Strings) turnPlain() bool {
	if s.plain {
		return true
	}
	size := 0
	if s.values.Len() > 0 { // else all rows are NULL
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

// settle chooses the final form once all rows are in: a dictionary of nearly as
// many values as rows is dearer than none.
func (s *Strings) settle() {
	if !s.plain && s.values.Len() > s.rows/2 {
		s.turnPlain() // if it does not fit, the dictionary stays
	}
}
