package golang

import (
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// packBulk writes the Go method of a bulk operation for Scoter. The method sends the rows as
// MessagePack columns, and contains the code that packs them.
func (g *generator) packBulk(t *emit.Table, op *emit.Op) {
	var columns []string
	for _, c := range op.Row.Columns {
		columns = append(columns, emit.Quote(emit.Go, c.Name.Original))
	}
	w := &g.w
	w.Blank()
	w.Block("var bulk"+g.Class+op.Method+" = scHTTPRows["+op.RowType+"]{", "}", func() {
		w.Line("name: %s,", quote(op.Method))
		w.Line("path: %s,", quote(emit.RowsPath(t.Table, op.Op)))
		w.Line("columns: []string{%s},", strings.Join(columns, ", "))
		w.Block("pack: func(c []scPack, r "+op.RowType+") {", "},", func() {
			for i, c := range op.Row.Columns {
				w.Line("%s", g.packed(fmt.Sprintf("&c[%d]", i), "r."+emit.Field(emit.Go, c.Name), c.Type, c.Nullable))
			}
		})
	})
}

// packers are the functions of the runtime library that write a value as MessagePack, by kind.
var packers = map[ir.Kind]string{
	ir.Bool: "scPackBool", ir.Int128: "scPackBig", ir.Uint128: "scPackBig", ir.Float32: "scPackFloat[float32]", ir.Float64: "scPackFloat[float64]",
	ir.Decimal: "scPackText[Decimal]", ir.Text: "scPackText[string]", ir.TimeTZ: "scPackText[string]", ir.JSON: "scPackJSON", ir.Blob: "scPackBlob",
	ir.UUID: "scPackUUID", ir.Date: "scPackDay", ir.Time: "scPackClock", ir.Timestamp: "scPackTime", ir.TimestampTZ: "scPackTime",
	ir.Interval: "scPackInterval", ir.Any: "scPackAny",
}

// packer returns the Go function that writes a value of type t as MessagePack.
func (g *generator) packer(t ir.Type, nullable bool) string {
	switch {
	case nullable && !nilIsNull(t), t.Kind == ir.List, t.Kind == ir.Array, t.Kind == ir.Map:
		return "func(p *scPack, v " + g.nullable(t, nullable) + ") { " + g.packed("p", "v", t, nullable) + " }"
	case t.Kind == ir.EnumKind:
		return "scPackText[" + g.EnumType(t.Ref) + "]"
	case t.Kind == ir.StructKind:
		return "scPack" + g.StructType(t.Ref)
	}
	if f, ok := packers[t.Kind]; ok {
		return f
	}
	return "scPackInt[" + g.goType(t) + "]"
}

// packed returns Go code that writes the value v, of type t, as MessagePack to p.
func (g *generator) packed(p, v string, t ir.Type, nullable bool) string {
	switch {
	case t.Kind == ir.List || t.Kind == ir.Array:
		return "scPackList(" + p + ", " + v + ", " + g.packer(*t.Elem, t.ElemNullable) + ")"
	case t.Kind == ir.Map:
		return "scPackMap(" + p + ", " + v + ", " + g.packer(*t.Key, false) + ", " + g.packer(*t.Elem, t.ElemNullable) + ")"
	case nullable && !nilIsNull(t):
		return "scPackNull(" + p + ", " + v + ", " + g.packer(t, false) + ")"
	}
	f, _, _ := strings.Cut(g.packer(t, false), "[")
	return f + "(" + p + ", " + v + ")"
}

// packStruct writes the Go function that writes the struct s as a MessagePack map of its fields.
func (g *generator) packStruct(s ir.Struct) {
	name := g.StructType(s.Ref)
	w := &g.w
	w.Blank()
	w.Block("func scPack"+name+"(p *scPack, v "+name+") {", "}", func() {
		w.Line("p.header(0x80, 0xdf, %d)", len(s.Fields))
		for _, f := range s.Fields {
			w.Line("scPackText(p, %s)", emit.Quote(emit.Go, f.Name.Original))
			w.Line("%s", g.packed("p", "v."+emit.Field(emit.Go, f.Name), f.Type, f.Nullable))
		}
	})
}
