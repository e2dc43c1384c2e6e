package analyzetest

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

var tables = []string{"t0", "t1", "t2"}

// generator makes random queries that SQLite, DuckDB and PostgreSQL accept. For every expression it
// also determines whether the value is certainly never NULL. For this it uses the constraints of
// the tables and the rules of SQL, but not the conditions of a WHERE.
type generator struct {
	random  *rand.Rand
	dialect ir.Engine
	names   int
	// wild means that the current query has an aggregate function that belongs to the outer query.
	// Such an aggregate is hard to recognise, so no column of the query is called "never NULL".
	wild bool
}

// query is a random query. Its columns are always id, a, b (integers), c and d (text). All tables
// of the test have these columns too, so a query can replace a table everywhere.
type query struct {
	sql   string
	never [5]bool
}

// source is one table or subquery in a FROM clause.
type source struct {
	name, sql string
	never     [5]bool
}

// expr is an SQL expression, and whether its value is never NULL.
type expr struct {
	sql   string
	never bool
}

// These variables say which columns of the test's tables and view are never NULL. The columns a, b
// and d of the view come from the nullable side of an outer join.
var (
	tableNever = [5]bool{true, true, false, true, false}
	viewNever  = [5]bool{true, false, false, true, false}
	position   = map[string]int{"id": 0, "a": 1, "b": 2, "c": 3, "d": 4}
)

func (g *generator) or(options ...string) string { return options[g.random.IntN(len(options))] }
func (g *generator) one(of int) bool             { return g.random.IntN(of) == 0 }
func (g *generator) word() string                { return g.or("x", "y", "", "zz") }
func (g *generator) name() string                { g.names++; return fmt.Sprintf("n%d", g.names) }

// query makes a random query. If it says "never NULL" for a column, that is certain. depth limits
// how deeply subqueries are nested.
func (g *generator) query(depth int) query {
	g.wild = false
	q := g.with(depth)
	if g.wild {
		q.never = [5]bool{}
	}
	return q
}

func (g *generator) with(depth int) query {
	switch g.random.IntN(9) {
	case 0:
		return g.setOperation(depth - 1)
	case 1:
		cte := g.core(depth - 1)
		name := g.name()
		q := g.coreOf(depth-1, append([]source{{name, name, cte.never}}, g.sources(depth-1)...))
		q.sql = "WITH " + name + " AS (" + cte.sql + ") " + q.sql
		return q
	case 2:
		return g.recursive()
	}
	return g.core(depth)
}

func (g *generator) setOperation(depth int) query {
	left, right := g.core(depth), g.core(depth)
	kind := g.or("UNION ALL", "UNION", "EXCEPT", "INTERSECT")
	q := query{sql: left.sql + " " + kind + " " + right.sql, never: left.never}
	for i := range q.never {
		switch kind {
		case "UNION ALL", "UNION":
			q.never[i] = left.never[i] && right.never[i]
		case "INTERSECT":
			q.never[i] = left.never[i] || right.never[i]
		}
	}
	return q
}

func (g *generator) recursive() query {
	name := g.name()
	a, d, join := g.or(name+".a", name+".b", "t1.b", "t1.a"), g.or(name+".d", name+".c"), g.or("JOIN", "LEFT JOIN")
	q := query{sql: "WITH RECURSIVE " + name + "(id, a, b, c, d) AS (SELECT id, a, b, c, d FROM t0 UNION ALL SELECT " + name + ".id + 1, " + a +
		", " + name + ".b, " + name + ".c, " + d + " FROM " + name + " " + join + " t1 ON t1.id = " + name + ".a WHERE " + name + ".id < 3) SELECT * FROM " + name}
	q.never = [5]bool{true, a == name+".a" || a == "t1.a" && join == "JOIN", false, true, false}
	return q
}

func (g *generator) sources(depth int) []source {
	var out []source
	for range 1 + g.random.IntN(2) {
		s := source{name: g.name()}
		switch {
		case depth > 0 && g.one(3):
			inner := g.core(depth - 1)
			if g.one(6) {
				inner = g.setOperation(depth - 1)
			}
			s.sql, s.never = "("+inner.sql+") AS "+s.name, inner.never
		case g.one(6):
			s.sql, s.never = "v0 AS "+s.name, viewNever
		default:
			s.sql, s.never = g.or(tables...)+" AS "+s.name, tableNever
		}
		out = append(out, s)
	}
	return out
}

