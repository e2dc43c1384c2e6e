package ir

// Kind is the kind of a value, such as int32 or list. Every generator has a type for each kind.
type Kind string

// These are the kinds of values.
const (
	Bool   Kind = "bool"
	Int8   Kind = "int8"
	Int16  Kind = "int16"
	Int32  Kind = "int32"
	Int64  Kind = "int64"
	Int128 Kind = "int128" // Int128 is a 128-bit integer, DuckDB's HUGEINT.

	Uint8   Kind = "uint8"
	Uint16  Kind = "uint16"
	Uint32  Kind = "uint32"
	Uint64  Kind = "uint64"
	Uint128 Kind = "uint128"

	Float32 Kind = "float32"
	Float64 Kind = "float64"
	// Decimal is an exact decimal number. Its Type has a Precision, the number of digits, and a
	// Scale, the number of digits after the decimal point. Both are 0 for a number without limits.
	// Such numbers are PostgreSQL's `numeric`, which may also be NaN or infinite, and decimals of
	// SQLite, whose values are integers or floats.
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
	// Timestamp is a date and time without a time zone. Type.Unit says how precise it is.
	Timestamp Kind = "timestamp"
	// TimestampTZ is an instant in time, stored in UTC.
	TimestampTZ Kind = "timestamptz"
	// Interval is a number of months, a number of days and a number of microseconds. Each of the
	// three has its own sign.
	Interval Kind = "interval"

	// JSON is the text of a JSON document. Type.Native has the name of the database type (`jsonb`).
	JSON Kind = "json"
	// EnumKind is one of the labels of an enum. Type.Ref identifies the enum in Module.Enums.
	EnumKind Kind = "enum"
	// List is a list with any number of elements of one type. A list with more dimensions is a List
	// of Lists.
	List Kind = "list"
	// Array is a list with a fixed number of elements, Type.Length.
	Array Kind = "array"
	// StructKind is a value with named fields. Type.Ref identifies the struct in Module.Structs.
	StructKind Kind = "struct"
	// Map is a map from unique keys, of the type Type.Key, to values of the type Type.Elem. Keys
	// are never NULL.
	Map Kind = "map"
	// Any is a value whose type is known only when it is read: an expression or a column without a
	// type in SQLite, or DuckDB's VARIANT and UNION.
	Any Kind = "any"
)

// Type is the type of a value of a parameter, a column or a field. Only the fields that belong to
// its Kind are set.
type Type struct {
	Kind Kind `json:"kind"`
	// Native is how the database engine spells the type. The spelling is valid in CAST(x AS native)
	// and in DDL: `DECIMAL(10,2)`, `app."Mood"[]`, `STRUCT(a INTEGER)`.
	//
	// If a database type has no Kind of its own, Kind says in which form its values are exchanged.
	// For example, PostgreSQL's `inet` has the Kind Text: if a driver returns an object for it,
	// generated code must ask for text. For SQLite, Native is the declared type as the user wrote
	// it (`VARCHAR(20)`), or empty.
	Native string `json:"native,omitempty"`
	// Precision is the number of digits of a decimal, and Scale the number of digits after the
	// decimal point. They are set only if Kind is Decimal.
	Precision int `json:"precision,omitempty"`
	Scale     int `json:"scale,omitempty"`
	// Unit is the time unit of a timestamp: "s", "ms", "us" or "ns". If Kind is Timestamp, Unit is
	// set, except for SQLite: there a timestamp may have any number of digits up to nanoseconds,
	// and Unit is empty. If Kind is TimestampTZ, Unit is always "us".
	Unit string `json:"unit,omitempty"`
	// Ref is the identifier of the enum or struct that the type is. It is set only if Kind is
	// EnumKind or StructKind.
	Ref string `json:"ref,omitempty"`
	// Elem is the type of the elements of a List or Array, or of the values of a Map. ElemNullable
	// says whether they may be NULL.
	Elem         *Type `json:"elem,omitempty"`
	ElemNullable bool  `json:"elem_nullable,omitempty"`
	// Length is the number of elements of an Array. It is set only if Kind is Array.
	Length int `json:"length,omitempty"`
	// Key is the type of the keys of a Map. It is set only if Kind is Map.
	Key *Type `json:"key,omitempty"`
}

// Equal reports whether two types are equal, including their element types.
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

// Walk calls f for the type t and for every type inside of it. Outer types come before the types
// inside of them.
func (t Type) Walk(f func(Type)) {
	f(t)
	if t.Elem != nil {
		t.Elem.Walk(f)
	}
	if t.Key != nil {
		t.Key.Walk(f)
	}
}

// known is the set of all kinds of values.
var known = map[Kind]bool{
	Bool: true, Int8: true, Int16: true, Int32: true, Int64: true, Int128: true,
	Uint8: true, Uint16: true, Uint32: true, Uint64: true, Uint128: true,
	Float32: true, Float64: true, Decimal: true, Text: true, Blob: true, UUID: true,
	Date: true, Time: true, TimeTZ: true, Timestamp: true, TimestampTZ: true, Interval: true,
	JSON: true, EnumKind: true, List: true, Array: true, StructKind: true, Map: true, Any: true,
}
