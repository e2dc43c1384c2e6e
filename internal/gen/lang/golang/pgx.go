package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// pgxBulk writes the Go method of a bulk operation for PostgreSQL. values are Go expressions that
// convert the fields of a row to text.
func (g *generator) pgxBulk(t *emit.Table, op *emit.Op, values []string) {
	w, b := &g.w, op.Bulk
	dedupe := b.Deduplicate
	if op.Op == ir.OpDelete || len(t.Set) == 0 {
		dedupe = "" // several rows with the same key give the same result
	}
	w.Blank()
	w.Block("var bulk"+g.Class+op.Method+" = scPgxBulk["+op.RowType+"]{", "}", func() {
		for _, f := range [][2]string{{"name", op.Method}, {"table", t.SQLName}, {"target", b.Target}, {"unnest", emit.UnnestSQL(t.Table, op.Op, emit.DollarMark)},
			{"stage", b.TempTable}, {"create", b.Create}, {"dedupe", dedupe}, {"apply", b.Apply}, {"drop", b.Drop}} {
			if f[1] != "" {
				w.Line("%s: %s,", f[0], quote(f[1]))
			}
		}
		w.Block("values: func(r "+op.RowType+") []any {", "},", func() { w.Line("return []any{%s}", strings.Join(values, ", ")) })
		w.Block("columns: []scCopyColumn["+op.RowType+"]{", "},", func() {
			for i, c := range op.Row.Columns {
				at := b.Columns[i]
				kind := g.copyKind(c.Type)
				put := "nil"
				if kind != "" {
					put = "func(o *scCopy, t *scServed, r *" + op.RowType + ") { " + g.copyPut("o, t", "r."+emit.Field(emit.Go, c.Name), c.Type, c.Nullable) + " }"
				}
				w.Line("{%s, %q, %v, %v, %s},", quote(t.Columns[at].Name.Original), kind, !c.Nullable, slices.Contains(t.Key, at), put)
			}
		})
	})
}

// copyKind returns the text that tells the runtime library how to write a value of type t in the
// binary form of PostgreSQL's COPY, such as "int32", "[]enum" or "(int32,text)". It returns "" if
// such values cannot be written in this form.
func (g *generator) copyKind(t ir.Type) string {
	switch t.Kind {
	case ir.Bool, ir.Int16, ir.Int32, ir.Int64, ir.Uint32, ir.Float32, ir.Float64, ir.Decimal, ir.Text, ir.Blob, ir.UUID, ir.Date, ir.Time,
		ir.Timestamp, ir.TimestampTZ, ir.Interval:
		return string(t.Kind)
	case ir.JSON:
		return "text"
	case ir.EnumKind:
		return "enum"
	case ir.List:
		if elem := g.copyKind(*t.Elem); elem != "" {
			return "[]" + elem
		}
	case ir.StructKind:
		var fields []string
		for _, f := range g.Module.Struct(t.Ref).Fields {
			kind := g.copyKind(f.Type)
			if kind == "" {
				return ""
			}
			fields = append(fields, kind)
		}
		return "(" + strings.Join(fields, ",") + ")"
	}
	return ""
}

// copyWriters are the functions of the runtime library that write a value in the binary form of
// PostgreSQL's COPY, by kind.
var copyWriters = map[ir.Kind]string{
	ir.Bool: "Bool", ir.Int16: "Int16", ir.Int32: "Int32", ir.Int64: "Int64", ir.Uint32: "Uint32", ir.Float32: "Float32", ir.Float64: "Float64",
	ir.Decimal: "Decimal", ir.Text: "Text", ir.EnumKind: "Text", ir.JSON: "JSON", ir.Blob: "Blob", ir.UUID: "UUID", ir.Date: "Date", ir.Time: "Time",
	ir.Timestamp: "Timestamp", ir.TimestampTZ: "TimestampTZ", ir.Interval: "Interval",
}

// copyWriter returns the Go function that writes a value of type t in the binary form of
// PostgreSQL's COPY.
func (g *generator) copyWriter(t ir.Type, nullable bool) string {
	name := "scPut" + copyWriters[t.Kind]
	switch t.Kind {
	case ir.Text:
		name += "[string]"
	case ir.EnumKind:
		name += "[" + g.EnumType(t.Ref) + "]"
	case ir.StructKind:
		name = "scPut" + g.StructType(t.Ref)
	}
	if nullable && !nilIsNull(t) || t.Kind == ir.List {
		return "func(o *scCopy, t *scServed, v " + g.nullable(t, nullable) + ") { " + g.copyPut("o, t", "v", t, nullable) + " }"
	}
	return name
}

// copyPut returns Go code that writes the value v, of type t, in the binary form of PostgreSQL's
// COPY. The parameter to is the name of the variable that receives the bytes.
func (g *generator) copyPut(to, v string, t ir.Type, nullable bool) string {
	switch {
	case t.Kind == ir.List:
		depth := 1
		elem := *t.Elem
		for inner := t; inner.Elem.Kind == ir.List; inner = *inner.Elem {
			depth++
		}
		return fmt.Sprintf("scPutArray(%s, %s, %s, %s)", to, strconv.Itoa(depth), v, g.copyItem(elem, t.ElemNullable))
	case nullable && !nilIsNull(t):
		return fmt.Sprintf("scPutNull(%s, %s, %s)", to, v, g.copyWriter(t, false))
	}
	writer := g.copyWriter(t, false)
	return strings.TrimSuffix(writer, "[string]") + "(" + to + ", " + v + ")"
}

// copyItem returns the Go function that writes an element of an array in the binary form of
// PostgreSQL's COPY. t is the type of the element. If t is an array too, the function writes the
// next dimension.
func (g *generator) copyItem(t ir.Type, nullable bool) string {
	if t.Kind != ir.List {
		return g.copyWriter(t, nullable)
	}
	return "func(o *scCopy, t *scServed, v " + g.goType(t) + ") { scPutItems(o, t, v, " + g.copyItem(*t.Elem, t.ElemNullable) + ") }"
}

// copyStruct writes the Go function that writes a composite value in the binary form of
// PostgreSQL's COPY.
func (g *generator) copyStruct(s ir.Struct) {
	name := g.StructType(s.Ref)
	g.w.Blank()
	g.w.Block("func scPut"+name+"(o *scCopy, t *scServed, v "+name+") {", "}", func() {
		g.w.Line("start := o.open()")
		g.w.Line("o.int32(%d)", len(s.Fields))
		for i, f := range s.Fields {
			g.w.Line("%s", g.copyPut(fmt.Sprintf("o, o.field(t, %d)", i), "v."+emit.Field(emit.Go, f.Name), f.Type, f.Nullable))
		}
		g.w.Line("o.close(start)")
	})
}
