package typescript

import (
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// writer returns the name of the TypeScript function that converts a value of type t for the
// driver. It is "" if the driver accepts the value unchanged.
func (g *generator) writer(t ir.Type) string {
	switch g.Module.Engine {
	case ir.SQLite:
		switch t.Kind {
		case ir.Bool:
			return "rt.bit"
		case ir.Int8, ir.Int16, ir.Int32, ir.Int64, ir.Uint8, ir.Uint16, ir.Uint32:
			return "rt.int"
		case ir.List:
			return "rt.jsonList"
		case ir.Any:
			return "rt.value"
		}
		if g.tsType(t) == "string" {
			return "rt.utf8"
		}
		return ""
	case ir.Postgres:
		return g.postgresWriter(t)
	case ir.Scoter:
		switch t.Kind {
		case ir.Interval:
			return "rt.toInterval"
		case ir.Blob:
			return "rt.toBlob"
		case ir.Int128, ir.Uint64, ir.Uint128:
			return "rt.str"
		}
		return ""
	default:
		return g.duckWriter(t)
	}
}

func (g *generator) postgresWriter(t ir.Type) string {
	switch t.Kind {
	case ir.Blob:
		return "rt.toBlob"
	case ir.Interval:
		return "rt.toInterval"
	case ir.StructKind:
		return "write" + g.StructType(t.Ref)
	case ir.List, ir.Array:
		f := g.postgresWriter(innermost(t))
		if f == "" {
			f = "rt.toText"
		}
		return "rt.toList(" + f + ")"
	case ir.Date, ir.Timestamp, ir.TimestampTZ:
		return "rt.toDate"
	case ir.Text, ir.UUID, ir.Decimal, ir.Time, ir.TimeTZ, ir.JSON, ir.EnumKind:
		return "" // the runtime library checks all texts
	}
	return "rt.toText"
}

// duckNumbers are the functions of the runtime library that refuse numbers outside of the range of
// a DuckDB type, by kind.
var duckNumbers = map[ir.Kind]string{
	ir.Int8: "rt.toInt8", ir.Int16: "rt.toInt16", ir.Int32: "rt.toInt32", ir.Int64: "rt.toInt64", ir.Int128: "rt.toInt128",
	ir.Uint8: "rt.toUint8", ir.Uint16: "rt.toUint16", ir.Uint32: "rt.toUint32", ir.Uint64: "rt.toUint64", ir.Uint128: "rt.toUint128",
}

func (g *generator) duckWriter(t ir.Type) string {
	if emit.OnlyFromText(t) {
		return "rt.utf8"
	}
	if f, ok := duckNumbers[t.Kind]; ok {
		return f
	}
	switch t.Kind {
	case ir.Text, ir.JSON:
		return "rt.utf8"
	case ir.Decimal:
		return fmt.Sprintf("rt.toDecimal(%d, %d)", t.Precision, t.Scale)
	case ir.UUID:
		return "rt.toUUID"
	case ir.Date:
		return "rt.toDate"
	case ir.Time:
		return "rt.toTime"
	case ir.TimeTZ:
		return "rt.toTimeTZ"
	case ir.Timestamp:
		return map[string]string{"s": "rt.toTimestampSeconds", "ms": "rt.toTimestampMillis", "ns": "rt.toTimestampNanos"}[t.Unit] +
			map[bool]string{true: "rt.toTimestamp"}[t.Unit == "us" || t.Unit == ""]
	case ir.TimestampTZ:
		return "rt.toInstant"
	case ir.Interval:
		return "rt.toInterval"
	case ir.Blob:
		return "rt.toBlob"
	case ir.StructKind:
		return "write" + g.StructType(t.Ref)
	case ir.List:
		return "rt.toList(" + g.orPlain(*t.Elem) + ")"
	case ir.Array:
		return fmt.Sprintf("rt.toArray(%d, %s)", t.Length, g.orPlain(*t.Elem))
	case ir.Map:
		return "rt.toMap(" + g.orPlain(*t.Key) + ", " + g.orPlain(*t.Elem) + ")"
	}
	return ""
}

func (g *generator) orPlain(t ir.Type) string {
	if f := g.duckWriter(t); f != "" {
		return f
	}
	return "rt.plain"
}

// write returns a TypeScript expression that converts the value v, of type t, for the driver. v may
// be null if nullable is set.
func (g *generator) write(v string, t ir.Type, nullable bool) string {
	return g.written(v, g.writer(t), t, nullable)
}

// written returns a TypeScript expression that converts the value v with the function f and passes
// it to the driver. f is "" if no conversion is necessary.
func (g *generator) written(v, f string, t ir.Type, nullable bool) string {
	switch {
	case f == "" && t.Kind == ir.Any:
		return v + " as never"
	case f == "":
		return v
	case nullable:
		return "rt.opt(" + v + ", " + f + ")"
	}
	return f + "(" + v + ")"
}

// bind returns a TypeScript expression that passes v, the value of a parameter, to the runtime
// library.
func (g *generator) bind(p *ir.Param, v string) string {
	if g.Module.Engine == ir.SQLite && p.Binding == ir.BindJSON {
		list := "rt.jsonList"
		if !strings.Contains(g.paramType(*p.Type.Elem), "bigint") {
			list = "JSON.stringify"
		}
		if g.Target.Driver == "turso" {
			list = "rt.tursoList"
		}
		elem := g.writer(*p.Type.Elem)
		inner := v
		if elem != "" && elem != "rt.int" {
			inner = v + ".map(" + elem + ")"
			if p.Type.ElemNullable {
				inner = v + ".map((e) => rt.opt(e, " + elem + "))"
			}
		}
		if p.Nullable {
			return v + " === null ? null : " + list + "(" + inner + ")"
		}
		return list + "(" + inner + ")"
	}
	if g.Module.Engine == ir.SQLite && p.Binding == ir.BindNumber {
		// BindNumber allows both forms: most drivers bind a number as floating point, and a bigint
		// as an integer.
		return v
	}
	if g.Module.Engine == ir.Scoter && emit.Nested(p.Type) {
		return v + " === null ? null : rt.json(" + v + ")"
	}
	if g.Module.Engine != ir.DuckDB {
		return g.write(v, p.Type, p.Nullable)
	}
	if f := g.inputWriter(p.Type, g.duckWriter(p.Type)); f != "" {
		return "rt.bind(" + v + ", " + g.duckType(p.Type) + ", " + f + ")"
	}
	return "rt.bind(" + v + ", " + g.duckType(p.Type) + ")"
}

var duckTypes = map[ir.Kind]string{
	ir.Bool: "BOOLEAN", ir.Int8: "TINYINT", ir.Int16: "SMALLINT", ir.Int32: "INTEGER", ir.Int64: "BIGINT", ir.Int128: "HUGEINT",
	ir.Uint8: "UTINYINT", ir.Uint16: "USMALLINT", ir.Uint32: "UINTEGER", ir.Uint64: "UBIGINT", ir.Uint128: "UHUGEINT",
	ir.Float32: "FLOAT", ir.Float64: "DOUBLE", ir.Text: "VARCHAR", ir.JSON: "VARCHAR", ir.Blob: "BLOB", ir.UUID: "UUID", ir.Date: "DATE",
	ir.Time: "TIME", ir.TimeTZ: "TIMETZ", ir.TimestampTZ: "TIMESTAMPTZ", ir.Interval: "INTERVAL", ir.Any: "ANY",
}

// duckType returns a TypeScript expression for the type of DuckDB's driver that stands for t.
func (g *generator) duckType(t ir.Type) string {
	if emit.OnlyFromText(t) {
		return "rt.duck.VARCHAR"
	}
	switch t.Kind {
	case ir.Decimal:
		return fmt.Sprintf("rt.duck.DECIMAL(%d, %d)", t.Precision, t.Scale)
	case ir.Timestamp:
		return "rt.duck." + map[string]string{"s": "TIMESTAMP_S", "ms": "TIMESTAMP_MS", "ns": "TIMESTAMP_NS", "us": "TIMESTAMP", "": "TIMESTAMP"}[t.Unit]
	case ir.EnumKind:
		return "rt.duck.ENUM(" + g.EnumType(t.Ref) + "Values)"
	case ir.List:
		return "rt.duck.LIST(" + g.duckType(*t.Elem) + ")"
	case ir.Array:
		return fmt.Sprintf("rt.duck.ARRAY(%s, %d)", g.duckType(*t.Elem), t.Length)
	case ir.Map:
		return "rt.duck.MAP(" + g.duckType(*t.Key) + ", " + g.duckType(*t.Elem) + ")"
	case ir.StructKind:
		var fields []string
		for _, f := range g.Module.Struct(t.Ref).Fields {
			fields = append(fields, property(f.Name.Original)+": "+g.duckType(f.Type))
		}
		return "rt.duck.STRUCT({ " + strings.Join(fields, ", ") + " })"
	}
	return "rt.duck." + duckTypes[t.Kind]
}
