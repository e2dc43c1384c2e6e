package python

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// copyKind returns the text that tells the runtime library how psycopg (the PostgreSQL driver) has
// to write a value of type t in the binary form of COPY, such as "int32" or "[]enum". It returns ""
// if psycopg cannot write such values in this form.
func copyKind(t ir.Type) string {
	switch t.Kind {
	case ir.Bool, ir.Int16, ir.Int32, ir.Int64, ir.Uint32, ir.Float32, ir.Float64, ir.Decimal, ir.Text, ir.Blob, ir.UUID, ir.Date, ir.Time, ir.TimeTZ,
		ir.Timestamp, ir.TimestampTZ, ir.Interval:
		return string(t.Kind)
	case ir.JSON:
		if t.Native == "jsonb" {
			return "jsonb"
		}
		return "text"
	case ir.EnumKind:
		return "enum"
	case ir.List:
		if elem := copyKind(*t.Elem); elem != "" {
			return "[]" + elem
		}
	}
	return ""
}

// unnest returns a bulk operation on PostgreSQL as one statement. It has one parameter for each
// column: the list of the column's values. The result is "" if there is no such statement. A single
// % in the SQL is doubled, because psycopg would read it as a placeholder.
func unnest(t *ir.Table, op ir.Op) string {
	const mark = "\x00"
	text := emit.UnnestSQL(t, op, func(n int) string { return mark + strconv.Itoa(n) + mark })
	return regexp.MustCompile(mark+"(\\d+)"+mark).ReplaceAllString(strings.ReplaceAll(text, "%", "%%"), "%(p$1)s")
}

// copy writes Python code that writes the rows of a bulk operation in the binary form of
// PostgreSQL's COPY.
func (g *generator) copy(t *emit.Table, op *emit.Op) {
	var names, kinds, keys, values []string
	for i, c := range op.Row.Columns {
		at := op.Bulk.Columns[i]
		kind := copyKind(c.Type)
		v := "r." + emit.Field(emit.Python, c.Name)
		f := map[string]string{"jsonb": "rt.to_jsonb", "interval": "rt.to_interval"}[kind]
		if kind == "enum" {
			f = g.writer(c.Type)
		}
		if f != "" {
			v = "rt.opt(" + f + ", " + v + ")"
		}
		names, kinds, values = append(names, quote(t.Columns[at].Name.Original)), append(kinds, quote(kind)), append(values, v)
		keys = append(keys, map[bool]string{true: "True", false: "False"}[slices.Contains(t.Key, at)])
	}
	w := &g.w
	w.Block("copy=rt.Copy(", "),", func() {
		w.Line("table=%s,", block(t.SQLName))
		w.Line("target=%s,", block(op.Bulk.Target))
		for _, f := range []struct {
			name string
			of   []string
		}{{"names", names}, {"kinds", kinds}, {"keys", keys}} {
			w.Line("%s=(%s,),", f.name, strings.Join(f.of, ", "))
		}
		w.Line("values=lambda r: (%s,),", strings.Join(values, ", "))
	})
}
