package part

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// valueBytes returns about how large the values of a batch are.
func valueBytes(rec arrow.RecordBatch) (n int64) {
	for _, a := range rec.Columns() {
		n += sizeOf(a)
	}
	return n
}

// sizeOf returns about how large the values of an array are, without a dictionary: who reads the file may not ask for one.
func sizeOf(a arrow.Array) int64 {
	if a.Len() == 0 {
		return 0
	}
	switch a := a.(type) {
	case textArray:
		offsets := a.ValueOffsets()
		return int64(offsets[len(offsets)-1] - offsets[0])
	case *array.Dictionary:
		return sizeOf(a.Dictionary()) / int64(max(1, a.Dictionary().Len())) * int64(a.Len())
	case array.ExtensionArray:
		return sizeOf(a.Storage())
	case *array.Struct:
		n := int64(0)
		for i := range a.NumField() {
			n += sizeOf(a.Field(i))
		}
		return n
	case array.ListLike:
		first, _ := a.ValueOffsets(0)
		_, end := a.ValueOffsets(a.Len() - 1)
		values := array.NewSlice(a.ListValues(), first, end)
		defer values.Release()
		return sizeOf(values)
	}
	if fixed, ok := a.DataType().(arrow.FixedWidthDataType); ok {
		return int64(a.Len()*fixed.BitWidth()) / 8
	}
	return 0
}
