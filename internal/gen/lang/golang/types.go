package golang

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

func (g *generator) declarations() {
	w := &g.w
	for _, e := range g.Module.Enums {
		name := g.EnumType(e.Ref)
		w.Blank()
		g.doc(name, e.Doc, "is a label of "+emit.DocText(emit.Go, e.Name.Original)+".")
		w.Line("type %s string", name)
		w.Blank()
		w.Line("// The labels of %s when this was generated.", name)
		w.Block("const (", ")", func() {
			for _, v := range e.Values {
				w.Line("%s %s = %s", enumConstant(g.Plan, e, v), name, emit.Quote(emit.Go, v.Value))
			}
		})
		w.Blank()
		w.Line("// Valid reports whether the label is known: the database may have new ones.")
		w.Block("func (e "+name+") Valid() bool {", "}", func() {
			w.Block("switch e {", "}", func() {
				var labels []string
				for _, v := range e.Values {
					labels = append(labels, enumConstant(g.Plan, e, v))
				}
				w.Line("case %s:", strings.Join(labels, ", "))
				w.Line("\treturn true")
			})
			w.Line("return false")
		})
	}
	for _, s := range g.Module.Structs {
		name := g.StructType(s.Ref)
		w.Blank()
		w.Line("// %s is a value of %s.", name, emit.DocText(emit.Go, s.Name.Original))
		w.Block("type "+name+" struct {", "}", func() {
			for _, f := range s.Fields {
				w.Line("%s %s", emit.Field(emit.Go, f.Name), g.nullable(f.Type, f.Nullable))
			}
		})
	}
	for _, r := range g.Module.Rows {
		name := g.RowType(r.Ref)
		w.Blank()
		w.Line("// %s is a row.", name)
		w.Block("type "+name+" struct {", "}", func() {
			for _, c := range r.Columns {
				w.Line("%s %s", emit.Field(emit.Go, c.Name), g.nullable(c.Type, c.Nullable))
			}
		})
	}
	for _, q := range g.Queries {
		if q.Batch == "" {
			continue
		}
		w.Blank()
		w.Line("// %s are the parameters of %s.", q.BatchRow, q.Method)
		w.Block("type "+q.BatchRow+" struct {", "}", func() {
			for i, p := range q.Params {
				w.Line("%s %s", g.batchField(q, i), g.nullable(p.Type, p.Nullable))
			}
		})
	}
}

func (g *generator) batchField(q *emit.Query, i int) string {
	return emit.Field(emit.Go, q.Params[i].Name)
}

var simple = map[ir.Kind]struct{ typ, read string }{
	ir.Bool: {"bool", "scBool"}, ir.Int8: {"int8", "scInt[int8]"}, ir.Int16: {"int16", "scInt[int16]"}, ir.Int32: {"int32", "scInt[int32]"},
	ir.Int64: {"int64", "scInt[int64]"}, ir.Uint8: {"uint8", "scInt[uint8]"}, ir.Uint16: {"uint16", "scInt[uint16]"}, ir.Uint32: {"uint32", "scInt[uint32]"},
	ir.Uint64: {"uint64", "scInt[uint64]"}, ir.Int128: {"*big.Int", "scBig"}, ir.Uint128: {"*big.Int", "scBig"}, ir.Float32: {"float32", "scFloat32"},
	ir.Float64: {"float64", "scFloat64"}, ir.Decimal: {"Decimal", "scDecimal"}, ir.Text: {"string", "scText"}, ir.Blob: {"[]byte", "scBlob"},
	ir.UUID: {"UUID", "scUUID"}, ir.Date: {"time.Time", "scDay"}, ir.Time: {"time.Duration", "scClock"}, ir.TimeTZ: {"string", "scZoned"},
	ir.Timestamp: {"time.Time", "scTime"}, ir.TimestampTZ: {"time.Time", "scTime"}, ir.Interval: {"Interval", "scInterval"},
	ir.JSON: {"json.RawMessage", "scJSON"}, ir.Any: {"any", "scAny"},
}

// nilIsNull reports whether the Go type for t has the value nil, so that nil can stand for NULL.
func nilIsNull(t ir.Type) bool {
	switch t.Kind {
	case ir.Int128, ir.Uint128, ir.Blob, ir.JSON, ir.Any, ir.List, ir.Array, ir.Map:
		return true
	}
	return false
}

func (g *generator) nullable(t ir.Type, nullable bool) string {
	if nullable && !nilIsNull(t) {
		return "*" + g.goType(t)
	}
	return g.goType(t)
}

