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
	// exact means that the value certainly has its type, and not only by declaration. That matters
	// for integers, because a REAL can be infinite, and a sum with infinities can be NULL. It also
	// matters for text, because a part of an empty BLOB is NULL.
	exact bool
	// null means that the value is NULL, which belongs to every type.
	null bool
	// also is a second kind that all values have: 0 and 1 are also booleans, and the result of
	// date() is also a DATE.
	also ir.Kind
	// origin is the table column whose value this is, as schema, table and column.
	origin *[3]string
	// several means that the value comes from more than one SELECT of a UNION. SQLite then names
	// only the column of the first SELECT.
	several bool
}

func (v value) integer() bool { return v.exact && v.typ.Kind == ir.Int64 }
func (v value) text() bool    { return v.exact && v.typ.Kind == ir.Text }

// truth returns the value of an expression that is 0, 1 or NULL.
func truth(nullable bool) value {
	return value{typ: integerType, also: ir.Bool, nullable: nullable}
}

// either returns a value that is one of the two.
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

// relation is an item of FROM with its columns.
type relation struct {
	schema, table, alias string
	columns              []output
	hidden               int // this many last columns are not in *
	rowid                bool
	// merged are the columns that USING or NATURAL took from the left side. coalesced are those of
	// a left side that may have no row: without a qualifier, such a name means the right side's
	// value.
	merged    map[string]bool
	coalesced map[string]value
}

// environment is a list of the visible WITH queries.
type environment struct {
	name    string
	columns []output
	parent  *environment
}

// scope is one SELECT core with the meaning of its names.
type scope struct {
	relations []*relation
	parent    *scope
	env       *environment
	// proven are the columns that WHERE keeps from being NULL.
	proven map[*output]bool
	// noRow means that the core is an aggregate without GROUP BY. Without a row its columns are
	// NULL.
	noRow   bool
	grouped bool
	// aggregated means that the core has an aggregate of its own.
	aggregated bool
	// unknown means that an item of FROM is not known.
	unknown bool
	// memo are the results for expressions that are already decided.
	memo map[*expr]value
}

// lookup finds a column by the parts of its name, in this core or in an outer one.
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

// column finds the output of a plain column reference in this core. It does not search outer cores.
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

// certain reports whether every FROM of this and the outer cores is known. Then a name that is not
// found is not a column.
func (s *scope) certain() bool {
	for at := s; at != nil; at = at.parent {
		if at.unknown {
			return false
		}
	}
	return true
}

// walker analyses one statement.
type walker struct {
	// table describes a table or view. It returns nil if it is unknown.
	table func(schema, name string) *tableInfo
	// params are the types found so far. A type is nil if none was found.
	params        []*analyze.Type
	nullableParam func(i int) bool
	in            func(i int) bool
	// compared are the parameters that are only compared with integers.
	compared map[*expr]bool
	depth    int
}

const maxDepth = 300

// statement returns the columns of a statement, or nil if nothing is known.
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

// cte returns the environment with one more WITH query. A recursive query is a union of a start and
// a step that reads the union. cte assumes the columns of the start, computes the columns of the
// step, and repeats until nothing changes. Columns only become nullable and get more general types,
// so it ends.
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
		// Not recursive. A reference to itself stays unknown.
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

// query returns the columns of a query, and the scope of its first core.
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

// core returns the columns of a SELECT or VALUES, and its scope. order is the ORDER BY of a query
// that has only this core: an aggregate in it makes the core an aggregate query too.
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
	if sc.noRow != before { // an aggregate in a subquery belongs to this core
		sc.memo = nil
		out = w.outputs(c.columns, sc)
	}
	if !known {
		return nil, sc
	}
	return out, sc
}

// outputs returns the columns of a select list, or nil if a star stands for unknown columns.
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
