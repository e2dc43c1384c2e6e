package part

import (
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// valueBytes estimates the size of the values of a batch.
func valueBytes(rec arrow.RecordBatch) (n int64) {
	for _, a := range rec.Columns() {
		n += sizeOf(a)
	}
	return n
}

// rowsWithin returns how many rows of a batch, beginning with the first, have values of at most
// bytes bytes together.
func rowsWithin(rec arrow.RecordBatch, bytes int64) int64 {
	return int64(sort.Search(int(rec.NumRows()), func(i int) bool {
		some := rec.NewSlice(0, int64(i)+1)
		defer some.Release()
		return valueBytes(some) > bytes
	}))
}

// sizeOf estimates the size of the values of an array without dictionary encoding, because a reader
// of the file may not use dictionaries.
func sizeOf(a arrow.Array) int64 {
	if a.Len() == 0 {
		return 0
	}
	switch a := a.(type) {
	case textArray:
		offsets := a.ValueOffsets()
		return int64(offsets[len(offsets)-1] - offsets[0])
	case *array.Dictionary:
		return codedBytes(a)
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

// codedBytes returns the size that the rows of a dictionary array have without the dictionary: each
// value counts as often as it occurs.
func codedBytes(a *array.Dictionary) (n int64) {
	if a.Dictionary().Len() == 0 {
		return 0 // an empty dictionary may have no offsets
	}
	texts, codes := a.Dictionary().(textArray), a.Indices().(*array.Uint32)
	offsets, nulls := texts.ValueOffsets(), codes.NullN() > 0
	for i, code := range codes.Uint32Values() {
		// A code beyond the dictionary has no size here. Writing it returns an error.
		if int(code)+1 < len(offsets) && !(nulls && codes.IsNull(i)) {
			n += int64(offsets[code+1] - offsets[code])
		}
	}
	return n
}
