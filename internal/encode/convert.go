package encode

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
)

// convert converts an Arrow array to another type. The caller releases both arrays. A nil convert
// means that the array stays as it is.
type convert func(arrow.Array) (arrow.Array, error)

// target says for which output format columns are converted: Parquet or Arrow IPC.
type target struct {
	parquet bool // parquet is true if the output is Parquet, and false if it is Arrow IPC.
}

// converted is a schema that has only types that the output format supports, with the function that
// converts each column to its new type.
type converted struct {
	schema   *arrow.Schema
	converts []convert
}

// newConverted returns the schema of a result in the output format, and the conversions of its
// columns to that schema.
func newConverted(s *arrow.Schema, to target) (converted, error) {
	c := converted{converts: make([]convert, s.NumFields())}
	fields := make([]arrow.Field, s.NumFields())
	changed := to.parquet
	for i, f := range s.Fields() {
		var err error
		if fields[i], c.converts[i], err = to.plan(f, 0); err != nil {
			return c, base.Wrap(err, "column %q", f.Name)
		}
		changed = changed || c.converts[i] != nil
	}
	c.schema = s
	if changed {
		md := s.Metadata()
		c.schema = arrow.NewSchema(fields, &md)
	}
	return c, nil
}

// batch converts a batch to the converted schema. The caller releases the result.
func (c *converted) batch(rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, column := range columns {
			if column != nil {
				column.Release()
			}
		}
	}()
	for i, column := range rec.Columns() {
		var err error
		if columns[i], err = c.converts[i].apply(column); err != nil {
			return nil, base.Wrap(err, "column %q", c.schema.Field(i).Name)
		}
	}
	return array.NewRecordBatch(c.schema, columns, rec.NumRows()), nil
}

func (c convert) apply(arr arrow.Array) (arrow.Array, error) {
	if c == nil {
		arr.Retain()
		return arr, nil
	}
	return c(arr)
}

// plan returns the field f with the type that it has in the output, and the conversion to this
// type. depth is the number of nested types around the field.
func (to target) plan(f arrow.Field, depth int) (arrow.Field, convert, error) {
	if depth > maxDepth {
		return f, nil, base.Errorf(base.Invalid, "type nested deeper than %d", maxDepth)
	}
	out := f
	if to.parquet {
		out.Nullable = true
	}
	with := func(dt arrow.DataType, c convert) (arrow.Field, convert, error) {
		out.Type = dt
		return out, c, nil
	}
	dt, m := resolve(f)
	if m == timeTZ || m == bitText || m == bignum {
		return to.asText(out, f)
	}
	if to.parquet {
		switch m {
		case hugeint, uhugeint:
			decimal := &arrow.Decimal128Type{Precision: 38}
			c, err := toDecimal(f, decimal)
			out.Type = decimal
			return out, c, err
		case bool8:
			return with(arrow.FixedWidthTypes.Boolean, boolFromBool8)
		case uuid:
			return with(uuidType, wrapUUID)
		case jsonText:
			if dt.ID() == arrow.STRING && f.Type.ID() == arrow.EXTENSION {
				return with(f.Type, nil)
			}
			return to.asText(out, f)
		}
		if f.Type.ID() == arrow.EXTENSION {
			inner, c, err := to.plan(arrow.Field{Name: f.Name, Type: dt, Nullable: true}, depth+1)
			return inner, func(arr arrow.Array) (arrow.Array, error) { return c.apply(unwrap(arr)) }, err
		}
	} else {
		switch {
		// A HUGEINT becomes a decimal of 128 bits: both are the same bits. sum() of integers is a
		// HUGEINT, so it must be a number for every client.
		case m == hugeint:
			return with(hugeintDecimal, decimalFromHugeint)
		case m == uhugeint:
			return to.asText(out, f)
		case f.Type.ID() == arrow.EXTENSION:
			return with(f.Type, nil)
		}
	}
	switch dt := dt.(type) {
	case *arrow.TimestampType:
		if to.parquet && dt.Unit == arrow.Second {
			millis := &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: dt.TimeZone}
			return with(millis, millisFromSeconds(millis))
		}
		return with(dt, nil)
	case *arrow.DictionaryType:
		// For Parquet, dictionaries become plain values, because the Parquet writer makes
		// dictionaries itself. It accepts only one dictionary per row group, without NULL.
		if !to.parquet {
			return with(dt, nil)
		}
		inner, c, err := to.plan(arrow.Field{Name: f.Name, Type: dt.ValueType, Nullable: true, Metadata: f.Metadata}, depth+1)
		return inner, decodeDictionary(c), err
	case *arrow.StringViewType:
		return to.asText(out, f)
	case *arrow.BinaryViewType:
		return with(arrow.BinaryTypes.Binary, binaryFromView)
	case *arrow.StructType:
		if !to.parquet || hasDistinctNames(dt) {
			return to.planStruct(out, dt, depth)
		}
	case *arrow.MapType:
		return to.planMap(out, dt, depth)
	case *arrow.ListType:
		elem, c, err := to.plan(dt.ElemField(), depth+1)
		list := arrow.ListOfField(elem)
		out.Type = list
		return out, nestedConvert(list, c), err
	case *arrow.FixedSizeListType:
		elem, c, err := to.plan(dt.ElemField(), depth+1)
		// For Parquet, fixed-size lists become plain lists. Parquet has only LIST, and the Parquet
		// writer puts the elements after a NULL fixed-size list in the wrong place.
		if to.parquet {
			list := arrow.ListOfField(elem)
			out.Type = list
			return out, plainList(list, c), err
		}
		list := arrow.FixedSizeListOfField(dt.Len(), elem)
		out.Type = list
		return out, nestedConvert(list, c), err
	case *arrow.ListViewType, *arrow.LargeListViewType, *arrow.LargeListType:
		if dt.ID() == arrow.LARGE_LIST && !to.parquet {
			return with(dt, nil)
		}
		elem, c, err := to.plan(dt.(arrow.ListLikeType).ElemField(), depth+1)
		list := arrow.ListOfField(elem)
		out.Type = list
		return out, plainList(list, c), err
	case arrow.UnionType:
		if !to.parquet {
			return to.planUnion(out, dt, depth)
		}
	default:
		if !to.parquet || parquetHolds(dt) {
			return with(dt, nil)
		}
		if d, ok := dt.(arrow.DecimalType); ok && d.GetPrecision() <= 38 {
			decimal := &arrow.Decimal128Type{Precision: d.GetPrecision(), Scale: d.GetScale()}
			c, err := toDecimal(f, decimal)
			out.Type = decimal
			return out, c, err
		}
	}
	return to.asText(out, f)
}

