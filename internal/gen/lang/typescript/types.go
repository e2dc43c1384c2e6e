package typescript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// types writes the TypeScript types for the enums, structs and row types of the module.
func (g *generator) types() {
	w := &g.w
	for _, e := range g.Module.Enums {
		w.Blank()
		name := g.EnumType(e.Ref)
		g.doc(e.Doc, "")
		var labels []string
		for _, v := range e.Values {
			labels = append(labels, quote(v.Value))
		}
		w.Line("export const %sValues = [%s] as const;", name, strings.Join(labels, ", "))
		w.Line("export type %s = (typeof %sValues)[number];", name, name)
		w.Line("/** Whether a label is known: a database may have got new ones since this was generated. */")
		w.Line("export const is%s = (v: string): v is %s => (%sValues as readonly string[]).includes(v);", name, name, name)
	}
	for _, s := range g.Module.Structs {
		w.Blank()
		w.Block("export interface "+g.StructType(s.Ref)+" {", "}", func() {
			for _, f := range s.Fields {
				w.Line("%s: %s;", property(f.Name.Original), g.nullable(g.tsType(f.Type), f.Nullable))
			}
		})
	}
	for _, r := range g.Module.Rows {
		w.Blank()
		w.Block("export interface "+g.RowType(r.Ref)+" {", "}", func() {
			queried := g.queried(&r)
			for _, c := range r.Columns {
				typ := g.nullable(g.inputType(c.Type), c.Nullable)
				if queried {
					typ = g.resultType(c.Type, c.Nullable)
				}
				w.Line("%s: %s;", property(c.Name.Original), typ)
			}
		})
	}
	for _, q := range g.Queries {
		if q.Batch == "" {
			continue
		}
		w.Blank()
		w.Block("export interface "+q.BatchRow+" {", "}", func() {
			for i, p := range q.Params {
				w.Line("%s: %s;", q.Args[i], g.nullable(g.paramType(p.Type), p.Nullable))
			}
		})
	}
}

// property returns the name of a member for a TypeScript type declaration. It is quoted unless it
// is an identifier in ASCII.
func property(name string) string {
	for i, r := range name {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return quote(name)
		}
	}
	if name == "" || name == "__proto__" {
		return "[" + quote(name) + "]"
	}
	return name
}

// member returns a TypeScript expression that accesses the member of v with the given name.
func member(v, name string) string {
	if p := property(name); p == name {
		return v + "." + name
	}
	return v + "[" + quote(name) + "]"
}

func (g *generator) nullable(t string, nullable bool) string {
	if nullable && t != "unknown" {
		return t + " | null"
	}
	return t
}

// paramType returns the TypeScript type of a value of type t that users pass to a generated method.
// It is the same as in results, except that lists may be read-only.
func (g *generator) paramType(t ir.Type) string {
	if given := g.inputType(t); given != g.tsType(t) {
		return given
	}
	if t.Kind == ir.List || t.Kind == ir.Array {
		return "readonly " + g.tsType(t)
	}
	return g.tsType(t)
}

func (g *generator) tsType(t ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "boolean"
	case ir.Int64:
		if g.Module.Engine == ir.SQLite && !g.safe {
			return "number"
		}
		return "bigint"
	case ir.Int128, ir.Uint64, ir.Uint128:
		return "bigint"
	case ir.Int8, ir.Int16, ir.Int32, ir.Uint8, ir.Uint16, ir.Uint32:
		if g.Module.Engine == ir.SQLite && g.safe {
			return "bigint"
		}
		return "number"
	case ir.Float32, ir.Float64:
		return "number"
	case ir.Decimal:
		if g.Module.Engine == ir.SQLite {
			return "number"
		}
		return "string"
	case ir.Blob:
		return "Uint8Array"
	case ir.Interval:
		return "rt.Interval"
	case ir.EnumKind:
		return g.EnumType(t.Ref)
	case ir.StructKind:
		return g.StructType(t.Ref)
	case ir.List, ir.Array:
		return arrayOf(g.nullable(g.tsType(*t.Elem), t.ElemNullable))
	case ir.Map:
		return "Map<" + g.tsType(*t.Key) + ", " + g.nullable(g.tsType(*t.Elem), t.ElemNullable) + ">"
	case ir.Any:
		return "unknown"
	default:
		return "string"
	}
}

// reader returns the TypeScript function that converts a value of type t as the driver returns it,
// or "" if no conversion is necessary. Generated code never calls it with null.
func (g *generator) reader(t ir.Type) string {
	switch g.Module.Engine {
	case ir.SQLite:
		return g.sqliteReader(t)
	case ir.Postgres:
		return g.postgresReader(t)
	case ir.Scoter:
		return g.jsonReader(t)
	default:
		return g.duckReader(t)
	}
}

