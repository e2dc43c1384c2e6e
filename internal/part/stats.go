package part

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	pqschema "github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/scoterdb/scoter/internal/schema"
)

// maxBoundBytes is the maximum length in bytes of a text that is stored as a bound (the least or
// greatest value). The footer and the catalog store two bounds per column and row group, so long
// bounds would take much space.
const maxBoundBytes = 256

// storedStats returns statistics without the bounds (least and greatest value) that are too long to
// be stored. It must be called only after all statistics of a column are merged. Otherwise the
// result would depend on how the rows were divided into batches and row groups.
func storedStats(s schema.ColumnStats) schema.ColumnStats {
	lo, _ := s.Min.Text()
	hi, _ := s.Max.Text()
	if len(lo) > maxBoundBytes || len(hi) > maxBoundBytes {
		s.Min, s.Max = schema.Value{}, schema.Value{}
	}
	return s
}

// stats returns the statistics of a column of one row group. Its bounds (least and greatest value)
// may be texts of any length.
func (c column) stats() (s schema.ColumnStats) {
	if c.dictionary != nil {
		s = arrayStats(c.dictionary)
		s.Nulls = int64(c.indices.NullN())
		return s
	}
	rows := int64(0)
	for _, chunk := range c.chunks {
		n := int64(chunk.column.Len())
		s = mergeStats(s, rows, arrayStats(chunk.column), n)
		rows += n
	}
	return s
}

// arrayStats returns the statistics of an array of a storage type. Bounds (least and greatest
// value) may be texts of any length. Nested types have no bounds.
func arrayStats(a arrow.Array) (s schema.ColumnStats) {
	s.Nulls = int64(a.NullN())
	if a.Len() == int(s.Nulls) {
		return s
	}
	if ext, ok := a.(array.ExtensionArray); ok {
		a = ext.Storage()
	}
	switch a := a.(type) {
	case *array.Boolean:
		lo, hi := extremes(a, func(i int) int64 {
			if a.Value(i) {
				return 1
			}
			return 0
		}, cmp.Compare)
		s.Min, s.Max = schema.IntValue(lo), schema.IntValue(hi)
	case *array.Int8:
		s.Min, s.Max = intBounds(a, a.Int8Values())
	case *array.Int16:
		s.Min, s.Max = intBounds(a, a.Int16Values())
	case *array.Int32:
		s.Min, s.Max = intBounds(a, a.Int32Values())
	case *array.Int64:
		s.Min, s.Max = intBounds(a, a.Int64Values())
	case *array.Date32:
		s.Min, s.Max = intBounds(a, reinterpret[int32](a))
	case *array.Time64, *array.Timestamp:
		s.Min, s.Max = intBounds(a, reinterpret[int64](a))
	case *array.Uint8:
		s.Min, s.Max = uintBounds(a, a.Uint8Values())
	case *array.Uint16:
		s.Min, s.Max = uintBounds(a, a.Uint16Values())
	case *array.Uint32:
		s.Min, s.Max = uintBounds(a, a.Uint32Values())
	case *array.Uint64:
		s.Min, s.Max = uintBounds(a, a.Uint64Values())
	case *array.Float32:
		s.Min, s.Max = floatBounds(a, a.Float32Values())
	case *array.Float64:
		s.Min, s.Max = floatBounds(a, a.Float64Values())
	case *array.Decimal128:
		scale := uint8(a.DataType().(*arrow.Decimal128Type).Scale)
		lo, hi := extremes(a, a.Value, decimal128.Num.Cmp)
		s.Min, s.Max = schema.DecimalValue(lo, scale), schema.DecimalValue(hi, scale)
	case *array.String:
		s.Min, s.Max = textBounds(extremes(a, a.Value, strings.Compare))
	case *array.Binary:
		s.Min, s.Max = textBounds(extremes(a, a.ValueString, strings.Compare))
	case *array.FixedSizeBinary:
		s.Min, s.Max = textBounds(extremes(a, func(i int) string { return string(a.Value(i)) }, strings.Compare))
	}
	return s
}

// extremes returns the least and the greatest value of an array. The array must have at least one
// value that is not NULL.
func extremes[T any](a arrow.Array, value func(i int) T, compare func(x, y T) int) (lo, hi T) {
	first := true
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		v := value(i)
		switch {
		case first:
			lo, hi, first = v, v, false
		case compare(v, lo) < 0:
			lo = v
		case compare(v, hi) > 0:
			hi = v
		}
	}
	return lo, hi
}

