package protobuf

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/internal/intern"
)

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

// mayGrow reports whether a dictionary of so many rows may take one more value.
func mayGrow(t *intern.Table, rows int) bool {
	n := t.Len()
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
