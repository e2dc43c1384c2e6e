package batch

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/float16"

	"github.com/scoterdb/scoter/internal/schema"
)

func convertBool(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	if a.DataType().ID() == arrow.BOOL {
		return same(a)
	}
	var value func(row int) (bool, string)
	if signed := signedReader(a); signed != nil {
		value = func(row int) (bool, string) {
			v := signed(row)
			if v != 0 && v != 1 {
				return false, outside(t)
			}
			return v == 1, ""
		}
	} else if text := textReader(a); text != nil {
		value = func(row int) (bool, string) {
			v, ok := parseBool(text(row))
			if !ok {
				return false, notA(t)
			}
			return v, ""
		}
	} else {
		return nil, notConvertible(a, t)
	}
	b := array.NewBooleanBuilder(allocator)
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		v, why := value(i)
		if why != "" {
			return nil, faultAt(a, i, "%s", why)
		}
		b.Append(v)
	}
	return b.NewArray(), nil
}

// signedReader returns a function that gets a row number and returns the signed integer in that row
// of the array a. If the values of the array are not signed integers, signedReader returns nil.
func signedReader(a arrow.Array) func(row int) int64 {
	switch a.DataType().ID() {
	case arrow.INT8:
		return readSigned[int8](a)
	case arrow.INT16:
		return readSigned[int16](a)
	case arrow.INT32:
		return readSigned[int32](a)
	case arrow.INT64:
		return readSigned[int64](a)
	}
	return nil
}

func readSigned[T int8 | int16 | int32 | int64](a arrow.Array) func(row int) int64 {
	values := words[T](a)
	return func(row int) int64 { return int64(values[row]) }
}

// unsignedReader returns a function that gets a row number and returns the unsigned integer in that
// row of the array a. If the values of the array are not unsigned integers, unsignedReader returns
// nil.
func unsignedReader(a arrow.Array) func(row int) uint64 {
	switch a.DataType().ID() {
	case arrow.UINT8:
		return readUnsigned[uint8](a)
	case arrow.UINT16:
		return readUnsigned[uint16](a)
	case arrow.UINT32:
		return readUnsigned[uint32](a)
	case arrow.UINT64:
		return readUnsigned[uint64](a)
	}
	return nil
}

func readUnsigned[T uint8 | uint16 | uint32 | uint64](a arrow.Array) func(row int) uint64 {
	values := words[T](a)
	return func(row int) uint64 { return uint64(values[row]) }
}

// floatReader returns a function that gets a row number and returns the floating-point number in
// that row of the array a. If the values of the array are not floating-point numbers, floatReader
// returns nil.
func floatReader(a arrow.Array) func(row int) float64 {
	switch a.DataType().ID() {
	case arrow.FLOAT16:
		values := words[float16.Num](a)
		return func(row int) float64 { return float64(values[row].Float32()) }
	case arrow.FLOAT32:
		values := words[float32](a)
		return func(row int) float64 { return float64(values[row]) }
	case arrow.FLOAT64:
		values := words[float64](a)
		return func(row int) float64 { return values[row] }
	}
	return nil
}

// decimalReader returns the scale of the decimals in the array a, and a function that gets a row
// number and returns the decimal in that row as an unscaled integer. The decimals may have any
// width. The function is nil if the values of the array are not decimals.
func decimalReader(a arrow.Array) (read func(row int) *big.Int, scale int) {
	switch a := a.(type) {
	case *array.Decimal32:
		return func(row int) *big.Int { return big.NewInt(int64(a.Value(row))) }, scaleOf(a)
	case *array.Decimal64:
		return func(row int) *big.Int { return big.NewInt(int64(a.Value(row))) }, scaleOf(a)
	case *array.Decimal128:
		return func(row int) *big.Int { return a.Value(row).BigInt() }, scaleOf(a)
	case *array.Decimal256:
		return func(row int) *big.Int { return a.Value(row).BigInt() }, scaleOf(a)
	}
	return nil, 0
}

func scaleOf(a arrow.Array) int { return int(a.DataType().(arrow.DecimalType).GetScale()) }

// integerText returns a function that gets a row number and returns the digits of the number in
// that row of the array a. The array may have decimals, floating-point numbers or texts. The
// function returns false if the number is not an integer. If the array has values of other types,
// integerText returns nil.
func integerText(a arrow.Array) func(row int) (string, bool) {
	if float := floatReader(a); float != nil {
		return func(row int) (string, bool) {
			v := float(row)
			if v != math.Trunc(v) || math.IsInf(v, 0) {
				return "", false
			}
			n, _ := big.NewFloat(v).Int(nil)
			return n.String(), true
		}
	}
	if decimal, scale := decimalReader(a); decimal != nil {
		// The divisor is 10^scale, but at most 10^77, which is greater than every decimal: the
		// widest decimals have 77 digits. So for a larger scale the result is still right: only 0
		// is an integer.
		const digits = 77
		pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(min(max(0, scale), digits))), nil)
		return func(row int) (string, bool) {
			q, r := new(big.Int).QuoRem(decimal(row), pow, new(big.Int))
			return q.String(), r.Sign() == 0 && scale >= 0
		}
	}
	if text := textReader(a); text != nil {
		return func(row int) (string, bool) { return text(row), true }
	}
	return nil
}

