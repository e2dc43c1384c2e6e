// Package intern gives each distinct byte string a number. It is used to build dictionaries of text
// columns.
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

// Table gives distinct byte strings numbers from 0, in the order in which they are added. The zero
// Table is empty. It is a hash table with linear probing (Knuth, The Art of Computer Programming,
// 6.4). Go's map of strings takes several times as long for repeated values.
type Table struct {
	// offsets[i] is where value i begins in data, and offsets[i+1] where it ends. A table without
	// values has no offsets.
	offsets []int32
	data    []byte
	// slots are the entries of the hash table. Their number is a power of two, and at most half of
	// them are used.
	slots []slot
	// last is the entry of the hash table that Find or Index found last. In sorted columns the next
	// value is usually the same.
	last slot
}

// slot is one entry of the hash table. A value of at most shortValue bytes is stored in its slot,
// so that comparisons need not read the table's data.
type slot struct {
	// the bytes of a short value; for a longer value, first is its hash, and second is 0
	first, second uint64
	size          uint32
	index         uint32 // index of the value plus 1; 0 means that the slot is empty
}

const (
	// shortValue is the size in bytes of the fields first and second of a slot together.
	shortValue = 16
	firstSlots = 64
)

// The seeds of the hash function are random. So clients that choose the values cannot cause
// collisions.
var (
	longSeed   = maphash.MakeSeed()
	firstSeed  = rand.Uint64()
	secondSeed = rand.Uint64()
)

// slotOf returns an entry of the hash table for a value v. Its field index is not set.
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

// home returns the position in the hash table at which the search for the entry s starts.
func (t *Table) home(s *slot) int {
	high, low := bits.Mul64(s.first^firstSeed^uint64(s.size), s.second^secondSeed)
	return int(high^low) & (len(t.slots) - 1)
}

// Len returns the number of values.
func (t *Table) Len() int { return max(len(t.offsets)-1, 0) }

// Value returns the value with index i. It belongs to the table and must not be changed.
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

// holds reports whether s, an entry of the hash table, belongs to the value v. s is not empty, and
// key is slotOf(v).
func (t *Table) holds(s, key *slot, v []byte) bool {
	return s.first == key.first && s.second == key.second && s.size == key.size &&
		(key.size <= shortValue || bytes.Equal(t.Value(s.index-1), v))
}

// Find returns the index of the value v. ok is false if the table does not have v.
func (t *Table) Find(v []byte) (index uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	key := slotOf(v)
	// The field last is an entry here, because the hash table is not empty, and adding a value sets
	// last.
	if t.holds(&t.last, &key, v) {
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

// Index returns the index of the value v, which it adds if the table does not have it. All values
// together must be smaller than 2 GiB.
func (t *Table) Index(v []byte) uint32 {
	if i, ok := t.Find(v); ok {
		return i
	}
	return t.Add(v)
}

// IndexText returns the index of a value of type string, as Index does for bytes.
func (t *Table) IndexText(v string) uint32 {
	return t.Index(unsafe.Slice(unsafe.StringData(v), len(v)))
}

// Add adds the value v, which the table must not have, and returns its index.
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
