package duck

/*
#include <duckdb.h>
*/
import "C"

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/schema"
)

func withType(m arrow.Metadata, sql string) arrow.Metadata {
	if sql == "" {
		return m
	}
	return arrow.NewMetadata(append(slices.Clone(m.Keys()), schema.TypeKey), append(slices.Clone(m.Values()), sql))
}

// typeNames are the SQL names of DuckDB's types that have no parameters.
var typeNames = map[C.duckdb_type]string{
	C.DUCKDB_TYPE_BOOLEAN: "BOOLEAN", C.DUCKDB_TYPE_TINYINT: "TINYINT", C.DUCKDB_TYPE_SMALLINT: "SMALLINT",
	C.DUCKDB_TYPE_INTEGER: "INTEGER", C.DUCKDB_TYPE_BIGINT: "BIGINT", C.DUCKDB_TYPE_HUGEINT: "HUGEINT",
	C.DUCKDB_TYPE_UTINYINT: "UTINYINT", C.DUCKDB_TYPE_USMALLINT: "USMALLINT", C.DUCKDB_TYPE_UINTEGER: "UINTEGER",
	C.DUCKDB_TYPE_UBIGINT: "UBIGINT", C.DUCKDB_TYPE_UHUGEINT: "UHUGEINT", C.DUCKDB_TYPE_BIGNUM: "BIGNUM",
	C.DUCKDB_TYPE_FLOAT: "FLOAT", C.DUCKDB_TYPE_DOUBLE: "DOUBLE", C.DUCKDB_TYPE_VARCHAR: "VARCHAR",
	C.DUCKDB_TYPE_BLOB: "BLOB", C.DUCKDB_TYPE_BIT: "BIT", C.DUCKDB_TYPE_UUID: "UUID",
	C.DUCKDB_TYPE_DATE: "DATE", C.DUCKDB_TYPE_TIME: "TIME", C.DUCKDB_TYPE_TIME_NS: "TIME_NS",
	C.DUCKDB_TYPE_TIME_TZ: "TIME WITH TIME ZONE", C.DUCKDB_TYPE_TIMESTAMP: "TIMESTAMP",
	C.DUCKDB_TYPE_TIMESTAMP_S: "TIMESTAMP_S", C.DUCKDB_TYPE_TIMESTAMP_MS: "TIMESTAMP_MS",
	C.DUCKDB_TYPE_TIMESTAMP_NS: "TIMESTAMP_NS", C.DUCKDB_TYPE_TIMESTAMP_TZ: "TIMESTAMP WITH TIME ZONE",
	C.DUCKDB_TYPE_INTERVAL: "INTERVAL", C.DUCKDB_TYPE_GEOMETRY: "GEOMETRY", C.DUCKDB_TYPE_VARIANT: "VARIANT",
	C.DUCKDB_TYPE_SQLNULL: `"NULL"`, C.DUCKDB_TYPE_STRING_LITERAL: "VARCHAR", C.DUCKDB_TYPE_INTEGER_LITERAL: "INTEGER",
}

// typeName returns the name of a type as DuckDB's DESCRIBE shows it, and frees the type. It returns
// "" for a type that this package does not know.
func typeName(t C.duckdb_logical_type) string {
	defer C.duckdb_destroy_logical_type(&t)
	switch id := C.duckdb_get_type_id(t); id {
	case C.DUCKDB_TYPE_VARCHAR:
		if takeString(C.duckdb_logical_type_get_alias(t)) == "JSON" {
			return "JSON"
		}
		return "VARCHAR"
	case C.DUCKDB_TYPE_DECIMAL:
		return "DECIMAL(" + strconv.Itoa(int(C.duckdb_decimal_width(t))) + "," + strconv.Itoa(int(C.duckdb_decimal_scale(t))) + ")"
	case C.DUCKDB_TYPE_ENUM:
		values := make([]string, int(C.duckdb_enum_dictionary_size(t)))
		for i := range values {
			values[i] = schema.QuoteString(takeString(C.duckdb_enum_dictionary_value(t, C.idx_t(i))))
		}
		return "ENUM(" + strings.Join(values, ", ") + ")"
	case C.DUCKDB_TYPE_LIST:
		return typeName(C.duckdb_list_type_child_type(t)) + "[]"
	case C.DUCKDB_TYPE_ARRAY:
		return typeName(C.duckdb_array_type_child_type(t)) + "[" + strconv.Itoa(int(C.duckdb_array_type_array_size(t))) + "]"
	case C.DUCKDB_TYPE_MAP:
		return "MAP(" + typeName(C.duckdb_map_type_key_type(t)) + ", " + typeName(C.duckdb_map_type_value_type(t)) + ")"
	case C.DUCKDB_TYPE_STRUCT:
		fields := make([]string, int(C.duckdb_struct_type_child_count(t)))
		for i := range fields {
			fields[i] = member(takeString(C.duckdb_struct_type_child_name(t, C.idx_t(i))), C.duckdb_struct_type_child_type(t, C.idx_t(i)))
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case C.DUCKDB_TYPE_UNION:
		fields := make([]string, int(C.duckdb_union_type_member_count(t)))
		for i := range fields {
			fields[i] = member(takeString(C.duckdb_union_type_member_name(t, C.idx_t(i))), C.duckdb_union_type_member_type(t, C.idx_t(i)))
		}
		return "UNION(" + strings.Join(fields, ", ") + ")"
	default:
		return typeNames[id]
	}
}

// member returns the text for one field in the name of a STRUCT or UNION type, such as "a" INTEGER
// in STRUCT("a" INTEGER). name is the name of the field, empty for the fields of row(1, 2).
func member(name string, t C.duckdb_logical_type) string {
	if name == "" {
		return typeName(t)
	}
	return schema.Quote(name) + " " + typeName(t)
}

// takeString copies a C string that DuckDB allocated, and frees it. NULL becomes the empty string.
func takeString(s *C.char) string {
	if s == nil {
		return ""
	}
	defer C.duckdb_free(unsafe.Pointer(s))
	return C.GoString(s)
}
