package python

import (
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

var arrowTypes = map[ir.Kind]string{
	ir.Bool: "bool_()", ir.Int8: "int8()", ir.Int16: "int16()", ir.Int32: "int32()", ir.Int64: "int64()", ir.Uint8: "uint8()", ir.Uint16: "uint16()",
	ir.Uint32: "uint32()", ir.Uint64: "uint64()", ir.Float32: "float32()", ir.Float64: "float64()", ir.Blob: "binary()", ir.Date: "date32()",
	ir.Time: `time64("us")`, ir.TimestampTZ: `timestamp("us", "UTC")`,
}

// arrowType returns a Python expression for the Arrow type from which DuckDB reads values of type
// t. If Arrow has no such type, it is Arrow's text type, and DuckDB casts the text. nested means
// that the values are part of other values.
func (g *generator) arrowType(t ir.Type, nested bool) string {
	if emit.OnlyFromText(t) {
		return "pa.string()"
	}
	switch t.Kind {
	case ir.Decimal:
		return fmt.Sprintf("pa.decimal128(%d, %d)", t.Precision, t.Scale)
	case ir.UUID:
		if !nested {
			return "pa.uuid()"
		}
	case ir.Timestamp:
		unit := t.Unit
		if unit == "" {
			unit = "us"
		}
		return fmt.Sprintf("pa.timestamp(%q)", unit)
	case ir.List:
		return "pa.list_(" + g.arrowType(*t.Elem, true) + ")"
	case ir.Array:
		return fmt.Sprintf("pa.list_(%s, %d)", g.arrowType(*t.Elem, true), t.Length)
	case ir.Map:
		return "pa.map_(" + g.arrowType(*t.Key, true) + ", " + g.arrowType(*t.Elem, true) + ")"
	case ir.StructKind:
		var fields []string
		for _, f := range g.Module.Struct(t.Ref).Fields {
			fields = append(fields, "("+quote(f.Name.Original)+", "+g.arrowType(f.Type, true)+")")
		}
		return "pa.struct([" + strings.Join(fields, ", ") + "])"
	}
	if of, ok := arrowTypes[t.Kind]; ok {
		return "pa." + of
	}
	return "pa.string()"
}

// arrowWriter returns the name of the Python function that converts a value of type t into a value
// that Arrow accepts. It is "" if Arrow accepts the value unchanged. nested means that the value is
// part of another value.
func (g *generator) arrowWriter(t ir.Type, nested bool) string {
	if emit.OnlyFromText(t) {
		return "rt.to_text"
	}
	switch t.Kind {
	case ir.EnumKind:
		return "_write_" + ir.NewName(g.EnumType(t.Ref)).Snake()
	case ir.StructKind:
		return "_arrow_" + ir.NewName(g.StructType(t.Ref)).Snake()
	case ir.Interval, ir.TimeTZ, ir.Int128, ir.Uint128:
		return "rt.to_text"
	case ir.UUID:
		if nested {
			return "rt.to_text"
		}
	case ir.List, ir.Array:
		if f := g.arrowWriter(*t.Elem, true); f != "" {
			return "rt.to_list(" + f + ")"
		}
	case ir.Map:
		k, v := g.arrowWriter(*t.Key, true), g.arrowWriter(*t.Elem, true)
		for _, f := range []*string{&k, &v} {
			if *f == "" {
				*f = "rt.plain"
			}
		}
		return "rt.to_pairs(" + k + ", " + v + ")"
	}
	return ""
}

func (g *generator) arrowWrite(v string, t ir.Type, nullable, nested bool) string {
	f := g.arrowWriter(t, nested)
	switch {
	case f == "":
		return v
	case nullable:
		return "rt.opt(" + f + ", " + v + ")"
	}
	return f + "(" + v + ")"
}

// arrowStruct writes the Python function that converts a struct into a value that Arrow accepts.
func (g *generator) arrowStruct(s ir.Struct) {
	name := g.StructType(s.Ref)
	g.w.Line("")
	g.w.Line("")
	g.w.Indented("def _arrow_"+ir.NewName(name).Snake()+"(v: "+name+") -> dict[str, Any]:", func() {
		g.w.Block("return {", "}", func() {
			for _, f := range s.Fields {
				g.w.Line("%s: %s,", quote(f.Name.Original), g.arrowWrite("v."+emit.Field(emit.Python, f.Name), f.Type, f.Nullable, true))
			}
		})
	})
}

// arrow writes Python code that converts the rows of a bulk operation into Arrow columns. It writes
// nothing if Arrow does not support one of the columns.
func (g *generator) arrow(t *emit.Table, op *emit.Op) {
	var types, values, names, required []string
	native := true
	for _, c := range op.Row.Columns {
		supported := true
		c.Type.Walk(func(t ir.Type) { supported = supported && t.Kind != ir.Any })
		if !supported {
			return
		}
		of := g.arrowType(c.Type, false)
		native = native && (!strings.Contains(of, "pa.string()") || c.Type.Native == "VARCHAR" || c.Type.Native == "VARCHAR[]")
		types = append(types, of)
		values = append(values, "["+g.arrowWrite("r."+emit.Field(emit.Python, c.Name), c.Type, c.Nullable, false)+" for r in rows]")
		names = append(names, quote(c.Name.Original))
		required = append(required, map[bool]string{true: "False", false: "True"}[c.Nullable])
	}
	w := &g.w
	w.Block("arrow=rt.Arrow(", "),", func() {
		w.Line("table=%s,", quote(t.Table.Table))
		w.Line("names=(%s,),", strings.Join(names, ", "))
		w.Line("required=(%s,),", strings.Join(required, ", "))
		w.Line("types=lambda pa: (%s,),", strings.Join(types, ", "))
		w.Line("values=lambda rows: (%s,),", strings.Join(values, ", "))
		if op.Bulk.TempTable != "" && native {
			var keys []string
			for _, i := range t.Key {
				keys = append(keys, t.Columns[i].SQLName)
			}
			w.Line("distinct=%s,", block("SELECT count(*) - count(DISTINCT ("+strings.Join(keys, ", ")+`)) FROM "`+op.Bulk.TempTable+`"`))
		}
	})
}
