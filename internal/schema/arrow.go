package schema

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/scoterdb/scoter/internal/base"
)

// uuidArrow is the Arrow type of UUID columns. Parquet files have it as the UUID logical type,
// which DuckDB reads as UUID.
var uuidArrow = extensions.NewUUIDType()

// storage returns the type in which values of type t are stored in Parquet and DuckDB without loss
// (see the table in the package comment). It changes only the kind at the top level. The types of
// elements, keys and fields stay as they are.
func (t Type) storage() Type {
	switch t.Kind {
	case HugeInt, UHugeInt, Interval, TimeTZ, Bit, JSON, Enum:
		return Of(Varchar)
	case TimestampS, TimestampMS:
		return Of(Timestamp)
	case Array:
		return Type{Kind: List, Elem: t.Elem}
	}
	return t
}

// Arrow returns the Arrow type that values of type t have in batches, in the log and in parts.
func (t Type) Arrow() arrow.DataType {
	s := t.storage()
	switch s.Kind {
	case Null:
		return arrow.Null
	case Boolean:
		return arrow.FixedWidthTypes.Boolean
	case TinyInt:
		return arrow.PrimitiveTypes.Int8
	case SmallInt:
		return arrow.PrimitiveTypes.Int16
	case Integer:
		return arrow.PrimitiveTypes.Int32
	case BigInt:
		return arrow.PrimitiveTypes.Int64
	case UTinyInt:
		return arrow.PrimitiveTypes.Uint8
	case USmallInt:
		return arrow.PrimitiveTypes.Uint16
	case UInteger:
		return arrow.PrimitiveTypes.Uint32
	case UBigInt:
		return arrow.PrimitiveTypes.Uint64
	case Float:
		return arrow.PrimitiveTypes.Float32
	case Double:
		return arrow.PrimitiveTypes.Float64
	case Decimal:
		return &arrow.Decimal128Type{Precision: int32(s.Width), Scale: int32(s.Scale)}
	case Varchar:
		return arrow.BinaryTypes.String
	case Blob:
		return arrow.BinaryTypes.Binary
	case UUID:
		return uuidArrow
	case Date:
		return arrow.FixedWidthTypes.Date32
	case Time:
		return arrow.FixedWidthTypes.Time64us
	case Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case TimestampNS:
		return &arrow.TimestampType{Unit: arrow.Nanosecond}
	case TimestampTZ:
		return arrow.FixedWidthTypes.Timestamp_us
	case List:
		return arrow.ListOf(s.Elem.Arrow())
	case Map:
		return arrow.MapOf(s.Key.Arrow(), s.Elem.Arrow())
	case Struct:
		fields := make([]arrow.Field, len(s.Fields))
		for i, f := range s.Fields {
			fields[i] = arrow.Field{Name: f.Name, Type: f.Type.Arrow(), Nullable: true}
		}
		return arrow.StructOf(fields...)
	}
	return arrow.Null
}

// StorageType returns the DuckDB type that read_parquet returns for a stored column of type t.
func (t Type) StorageType() Type {
	s := t.storage()
	switch s.Kind {
	case List:
		return ListOf(s.Elem.StorageType())
	case Map:
		return MapOf(s.Key.StorageType(), s.Elem.StorageType())
	case Struct:
		fields := make([]Field, len(s.Fields))
		for i, f := range s.Fields {
			fields[i] = Field{Name: f.Name, Type: f.Type.StorageType()}
		}
		return StructOf(fields...)
	}
	return s
}

// StorageSQL returns StorageType as SQL text.
func (t Type) StorageSQL() string { return t.StorageType().String() }

// NeedsCast reports whether the stored type differs from the declared type. If it does, queries
// that read the column contain CAST(column AS declared type), and writers use CAST(expression AS
// stored type).
func (t Type) NeedsCast() bool { return !t.StorageType().Equal(t) }

// NaturalKey is a metadata key of the field of a decoded text column. The field has this key if all
// texts of the column are values of another type, such as UUID. The metadata value is the name of
// that type.
const NaturalKey = "scoter.natural"

// TypeKey is a metadata key of the fields of a result. The metadata value is the type of the column
// as DuckDB writes it, such as DECIMAL(10,2). It is needed because several DuckDB types (such as
// ENUM and VARCHAR) have the same Arrow type. A field without it has the type that follows from its
// Arrow type.
const TypeKey = "duckdb.type"

// Fields returns the names and types of the columns.
func (t Table) Fields() []Field {
	fields := make([]Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = Field{Name: c.Name, Type: c.Type}
	}
	return fields
}

// LackingKey is a metadata key of the field of a decoded column. The metadata value is the number
// of rows that do not contain the column. These rows have NULL in the batch, as if NULL had been
// sent.
const LackingKey = "scoter.lacking"

// FromArrow returns the natural type of a decoded column: the type that the column gets in a new
// table if no type is declared. md is the metadata of the column's field. It may say that all texts
// of the column are values of another type (NaturalKey), or name an Arrow extension that is not
// registered. If the Arrow type has no counterpart, the error is base.Invalid.
func FromArrow(dt arrow.DataType, md arrow.Metadata) (Type, error) {
	return fromArrow(dt, md, 0)
}

