package part

import (
	"encoding/binary"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/parquet"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/scoterdb/scoter/internal/base"
)

// selection says which values of an array are selected. None of the selected values is NULL. Their
// indexes are in the field positions. If that is nil, n consecutive values are selected, beginning
// at the index from.
type selection struct {
	positions []int32
	from, n   int
}

func selectAll(a arrow.Array) selection { return selection{n: a.Len()} }

// pick returns the selected values. If the selected values are consecutive, the result is a slice
// of values without a copy.
func pick[T any](values []T, s selection) []T {
	if s.positions == nil {
		return values[s.from : s.from+s.n]
	}
	out := make([]T, len(s.positions))
	for i, p := range s.positions {
		out[i] = values[p]
	}
	return out
}

// convert returns the selected numbers, converted to the type T.
func convert[T int32 | int64, From int8 | int16 | int32 | uint8 | uint16](values []From, s selection) []T {
	picked := pick(values, s)
	out := make([]T, len(picked))
	for i, v := range picked {
		out[i] = T(v)
	}
	return out
}

// int32s returns the selected values as int32. It returns false if Parquet does not store values of
// the array's type as INT32.
func int32s(values arrow.Array, s selection) ([]int32, bool) {
	switch a := values.(type) {
	case *array.Int32:
		return pick(a.Int32Values(), s), true
	case *array.Date32, *array.Uint32:
		return pick(reinterpret[int32](a), s), true
	case *array.Int8:
		return convert[int32](a.Int8Values(), s), true
	case *array.Int16:
		return convert[int32](a.Int16Values(), s), true
	case *array.Uint8:
		return convert[int32](a.Uint8Values(), s), true
	case *array.Uint16:
		return convert[int32](a.Uint16Values(), s), true
	case *array.Decimal128:
		picked := pick(a.Values(), s)
		out := make([]int32, len(picked))
		for i, v := range picked {
			out[i] = int32(v.LowBits())
		}
		return out, true
	}
	return nil, false
}

// int64s returns the selected values as int64. It returns false if Parquet does not store values of
// the array's type as INT64.
func int64s(values arrow.Array, s selection) ([]int64, bool) {
	switch a := values.(type) {
	case *array.Int64:
		return pick(a.Int64Values(), s), true
	case *array.Uint64, *array.Timestamp, *array.Time64:
		return pick(reinterpret[int64](a), s), true
	case *array.Decimal128:
		picked := pick(a.Values(), s)
		out := make([]int64, len(picked))
		for i, v := range picked {
			out[i] = int64(v.LowBits())
		}
		return out, true
	}
	return nil, false
}

// reinterpret returns the memory of an array as a slice of another type that has the same width.
func reinterpret[T arrow.FixedWidthType](a arrow.Array) []T {
	buffer := a.Data().Buffers()[1]
	if buffer == nil {
		return nil
	}
	return arrow.GetData[T](buffer.Bytes())[a.Data().Offset() : a.Data().Offset()+a.Len()]
}

// appendPlain appends the selected values in PLAIN encoding. The argument descr describes the
// Parquet column. Its physical type must not be BOOLEAN.
func appendPlain(to []byte, descr *pqschema.Column, values arrow.Array, s selection) ([]byte, error) {
	if ext, ok := values.(array.ExtensionArray); ok {
		values = ext.Storage()
	}
	switch descr.PhysicalType() {
	case parquet.Types.Int32:
		if v, ok := int32s(values, s); ok {
			return append(to, bytesOf(v)...), nil
		}
	case parquet.Types.Int64:
		if v, ok := int64s(values, s); ok {
			return append(to, bytesOf(v)...), nil
		}
	case parquet.Types.Float:
		if a, ok := values.(*array.Float32); ok {
			return append(to, bytesOf(pick(a.Float32Values(), s))...), nil
		}
	case parquet.Types.Double:
		if a, ok := values.(*array.Float64); ok {
			return append(to, bytesOf(pick(a.Float64Values(), s))...), nil
		}
	case parquet.Types.ByteArray:
		if a, ok := values.(textArray); ok {
			return appendTexts(to, a, s), nil
		}
	case parquet.Types.FixedLenByteArray:
		switch a := values.(type) {
		case *array.FixedSizeBinary:
			for i := range s.len() {
				to = append(to, a.Value(s.at(i))...)
			}
			return to, nil
		case *array.Decimal128:
			width := descr.TypeLength()
			for i := range s.len() {
				to = append(to, decimalBytes(a.Value(s.at(i)), width)...)
			}
			return to, nil
		}
	}
	return nil, base.Errorf(base.Internal, "%s cannot be written as %s", values.DataType(), descr.PhysicalType())
}

func (s selection) len() int {
	if s.positions == nil {
		return s.n
	}
	return len(s.positions)
}

func (s selection) at(i int) int {
	if s.positions == nil {
		return s.from + i
	}
	return int(s.positions[i])
}

// slice returns the elements of the selection with the indexes i for which from <= i < to.
func (s selection) slice(from, to int) selection {
	if s.positions == nil {
		return selection{from: s.from + from, n: to - from}
	}
	return selection{positions: s.positions[from:to]}
}

// textArray is an array of texts or of binary values (array.String or array.Binary).
type textArray interface {
	arrow.Array
	ValueBytes() []byte
	ValueOffsets() []int32
}

// lengthBytes is the number of bytes of the length that precedes each text in PLAIN encoding.
const lengthBytes = 4

// textBytes returns the total length in bytes of the selected texts.
func textBytes(a textArray, s selection) (n int64) {
	offsets := a.ValueOffsets()
	if s.positions == nil && s.n > 0 {
		return int64(offsets[s.from+s.n] - offsets[s.from])
	}
	for _, p := range s.positions {
		n += int64(offsets[p+1] - offsets[p])
	}
	return n
}

func appendTexts(to []byte, a textArray, s selection) []byte {
	n := s.len()
	if n == 0 {
		return to
	}
	data, offsets := a.ValueBytes(), a.ValueOffsets()
	first := offsets[0] // offset of the first byte of ValueBytes in the array's buffer
	if s.positions == nil {
		ends := offsets[s.from+1 : s.from+n+1]
		start := offsets[s.from] - first
		for _, end := range ends {
			end -= first
			to = append(binary.LittleEndian.AppendUint32(to, uint32(end-start)), data[start:end]...)
			start = end
		}
		return to
	}
	for _, p := range s.positions {
		value := data[offsets[p]-first : offsets[p+1]-first]
		to = append(binary.LittleEndian.AppendUint32(to, uint32(len(value))), value...)
	}
	return to
}

// appendBooleans appends one byte, 0 or 1, for each selected boolean value.
func appendBooleans(to []byte, values arrow.Array, s selection) ([]byte, error) {
	a, ok := values.(*array.Boolean)
	if !ok {
		return nil, base.Errorf(base.Internal, "%s cannot be written as BOOLEAN", values.DataType())
	}
	for i := range s.len() {
		bit := byte(0)
		if a.Value(s.at(i)) {
			bit = 1
		}
		to = append(to, bit)
	}
	return to, nil
}

// bytesOf returns the memory of numbers as a byte slice, without a copy. The byte order is that of
// the machine: little-endian, as in Arrow and Parquet.
func bytesOf[T int32 | int64 | float32 | float64](values []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
}

// decimalBytes returns the unscaled integer of a decimal as big-endian two's complement of width
// bytes.
func decimalBytes(v decimal128.Num, width int) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(v.HighBits()))
	binary.BigEndian.PutUint64(b[8:], v.LowBits())
	return b[16-width:]
}
