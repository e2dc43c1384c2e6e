package ingest

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

// Validate checks that a batch is safe for code that trusts it, above all C code. If it is not, the
// error is base.Invalid or base.TooLarge. Validate checks that:
//   - buffers are as long as the lengths and offsets claim
//   - offsets ascend and stay within their buffers
//   - dictionary indices are within the dictionary
//   - null counts are right
//   - text is valid UTF-8
//   - column names are valid and unique
//   - nesting and the number of columns are within the limits
//   - all types are known: the flat types, list, large_list, fixed_size_list, map, struct,
//     dictionary, and extension types over these
//
// The bytes that an array has at the positions of NULLs are not checked. The cost is one pass over
// offsets, indices and text.
func Validate(batch arrow.RecordBatch) error { return validate(batch, nil) }

// validate checks a batch as Validate does. If budget is not nil, it bounds how many bytes of text
// are read through views, which may refer to the same bytes many times.
func validate(batch arrow.RecordBatch, budget *Budget) error {
	v := validator{budget: budget}
	if int64(int(batch.NumRows())) != batch.NumRows() || batch.NumRows() < 0 || batch.NumRows() > math.MaxInt32 {
		return base.Errorf(base.TooLarge, "a batch of %d rows", batch.NumRows())
	}
	fields := batch.Schema().Fields()
	if len(fields) != int(batch.NumCols()) {
		return base.Errorf(base.Invalid, "a batch of %d columns under a schema of %d", batch.NumCols(), len(fields))
	}
	if err := v.names(fields); err != nil {
		return err
	}
	for i, f := range fields {
		data := batch.Column(i).Data()
		if int64(data.Len()) != batch.NumRows() {
			return base.Errorf(base.Invalid, "column %q has %d rows, its batch %d", f.Name, data.Len(), batch.NumRows())
		}
		if !arrow.TypeEqual(f.Type, data.DataType()) {
			return base.Errorf(base.Invalid, "column %q is %v, the schema says %v", f.Name, data.DataType(), f.Type)
		}
		if err := v.array(f.Name, data, 0); err != nil {
			return err
		}
	}
	return nil
}

type validator struct {
	columns int
	// weightless is the number of values in arrays that use no bytes for their values.
	weightless int
	budget     *Budget
	viewed     int64 // viewed is the number of bytes of text that were read through views.
}

// maxWeightless is the maximum number of values in a batch that use no bytes, such as NULLs of the
// null type and strings of fixed size 0. Without a limit, a few bytes could claim billions of them.
const maxWeightless = 1 << 27

// names checks that the names of a batch's columns, or of a struct's fields, are valid and unique.
func (v *validator) names(fields []arrow.Field) error {
	seen := make(map[string]struct{}, len(fields))
	for _, f := range fields {
		if err := CheckName("column", f.Name); err != nil {
			return err
		}
		if _, ok := seen[f.Name]; ok {
			return base.Errorf(base.Invalid, "column %q is given twice", f.Name)
		}
		seen[f.Name] = struct{}{}
	}
	return nil
}

func broken(name, format string, args ...any) error {
	return base.Wrap(base.Errorf(base.Invalid, format, args...), "column %q", name)
}

// bytesOf returns the bytes of a buffer, or nil if there is no buffer.
func bytesOf(b *memory.Buffer) []byte {
	if b == nil {
		return nil
	}
	return b.Bytes()
}

func (v *validator) array(name string, data arrow.ArrayData, depth int) error {
	if depth > MaxNesting {
		return base.Errorf(base.TooLarge, "column %q is nested deeper than %d", name, MaxNesting)
	}
	if v.columns++; v.columns > MaxColumns {
		return base.Errorf(base.TooLarge, "more than %d columns", MaxColumns)
	}
	offset, length := data.Offset(), data.Len()
	if offset < 0 || length < 0 || offset > math.MaxInt32 || length > math.MaxInt32 {
		return broken(name, "an array of %d values from %d on", length, offset)
	}
	end := offset + length
	dt := data.DataType()
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	buffers := data.Buffers()
	if want := bufferCount(dt); want < 0 {
		return broken(name, "type %v is not supported", dt)
	} else if len(buffers) < want {
		return broken(name, "%d buffers where %v has %d", len(buffers), dt, want)
	}
	if weightless(dt) {
		if v.weightless += length; v.weightless > maxWeightless {
			return base.Errorf(base.TooLarge, "column %q: more than %d values of a type without content, %v", name, maxWeightless, dt)
		}
	}
	if dt.ID() == arrow.NULL {
		return nil
	}
	if err := checkNulls(name, data, bytesOf(buffers[0]), end); err != nil {
		return err
	}
	switch t := dt.(type) {
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return v.text(name, data, dt)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return v.views(name, data, dt)
	case *arrow.DictionaryType:
		return v.dictionary(name, data, t, depth)
	case *arrow.StructType:
		return v.structs(name, data, t, depth)
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		return v.list(name, data, dt, depth)
	case *arrow.FixedSizeListType:
		if len(data.Children()) != 1 || t.Len() < 0 || data.Children()[0].Len()/max(int(t.Len()), 1) < end && t.Len() > 0 {
			return broken(name, "lists reach beyond their values")
		}
		return v.array(name+"[]", data.Children()[0], depth+1)
	case arrow.FixedWidthDataType:
		if int64(len(bytesOf(buffers[1]))) < bitutil.BytesForBits(int64(t.BitWidth())*int64(end)) {
			return broken(name, "%d bytes where %d values of %v are", len(bytesOf(buffers[1])), end, dt)
		}
		return nil
	}
	return broken(name, "type %v is not supported", dt)
}

