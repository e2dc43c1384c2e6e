package encode

import (
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/scoterdb/scoter/internal/schema"
)

// meaning is the logical type of values for which the Arrow storage type does not tell it.
type meaning uint8

const (
	plain    meaning = iota
	uuid             // 16 bytes, big-endian
	hugeint          // 16 bytes, little-endian two's complement
	uhugeint         // 16 bytes, little-endian, or a decimal128 whose bits are unsigned
	timeTZ           // 8 bytes, see appendTimeTZ
	bitText          // BIT: number of padding bits, then the bits
	bignum           // BIGNUM: three bytes header, then big-endian magnitude
	bool8            // int8, 0 is false
	jsonText         // UTF-8 text that is JSON
)

// resolve returns the Arrow storage type of a field, which is not an extension type, and the
// meaning of its values.
func resolve(field arrow.Field) (arrow.DataType, meaning) {
	dt, name, typeName := field.Type, "", ""
	if ext, ok := dt.(arrow.ExtensionType); ok {
		name = ext.ExtensionName()
		if opaque, ok := ext.(*extensions.OpaqueType); ok {
			typeName = strings.ToLower(opaque.TypeName)
		}
		dt = ext.StorageType()
		if _, nested := dt.(arrow.ExtensionType); nested {
			return resolve(arrow.Field{Type: dt})
		}
	}
	sqlType, _ := field.Metadata.GetValue(schema.TypeKey)
	sqlType = strings.ToUpper(sqlType)
	is := func(extension, opaque, sql string) bool {
		return extension != "" && name == extension || name == "arrow.opaque" && typeName == opaque || sql != "" && sqlType == sql
	}
	width := 0
	if fixed, ok := dt.(*arrow.FixedSizeBinaryType); ok {
		width = fixed.ByteWidth
	}
	switch id := dt.ID(); {
	case width == 16 && is("arrow.uuid", "uuid", "UUID"):
		return dt, uuid
	case width == 16 && is("", "hugeint", "HUGEINT"):
		return dt, hugeint
	case (width == 16 || id == arrow.DECIMAL128) && is("", "uhugeint", "UHUGEINT"):
		return dt, uhugeint
	case width == 8 && is("", "time_tz", "TIME WITH TIME ZONE"):
		return dt, timeTZ
	case isBinary(id) && is("", "bit", "BIT"):
		return dt, bitText
	case isBinary(id) && (is("", "bignum", "BIGNUM") || is("", "varint", "VARINT")):
		return dt, bignum
	case id == arrow.INT8 && is("arrow.bool8", "", ""):
		return dt, bool8
	case isString(id) && is("arrow.json", "json", "JSON"):
		return dt, jsonText
	}
	return dt, plain
}

func isBinary(id arrow.Type) bool {
	return id == arrow.BINARY || id == arrow.LARGE_BINARY || id == arrow.BINARY_VIEW
}

func isString(id arrow.Type) bool {
	return id == arrow.STRING || id == arrow.LARGE_STRING || id == arrow.STRING_VIEW
}

// isStringKey reports whether map keys of this type become the names of members of a JSON object.
// Keys of the type JSON do not, because they are written as values.
func isStringKey(field arrow.Field) bool {
	dt, m := resolve(field)
	if m == jsonText {
		return false
	}
	if dict, ok := dt.(*arrow.DictionaryType); ok {
		dt = dict.ValueType
	}
	return isString(dt.ID())
}

// unwrap returns the storage array of an extension array. It returns other arrays unchanged.
func unwrap(arr arrow.Array) arrow.Array {
	for {
		ext, ok := arr.(array.ExtensionArray)
		if !ok {
			return arr
		}
		arr = ext.Storage()
	}
}

// typeName returns the name that a column's type has in results.
func typeName(field arrow.Field) string {
	if sqlType, ok := field.Metadata.GetValue(schema.TypeKey); ok && sqlType != "" {
		return sqlType
	}
	dt, m := resolve(field)
	switch m {
	case hugeint:
		return "HUGEINT"
	case uhugeint:
		return "UHUGEINT"
	case timeTZ:
		return "TIME WITH TIME ZONE"
	case bitText:
		return "BIT"
	case bignum:
		return "BIGNUM"
	case bool8:
		return "BOOLEAN"
	}
	if t, err := schema.FromArrow(field.Type, field.Metadata); err == nil {
		return t.String()
	}
	switch dt := dt.(type) {
	case arrow.UnionType:
		var b strings.Builder
		b.WriteString("UNION(")
		for i, f := range dt.Fields() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(schema.QuoteIfNeeded(f.Name) + " " + typeName(f))
		}
		b.WriteByte(')')
		return b.String()
	case arrow.ListLikeType:
		return typeName(dt.ElemField()) + "[]"
	case *arrow.RunEndEncodedType:
		return typeName(arrow.Field{Type: dt.Encoded()})
	case *arrow.DurationType, *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return "INTERVAL"
	case *arrow.Float16Type:
		return "FLOAT"
	}
	return strings.ToUpper(dt.Name())
}

// uniqueNames returns the column names for formats in which a repeated name would hide a column. A
// repeated name gets the suffix _1, _2 and so on, as in DuckDB's sub-queries.
func uniqueNames(s *arrow.Schema) []string {
	used := make(map[string]bool, s.NumFields())
	for _, f := range s.Fields() {
		used[f.Name] = true
	}
	names := make([]string, s.NumFields())
	seen := make(map[string]int, s.NumFields())
	for i, f := range s.Fields() {
		name := f.Name
		if n, repeated := seen[f.Name]; repeated {
			for used[name] {
				n++
				name = f.Name + "_" + strconv.Itoa(n)
			}
			used[name] = true
			seen[f.Name] = n
		} else {
			seen[f.Name] = 0
		}
		names[i] = name
	}
	return names
}
