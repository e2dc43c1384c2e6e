package ingest

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
)

// Natural returns a batch with the same values as batch, in the natural types. These are the Arrow
// types that all decoders return:
//   - large and view layouts become utf8 and binary
//   - dictionaries are unpacked, except dictionaries of text
//   - the time zone of timestamps becomes UTC; the points in time do not change
//   - float16 becomes float32
//   - decimals become decimal128 with a scale from 0 to 38
//   - times of day become time64[us], and date64 becomes date32
//   - extension types become their storage type, except UUID and JSON
//
// The error is base.Invalid for a value that the conversion would change, for a type that has no
// natural type, and for anything that Validate refuses. Memory for converted arrays is taken from
// the budget before it is allocated.
//
// arrow-go's package compute has casts for much of this. But it runs them on its own goroutines,
// where a panic ends the process, and some of its kernels panic on arrays without a validity
// bitmap.
func Natural(batch arrow.RecordBatch, budget *Budget) (arrow.RecordBatch, error) {
	if err := validate(batch, budget); err != nil {
		return nil, err
	}
	fields := make([]arrow.Field, batch.NumCols())
	arrays := make([]arrow.Array, batch.NumCols())
	defer func() {
		for _, a := range arrays {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i := range fields {
		name := batch.ColumnName(i)
		a, err := natural(batch.Column(i), budget)
		if err != nil {
			return nil, base.Wrap(err, "column %q", name)
		}
		arrays[i] = a
		fields[i] = arrow.Field{Name: name, Type: a.DataType(), Nullable: true}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, batch.NumRows()), nil
}

// natural converts one array to the type that decoders return for its values, as Natural does for a
// batch. The caller releases the result.
func natural(a arrow.Array, budget *Budget) (arrow.Array, error) {
	switch t := a.DataType().(type) {
	case *arrow.NullType, *arrow.BooleanType, *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type, *arrow.Float32Type, *arrow.Float64Type,
		*arrow.StringType, *arrow.BinaryType, *arrow.Date32Type,
		*arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, *arrow.DurationType:
		a.Retain()
		return a, nil
	case *arrow.TimestampType:
		return naturalTimestamp(a, t, budget)
	case *arrow.DictionaryType:
		return naturalDictionary(a.(*array.Dictionary), budget)
	case *arrow.LargeListType, *arrow.ListType, *arrow.MapType, *arrow.FixedSizeListType, *arrow.StructType:
		return naturalNested(a, budget)
	case arrow.ExtensionType:
		return naturalExtension(a.(array.ExtensionArray), budget)
	}
	return naturalFlat(a, budget)
}

var (
	uuidType = extensions.NewUUIDType()
	// NewJSONType returns an error only for storage types other than text.
	jsonType, _ = extensions.NewJSONType(arrow.BinaryTypes.String)
)

// naturalExtension converts an array of an extension type. It leaves the types that tables can
// store (UUID and JSON) as they are. All other types become their storage type.
func naturalExtension(a array.ExtensionArray, budget *Budget) (arrow.Array, error) {
	storage := a.Storage()
	if a.ExtensionType().ExtensionName() == uuidType.ExtensionName() && arrow.TypeEqual(storage.DataType(), uuidType.StorageType()) {
		return array.NewExtensionArrayWithStorage(uuidType, storage), nil
	}
	plain, err := natural(storage, budget)
	if err != nil || a.ExtensionType().ExtensionName() != jsonType.ExtensionName() || plain.DataType().ID() != arrow.STRING {
		return plain, err
	}
	defer plain.Release()
	return array.NewExtensionArrayWithStorage(jsonType, plain), nil
}

func unsupported(t arrow.DataType) error {
	return base.Errorf(base.Invalid, "type %v is not supported", t)
}

// naturalTimestamp converts an array of timestamps so that its time zone is UTC. With a zone,
// seconds and milliseconds become microseconds, because tables have only one type of timestamps
// with a zone.
func naturalTimestamp(a arrow.Array, t *arrow.TimestampType, budget *Budget) (arrow.Array, error) {
	if t.TimeZone == "" {
		a.Retain()
		return a, nil
	}
	d := a.Data()
	renamed := array.NewData(&arrow.TimestampType{Unit: t.Unit, TimeZone: "UTC"}, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())
	defer renamed.Release()
	out := array.MakeFromData(renamed)
	if t.Unit == arrow.Microsecond || t.Unit == arrow.Nanosecond {
		return out, nil
	}
	defer out.Release()
	perMicro := int64(1e3)
	if t.Unit == arrow.Second {
		perMicro = 1e6
	}
	moments := out.(*array.Timestamp)
	return convert(out, TimestampUS, budget, func(b array.Builder, i int) bool {
		v := int64(moments.Value(i))
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(v * perMicro))
		return v <= math.MaxInt64/perMicro && v >= math.MinInt64/perMicro
	})
}

// naturalDictionary converts a dictionary array. Dictionaries of text stay dictionaries, with
// uint32 indices. It unpacks dictionaries of other flat types, and dictionaries with NULLs among
// their values.
func naturalDictionary(a *array.Dictionary, budget *Budget) (arrow.Array, error) {
	values, err := natural(a.Dictionary(), budget)
	if err != nil {
		return nil, err
	}
	defer values.Release()
	// The dictionary is used as it is, without new memory. But its size is taken from the budget
	// for each batch, because each batch is validated with the whole dictionary, and the budget
	// limits that work, too.
	if values == a.Dictionary() {
		for _, b := range values.Data().Buffers() {
			if err := budget.take(len(bytesOf(b))); err != nil {
				return nil, err
			}
		}
	}
	if ext, ok := values.(array.ExtensionArray); ok {
		values = ext.Storage()
	}
	missing := func(i int) bool { return a.IsNull(i) || values.IsNull(a.GetValueIndex(i)) }
	switch v := values.(type) {
	case *array.String:
		if v.NullN() > 0 || v.Len() == 0 {
			return flatten(a.Len(), arrow.BinaryTypes.String, budget, missing, func(i int) string { return v.Value(a.GetValueIndex(i)) })
		}
		if err := budget.take(4 * a.Len()); err != nil {
			return nil, err
		}
		b := array.NewUint32Builder(memory.DefaultAllocator)
		defer b.Release()
		b.Reserve(a.Len())
		for i := range a.Len() {
			if a.IsNull(i) {
				b.AppendNull()
			} else {
				b.Append(uint32(a.GetValueIndex(i)))
			}
		}
		indices := b.NewArray()
		defer indices.Release()
		return array.NewDictionaryArray(TextDictionary, indices, values), nil
	case *array.Binary:
		return flatten(a.Len(), arrow.BinaryTypes.Binary, budget, missing, func(i int) string { return v.ValueString(a.GetValueIndex(i)) })
	}
	t, ok := values.DataType().(arrow.FixedWidthDataType)
	if !ok || t.BitWidth()%8 != 0 || len(values.Data().Buffers()) != 2 {
		return nil, unsupported(a.DataType())
	}
	// The width of a value is a whole number of bytes, so values are copied without being decoded.
	from, width := bytesOf(values.Data().Buffers()[1]), t.BitWidth()/8
	if err := budget.take(a.Len() * width); err != nil {
		return nil, err
	}
	to, valid, nulls := make([]byte, a.Len()*width), make([]byte, (a.Len()+7)/8), 0
	for i := range a.Len() {
		if missing(i) {
			nulls++
			continue
		}
		bitutil.SetBit(valid, i)
		at := (values.Data().Offset() + a.GetValueIndex(i)) * width
		copy(to[i*width:(i+1)*width], from[at:])
	}
	d := array.NewData(t, a.Len(), []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(to)}, nil, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d), nil
}

