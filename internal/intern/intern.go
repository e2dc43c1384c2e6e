// Package intern numbers distinct byte strings. It is used to build dictionaries of text.
package intern

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Table numbers distinct values from 0, in order of appearance. The zero Table is empty. It is a
// hash table with linear probing (Knuth, The Art of Computer Programming, 6.4). Go's map of strings
// takes several times as long for repeated values.
type Table struct {
	offsets []int32 // one more than there are values, or none
	data    []byte
	slots   []slot // the size is a power of two; at most half are used
	// last is the slot of the value that was found last. In sorted columns the next value is
	// usually the same.
	last slot
}

// slot identifies a value. For up to shortValue bytes it contains the value itself, so that
// comparisons need not read the table's data.
type slot struct {
	first, second uint64 // the value's words, or its hash and 0
	size          uint32
	index         uint32 // 1 + index of the value; 0 is an empty slot
}

const (
	// shortValue is the size of the two words of a slot.
	shortValue = 16
	firstSlots = 64
)

// The seeds make collisions unpredictable for clients that choose the values.
var (
	longSeed   = maphash.MakeSeed()
	firstSeed  = rand.Uint64()
	secondSeed = rand.Uint64()
)

// slotOf returns the slot of v, without an index.
func slotOf(v []byte) slot {
	n := len(v)
	s := slot{size: uint32(n)}
	switch {
	case n > shortValue:
		s.first = maphash.Bytes(longSeed, v)
	case n >= 8:
		s.first, s.second = binary.LittleEndian.Uint64(v), binary.LittleEndian.Uint64(v[n-8:])
	case n >= 4:
		s.first = uint64(binary.LittleEndian.Uint32(v)) | uint64(binary.LittleEndian.Uint32(v[n-4:]))<<32
	case n > 0:
		s.first = uint64(v[0]) | uint64(v[n>>1])<<8 | uint64(v[n-1])<<16
	}
	return s
}

// home returns the position at which the search for s starts.
func (t *Table) home(s *slot) int {
	high, low := bits.Mul64(s.first^firstSeed^uint64(s.size), s.second^secondSeed)
	return int(high^low) & (len(t.slots) - 1)
}

// Len returns the number of values.
func (t *Table) Len() int { return max(len(t.offsets)-1, 0) }

// Value returns a value. It belongs to the table and must not be changed.
func (t *Table) Value(i uint32) []byte { return t.data[t.offsets[i]:t.offsets[i+1]] }

// Bytes returns the total size of all values in bytes.
func (t *Table) Bytes() int { return len(t.data) }

// Texts returns the values, which must be UTF-8, as an array of strings that shares the table's
// memory. The caller releases it.
func (t *Table) Texts() *array.Data {
	offsets := t.offsets
	if len(offsets) == 0 {
		offsets = []int32{0}
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(t.data)}
	return array.NewData(arrow.BinaryTypes.String, t.Len(), buffers, nil, 0, 0)
}

// holds reports whether s, which is not empty, is the slot of v. key is slotOf(v).
func (t *Table) holds(s, key *slot, v []byte) bool {
	return s.first == key.first && s.second == key.second && s.size == key.size &&
		(key.size <= shortValue || bytes.Equal(t.Value(s.index-1), v))
}

// Find returns the index of v, and whether v has one.
func (t *Table) Find(v []byte) (index uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	key := slotOf(v)
	if t.holds(&t.last, &key, v) { // last is set: slots are created with the first value
		return t.last.index - 1, true
	}
	mask := len(t.slots) - 1
	for at := t.home(&key); ; at = (at + 1) & mask {
		s := &t.slots[at&(len(t.slots)-1)]
		if s.index == 0 {
			return 0, false
		}
		if t.holds(s, &key, v) {
			t.last = *s
			return s.index - 1, true
		}
	}
}

// Index returns the index of v, and adds v if it has none. All values together must be smaller than
// 2 GiB.
func (t *Table) Index(v []byte) uint32 {
	if i, ok := t.Find(v); ok {
		return i
	}
	return t.Add(v)
}

// IndexText is Index for a string.
func (t *Table) IndexText(v string) uint32 {
	return t.Index(unsafe.Slice(unsafe.StringData(v), len(v)))
}

// Add adds v, which must not have an index, and returns its index.
func (t *Table) Add(v []byte) uint32 {
	n := uint32(t.Len())
	if 2*int(n+1) > len(t.slots) {
		t.rehash()
	}
	if n == 0 {
		t.offsets = append(t.offsets, 0)
	}
	t.data = append(t.data, v...)
	t.offsets = append(t.offsets, int32(len(t.data)))
	t.last = slotOf(v)
	t.last.index = n + 1
	t.place(t.last)
	return n
}

func (t *Table) place(s slot) {
	mask := len(t.slots) - 1
	at := t.home(&s)
	for t.slots[at].index != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = s
}

func (t *Table) rehash() {
	old := t.slots
	t.slots = make([]slot, max(firstSlots, 4*len(old)))
	for _, s := range old {
		if s.index != 0 {
			t.place(s)
		}
	}
}
