package batch

import (
	"math"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/schema"
)

// elements returns an array with the elements of all lists in a that are not NULL, in their order.
// It also returns offsets: the elements of list i are from offsets[i] up to, but not including,
// offsets[i+1].
func elements(a array.ListLike) (arrow.Array, []int32, *fault) {
	if ends, ok := dense(a); ok {
		first, last := ends[0], ends[len(ends)-1]
		counts := slices.Clone(ends)
		if first != 0 {
			for i := range counts {
				counts[i] -= first
			}
		}
		return array.NewSlice(a.ListValues(), int64(first), int64(last)), counts, nil
	}
	counts := make([]int32, a.Len()+1)
	type run struct{ from, to int64 }
	var runs []run
	total := int64(0)
	for i := range a.Len() {
		if a.IsValid(i) {
			from, to := a.ValueOffsets(i)
			if total += to - from; total > math.MaxInt32 {
				return nil, nil, &fault{row: i, value: "a list", why: "makes over 2^31 elements in one batch"}
			}
			switch last := len(runs) - 1; {
			case from == to:
			case last >= 0 && runs[last].to == from:
				runs[last].to = to
			default:
				runs = append(runs, run{from, to})
			}
		}
		counts[i+1] = int32(total)
	}
	values := a.ListValues()
	if len(runs) == 0 {
		return array.NewSlice(values, 0, 0), counts, nil
	}
	if len(runs) == 1 {
		return array.NewSlice(values, runs[0].from, runs[0].to), counts, nil
	}
	pieces := make([]arrow.Array, len(runs))
	defer releaseAll(pieces)
	for i, r := range runs {
		pieces[i] = array.NewSlice(values, r.from, r.to)
	}
	all, err := array.Concatenate(pieces, allocator)
	if err != nil {
		return nil, nil, &fault{value: a.DataType().String(), why: err.Error()}
	}
	return all, counts, nil
}

// dense returns the offsets of the lists in a if there is no gap in the array of elements. That is,
// all elements from the start of the first list to the end of the last list belong to lists that
// are not NULL. Otherwise it returns false. All lists that decoders make have no gap.
func dense(a array.ListLike) ([]int32, bool) {
	switch a.(type) {
	case *array.List, *array.Map:
	default:
		return nil, false
	}
	ends := offsets(a)
	if a.NullN() > 0 {
		bitmap, offset := a.NullBitmapBytes(), a.Data().Offset()
		for i := range a.Len() {
			if ends[i] != ends[i+1] && !bitutil.BitIsSet(bitmap, offset+i) {
				return nil, false
			}
		}
	}
	return ends, true
}

// inList converts f, a fault in the array of the elements of all lists, to a fault of the row that
// has the element's list. counts[i] is the index of the first element of list i.
func inList(f *fault, counts []int32) *fault {
	row := sort.Search(len(counts)-1, func(i int) bool { return int(counts[i+1]) > f.row })
	return &fault{row: row, value: f.value, why: f.why + " (in a list)"}
}

func convertList(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	list, ok := a.(array.ListLike)
	if _, isMap := a.(*array.Map); !ok || isMap {
		return nil, notConvertible(a, t)
	}
	values, counts, f := elements(list)
	if f != nil {
		return nil, f
	}
	defer values.Release()
	if t.Kind == schema.Array {
		for i := range a.Len() {
			if n := int(counts[i+1] - counts[i]); a.IsValid(i) && n != t.Size {
				return nil, faultAt(a, i, "has %d elements where type %s wants %d", n, t, t.Size)
			}
		}
	}
	converted, f := convert(values, *t.Elem, false)
	if f != nil {
		return nil, inList(f, counts)
	}
	defer converted.Release()
	return newList(a, t, counts, converted.Data()), nil
}