// numberBounds returns the least and the greatest number of a slice, and reports whether the slice
// has a NaN. If all values are NaN, lo is greater than hi. The loops for arrays without NULLs are
// the hot path of every write.
func numberBounds[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](a arrow.Array, values []T, lo, hi T) (T, T, bool) {
	nan := false
	if a.NullN() == 0 {
		for _, v := range values {
			if v < lo {
				lo = v
			}
			if v > hi {
				hi = v
			}
			if v != v {
				nan = true
			}
		}
		return lo, hi, nan
	}
	for i, v := range values {
		switch {
		case a.IsNull(i):
		case v != v:
			nan = true
		default:
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi, nan
}

func intBounds[T int8 | int16 | int32 | int64](a arrow.Array, values []T) (schema.Value, schema.Value) {
	start := values[firstValid(a)]
	lo, hi, _ := numberBounds(a, values, start, start)
	return schema.IntValue(int64(lo)), schema.IntValue(int64(hi))
}

func uintBounds[T uint8 | uint16 | uint32 | uint64](a arrow.Array, values []T) (schema.Value, schema.Value) {
	start := values[firstValid(a)]
	lo, hi, _ := numberBounds(a, values, start, start)
	return schema.UintValue(uint64(lo)), schema.UintValue(uint64(hi))
}

func floatBounds[T float32 | float64](a arrow.Array, values []T) (schema.Value, schema.Value) {
	lo, hi, nan := numberBounds(a, values, T(math.Inf(1)), T(math.Inf(-1)))
	if nan {
		if lo > hi {
			lo = T(math.NaN())
		}
		hi = T(math.NaN())
	}
	return schema.FloatValue(float64(lo)), schema.FloatValue(float64(hi))
}

func firstValid(a arrow.Array) int {
	for i := range a.Len() {
		if a.IsValid(i) {
			return i
		}
	}
	return 0
}

func textBounds(lo, hi string) (schema.Value, schema.Value) {
	// Clone the texts, because the statistics outlive the array.
	return schema.StringValue(strings.Clone(lo)), schema.StringValue(strings.Clone(hi))
}

// mergeStats merges the statistics of two sets of rows. The result has bounds (least and greatest
// value) only if each of the two sets has bounds or no values.
func mergeStats(before schema.ColumnStats, beforeRows int64, more schema.ColumnStats, moreRows int64) schema.ColumnStats {
	merged := schema.ColumnStats{Nulls: before.Nulls + more.Nulls}
	switch {
	case before.Nulls == beforeRows:
		merged.Min, merged.Max = more.Min, more.Max
	case more.Nulls == moreRows:
		merged.Min, merged.Max = before.Min, before.Max
	case before.Min.IsNull() || more.Min.IsNull():
	default:
		merged.Min, merged.Max = before.Min, before.Max
		if order, _ := more.Min.Compare(merged.Min); order < 0 {
			merged.Min = more.Min
		}
		if order, _ := more.Max.Compare(merged.Max); order > 0 {
			merged.Max = more.Max
		}
	}
	return merged
}

// chunkStatistics returns the statistics of a column chunk in arrow-go's type for the footer. The
// column must not be nested. A chunk with NaN gets no least and greatest value, because readers
// disagree on the order of NaN.
func chunkStatistics(s schema.ColumnStats, descr *pqschema.Column) *metadata.EncodedStatistics {
	e := &metadata.EncodedStatistics{}
	e.SetNullCount(s.Nulls)
	if hi, ok := s.Max.Float(); s.Min.IsNull() || ok && hi != hi {
		return e
	}
	return e.SetMin(encodeBound(s.Min, descr, true)).SetMax(encodeBound(s.Max, descr, false))
}

// encodeBound returns a bound (least or greatest value) as the footer stores it: in PLAIN encoding
// of the physical type. As Parquet requires, zero is stored as -0 if it is the least value, and as
// +0 if it is the greatest.
func encodeBound(v schema.Value, descr *pqschema.Column, isMin bool) []byte {
	if text, ok := v.Text(); ok {
		return []byte(text)
	}
	if f, ok := v.Float(); ok {
		if f == 0 && isMin {
			f = math.Copysign(0, -1)
		}
		if descr.PhysicalType() == parquet.Types.Float {
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f)))
		}
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))
	}
	var n uint64
	if d, _, ok := v.Decimal(); ok {
		if descr.PhysicalType() == parquet.Types.FixedLenByteArray {
			return decimalBytes(d, descr.TypeLength())
		}
		n = d.LowBits()
	} else if u, ok := v.Uint(); ok {
		n = u
	} else {
		i, _ := v.Int()
		n = uint64(i)
	}
	switch descr.PhysicalType() {
	case parquet.Types.Boolean:
		return []byte{byte(n)}
	case parquet.Types.Int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(nil, n)
}
