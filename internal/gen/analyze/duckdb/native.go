//go:build cgo

package duckdb

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	// The C API on which duckdb-go is based. Only this API reports the whole type of a parameter:
	// the elements of a list, the values of an enum. database/sql and duckdb-go's Stmt do not.
	native "github.com/duckdb/duckdb-go-bindings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// database is an in-memory database with one connection.
type database struct {
	db   native.Database
	conn native.Connection
}

func openDatabase() (*database, error) {
	d := &database{}
	if native.Open(":memory:", &d.db) == native.StateError {
		return nil, errors.New("open an in-memory DuckDB")
	}
	if native.Connect(d.db, &d.conn) == native.StateError {
		native.Close(&d.db)
		return nil, errors.New("connect to an in-memory DuckDB")
	}
	return d, nil
}

func (d *database) close() {
	native.Disconnect(&d.conn)
	native.Close(&d.db)
}

// strings runs a query of this package (not of the user) and returns its first column, which must
// be a VARCHAR. NULL becomes "".
func (d *database) strings(sql string) ([]string, error) {
	var result native.Result
	if native.Query(d.conn, sql, &result) == native.StateError {
		defer native.DestroyResult(&result)
		return nil, errors.New(native.ResultError(&result))
	}
	defer native.DestroyResult(&result)
	var out []string
	for {
		chunk := native.FetchChunk(result)
		if chunk.Ptr == nil {
			return out, nil
		}
		rows := int(native.DataChunkGetSize(chunk))
		if rows > 0 && native.DataChunkGetColumnCount(chunk) > 0 {
			vector := native.DataChunkGetVector(chunk, 0)
			values := unsafe.Slice((*native.StringT)(native.VectorGetData(vector)), rows)
			validity := native.VectorGetValidity(vector)
			for i := range values {
				if validity != nil && !native.ValidityMaskValueIsValid(validity, native.IdxT(i)) {
					out = append(out, "")
				} else {
					out = append(out, strings.Clone(native.StringTData(&values[i])))
				}
			}
		}
		native.DestroyDataChunk(&chunk)
		if rows == 0 {
			return out, nil
		}
	}
}

// exec runs a statement and discards its result.
func (d *database) exec(sql string) error {
	var result native.Result
	state := native.Query(d.conn, sql, &result)
	defer native.DestroyResult(&result)
	if state == native.StateError {
		return errors.New(native.ResultError(&result))
	}
	return nil
}

// prepared is what DuckDB reports about a statement.
type prepared struct {
	statement native.StatementType
	params    []*analyze.Type // by number; nil if DuckDB does not know the type
	names     []string
	columns   []analyze.Type
}

// prepare lets DuckDB parse a statement and find its types, without executing it.
func (d *database) prepare(sql string) (*prepared, error) {
	var statement native.PreparedStatement
	state := native.Prepare(d.conn, sql, &statement)
	defer native.DestroyPrepare(&statement)
	if state == native.StateError {
		return nil, errors.New(native.PrepareError(statement))
	}
	p := &prepared{statement: native.PreparedStatementType(statement)}
	for i := native.IdxT(1); i <= native.NParams(statement); i++ {
		logical := native.ParamLogicalType(statement, i)
		t, err := typeOf(logical)
		native.DestroyLogicalType(&logical)
		if err != nil {
			return nil, err
		}
		p.params = append(p.params, t)
	}
	for i := native.IdxT(0); i < native.PreparedStatementColumnCount(statement); i++ {
		logical := native.PreparedStatementColumnLogicalType(statement, i)
		t, err := typeOf(logical)
		native.DestroyLogicalType(&logical)
		if err != nil {
			return nil, err
		}
		if t == nil {
			t = &analyze.Type{Kind: ir.Any}
		}
		p.columns = append(p.columns, *t)
		p.names = append(p.names, strings.Clone(native.PreparedStatementColumnName(statement, i)))
	}
	return p, nil
}

// scalars maps DuckDB's types that consist of no other types to kinds and names.
var scalars = map[native.Type]struct {
	kind ir.Kind
	name string
}{
	native.TypeBoolean: {ir.Bool, "BOOLEAN"}, native.TypeTinyInt: {ir.Int8, "TINYINT"}, native.TypeSmallInt: {ir.Int16, "SMALLINT"},
	native.TypeInteger: {ir.Int32, "INTEGER"}, native.TypeBigInt: {ir.Int64, "BIGINT"}, native.TypeHugeInt: {ir.Int128, "HUGEINT"},
	native.TypeUTinyInt: {ir.Uint8, "UTINYINT"}, native.TypeUSmallInt: {ir.Uint16, "USMALLINT"}, native.TypeUInteger: {ir.Uint32, "UINTEGER"},
	native.TypeUBigInt: {ir.Uint64, "UBIGINT"}, native.TypeUHugeInt: {ir.Uint128, "UHUGEINT"},
	native.TypeFloat: {ir.Float32, "FLOAT"}, native.TypeDouble: {ir.Float64, "DOUBLE"}, native.TypeVarchar: {ir.Text, "VARCHAR"},
	native.TypeBlob: {ir.Blob, "BLOB"}, native.TypeUUID: {ir.UUID, "UUID"}, native.TypeDate: {ir.Date, "DATE"}, native.TypeTime: {ir.Time, "TIME"},
	native.TypeTimeTZ: {ir.TimeTZ, "TIMETZ"}, native.TypeTimestampTZ: {ir.TimestampTZ, "TIMESTAMPTZ"},
	native.TypeTimeNS: {ir.Time, "TIME_NS"}, native.TypeInterval: {ir.Interval, "INTERVAL"}, native.TypeBit: {ir.Text, "BIT"}, native.TypeBigNum: {ir.Decimal, "BIGNUM"},
}