// weightless reports whether the values of arrays of type dt use no bytes, such as the NULLs of the
// null type.
func weightless(dt arrow.DataType) bool {
	switch t := dt.(type) {
	case *arrow.NullType:
		return true
	case *arrow.FixedSizeListType:
		return t.Len() == 0
	case *arrow.StructType:
		return t.NumFields() == 0
	case *arrow.FixedSizeBinaryType:
		return t.ByteWidth == 0
	}
	return false
}

// bufferCount returns the number of buffers that arrays of type dt have, or -1 for an unknown type.
func bufferCount(dt arrow.DataType) int {
	switch dt.ID() {
	case arrow.NULL:
		return 0
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
		return 1
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return 3
	case arrow.LIST, arrow.LARGE_LIST, arrow.MAP, arrow.DICTIONARY, arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return 2
	}
	if _, ok := dt.(arrow.FixedWidthDataType); ok {
		return 2
	}
	return -1
}

func checkNulls(name string, data arrow.ArrayData, valid []byte, end int) error {
	known := data.NullN() != array.UnknownNullCount
	if len(valid) == 0 {
		if known && data.NullN() != 0 {
			return broken(name, "%d NULLs without a validity bitmap", data.NullN())
		}
		return nil
	}
	if int64(len(valid)) < bitutil.BytesForBits(int64(end)) {
		return broken(name, "a validity bitmap of %d bytes for %d rows", len(valid), end)
	}
	if nulls := data.Len() - bitutil.CountSetBits(valid, data.Offset(), data.Len()); known && nulls != data.NullN() {
		return broken(name, "%d NULLs where %d are announced", nulls, data.NullN())
	}
	return nil
}

// offsets checks the offsets of an array's values, and returns them, starting with the offset of
// the first value. There is one more offset than there are values. No offset may be larger than
// limit. The argument large means that offsets have 64 bits.
func offsets(name string, data arrow.ArrayData, large bool, limit int) ([]int64, error) {
	raw := bytesOf(data.Buffers()[1])
	if data.Len() == 0 && len(raw) == 0 {
		return []int64{0}, nil
	}
	size := 4
	if large {
		size = 8
	}
	if len(raw)/size < data.Offset()+data.Len()+1 {
		return nil, broken(name, "%d bytes of offsets for %d values", len(raw), data.Offset()+data.Len())
	}
	raw = raw[data.Offset()*size:]
	all := make([]int64, data.Len()+1)
	last := int64(0)
	for i := range all {
		var at int64
		if large {
			at = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		} else {
			at = int64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
		}
		if at < last || at > int64(limit) {
			return nil, broken(name, "offset %d of value %d does not lie between %d and %d", at, i, last, limit)
		}
		all[i], last = at, at
	}
	return all, nil
}

func (v *validator) text(name string, data arrow.ArrayData, dt arrow.DataType) error {
	values := bytesOf(data.Buffers()[2])
	large := dt.ID() == arrow.LARGE_STRING || dt.ID() == arrow.LARGE_BINARY
	at, err := offsets(name, data, large, len(values))
	if err != nil || dt.ID() == arrow.BINARY || dt.ID() == arrow.LARGE_BINARY {
		return err
	}
	// If the whole text is valid UTF-8, and every value begins and ends between characters, each
	// value is valid.
	sound := utf8.Valid(values[at[0]:at[len(at)-1]])
	for i := 0; sound && i < len(at)-1; i++ {
		sound = at[i] == int64(len(values)) || utf8.RuneStart(values[at[i]])
	}
	if sound {
		return nil
	}
	for i := range data.Len() {
		if value := values[at[i]:at[i+1]]; !isNull(data, i) && !utf8.Valid(value) {
			return broken(name, "row %d is not valid UTF-8: %s", i+1, Quote(value))
		}
	}
	return nil
}

