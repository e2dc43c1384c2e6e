package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// declarations writes the Python types for the enums, structs, row types and parameter sets of the
// module.
func (g *generator) declarations() {
	w := &g.w
	for _, e := range g.Module.Enums {
		w.Line("")
		w.Line("")
		w.Indented("class "+g.EnumType(e.Ref)+"(_enum.Enum):", func() {
			g.doc(e.Doc, "Labels of "+emit.DocText(emit.Python, e.Name.Original)+". Reading a label that is newer than this code is a ValueError.")
			w.Blank()
			labels := emit.NewScope()
			for _, v := range e.Values {
				name := emit.Identifier(emit.Python, v.Name.Screaming())
				if strings.HasPrefix(name, "_") || name == "MRO" {
					// A name that begins with an underscore has a special meaning in a Python Enum.
					name = "V" + strings.TrimPrefix(name, "_")
				}
				w.Line("%s = %s", labels.First("label "+v.Value, name, name+"_"), quote(v.Value))
			}
		})
	}
	class := func(name string, fields []string) {
		w.Line("")
		w.Line("")
		w.Line("@dataclass(frozen=True)")
		w.Indented("class "+name+":", func() {
			for _, f := range fields {
				w.Line("%s", f)
			}
		})
	}
	for _, s := range g.Module.Structs {
		var fields []string
		for _, f := range s.Fields {
			fields = append(fields, emit.Field(emit.Python, f.Name)+": "+g.nullable(g.pyType(f.Type), f.Nullable))
		}
		class(g.StructType(s.Ref), fields)
	}
	for _, r := range g.Module.Rows {
		var fields, names []string
		for _, c := range r.Columns {
			name := emit.Field(emit.Python, c.Name)
			names = append(names, name)
			fields = append(fields, name+": "+g.nullable(g.pyType(c.Type), c.Nullable))
		}
		if all, one := g.uses(r.Ref); (all || one) && !slices.Contains(names, "self") && !slices.Contains(names, "_set") {
			g.rowClass(g.RowType(r.Ref), names, fields)
		} else {
			class(g.RowType(r.Ref), fields)
		}
	}
	for _, q := range g.Queries {
		if q.Batch == "" {
			continue
		}
		var fields []string
		for i, p := range q.Params {
			fields = append(fields, q.Args[i]+": "+g.nullable(g.paramType(p.Type), p.Nullable))
		}
		class(q.BatchRow, fields)
	}
}

func (g *generator) nullable(t string, nullable bool) string {
	if nullable && t != "Any" {
		return t + " | None"
	}
	return t
}

func (g *generator) paramType(t ir.Type) string {
	if t.Kind == ir.List || t.Kind == ir.Array {
		return "Sequence" + strings.TrimPrefix(g.pyType(t), "list")
	}
	return g.pyType(t)
}

func (g *generator) pyType(t ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "bool"
	case ir.Float32, ir.Float64:
		return "float"
	case ir.Decimal:
		return "_decimal.Decimal"
	case ir.Text, ir.JSON:
		return "str"
	case ir.Blob:
		return "bytes"
	case ir.UUID:
		return "_uuid.UUID"
	case ir.Date:
		return "_datetime.date"
	case ir.Time, ir.TimeTZ:
		return "_datetime.time"
	case ir.Timestamp, ir.TimestampTZ:
		return "_datetime.datetime"
	case ir.Interval:
		return "rt.Interval"
	case ir.EnumKind:
		return g.EnumType(t.Ref)
	case ir.StructKind:
		return g.StructType(t.Ref)
	case ir.List, ir.Array:
		return "list[" + g.nullable(g.pyType(*t.Elem), t.ElemNullable) + "]"
	case ir.Map:
		return "dict[" + g.pyType(*t.Key) + ", " + g.nullable(g.pyType(*t.Elem), t.ElemNullable) + "]"
	case ir.Any:
		return "Any"
	}
	return "int"
}

var readers = map[ir.Kind]string{ir.Bool: "boolean", ir.Decimal: "dec", ir.Blob: "blob", ir.UUID: "uid", ir.Date: "date", ir.Time: "time", ir.TimeTZ: "time",
	ir.Timestamp: "timestamp", ir.TimestampTZ: "instant", ir.Interval: "interval", ir.Float32: "real", ir.Float64: "real", ir.Text: "text", ir.JSON: "text"}