func convertSigned[T int8 | int16 | int32 | int64](a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	if a.DataType().ID() == t.Arrow().ID() {
		return same(a)
	}
	if read := signedReader(a); read != nil {
		return build(a, t, func(row int) (T, string) {
			v := read(row)
			if int64(T(v)) != v {
				return 0, outside(t)
			}
			return T(v), ""
		})
	}
	if read := unsignedReader(a); read != nil {
		return build(a, t, func(row int) (T, string) {
			v := read(row)
			if T(v) < 0 || uint64(T(v)) != v {
				return 0, outside(t)
			}
			return T(v), ""
		})
	}
	read := integerText(a)
	if read == nil {
		return nil, notConvertible(a, t)
	}
	if float := floatReader(a); float != nil {
		return build(a, t, func(row int) (T, string) {
			v := float(row)
			// Both -(1<<63) and 1<<63 can be represented exactly as floating-point numbers. The
			// latter is the smallest such number above every int64. The comparison is false for
			// NaN.
			if !(v >= -(1<<63) && v < 1<<63) || float64(T(v)) != v {
				return 0, inexact(t)
			}
			return T(v), ""
		})
	}
	return build(a, t, func(row int) (T, string) {
		text, ok := read(row)
		if !ok {
			return 0, inexact(t)
		}
		v, ok := parseInt(text)
		if !ok || int64(T(v)) != v {
			return 0, notA(t)
		}
		return T(v), ""
	})
}

func convertUnsigned[T uint8 | uint16 | uint32 | uint64](a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	if a.DataType().ID() == t.Arrow().ID() {
		return same(a)
	}
	if read := signedReader(a); read != nil {
		return build(a, t, func(row int) (T, string) {
			v := read(row)
			if v < 0 || uint64(T(v)) != uint64(v) {
				return 0, outside(t)
			}
			return T(v), ""
		})
	}
	if read := unsignedReader(a); read != nil {
		return build(a, t, func(row int) (T, string) {
			v := read(row)
			if uint64(T(v)) != v {
				return 0, outside(t)
			}
			return T(v), ""
		})
	}
	read := integerText(a)
	if read == nil {
		return nil, notConvertible(a, t)
	}
	return build(a, t, func(row int) (T, string) {
		text, ok := read(row)
		if !ok {
			return 0, inexact(t)
		}
		v, ok := parseUint(text)
		if !ok || uint64(T(v)) != v {
			return 0, notA(t)
		}
		return T(v), ""
	})
}

func convertFloat[T float32 | float64](a arrow.Array, t schema.Type, bitSize int) (arrow.Array, *fault) {
	if a.DataType().ID() == t.Arrow().ID() {
		return same(a)
	}
	if read := floatReader(a); read != nil {
		return build(a, t, func(row int) (T, string) {
			v := read(row)
			if math.IsInf(float64(T(v)), 0) && !math.IsInf(v, 0) {
				return 0, outside(t)
			}
			return T(v), ""
		})
	}
	if read := signedReader(a); read != nil {
		return build(a, t, func(row int) (T, string) {
			v := read(row)
			// As a float, an int64 close to MaxInt64 is rounded to 2^63, which does not fit into an
			// int64.
			if f := T(v); f < 1<<63 && int64(f) == v {
				return f, ""
			}
			return 0, inexact(t)
		})
	}
	if read := unsignedReader(a); read != nil {
		return build(a, t, func(row int) (T, string) {
			v := read(row)
			if f := T(v); f < 1<<64 && uint64(f) == v {
				return f, ""
			}
			return 0, inexact(t)
		})
	}
	if decimal, scale := decimalReader(a); decimal != nil {
		// digits is the number of decimal digits that are preserved by a conversion to a float and
		// back.
		digits := map[int]int{32: 6, 64: 15}[bitSize]
		return build(a, t, func(row int) (T, string) {
			n := decimal(row)
			text := n.String()
			if len(strings.TrimRight(strings.TrimLeft(text, "-"), "0")) > digits {
				return 0, inexact(t)
			}
			v, err := strconv.ParseFloat(text+"e"+strconv.Itoa(-scale), bitSize)
			if err != nil {
				return 0, outside(t)
			}
			return T(v), ""
		})
	}
	text := textReader(a)
	if text == nil {
		return nil, notConvertible(a, t)
	}
	return build(a, t, func(row int) (T, string) {
		v, ok := parseFloat(text(row), bitSize)
		if !ok {
			return 0, notA(t)
		}
		return T(v), ""
	})
}

func convertDecimal(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	width, scale := int(t.Width), int(t.Scale)
	if d, ok := a.(*array.Decimal128); ok && scaleOf(a) == scale {
		converted, f := each(a, func(row int) string {
			if !d.Value(row).FitsInPrecision(int32(width)) {
				return outside(t)
			}
			return ""
		})
		if f != nil || arrow.TypeEqual(a.DataType(), t.Arrow()) {
			return converted, f
		}
		defer converted.Release()
		return retyped(converted, t.Arrow()), nil
	}
	var text func(row int) string
	if read := signedReader(a); read != nil {
		text = func(row int) string { return strconv.FormatInt(read(row), 10) }
	} else if read := unsignedReader(a); read != nil {
		text = func(row int) string { return strconv.FormatUint(read(row), 10) }
	} else if read := floatReader(a); read != nil {
		bitSize := 64
		if a.DataType().ID() != arrow.FLOAT64 {
			bitSize = 32
		}
		text = func(row int) string { return strconv.FormatFloat(read(row), 'e', -1, bitSize) }
	} else if read, from := decimalReader(a); read != nil {
		text = func(row int) string { return read(row).String() + "e" + strconv.Itoa(-from) }
	} else if text = textReader(a); text == nil {
		return nil, notConvertible(a, t)
	}
	return build(a, t, func(row int) (decimal128.Num, string) {
		v, ok := parseDecimal(text(row), width, scale)
		if !ok {
			return v, inexact(t)
		}
		return v, ""
	})
}
