package part

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/scoterdb/scoter/internal/base"
)

// writeLeaf writes a shredded leaf in the physical type that Parquet has for it. Always by
// WriteBatchSpaced: WriteBatch formats an assertion's message for every definition level,
// which costs more than all the rest.
func writeLeaf(cw file.ColumnChunkWriter, s shredded) error {
	values := s.values
	if ext, ok := values.(array.ExtensionArray); ok {
		values = ext.Storage()
	}
	switch cw := cw.(type) {
	case *file.Int32ColumnChunkWriter:
		v, ok := int32s(values, s.positions)
		if !ok {
			return mismatch(cw, values)
		}
		cw.WriteBatchSpaced(v, s.def, s.rep, s.valid, s.validOffset)
	case *file.Int64ColumnChunkWriter:
		v, ok := int64s(values, s.positions)
		if !ok {
			return mismatch(cw, values)
		}
		cw.WriteBatchSpaced(v, s.def, s.rep, s.valid, s.validOffset)
	case *file.Float32ColumnChunkWriter:
		a, ok := values.(*array.Float32)
		if !ok {
			return mismatch(cw, values)
		}
		cw.WriteBatchSpaced(gather(a.Float32Values(), s.positions), s.def, s.rep, s.valid, s.validOffset)
	case *file.Float64ColumnChunkWriter:
		a, ok := values.(*array.Float64)
		if !ok {
			return mismatch(cw, values)
		}
		cw.WriteBatchSpaced(gather(a.Float64Values(), s.positions), s.def, s.rep, s.valid, s.validOffset)
	case *file.BooleanColumnChunkWriter:
		a, ok := values.(*array.Boolean)
		if !ok {
			return mismatch(cw, values)
		}
		cw.WriteBatchSpaced(collect(a.Len(), s.positions, a.Value), s.def, s.rep, s.valid, s.validOffset)
	case *file.ByteArrayColumnChunkWriter:
		var value func(i int) parquet.ByteArray
		switch a := values.(type) {
		case *array.String:
			value = func(i int) parquet.ByteArray { return parquet.ByteArray(a.Value(i)) }
			if data, offsets := a.ValueBytes(), a.ValueOffsets(); len(offsets) > 0 {
				first := offsets[0]
				value = func(i int) parquet.ByteArray { return data[offsets[i]-first : offsets[i+1]-first] }
			}
		case *array.Binary:
			value = func(i int) parquet.ByteArray { return a.Value(i) }
		default:
			return mismatch(cw, values)
		}
		cw.WriteBatchSpaced(collect(values.Len(), s.positions, value), s.def, s.rep, s.valid, s.validOffset)
	case *file.FixedLenByteArrayColumnChunkWriter:
		var value func(i int) parquet.FixedLenByteArray
		switch a := values.(type) {
		case *array.FixedSizeBinary:
			value = func(i int) parquet.FixedLenByteArray { return a.Value(i) }
		case *array.Decimal128:
			width := cw.Descr().TypeLength()
			value = func(i int) parquet.FixedLenByteArray { return decimalBytes(a.Value(i), width) }
		default:
			return mismatch(cw, values)
		}
		cw.WriteBatchSpaced(collect(values.Len(), s.positions, value), s.def, s.rep, s.valid, s.validOffset)
	default:
		return mismatch(cw, values)
	}
	return nil
}

func mismatch(cw file.ColumnChunkWriter, values arrow.Array) error {
	return base.Errorf(base.Internal, "%s cannot be written as %s", values.DataType(), cw.Type())
}

// int32s returns the values that Parquet stores as INT32.
func int32s(values arrow.Array, positions []int32) ([]int32, bool) {
	switch a := values.(type) {
	case *array.Int32:
		return gather(a.Int32Values(), positions), true
	case *array.Date32:
		return gather(reinterpret[int32](a), positions), true
	case *array.Uint32:
		return gather(reinterpret[int32](a), positions), true
	case *array.Int8:
		return convert[int32](a.Int8Values(), positions), true
	case *array.Int16:
		return convert[int32](a.Int16Values(), positions), true
	case *array.Uint8:
		return convert[int32](a.Uint8Values(), positions), true
	case *array.Uint16:
		return convert[int32](a.Uint16Values(), positions), true
	case *array.Decimal128:
		return collect(a.Len(), positions, func(i int) int32 { return int32(a.Value(i).LowBits()) }), true
	}
	return nil, false
}

// int64s returns the values that Parquet stores as INT64.
func int64s(values arrow.Array, positions []int32) ([]int64, bool) {
	switch a := values.(type) {
	case *array.Int64:
		return gather(a.Int64Values(), positions), true
	case *array.Uint64, *array.Timestamp, *array.Time64:
		return gather(reinterpret[int64](a), positions), true
	case *array.Decimal128:
		return collect(a.Len(), positions, func(i int) int64 { return int64(a.Value(i).LowBits()) }), true
	}
	return nil, false
}

// reinterpret returns the values of a fixed-width array as another type of that width.
func reinterpret[T arrow.FixedWidthType](a arrow.Array) []T {
	buffer := a.Data().Buffers()[1]
	if buffer == nil {
		return nil
	}
	return arrow.GetData[T](buffer.Bytes())[a.Data().Offset() : a.Data().Offset()+a.Len()]
}

// gather returns the values at some positions, zero at negative ones; nil positions are all.
func gather[T any](values []T, positions []int32) []T {
	if positions == nil {
		return values
	}
	return collect(len(values), positions, func(i int) T { return values[i] })
}

func convert[T, From int8 | int16 | int32 | uint8 | uint16](values []From, positions []int32) []T {
	return collect(len(values), positions, func(i int) T { return T(values[i]) })
}

// collect is gather of n values that are computed.
func collect[T any](n int, positions []int32, value func(i int) T) []T {
	if positions == nil {
		out := make([]T, n)
		for i := range out {
			out[i] = value(i)
		}
		return out
	}
	out := make([]T, len(positions))
	for i, p := range positions {
		if p >= 0 {
			out[i] = value(int(p))
		}
	}
	return out
}

// decimalBytes returns a decimal's unscaled integer as big-endian two's complement.
func decimalBytes(v decimal128.Num, width int) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(v.HighBits()))
	binary.BigEndian.PutUint64(b[8:], v.LowBits())
	return b[16-width:]
}