func (g *generator) core(depth int) query { return g.coreOf(depth, g.sources(depth)) }

// from joins the given tables and subqueries, and returns the SQL of the FROM clause. scope has the
// sources whose columns other clauses of the query can name. If the last join has USING, merged is
// the column that USING made of two columns. Otherwise merged is nil.
func (g *generator) from(sources []source) (sql string, scope []source, merged *expr) {
	sql, scope = sources[0].sql, sources[:1:1]
	null := func(some []source) {
		for i := range some {
			some[i].never = [5]bool{}
		}
	}
	for _, s := range sources[1:] {
		kind := g.or("JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")
		sql += " " + kind + " " + s.sql
		left, right := scope[0].never[0], s.never[0]
		merged = nil
		switch {
		case kind == "CROSS JOIN":
		case len(scope) == 1 && g.one(3):
			sql += " USING (id)"
			never := map[string]bool{"JOIN": left || right, "LEFT JOIN": left, "RIGHT JOIN": right, "FULL JOIN": left && right}[kind]
			merged = &expr{"id", never}
		default:
			// Use = as the condition: not every engine allows a FULL JOIN with other conditions.
			sql += " ON " + g.column(scope, "id", "a", "b").sql + " = " + s.name + "." + g.or("id", "a", "b")
			if kind != "FULL JOIN" && g.one(3) {
				sql += " AND " + s.name + "." + g.or("b", "d") + " IS NOT NULL"
			}
		}
		scope = append(append([]source{}, scope...), s)
		if kind == "RIGHT JOIN" || kind == "FULL JOIN" {
			null(scope[:len(scope)-1])
		}
		if kind == "LEFT JOIN" || kind == "FULL JOIN" {
			null(scope[len(scope)-1:])
		}
	}
	return sql, scope, merged
}

func (g *generator) coreOf(depth int, sources []source) query {
	from, scope, merged := g.from(sources)
	where := ""
	if g.one(2) {
		where = " WHERE " + g.condition(depth, scope)
	}
	tail := " FROM " + from + where
	switch g.random.IntN(6) {
	case 0:
		return g.whole(depth, scope, tail)
	case 1:
		return g.groups(depth, scope, tail)
	case 2:
		return g.windows(depth, scope, tail)
	}
	id := g.integer(depth, scope)
	if merged != nil {
		id = *merged
		id.sql = g.or("id", "abs(id)")
		if g.one(3) {
			id = expr{"coalesce(id, 0)", true}
		}
		if where == "" {
			tail += g.or("", " WHERE id IS NOT NULL", " WHERE id = 1")
		}
	}
	out := list(id, g.integer(depth, scope), g.integer(depth, scope), g.text(depth, scope), g.text(depth, scope))
	out.sql = "SELECT " + g.or("", "", "DISTINCT ") + out.sql + tail
	return out
}

// list returns a query with the five given expressions as its columns id, a, b, c and d. The
// query's SQL is only the select list.
func list(e ...expr) (q query) {
	for i, name := range []string{"id", "a", "b", "c", "d"} {
		if i > 0 {
			q.sql += ", "
		}
		q.sql += e[i].sql + " AS " + name
		q.never[i] = e[i].never
	}
	return q
}

// whole makes an aggregate query without GROUP BY, which aggregates all rows. There may be no row
// to aggregate.
func (g *generator) whole(depth int, scope []source, tail string) query {
	a := g.aggregate(depth, scope, false)
	if g.dialect == ir.SQLite && g.one(2) {
		// SQLite allows a column outside of an aggregate function in an aggregate query without
		// GROUP BY. Its value comes from any row, and is NULL if there is no row.
		a = expr{g.integer(depth, scope).sql, false}
	}
	out := list(expr{"count(*)", true}, a, g.aggregate(depth, scope, false), expr{"coalesce(max(" + g.text(depth, scope).sql + "), 'x')", true}, expr{"max(" + g.text(depth, scope).sql + ")", false})
	out.sql = "SELECT " + out.sql + tail
	return out
}

