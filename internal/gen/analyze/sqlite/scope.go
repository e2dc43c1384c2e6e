package sqlite

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// value is what is known about an expression.
type value struct {
	typ      analyze.Type
	nullable bool
	// exact says that it is of its type for sure and not only by declaration. It
	// matters for integers, since a REAL can be infinite, and infinity makes NULL
	// of a sum; and for text, since of a BLOB without a byte no part has a value.
	exact bool
	// null says that it is NULL, which is of every type.
	null bool
	// also is another kind that all its values are of, too: 0 and 1 are truth
	// values, what date() gives is a DATE.
	also ir.Kind
	// origin is the table column that it is, as schema, table, column.
	origin *[3]string
	// several says that it comes from one or another SELECT of a UNION, of which SQLite names the first one's column.
	several bool
}

func (v value) integer() bool { return v.exact && v.typ.Kind == ir.Int64 }
func (v value) text() bool    { return v.exact && v.typ.Kind == ir.Text }

// truth is 0 or 1, or NULL.
func truth(nullable bool) value {
	return value{typ: integerType, also: ir.Bool, nullable: nullable}
}

// either is a value that is one or the other.
func either(a, b value) value {
	out := value{typ: unify(a.typ, b.typ), exact: a.exact && b.exact, nullable: a.nullable || b.nullable, null: a.null && b.null}
	switch {
	case a.null:
		out.typ, out.also = b.typ, b.also
	case b.null:
		out.typ, out.also = a.typ, a.also
	case a.also == b.also:
		out.also = a.also
	case b.also == a.typ.Kind:
		out.typ = a.typ
	case a.also == b.typ.Kind:
		out.typ = b.typ
	}
	return out
}

// output is one column of a query.
type output struct {
	name string
	value
}

// relation is one entry of FROM with its columns.
type relation struct {
	schema, table, alias string
	columns              []output
	hidden               int // that many last columns are not in *
	rowid                bool
	// merged are the columns that USING or NATURAL left to the left side;
	// coalesced are those of a left side that may have no row: unqualified,
	// they are the right side's then.
	merged    map[string]bool
	coalesced map[string]value
}

// environment are the WITH queries in sight.
type environment struct {
	name    string
	columns []output
	parent  *environment
}

// scope is one SELECT core with what its names mean.
type scope struct {
	relations []*relation
	parent    *scope
	env       *environment
	// proven are the columns that WHERE keeps from being null.
	proven map[*output]bool
	// noRow says that the core is an aggregate over everything: without a row
	// its columns are null.
	noRow   bool
	grouped bool
	// aggregated says that an aggregate of this core's own was seen.
	aggregated bool
	// unknown says that an entry of FROM is not known.
	unknown bool
	// memo are the expressions decided so far.
	memo map[*expr]value
}

// lookup finds a column by its name parts, here or in an outer core.
func (s *scope) lookup(names []string) (value, *scope, bool) {
	for at := s; at != nil; at = at.parent {
		if v, ok := at.local(names); ok {
			if at.noRow {
				v.nullable = true
			}
			return v, at, true
		}
	}
	return value{typ: anyType, nullable: true}, nil, false
}

func (s *scope) local(names []string) (value, bool) {
	column := names[len(names)-1]
	for _, r := range s.relations {
		if len(names) >= 2 && !strings.EqualFold(names[len(names)-2], r.alias) {
			continue
		}
		if len(names) == 3 && !strings.EqualFold(names[0], r.schema) {
			continue
		}
		if len(names) == 1 && r.merged[strings.ToLower(column)] {
			continue
		}
		if v, ok := r.coalesced[strings.ToLower(column)]; ok && len(names) == 1 {
			return v, true
		}
		for i := range r.columns {
			if c := &r.columns[i]; strings.EqualFold(c.name, column) {
				v := c.value
				if s.proven[c] {
					v.nullable = false
				}
				return v, true
			}
		}
		if r.rowid && isRowid(column) {
			return value{typ: integerType, exact: true}, true
		}
	}
	return value{}, false
}