var timestamps = map[native.Type][2]string{
	native.TypeTimestamp: {"us", "TIMESTAMP"}, native.TypeTimestampS: {"s", "TIMESTAMP_S"},
	native.TypeTimestampMS: {"ms", "TIMESTAMP_MS"}, native.TypeTimestampNS: {"ns", "TIMESTAMP_NS"},
}

// typeOf converts a type of DuckDB to a type of package analyze. It returns nil for the types by
// which DuckDB says that it does not know a type.
func typeOf(l native.LogicalType) (*analyze.Type, error) {
	if l.Ptr == nil {
		return nil, nil
	}
	alias := strings.Clone(native.LogicalTypeGetAlias(l))
	id := native.GetTypeId(l)
	if s, ok := scalars[id]; ok {
		t := analyze.Plain(s.kind, s.name)
		if alias == "JSON" {
			t = analyze.Plain(ir.JSON, "JSON")
		} else if alias != "" {
			t.Native = ir.QuoteName(alias)
		}
		return &t, nil
	}
	if s, ok := timestamps[id]; ok {
		return &analyze.Type{Kind: ir.Timestamp, Unit: s[0], Native: s[1]}, nil
	}
	child := func(c native.LogicalType) (analyze.Type, error) {
		defer native.DestroyLogicalType(&c)
		t, err := typeOf(c)
		if err == nil && t == nil {
			t = &analyze.Type{Kind: ir.Any}
		}
		if t == nil {
			return analyze.Type{}, err
		}
		return *t, err
	}
	var t analyze.Type
	switch id {
	case native.TypeInvalid, native.TypeAny:
		return nil, nil
	case native.TypeSQLNull:
		// This is DuckDB's type of a NULL without a type.
		return &analyze.Type{Kind: ir.Int32, Native: "INTEGER"}, nil
	case native.TypeDecimal:
		t = analyze.Type{Kind: ir.Decimal, Precision: int(native.DecimalWidth(l)), Scale: int(native.DecimalScale(l))}
		t.Native = fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case native.TypeEnum:
		t = analyze.Type{Kind: ir.EnumKind}
		var quoted []string
		for i := range native.EnumDictionarySize(l) {
			v := strings.Clone(native.EnumDictionaryValue(l, native.IdxT(i)))
			t.Values = append(t.Values, v)
			quoted = append(quoted, "'"+strings.ReplaceAll(v, "'", "''")+"'")
		}
		t.Native = "ENUM(" + strings.Join(quoted, ", ") + ")"
		if alias != "" {
			t.Name, t.Native = alias, ir.QuoteName(alias)
		}
	case native.TypeList:
		elem, err := child(native.ListTypeChildType(l))
		if err != nil {
			return nil, err
		}
		if elem.Kind == ir.Any {
			return nil, nil
		}
		t = analyze.ListOf(elem, elem.Native+"[]", true)
	case native.TypeArray:
		elem, err := child(native.ArrayTypeChildType(l))
		if err != nil {
			return nil, err
		}
		n := int(native.ArrayTypeArraySize(l))
		t = analyze.Type{Kind: ir.Array, Elem: &elem, ElemNullable: true, Length: n, Native: fmt.Sprintf("%s[%d]", elem.Native, n)}
	case native.TypeMap:
		key, err := child(native.MapTypeKeyType(l))
		if err != nil {
			return nil, err
		}
		value, err := child(native.MapTypeValueType(l))
		if err != nil {
			return nil, err
		}
		t = analyze.Type{Kind: ir.Map, Key: &key, Elem: &value, ElemNullable: true, Native: "MAP(" + key.Native + ", " + value.Native + ")"}
	case native.TypeStruct:
		t = analyze.Type{Kind: ir.StructKind}
		var parts []string
		for i := range native.StructTypeChildCount(l) {
			name := strings.Clone(native.StructTypeChildName(l, i))
			field, err := child(native.StructTypeChildType(l, i))
			if err != nil {
				return nil, err
			}
			t.Fields = append(t.Fields, analyze.TypeField{Name: name, Type: field, Nullable: true})
			parts = append(parts, strings.TrimSpace(quoteField(name)+" "+field.Native))
		}
		t.Native = "STRUCT(" + strings.Join(parts, ", ") + ")"
		if alias != "" {
			t.Name, t.Native = alias, ir.QuoteName(alias)
		}
	case native.TypeUnion:
		t = analyze.Type{Kind: ir.Any, Native: "UNION"}
	default:
		t = analyze.Type{Kind: ir.Any}
	}
	return &t, nil
}

func quoteField(name string) string {
	if name == "" {
		return "" // a field of row(...), which has no name
	}
	return ir.QuoteName(name)
}
