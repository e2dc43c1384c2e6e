package batch

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/scoterdb/scoter/internal/base"
)

// Validate checks the memory layout of a batch whose buffers come from outside, such as from an
// Arrow IPC stream. Buffers must be as long as their rows need, offsets must ascend and stay within
// the values, and dictionary indices must be in range. A valid batch can be read without memory
// faults and panics, and all other functions of this package rely on that. Batches made by Arrow's
// builders need no check. Validate reads offsets and indices, but no values. Errors are
// base.Invalid.
func Validate(rec arrow.RecordBatch) error {
	for i, c := range rec.Columns() {
		if int64(c.Len()) != rec.NumRows() {
			return base.Errorf(base.Invalid, "column %s has %d rows, the batch %d", shorten(rec.ColumnName(i)), c.Len(), rec.NumRows())
		}
		if err := validateData(c.Data(), 0); err != nil {
			return base.Wrap(err, "column %s", shorten(rec.ColumnName(i)))
		}
	}
	return nil
}

// maxNesting is the maximum depth of nested types. It limits recursion. schema.Parse has the same
// limit.
const maxNesting = 64

// maxLayoutRows is the maximum number of rows of a batch. It is more than any real batch has. It is
// small enough that its product with the width of a value does not overflow.
const maxLayoutRows = 1 << 31

func validateData(data arrow.ArrayData, depth int) error {
	if depth > maxNesting {
		return base.Errorf(base.Invalid, "nested deeper than %d", maxNesting)
	}
	dt := data.DataType()
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	if data.Len() < 0 || data.Offset() < 0 || data.Len() > maxLayoutRows || data.Offset() > maxLayoutRows {
		return base.Errorf(base.Invalid, "%d rows at offset %d", data.Len(), data.Offset())
	}
	end := int64(data.Offset()) + int64(data.Len())
	if data.Len() > 0 && len(data.Buffers()) > 0 && dt.ID() != arrow.NULL && data.Buffers()[0] != nil {
		if err := needBytes(data, 0, (end+7)/8); err != nil {
			return err
		}
	}
	switch d := dt.(type) {
	case *arrow.NullType:
		return nil
	case *arrow.DictionaryType:
		return validateDictionary(data, d, end, depth)
	case *arrow.BooleanType:
		return needBytes(data, 1, (end+7)/8)
	case *arrow.StringType, *arrow.BinaryType:
		return validateOffsets[int32](data, end, func() int64 { return bufferLen(data, 2) })
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return validateOffsets[int64](data, end, func() int64 { return bufferLen(data, 2) })
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return validateViews(data, end)
	case *arrow.ListType, *arrow.MapType:
		if err := validateChildren(data, 1, 0, depth); err != nil {
			return err
		}
		return validateOffsets[int32](data, end, func() int64 { return int64(data.Children()[0].Len()) })
	case *arrow.LargeListType:
		if err := validateChildren(data, 1, 0, depth); err != nil {
			return err
		}
		return validateOffsets[int64](data, end, func() int64 { return int64(data.Children()[0].Len()) })
	case *arrow.FixedSizeListType:
		return validateChildren(data, 1, end*int64(d.Len()), depth)
	case *arrow.StructType:
		return validateChildren(data, d.NumFields(), end, depth)
	case arrow.FixedWidthDataType:
		return needBytes(data, 1, end*int64(d.Bytes()))
	}
	return base.Errorf(base.Invalid, "type %s is not accepted", dt)
}

func bufferLen(data arrow.ArrayData, i int) int64 {
	if i >= len(data.Buffers()) || data.Buffers()[i] == nil {
		return 0
	}
	return int64(data.Buffers()[i].Len())
}

func needBytes(data arrow.ArrayData, i int, n int64) error {
	if data.Len() > 0 && bufferLen(data, i) < n {
		return base.Errorf(base.Invalid, "type %s: buffer %d has %d bytes where %d rows need %d", data.DataType(), i, bufferLen(data, i), data.Len(), n)
	}
	return nil
}

func validateChildren(data arrow.ArrayData, count int, rows int64, depth int) error {
	if len(data.Children()) != count {
		return base.Errorf(base.Invalid, "type %s: %d children", data.DataType(), len(data.Children()))
	}
	for _, child := range data.Children() {
		if int64(child.Len()) < rows {
			return base.Errorf(base.Invalid, "type %s: a child of %d rows where %d are needed", data.DataType(), child.Len(), rows)
		}
		if err := validateData(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// validateOffsets checks the offsets of an array's rows: they must ascend, and must not exceed the
// length of the values. The function limit returns that length. The argument end is the array's
// offset plus its length.
func validateOffsets[T int32 | int64](data arrow.ArrayData, end int64, limit func() int64) error {
	if data.Len() == 0 {
		return nil
	}
	var zero T
	width := int64(4)
	if _, wide := any(zero).(int64); wide {
		width = 8
	}
	if err := needBytes(data, 1, (end+1)*width); err != nil {
		return err
	}
	all := arrow.GetOffsets[T](data, 1)
	last := all[0]
	for i, o := range all[:data.Len()+1] {
		if o < last || o < 0 {
			return base.Errorf(base.Invalid, "type %s: the offset of row %d is below the one before", data.DataType(), i)
		}
		last = o
	}
	if most := limit(); int64(last) > most {
		return base.Errorf(base.Invalid, "type %s: offset %d is beyond %d", data.DataType(), last, most)
	}
	return nil
}

// validateViews checks that the views of the rows of an array point into its buffers. The array has
// a string view or binary view type. The argument end is the array's offset plus its length.
func validateViews(data arrow.ArrayData, end int64) error {
	if err := needBytes(data, 1, end*int64(arrow.ViewHeaderSizeBytes)); err != nil || data.Len() == 0 {
		return err
	}
	views := arrow.GetData[arrow.ViewHeader](data.Buffers()[1].Bytes())[data.Offset():end]
	valid := data.Buffers()[0]
	for i := range views {
		v := &views[i]
		if valid != nil && !bitutil.BitIsSet(valid.Bytes(), data.Offset()+i) {
			continue
		}
		if v.Len() < 0 {
			return base.Errorf(base.Invalid, "type %s: row %d has a negative length", data.DataType(), i)
		}
		if v.IsInline() {
			continue
		}
		at, from := int(v.BufferIndex())+2, int64(v.BufferOffset())
		if at < 2 || from < 0 || from+int64(v.Len()) > bufferLen(data, at) {
			return base.Errorf(base.Invalid, "type %s: row %d points outside its buffers", data.DataType(), i)
		}
	}
	return nil
}

func validateDictionary(data arrow.ArrayData, dt *arrow.DictionaryType, end int64, depth int) error {
	values, ok := data.Dictionary().(*array.Data)
	if !ok || values == nil {
		return base.Errorf(base.Invalid, "dictionary without values")
	}
	if err := needBytes(data, 1, end*int64(dt.IndexType.(arrow.FixedWidthDataType).Bytes())); err != nil {
		return err
	}
	if err := validateData(values, depth+1); err != nil {
		return err
	}
	d := array.NewDictionaryData(data)
	defer d.Release()
	signed, unsigned := signedReader(d.Indices()), unsignedReader(d.Indices())
	for i := range d.Len() {
		if d.IsNull(i) {
			continue
		}
		inRange := false
		if signed != nil {
			inRange = signed(i) >= 0 && signed(i) < int64(values.Len())
		} else if unsigned != nil {
			inRange = unsigned(i) < uint64(values.Len())
		}
		if !inRange {
			return base.Errorf(base.Invalid, "row %d: dictionary index out of range", i)
		}
	}
	return nil
}
