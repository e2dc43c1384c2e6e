package java

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// declarations writes the Java types for the enums, structs, row types and parameter sets of the
// module.
func (g *generator) declarations() {
	w := &g.w
	for _, e := range g.Module.Enums {
		name := g.EnumType(e.Ref)
		w.Blank()
		g.doc(e.Doc, "")
		w.Block("public enum "+name+" {", "}", func() {
			for i, v := range e.Values {
				end := map[bool]string{true: ";", false: ","}[i == len(e.Values)-1]
				w.Line("%s(%s)%s", emit.Identifier(emit.Java, v.Name.Screaming()), quote(v.Value), end)
			}
			w.Blank()
			w.Line("private final String value;")
			w.Blank()
			w.Block(name+"(String value) {", "}", func() { w.Line("this.value = value;") })
			w.Blank()
			w.Line("/** The label in the database. */")
			w.Block("public String getValue() {", "}", func() { w.Line("return value;") })
			w.Blank()
			w.Line("/** Fails for a label that did not exist when this was generated. */")
			w.Block("public static "+name+" fromValue(String value) {", "}", func() {
				w.Block("for ("+name+" v : values()) {", "}", func() {
					w.Block("if (v.value.equals(value)) {", "}", func() { w.Line("return v;") })
				})
				w.Line("throw new IllegalArgumentException(%s + value);", quote("unknown value of "+e.Name.Original+": "))
			})
		})
	}
	record := func(name string, fields []string) {
		w.Blank()
		one := "public record " + name + "(" + strings.Join(fields, ", ") + ") {}"
		if len(one) <= 100 {
			w.Line("%s", one)
			return
		}
		w.Indented("public record "+name+"(", func() {
			for i, f := range fields {
				w.Line("    %s%s", f, map[bool]string{true: ") {}", false: ","}[i == len(fields)-1])
			}
		})
	}
	for _, s := range g.Module.Structs {
		var fields []string
		for _, f := range s.Fields {
			fields = append(fields, g.orNull(g.javaType(f.Type), f.Nullable)+" "+emit.Field(emit.Java, f.Name))
		}
		record(g.StructType(s.Ref), fields)
	}
	for _, r := range g.Module.Rows {
		var fields []string
		for _, c := range r.Columns {
			fields = append(fields, g.component(&r, c)+" "+emit.Field(emit.Java, c.Name))
		}
		record(g.RowType(r.Ref), fields)
	}
	for _, q := range g.Queries {
		if q.BatchRow == "" {
			continue
		}
		var fields []string
		for i, p := range q.Params {
			fields = append(fields, g.orNull(g.javaType(p.Type), p.Nullable)+" "+q.Args[i])
		}
		record(q.BatchRow, fields)
	}
}

var simple = map[ir.Kind]struct{ java, codec string }{
	ir.Bool: {"Boolean", "BOOL"}, ir.Int8: {"Byte", "INT8"}, ir.Int16: {"Short", "INT16"}, ir.Int32: {"Integer", "INT32"}, ir.Int64: {"Long", "INT64"},
	ir.Int128: {"BigInteger", "INT128"}, ir.Uint8: {"Short", "UINT8"}, ir.Uint16: {"Integer", "UINT16"}, ir.Uint32: {"Long", "UINT32"},
	ir.Uint64: {"BigInteger", "UINT64"}, ir.Uint128: {"BigInteger", "UINT128"}, ir.Float32: {"Float", "FLOAT32"}, ir.Float64: {"Double", "FLOAT64"},
	ir.Text: {"String", "TEXT"}, ir.Blob: {"byte[]", "BLOB"}, ir.UUID: {"UUID", "UUID"}, ir.Date: {"LocalDate", "DATE"}, ir.Time: {"LocalTime", "TIME"},
	ir.TimeTZ: {"OffsetTime", "TIMETZ"}, ir.TimestampTZ: {"OffsetDateTime", "TIMESTAMPTZ"}, ir.Interval: {"ScoterInterval", "INTERVAL"},
	ir.JSON: {"String", "JSON"}, ir.Any: {"Object", "ANY"},
}