func fromArrow(dt arrow.DataType, md arrow.Metadata, depth int) (Type, error) {
	if depth > maxTypeDepth {
		return Type{}, base.Errorf(base.Invalid, "Arrow type nested deeper than %d", maxTypeDepth)
	}
	if ext, ok := dt.(arrow.ExtensionType); ok {
		if t, ok := extensionType(ext.ExtensionName(), ext.StorageType()); ok {
			return t, nil
		}
		return fromArrow(ext.StorageType(), arrow.Metadata{}, depth+1)
	}
	if name, ok := md.GetValue(NaturalKey); ok && isText(dt) {
		return Parse(name)
	}
	if name, ok := md.GetValue("ARROW:extension:name"); ok {
		if t, ok := extensionType(name, dt); ok {
			return t, nil
		}
	}
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return fromArrow(dt.ValueType, arrow.Metadata{}, depth+1)
	case *arrow.Decimal32Type, *arrow.Decimal64Type, *arrow.Decimal128Type, *arrow.Decimal256Type:
		d := dt.(arrow.DecimalType)
		if p, s := d.GetPrecision(), d.GetScale(); p >= 1 && p <= 38 && s >= 0 && s <= p {
			return DecimalOf(uint8(p), uint8(s)), nil
		}
	case *arrow.TimestampType:
		if dt.TimeZone != "" {
			return Of(TimestampTZ), nil
		}
		return Of([...]Kind{arrow.Second: TimestampS, arrow.Millisecond: TimestampMS,
			arrow.Microsecond: Timestamp, arrow.Nanosecond: TimestampNS}[dt.Unit]), nil
	case *arrow.MapType:
		key, err := fromArrow(dt.KeyType(), dt.KeyField().Metadata, depth+1)
		if err != nil {
			return Type{}, err
		}
		value, err := fromArrow(dt.ItemType(), dt.ItemField().Metadata, depth+1)
		return MapOf(key, value), err
	case *arrow.FixedSizeListType:
		if dt.Len() < 1 || dt.Len() > maxArraySize {
			break
		}
		elem, err := fromArrow(dt.Elem(), dt.ElemField().Metadata, depth+1)
		return ArrayOf(elem, int(dt.Len())), err
	case arrow.ListLikeType:
		elem, err := fromArrow(dt.Elem(), dt.ElemField().Metadata, depth+1)
		return ListOf(elem), err
	case *arrow.StructType:
		return structFromArrow(dt, depth)
	default:
		if kind := natural[dt.ID()]; kind != invalid {
			return Of(kind), nil
		}
	}
	return Type{}, base.Errorf(base.Invalid, "Arrow type %s has no counterpart in a table", dt)
}

func isText(dt arrow.DataType) bool {
	if d, ok := dt.(*arrow.DictionaryType); ok {
		dt = d.ValueType
	}
	return dt.ID() == arrow.STRING
}

func structFromArrow(dt *arrow.StructType, depth int) (Type, error) {
	if dt.NumFields() == 0 {
		return Type{}, base.Errorf(base.Invalid, "struct without fields")
	}
	fields := make([]Field, dt.NumFields())
	seen := make(map[string]bool, len(fields))
	for i, f := range dt.Fields() {
		if err := checkName("field", f.Name); err != nil {
			return Type{}, err
		}
		if seen[Fold(f.Name)] {
			return Type{}, base.Errorf(base.Invalid, "struct has two fields named %q", f.Name)
		}
		seen[Fold(f.Name)] = true
		t, err := fromArrow(f.Type, f.Metadata, depth+1)
		if err != nil {
			return Type{}, base.Wrap(err, "field %q", f.Name)
		}
		fields[i] = Field{Name: f.Name, Type: t}
	}
	return StructOf(fields...), nil
}

// natural gives the kind for each Arrow type without parameters. The index is the number of the
// Arrow type.
var natural = [...]Kind{
	arrow.NULL: Null, arrow.BOOL: Boolean,
	arrow.INT8: TinyInt, arrow.INT16: SmallInt, arrow.INT32: Integer, arrow.INT64: BigInt,
	arrow.UINT8: UTinyInt, arrow.UINT16: USmallInt, arrow.UINT32: UInteger, arrow.UINT64: UBigInt,
	arrow.FLOAT16: Float, arrow.FLOAT32: Float, arrow.FLOAT64: Double,
	arrow.STRING: Varchar, arrow.LARGE_STRING: Varchar, arrow.STRING_VIEW: Varchar,
	arrow.BINARY: Blob, arrow.LARGE_BINARY: Blob, arrow.BINARY_VIEW: Blob, arrow.FIXED_SIZE_BINARY: Blob,
	arrow.DATE32: Date, arrow.DATE64: Date, arrow.TIME32: Time, arrow.TIME64: Time,
	arrow.INTERVAL_MONTHS: Interval, arrow.INTERVAL_DAY_TIME: Interval, arrow.INTERVAL_MONTH_DAY_NANO: Interval,
	arrow.DURATION: Interval,
	// 63 is the largest number of an Arrow type. With it the array has an element for each type.
	63: invalid,
}

// extensionType returns the DuckDB type for a canonical Arrow extension. The argument name is the
// name of the extension. The second result is false if no DuckDB type corresponds to it.
func extensionType(name string, storage arrow.DataType) (Type, bool) {
	switch name {
	case "arrow.uuid":
		if b, ok := storage.(*arrow.FixedSizeBinaryType); ok && b.ByteWidth == 16 {
			return Of(UUID), true
		}
	case "arrow.json":
		switch storage.ID() {
		case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
			return Of(JSON), true
		}
	}
	return Type{}, false
}
