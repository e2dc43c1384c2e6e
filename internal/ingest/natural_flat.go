package ingest

import (
	"math"
	"math/big"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

// naturalFlat converts an array of a flat type to the type that decoders return for its values, if
// the two types have different layouts.
func naturalFlat(a arrow.Array, budget *Budget) (arrow.Array, error) {
	text, binary := arrow.BinaryTypes.String, arrow.BinaryTypes.Binary
	switch a := a.(type) {
	case *array.LargeString:
		return flatten(a.Len(), text, budget, a.IsNull, a.Value)
	case *array.StringView:
		return flatten(a.Len(), text, budget, a.IsNull, a.Value)
	case *array.LargeBinary:
		return flatten(a.Len(), binary, budget, a.IsNull, a.ValueString)
	case *array.BinaryView:
		return flatten(a.Len(), binary, budget, a.IsNull, a.ValueString)
	case *array.FixedSizeBinary:
		return flatten(a.Len(), binary, budget, a.IsNull, func(i int) string { return unsafe.String(unsafe.SliceData(a.Value(i)), len(a.Value(i))) })
	case *array.Float16:
		return convert(a, arrow.PrimitiveTypes.Float32, budget, func(b array.Builder, i int) bool {
			b.(*array.Float32Builder).Append(a.Value(i).Float32())
			return true
		})
	case *array.Date64:
		const day = 86_400_000
		return convert(a, arrow.FixedWidthTypes.Date32, budget, func(b array.Builder, i int) bool {
			v := int64(a.Value(i))
			b.(*array.Date32Builder).Append(arrow.Date32(v / day))
			return v%day == 0 && v/day <= math.MaxInt32 && v/day >= math.MinInt32
		})
	case *array.Time32:
		perMicro := int64(1e3)
		if a.DataType().(*arrow.Time32Type).Unit == arrow.Second {
			perMicro = 1e6
		}
		return convert(a, arrow.FixedWidthTypes.Time64us, budget, func(b array.Builder, i int) bool {
			b.(*array.Time64Builder).Append(arrow.Time64(int64(a.Value(i)) * perMicro))
			return true
		})
	case *array.Time64:
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Microsecond {
			a.Retain()
			return a, nil
		}
		return convert(a, arrow.FixedWidthTypes.Time64us, budget, func(b array.Builder, i int) bool {
			b.(*array.Time64Builder).Append(a.Value(i) / 1000)
			return a.Value(i)%1000 == 0
		})
	}
	return naturalDecimal(a, budget)
}

// naturalDecimal converts decimals of any width to decimal128. A decimal with a negative scale
// counts tens or hundreds. Tables have no such type, so it becomes a whole number.
func naturalDecimal(a arrow.Array, budget *Budget) (arrow.Array, error) {
	t, ok := a.DataType().(arrow.DecimalType)
	if !ok {
		return nil, unsupported(a.DataType())
	}
	const most = 38 // maximum number of digits of a decimal128
	scale := int(t.GetScale())
	if scale < -most || scale > most {
		return nil, base.Errorf(base.Invalid, "type %v is not supported: its scale is not between %d and %d", t, -most, most)
	}
	if t.ID() == arrow.DECIMAL128 && scale >= 0 {
		a.Retain()
		return a, nil
	}
	tens := max(0, -scale)
	to := &arrow.Decimal128Type{Precision: min(min(t.GetPrecision(), most)+int32(tens), most), Scale: int32(max(0, scale))}
	var value func(i int) (decimal128.Num, bool)
	switch a := a.(type) {
	case *array.Decimal32:
		value = func(i int) (decimal128.Num, bool) { return decimal128.FromI64(int64(a.Value(i))), true }
	case *array.Decimal64:
		value = func(i int) (decimal128.Num, bool) { return decimal128.FromI64(int64(a.Value(i))), true }
	case *array.Decimal128:
		value = func(i int) (decimal128.Num, bool) { return a.Value(i), true }
	case *array.Decimal256:
		value = func(i int) (decimal128.Num, bool) {
			v := a.Value(i)
			if !v.FitsInPrecision(most) {
				return decimal128.Num{}, false
			}
			return decimal128.FromBigInt(v.BigInt()), true
		}
	default:
		return nil, unsupported(t)
	}
	return convert(a, to, budget, func(b array.Builder, i int) bool {
		v, ok := value(i)
		if ok && tens > 0 {
			v, ok = times10(v, tens, most)
		}
		b.(*array.Decimal128Builder).Append(v)
		return ok
	})
}

// times10 returns v times 10^tens. It returns false if the result has more than the given number of
// digits.
func times10(v decimal128.Num, tens, digits int) (decimal128.Num, bool) {
	ten := big.NewInt(10)
	n := new(big.Int).Exp(ten, big.NewInt(int64(tens)), nil)
	if n.Mul(n, v.BigInt()).CmpAbs(new(big.Int).Exp(ten, big.NewInt(int64(digits)), nil)) >= 0 {
		return decimal128.Num{}, false
	}
	return decimal128.FromBigInt(n), true
}

// convert builds an array of type t from array a. The function put appends the value of row i to
// the builder b. If t cannot represent the value, put appends a placeholder and returns false.
func convert(a arrow.Array, t arrow.DataType, budget *Budget, put func(b array.Builder, i int) bool) (arrow.Array, error) {
	if err := budget.take(a.Len() * t.(arrow.FixedWidthDataType).Bytes()); err != nil {
		return nil, err
	}
	b := array.NewBuilder(memory.DefaultAllocator, t)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		if !put(b, i) {
			return nil, base.Errorf(base.Invalid, "row %d: %v of type %v does not fit into %v", i+1, a.ValueStr(i), a.DataType(), t)
		}
	}
	return b.NewArray(), nil
}

// flatten builds an array of text or binary with 32-bit offsets and one buffer of values, from the
// values that the function value returns.
func flatten(rows int, t arrow.BinaryDataType, budget *Budget, isNull func(i int) bool, value func(i int) string) (arrow.Array, error) {
	size := 0
	for i := range rows {
		if !isNull(i) {
			size += len(value(i)) // no overflow: the size is at most 2^31 times 2^31
		}
	}
	if err := budget.take(size + 4*rows); err != nil {
		return nil, err
	}
	if size > math.MaxInt32 {
		return nil, base.Errorf(base.TooLarge, "more than 2 GiB in one batch")
	}
	var b interface {
		array.Builder
		ReserveData(int)
	}
	var put func(string)
	if t.ID() == arrow.STRING {
		s := array.NewStringBuilder(memory.DefaultAllocator)
		b, put = s, s.Append
	} else {
		s := array.NewBinaryBuilder(memory.DefaultAllocator, t)
		b, put = s, s.AppendString
	}
	defer b.Release()
	b.Reserve(rows)
	b.ReserveData(size)
	for i := range rows {
		if isNull(i) {
			b.AppendNull()
		} else {
			put(value(i))
		}
	}
	return b.NewArray(), nil
}
