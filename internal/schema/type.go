// Package schema describes the tables of a database. It also has Scoter's only mapping of types,
// which gives two types for each DuckDB type that a column can be declared with. The first is the
// storage type: the Arrow type that the column's values have everywhere in Scoter (in batches, in
// the log and in parts). The second is the DuckDB type that read_parquet returns for the storage
// type.
//
// The declared type and the storage type differ if Parquet would lose something that DuckDB 1.5
// preserves (HUGEINT, INTERVAL, ENUM, ...). Such a value is stored as another type. A CAST converts
// it to the declared type and back without loss. The same applies inside of nested types:
//
//	declared                 storage (Arrow)                    read_parquet gives
//	HUGEINT, UHUGEINT        utf8, decimal digits               VARCHAR
//	INTERVAL, TIMETZ, BIT    utf8, DuckDB's own text            VARCHAR
//	ENUM, JSON               utf8 (or dictionary<uint32,utf8>)  VARCHAR
//	TIMESTAMP_S, _MS         timestamp[us]                      TIMESTAMP
//	T[n]                     list<T>                            T[]
//
// Every other type is read as it was declared. A VARCHAR, ENUM or JSON column of a batch is either
// utf8 or dictionary<uint32,utf8>. Inside of nested types it is utf8.
package schema

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// Type is a DuckDB type. The zero Type is not a type. Types are values: copies of a nested type
// share its children, which must never be changed.
type Type struct {
	Kind   Kind
	Width  uint8    // of a Decimal: total number of digits, 1 to 38
	Scale  uint8    // of a Decimal: digits after the point, 0 to Width
	Size   int      // of an Array: number of elements, at least 1
	Elem   *Type    // of a List or Array: the type of the elements; of a Map: of the values
	Key    *Type    // of a Map: the type of the keys
	Fields []Field  // of a Struct: at least one field
	Values []string // of an Enum: at least one value, all different
}

// Field is one field of a Struct.
type Field struct {
	Name string
	Type Type
}

// Of returns the type of a kind that has no parameters, such as BIGINT.
func Of(kind Kind) Type { return Type{Kind: kind} }

// DecimalOf returns the type DECIMAL(width, scale).
func DecimalOf(width, scale uint8) Type { return Type{Kind: Decimal, Width: width, Scale: scale} }

// ListOf returns the type elem[], a list.
func ListOf(elem Type) Type { return Type{Kind: List, Elem: &elem} }

// ArrayOf returns the type elem[size], an array of fixed size.
func ArrayOf(elem Type, size int) Type { return Type{Kind: Array, Elem: &elem, Size: size} }

// StructOf returns the type STRUCT(fields...).
func StructOf(fields ...Field) Type { return Type{Kind: Struct, Fields: fields} }

// MapOf returns the type MAP(key, value).
func MapOf(key, value Type) Type { return Type{Kind: Map, Key: &key, Elem: &value} }

// EnumOf returns the type ENUM(values...).
func EnumOf(values ...string) Type { return Type{Kind: Enum, Values: values} }

// Equal reports whether both types are the same, including field names and enum values.
func (t Type) Equal(o Type) bool {
	if t.Kind != o.Kind || t.Width != o.Width || t.Scale != o.Scale || t.Size != o.Size ||
		len(t.Fields) != len(o.Fields) || len(t.Values) != len(o.Values) ||
		(t.Elem == nil) != (o.Elem == nil) || (t.Key == nil) != (o.Key == nil) {
		return false
	}
	if t.Elem != nil && !t.Elem.Equal(*o.Elem) || t.Key != nil && !t.Key.Equal(*o.Key) {
		return false
	}
	for i := range t.Fields {
		if t.Fields[i].Name != o.Fields[i].Name || !t.Fields[i].Type.Equal(o.Fields[i].Type) {
			return false
		}
	}
	for i := range t.Values {
		if t.Values[i] != o.Values[i] {
			return false
		}
	}
	return true
}

// String returns the type as DuckDB SQL, which Parse can parse.
func (t Type) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t Type) write(b *strings.Builder) {
	switch t.Kind {
	case Decimal:
		b.WriteString("DECIMAL(" + strconv.Itoa(int(t.Width)) + "," + strconv.Itoa(int(t.Scale)) + ")")
	case Enum:
		b.WriteString("ENUM(")
		for i, v := range t.Values {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(QuoteString(v))
		}
		b.WriteByte(')')
	case List:
		t.Elem.write(b)
		b.WriteString("[]")
	case Array:
		t.Elem.write(b)
		b.WriteString("[" + strconv.Itoa(t.Size) + "]")
	case Struct:
		b.WriteString("STRUCT(")
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(QuoteIfNeeded(f.Name))
			b.WriteByte(' ')
			f.Type.write(b)
		}
		b.WriteByte(')')
	case Map:
		b.WriteString("MAP(")
		t.Key.write(b)
		b.WriteString(", ")
		t.Elem.write(b)
		b.WriteByte(')')
	default:
		b.WriteString(t.Kind.String())
	}
}

// MarshalText returns the type as SQL text, as String does. So a type is a string in JSON.
func (t Type) MarshalText() ([]byte, error) {
	if t.Kind == invalid {
		return nil, base.Errorf(base.Internal, "type without a kind")
	}
	return []byte(t.String()), nil
}

// UnmarshalText parses the output of MarshalText. Unlike Parse it has no limit on the size, because
// every stored table must be readable.
func (t *Type) UnmarshalText(text []byte) (err error) {
	*t, err = parse(string(text))
	return err
}