// reader returns the name of the Python function that converts a value as the driver returns it
// into a value of the Python type for t.
func (g *generator) reader(t ir.Type) string {
	switch t.Kind {
	case ir.EnumKind:
		return g.EnumType(t.Ref)
	case ir.StructKind:
		return "_read_" + ir.NewName(g.StructType(t.Ref)).Snake()
	case ir.List, ir.Array:
		for t.Kind == ir.List || t.Kind == ir.Array {
			t = *t.Elem
		}
		return "rt.list_of(" + g.reader(t) + ")"
	case ir.Map:
		f := "rt.map_of("
		if g.Module.Engine == ir.Scoter {
			f = "rt.json_map("
		}
		return f + g.reader(*t.Key) + ", " + g.reader(*t.Elem) + ")"
	case ir.Any:
		return ""
	}
	if g.Module.Engine == ir.SQLite && t.Kind == ir.Blob {
		return "rt.content"
	}
	if g.Module.Engine == ir.Scoter && (t.Kind == ir.Blob || t.Kind == ir.Interval) {
		return "rt.json_" + string(t.Kind)
	}
	if f, ok := readers[t.Kind]; ok {
		return "rt." + f
	}
	return "rt.integer"
}

// direct reports whether a driver returns values of type t in the same form as generated code does,
// so that no conversion is needed. This is about values that are not part of other values.
func (g *generator) direct(t ir.Type) bool {
	switch t.Kind {
	case ir.Int8, ir.Int16, ir.Int32, ir.Int64, ir.Uint8, ir.Uint16, ir.Uint32, ir.Text, ir.JSON, ir.Any:
		return true
	case ir.Int128, ir.Uint64, ir.Uint128, ir.Float32, ir.Float64:
		return g.Module.Engine != ir.Scoter
	case ir.Bool:
		return g.Module.Engine != ir.SQLite
	case ir.Decimal, ir.Blob:
		return g.Module.Engine != ir.SQLite && g.Module.Engine != ir.Scoter
	}
	return false
}

// read returns a Python expression that converts v, a value of type t as the driver returns it.
// nested means that v is part of another value.
func (g *generator) read(v string, t ir.Type, nullable, nested bool) string {
	f := g.reader(t)
	switch {
	case f == "" || !nested && g.direct(t):
		return v
	case nullable:
		return "rt.opt(" + f + ", " + v + ")"
	}
	return f + "(" + v + ")"
}

func (g *generator) result(q *emit.Query) (row, read string) {
	if !q.Pluck {
		row = g.RowType(q.Row)
		return row, "_to_" + ir.NewName(row).Snake()
	}
	c := q.Columns[0]
	return g.nullable(g.pyType(c.Type), c.Nullable), "_to_value_of_" + q.Method
}

// writer returns the name of the Python function that converts a value of type t for the driver. It
// is "" if the driver accepts the value unchanged.
func (g *generator) writer(t ir.Type) string {
	switch g.Module.Engine {
	case ir.SQLite:
		switch t.Kind {
		case ir.Bool:
			return "rt.bit"
		case ir.Decimal, ir.UUID, ir.Date, ir.Time, ir.TimeTZ:
			return "rt.to_text"
		case ir.Timestamp, ir.TimestampTZ:
			return "rt.to_moment"
		}
		return ""
	case ir.Postgres:
		switch t.Kind {
		case ir.Text, ir.JSON:
			return ""
		case ir.EnumKind:
			return "_write_" + ir.NewName(g.EnumType(t.Ref)).Snake()
		case ir.StructKind:
			return "_write_" + ir.NewName(g.StructType(t.Ref)).Snake()
		case ir.List, ir.Array:
			for t.Kind == ir.List || t.Kind == ir.Array {
				t = *t.Elem
			}
			f := g.writer(t)
			if f == "" {
				f = "rt.to_text"
			}
			return "rt.to_array(" + f + ")"
		}
		return "rt.to_text"
	}
	if emit.OnlyFromText(t) {
		return "rt.to_text"
	}
	switch t.Kind {
	case ir.EnumKind:
		return "_write_" + ir.NewName(g.EnumType(t.Ref)).Snake()
	case ir.StructKind:
		return "_write_" + ir.NewName(g.StructType(t.Ref)).Snake()
	// These values are passed as text. DuckDB's driver would refuse a time of day with an offset
	// west of Greenwich.
	case ir.Interval, ir.TimeTZ:
		return "rt.to_text"
	case ir.Float32, ir.Float64:
		if g.Module.Engine == ir.DuckDB {
			return "rt.to_float"
		}
	case ir.List, ir.Array:
		if f := g.writer(*t.Elem); f != "" {
			return "rt.to_list(" + f + ")"
		}
	case ir.Map:
		k, v := g.writer(*t.Key), g.writer(*t.Elem)
		for _, f := range []*string{&k, &v} {
			if *f == "" {
				*f = "rt.plain"
			}
		}
		return "rt.to_map(" + k + ", " + v + ")"
	}
	return ""
}