func (g *generator) javaType(t ir.Type) string {
	switch t.Kind {
	case ir.Decimal:
		return "BigDecimal"
	case ir.Timestamp:
		return "LocalDateTime"
	case ir.EnumKind:
		return g.EnumType(t.Ref)
	case ir.StructKind:
		return g.StructType(t.Ref)
	case ir.List, ir.Array:
		return "List<" + g.orNull(g.javaType(*t.Elem), t.ElemNullable) + ">"
	case ir.Map:
		return "Map<" + g.javaType(*t.Key) + ", " + g.orNull(g.javaType(*t.Elem), t.ElemNullable) + ">"
	}
	return simple[t.Kind].java
}

// primitives are the primitive types of Java, such as int. They are used for fields that are never
// null in the appenders of SQG, the generator that Scoter replaces.
var primitives = map[string]string{
	"Boolean": "boolean", "Byte": "byte", "Short": "short", "Integer": "int", "Long": "long", "Float": "float", "Double": "double",
}

// component returns the Java type of a component of a record: the one for column c of row type r.
func (g *generator) component(r *ir.Row, c ir.Column) string {
	t := g.javaType(c.Type)
	if p := primitives[t]; p != "" && g.Target.Config.SQG && !c.Nullable &&
		slices.ContainsFunc(g.Tables, func(t *emit.Table) bool { return t.InsertRow == r.Ref }) {
		return p
	}
	return g.orNull(t, c.Nullable)
}

// orNull adds the annotation @Nullable of JSpecify to the Java type t, if its values may be null
// and the target enables JSpecify.
func (g *generator) orNull(t string, nullable bool) string {
	if !nullable || !g.Target.Config.JSpecify {
		return t
	}
	if elem, array := strings.CutSuffix(t, "[]"); array {
		return elem + " @Nullable []"
	}
	return "@Nullable " + t
}

// pool collects the codecs (objects that read and write values of a type) that the generated class
// creates once, as constants. Each codec has one name. Its code may use only codecs that were added
// before it.
type pool struct {
	g     *generator
	names map[string]string
	taken *emit.Scope
	lines []string
}

func newPool(g *generator) *pool {
	return &pool{g: g, names: map[string]string{}, taken: emit.NewScope()}
}

// codec returns a Java expression for the codec that reads and writes values of type t.
func (g *generator) codec(t ir.Type) string {
	switch t.Kind {
	case ir.Timestamp:
		if t.Unit == "" || t.Unit == "us" {
			return "ScoterTimeTypes.TIMESTAMP"
		}
		return "ScoterTimeTypes.TIMESTAMP_" + strings.ToUpper(t.Unit)
	case ir.Decimal, ir.EnumKind, ir.StructKind, ir.List, ir.Array, ir.Map:
		return "Types." + g.types.add(t)
	}
	if t.Native == "TIME_NS" && g.Module.Engine == ir.DuckDB {
		return "ScoterTimeTypes.TIME_NS"
	}
	class := "ScoterTypes."
	switch t.Kind {
	case ir.Date, ir.Time, ir.TimeTZ, ir.TimestampTZ, ir.Interval:
		class = "ScoterTimeTypes."
	}
	return class + simple[t.Kind].codec
}

