package analyzetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Oracle checks the promise that matters most: a column that the analysis says
// is never NULL is not. It makes random queries over random data and compares.
// Run executes a query and returns, per row, which values are NULL.
//
// SCOTER_ORACLE_QUERIES sets how many queries (300), SCOTER_ORACLE_SEED the seed.
func Oracle(t *testing.T, dialect ir.Engine, engine analyze.Engine, run func(sql string) ([][]bool, error)) {
	queries := setting("SCOTER_ORACLE_QUERIES", 300)
	seed := setting("SCOTER_ORACLE_SEED", int(time.Now().UnixNano()&0x7fffffff))
	g := &generator{random: rand.New(rand.NewPCG(uint64(seed), 1)), dialect: dialect}
	ctx := context.Background()
	exec := func(sql string) {
		if err := engine.Exec(ctx, sql); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, sql, err)
		}
	}
	for _, table := range tables {
		exec("CREATE TABLE " + table + " (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER, c VARCHAR(20) NOT NULL, d VARCHAR(20))")
	}
	exec("CREATE VIEW v0 AS SELECT t0.id, t1.a, t1.b, t0.c, t1.d FROM t0 LEFT JOIN t1 ON t0.b = t1.a")
	claimed, columns, refused, failed := 0, 0, 0, 0
	for n := range queries {
		if n%5 == 0 {
			for _, table := range tables {
				exec("DELETE FROM " + table)
				for id := range g.random.IntN(5) {
					exec(fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %s, '%s', %s)", table, id, g.random.IntN(4), g.or("NULL", strconv.Itoa(g.random.IntN(4))), g.word(), g.or("NULL", "'"+g.word()+"'")))
				}
			}
		}
		sql := g.query(3, nil)
		d, err := engine.Describe(ctx, &analyze.Statement{Verb: ir.VerbQuery, Pieces: []sqlfile.Piece{{Segment: ir.Segment{Kind: ir.Code, Text: sql}}}})
		if err != nil {
			if refused++; refused <= 3 {
				t.Logf("seed %d query %d refused: %v\n%s", seed, n, err, sql)
			}
			continue
		}
		rows, err := run(sql)
		if err != nil {
			if failed++; failed <= 3 {
				t.Logf("seed %d query %d failed: %v\n%s", seed, n, err, sql)
			}
			continue
		}
		for i, c := range d.Columns {
			columns++
			if c.Nullable {
				continue
			}
			claimed++
			for _, row := range rows {
				if len(row) != len(d.Columns) {
					t.Fatalf("seed %d query %d: %d values, %d columns described\n%s", seed, n, len(row), len(d.Columns), sql)
				}
				if row[i] {
					t.Errorf("seed %d query %d: column %d (%s) is said never to be NULL, and is\n%s", seed, n, i+1, c.Name, sql)
					break
				}
			}
		}
	}
	t.Logf("seed %d: %d queries, %d refused, %d failed, %d of %d columns said never to be NULL", seed, queries, refused, failed, claimed, columns)
	if refused+failed > queries/10 {
		t.Errorf("seed %d: too few queries are valid to prove anything", seed)
	}
	if claimed*5 < columns {
		t.Errorf("seed %d: only %d of %d columns are said never to be NULL", seed, claimed, columns)
	}
}