func (g *generator) sqliteReader(t ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "rt.bool"
	case ir.Float32, ir.Float64, ir.Decimal:
		if g.safe {
			return "rt.number"
		}
	case ir.Int8, ir.Int16, ir.Int32, ir.Int64:
		if g.safe && g.Target.Driver == "libsql" {
			return "rt.bigint"
		}
	case ir.Int128, ir.Uint64, ir.Uint128:
		return "rt.bigint"
	case ir.Blob:
		return "rt.blob"
	case ir.Date:
		return "rt.dateText"
	case ir.Time:
		return "rt.timeText"
	case ir.Timestamp, ir.TimestampTZ:
		return "rt.timestampText"
	}
	return ""
}

func (g *generator) duckReader(t ir.Type) string {
	switch t.Kind {
	case ir.Text:
		if t.Native != "VARCHAR" {
			return "rt.text"
		}
	case ir.Decimal, ir.UUID, ir.Time, ir.TimeTZ:
		return "rt.text"
	case ir.Date:
		return "rt.date"
	case ir.Timestamp:
		return "rt.timestamp"
	case ir.TimestampTZ:
		return "rt.instant"
	case ir.Interval:
		return "rt.interval"
	case ir.Blob:
		return "rt.blob"
	case ir.StructKind:
		return "read" + g.StructType(t.Ref)
	case ir.List, ir.Array:
		return "rt.list(" + g.element(*t.Elem, t.ElemNullable) + ")"
	case ir.Map:
		return "rt.map(" + g.element(*t.Key, false) + ", " + g.element(*t.Elem, t.ElemNullable) + ")"
	case ir.Any:
		return "rt.any"
	}
	return ""
}

func (g *generator) jsonReader(t ir.Type) string {
	switch t.Kind {
	case ir.Float32, ir.Float64:
		return "rt.number"
	case ir.Int64, ir.Int128, ir.Uint64, ir.Uint128:
		return "rt.bigint"
	case ir.Decimal:
		return "rt.str"
	case ir.Blob:
		return "rt.blob"
	case ir.Interval:
		return "rt.interval"
	case ir.StructKind, ir.List, ir.Array, ir.Map:
		return g.duckReader(t)
	}
	return ""
}

func (g *generator) postgresReader(t ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "rt.bool"
	case ir.Int8, ir.Int16, ir.Int32, ir.Uint8, ir.Uint16, ir.Uint32, ir.Float32, ir.Float64:
		return "rt.number"
	case ir.Int64, ir.Int128, ir.Uint64, ir.Uint128:
		return "rt.bigint"
	case ir.Blob:
		return "rt.blob"
	case ir.Date:
		return "rt.date"
	case ir.Timestamp:
		return "rt.timestamp"
	case ir.TimestampTZ:
		return "rt.instant"
	case ir.Interval:
		return "rt.interval"
	case ir.StructKind:
		return "read" + g.StructType(t.Ref)
	case ir.List, ir.Array:
		elem := innermost(t)
		if f := g.reader(elem); f != "" {
			return "rt.list(" + f + ")"
		}
		return "rt.list(rt.str)"
	}
	return ""
}

// innermost returns the type of the elements in a list of lists of any depth. It is for PostgreSQL,
// which has arrays of several dimensions, but not arrays of arrays.
func innermost(t ir.Type) ir.Type {
	for t.Kind == ir.List || t.Kind == ir.Array {
		t = *t.Elem
	}
	return t
}

// element returns the TypeScript function that converts an element of a list, or a value of a map.
// t is the type of the element or value. If nullable is set, the function also accepts null.
func (g *generator) element(t ir.Type, nullable bool) string {
	f := g.reader(t)
	switch {
	case f == "":
		return "(e) => e as " + g.nullable(g.tsType(t), nullable)
	case nullable:
		return "(e) => rt.opt(e, " + f + ")"
	}
	return "(e) => " + f + "(e)"
}

// read returns a TypeScript expression that converts v, a value of type t as the driver returns it.
func (g *generator) read(v string, t ir.Type, nullable bool) string {
	if g.usesDriverValues() {
		return v + " as unknown as " + g.resultType(t, nullable)
	}
	f := g.reader(t)
	typ := g.nullable(g.tsType(t), nullable)
	if g.Module.Engine == ir.Postgres {
		// In PostgreSQL's text form, every value is text or null. The functions that read lists
		// return elements that may be null, so their result is cast to the declared type.
		listed := t.Kind == ir.List || t.Kind == ir.Array
		switch {
		case f == "":
			return v + " as " + typ
		case nullable && listed:
			return "rt.opt(" + v + ", " + f + ") as " + typ
		case nullable:
			return "rt.opt(" + v + ", " + f + ")"
		case listed:
			return f + "(" + v + " as string) as " + typ
		}
		return f + "(" + v + " as string)"
	}
	switch {
	case f == "" && typ == "unknown":
		return v
	case f == "":
		return v + " as " + typ
	case nullable:
		return "rt.opt(" + v + ", " + f + ")"
	case g.Module.Engine == ir.DuckDB:
		return f + "(" + v + " as rt.duck.DuckDBValue)"
	}
	return f + "(" + v + ")"
}

