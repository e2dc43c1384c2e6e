package protobuf

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// highBits are set in words of bytes that are not all ASCII.
const highBits = 0x8080808080808080

// validText reports whether b is UTF-8. Most values are short ASCII: those are
// decided eight bytes at a time.
func validText(b []byte) bool {
	n := len(b)
	if n >= 8 {
		all := binary.LittleEndian.Uint64(b[n-8:])
		for i := 0; i+8 < n; i += 8 {
			all |= binary.LittleEndian.Uint64(b[i:])
		}
		return all&highBits == 0 || utf8.Valid(b)
	}
	all := byte(0)
	for _, c := range b {
		all |= c
	}
	return all < utf8.RuneSelf || utf8.Valid(b)
}

// A dictionary of more than dictionaryCheck values must hold at most one per
// dictionaryRows rows, and never more than dictionaryMax; a finished one at most one
// per two rows. A value costs about six times a plain copy the first time, twice a
// plain copy later; what the dictionary saves comes after decoding, and only where
// values repeat. Columns whose values do not repeat lose dictionaryCheck times 50 ns
// of a batch, which is little enough to give those of a thousand values a chance.
const (
	dictionaryCheck = 2048
	dictionaryRows  = 4
	dictionaryMax   = 1 << 15
)

// dictionary numbers distinct values from 0 on, in order of appearance. The zero
// dictionary is empty.
type dictionary struct {
	offsets []int32 // one more than values, once there is one
	data    []byte
	slots   []dictionarySlot // size is a power of two; at most half of them used
	last    dictionarySlot   // of the value found last
}

// dictionarySlot holds what tells a value from others. Up to shortValue bytes that is
// the value itself, so that the dictionary's data need not be looked at.
type dictionarySlot struct {
	first, second uint64 // the value's words, or its hash and 0
	size          uint32
	index         uint32 // 1 + index of the value; 0 is an empty slot
}

// shortValue is the size of the two words of a slot.
const shortValue = 16

// The seeds make collisions unpredictable to whoever chooses the values.
var (
	dictionarySeed = maphash.MakeSeed()
	firstSeed      = rand.Uint64()
	secondSeed     = rand.Uint64()
)

// slotOf returns v's slot, without an index.
func slotOf(v []byte) dictionarySlot {
	n := len(v)
	s := dictionarySlot{size: uint32(n)}
	switch {
	case n > shortValue:
		s.first = maphash.Bytes(dictionarySeed, v)
	case n >= 8:
		s.first, s.second = binary.LittleEndian.Uint64(v), binary.LittleEndian.Uint64(v[n-8:])
	case n >= 4:
		s.first = uint64(binary.LittleEndian.Uint32(v)) | uint64(binary.LittleEndian.Uint32(v[n-4:]))<<32
	case n > 0:
		s.first = uint64(v[0]) | uint64(v[n>>1])<<8 | uint64(v[n-1])<<16
	}
	return s
}

// home returns the place where the search for s begins.
func (t *dictionary) home(s *dictionarySlot) int {
	high, low := bits.Mul64(s.first^firstSeed^uint64(s.size), s.second^secondSeed)
	return int(high^low) & (len(t.slots) - 1)
}

func (t *dictionary) size() int { return max(len(t.offsets)-1, 0) }

func (t *dictionary) value(i uint32) []byte { return t.data[t.offsets[i]:t.offsets[i+1]] }

// holds reports whether s, which is not empty, is the slot of v, of which key is known.
func (t *dictionary) holds(s, key *dictionarySlot, v []byte) bool {
	return s.first == key.first && s.second == key.second && s.size == key.size &&
		(key.size <= shortValue || bytes.Equal(t.value(s.index-1), v))
}

// find returns v's index, if v has one.
func (t *dictionary) find(v []byte) (uint32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	key := slotOf(v)
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

// intern returns v's index, a new one if v has none.
func (t *dictionary) intern(v []byte) uint32 {
	if i, ok := t.find(v); ok {
		return i
	}
	n := uint32(t.size())
	if 2*int(n+1) > len(t.slots) {
		t.rehash()
	}
	if n == 0 {
		t.offsets = append(t.offsets, 0)
	}
	t.data = append(t.data, v...)
	t.offsets = append(t.offsets, int32(len(t.data)))
	s := slotOf(v)
	s.index = n + 1
	t.place(s)
	t.last = s
	return n
}

func (t *dictionary) place(s dictionarySlot) {
	mask := len(t.slots) - 1
	at := t.home(&s)
	for t.slots[at].index != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = s
}

func (t *dictionary) rehash() {
	old := t.slots
	t.slots = make([]dictionarySlot, max(64, 4*len(old)))
	for _, s := range old {
		if s.index != 0 {
			t.place(s)
		}
	}
}

// pays reports whether a dictionary of rows may take one more value.
func (t *dictionary) pays(rows int) bool {
	n := t.size()
	return n < dictionaryCheck || n < dictionaryMax && n <= rows/dictionaryRows
}

// enumerators numbers the values of an enum that a column holds, in order of
// appearance, and knows their names.
type enumerators struct {
	names  map[int32]string
	absent int32 // what an absent field means

	small   [64]uint16 // 1 + index of numbers up to 63
	others  map[int32]uint32
	numbers []int32 // by index
}

func newEnumerators(d protoreflect.EnumDescriptor, absent protoreflect.EnumNumber) *enumerators {
	e := &enumerators{names: make(map[int32]string, d.Values().Len()), absent: int32(absent)}
	for i := range d.Values().Len() {
		v := d.Values().Get(i)
		if _, ok := e.names[int32(v.Number())]; !ok { // the first of several aliases
			e.names[int32(v.Number())] = string(v.Name())
		}
	}
	return e
}

func (e *enumerators) reset() {
	clear(e.small[:])
	e.others, e.numbers = nil, nil
}

func (e *enumerators) index(number int32) uint32 {
	if uint32(number) < uint32(len(e.small)) {
		if i := e.small[number]; i != 0 {
			return uint32(i) - 1
		}
	} else if i, ok := e.others[number]; ok {
		return i
	}
	i := uint32(len(e.numbers))
	e.numbers = append(e.numbers, number)
	if uint32(number) < uint32(len(e.small)) && i < math.MaxUint16 {
		e.small[number] = uint16(i + 1)
		return i
	}
	if e.others == nil {
		e.others = make(map[int32]uint32)
	}
	e.others[number] = i
	return i
}

// name returns the text of the value of that index: its name, or its number if
// the enum has none for it.
func (e *enumerators) name(i uint32) string {
	number := e.numbers[i]
	if name, ok := e.names[number]; ok {
		return name
	}
	return strconv.Itoa(int(number))
}

// longest returns the size in bytes of the longest text that a value can have.
func (e *enumerators) longest() int {
	n := len("-2147483648")
	for _, name := range e.names {
		n = max(n, len(name))
	}
	return n
}
