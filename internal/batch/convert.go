package batch

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/schema"
)

// convert converts an array to the storage type of t. If top is true, the array is a column of a
// batch, and not part of a nested value. Then the result may be a dictionary of text. The caller
// releases the result.
func convert(a arrow.Array, t schema.Type, top bool) (arrow.Array, *fault) {
	if allNull(a) {
		return Nulls(t, a.Len()), nil
	}
	if ext, ok := a.(array.ExtensionArray); ok {
		a = ext.Storage()
	}
	if d, ok := a.(*array.Dictionary); ok {
		return convertDictionary(d, t, top)
	}
	if d, ok := a.DataType().(arrow.DecimalType); ok && !printable(d) {
		return nil, &fault{row: firstValid(a), value: "a value of type " + d.String(), why: "has a scale that is not supported"}
	}
	switch t.Kind {
	case schema.Boolean:
		return convertBool(a, t)
	case schema.TinyInt:
		return convertSigned[int8](a, t)
	case schema.SmallInt:
		return convertSigned[int16](a, t)
	case schema.Integer:
		return convertSigned[int32](a, t)
	case schema.BigInt:
		return convertSigned[int64](a, t)
	case schema.UTinyInt:
		return convertUnsigned[uint8](a, t)
	case schema.USmallInt:
		return convertUnsigned[uint16](a, t)
	case schema.UInteger:
		return convertUnsigned[uint32](a, t)
	case schema.UBigInt:
		return convertUnsigned[uint64](a, t)
	case schema.Float:
		return convertFloat[float32](a, t, 32)
	case schema.Double:
		return convertFloat[float64](a, t, 64)
	case schema.Decimal:
		return convertDecimal(a, t)
	case schema.Date:
		return convertDate(a, t)
	case schema.Time:
		return convertTime(a, t)
	case schema.TimestampS, schema.TimestampMS, schema.Timestamp, schema.TimestampNS, schema.TimestampTZ:
		return convertTimestamp(a, t)
	case schema.UUID:
		return convertUUID(a, t)
	case schema.Blob:
		return convertBlob(a, t)
	case schema.Varchar, schema.Enum, schema.Bit, schema.JSON, schema.HugeInt, schema.UHugeInt, schema.Interval, schema.TimeTZ:
		return convertText(a, t)
	case schema.List, schema.Array:
		return convertList(a, t)
	case schema.Map:
		return convertMap(a, t)
	case schema.Struct:
		return convertStruct(a, t)
	}
	return nil, &fault{value: "type " + t.String(), why: "no column has this type"}
}

// printable reports whether arrow-go can print decimals of the type t. If the scale is outside of
// the type's limits, arrow-go panics or prints wrong text.
func printable(t arrow.DecimalType) bool {
	most := map[arrow.Type]int32{arrow.DECIMAL32: 18, arrow.DECIMAL64: 18, arrow.DECIMAL128: 38, arrow.DECIMAL256: 76}[t.ID()]
	return t.GetScale() >= -most && t.GetScale() <= most
}

// notConvertible returns the fault for an array whose type cannot be converted to t, whatever the
// values are.
func notConvertible(a arrow.Array, t schema.Type) *fault {
	row := firstValid(a)
	natural := a.DataType().String()
	if known, err := schema.FromArrow(a.DataType(), arrow.Metadata{}); err == nil {
		natural = known.String()
	}
	return faultAt(a, row, "(%s) is not convertible to %s", natural, t)
}

func firstValid(a arrow.Array) int {
	row := 0
	for row < a.Len()-1 && a.IsNull(row) {
		row++
	}
	return row
}

// convertDictionary converts a dictionary array to the storage type of t. A dictionary of text
// without NULLs stays a dictionary if t allows that (keepsDictionary) and top is true (the array is
// a column of a batch). Any other dictionary array becomes a plain array, in which each row has its
// value in place of the index.
func convertDictionary(d *array.Dictionary, t schema.Type, top bool) (arrow.Array, *fault) {
	if keepsDictionary(t) && top && isTextLike(d.Dictionary()) && d.Dictionary().NullN() == 0 {
		return keepDictionary(d, t)
	}
	values := d.Dictionary()
	if isTextLike(values) && values.DataType().ID() != arrow.STRING {
		text, f := plainText(values)
		if f != nil {
			return nil, f
		}
		data := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: d.DataType().(*arrow.DictionaryType).IndexType, ValueType: text.DataType()},
			d.Len(), d.Data().Buffers(), d.NullN(), d.Data().Offset(), text.Data().(*array.Data))
		d = array.NewDictionaryData(data)
	}
	plain, err := decodeDictionary(d)
	if err != nil {
		return nil, &fault{value: d.DataType().String(), why: err.Error()}
	}
	defer plain.Release()
	return convert(plain, t, top)
}

func keepsDictionary(t schema.Type) bool {
	return t.Kind == schema.Varchar || t.Kind == schema.Enum || t.Kind == schema.JSON
}