// The method reads reports whether generated code needs a function that converts the driver's rows
// into rows of type r. SQLite's driver returns some rows in the declared form already, so that none
// is needed.
func (g *generator) reads(r *ir.Row) bool {
	used := g.queried(r)
	if !used || g.Module.Engine != ir.SQLite {
		return used
	}
	for _, c := range r.Columns {
		if g.reader(c.Type) != "" {
			return true
		}
	}
	return false
}

// queried reports whether rows of type r are the result of a query.
func (g *generator) queried(r *ir.Row) bool {
	return slices.ContainsFunc(g.Queries, func(q *emit.Query) bool { return q.Row == r.Ref })
}

func (g *generator) rawRow() string {
	switch g.Module.Engine {
	case ir.SQLite, ir.Scoter:
		return "rt.Raw"
	case ir.Postgres:
		return "rt.Text[]"
	}
	return "rt.duck.DuckDBValue[]"
}

// at returns a TypeScript expression for the value that the driver returns for column i of a row.
func (g *generator) at(i int, c ir.Column) string {
	if g.Module.Engine == ir.SQLite || g.Module.Engine == ir.Scoter {
		return "r[" + quote(c.Name.Original) + "]"
	}
	return fmt.Sprintf("r[%d]", i)
}

func (g *generator) readRow(name string, columns []ir.Column) {
	g.w.Blank()
	g.w.Block("function to"+name+"(r: "+g.rawRow()+"): "+name+" {", "}", func() {
		g.w.Block("return {", "};", func() {
			for i, c := range columns {
				g.w.Line("%s: %s,", property(c.Name.Original), g.read(g.at(i, c), c.Type, c.Nullable))
			}
		})
	})
}

// result returns the TypeScript type of a query's result, and the function that converts a row of
// the driver into it. The function is "" if no conversion is necessary.
func (g *generator) result(q *emit.Query) (row, read string) {
	if !q.Pluck {
		row = g.RowType(q.Row)
		if g.reads(g.Module.Row(q.Row)) {
			return row, "to" + row
		}
		return row, ""
	}
	c := q.Columns[0]
	return g.resultType(c.Type, c.Nullable), "(r) => " + g.read(g.at(0, c), c.Type, c.Nullable)
}

// structs writes the TypeScript functions that read and write values of the struct s.
func (g *generator) structs(s *ir.Struct) {
	w, name := &g.w, g.StructType(s.Ref)
	value := map[ir.Engine]string{ir.DuckDB: "rt.duck.DuckDBValue", ir.Postgres: "string", ir.Scoter: "unknown"}[g.Module.Engine]
	if !g.usesDriverValues() {
		g.readStruct(s, value)
	}
	if g.Module.Engine == ir.Scoter { // parameters of Scoter are JSON, so they need no conversion
		g.packStruct(s)
		return
	}
	w.Blank()
	w.Block("export function write"+name+"(v: "+name+"): "+value+" {", "}", func() {
		open, end := "return new rt.duck.DuckDBStructValue({", "});"
		if g.Module.Engine == ir.Postgres {
			open, end = "return rt.toFields([", "]);"
		}
		w.Block(open, end, func() {
			for _, f := range s.Fields {
				key := property(f.Name.Original) + ": "
				if g.Module.Engine == ir.Postgres {
					key = ""
				}
				w.Line("%s%s,", key, g.write(member("v", f.Name.Original), f.Type, f.Nullable))
			}
		})
	})
}

// readStruct writes the TypeScript function that reads a value of the struct s.
func (g *generator) readStruct(s *ir.Struct, value string) {
	w, name := &g.w, g.StructType(s.Ref)
	w.Blank()
	w.Block("export function read"+name+"(v: "+value+"): "+name+" {", "}", func() {
		// Fields are read by name. The members of a JavaScript object are not in the order of the
		// fields: members with numbers as names come before all others.
		field := func(i int) string { return "f[" + quote(s.Fields[i].Name.Original) + "]" }
		switch g.Module.Engine {
		case ir.Postgres:
			w.Line("const f = rt.fields(v);")
			field = func(i int) string { return fmt.Sprintf("f[%d]", i) }
		case ir.Scoter:
			w.Line("const f = v as rt.Raw;")
		default:
			w.Line("const f = (v as rt.duck.DuckDBStructValue).entries;")
		}
		w.Block("return {", "};", func() {
			for i, f := range s.Fields {
				w.Line("%s: %s,", property(f.Name.Original), g.read(field(i), f.Type, f.Nullable))
			}
		})
	})
}