// The method views checks an array of text or bytes in Arrow's view layout. A value has 16 bytes
// there: its size, and either the value itself (up to 12 bytes) or a buffer's number and the offset
// in that buffer.
func (v *validator) views(name string, data arrow.ArrayData, dt arrow.DataType) error {
	const size, inline = 16, 12
	raw := bytesOf(data.Buffers()[1])
	if len(raw)/size < data.Offset()+data.Len() {
		return broken(name, "%d bytes of views for %d values", len(raw), data.Offset()+data.Len())
	}
	raw = raw[data.Offset()*size:]
	for i := range data.Len() {
		if isNull(data, i) {
			continue
		}
		view := raw[i*size : (i+1)*size]
		n := int64(int32(binary.LittleEndian.Uint32(view)))
		var value []byte
		switch {
		case n >= 0 && n <= inline:
			value = view[4 : 4+n]
		default:
			buffer, at := int64(int32(binary.LittleEndian.Uint32(view[8:]))), int64(int32(binary.LittleEndian.Uint32(view[12:])))
			if n < 0 || buffer < 0 || buffer >= int64(len(data.Buffers())-2) {
				return broken(name, "row %d of %d bytes in buffer %d", i+1, n, buffer)
			}
			from := bytesOf(data.Buffers()[2+buffer])
			if at < 0 || at+n > int64(len(from)) {
				return broken(name, "row %d of %d bytes at %d in a buffer of %d", i+1, n, at, len(from))
			}
			value = from[at : at+n]
		}
		if v.viewed += n; v.budget != nil && v.viewed > v.budget.left {
			return base.Wrap(v.budget.exceeded(), "column %q", name)
		}
		if dt.ID() == arrow.STRING_VIEW && !ValidText(value) {
			return broken(name, "row %d is not valid UTF-8: %s", i+1, Quote(value))
		}
	}
	return nil
}

func isNull(data arrow.ArrayData, i int) bool {
	valid := bytesOf(data.Buffers()[0])
	return len(valid) != 0 && !bitutil.BitIsSet(valid, data.Offset()+i)
}

func (v *validator) dictionary(name string, data arrow.ArrayData, t *arrow.DictionaryType, depth int) error {
	width := t.IndexType.(arrow.FixedWidthDataType).Bytes()
	raw := bytesOf(data.Buffers()[1])
	if len(raw)/width < data.Offset()+data.Len() {
		return broken(name, "%d bytes of dictionary indices for %d rows", len(raw), data.Offset()+data.Len())
	}
	values := data.Dictionary()
	if values == nil {
		return broken(name, "no dictionary")
	}
	if d, ok := values.(*array.Data); ok && d == nil {
		return broken(name, "no dictionary")
	}
	if !arrow.TypeEqual(values.DataType(), t.ValueType) {
		return broken(name, "a dictionary of %v where %v is announced", values.DataType(), t.ValueType)
	}
	size := uint64(values.Len())
	raw = raw[data.Offset()*width:]
	for i := range data.Len() {
		var index uint64 // unsigned, so that a negative index is larger than any dictionary
		switch t.IndexType.ID() {
		case arrow.UINT8:
			index = uint64(raw[i])
		case arrow.INT8:
			index = uint64(int8(raw[i]))
		case arrow.UINT16:
			index = uint64(binary.LittleEndian.Uint16(raw[2*i:]))
		case arrow.INT16:
			index = uint64(int16(binary.LittleEndian.Uint16(raw[2*i:])))
		case arrow.UINT32:
			index = uint64(binary.LittleEndian.Uint32(raw[4*i:]))
		case arrow.INT32:
			index = uint64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
		default:
			index = binary.LittleEndian.Uint64(raw[8*i:])
		}
		if index >= size && !isNull(data, i) {
			return broken(name, "row %d has dictionary index %d of %d", i+1, int64(index), size)
		}
	}
	return v.array(name, values, depth+1)
}

func (v *validator) structs(name string, data arrow.ArrayData, t *arrow.StructType, depth int) error {
	if len(data.Children()) != t.NumFields() {
		return broken(name, "%d children of a struct of %d fields", len(data.Children()), t.NumFields())
	}
	if err := v.names(t.Fields()); err != nil {
		return base.Wrap(err, "column %q", name)
	}
	for i, child := range data.Children() {
		if child.Len() < data.Offset()+data.Len() {
			return broken(name, "field %q has %d values of %d", t.Field(i).Name, child.Len(), data.Offset()+data.Len())
		}
		if err := v.array(name+"."+t.Field(i).Name, child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) list(name string, data arrow.ArrayData, dt arrow.DataType, depth int) error {
	if len(data.Children()) != 1 {
		return broken(name, "%d children of a list", len(data.Children()))
	}
	child := data.Children()[0]
	if _, err := offsets(name, data, dt.ID() == arrow.LARGE_LIST, child.Len()); err != nil {
		return err
	}
	return v.array(name+"[]", child, depth+1)
}