func (g *generator) groups(depth int, scope []source, tail string) query {
	key, other := g.column(scope[:1], "id", "a", "b"), g.column(scope[len(scope)-1:], "c", "d")
	by := " GROUP BY "
	sets := ""
	first, second, full := key, other, true
	if g.dialect != ir.SQLite && g.one(4) {
		sets = g.or("ROLLUP", "CUBE") + " "
		// If there are no rows, ROLLUP and CUBE still return a row for the grand total. All its
		// values are NULL.
		first.never, second.never, full = false, false, false
	}
	text := g.text(depth, scope)
	out := list(first, g.aggregate(depth, scope, full), g.aggregate(depth, scope, full), second, expr{g.or("min", "max") + "(" + text.sql + ")", full && text.never})
	out.sql = "SELECT " + out.sql + tail + by + sets
	if sets != "" {
		out.sql += "(" + key.sql + ", " + other.sql + ")"
	} else {
		out.sql += key.sql + ", " + other.sql
	}
	if g.one(4) {
		out.sql += " HAVING count(*) > " + g.or("0", "1")
	}
	return out
}

// windows makes a query with window functions. The frames of all functions contain the current row,
// except those of lag and lead.
func (g *generator) windows(depth int, scope []source, tail string) query {
	argument := g.integer(depth, scope)
	f := g.or("sum", "min", "max", "count", "lag", "lead", "first_value", "last_value")
	never := argument.never && f != "lag" && f != "lead" || f == "count"
	over := " OVER (" + g.or("", "", "PARTITION BY "+g.column(scope, "c", "b").sql+" ") + "ORDER BY " + scope[0].name + ".a)"
	out := list(expr{g.or("row_number", "rank", "dense_rank") + "() OVER (ORDER BY " + scope[0].name + ".id)", true}, expr{f + "(" + argument.sql + ")" + over, never},
		g.integer(depth, scope), g.text(depth, scope), g.text(depth, scope))
	out.sql = "SELECT " + out.sql + tail
	return out
}

func (g *generator) column(scope []source, names ...string) expr {
	s, name := scope[g.random.IntN(len(scope))], g.or(names...)
	return expr{s.name + "." + name, s.never[position[name]]}
}

// aggregate makes a call of an aggregate function over columns of scope. rows says whether there is
// always at least one row to aggregate.
func (g *generator) aggregate(depth int, scope []source, rows bool) expr {
	f, argument := g.or("sum", "min", "max", "count"), g.integer(depth, scope)
	out := expr{f + "(" + argument.sql + ")", f == "count" || rows && argument.never}
	if g.one(4) {
		out.sql += " FILTER (WHERE " + g.column(scope, "a", "b").sql + " > 1)"
		out.never = f == "count"
	}
	// The cast gives the sum the same type on all engines. On PostgreSQL, sum of bigint is numeric.
	out.sql = "CAST(" + out.sql + " AS INTEGER)"
	return out
}

// integer makes an expression of type INTEGER.
func (g *generator) integer(depth int, scope []source) expr {
	if depth <= 0 {
		return g.column(scope, "id", "a", "b")
	}
	sub := func() expr { return g.integer(depth-1, scope) }
	switch g.random.IntN(14) {
	case 0:
		return g.coalesce(sub(), sub())
	case 1:
		return g.choice(depth-1, scope, sub(), sub())
	case 2:
		return expr{"CASE WHEN " + g.condition(depth-1, scope) + " THEN " + sub().sql + " END", false}
	case 3:
		return expr{"nullif(" + sub().sql + ", 1)", false}
	case 4:
		left, right := sub(), sub()
		if g.one(2) {
			right = expr{"1", true}
		}
		return expr{"CAST((" + left.sql + " " + g.or("+", "-") + " " + right.sql + ") AS INTEGER)", left.never && right.never}
	case 5:
		text := g.text(depth-1, scope)
		return expr{"length(" + text.sql + ")", text.never}
	case 6:
		return g.scalar(scope)
	case 7:
		return expr{"CASE WHEN EXISTS (SELECT 1 FROM t2 WHERE t2.a = " + g.column(scope, "a", "b").sql + ") THEN 1 ELSE 0 END", true}
	case 8:
		return expr{strconv.Itoa(g.random.IntN(3)), true}
	case 9:
		inner := sub()
		return expr{"abs(" + inner.sql + ")", inner.never}
	}
	return g.column(scope, "id", "a", "b")
}

