package protobuf

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/internal/intern"
)

// dictionaryCheck, dictionaryRows and dictionaryMax are limits above which a dictionary is given
// up:
//   - Beyond dictionaryCheck values, it may have at most one value per dictionaryRows rows, and
//     never more than dictionaryMax.
//   - A finished dictionary may have at most one value per two rows.
//
// Adding a new value takes about six times as long as a plain copy, and adding a repeated value
// about twice as long. A dictionary saves time only after decoding, and only if values repeat. A
// column whose values do not repeat loses dictionaryCheck times 50 ns per batch. That is little
// enough to try a dictionary for columns of about a thousand values.
const (
	dictionaryCheck = 2048
	dictionaryRows  = 4
	dictionaryMax   = 1 << 15
)

// mayGrow reports whether the dictionary t of a text column may get another value after the given
// number of rows. If it returns false, the dictionary is given up.
func mayGrow(t *intern.Table, rows int) bool {
	n := t.Len()
	return n < dictionaryCheck || n < dictionaryMax && n <= rows/dictionaryRows
}

// enumerators numbers the values of an enum that occur in a column, in the order in which they
// appear. It also has their names.
type enumerators struct {
	names  map[int32]string
	absent int32 // absent is the value of the enum in rows whose message does not have the field.

	// small is a table for values up to 63. An element is 1 plus the value's index, or 0 if it has
	// none.
	small   [64]uint16
	others  map[int32]uint32
	numbers []int32 // numbers[i] is the number in the enum of the value with index i.
}

func newEnumerators(d protoreflect.EnumDescriptor, absent protoreflect.EnumNumber) *enumerators {
	e := &enumerators{names: make(map[int32]string, d.Values().Len()), absent: int32(absent)}
	for i := range d.Values().Len() {
		v := d.Values().Get(i)
		// of several names of a number, the first is used
		if _, ok := e.names[int32(v.Number())]; !ok {
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

// name returns the text of the enum value with index i: its name, or its number if the enum has no
// name for it.
func (e *enumerators) name(i uint32) string {
	number := e.numbers[i]
	if name, ok := e.names[number]; ok {
		return name
	}
	return strconv.Itoa(int(number))
}

// longest returns the size in bytes of the longest text of an enum value in the column.
func (e *enumerators) longest() int {
	n := len("-2147483648")
	for _, name := range e.names {
		n = max(n, len(name))
	}
	return n
}
