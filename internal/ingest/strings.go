package ingest

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Strings collects a column's strings. As long as values repeat it keeps each of
// them once and an index per row (Arrow's dictionary form, uint32 indices); when
// too many are distinct it turns into plain utf8 and stays so.
//
// A lookup compares with the previous row's value first, which costs next to
// nothing and hits on sorted or constant columns, then goes to an open-addressing
// hash table over the bytes. Nothing is allocated per lookup.
type Strings struct {
	rows  int
	plain bool

	data    []byte  // the distinct values, or every row's if plain
	offsets []int32 // len(data) boundaries: one more than values

	indices []uint32 // per row, unless plain
	slots   []slot   // size is a power of two; at most half used
	last    slot     // of the previous row's value
}

type slot struct {
	key
	index uint32 // 1 + index of the value; 0 is an empty slot
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

// The seeds make collisions unpredictable to whoever chooses the values.
var seed0, seed1, seed2 = rand.Uint64(), rand.Uint64(), rand.Uint64() | 1

// key stands for a string: it is the string itself up to 16 bytes, as two words
// that may overlap, and a hash and the last word of a longer one. So most strings
// are compared without touching memory a second time.
type key struct {
	x, y uint64
	size uint32
}

const exactSize = 16 // longest string that its key tells apart from all others

func keyOf(b []byte) key {
	k := key{size: uint32(len(b))}
	switch n := len(b); {
	case n > exactSize:
		h := seed2
		for ; len(b) > exactSize; b = b[16:] {
			hi, lo := bits.Mul64(binary.LittleEndian.Uint64(b)^seed0^h, binary.LittleEndian.Uint64(b[8:])^seed1^h)
			h = hi ^ lo
		}
		rest := keyOf(b)
		hi, lo := bits.Mul64(rest.x^seed0^h, rest.y^seed1^h)
		k.x, k.y = hi^lo, rest.y
	case n >= 8:
		k.x, k.y = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		k.x, k.y = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		k.x = uint64(b[0])<<16 | uint64(b[n>>1])<<8 | uint64(b[n-1])
	}
	return k
}

func (k key) hash() uint64 {
	hi, lo := bits.Mul64(k.x^seed0^uint64(k.size), k.y^seed1)
	hi, lo = bits.Mul64(hi^lo^seed1, seed2)
	return hi ^ lo
}

func (s *Strings) value(i uint32) []byte { return s.data[s.offsets[i]:s.offsets[i+1]] }

// row returns the value of a row that is not NULL.
func (s *Strings) row(i int) []byte {
	if s.plain {
		return s.value(uint32(i))
	}
	return s.value(s.indices[i])
}

func (s *Strings) distinct() int { return len(s.offsets) - 1 }

// reserve makes room for rows in total.
func (s *Strings) reserve(rows int) {
	if s.offsets == nil {
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
		return validText(v) && s.appendPlain(v)
	}
	k := keyOf(v)
	if k != s.last.key || !s.holds(s.last, v) {
		if !s.find(k, v) {
			return s.appendNew(v, k)
		}
	}
	s.indices = append(s.indices, s.last.index-1)
	s.rows++
	return true
}

// holds reports whether v, whose key is that of slot e, is e's value.
func (s *Strings) holds(e slot, v []byte) bool {
	return e.index != 0 && (len(v) <= exactSize || string(v) == string(s.value(e.index-1)))
}

// find makes the slot of v, whose key is k, the last one, if there is such a slot.
func (s *Strings) find(k key, v []byte) bool {
	if len(s.slots) == 0 {
		return false
	}
	mask := len(s.slots) - 1
	for at := int(k.hash()) & mask; ; at = (at + 1) & mask {
		e := &s.slots[at]
		if e.index == 0 {
			return false
		}
		if e.key == k && s.holds(*e, v) {
			s.last = *e
			return true
		}
	}
}

// appendNew adds a row with a value that no earlier row has.
func (s *Strings) appendNew(v []byte, k key) bool {
	if !validText(v) || len(s.data)+len(v) > math.MaxInt32 {
		return false
	}
	s.reserve(0)
	n := s.distinct()
	if n >= dictionaryMax || n >= dictionaryCheck && n > s.rows/2 && n > cap(s.indices)/8 {
		if !s.turnPlain() {
			return false
		}
		return s.appendPlain(v)
	}
	if 2*(n+1) > len(s.slots) {
		s.grow()
	}
	s.data = append(s.data, v...)
	s.offsets = append(s.offsets, int32(len(s.data)))
	s.last = slot{key: k, index: uint32(n + 1)}
	s.place(s.last)
	s.indices = append(s.indices, uint32(n))
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

func (s *Strings) place(e slot) {
	mask := len(s.slots) - 1
	at := int(e.hash()) & mask
	for s.slots[at].index != 0 {
		at = (at + 1) & mask
	}
	s.slots[at] = e
}

func (s *Strings) grow() {
	old := s.slots
	s.slots = make([]slot, max(64, 4*len(old)))
	for _, e := range old {
		if e.index != 0 {
			s.place(e)
		}
	}
}

// turnPlain rewrites the rows in the plain form. It reports false if they do not
// fit into 2 GiB.
func (s *Strings) turnPlain() bool {
	if s.plain {
		return true
	}
	s.reserve(0)
	size := 0
	for _, i := range s.indices {
		if s.distinct() > 0 {
			size += len(s.value(i))
		}
	}
	if size > math.MaxInt32 {
		return false
	}
	data := make([]byte, 0, size)
	offsets := make([]int32, 1, max(s.rows, cap(s.indices))+1)
	for _, i := range s.indices {
		if s.distinct() > 0 {
			data = append(data, s.value(i)...)
		}
		offsets = append(offsets, int32(len(data)))
	}
	s.data, s.offsets = data, offsets
	s.indices, s.slots, s.plain = nil, nil, true
	return true
}

// settle chooses the final form once all rows are in: a dictionary of nearly as
// many values as rows is dearer than none.
func (s *Strings) settle() {
	if !s.plain && s.distinct() > s.rows/2 {
		s.turnPlain() // if it does not fit, the dictionary stays
	}
}