// parquetHolds reports whether the Parquet writer supports a type. The type must not be nested.
func parquetHolds(dt arrow.DataType) bool {
	switch id := dt.ID(); id {
	case arrow.NULL, arrow.BOOL, arrow.FLOAT16, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY,
		arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64:
		return true
	default:
		return arrow.IsInteger(id) || arrow.IsFloating(id)
	}
}

// hasDistinctNames reports whether all fields of a struct have different names. Parquet requires
// that, but the fields of DuckDB's ROW(1, 2), for example, have no names.
func hasDistinctNames(dt *arrow.StructType) bool {
	seen := make(map[string]bool, dt.NumFields())
	for _, f := range dt.Fields() {
		seen[f.Name] = true
	}
	return dt.NumFields() > 0 && len(seen) == dt.NumFields()
}

// planFields calls plan for each field of a struct or union. It replaces the elements of fields by
// the fields of the output, and returns one conversion per field.
func (to target) planFields(fields []arrow.Field, depth int) ([]convert, error) {
	converts := make([]convert, len(fields))
	for i, f := range fields {
		var err error
		if fields[i], converts[i], err = to.plan(f, depth+1); err != nil {
			return nil, base.Wrap(err, "field %q", f.Name)
		}
	}
	return converts, nil
}

func (to target) planStruct(out arrow.Field, dt *arrow.StructType, depth int) (arrow.Field, convert, error) {
	fields := dt.Fields()
	converts, err := to.planFields(fields, depth)
	st := arrow.StructOf(fields...)
	out.Type = st
	return out, nestedConvert(st, converts...), err
}

func (to target) planUnion(out arrow.Field, dt arrow.UnionType, depth int) (arrow.Field, convert, error) {
	fields := dt.Fields()
	converts, err := to.planFields(fields, depth)
	ut := arrow.UnionOf(dt.Mode(), fields, dt.TypeCodes())
	out.Type = ut
	members := nestedConvert(ut, converts...)
	return out, func(arr arrow.Array) (arrow.Array, error) {
		arr, err := rebaseUnion(arr)
		if err != nil {
			return nil, err
		}
		defer arr.Release()
		return members.apply(arr)
	}, err
}

func (to target) planMap(out arrow.Field, dt *arrow.MapType, depth int) (arrow.Field, convert, error) {
	key, keys, err := to.plan(dt.KeyField(), depth+1)
	if err != nil {
		return out, nil, base.Wrap(err, "map key")
	}
	item, items, err := to.plan(dt.ItemField(), depth+1)
	if err != nil {
		return out, nil, base.Wrap(err, "map value")
	}
	if keys == nil && items == nil {
		out.Type = dt
		return out, nil, nil
	}
	mt := arrow.MapOf(key.Type, item.Type)
	out.Type = mt
	return out, nestedConvert(mt, nestedConvert(mt.Elem(), keys, items)), nil
}

// nestedConvert returns a conversion to the nested type dt. It converts the children of an array
// with the given conversions, one per child. It returns nil if no child changes.
func nestedConvert(dt arrow.DataType, converts ...convert) convert {
	changed := false
	for _, c := range converts {
		changed = changed || c != nil
	}
	if !changed {
		return nil
	}
	return func(arr arrow.Array) (arrow.Array, error) {
		data := arr.Data()
		children := make([]arrow.ArrayData, len(converts))
		for i, c := range converts {
			child := array.MakeFromData(data.Children()[i])
			defer child.Release()
			result, err := c.apply(child)
			if err != nil {
				return nil, err
			}
			defer result.Release()
			children[i] = result.Data()
		}
		return newArray(dt, data.Len(), data.Buffers(), children, data.NullN(), data.Offset()), nil
	}
}

func newArray(dt arrow.DataType, length int, buffers []*memory.Buffer, children []arrow.ArrayData, nulls, offset int) arrow.Array {
	data := array.NewData(dt, length, buffers, children, nulls, offset)
	defer data.Release()
	return array.MakeFromData(data)
}
