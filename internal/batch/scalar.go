package batch

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// bytesOf returns a function that returns the bytes in a row of a text, binary or UUID column. The
// bytes are not copied.
func bytesOf(a arrow.Array) (func(row int) []byte, error) {
	switch a := a.(type) {
	case *array.String, *array.Binary:
		o, bytes := offsets(a), valueBytes(a)
		return func(row int) []byte { return bytes[o[row]:o[row+1]] }, nil
	case *array.Dictionary:
		values, err := bytesOf(a.Dictionary())
		return func(row int) []byte { return values(a.GetValueIndex(row)) }, err
	case *extensions.UUIDArray:
		return a.Storage().(*array.FixedSizeBinary).Value, nil
	}
	return nil, base.Errorf(base.Internal, "type %s has no bytes", a.DataType())
}

// scalarsOf returns a function that returns the value in a row of a column of scalars.
func scalarsOf(a arrow.Array) (func(row int) schema.Value, error) {
	value, err := setScalarsOf(a)
	if err != nil {
		return nil, err
	}
	return func(row int) schema.Value {
		if a.IsNull(row) {
			return schema.Value{}
		}
		return value(row)
	}, nil
}

// setScalarsOf does what scalarsOf does, but its function must be called only for rows that are not
// NULL.
func setScalarsOf(a arrow.Array) (func(row int) schema.Value, error) {
	switch a := a.(type) {
	case *array.Boolean:
		return func(row int) schema.Value {
			if a.Value(row) {
				return schema.IntValue(1)
			}
			return schema.IntValue(0)
		}, nil
	case *array.Int8:
		return signedScalars[int8](a), nil
	case *array.Int16:
		return signedScalars[int16](a), nil
	case *array.Int32, *array.Date32:
		return signedScalars[int32](a), nil
	case *array.Int64, *array.Time64, *array.Timestamp:
		return signedScalars[int64](a), nil
	case *array.Uint8:
		return unsignedScalars[uint8](a), nil
	case *array.Uint16:
		return unsignedScalars[uint16](a), nil
	case *array.Uint32:
		return unsignedScalars[uint32](a), nil
	case *array.Uint64:
		return unsignedScalars[uint64](a), nil
	case *array.Float32:
		return func(row int) schema.Value { return schema.FloatValue(float64(a.Value(row))) }, nil
	case *array.Float64:
		return func(row int) schema.Value { return schema.FloatValue(a.Value(row)) }, nil
	case *array.Decimal128:
		scale := uint8(a.DataType().(*arrow.Decimal128Type).Scale)
		return func(row int) schema.Value { return schema.DecimalValue(a.Value(row), scale) }, nil
	case *array.Dictionary:
		values, err := setScalarsOf(a.Dictionary())
		if err != nil {
			return nil, err
		}
		// The values are computed once for each code of the dictionary, so rows with the same code
		// share a string.
		byCode := make([]schema.Value, a.Dictionary().Len())
		for code := range byCode {
			byCode[code] = values(code)
		}
		return func(row int) schema.Value { return byCode[a.GetValueIndex(row)] }, nil
	}
	bytes, err := bytesOf(a)
	if err != nil {
		return nil, err
	}
	return func(row int) schema.Value { return schema.BytesValue(bytes(row)) }, nil
}

func signedScalars[T int8 | int16 | int32 | int64](a arrow.Array) func(row int) schema.Value {
	values := words[T](a)
	return func(row int) schema.Value { return schema.IntValue(int64(values[row])) }
}

func unsignedScalars[T uint8 | uint16 | uint32 | uint64](a arrow.Array) func(row int) schema.Value {
	values := words[T](a)
	return func(row int) schema.Value { return schema.UintValue(uint64(values[row])) }
}
