package typescript

import (
	"fmt"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// packRow writes the TypeScript code that packs a row into the MessagePack columns of a request to
// Scoter.
func (g *generator) packRow(op *emit.Op) {
	g.w.Block("pack: (to, r) => {", "},", func() {
		for i, c := range op.Row.Columns {
			g.w.Line("%s;", g.packed(fmt.Sprintf("to[%d]!", i), member("r", c.Name.Original), c.Type, c.Nullable))
		}
	})
}

var packers = map[ir.Kind]string{
	ir.Bool: "rt.putBool", ir.Int8: "rt.putInt", ir.Int16: "rt.putInt", ir.Int32: "rt.putInt", ir.Uint8: "rt.putInt", ir.Uint16: "rt.putInt", ir.Uint32: "rt.putInt",
	ir.Int64: "rt.putBigint", ir.Uint64: "rt.putBigint", ir.Int128: "rt.putBigint", ir.Uint128: "rt.putBigint", ir.Float32: "rt.putFloat", ir.Float64: "rt.putFloat",
	ir.Blob: "rt.putBlob", ir.Interval: "rt.putInterval", ir.Any: "rt.putAny",
}

// packer returns the name of the TypeScript function that writes a value, which is not null, as
// MessagePack.
func (g *generator) packer(t ir.Type) string {
	switch t.Kind {
	case ir.StructKind:
		return "pack" + g.StructType(t.Ref)
	case ir.List, ir.Array, ir.Map:
		return "(p, v) => " + g.packed("p", "v", t, false)
	}
	if f, ok := packers[t.Kind]; ok {
		return f
	}
	return "rt.putText" // dates, times, decimals, UUIDs, JSON and labels are text in TypeScript
}

// packed returns the TypeScript code that writes the value v as MessagePack to p.
func (g *generator) packed(p, v string, t ir.Type, nullable bool) string {
	switch {
	case nullable && t.Kind == ir.Any:
		return "rt.putAny(" + p + ", " + v + ")"
	case nullable:
		return "rt.putOpt(" + p + ", " + v + ", " + g.packer(t) + ")"
	case t.Kind == ir.List || t.Kind == ir.Array:
		return "rt.putList(" + p + ", " + v + ", " + g.packer(*t.Elem) + ")"
	case t.Kind == ir.Map:
		return "rt.putMap(" + p + ", " + v + ", " + g.packer(*t.Key) + ", " + g.packer(*t.Elem) + ")"
	}
	return g.packer(t) + "(" + p + ", " + v + ")"
}

// packStruct writes the TypeScript function that writes a struct as a MessagePack map of its
// fields.
func (g *generator) packStruct(s *ir.Struct) {
	name := g.StructType(s.Ref)
	w := &g.w
	w.Blank()
	w.Block("export function pack"+name+"(p: rt.Pack, v: "+name+"): void {", "}", func() {
		w.Line("p.header(0x80, 0xdf, %d);", len(s.Fields))
		for _, f := range s.Fields {
			w.Line("p.text(%s);", quote(f.Name.Original))
			w.Line("%s;", g.packed("p", member("v", f.Name.Original), f.Type, f.Nullable))
		}
	})
}
