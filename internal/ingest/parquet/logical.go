package parquet

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// A Parquet file can say that bytes are a UUID, JSON or an interval. arrow-go reads such values as
// plain bytes, unless the file also has an Arrow schema with that type. Only Arrow's own writers
// store one.

// intervalBytes is the size in bytes of Parquet's INTERVAL. It has months, days and milliseconds,
// of 32 bits each.
const intervalBytes = 12

var (
	int96Type = &arrow.TimestampType{Unit: arrow.Nanosecond}
	uuidType  = extensions.NewUUIDType()
	// NewJSONType returns an error only for storage types other than text.
	jsonType, _ = extensions.NewJSONType(arrow.BinaryTypes.String)
)

// saysMore reports whether the file gives a column, or a column inside of it, a type that the Arrow
// type of the column does not express (UUID, JSON or INTERVAL).
func (d *decoder) saysMore(f *pqarrow.SchemaField) bool {
	if len(f.Children) > 0 {
		return slices.ContainsFunc(f.Children, func(c pqarrow.SchemaField) bool { return d.saysMore(&c) })
	}
	return d.meaning(f) != nil
}

// meaning returns a function that converts the values of a column without children to the type that
// the file says. It returns nil if they already have that type.
func (d *decoder) meaning(f *pqarrow.SchemaField) func(arrow.Array) arrow.Array {
	column := d.checked.ParquetReader().MetaData().Schema.Column(f.ColIndex)
	switch storage := f.Field.Type.(type) {
	case *arrow.FixedSizeBinaryType:
		switch _, isUUID := column.LogicalType().(schema.UUIDLogicalType); {
		case isUUID && storage.ByteWidth == 16:
			return func(a arrow.Array) arrow.Array { return array.NewExtensionArrayWithStorage(uuidType, a) }
		case column.ConvertedType() == schema.ConvertedTypes.Interval && storage.ByteWidth == intervalBytes:
			return intervals
		}
	case *arrow.TimestampType:
		// INT96 counts nanoseconds and has no time zone, so it is TIMESTAMP_NS, as in DuckDB,
		// whatever the precision of a file's values.
		if column.PhysicalType() == parquet.Types.Int96 {
			return func(a arrow.Array) arrow.Array { return retyped(a, int96Type, nil) }
		}
	case *arrow.BinaryType:
		if _, isJSON := column.LogicalType().(schema.JSONLogicalType); isJSON {
			return func(a arrow.Array) arrow.Array {
				text := retyped(a, arrow.BinaryTypes.String, a.Data().Children())
				defer text.Release()
				return array.NewExtensionArrayWithStorage(jsonType, text)
			}
		}
	}
	return nil
}

func intervals(a arrow.Array) arrow.Array {
	bytes := a.(*array.FixedSizeBinary)
	b := array.NewMonthDayNanoIntervalBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(bytes.Len())
	for i := range bytes.Len() {
		if bytes.IsNull(i) {
			b.AppendNull()
			continue
		}
		v := bytes.Value(i)
		b.Append(arrow.MonthDayNanoInterval{
			Months:      int32(binary.LittleEndian.Uint32(v)),
			Days:        int32(binary.LittleEndian.Uint32(v[4:])),
			Nanoseconds: int64(binary.LittleEndian.Uint32(v[8:])) * 1e6,
		})
	}
	return b.NewArray()
}

// The method as converts the values of a column to the types that the file says, also inside of
// nested values. The caller releases the result.
func (d *decoder) as(f *pqarrow.SchemaField, a arrow.Array) arrow.Array {
	old := a.Data().Children()
	if len(f.Children) == 0 || len(f.Children) != len(old) {
		if see := d.meaning(f); see != nil && arrow.TypeEqual(a.DataType(), f.Field.Type) {
			return see(a)
		}
		a.Retain()
		return a
	}
	children, types := make([]arrow.ArrayData, len(old)), make([]arrow.DataType, len(old))
	for i := range old {
		plain := array.MakeFromData(old[i])
		child := d.as(&f.Children[i], plain)
		plain.Release()
		defer child.Release()
		children[i], types[i] = child.Data(), child.DataType()
	}
	switch t := a.DataType().(type) {
	case *arrow.ListType:
		return retyped(a, arrow.ListOf(types[0]), children)
	case *arrow.FixedSizeListType:
		return retyped(a, arrow.FixedSizeListOf(t.Len(), types[0]), children)
	case *arrow.MapType:
		if entry, ok := types[0].(*arrow.StructType); ok && entry.NumFields() == 2 {
			return retyped(a, arrow.MapOf(entry.Field(0).Type, entry.Field(1).Type), children)
		}
	case *arrow.StructType:
		fields := slices.Clone(t.Fields())
		for i := range fields {
			fields[i].Type = types[i]
		}
		return retyped(a, arrow.StructOf(fields...), children)
	}
	a.Retain()
	return a
}

// retyped returns an array with the buffers of array a, and with the type dt and the given
// children.
func retyped(a arrow.Array, dt arrow.DataType, children []arrow.ArrayData) arrow.Array {
	d := a.Data()
	data := array.NewData(dt, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	defer data.Release()
	return array.MakeFromData(data)
}
