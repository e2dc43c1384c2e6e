package part

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/scoterdb/scoter/internal/intern"
)

// dictionary has the distinct values of a leaf (a Parquet column without children) in PLAIN
// encoding, in the order in which they first occur. The field values is the number of distinct
// values. If it is 0, there is no dictionary.
type dictionary struct {
	page   []byte
	values int
}

// distinctValues makes a dictionary of the values of a leaf, and replaces the values by their
// indices. If the dictionary would be too large, it returns an empty one and leaves the values as
// they are.
func distinctValues(descr *pqschema.Column, pieces shreds) dictionary {
	indices := make([][]int32, len(pieces))
	for i, s := range pieces {
		indices[i] = make([]int32, s.present.len())
		if ext, is := s.values.(array.ExtensionArray); is {
			pieces[i].values = ext.Storage()
			pieces[i].values.Retain()
			s.values.Release()
		}
	}
	var d dictionary
	switch descr.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Float:
		d = distinctNumbers(words32, pieces, indices)
	case parquet.Types.Int64, parquet.Types.Double:
		d = distinctNumbers(words64, pieces, indices)
	default:
		d = distinctOthers(descr, pieces, indices)
	}
	if d.values == 0 {
		return dictionary{}
	}
	for i := range pieces {
		s := &pieces[i]
		data := array.NewData(arrow.PrimitiveTypes.Int32, len(indices[i]), []*memory.Buffer{nil, memory.NewBufferBytes(bytesOf(indices[i]))}, nil, 0, 0)
		s.values.Release()
		s.values = array.NewInt32Data(data)
		s.present = selectAll(s.values)
	}
	return d
}

// words32 and words64 return the selected values as 32-bit and 64-bit words. They return false if
// Parquet stores values of this type with another number of bits.
func words32(values arrow.Array, s selection) ([]int32, bool) {
	if a, ok := values.(*array.Float32); ok {
		return pick(reinterpret[int32](a), s), true
	}
	return int32s(values, s)
}

func words64(values arrow.Array, s selection) ([]int64, bool) {
	if a, ok := values.(*array.Float64); ok {
		return pick(reinterpret[int64](a), s), true
	}
	return int64s(values, s)
}

// distinctNumbers makes a dictionary of numbers, and writes the index of each number to indices. It
// gives up if more than a quarter of the numbers are distinct.
func distinctNumbers[T int32 | int64](gather func(arrow.Array, selection) ([]T, bool), pieces shreds, indices [][]int32) dictionary {
	var zero T
	most := min(pieces.present()/4, maxDictionaryBytes/int(unsafe.Sizeof(zero)))
	t := newNumberTable[T]()
	for i, s := range pieces {
		numbers, ok := gather(s.values, s.present)
		if !ok || !t.indexes(numbers, indices[i], most) {
			return dictionary{}
		}
	}
	return dictionary{page: bytesOf(t.values), values: len(t.values)}
}

// numberTable assigns an index to each distinct number, in the order in which the numbers first
// occur. It is a hash table with linear probing, because Go's map takes several times as long for
// keys that fit into a register.
type numberTable[T int32 | int64] struct {
	// slots are the entries of the hash table. Their number is a power of two, and at most five
	// eighths of them are used.
	slots []numberSlot[T]
	// shift is the number of bits by which a 64-bit hash is shifted right to become an index of
	// slots.
	shift  int
	values []T
}

type numberSlot[T int32 | int64] struct {
	value T
	after int32 // 1 + the index of the number; 0 if this entry of the hash table is free
}

const firstSlotBits = 10

func newNumberTable[T int32 | int64]() *numberTable[T] {
	return &numberTable[T]{slots: make([]numberSlot[T], 1<<firstSlotBits), shift: 64 - firstSlotBits}
}

// place returns the entry of the hash table that has the number v. If the table does not have v, it
// returns the free entry where v belongs.
func (t *numberTable[T]) place(v T) *numberSlot[T] {
	// The hash is the number multiplied by 2^64 divided by the golden ratio (Knuth, The Art of
	// Computer Programming, 6.4).
	const golden = 0x9e3779b97f4a7c15
	at := uint64(v) * golden >> t.shift
	for {
		s := &t.slots[at]
		if s.after == 0 || s.value == v {
			return s
		}
		at = (at + 1) & uint64(len(t.slots)-1)
	}
}

// indexes writes the index of each number to out, and adds new numbers to the table. The argument
// most is the maximum number of distinct numbers: if the table would get more than that, the result
// is false.
func (t *numberTable[T]) indexes(numbers []T, out []int32, most int) bool {
	for i, v := range numbers {
		s := t.place(v)
		if s.after == 0 {
			if len(t.values) == most {
				return false
			}
			t.values = append(t.values, v)
			*s = numberSlot[T]{v, int32(len(t.values))}
			if 8*len(t.values) > 5*len(t.slots) {
				t.grow()
			}
			out[i] = int32(len(t.values)) - 1
			continue
		}
		out[i] = s.after - 1
	}
	return true
}

func (t *numberTable[T]) grow() {
	t.slots = make([]numberSlot[T], 4*len(t.slots))
	t.shift = 64 - bits.Len(uint(len(t.slots)-1))
	for i, v := range t.values {
		*t.place(v) = numberSlot[T]{v, int32(i) + 1}
	}
}

// distinctOthers makes a dictionary of values that are not numbers, and writes the index of each
// value to indices.
func distinctOthers(descr *pqschema.Column, pieces shreds, indices [][]int32) dictionary {
	var known intern.Table
	for i, s := range pieces {
		var ok bool
		if texts, is := s.values.(textArray); is {
			ok = indexTexts(&known, texts, s.present, indices[i])
		} else {
			ok = indexPlain(&known, descr, s, indices[i])
		}
		if !ok {
			return dictionary{}
		}
	}
	page := make([]byte, 0, textPageBytes(&known))
	for i := range known.Len() {
		value := known.Value(uint32(i))
		if descr.PhysicalType() == parquet.Types.ByteArray {
			page = binary.LittleEndian.AppendUint32(page, uint32(len(value)))
		}
		page = append(page, value...)
	}
	return dictionary{page: page, values: known.Len()}
}

// textPageBytes returns the size in bytes of a dictionary page with the given texts.
func textPageBytes(texts *intern.Table) int { return texts.Bytes() + 4*texts.Len() }

// indexTexts writes the index of each text to out, and adds new texts to the table known. The
// result is false if the distinct texts do not fit into a dictionary page.
func indexTexts(known *intern.Table, texts textArray, present selection, out []int32) bool {
	if len(out) == 0 {
		return true
	}
	data, offsets := texts.ValueBytes(), texts.ValueOffsets()
	first := offsets[0] // offset of the first byte of ValueBytes in the array's buffer
	for i := range out {
		at := present.at(i)
		out[i] = int32(known.Index(data[offsets[at]-first : offsets[at+1]-first]))
		if textPageBytes(known) > maxDictionaryBytes {
			return false
		}
	}
	return true
}

// indexPlain writes the index of each value to out, and adds new values to the table known. It is
// for values that are neither numbers nor texts, and compares their PLAIN encodings. The result is
// false if the distinct values do not fit into a dictionary page.
func indexPlain(known *intern.Table, descr *pqschema.Column, s shredded, out []int32) bool {
	var value []byte
	for i := range out {
		var err error
		if value, err = appendPlain(value[:0], descr, s.values, s.present.slice(i, i+1)); err != nil || known.Bytes() > maxDictionaryBytes {
			// The error is not lost: writing the values without a dictionary fails with it again.
			return false
		}
		out[i] = int32(known.Index(value))
	}
	return true
}
