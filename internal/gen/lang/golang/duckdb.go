package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// duckBulk writes the Go method of a bulk operation for DuckDB. values are Go expressions that
// convert the fields of a row to the types of the driver.
func (g *generator) duckBulk(t *emit.Table, op *emit.Op, values []string) {
	w, b := &g.w, op.Bulk
	direct := b.TempTable == "" && len(b.Columns) == len(t.Columns)
	if b.TempTable == "" {
		b = emit.StagedInsert(t.Table, op.Op)
	}
	if op.Op == ir.OpDelete || len(t.Set) == 0 {
		b.Deduplicate = "" // several rows with the same key give the same result
	}
	w.Blank()
	w.Block("var bulk"+g.Class+op.Method+" = scDuckBulk["+op.RowType+"]{", "}", func() {
		for _, f := range [][2]string{{"name", op.Method}, {"schema", t.Schema}, {"table", t.Table.Table},
			{"stage", b.TempTable}, {"create", b.Create}, {"dedupe", b.Deduplicate}, {"apply", b.Apply}, {"drop", b.Drop}} {
			if f[1] != "" {
				w.Line("%s: %s,", f[0], quote(f[1]))
			}
		}
		if direct {
			w.Line("direct: true,")
		}
		w.Block("values: func(r "+op.RowType+") []any {", "},", func() { w.Line("return []any{%s}", strings.Join(values, ", ")) })
		w.Block("columns: []scDuckColumn["+op.RowType+"]{", "},", func() {
			for i, c := range op.Row.Columns {
				at := b.Columns[i]
				kind := duckKind(g.Module, c.Type)
				set := "nil"
				if kind != "" {
					set = "func(v *scVec, at int, r *" + op.RowType + ") { " + g.duckSet("v", "r."+emit.Field(emit.Go, c.Name), c.Type, c.Nullable) + " }"
				}
				w.Line("{%s, %q, %v, %v, %s},", quote(t.Columns[at].Name.Original), kind, !c.Nullable, slices.Contains(t.Key, at), set)
			}
		})
	})
}

// duckKind returns a text that says how values of type t are stored in DuckDB's vectors (arrays of
// column values), such as "[]int32". It returns "" if the runtime library does not write values of
// this type into vectors.
func duckKind(m *ir.Module, t ir.Type) string {
	switch t.Kind {
	case ir.Any:
		return ""
	case ir.JSON:
		return "text"
	case ir.Decimal:
		if emit.OnlyFromText(t) {
			return "text"
		}
	case ir.EnumKind:
		return "enum"
	case ir.List, ir.Array:
		if elem := duckKind(m, *t.Elem); elem != "" {
			return "[]" + elem
		}
		return ""
	case ir.Map:
		if key, value := duckKind(m, *t.Key), duckKind(m, *t.Elem); key != "" && value != "" {
			return "map(" + key + "," + value + ")"
		}
		return ""
	case ir.StructKind:
		var fields []string
		for _, f := range m.Struct(t.Ref).Fields {
			kind := duckKind(m, f.Type)
			if kind == "" {
				return ""
			}
			fields = append(fields, kind)
		}
		return "(" + strings.Join(fields, ",") + ")"
	}
	return string(t.Kind)
}

// duckWriters are the functions of the runtime library that write a value into a vector of DuckDB,
// by kind. Values of kinds that are not in the map have the same memory layout in Go and in DuckDB,
// and need no function.
var duckWriters = map[ir.Kind]string{
	ir.Int128: "scSetBig", ir.Uint128: "scSetBig", ir.Decimal: "scSetDecimal", ir.Text: "scSetText[string]", ir.TimeTZ: "scSetTimeTZ", ir.JSON: "scSetJSON", ir.Blob: "scSetBlob",
	ir.UUID: "scSetUUID", ir.Date: "scSetDate", ir.Time: "scSetTime", ir.Timestamp: "scSetTimestamp", ir.TimestampTZ: "scSetTimestamp",
	ir.Interval: "scSetInterval",
}

