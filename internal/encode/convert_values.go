package encode

import (
	"context"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
)

// asText returns the field out with a text type, and the conversion of the values of the field f to
// text. The text is the same as in CSV.
func (to target) asText(out, f arrow.Field) (arrow.Field, convert, error) {
	text, err := newCell(f, csvStyle, 0)
	out.Type = arrow.BinaryTypes.String
	return out, func(arr arrow.Array) (arrow.Array, error) {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		defer b.Release()
		text.bind(arr)
		var buf []byte
		for i := range arr.Len() {
			if text.isNull(i) {
				b.AppendNull()
				continue
			}
			buf = text.append(buf[:0], i)
			b.BinaryBuilder.Append(buf)
		}
		return b.NewArray(), nil
	}, err
}

// decodeDictionary returns a conversion of dictionary arrays to plain arrays: each row gets its
// value in place of the index. The conversion next is applied to the dictionary's values before
// that.
func decodeDictionary(next convert) convert {
	return func(arr arrow.Array) (arrow.Array, error) {
		dict := arr.(*array.Dictionary)
		values, err := next.apply(dict.Dictionary())
		if err != nil {
			return nil, err
		}
		defer values.Release()
		out, err := compute.TakeArray(context.Background(), values, dict.Indices())
		return out, base.Wrap(err, "decode dictionary")
	}
}

// plainList returns a conversion of list views, large lists and fixed-size lists to plain lists of
// type dt. The conversion next is applied to the elements. Plain lists are what every client
// supports, and what arrow-go's writers handle correctly if an array is a slice.
func plainList(dt *arrow.ListType, next convert) convert {
	return func(arr arrow.Array) (arrow.Array, error) {
		view := arr.(array.ListLike)
		rows := view.Len()
		offsets := make([]int32, rows+1)
		valid := make([]byte, bitutil.BytesForBits(int64(rows)))
		indices := array.NewInt64Builder(memory.DefaultAllocator)
		defer indices.Release()
		for i := range rows {
			if !view.IsNull(i) {
				bitutil.SetBit(valid, i)
				start, end := view.ValueOffsets(i)
				for j := start; j < end; j++ {
					indices.Append(j)
				}
			}
			if indices.Len() > math.MaxInt32 {
				return nil, base.Errorf(base.Invalid, "lists of one batch have more than %d elements", math.MaxInt32)
			}
			offsets[i+1] = int32(indices.Len())
		}
		values, err := next.apply(view.ListValues())
		if err != nil {
			return nil, err
		}
		defer values.Release()
		order := indices.NewArray()
		defer order.Release()
		elements, err := compute.TakeArray(context.Background(), values, order)
		if err != nil {
			return nil, base.Wrap(err, "gather list elements")
		}
		defer elements.Release()
		buffers := []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}
		return newArray(dt, rows, buffers, []arrow.ArrayData{elements.Data()}, view.NullN(), 0), nil
	}
}

func binaryFromView(arr arrow.Array) (arrow.Array, error) {
	view := arr.(*array.BinaryView)
	b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	defer b.Release()
	for i := range view.Len() {
		if view.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(view.Value(i))
		}
	}
	return b.NewArray(), nil
}

func boolFromBool8(arr arrow.Array) (arrow.Array, error) {
	var c bool8Cell
	c.bind(arr)
	b := array.NewBooleanBuilder(memory.DefaultAllocator)
	defer b.Release()
	for i := range arr.Len() {
		if c.isNull(i) {
			b.AppendNull()
		} else {
			b.Append(c.values[i] != 0)
		}
	}
	return b.NewArray(), nil
}

// millisFromSeconds returns a conversion of timestamps in seconds to dt, timestamps in
// milliseconds, because Parquet has no timestamps in seconds. The conversion in arrow-go fails for
// infinities, which are the largest and the smallest number in every unit.
func millisFromSeconds(dt *arrow.TimestampType) convert {
	return func(arr arrow.Array) (arrow.Array, error) {
		data := arr.Data()
		millis := make([]int64, data.Offset()+data.Len())
		for i, v := range fixedValues[int64](arr) {
			to := &millis[data.Offset()+i]
			switch {
			case arr.IsNull(i):
			case v == math.MaxInt64 || v == -math.MaxInt64:
				*to = v
			case v > math.MaxInt64/1000 || v < math.MinInt64/1000:
				return nil, base.Errorf(base.Invalid, "%d seconds since 1970 are out of Parquet's range of times", v)
			default:
				*to = v * 1000
			}
		}
		buffers := []*memory.Buffer{data.Buffers()[0], memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(millis))}
		return newArray(dt, data.Len(), buffers, nil, data.NullN(), data.Offset()), nil
	}
}

// hugeintDecimal is the decimal type to which HUGEINT, a 128-bit integer, is converted, as in
// DuckDB's own clients. A HUGEINT may have 39 digits, one more than this type allows.
var hugeintDecimal = &arrow.Decimal128Type{Precision: 38}

func decimalFromHugeint(arr arrow.Array) (arrow.Array, error) {
	data := unwrap(arr).Data()
	return newArray(hugeintDecimal, data.Len(), data.Buffers(), nil, data.NullN(), data.Offset()), nil
}

// toDecimal returns a conversion to the decimal type dt. It converts HUGEINT, UHUGEINT, and
// decimals of 32 and 64 bits, which the Parquet writer does not support.
func toDecimal(f arrow.Field, dt *arrow.Decimal128Type) (convert, error) {
	limit := uint128{0x4B3B4CA85A86C47A, 0x098A224000000000} // 10^38
	text, err := newCell(f, csvStyle, 0)
	if err != nil {
		return nil, err
	}
	numbers := text.(decimalValues)
	return func(arr arrow.Array) (arrow.Array, error) {
		text.bind(arr)
		b := array.NewDecimal128Builder(memory.DefaultAllocator, dt)
		defer b.Release()
		for i := range arr.Len() {
			if text.isNull(i) {
				b.AppendNull()
				continue
			}
			u, negative := numbers.value(i)
			if u.hi > limit.hi || u.hi == limit.hi && u.lo >= limit.lo {
				return nil, base.Errorf(base.Invalid, "value %s has more than 38 digits, the most that Parquet holds", text.append(nil, i)).
					WithHint("cast the column to DOUBLE or VARCHAR")
			}
			if negative {
				u = u.negate()
			}
			b.Append(decimal128.New(int64(u.hi), u.lo))
		}
		return b.NewArray(), nil
	}, nil
}

// rebaseUnion returns a union array without an offset, because the IPC writer does not support
// unions with one. If arr is a slice of a larger array, rebaseUnion cuts out the type codes of its
// rows. In Arrow's dense layout it also cuts out their offsets. These stay valid, because the
// arrays of the members stay whole.
func rebaseUnion(arr arrow.Array) (arrow.Array, error) {
	union := arr.(array.Union)
	data := union.Data()
	offset, length := data.Offset(), data.Len()
	if offset == 0 {
		arr.Retain()
		return arr, nil
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(data.Buffers()[1].Bytes()[offset : offset+length])}
	if _, dense := union.(*array.DenseUnion); dense {
		const width = arrow.Int32SizeBytes
		buffers = append(buffers, memory.NewBufferBytes(data.Buffers()[2].Bytes()[offset*width:(offset+length)*width]))
	}
	children := make([]arrow.ArrayData, union.NumFields())
	for i := range children {
		children[i] = union.Field(i).Data()
	}
	return newArray(union.DataType(), length, buffers, children, 0, 0), nil
}
