package batch

import (
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// ColumnStats are statistics of one column. They have bounds of its values: Min <= v <= Max for
// every value v that is neither NULL nor NaN. Bounds of text may be cut to BoundBytes. Then they
// are not values of the column. Both bounds are NULL if there is no such value, or if the type is
// nested. Only Max is NULL if the greatest value is longer than BoundBytes and begins with that
// many bytes 0xff: no upper bound is short enough then.
type ColumnStats struct {
	Rows   int64        `json:"rows"`
	Nulls  int64        `json:"nulls"`
	HasNaN bool         `json:"has_nan,omitempty"`
	Min    schema.Value `json:"min"`
	Max    schema.Value `json:"max"`
	// NoMin says that Min is NULL although there are values: the type is nested, or the bounds of
	// merged statistics cannot be compared. NoMax says the same about Max, and is also set if no
	// upper bound is short enough.
	NoMin bool `json:"no_min,omitempty"`
	NoMax bool `json:"no_max,omitempty"`
}

// BoundBytes is the maximum length in bytes of a bound of texts.
const BoundBytes = 64

// Stats returns the statistics of one column of a conforming batch. The bounds are stored values.
// For ENUM, and for types that schema.Type.Sortable excludes, stored values have another order than
// the values in SQL. So their bounds cannot be used for pruning.
func Stats(a arrow.Array) (ColumnStats, error) {
	s := ColumnStats{Rows: int64(a.Len()), Nulls: int64(a.NullN())}
	if a.DataType().ID() == arrow.NULL {
		s.Nulls = s.Rows
	}
	if s.Nulls == s.Rows {
		return s, nil
	}
	switch a := a.(type) {
	case *array.Int8:
		s.Min, s.Max = signedBounds[int8](a)
	case *array.Int16:
		s.Min, s.Max = signedBounds[int16](a)
	case *array.Int32, *array.Date32:
		s.Min, s.Max = signedBounds[int32](a)
	case *array.Int64, *array.Time64, *array.Timestamp:
		s.Min, s.Max = signedBounds[int64](a)
	case *array.Uint8:
		s.Min, s.Max = unsignedBounds[uint8](a)
	case *array.Uint16:
		s.Min, s.Max = unsignedBounds[uint16](a)
	case *array.Uint32:
		s.Min, s.Max = unsignedBounds[uint32](a)
	case *array.Uint64:
		s.Min, s.Max = unsignedBounds[uint64](a)
	case *array.Float32:
		s.Min, s.Max, s.HasNaN = floatBounds[float32](a)
	case *array.Float64:
		s.Min, s.Max, s.HasNaN = floatBounds[float64](a)
	case *array.Decimal128:
		s.Min, s.Max = decimalBounds(a)
	case *array.Boolean:
		s.Min, s.Max = boolBounds(a)
	case *array.String, *array.Binary, *array.Dictionary, *extensions.UUIDArray:
		if err := s.textBounds(a); err != nil {
			return ColumnStats{}, err
		}
	case *array.List, *array.Map, *array.Struct:
		s.NoMin, s.NoMax = true, true
	default:
		return ColumnStats{}, base.Errorf(base.Internal, "statistics of type %s, which is not a storage type", a.DataType())
	}
	return s, nil
}

// Merge returns the statistics of a column for the rows that s describes together with the rows
// that o describes.
func (s ColumnStats) Merge(o ColumnStats) ColumnStats {
	m := ColumnStats{Rows: s.Rows + o.Rows, Nulls: s.Nulls + o.Nulls, HasNaN: s.HasNaN || o.HasNaN,
		NoMin: s.NoMin || o.NoMin, NoMax: s.NoMax || o.NoMax}
	m.Min, m.NoMin = mergeBound(s.Min, o.Min, m.NoMin, -1)
	m.Max, m.NoMax = mergeBound(s.Max, o.Max, m.NoMax, 1)
	return m
}

// mergeBound merges the bounds a and b of two sets of values. If side is -1, they are lower bounds,
// and it returns the smaller one. If side is 1, they are upper bounds, and it returns the larger
// one. NULL is the bound of a set without values. The second result is true if the values of both
// sets together have no bound: the argument unbound is true (one of the sets has values without a
// bound), or a and b cannot be compared.
func mergeBound(a, b schema.Value, unbound bool, side int) (schema.Value, bool) {
	switch {
	case unbound:
		return schema.Value{}, true
	case a.IsNull():
		return b, false
	case b.IsNull():
		return a, false
	}
	c, ok := a.Compare(b)
	if !ok {
		return schema.Value{}, true
	}
	if c == side {
		return a, false
	}
	return b, false
}

// bounds returns the smallest and the largest value of an array. The array must have at least one
// value that is not NULL.
func bounds[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](a arrow.Array) (least, most T) {
	values := words[T](a)
	if a.NullN() == 0 {
		least, most = values[0], values[0]
		for _, v := range values {
			least, most = min(least, v), max(most, v)
		}
		return least, most
	}
	first := true
	for i, v := range values {
		if a.IsNull(i) {
			continue
		}
		if first {
			least, most, first = v, v, false
		}
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

func signedBounds[T int8 | int16 | int32 | int64](a arrow.Array) (schema.Value, schema.Value) {
	least, most := bounds[T](a)
	return schema.IntValue(int64(least)), schema.IntValue(int64(most))
}

func unsignedBounds[T uint8 | uint16 | uint32 | uint64](a arrow.Array) (schema.Value, schema.Value) {
	least, most := bounds[T](a)
	return schema.UintValue(uint64(least)), schema.UintValue(uint64(most))
}

func floatBounds[T float32 | float64](a arrow.Array) (schema.Value, schema.Value, bool) {
	least, most, hasNaN, found := math.Inf(1), math.Inf(-1), false, false
	nulls := a.NullN() > 0
	for i, v := range words[T](a) {
		switch {
		case nulls && a.IsNull(i):
		case v != v:
			hasNaN = true
		default:
			found = true
			least, most = min(least, float64(v)), max(most, float64(v))
		}
	}
	if !found {
		return schema.Value{}, schema.Value{}, hasNaN
	}
	return schema.FloatValue(least), schema.FloatValue(most), hasNaN
}

func decimalBounds(a *array.Decimal128) (schema.Value, schema.Value) {
	var least, most decimal128.Num
	first := true
	for i, v := range a.Values() {
		switch {
		case a.IsNull(i):
		case first:
			least, most, first = v, v, false
		case v.Less(least):
			least = v
		case most.Less(v):
			most = v
		}
	}
	scale := uint8(a.DataType().(*arrow.Decimal128Type).Scale)
	return schema.DecimalValue(least, scale), schema.DecimalValue(most, scale)
}

func boolBounds(a *array.Boolean) (schema.Value, schema.Value) {
	least, most := int64(1), int64(0)
	for i := range a.Len() {
		switch {
		case a.IsNull(i):
		case a.Value(i):
			most = 1
		default:
			least = 0
		}
	}
	return schema.IntValue(least), schema.IntValue(most)
}

// textBounds sets the bounds for an array of text, bytes or UUIDs. If the array has a dictionary,
// it reads only the values that rows use, each of them once.
func (s *ColumnStats) textBounds(a arrow.Array) error {
	value, err := bytesOf(a)
	if err != nil {
		return err
	}
	var least, most []byte
	consider := func(v []byte) {
		if least == nil || string(v) < string(least) {
			least = v
		}
		if most == nil || string(v) > string(most) {
			most = v
		}
	}
	if d, ok := a.(*array.Dictionary); ok {
		used := make([]bool, d.Dictionary().Len())
		values, err := bytesOf(d.Dictionary())
		if err != nil {
			return err
		}
		for i := range d.Len() {
			if d.IsNull(i) {
				continue
			}
			if code := d.GetValueIndex(i); !used[code] {
				used[code] = true
				consider(values(code))
			}
		}
	} else {
		for i := range a.Len() {
			if a.IsValid(i) {
				consider(value(i))
			}
		}
	}
	isText := a.DataType().ID() == arrow.STRING || a.DataType().ID() == arrow.DICTIONARY
	s.Min = schema.BytesValue(boundBelow(least, isText))
	bound, ok := boundAbove(most, isText)
	if ok {
		s.Max = schema.BytesValue(bound)
	}
	s.NoMax = !ok
	return nil
}

// boundBelow cuts a lower bound to BoundBytes bytes. The result is never greater than the whole
// value. Text is cut between characters.
func boundBelow(b []byte, isText bool) []byte {
	if len(b) <= BoundBytes {
		return b
	}
	b = b[:BoundBytes]
	for isText && len(b) > 0 {
		if r, size := utf8.DecodeLastRune(b); r != utf8.RuneError || size > 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return b
}

// boundAbove cuts an upper bound to BoundBytes bytes, and increments its last byte or, in a text,
// its last character. So the bound is greater than every value that begins with the remaining
// bytes. If there is no such bound, it returns false.
func boundAbove(b []byte, isText bool) ([]byte, bool) {
	if len(b) <= BoundBytes {
		return b, true
	}
	cut := append([]byte(nil), boundBelow(b, isText)...)
	for len(cut) > 0 {
		if !isText {
			if last := len(cut) - 1; cut[last] < 0xff {
				cut[last]++
				return cut, true
			}
			cut = cut[:len(cut)-1]
			continue
		}
		r, size := utf8.DecodeLastRune(cut)
		cut = cut[:len(cut)-size]
		switch {
		case r == 0xD7FF:
			// Skip the code points of surrogates, which are not characters.
			return utf8.AppendRune(cut, 0xE000), true
		case r < utf8.MaxRune:
			return utf8.AppendRune(cut, r+1), true
		}
	}
	return nil, false
}