func isRowid(name string) bool {
	return strings.EqualFold(name, "rowid") || strings.EqualFold(name, "oid") || strings.EqualFold(name, "_rowid_")
}

// column finds the output of a plain column reference in this very core.
func (s *scope) column(e *expr) *output {
	if e.kind != columnExpr {
		return nil
	}
	name := e.names[len(e.names)-1]
	for _, r := range s.relations {
		if len(e.names) >= 2 && !strings.EqualFold(e.names[len(e.names)-2], r.alias) || len(e.names) == 1 && r.merged[strings.ToLower(name)] {
			continue
		}
		if _, ok := r.coalesced[strings.ToLower(name)]; ok && len(e.names) == 1 {
			return nil
		}
		for i := range r.columns {
			if strings.EqualFold(r.columns[i].name, name) {
				return &r.columns[i]
			}
		}
	}
	return nil
}

// certain reports whether every FROM from here outward is known, so that a
// name which is not found is not a column.
func (s *scope) certain() bool {
	for at := s; at != nil; at = at.parent {
		if at.unknown {
			return false
		}
	}
	return true
}

// walker decides about one statement.
type walker struct {
	// table describes a table or view, or returns nil.
	table func(schema, name string) *tableInfo
	// params are the types found so far; nil where there is none.
	params        []*analyze.Type
	nullableParam func(i int) bool
	in            func(i int) bool
	// compared are the parameters that are seen only as numbers to compare whole
	// ones with.
	compared map[*expr]bool
	depth    int
}

const maxDepth = 300

// statement returns the columns of a statement, or nil when it knows nothing.
func (w *walker) statement(s *statement) []output {
	env := w.with(s.with, nil, nil)
	if s.sel != nil {
		return w.queryIn(s.sel, nil, env)
	}
	return w.change(s.change, env)
}

func (w *walker) with(list *with, parent *scope, env *environment) *environment {
	if list == nil {
		return env
	}
	for _, c := range list.ctes {
		env = w.cte(c, parent, env)
	}
	return env
}

// cte answers for one WITH query. A recursive one is a union of a start and a
// step that reads the union: assume what the start gives, see what the step
// makes of it, and repeat until nothing changes; columns only turn nullable, and
// into more types.
func (w *walker) cte(c cte, parent *scope, env *environment) *environment {
	rename := func(columns []output) []output {
		if columns == nil || len(c.columns) != 0 && len(c.columns) != len(columns) {
			return nil
		}
		out := append([]output{}, columns...)
		for i, name := range c.columns {
			out[i].name = name
		}
		return out
	}
	if len(c.body.cores) < 2 || c.body.with != nil {
		// Not recursive; a reference to itself stays unknown.
		unknown := &environment{name: c.name, parent: env}
		return &environment{name: c.name, columns: rename(w.queryIn(c.body, parent, unknown)), parent: env}
	}
	start := *c.body
	start.cores, start.operators = c.body.cores[:1], nil
	now := &environment{name: c.name, columns: rename(w.queryIn(&start, parent, &environment{name: c.name, parent: env})), parent: env}
	for range 6*len(now.columns) + 2 {
		again := rename(w.queryIn(c.body, parent, now))
		if again == nil || len(again) != len(now.columns) {
			return &environment{name: c.name, parent: env}
		}
		changed := false
		for i := range again {
			again[i].nullable = again[i].nullable || now.columns[i].nullable
			again[i].exact = again[i].exact && now.columns[i].exact
			a, b := again[i].value, now.columns[i].value
			changed = changed || a.nullable != b.nullable || a.exact != b.exact || a.typ.Kind != b.typ.Kind || a.null != b.null || a.also != b.also
		}
		now = &environment{name: c.name, columns: again, parent: env}
		if !changed {
			return now
		}
	}
	return &environment{name: c.name, parent: env}
}

func (w *walker) queryIn(q *query, parent *scope, env *environment) []output {
	out, _ := w.query(q, parent, env)
	return out
}

