package query

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestNamesThatDecide checks which columns decide about the rows of a query: those named outside of
// select lists, and those in the expressions that such names stand for. If a column counted that is
// not needed, statements would run again whenever it changes.
func TestNamesThatDecide(t *testing.T) {
	conn := connect(t)
	f := func(sql, want string) {
		t.Helper()
		a, err := analyze(conn, sql, false)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(a.decidingColumns.names)), " "); got != want || a.decidingColumns.all {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	f("SELECT a, b + c FROM t WHERE t.d > 1 AND e", "d e t")
	f("SELECT a FROM t JOIN u USING (b) WHERE EXISTS (SELECT c FROM v WHERE v.d = 1)", "b c d v")
	f("SELECT a FROM t, (SELECT id, b FROM u WHERE f) AS s WHERE t.id = s.id", "f id s t")
	f("SELECT a FROM t, (SELECT t.b = 0 AS low, t.c AS d FROM u) AS s WHERE s.low", "b low s t")
	f("SELECT a FROM t, (SELECT t.b = 0, t.c) AS s(low, other) WHERE low", "b c low t")
	f("SELECT a FROM t, (SELECT t.b AS x) AS s, (SELECT s.x AS y) AS r WHERE y", "b s t x y")
	f("SELECT a FROM t, (SELECT t.b + 1), (SELECT * FROM u)", "b t")
	// The alias that a sub-query gives to an expression is not visible in that expression.
	f("SELECT a FROM (SELECT t.a + t.b AS a FROM t WHERE t.a = 1) AS t", "a t")
	f("WITH q AS (SELECT z FROM u WHERE w) SELECT a FROM t JOIN q ON t.b = q.z", "b q t z")
}