func setting(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

var tables = []string{"t0", "t1", "t2"}

// generator makes queries that all three engines take.
type generator struct {
	random  *rand.Rand
	dialect ir.Engine
	names   int
}

// source is an entry of FROM: integer and text columns.
type source struct{ name, sql string }

func (g *generator) or(options ...string) string { return options[g.random.IntN(len(options))] }
func (g *generator) word() string                { return g.or("x", "y", "", "zz") }
func (g *generator) name() string                { g.names++; return fmt.Sprintf("n%d", g.names) }

// query makes a query with the columns id, a, b (integers), c, d (text): the
// shape of the tables, so that every query can stand where a table can.
func (g *generator) query(depth int, outer []string) string {
	if depth > 0 {
		switch g.random.IntN(9) {
		case 0:
			return g.core(depth-1, outer) + " " + g.or("UNION ALL", "UNION", "EXCEPT", "INTERSECT") + " " + g.core(depth-1, outer)
		case 1:
			name := g.name()
			return "WITH " + name + " AS (" + g.core(depth-1, outer) + ") " + g.coreOf(depth-1, outer, append([]source{{name: name, sql: name}}, g.sources(depth-1)...))
		case 2:
			name := g.name()
			return "WITH RECURSIVE " + name + "(id, a, b, c, d) AS (SELECT id, a, b, c, d FROM t0 UNION ALL SELECT " + name + ".id + 1, " + g.or(name+".a", name+".b", "t1.b", "t1.a") +
				", " + name + ".b, " + name + ".c, " + g.or(name+".d", name+".c") + " FROM " + name + " " + g.or("JOIN", "LEFT JOIN") + " t1 ON t1.id = " + name + ".a WHERE " + name + ".id < 3) SELECT * FROM " + name
		}
	}
	return g.core(depth, outer)
}

func (g *generator) sources(depth int) []source {
	var out []source
	for range 1 + g.random.IntN(2) {
		s := source{name: g.name()}
		switch {
		case depth > 0 && g.random.IntN(3) == 0:
			s.sql = "(" + g.core(depth-1, nil) + ") AS " + s.name
		case g.random.IntN(6) == 0:
			s.sql = "v0 AS " + s.name
		default:
			s.sql = g.or(tables...) + " AS " + s.name
		}
		out = append(out, s)
	}
	return out
}

func (g *generator) core(depth int, outer []string) string {
	return g.coreOf(depth, outer, g.sources(depth))
}

func (g *generator) coreOf(depth int, outer []string, sources []source) string {
	from := sources[0].sql
	scope := []string{sources[0].name}
	merged := false
	for _, s := range sources[1:] {
		kind := g.or("JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")
		from += " " + kind + " " + s.sql
		if merged = kind != "CROSS JOIN" && g.random.IntN(4) == 0; merged {
			from += " USING (id)"
		} else if kind != "CROSS JOIN" {
			// FULL JOIN wants an equality everywhere.
			from += " ON " + scope[g.random.IntN(len(scope))] + "." + g.or("id", "a", "b") + " = " + s.name + "." + g.or("id", "a", "b")
			if kind != "FULL JOIN" && g.random.IntN(3) == 0 {
				from += " AND " + s.name + "." + g.or("b", "d") + " IS NOT NULL"
			}
		}
		scope = append(scope, s.name)
	}
	all := append(append([]string{}, scope...), outer...)
	where := ""
	if g.random.IntN(2) == 0 {
		where = " WHERE " + g.condition(depth, all)
	}
	switch g.random.IntN(6) {
	case 0: // an aggregate over everything
		a := g.aggregate(depth, all)
		if g.dialect == ir.SQLite && g.random.IntN(2) == 0 {
			a = g.integer(depth, all) // of any row, which SQLite takes, or of none
		}
		return "SELECT count(*) AS id, " + a + " AS a, " + g.aggregate(depth, all) + " AS b, coalesce(max(" + g.text(depth, all) + "), 'x') AS c, max(" + g.text(depth, all) + ") AS d FROM " + from + where
	case 1: // groups
		key, other := scope[0]+"."+g.or("id", "a", "b"), scope[len(scope)-1]+"."+g.or("c", "d")
		out := "SELECT " + key + " AS id, " + g.aggregate(depth, all) + " AS a, " + g.aggregate(depth, all) + " AS b, " + other + " AS c, " + g.or("min", "max") + "(" + g.text(depth, all) + ") AS d FROM " + from + where
		if g.dialect != ir.SQLite && g.random.IntN(4) == 0 {
			return out + " GROUP BY " + g.or("ROLLUP", "CUBE") + " (" + key + ", " + other + ")"
		}
		return out + " GROUP BY " + key + ", " + other
	case 2: // a window
		return "SELECT row_number() OVER (ORDER BY " + scope[0] + ".id) AS id, " + g.or("sum", "min", "count", "lag", "first_value") + "(" + g.integer(depth, all) + ") OVER (ORDER BY " + scope[0] + ".a) AS a, " +
			g.integer(depth, all) + " AS b, " + g.text(depth, all) + " AS c, " + g.text(depth, all) + " AS d FROM " + from + where
	}
	id := g.integer(depth, all)
	if merged {
		id = g.or("id", "coalesce(id, 0)", "abs(id)")
		if where == "" {
			where = g.or("", " WHERE id IS NOT NULL", " WHERE id = 1")
		}
	}
	out := "SELECT " + g.or("", "", "DISTINCT ") + id + " AS id, " + g.integer(depth, all) + " AS a, " + g.integer(depth, all) + " AS b, " + g.text(depth, all) + " AS c, " + g.text(depth, all) + " AS d FROM " + from + where
	return out
}

func (g *generator) column(scope []string, names ...string) string {
	return scope[g.random.IntN(len(scope))] + "." + g.or(names...)
}

func (g *generator) aggregate(depth int, scope []string) string {
	out := g.or("sum", "min", "max", "count") + "(" + g.integer(depth, scope) + ")"
	if g.random.IntN(4) == 0 {
		out += " FILTER (WHERE " + g.column(scope, "a", "b") + " > 1)"
	}
	// One type on all engines: PostgreSQL's sum of bigint is numeric.
	return "CAST(" + out + " AS INTEGER)"
}

// integer makes an expression of type INTEGER.
func (g *generator) integer(depth int, scope []string) string {
	if depth <= 0 {
		return g.column(scope, "id", "a", "b")
	}
	sub := func() string { return g.integer(depth-1, scope) }
	switch g.random.IntN(14) {
	case 0:
		return "coalesce(" + sub() + ", " + sub() + ")"
	case 1:
		return "CASE WHEN " + g.condition(depth-1, scope) + " THEN " + sub() + " ELSE " + sub() + " END"
	case 2:
		return "CASE WHEN " + g.condition(depth-1, scope) + " THEN " + sub() + " END"
	case 3:
		return "nullif(" + sub() + ", 1)"
	case 4:
		return "CAST((" + sub() + " " + g.or("+", "-") + " " + g.or("1", sub()) + ") AS INTEGER)"
	case 5:
		return "length(" + g.text(depth-1, scope) + ")"
	case 6:
		return g.scalar(depth-1, scope)
	case 7:
		return "CASE WHEN EXISTS (SELECT 1 FROM t2 WHERE t2.a = " + g.column(scope, "a", "b") + ") THEN 1 ELSE 0 END"
	case 8:
		return strconv.Itoa(g.random.IntN(3))
	case 9:
		return "abs(" + sub() + ")"
	}
	return g.column(scope, "id", "a", "b")
}

// scalar makes a scalar subquery of type INTEGER, which may refer outward.
func (g *generator) scalar(depth int, scope []string) string {
	name := g.name()
	inner := append([]string{name}, scope...)
	what := g.or("count(*)", "count(*)", "max("+name+".a)", "count("+g.column(inner[:1], "b")+")", "count("+g.column(inner, "b")+")", "max("+g.column(inner[:1], "b", "id")+")")
	return "CAST((SELECT " + what + " FROM " + g.or(tables...) + " AS " + name + " WHERE " + name + ".id = " + g.column(scope, "a", "b") + g.or("", " LIMIT 1", " GROUP BY "+name+".id") + ") AS INTEGER)"
}

// text makes an expression of type text.
func (g *generator) text(depth int, scope []string) string {
	if depth <= 0 {
		return g.column(scope, "c", "d")
	}
	sub := func() string { return g.text(depth-1, scope) }
	switch g.random.IntN(9) {
	case 0:
		return "coalesce(" + sub() + ", " + sub() + ")"
	case 1:
		return "(" + sub() + " || " + sub() + ")"
	case 2:
		return g.or("lower", "upper", "trim") + "(" + sub() + ")"
	case 3:
		return "CASE WHEN " + g.condition(depth-1, scope) + " THEN " + sub() + " ELSE " + sub() + " END"
	case 4:
		return "replace(" + sub() + ", 'x', '')"
	case 5:
		return "CAST(" + g.integer(depth-1, scope) + " AS VARCHAR(20))"
	}
	return g.column(scope, "c", "d")
}

func (g *generator) condition(depth int, scope []string) string {
	if depth <= 0 {
		return g.column(scope, "id", "a", "b") + " " + g.or("=", "<>", "<", ">=") + " " + g.column(scope, "id", "a", "b")
	}
	sub := func() string { return g.condition(depth-1, scope) }
	switch g.random.IntN(10) {
	case 0:
		return "(" + sub() + " AND " + sub() + ")"
	case 1:
		return "(" + sub() + " OR " + sub() + ")"
	case 2:
		return "NOT " + "(" + sub() + ")"
	case 3, 4:
		return g.column(scope, "b", "d") + " IS " + g.or("", "NOT ") + "NULL"
	case 5:
		return g.integer(depth-1, scope) + " BETWEEN 0 AND " + g.integer(depth-1, scope)
	case 6:
		return g.integer(depth-1, scope) + g.or(" IN ", " NOT IN ") + "(0, " + g.integer(depth-1, scope) + ")"
	case 7:
		return g.text(depth-1, scope) + " LIKE '%x%'"
	case 8:
		return g.integer(depth-1, scope) + " IN (SELECT " + g.or("a", "b") + " FROM t1)"
	}
	return g.integer(depth-1, scope) + " " + g.or("=", "<>", "<", ">=") + " " + g.integer(depth-1, scope)
}
