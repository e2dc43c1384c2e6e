package duck

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	// This import registers the canonical extension types of Arrow: arrow.uuid, arrow.opaque,
	// arrow.json.
	_ "github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// This file converts DuckDB's results to Arrow's extension types. For types that Arrow does not
// have (UUID, HUGEINT, BIT, ...) DuckDB puts the names of extensions into the fields' metadata. The
// C data interface does not interpret these names. So the function canonical makes registered
// extension types of them, at any depth of nested types.
//
// BOOLEAN is an exception. DuckDB sends it as arrow.bool8, with a byte for each value. It becomes
// Arrow's own bool, which loses nothing and which every client knows.

const extensionName, extensionMetadata = "ARROW:extension:name", "ARROW:extension:metadata"

// canonical returns the field with the extension type that its metadata names. The second result
// says whether the type of the field changed.
func canonical(f arrow.Field) (arrow.Field, bool) {
	if name, ok := f.Metadata.GetValue(extensionName); ok {
		plain := f
		plain.Metadata = arrow.Metadata{}
		if name == "arrow.bool8" {
			plain.Type = arrow.FixedWidthTypes.Boolean
			return plain, true
		}
		if registered := arrow.GetExtensionType(name); registered != nil {
			data, _ := f.Metadata.GetValue(extensionMetadata)
			if dt, err := registered.Deserialize(f.Type, data); err == nil {
				plain.Type = dt
				return plain, true
			}
		}
		return f, false
	}
	children, changed := canonicalChildren(f.Type)
	if !changed {
		return f, false
	}
	f.Type = withChildren(f.Type, children)
	return f, true
}

// withChildren returns a nested type with other fields for its children. children has these fields
// in the order and form of childFields.
func withChildren(dt arrow.DataType, children []arrow.Field) arrow.DataType {
	switch dt := dt.(type) {
	case *arrow.ListType:
		return arrow.ListOfField(children[0])
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(dt.Len(), children[0])
	case *arrow.MapType:
		pair := children[0].Type.(*arrow.StructType)
		return arrow.MapOfFields(pair.Field(0), pair.Field(1))
	case *arrow.StructType:
		return arrow.StructOf(children...)
	case arrow.UnionType:
		return arrow.UnionOf(dt.Mode(), children, dt.TypeCodes())
	}
	return dt
}

// withMetadata returns a copy of the type dt in which the fields, at any depth of nested types,
// have the metadata of the fields of the type from. The two types must be the same, apart from
// metadata and from maps: where dt has a map, from may have a list of its entries.
func withMetadata(dt, from arrow.DataType) arrow.DataType {
	children := childFields(dt)
	for i, f := range childFields(from) {
		children[i].Metadata = f.Metadata
		children[i].Type = withMetadata(children[i].Type, f.Type)
	}
	return withChildren(dt, children)
}

// childFields returns the fields of a nested type's children, as an array of this type stores them.
func childFields(dt arrow.DataType) []arrow.Field {
	switch dt := dt.(type) {
	case *arrow.ListType:
		return []arrow.Field{dt.ElemField()}
	case *arrow.FixedSizeListType:
		return []arrow.Field{dt.ElemField()}
	case *arrow.MapType:
		return []arrow.Field{dt.ElemField()}
	case *arrow.StructType:
		return dt.Fields()
	case arrow.UnionType:
		return dt.Fields()
	}
	return nil
}

func canonicalChildren(dt arrow.DataType) (fields []arrow.Field, changed bool) {
	for _, f := range childFields(dt) {
		c, differs := canonical(f)
		fields, changed = append(fields, c), changed || differs
	}
	return fields, changed
}

// toCanonical converts the data of an array to the type that the function canonical returns for the
// field from. The argument from describes the data as it is. Unchanged parts share the memory of
// data.
func toCanonical(data arrow.ArrayData, from arrow.Field) arrow.ArrayData {
	to, changed := canonical(from)
	if !changed {
		data.Retain()
		return data
	}
	if to.Type.ID() == arrow.BOOL {
		return packBools(data)
	}
	if to.Type.ID() == arrow.EXTENSION {
		return array.NewData(to.Type, data.Len(), data.Buffers(), data.Children(), data.NullN(), data.Offset())
	}
	fields := childFields(from.Type)
	children := make([]arrow.ArrayData, len(fields))
	for i, f := range fields {
		children[i] = toCanonical(data.Children()[i], f)
		defer children[i].Release()
	}
	return array.NewData(to.Type, data.Len(), data.Buffers(), children, data.NullN(), data.Offset())
}

// packBools converts booleans from bytes to a bitmap.
func packBools(data arrow.ArrayData) arrow.ArrayData {
	n, offset := data.Len(), data.Offset()
	bits := make([]byte, bitutil.BytesForBits(int64(n+offset)))
	if values := data.Buffers()[1]; values != nil {
		for i, v := range values.Bytes()[offset : offset+n] {
			if v != 0 {
				bitutil.SetBit(bits, offset+i)
			}
		}
	}
	buffers := []*memory.Buffer{data.Buffers()[0], memory.NewBufferBytes(bits)}
	return array.NewData(arrow.FixedWidthTypes.Boolean, n, buffers, nil, data.NullN(), offset)
}
