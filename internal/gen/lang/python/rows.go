package python

import (
	"fmt"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// rowClass writes the Python dataclass for a row type, if queries return many rows of it. The class
// has a generated __init__ that is faster than the one that dataclasses would make.
func (g *generator) rowClass(name string, names, fields []string) {
	w := &g.w
	w.Line("")
	w.Line("")
	w.Line("@dataclass(frozen=True, init=False)")
	w.Indented("class "+name+":", func() {
		for _, f := range fields {
			w.Line("%s", f)
		}
		w.Blank()
		parameters := func() {
			for _, f := range fields {
				w.Line("%s,", f)
			}
		}
		body := func() {
			for _, n := range names {
				w.Line("_set(self, %s, %s)", quote(n), n)
			}
		}
		if one := "def __init__(self, " + strings.Join(fields, ", ") + ") -> None:"; len(one) < 120 {
			w.Indented(one, body)
			return
		}
		w.Indented("def __init__(", func() {
			w.Line("self,")
			parameters()
		})
		w.Indented(") -> None:", body)
	})
}

// uses reports how queries return rows of the row type ref. The result all is true if some query
// returns many of these rows, and the result one if some query returns at most one.
func (g *generator) uses(ref string) (all, one bool) {
	for _, q := range g.Queries {
		if q.Row == ref && !q.Pluck && q.Verb == ir.VerbQuery {
			all = all || q.Cardinality != ir.One
			one = one || q.Cardinality == ir.One
		}
	}
	return all, one
}

// maker returns the name of the Python function that converts a row of the driver into the result
// of a `:one` query.
func (g *generator) maker(q *emit.Query) string {
	if !q.Pluck {
		return "_make_" + ir.NewName(g.RowType(q.Row)).Snake()
	}
	if c := q.Columns[0]; g.read("r[0]", c.Type, c.Nullable, false) != "r[0]" {
		return "_value_of_" + q.Method
	}
	return "rt.value_of"
}

// valueReader writes Python code that reads the values of a `:pluck` query, whose result is one
// column.
func (g *generator) valueReader(q *emit.Query) {
	w := &g.w
	c := q.Columns[0]
	row, read := g.result(q)
	value := g.read("r[0]", c.Type, c.Nullable, false)
	if q.Cardinality == ir.One {
		if value != "r[0]" {
			w.Line("")
			w.Line("")
			w.Indented("def "+g.maker(q)+"(r: rt.Row) -> "+row+":", func() { w.Line("return %s", value) })
		}
		return
	}
	w.Line("")
	w.Line("")
	w.Indented("def "+read+"(rows: Iterable[rt.Row]) -> Iterator["+row+"]:", func() {
		if value == "r[0]" {
			w.Line("return map(rt.value_of, rows)")
		} else {
			w.Line("return (%s for r in rows)", value)
		}
	})
}

// rowReaders writes two Python functions that convert rows of the driver into rows of a type. The
// first function takes an iterable of rows and converts all of them in one call, because a call for
// each row would cost more than the driver does. The second function converts a single row.
func (g *generator) rowReaders(r ir.Row) {
	w := &g.w
	name := g.RowType(r.Ref)
	plain := true
	var values []string
	for i, c := range r.Columns {
		v := fmt.Sprintf("r[%d]", i)
		values = append(values, g.read(v, c.Type, c.Nullable, false))
		plain = plain && values[i] == v
	}
	// The fields are passed by position. If they were passed by name, Python would put them into
	// the order of the parameters, which costs as much as converting some values.
	construct := func() {
		for _, v := range values {
			w.Line("%s,", v)
		}
	}
	all, one := g.uses(r.Ref)
	if all {
		w.Line("")
		w.Line("")
		w.Indented("def _to_"+ir.NewName(name).Snake()+"(rows: Iterable[rt.Row]) -> Iterator["+name+"]:", func() {
			if plain {
				w.Line("return rt.starmap(%s, rows)", name)
				return
			}
			w.Block("return (", ")", func() {
				w.Block(name+"(", ")", construct)
				w.Line("for r in rows")
			})
		})
	}
	if one {
		w.Line("")
		w.Line("")
		w.Indented("def _make_"+ir.NewName(name).Snake()+"(r: rt.Row) -> "+name+":", func() {
			if plain {
				w.Line("return %s(*r)", name)
				return
			}
			w.Block("return "+name+"(", ")", construct)
		})
	}
}