// query answers for a query; it also returns the scope of its first core.
func (w *walker) query(q *query, parent *scope, env *environment) (out []output, first *scope) {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		return nil, nil
	}
	defer func() { w.depth-- }()
	env = w.with(q.with, parent, env)
	for i, c := range q.cores {
		var order []*expr
		if len(q.cores) == 1 {
			order = q.order
		}
		next, sc := w.core(c, order, parent, env)
		if i == 0 {
			out, first = next, sc
			continue
		}
		if out == nil || len(next) != len(out) {
			out = nil
			continue
		}
		merged := make([]output, len(out))
		for j := range out {
			a, b := out[j], next[j]
			merged[j] = a
			switch q.operators[i-1] {
			case "EXCEPT":
			case "INTERSECT":
				merged[j].nullable = a.nullable && b.nullable
			default:
				merged[j].value = either(a.value, b.value)
				merged[j].several = true
			}
		}
		out = merged
	}
	for _, e := range q.limit {
		w.want(e, integerType)
		w.compared[e] = true
		w.value(e, &scope{parent: parent, env: env})
	}
	return out, first
}

// core answers for one SELECT or VALUES; order is the ORDER BY of a query that
// is this core alone, where an aggregate makes an aggregate of it too.
func (w *walker) core(c *core, order []*expr, parent *scope, env *environment) ([]output, *scope) {
	sc := &scope{parent: parent, env: env, proven: map[*output]bool{}}
	if c.values != nil {
		var out []output
		for n, row := range c.values {
			for i, e := range row {
				v := w.value(e, sc)
				if n == 0 {
					out = append(out, output{name: "", value: v})
				} else if i < len(out) {
					out[i].value = either(out[i].value, v)
				}
			}
		}
		return out, sc
	}
	known := true
	if c.from != nil {
		sc.relations, known = w.source(c.from, sc)
		sc.unknown = !known
	}
	if c.where != nil {
		w.value(c.where, sc)
		w.prove(c.where, sc)
	}
	for _, e := range c.group {
		w.value(e, sc)
	}
	sc.grouped = len(c.group) > 0
	sorted := c.columns
	for _, e := range order {
		sorted = append(sorted[:len(sorted):len(sorted)], resultColumn{expr: e})
	}
	sc.noRow = !sc.grouped && (c.having != nil || mayAggregate(sorted))
	if c.having != nil {
		w.value(c.having, sc)
	}
	for _, e := range order {
		w.value(e, sc)
	}
	before := sc.noRow
	out := w.outputs(c.columns, sc)
	if sc.noRow != before { // an aggregate in a subquery turned out to be of this core
		sc.memo = nil
		out = w.outputs(c.columns, sc)
	}
	if !known {
		return nil, sc
	}
	return out, sc
}

// outputs answers for result columns; nil when a star stands for what is not known.
func (w *walker) outputs(columns []resultColumn, sc *scope) []output {
	out := []output{}
	unknown := false
	for _, c := range columns {
		if !c.star {
			v := w.value(c.expr, sc)
			name := c.alias
			if name == "" && c.expr.kind == columnExpr {
				name = c.expr.names[len(c.expr.names)-1]
			}
			out = append(out, output{name: name, value: v})
			continue
		}
		hit := false
		for _, r := range sc.relations {
			if c.table != "" && !strings.EqualFold(c.table, r.alias) {
				continue
			}
			hit = true
			for i := 0; i < len(r.columns)-r.hidden; i++ {
				col := r.columns[i]
				if c.table == "" && r.merged[strings.ToLower(col.name)] {
					continue
				}
				if sc.proven[&r.columns[i]] {
					col.nullable = false
				}
				if v, ok := r.coalesced[strings.ToLower(col.name)]; ok && c.table == "" {
					col.value = v
				}
				col.nullable = col.nullable || sc.noRow
				out = append(out, col)
			}
		}
		unknown = unknown || !hit
	}
	if unknown {
		return nil
	}
	return out
}