func (g *generator) write(v string, t ir.Type, nullable bool) string {
	f := g.writer(t)
	switch {
	case f == "":
		return v
	case nullable:
		return "rt.opt(" + f + ", " + v + ")"
	}
	return f + "(" + v + ")"
}

func (g *generator) bind(p *ir.Param, v string) string {
	if g.Module.Engine != ir.SQLite || p.Binding != ir.BindJSON {
		return g.write(v, p.Type, p.Nullable)
	}
	items := v
	if f := g.writer(*p.Type.Elem); f != "" {
		items = "[rt.opt(" + f + ", e) for e in " + v + "]"
	}
	if p.Nullable {
		return "None if " + v + " is None else rt.json_list(" + items + ")"
	}
	return "rt.json_list(" + items + ")"
}

// functions writes several parts of the Python code: the SQL texts, the functions that read rows,
// and the functions that read and write structs.
func (g *generator) functions() {
	w := &g.w
	if len(g.Queries) > 0 {
		w.Blank()
	}
	for _, q := range g.Queries {
		w.Line("_SQL_%s = %s", q.Method, block(g.sql(q)))
		if q.Arrow != "" && g.ArrowSQL(q) != g.sql(q) {
			w.Line("_SQL_%s = %s", q.Arrow, block(g.ArrowSQL(q)))
		}
	}
	for _, q := range g.Queries {
		if q.Pluck && q.Verb == ir.VerbQuery {
			g.valueReader(q)
		}
	}
	for _, e := range g.Module.Enums {
		w.Line("")
		w.Line("")
		w.Indented("def _write_"+ir.NewName(g.EnumType(e.Ref)).Snake()+"(v: "+g.EnumType(e.Ref)+") -> str:", func() {
			w.Line("label: str = v.value")
			w.Line("return label")
		})
	}
	for _, s := range g.Module.Structs {
		name := g.StructType(s.Ref)
		snake := ir.NewName(name).Snake()
		w.Line("")
		w.Line("")
		w.Indented("def _read_"+snake+"(v: Any) -> "+name+":", func() {
			w.Line("f = rt.fields(v)")
			w.Indented("return "+name+"(", func() {
				for i, f := range s.Fields {
					w.Line("%s=%s,", emit.Field(emit.Python, f.Name), g.read(fmt.Sprintf("f[%d]", i), f.Type, f.Nullable, true))
				}
			})
			w.Line(")")
		})
		w.Line("")
		w.Line("")
		open, end, key, typ := "return {", "}", func(f ir.Field) string { return quote(f.Name.Original) + ": " }, "dict[str, Any]"
		if g.Module.Engine == ir.Postgres {
			open, end, key, typ = "return rt.to_fields([", "])", func(ir.Field) string { return "" }, "str"
		}
		w.Indented("def _write_"+snake+"(v: "+name+") -> "+typ+":", func() {
			w.Block(open, end, func() {
				for _, f := range s.Fields {
					w.Line("%s%s,", key(f), g.write("v."+emit.Field(emit.Python, f.Name), f.Type, f.Nullable))
				}
			})
		})
	}
	if g.Module.Engine == ir.DuckDB && len(g.Tables) > 0 {
		for _, s := range g.Module.Structs {
			g.arrowStruct(s)
		}
	}
	for _, r := range g.Module.Rows {
		g.rowReaders(r)
	}
}

// sql returns the SQL of a query for Python. It is changed so that some columns are returned as
// text, because the driver would lose information. Statements with such columns that cannot be
// wrapped in a SELECT for that are refused. DuckDB's driver would convert an INTERVAL to a
// timedelta, in which a month has 30 days, and infinite dates to the year 9999. In Scoter's
// results, which are JSON, the content of a JSON column would be a part of the result's JSON.
func (g *generator) sql(q *emit.Query) string {
	switch {
	case !q.ReadOnly:
	case g.Module.Engine == ir.DuckDB:
		return g.PythonSQL(q)
	case g.Module.Engine == ir.Scoter:
		return g.TextSQL(q, []ir.Kind{ir.JSON}, ir.Interval, ir.JSON, ir.Blob)
	}
	return q.SQL.Text
}