func (g *generator) goType(t ir.Type) string {
	switch t.Kind {
	case ir.EnumKind:
		return g.EnumType(t.Ref)
	case ir.StructKind:
		return g.StructType(t.Ref)
	case ir.List, ir.Array:
		return "[]" + g.nullable(*t.Elem, t.ElemNullable)
	case ir.Map:
		return "map[" + g.goType(*t.Key) + "]" + g.nullable(*t.Elem, t.ElemNullable)
	}
	return simple[t.Kind].typ
}

// reader returns the name of the Go function that converts a value as the driver returns it into a
// value of the Go type for t.
func (g *generator) reader(t ir.Type) string {
	switch t.Kind {
	case ir.EnumKind:
		return "scString[" + g.EnumType(t.Ref) + "]"
	case ir.StructKind:
		return "scRead" + g.StructType(t.Ref)
	case ir.List, ir.Array:
		if t.ElemNullable && !nilIsNull(*t.Elem) {
			return "scListNull(" + g.reader(*t.Elem) + ")"
		}
		return "scList(" + g.reader(*t.Elem) + ")"
	case ir.Blob, ir.Interval:
		switch {
		case g.Module.Engine == ir.SQLite && t.Kind == ir.Blob:
			return "scContent"
		case g.Module.Engine == ir.Scoter:
			return map[ir.Kind]string{ir.Blob: "scJSONBlob", ir.Interval: "scJSONInterval"}[t.Kind]
		}
	case ir.Map:
		value := g.reader(*t.Elem)
		if t.ElemNullable && !nilIsNull(*t.Elem) {
			value = "scPointer(" + value + ")"
		}
		return "scMap(" + g.reader(*t.Key) + ", " + value + ")"
	}
	return simple[t.Kind].read
}

func (g *generator) read(t ir.Type, nullable bool) string {
	switch {
	case nullable && !nilIsNull(t):
		return "scNull(d, " + g.reader(t) + ")"
	case nullable || t.Kind == ir.Any:
		return "scMay(d, " + g.reader(t) + ")"
	}
	return "scGet(d, " + g.reader(t) + ")"
}

func (g *generator) result(q *emit.Query) (row, read string) {
	if q.Pluck {
		c := q.Columns[0]
		row = g.nullable(c.Type, c.Nullable)
		return row, "func(d *scDecoder) " + row + " { return " + g.read(c.Type, c.Nullable) + " }"
	}
	row = g.RowType(q.Row)
	return row, "scRow" + row
}

func (g *generator) readers() {
	w := &g.w
	used := map[string]bool{}
	for _, q := range g.Queries {
		used[q.Row] = true
	}
	for _, r := range g.Module.Rows {
		if !used[r.Ref] {
			continue
		}
		name := g.RowType(r.Ref)
		w.Blank()
		w.Block("func scRow"+name+"(d *scDecoder) "+name+" {", "}", func() {
			w.Block("return "+name+"{", "}", func() {
				for _, c := range r.Columns {
					w.Line("%s: %s,", emit.Field(emit.Go, c.Name), g.read(c.Type, c.Nullable))
				}
			})
		})
	}
	for _, s := range g.Module.Structs {
		name := g.StructType(s.Ref)
		var names, values []string
		for _, f := range s.Fields {
			names = append(names, emit.Quote(emit.Go, f.Name.Original))
			values = append(values, "v."+emit.Field(emit.Go, f.Name))
		}
		w.Blank()
		w.Block("func scRead"+name+"(raw any) ("+name+", error) {", "}", func() {
			w.Line("d, err := scFieldsOf(raw, %s)", strings.Join(names, ", "))
			w.Block("if err != nil {", "}", func() { w.Line("return %s{}, err", name) })
			w.Block("v := "+name+"{", "}", func() {
				for _, f := range s.Fields {
					w.Line("%s: %s,", emit.Field(emit.Go, f.Name), g.read(f.Type, f.Nullable))
				}
			})
			w.Line("return v, d.err")
		})
		w.Blank()
		w.Block("func (v "+name+") scFields() ([]string, []any) {", "}", func() {
			w.Line("return []string{%s}, []any{%s}", strings.Join(names, ", "), strings.Join(values, ", "))
		})
		if kind := g.copyKind(ir.Type{Kind: ir.StructKind, Ref: s.Ref}); g.Module.Engine == ir.Postgres && len(g.Tables) > 0 && kind != "" {
			g.copyStruct(s)
		}
		if kind := duckKind(g.Module, ir.Type{Kind: ir.StructKind, Ref: s.Ref}); g.Module.Engine == ir.DuckDB && len(g.Tables) > 0 && kind != "" {
			g.duckStruct(s)
		}
		if g.Module.Engine == ir.DuckDB && len(g.Tables) > 0 {
			g.duckFields(s)
		}
		if g.Module.Engine == ir.Scoter && len(g.Tables) > 0 {
			g.packStruct(s)
		}
	}
}