func (p *pool) add(t ir.Type) string {
	g := p.g
	var name, expr string
	label := func(t ir.Type) string {
		c := g.codec(t)
		return c[strings.LastIndexByte(c, '.')+1:]
	}
	switch t.Kind {
	case ir.Decimal:
		name, expr = "DECIMAL", fmt.Sprintf("ScoterTypes.decimal(%d, %d)", t.Precision, t.Scale)
		if t.Precision > 0 {
			name = fmt.Sprintf("DECIMAL_%d_%d", t.Precision, t.Scale)
		}
	case ir.EnumKind:
		e := g.EnumType(t.Ref)
		name, expr = ir.NewName(e).Screaming(), fmt.Sprintf("ScoterTypes.enumeration(%s.values(), %s::getValue)", e, e)
	case ir.List:
		name, expr = "LIST_OF_"+label(*t.Elem), "ScoterTypes.list("+g.codec(*t.Elem)+")"
	case ir.Array:
		name, expr = "ARRAY_OF_"+label(*t.Elem), fmt.Sprintf("ScoterTypes.array(%s, %d)", g.codec(*t.Elem), t.Length)
	case ir.Map:
		name, expr = "MAP_OF_"+label(*t.Key)+"_TO_"+label(*t.Elem), "ScoterTypes.map("+g.codec(*t.Key)+", "+g.codec(*t.Elem)+")"
	case ir.StructKind:
		s := g.Module.Struct(t.Ref)
		java := g.StructType(t.Ref)
		var names, types, make, take []string
		for i, f := range s.Fields {
			names = append(names, quote(f.Name.Original))
			types = append(types, g.codec(f.Type))
			make = append(make, fmt.Sprintf("(%s) f[%d]", g.javaType(f.Type), i))
			take = append(take, "v."+emit.Field(emit.Java, f.Name)+"()")
		}
		name = ir.NewName(java).Screaming()
		expr = fmt.Sprintf("ScoterTypes.struct(\n%s%s,\n%snew String[] {%s},\n%snew ScoterTypes.Type<?>[] {%s},\n%sf -> new %s(%s),\n%sv -> new Object[] {%s})",
			in, quote(s.Native), in, strings.Join(names, ", "), in, strings.Join(types, ", "), in, java, strings.Join(make, ", "), in, strings.Join(take, ", "))
	}
	if have, ok := p.names[expr]; ok {
		return have
	}
	name = p.taken.First("", emit.Identifier(emit.Java, name))
	p.names[expr] = name
	p.lines = append(p.lines, fmt.Sprintf("static final ScoterTypes.Type<%s> %s = %s;", g.javaType(t), name, expr))
	return name
}

const in = "                "

func (p *pool) write(w *emit.Writer) {
	if len(p.lines) == 0 {
		return
	}
	w.Blank()
	w.Block("private static final class Types {", "}", func() {
		for _, l := range p.lines {
			w.Line("%s", l)
		}
	})
}

// arg returns a Java expression that passes the value v and its type to the runtime.
func (g *generator) arg(t ir.Type, v string) string { return g.codec(t) + ".arg(" + v + ")" }

func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// result returns the Java type of a query's result, and the Java function that reads this result
// from a row. The function's parameter has a name that no parameter of a query has.
func (g *generator) result(q *emit.Query) (row, read string) {
	if q.Pluck {
		c := q.Columns[0]
		return g.javaType(c.Type), "row_ -> row_.get(" + g.codec(c.Type) + ", 1)"
	}
	row = g.RowType(q.Row)
	return row, "Read::" + emit.Identifier(emit.Java, lower(row))
}

func (g *generator) readers() {
	w := &g.w
	used := map[string]bool{}
	for _, q := range g.Queries {
		used[q.Row] = true
	}
	w.Blank()
	w.Block("private static final class Read {", "}", func() {
		for _, r := range g.Module.Rows {
			if !used[r.Ref] {
				continue
			}
			name := g.RowType(r.Ref)
			w.Blank()
			w.Block("static "+name+" "+emit.Identifier(emit.Java, lower(name))+"(ScoterTypes.Row r) throws SQLException {", "}", func() {
				w.Indented("return new "+name+"(", func() {
					for i, c := range r.Columns {
						w.Line("    r.get(%s, %d)%s", g.codec(c.Type), i+1, map[bool]string{true: ");", false: ","}[i == len(r.Columns)-1])
					}
				})
			})
		}
	})
}
