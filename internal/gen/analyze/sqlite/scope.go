package sqlite

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// value is what is known about the value of an SQL expression: its type, and whether it can be
// NULL.
type value struct {
	typ      analyze.Type
	nullable bool
	// exact means that the value certainly has the type typ. Otherwise typ is only the declared
	// type, which SQLite does not enforce. This matters in two cases:
	//   - The declared type is an integer: the value may be a REAL, which can be infinite, and a
	//     sum with infinities can be NULL.
	//   - The declared type is text: the value may be an empty BLOB, and substr() of it is NULL.
	exact bool
	// null means that the expression is the literal NULL, which fits every type.
	null bool
	// alsoKind is a second kind that the value certainly has as well. For example, 0 and 1 are also
	// booleans, and the result of date() is also a date.
	alsoKind ir.Kind
	// origin is the table column from which the value is taken unchanged: {schema, table, column}.
	// It is nil if there is none.
	origin *[3]string
	// fromUnion means that the value comes from more than one SELECT of a UNION. SQLite then
	// reports only the column of the first SELECT as its origin.
	fromUnion bool
}

func (v value) integer() bool { return v.exact && v.typ.Kind == ir.Int64 }
func (v value) text() bool    { return v.exact && v.typ.Kind == ir.Text }

// booleanValue returns the value of a condition, which is 0 or 1, or NULL if nullable is set.
func booleanValue(nullable bool) value {
	return value{typ: integerType, alsoKind: ir.Bool, nullable: nullable}
}

// unionValue returns what is known about a value that is either a or b, as in a UNION.
func unionValue(a, b value) value {
	out := value{typ: unify(a.typ, b.typ), exact: a.exact && b.exact, nullable: a.nullable || b.nullable, null: a.null && b.null}
	switch {
	case a.null:
		out.typ, out.alsoKind = b.typ, b.alsoKind
	case b.null:
		out.typ, out.alsoKind = a.typ, a.alsoKind
	case a.alsoKind == b.alsoKind:
		out.alsoKind = a.alsoKind
	case b.alsoKind == a.typ.Kind:
		out.typ = a.typ
	case a.alsoKind == b.typ.Kind:
		out.typ = b.typ
	}
	return out
}

// output is one column of a query's result.
type output struct {
	name string
	value
}

// relation is a table or subquery in a FROM clause, with its columns.
type relation struct {
	schema, table, alias string
	columns              []output
	// hidden is the number of columns at the end that are not included in *.
	hidden int
	rowid  bool
	// merged and coalesced have columns of this relation that USING or NATURAL merged with a column
	// on the other side of a join, by name in lower case. merged is for the right side of a join. A
	// name without a table never means such a column: it means the column on the left. coalesced is
	// for the left side of a RIGHT or FULL JOIN. A name without a table means this column or, if
	// the left side has no row, the column on the right. The map's value describes the result.
	merged    map[string]bool
	coalesced map[string]value
}

// environment has the queries of WITH clauses that are visible at some place in the statement, as a
// linked list. It describes the innermost query; parent has the others.
type environment struct {
	name    string
	columns []output
	parent  *environment
}

// scope is one SELECT, with what the names in it refer to.
type scope struct {
	relations []*relation
	parent    *scope
	env       *environment
	// proven has the columns that cannot be NULL because of the conditions in WHERE.
	proven map[*output]bool
	// noRow means that the SELECT has aggregate functions and no GROUP BY. There may be no row to
	// aggregate, and then columns outside of aggregate functions are NULL.
	noRow   bool
	grouped bool
	// aggregated means that the SELECT has an aggregate function that belongs to it, and not to an
	// outer SELECT.
	aggregated bool
	// unknown means that nothing is known about one of the tables in FROM.
	unknown bool
	// memo caches what is known about the values of expressions.
	memo map[*expr]value
}

// lookup finds a column by the parts of its name, in this SELECT or in an outer one. It returns the
// column's value, the scope of the SELECT that has the column, and whether there is one.
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

// column returns the column of this SELECT's FROM clause that the expression e names. It returns
// nil if e is anything else. It does not search outer SELECTs.
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

// allSourcesKnown reports whether all tables in the FROM clauses of this SELECT and of the outer
// ones are known. If so, a name that is not found is certainly not a column.
func (s *scope) allSourcesKnown() bool {
	for at := s; at != nil; at = at.parent {
		if at.unknown {
			return false
		}
	}
	return true
}

// walker finds the types of a statement's columns and parameters, and which of the columns can be
// NULL.
type walker struct {
	// table returns a table or view from the catalog, or nil if it is unknown.
	table func(schema, name string) *tableInfo
	// params has the type of each parameter, or nil if it was not found yet.
	params        []*analyze.Type
	nullableParam func(i int) bool
	in            func(i int) bool
	// numericComparisons has the occurrences of parameters that are compared with integers and
	// nothing else, or are the number of a LIMIT or OFFSET.
	numericComparisons map[*expr]bool
	depth              int
}

const maxDepth = 300

// statement returns the columns of a statement's result, or nil if they are unknown.
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

// cte adds a query of a WITH clause to env, the list of such queries, and returns the new list. A
// recursive query is a union of two queries: the first one is the start, and the second one, the
// step, reads the rows of the union. cte assumes that the columns are those of the start, analyses
// the union with this assumption, and repeats until nothing changes. Columns only become nullable
// and get more general types, so the loop ends.
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
		// The query is not recursive. If its body contains the query's own name, nothing is known
		// about what the name means there.
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
			changed = changed || a.nullable != b.nullable || a.exact != b.exact || a.typ.Kind != b.typ.Kind || a.null != b.null || a.alsoKind != b.alsoKind
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

// query returns the columns of a query's result, and the scope of its first SELECT.
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
				merged[j].value = unionValue(a.value, b.value)
				merged[j].fromUnion = true
			}
		}
		out = merged
	}
	for _, e := range q.limit {
		w.expectType(e, integerType)
		w.numericComparisons[e] = true
		w.value(e, &scope{parent: parent, env: env})
	}
	return out, first
}

// core returns the columns of c, one SELECT or VALUES, and its scope. If the query has no other
// SELECT, order is the query's ORDER BY. An aggregate function in the ORDER BY makes the SELECT an
// aggregate query too.
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
					out[i].value = unionValue(out[i].value, v)
				}
			}
		}
		return out, sc
	}
	known := true
	if c.from != nil {
		sc.relations, known = w.fromItem(c.from, sc)
		sc.unknown = !known
	}
	if c.where != nil {
		w.value(c.where, sc)
		w.markNotNull(c.where, sc)
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
	if sc.noRow != before { // an aggregate function in a subquery belongs to this SELECT
		sc.memo = nil
		out = w.outputs(c.columns, sc)
	}
	if !known {
		return nil, sc
	}
	return out, sc
}

// outputs returns the columns of a select list. It returns nil if the list has a star, and it is
// unknown which columns the star stands for.
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