// writer returns the name of the Go function that converts a value of type t for SQLite's driver.
// It is "" if the driver accepts the value unchanged.
func writer(t ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "scBit"
	case ir.Date:
		return "scDateText"
	case ir.Timestamp, ir.TimestampTZ:
		return "scMomentText"
	case ir.Time:
		return "scTimeText"
	case ir.UUID:
		return "scStringText"
	case ir.JSON:
		return "scJSONText"
	case ir.Blob:
		return "scBytes"
	}
	return ""
}

// write returns a Go expression that converts the value v, of type t, for the driver.
func (g *generator) write(v string, t ir.Type, nullable bool) string {
	switch g.Module.Engine {
	case ir.Postgres:
		return "scPG(" + v + ")"
	case ir.SQLite:
		f := writer(t)
		switch {
		case t.Kind == ir.Decimal && nullable:
			return "(*string)(" + v + ")"
		case t.Kind == ir.Decimal:
			return "string(" + v + ")"
		case f == "":
			return v
		case nullable && !nilIsNull(t):
			return "scOpt(" + v + ", " + f + ")"
		}
		return f + "(" + v + ")"
	}
	if g.Module.Engine == ir.Scoter {
		return "scWire(" + v + ")"
	}
	return g.duckValue(v, t, nullable)
}

// bind returns a Go expression that converts v, the value of a parameter, for the driver. If the
// parameter is not nullable and its value is nil, the generated code returns an error, except for
// an IN list: nil means the empty list there.
func (g *generator) bind(p *ir.Param, v string) string {
	switch {
	case p.Nullable || !nilIsNull(p.Type) || p.Binding == ir.BindJSON:
		return g.bound(p, v)
	case p.In:
		return g.bound(p, "scSome("+v+")")
	}
	return "scNeeded(" + emit.Quote(emit.Go, p.Name.Original) + ", " + g.bound(p, v) + ")"
}

func (g *generator) bound(p *ir.Param, v string) string {
	switch {
	case g.duck() && emit.Nested(p.Type):
		return "scJSONNested(" + v + ")"
	case g.duck() && (emit.AsText(p.Type) || p.Type.Kind == ir.JSON):
		return "scDuckDB(" + v + ")"
	case g.Module.Engine != ir.SQLite || p.Binding != ir.BindJSON:
		return g.write(v, p.Type, p.Nullable)
	}
	f := writer(*p.Type.Elem)
	elem := g.goType(*p.Type.Elem)
	switch {
	case f == "":
		f = "scPlain"
	case p.Type.ElemNullable && !nilIsNull(*p.Type.Elem):
		f = "func(v *" + elem + ") any { return scOpt(v, " + f + ") }"
	}
	return "scJSONList(" + v + ", " + f + ")"
}

func (g *generator) bulks() {
	for _, t := range g.Tables {
		for _, op := range t.Ops {
			g.bulkOf(t, op)
		}
	}
}

func (g *generator) bulkOf(t *emit.Table, op *emit.Op) {
	w, b := &g.w, op.Bulk
	order := b.RowOrder
	if order == nil {
		for i := range b.Columns {
			order = append(order, i)
		}
	}
	var values []string
	for _, i := range order {
		c := op.Row.Columns[i]
		values = append(values, g.write("r."+emit.Field(emit.Go, c.Name), c.Type, c.Nullable))
	}
	if g.Module.Engine == ir.Postgres {
		g.pgxBulk(t, op, values)
		return
	}
	if g.Module.Engine == ir.DuckDB {
		g.duckBulk(t, op, values)
		return
	}
	if g.Module.Engine == ir.Scoter {
		g.packBulk(t, op)
		return
	}
	w.Blank()
	w.Block("var bulk"+g.Class+op.Method+" = scBulk["+op.RowType+"]{", "}", func() {
		w.Line("name: %s,", quote(op.Method))
		w.Line("row: %s,", quote(b.Row))
		w.Block("values: func(r "+op.RowType+") []any {", "},", func() { w.Line("return []any{%s}", strings.Join(values, ", ")) })
		w.Line("size: %d,", len(values))
		if before, behind, ok := b.MultiRow(); ok {
			w.Line("before: %s, behind: %s,", quote(before), quote(behind))
		}
	})
}

// duck reports whether the SQL of the module is in DuckDB's dialect.
func (g *generator) duck() bool { return g.Module.Engine == ir.DuckDB || g.Module.Engine == ir.Scoter }