// Unpacked returns the number of bytes of text that Conform will write when it replaces
// dictionaries by plain values. It does so for columns whose types allow no dictionary. The
// argument types has the columns of the table. The result may be many times larger than the batch.
func Unpacked(rec arrow.RecordBatch, types []schema.Field) int64 {
	var total int64
	for i, f := range rec.Schema().Fields() {
		at := slices.IndexFunc(types, func(t schema.Field) bool { return schema.Fold(t.Name) == schema.Fold(f.Name) })
		if at < 0 || keepsDictionary(types[at].Type) || !isTextDictionary(f.Type) {
			continue
		}
		d := rec.Column(i).(*array.Dictionary)
		text := d.Dictionary().(*array.String)
		for row, code := range words[uint32](d.Indices()) {
			if d.IsValid(row) {
				total += int64(text.ValueLen(int(code)))
			}
		}
	}
	return total
}

func keepDictionary(d *array.Dictionary, t schema.Type) (arrow.Array, *fault) {
	values, f := plainText(d.Dictionary())
	if f != nil {
		return nil, &fault{value: f.value, why: f.why + " (a dictionary value)"}
	}
	check := textCheck(t)
	if t.Kind == schema.JSON {
		plain := values
		values, f = jsonText(plain)
		if plain.Release(); f != nil {
			return nil, f
		}
		check = nil // jsonText has made each value valid JSON
	}
	defer values.Release()
	text := values.(*array.String)
	if check == nil && d.NullN() == 0 && isTextDictionary(d.DataType()) && values.Data() == d.Dictionary().Data() {
		most := uint32(0)
		for _, code := range words[uint32](d.Indices()) {
			most = max(most, code)
		}
		if int(most) < text.Len() {
			return same(d)
		}
	}
	// Check only the values of the dictionary that rows use. Its other values are not values of the
	// column.
	checked := make([]bool, text.Len())
	for i := range d.Len() {
		if d.IsNull(i) {
			continue
		}
		code := d.GetValueIndex(i)
		if code < 0 || code >= len(checked) {
			return nil, &fault{row: i, value: "an index", why: "is beyond the dictionary"}
		}
		if checked[code] {
			continue
		}
		checked[code] = true
		if check != nil {
			if why := check(text.Value(code)); why != "" {
				return nil, &fault{row: i, value: shorten(text.Value(code)), why: why}
			}
		}
	}
	if isTextDictionary(d.DataType()) && values.Data() == d.Dictionary().Data() {
		d.Retain()
		return d, nil
	}
	indices := make([]uint32, d.Len())
	for i := range indices {
		if d.IsValid(i) {
			indices[i] = uint32(d.GetValueIndex(i))
		}
	}
	data := array.NewDataWithDictionary(textDictionary, d.Len(),
		[]*memory.Buffer{validityOf(d), memory.NewBufferBytes(asBytes(indices))}, d.NullN(), 0, values.Data().(*array.Data))
	defer data.Release()
	return array.NewDictionaryData(data), nil
}

// validityOf returns a copy of the validity bitmap of the array a. The copy begins at bit 0. It is
// nil if no row is NULL.
func validityOf(a arrow.Array) *memory.Buffer {
	if a.NullN() == 0 {
		return nil
	}
	bitmap := make([]byte, bitutil.BytesForBits(int64(a.Len())))
	bitutil.CopyBitmap(a.NullBitmapBytes(), a.Data().Offset(), a.Len(), bitmap, 0)
	return memory.NewBufferBytes(bitmap)
}

// build returns an array of the fixed-width type t that has the same NULLs as the array a. The
// function value returns the new value of a row that is not NULL, or a text that says why the row
// cannot be converted.
func build[T any](a arrow.Array, t schema.Type, value func(row int) (T, string)) (arrow.Array, *fault) {
	out := make([]T, a.Len())
	nulls := a.NullN() > 0
	for i := range out {
		if nulls && a.IsNull(i) {
			continue
		}
		v, why := value(i)
		if why != "" {
			return nil, faultAt(a, i, "%s", why)
		}
		out[i] = v
	}
	data := array.NewData(t.Arrow(), a.Len(), []*memory.Buffer{validityOf(a), memory.NewBufferBytes(asBytes(out))}, nil, a.NullN(), 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// each calls the function check for every row of the array a that is not NULL. That function
// returns what is wrong with the row's value, or "". If no value is wrong, the result is the array
// a itself.
func each(a arrow.Array, check func(row int) string) (arrow.Array, *fault) {
	nulls := a.NullN() > 0
	for i := range a.Len() {
		if nulls && a.IsNull(i) {
			continue
		}
		if why := check(i); why != "" {
			return nil, faultAt(a, i, "%s", why)
		}
	}
	a.Retain()
	return a, nil
}

func same(a arrow.Array) (arrow.Array, *fault) {
	a.Retain()
	return a, nil
}

func notA(t schema.Type) string    { return "is not a value of type " + t.String() }
func outside(t schema.Type) string { return "does not fit in type " + t.String() }
func inexact(t schema.Type) string { return "is not exact in type " + t.String() }