// newList returns a list or map array of the type t that has the same NULLs as the array a. The
// argument child has the elements of all lists, and counts has the index in child at which each
// list begins.
func newList(a arrow.Array, t schema.Type, counts []int32, child arrow.ArrayData) arrow.Array {
	data := array.NewData(t.Arrow(), a.Len(), []*memory.Buffer{validityOf(a), memory.NewBufferBytes(asBytes(counts))},
		[]arrow.ArrayData{child}, a.NullN(), 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// convertMap converts an array of maps, or of lists of structs with a key and a value, to the map
// type t.
func convertMap(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	m, ok := a.(array.ListLike)
	if !ok {
		return nil, notConvertible(a, t)
	}
	entries, counts, f := elements(m)
	if f != nil {
		return nil, f
	}
	defer entries.Release()
	if entries.Len() == 0 {
		none := Nulls(schema.StructOf(schema.Field{Name: "key", Type: *t.Key}, schema.Field{Name: "value", Type: *t.Elem}), 0)
		defer none.Release()
		return newList(a, t, counts, retyped(none, t.Arrow().(*arrow.MapType).Elem()).Data()), nil
	}
	pairs, ok := entries.(*array.Struct)
	key, value := 0, 1
	if _, isMap := a.(*array.Map); ok && !isMap {
		key, value, ok = entryFields(pairs.DataType().(*arrow.StructType))
	}
	if !ok {
		return nil, notConvertible(a, t)
	}
	// A map must not have a NULL entry. So maskNulls makes the key of a NULL entry NULL, and the
	// check for NULL keys below refuses it.
	keys, f := convert(maskNulls(pairs.Field(key), pairs), *t.Key, false)
	if f == nil && keys.NullN() > 0 {
		f = &fault{row: firstNull(keys), value: "NULL", why: "is a key of a MAP"}
	}
	if f != nil {
		return nil, inList(f, counts)
	}
	defer keys.Release()
	values, f := convert(maskNulls(pairs.Field(value), pairs), *t.Elem, false)
	if f != nil {
		return nil, inList(f, counts)
	}
	defer values.Release()
	entryType := t.Arrow().(*arrow.MapType).Elem()
	data := array.NewData(entryType, entries.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{keys.Data(), values.Data()}, 0, 0)
	defer data.Release()
	return newList(a, t, counts, data), nil
}

// entryFields returns the positions of the key and of the value in a struct type with two fields.
// ok is false if the struct cannot be an entry of a map.
func entryFields(t *arrow.StructType) (key, value int, ok bool) {
	if t.NumFields() != 2 {
		return 0, 0, false
	}
	if schema.Fold(t.Field(0).Name) == "value" {
		key, value = 1, 0
	} else {
		key, value = 0, 1
	}
	return key, value, schema.Fold(t.Field(key).Name) == "key" && schema.Fold(t.Field(value).Name) == "value"
}

func convertStruct(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	s, ok := a.(*array.Struct)
	if !ok {
		return nil, notConvertible(a, t)
	}
	fields := s.DataType().(*arrow.StructType).Fields()
	at := make(map[string]int, len(fields))
	for i, f := range fields {
		at[schema.Fold(f.Name)] = i
	}
	if len(at) != len(fields) {
		return nil, &fault{value: s.DataType().String(), why: "has two fields with the same name"}
	}
	children := make([]arrow.ArrayData, len(t.Fields))
	for i, f := range t.Fields {
		j, known := at[schema.Fold(f.Name)]
		delete(at, schema.Fold(f.Name))
		if !known {
			children[i] = Nulls(f.Type, a.Len()).Data()
			continue
		}
		masked := maskNulls(s.Field(j), s)
		child, fault := convert(masked, f.Type, false)
		if fault != nil {
			fault.why += " (field " + schema.Quote(f.Name) + ")"
			return nil, fault
		}
		children[i] = child.Data()
	}
	for _, j := range at {
		if !allNull(maskNulls(s.Field(j), s)) {
			return nil, &fault{value: shorten(fields[j].Name), why: "is not a field of " + t.String()}
		}
	}
	data := array.NewData(t.Arrow(), a.Len(), []*memory.Buffer{validityOf(a)}, children, a.NullN(), 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// maskNulls returns a field of a struct array. In rows in which the struct is NULL, the field of
// the result is NULL, too. The field's own value is undefined there, and it may not be possible to
// convert it.
func maskNulls(field arrow.Array, parent *array.Struct) arrow.Array {
	data := field.Data()
	if parent.NullN() == 0 || allNull(field) || len(data.Buffers()) == 0 {
		return field
	}
	switch field.DataType().ID() {
	case arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
		return field // these types have no validity bitmap; they are refused later
	}
	n, offset := int64(field.Len()), int64(data.Offset())
	bitmap := make([]byte, bitutil.BytesForBits(offset+n))
	bitutil.CopyBitmap(parent.NullBitmapBytes(), parent.Data().Offset(), field.Len(), bitmap, data.Offset())
	if field.NullN() > 0 {
		// The bitmaps are combined byte by byte because of a defect of arrow-go 18: BitmapAnd
		// clears the last byte of a bitmap that ends at a byte boundary but does not begin at one.
		for i, b := range field.NullBitmapBytes()[:len(bitmap)] {
			bitmap[i] &= b
		}
	}
	nulls := field.Len() - bitutil.CountSetBits(bitmap, data.Offset(), field.Len())
	buffers := append([]*memory.Buffer{memory.NewBufferBytes(bitmap)}, data.Buffers()[1:]...)
	if d, ok := data.Dictionary().(*array.Data); ok && field.DataType().ID() == arrow.DICTIONARY {
		return array.NewDictionaryData(array.NewDataWithDictionary(field.DataType(), field.Len(), buffers, nulls, data.Offset(), d))
	}
	return array.MakeFromData(array.NewData(field.DataType(), field.Len(), buffers, data.Children(), nulls, data.Offset()))
}