func naturalNested(a arrow.Array, budget *Budget) (arrow.Array, error) {
	d := a.Data()
	children := make([]arrow.ArrayData, 0, len(d.Children()))
	types := make([]arrow.DataType, 0, len(d.Children()))
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	for _, c := range d.Children() {
		child := array.MakeFromData(c)
		out, err := natural(child, budget)
		child.Release()
		// In tables, only a whole column may be a dictionary, not the values inside of a list or
		// struct. So a dictionary inside of them becomes plain text.
		if d, ok := out.(*array.Dictionary); ok {
			text := d.Dictionary().(*array.String)
			out, err = flatten(d.Len(), arrow.BinaryTypes.String, budget, d.IsNull, func(i int) string { return text.Value(d.GetValueIndex(i)) })
			d.Release()
		}
		if err != nil {
			return nil, err
		}
		out.Data().Retain()
		children = append(children, out.Data())
		types = append(types, out.DataType())
		out.Release()
	}
	var nested arrow.DataType
	buffers := d.Buffers()
	switch t := a.DataType().(type) {
	case *arrow.ListType:
		nested = arrow.ListOf(types[0])
	case *arrow.LargeListType:
		nested = arrow.ListOf(types[0])
		narrow, err := narrowOffsets(d)
		if err != nil {
			return nil, err
		}
		buffers = []*memory.Buffer{buffers[0], narrow}
	case *arrow.FixedSizeListType:
		nested = arrow.FixedSizeListOf(t.Len(), types[0])
	case *arrow.MapType:
		entry, ok := types[0].(*arrow.StructType)
		if !ok || entry.NumFields() != 2 {
			return nil, unsupported(t)
		}
		nested = arrow.MapOf(entry.Field(0).Type, entry.Field(1).Type)
	case *arrow.StructType:
		if t.NumFields() == 0 {
			return nil, base.Errorf(base.Invalid, "a struct without fields is not supported")
		}
		fields := make([]arrow.Field, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = arrow.Field{Name: f.Name, Type: types[i], Nullable: true}
		}
		nested = arrow.StructOf(fields...)
	}
	out := array.NewData(nested, d.Len(), buffers, children, d.NullN(), d.Offset())
	defer out.Release()
	return array.MakeFromData(out), nil
}

// narrowOffsets converts the 64-bit offsets of a large list to 32 bits.
func narrowOffsets(d arrow.ArrayData) (*memory.Buffer, error) {
	wide := arrow.Int64Traits.CastFromBytes(bytesOf(d.Buffers()[1]))
	narrow := make([]int32, len(wide))
	if n := d.Offset() + d.Len(); n < len(wide) && wide[n] > math.MaxInt32 {
		return nil, base.Errorf(base.TooLarge, "lists of more than %d elements in all", math.MaxInt32)
	}
	for i := d.Offset(); i <= d.Offset()+d.Len() && i < len(wide); i++ {
		narrow[i] = int32(wide[i])
	}
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(narrow)), nil
}
