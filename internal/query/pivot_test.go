package query

import (
	"slices"
	"testing"

	"github.com/scoterdb/scoter/internal/sqltoken"
)

func TestLastOpenPivotFindsWhatHasNoList(t *testing.T) {
	f := func(sql string, want ...string) {
		t.Helper()
		tokens, err := sqltoken.Split(sql)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		_, elements := lastOpenPivot(sql, tokens)
		for _, e := range elements {
			got = append(got, e.values)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", sql, got, want)
		}
	}
	distinct := func(expression, source string) string {
		return "SELECT DISTINCT CAST(" + expression + " AS VARCHAR) AS scoter_pivot FROM " + source +
			" WHERE scoter_pivot IS NOT NULL ORDER BY scoter_pivot"
	}
	f("SELECT pivot FROM t")
	f("PIVOT t ON c IN (1, 2) USING sum(x)")
	f("PIVOT t USING sum(x) GROUP BY y")
	f("FROM t PIVOT (sum(x) FOR c IN (1, 2)) JOIN u ON t.a = u.a")
	f("SELECT 'PIVOT t ON c' -- PIVOT t ON c")
	f("PIVOT t ON c", distinct("c", "t"))
	f("pivot (select 1 as c) on c || 'x', (a, b) using sum(x)", distinct("c || 'x'", "(select 1 as c)"), distinct("(a, b)", "(select 1 as c)"))
	f("PIVOT t ON a IN (1), b USING sum(x) GROUP BY y ORDER BY y", distinct("b", "t"))
	f("PIVOT t ON c IN (SELECT v FROM w) GROUP BY y", "SELECT CAST(v AS VARCHAR) FROM (SELECT v FROM w) AS scoter_pivot(v) WHERE v IS NOT NULL")
	// The inner PIVOT comes first, because it is part of the outer one's source.
	f("PIVOT (PIVOT t ON a USING sum(x)) ON b", distinct("a", "t"))
	// The source of the PIVOT may name these CTEs.
	f("WITH q AS (SELECT 1) PIVOT q ON c", "WITH q AS (SELECT 1) SELECT * FROM ("+distinct("c", "q")+")")
	f("WITH q AS (SELECT 1), p AS (PIVOT q ON c) FROM p", "WITH q AS (SELECT 1) SELECT * FROM ("+distinct("c", "q")+")")
	f("SELECT * FROM (WITH q AS (SELECT 1) PIVOT q ON c), (WITH r AS (SELECT 2) FROM r)", "WITH q AS (SELECT 1) SELECT * FROM ("+distinct("c", "q")+")")
}

func TestQualifyingKnowsATableByEveryName(t *testing.T) {
	path := []string{"db", "main", "t"}
	f := func(want int, names ...string) {
		t.Helper()
		if got := qualifying(names, path); got != want {
			t.Errorf("%q: %d, want %d", names, got, want)
		}
	}
	f(3, "db", "main", "t", "c")
	f(3, "DB", "Main", "T", "c", "field")
	f(2, "main", "t", "c")
	f(2, "db", "t", "c")
	f(0, "t", "c", "field")
	f(0, "main", "t")
	f(0, "other", "t", "c")
}