func (g *generator) coalesce(a, b expr) expr {
	return expr{"coalesce(" + a.sql + ", " + b.sql + ")", a.never || b.never}
}

func (g *generator) choice(depth int, scope []source, a, b expr) expr {
	return expr{"CASE WHEN " + g.condition(depth, scope) + " THEN " + a.sql + " ELSE " + b.sql + " END", a.never && b.never}
}

// scalar makes a scalar subquery of type INTEGER. It may refer to the outer query. If it is a count
// without GROUP BY, it always has a row, and so is never NULL.
func (g *generator) scalar(scope []source) expr {
	inner := source{name: g.name(), never: tableNever}
	what := g.or("count(*)", "count(*)", "max("+inner.name+".a)", "count("+inner.name+".b)", "max("+inner.name+"."+g.or("b", "id")+")")
	if g.one(20) {
		g.wild = true
		what = "count(" + g.column(scope, "b").sql + ")"
	}
	end := g.or("", " LIMIT 1", " GROUP BY "+inner.name+".id")
	return expr{"CAST((SELECT " + what + " FROM " + g.or(tables...) + " AS " + inner.name + " WHERE " + inner.name + ".id = " + g.column(scope, "a", "b").sql + end + ") AS INTEGER)",
		what[0] == 'c' && (end == "" || end == " LIMIT 1")}
}

// text makes an expression of type text.
func (g *generator) text(depth int, scope []source) expr {
	if depth <= 0 {
		return g.column(scope, "c", "d")
	}
	sub := func() expr { return g.text(depth-1, scope) }
	switch g.random.IntN(9) {
	case 0:
		return g.coalesce(sub(), sub())
	case 1:
		a, b := sub(), sub()
		return expr{"(" + a.sql + " || " + b.sql + ")", a.never && b.never}
	case 2:
		a := sub()
		return expr{g.or("lower", "upper", "trim") + "(" + a.sql + ")", a.never}
	case 3:
		return g.choice(depth-1, scope, sub(), sub())
	case 4:
		a := sub()
		return expr{"replace(" + a.sql + ", 'x', '')", a.never}
	case 5:
		n := g.integer(depth-1, scope)
		return expr{"CAST(" + n.sql + " AS VARCHAR(20))", n.never}
	}
	return g.column(scope, "c", "d")
}

func (g *generator) condition(depth int, scope []source) string {
	column := func(names ...string) string { return g.column(scope, names...).sql }
	if depth <= 0 {
		return column("id", "a", "b") + " " + g.or("=", "<>", "<", ">=") + " " + column("id", "a", "b")
	}
	sub := func() string { return g.condition(depth-1, scope) }
	integer := func() string { return g.integer(depth-1, scope).sql }
	switch g.random.IntN(11) {
	case 0:
		return "(" + sub() + " AND " + sub() + ")"
	case 1:
		return "(" + sub() + " OR " + sub() + ")"
	case 2:
		return "NOT " + "(" + sub() + ")"
	case 3, 4:
		return column("b", "d") + " IS " + g.or("", "NOT ") + "NULL"
	case 5:
		return integer() + " BETWEEN 0 AND " + integer()
	case 6:
		return integer() + g.or(" IN ", " NOT IN ") + "(0, " + integer() + ")"
	case 7:
		return g.text(depth-1, scope).sql + " LIKE '%x%'"
	case 8:
		return integer() + g.or(" IN ", " NOT IN ") + "(SELECT " + g.or("a", "b") + " FROM t1)"
	case 9:
		return g.or("", "NOT ") + "EXISTS (SELECT 1 FROM t1 AS e WHERE e.b = " + column("a", "b", "id") + ")"
	}
	return integer() + " " + g.or("=", "<>", "<", ">=") + " " + integer()
}