// duckWriter returns the Go function that writes a value of type t into a vector of DuckDB.
func (g *generator) duckWriter(t ir.Type, nullable bool) string {
	switch {
	case nullable && !nilIsNull(t), t.Kind == ir.List, t.Kind == ir.Array, t.Kind == ir.Map:
		return "func(v *scVec, at int, x " + g.nullable(t, nullable) + ") { " + g.duckSet("v", "x", t, nullable) + " }"
	case t.Kind == ir.EnumKind:
		return "scSetEnum[" + g.EnumType(t.Ref) + "]"
	case t.Kind == ir.StructKind:
		return "scSet" + g.StructType(t.Ref)
	}
	if t.Kind == ir.Decimal && emit.OnlyFromText(t) {
		return "scSetText[Decimal]"
	}
	if f, ok := duckWriters[t.Kind]; ok {
		return f
	}
	return "scSetFixed[" + g.goType(t) + "]"
}

// duckSet returns Go code that writes the value x, of type t, into the vector v of DuckDB.
func (g *generator) duckSet(v, x string, t ir.Type, nullable bool) string {
	switch {
	case t.Kind == ir.List || t.Kind == ir.Array:
		return "scSetList(" + v + ", at, " + x + ", " + g.duckWriter(*t.Elem, t.ElemNullable) + ")"
	case t.Kind == ir.Map:
		return "scSetMap(" + v + ", at, " + x + ", " + g.duckWriter(*t.Key, false) + ", " + g.duckWriter(*t.Elem, t.ElemNullable) + ")"
	case nullable && !nilIsNull(t):
		return "scSetNull(" + v + ", at, " + x + ", " + g.duckWriter(t, false) + ")"
	}
	f, _, _ := strings.Cut(g.duckWriter(t, false), "[")
	return f + "(" + v + ", at, " + x + ")"
}

// duckStruct writes the Go function that writes values of the struct s into a vector of DuckDB.
func (g *generator) duckStruct(s ir.Struct) {
	name := g.StructType(s.Ref)
	g.w.Blank()
	g.w.Block("func scSet"+name+"(s *scVec, at int, r "+name+") {", "}", func() {
		for i, f := range s.Fields {
			g.w.Line("%s", g.duckSet(fmt.Sprintf("s.items[%d]", i), "r."+emit.Field(emit.Go, f.Name), f.Type, f.Nullable))
		}
	})
}

// duckFields writes the Go method that returns the fields of the struct s as values of the driver's
// types.
func (g *generator) duckFields(s ir.Struct) {
	var values []string
	for _, f := range s.Fields {
		values = append(values, g.duckValue("v."+emit.Field(emit.Go, f.Name), f.Type, f.Nullable))
	}
	g.w.Blank()
	g.w.Block("func (v "+g.StructType(s.Ref)+") scDuck() []any {", "}", func() { g.w.Line("return []any{%s}", strings.Join(values, ", ")) })
}

// duckValue returns a Go expression that converts the value v, of type t, to the type that the
// driver takes.
func (g *generator) duckValue(v string, t ir.Type, nullable bool) string {
	inside := func(t ir.Type, nullable bool) string {
		return "func(v " + g.nullable(t, nullable) + ") any { return " + g.duckValue("v", t, nullable) + " }"
	}
	switch {
	case !duckTyped(t):
		return "scDuck(" + v + ")"
	case t.Kind == ir.List || t.Kind == ir.Array:
		return "scDuckList(" + v + ", " + inside(*t.Elem, t.ElemNullable) + ")"
	case t.Kind == ir.Map:
		return "scDuckMap(" + v + ", " + inside(*t.Key, false) + ", " + inside(*t.Elem, t.ElemNullable) + ")"
	case nullable && t.Kind == ir.Date:
		return "scOpt(" + v + ", scDuckDay)"
	case nullable:
		return "scOpt(" + v + ", " + inside(t, false) + ")"
	case t.Kind == ir.Date:
		return "scDuckDay(" + v + ")"
	case emit.OnlyFromText(t):
		return "scDuckBig(" + v + ")"
	}
	return fmt.Sprintf("scDuckScaled(%s, %d, %d)", v, t.Precision, t.Scale)
}

// duckTyped reports whether generated code must use the type of a column, t, to convert Go values
// for it, because the values alone do not tell enough. A Go time may be a timestamp or a date, and
// a Go decimal does not tell how many digits the column has. So duckTyped is true for dates and
// decimals, and for lists and maps that contain them. It is false for a struct, which has a method
// of its own that converts its fields.
func duckTyped(t ir.Type) (typed bool) {
	t.Walk(func(t ir.Type) { typed = typed || t.Kind == ir.Date || t.Kind == ir.Decimal })
	return typed
}
