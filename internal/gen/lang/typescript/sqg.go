package typescript

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// usesDriverValues reports whether rows in generated code have the values as DuckDB's driver
// returns them. That is so for an sqg.yaml, the configuration of SQG, the generator that Scoter
// replaces.
func (g *generator) usesDriverValues() bool {
	return g.Target.Config.SQG && g.Module.Engine == ir.DuckDB
}

// driverClasses are the classes that DuckDB's driver has for values that are objects, by kind.
var driverClasses = map[ir.Kind]string{
	ir.Date: "DuckDBDateValue", ir.Time: "DuckDBTimeValue", ir.TimeTZ: "DuckDBTimeTZValue", ir.TimestampTZ: "DuckDBTimestampTZValue",
	ir.Interval: "DuckDBIntervalValue", ir.UUID: "DuckDBUUIDValue", ir.Blob: "DuckDBBlobValue", ir.Decimal: "DuckDBDecimalValue",
}

func driverClass(t ir.Type) string {
	switch {
	case t.Kind == ir.Timestamp:
		return "rt.duck." + map[string]string{"s": "DuckDBTimestampSecondsValue", "ms": "DuckDBTimestampMillisecondsValue", "ns": "DuckDBTimestampNanosecondsValue",
			"us": "DuckDBTimestampValue", "": "DuckDBTimestampValue"}[t.Unit]
	case t.Kind == ir.Text && t.Native == "BIT":
		return "rt.duck.DuckDBBitValue"
	case driverClasses[t.Kind] != "":
		return "rt.duck." + driverClasses[t.Kind]
	}
	return ""
}

// resultType returns the TypeScript type for a column of a query's result. t is the column's SQL
// type.
func (g *generator) resultType(t ir.Type, nullable bool) string {
	if !g.usesDriverValues() {
		return g.nullable(g.tsType(t), nullable)
	}
	typ := g.driverType(t)
	if strings.Contains(typ, "null") { // SQG does not declare any list, struct or map as nullable
		return typ
	}
	return g.nullable(typ, nullable)
}

// driverType returns the TypeScript type of a value of type t as DuckDB's driver returns it. The
// driver's own types for lists, maps and structs do not say which types are inside of them; the
// types that driverType returns do.
func (g *generator) driverType(t ir.Type) string {
	elem := func(t ir.Type) string { return g.nullable(g.driverType(t), true) }
	switch t.Kind {
	case ir.List, ir.Array:
		return "{ items: " + arrayOf(elem(*t.Elem)) + " }"
	case ir.Map:
		return "{ entries: { key: " + elem(*t.Key) + "; value: " + elem(*t.Elem) + " }[] }"
	case ir.StructKind:
		var fields []string
		for _, f := range g.Module.Struct(t.Ref).Fields {
			fields = append(fields, property(f.Name.Original)+": "+elem(f.Type))
		}
		return "{ entries: { " + strings.Join(fields, "; ") + " } }"
	}
	if class := driverClass(t); class != "" {
		return class
	}
	if t.Kind == ir.Text && t.Native == "BIGNUM" {
		return "bigint"
	}
	return g.tsType(t)
}

// inputType returns the TypeScript type of a value of type t that users pass to a generated method.
// In code with the types of SQG (the generator that Scoter replaces), it also accepts the class
// that DuckDB's driver has for such values.
func (g *generator) inputType(t ir.Type) string {
	if class := driverClass(t); class != "" && g.usesDriverValues() && t.Kind != ir.Text {
		return g.tsType(t) + " | " + class
	}
	if g.usesDriverValues() && t.Kind == ir.List {
		return "readonly " + g.tsType(t) + " | { readonly items: readonly " + g.tsType(t) + " }"
	}
	return g.tsType(t)
}

// inputWriter returns the TypeScript function that converts a value for DuckDB's driver. The value
// has the type that inputType returns. write is the function to use in code that does not have the
// types of SQG, the generator that Scoter replaces.
func (g *generator) inputWriter(t ir.Type, write string) string {
	if write == "" || !g.usesDriverValues() {
		return write
	}
	switch {
	case t.Kind == ir.List:
		return "rt.orItems(" + write + ")"
	case driverClass(t) != "" && t.Kind != ir.Text && t.Kind != ir.Interval:
		return "rt.orValue(" + write + ")"
	}
	return write
}
