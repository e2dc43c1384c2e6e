package ir

// Kind is the kind of a value, such as int32 or list. Every generator has a type for each kind.
type Kind string

// The kinds.
const (
	Bool   Kind = "bool"
	Int8   Kind = "int8"
	Int16  Kind = "int16"
	Int32  Kind = "int32"
	Int64  Kind = "int64"
	Int128 Kind = "int128" // DuckDB's HUGEINT

	Uint8   Kind = "uint8"
	Uint16  Kind = "uint16"
	Uint32  Kind = "uint32"
	Uint64  Kind = "uint64"
	Uint128 Kind = "uint128"

	Float32 Kind = "float32"
	Float64 Kind = "float64"
	// Decimal is an exact number. Its type has Precision digits, and Scale of them are after the
	// decimal point. Both are 0 for a number without limits. That is PostgreSQL's `numeric`, which
	// may also be NaN or infinite, and a decimal of SQLite, whose values are integers or floats.
	Decimal Kind = "decimal"

	Text Kind = "text"
	Blob Kind = "blob"
	UUID Kind = "uuid"

	// Date is a calendar day without a time zone.
	//
	// SQLite has no types for dates and times. Values of Date, Time, Timestamp and TimestampTZ have
	// one of three forms there: text in ISO 8601 (`2020-01-31`, `12:30:00`, `2020-01-31
	// 12:30:00.123`), an INTEGER of seconds since 1970, or a REAL Julian day. Generated code reads
	// all three forms, and writes text.
	Date Kind = "date"
	// Time is a time of day without a time zone, with a precision of at most microseconds.
	Time Kind = "time"
	// TimeTZ is a time of day with an offset from UTC.
	TimeTZ Kind = "timetz"
	// Timestamp is a date and time without a time zone. See Type.Unit.
	Timestamp Kind = "timestamp"
	// TimestampTZ is an instant, stored in UTC.
	TimestampTZ Kind = "timestamptz"
	// Interval is a number of months, of days and of microseconds. Each of the three has its own
	// sign.
	Interval Kind = "interval"

	// JSON is the text of a JSON document. Native has the name of the type (`jsonb`).
	JSON Kind = "json"
	// EnumKind is a label of an enum. Type.Ref refers to Module.Enums.
	EnumKind Kind = "enum"
	// List has any number of elements of one type. More dimensions are Lists of Lists.
	List Kind = "list"
	// Array is a List of exactly Type.Length elements.
	Array Kind = "array"
	// StructKind is a struct. Type.Ref refers to Module.Structs.
	StructKind Kind = "struct"
	// Map has unique keys of type Key (never NULL) and values of type Elem.
	Map Kind = "map"
	// Any is a value whose type is known only when it is read: an expression or a column without a
	// type in SQLite, or DuckDB's VARIANT and UNION.
	Any Kind = "any"
)

// Type is the type of a value. Only the fields that belong to its Kind are set.
type Type struct {
	Kind Kind `json:"kind"`
	// Native is the engine's spelling of the type, which is valid in CAST(x AS native) and in DDL:
	// `DECIMAL(10,2)`, `app."Mood"[]`, `STRUCT(a INTEGER)`.
	//
	// If an engine's type has no Kind of its own, Kind says in which form its values are exchanged.
	// For example, PostgreSQL's `inet` has the Kind Text: if a driver returns an object for it,
	// generated code must ask for text. For SQLite, Native is the declared type as written
	// (`VARCHAR(20)`), or empty.
	Native string `json:"native,omitempty"`
	// Precision and Scale are set for Decimal.
	Precision int `json:"precision,omitempty"`
	Scale     int `json:"scale,omitempty"`
	// Unit is set for Timestamp: "s", "ms", "us" or "ns". A TimestampTZ always has "us". SQLite's
	// timestamps have at most nanoseconds, and no Unit.
	Unit string `json:"unit,omitempty"`
	// Ref is set for EnumKind and StructKind. It is the Ref of the enum or struct.
	Ref string `json:"ref,omitempty"`
	// Elem and ElemNullable are set for List and Array (the type of their elements), and for Map
	// (the type of its values).
	Elem         *Type `json:"elem,omitempty"`
	ElemNullable bool  `json:"elem_nullable,omitempty"`
	// Length is set for Array: the number of elements.
	Length int `json:"length,omitempty"`
	// Key is set for Map: the type of its keys.
	Key *Type `json:"key,omitempty"`
}

// Equal reports whether two types are equal in all fields.
func (t Type) Equal(o Type) bool {
	return t.Kind == o.Kind && t.Native == o.Native && t.Precision == o.Precision && t.Scale == o.Scale &&
		t.Unit == o.Unit && t.Ref == o.Ref && t.ElemNullable == o.ElemNullable && t.Length == o.Length &&
		equalPtr(t.Elem, o.Elem) && equalPtr(t.Key, o.Key)
}

func equalPtr(a, b *Type) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// Walk calls f for t and for every type inside of it. The outer types come first.
func (t Type) Walk(f func(Type)) {
	f(t)
	if t.Elem != nil {
		t.Elem.Walk(f)
	}
	if t.Key != nil {
		t.Key.Walk(f)
	}
}

// known is the set of all kinds.
var known = map[Kind]bool{
	Bool: true, Int8: true, Int16: true, Int32: true, Int64: true, Int128: true,
	Uint8: true, Uint16: true, Uint32: true, Uint64: true, Uint128: true,
	Float32: true, Float64: true, Decimal: true, Text: true, Blob: true, UUID: true,
	Date: true, Time: true, TimeTZ: true, Timestamp: true, TimestampTZ: true, Interval: true,
	JSON: true, EnumKind: true, List: true, Array: true, StructKind: true, Map: true, Any: true,
}
