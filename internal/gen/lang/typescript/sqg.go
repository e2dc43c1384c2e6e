package typescript

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// driversValues reports whether rows have the values as DuckDB's driver returns them. That is so in
// a project of SQG.
func (g *generator) driversValues() bool {
	return g.Target.Config.SQG && g.Module.Engine == ir.DuckDB
}

// driverClasses are the classes of DuckDB's driver for values that are objects, by kind.
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

// resultType returns the TypeScript type of a column of a query's result.
func (g *generator) resultType(t ir.Type, nullable bool) string {
	if !g.driversValues() {
		return g.nullable(g.tsType(t), nullable)
	}
	typ := g.driverType(t)
	if strings.Contains(typ, "null") { // SQG does not declare any list, struct or map as nullable
		return typ
	}
	return g.nullable(typ, nullable)
}

// driverType returns the TypeScript type of a value as the driver returns it. In a project of SQG
// it includes the type of elements.
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

// givenType returns the TypeScript type of a value that the caller passes to a method: the type
// that this generator uses. In a project of SQG, it also accepts the driver's class for such
// values.
func (g *generator) givenType(t ir.Type) string {
	if class := driverClass(t); class != "" && g.driversValues() && t.Kind != ir.Text {
		return g.tsType(t) + " | " + class
	}
	if g.driversValues() && t.Kind == ir.List {
		return "readonly " + g.tsType(t) + " | { readonly items: readonly " + g.tsType(t) + " }"
	}
	return g.tsType(t)
}

// givenWriter returns the TypeScript function that writes a value of the type givenType. write is
// the function for the type that this generator uses elsewhere.
func (g *generator) givenWriter(t ir.Type, write string) string {
	if write == "" || !g.driversValues() {
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
