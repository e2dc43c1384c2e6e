package ext_test

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/duck"
)

// rows returns a result as text: the values of a row separated by commas, rows by semicolons.
func rows(t *testing.T, conn *duck.Conn, sql string) string {
	t.Helper()
	var out []string
	for _, row := range valuesOf(t, conn, sql) {
		out = append(out, strings.Join(row, ","))
	}
	return strings.Join(out, ";")
}

// defects are queries for which a version of DuckDB 1.5 gives wrong rows or ends the process, with
// the right rows. number is the number of the report in DuckDB's tracker.
var defects = []struct{ number, setup, query, want string }{
	// These defects are fixed in DuckDB 1.5.6. They stay in the list, since the next version may
	// bring them back.
	{"23675", "CREATE TABLE t(s INT, p INT)", "SELECT p FROM t QUALIFY row_number() OVER (ORDER BY s) <= 1", ""},
	{"24363", "", "SELECT * FROM (SELECT c0, row_number() OVER (PARTITION BY c0 ORDER BY NULL) AS c1 FROM (VALUES (3), (3)) t(c0)) WHERE c1 <= 7 ORDER BY ALL", "3,1;3,2"},
	{"23677", "CREATE TABLE t(id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)",
		"SELECT id, row_number() OVER (ORDER BY NULLIF(id % 3, 0) DESC NULLS LAST) AS rn FROM t QUALIFY rn <= 3 ORDER BY rn", "2,1;1,2;3,3"},
	{"23588", "CREATE TABLE l(id INT, k INT, p VARCHAR); CREATE TABLE r(k INT, s INT); INSERT INTO l VALUES (1, 1, 'x'); INSERT INTO r VALUES (1, 20), (1, 10)",
		"SELECT id, p FROM (SELECT l.id, l.p, r.s FROM l JOIN r ON l.k = r.k) QUALIFY row_number() OVER (ORDER BY s DESC NULLS LAST) <= 2", "1,x;1,x"},
	{"24708", "CREATE TABLE t(a INT); INSERT INTO t VALUES (1), (2)", "SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a) <= 1000000 ORDER BY a", "1;2"},
	{"25888", "", "WITH s AS (SELECT count(*) AS n FROM (VALUES (1)) t(a)) SELECT * FROM s WHERE n > 5 QUALIFY row_number() OVER (ORDER BY n) = 1", ""},
	{"25819", "CREATE TABLE q(id INT, r VARCHAR); INSERT INTO q VALUES (1, 'a'), (2, 'b'), (3, 'c')", `WITH pairs AS (SELECT x.id a, y.id b FROM q x JOIN q y ON x.r < y.r),
		tri AS (SELECT p.a, p.b, s.r r1, u.r r2 FROM pairs p JOIN q s ON s.id = p.a JOIN q u ON u.id = p.b WHERE s.r < u.r)
		SELECT r1 || r2 FROM tri UNION ALL SELECT r1 || r2 || a FROM tri ORDER BY ALL`, "ab;ab1;ac;ac1;bc;bc2"},
	{"24368, negation", "CREATE TABLE t(x DOUBLE); INSERT INTO t VALUES ('nan'), (1), (-5)", "SELECT count(*) FROM t WHERE (-x) > 0", "2"},
	{"nested loops", "", `SELECT count(*), sum(x)::BIGINT, sum(lo)::BIGINT FROM (SELECT range * 10 + 7 AS x FROM range(3000)) a
		LEFT JOIN (SELECT range * 10 AS lo, range * 10 + 5 AS hi FROM range(3000)) b ON a.x BETWEEN b.lo AND b.hi`, "3000,45006000,(null)"},

	// Package optimizer corrects these defects.
	{"23678", "", `SELECT id, g FROM (VALUES (1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 1), (5, 2, 2)) t(id, g, p)
		QUALIFY row_number(ORDER BY id DESC) OVER (PARTITION BY g ORDER BY p ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) <= 1 ORDER BY g`, "3,1;5,2"},
	{"24780", "CREATE TABLE t(id BIGINT, n VARCHAR, c VARCHAR); INSERT INTO t VALUES (NULL, 'a', ''), (2, 'z', '')",
		"SELECT n, bit_and(id) OVER (PARTITION BY id, c), bit_or(id) OVER (PARTITION BY c, c) FROM t ORDER BY n", "a,(null),2;z,2,2"},
	{"24302", "", `SELECT bool_and(s = actual) FROM (SELECT s, sum(i) OVER () AS actual FROM (
		SELECT i, sum(i) OVER (PARTITION BY g) AS s FROM (SELECT 1 AS g, i FROM range(1000) t(i) WHERE random() < 0.5)))`, "true"},
	{"25992", "CREATE TABLE t(c BOOLEAN); INSERT INTO t VALUES (NULL)", "SELECT count(*) FROM t WHERE NOT (c IS TRUE) OR NOT (c < TRUE)", "1"},
	{"25992, numbers", "CREATE TABLE t(c INT); INSERT INTO t VALUES (NULL), (NULL)", "SELECT count(*) FROM t WHERE c IS DISTINCT FROM 1 OR c > 5", "2"},
	{"25992, constant first", "CREATE TABLE t(c INT); INSERT INTO t VALUES (NULL), (1)", "SELECT count(*) FROM t WHERE 1 IS DISTINCT FROM c OR 5 < c", "1"},
	{"24368, date_trunc", "CREATE TABLE t(d DATE); INSERT INTO t VALUES (NULL), ('2020-01-05')",
		"SELECT date_trunc('month', d) = DATE '2020-01-02', date_trunc('month', d) <> DATE '2020-01-02' FROM t ORDER BY d NULLS FIRST", "(null),(null);false,true"},
	{"LAG", "", "SELECT lag(range, -9223372036854775808) OVER (), lead(range, o, 7) OVER () FROM range(2), (SELECT (-9223372036854775808)::BIGINT AS o)", "(null),7;(null),7"},
	{"LAG by NULL", "", "SELECT lag(range, CASE WHEN range = 1 THEN NULL ELSE 1 END, 5) OVER (ORDER BY range) FROM range(4) ORDER BY range", "5;(null);1;2"},
	{"24306", "CREATE TABLE t(t TIMESTAMP); INSERT INTO t VALUES ('-infinity'), ('2025-01-01'), ('infinity')", "SELECT count(*) FROM t WHERE CAST(t AS DATE) = DATE 'infinity'", "1"},
	// The rows are chosen so that their partitions are in one group: DuckDB groups partitions by
	// four bits of their hash.
	{"24985", "CREATE TABLE t AS SELECT i AS a, i % 7 AS b, i::DOUBLE AS c FROM range(1080000) r(i) WHERE (hash(i) >> 44) & 15 = 3",
		"SELECT count(*) > 65536, count(*) FILTER (l <> [c]) FROM (SELECT c, list(c) OVER w AS l FROM t " +
			"WINDOW w AS (PARTITION BY a ORDER BY b RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))", "true,0"},
}

func TestKnownDefects(t *testing.T) {
	for _, d := range defects {
		t.Run(d.number, func(t *testing.T) {
			conn := connect(t, extendPlans)
			if d.setup != "" {
				if err := conn.Exec(d.setup); err != nil {
					t.Fatal(err)
				}
			}
			if got := rows(t, conn, d.query); got != d.want {
				t.Errorf("%s\ngave %s, want %s", d.query, got, d.want)
			}
		})
	}
}

// TestOuterRangeJoinsAreStreamed streams a range join in which rows have no partner. In DuckDB
// 1.5.6 this ended the process.
func TestOuterRangeJoinsAreStreamed(t *testing.T) {
	conn := connect(t, extendPlans)
	const a, b = "(SELECT range * 10 + 7 AS x, 'a' || range AS s FROM range(3000)) a", "(SELECT range * 10 AS lo, range * 10 + 5 AS hi, [range] AS l FROM range(3000)) b"
	for join, want := range map[string]int{"LEFT": 3000, "RIGHT": 3000, "FULL": 6000} {
		got := rows(t, conn, "SELECT * FROM "+a+" "+join+" JOIN "+b+" ON a.x BETWEEN b.lo AND b.hi")
		if n := strings.Count(got, ";") + 1; n != want {
			t.Errorf("%s JOIN: %d rows, want %d", join, n, want)
		}
		if got := rows(t, conn, "SELECT sum(x)::BIGINT, count(lo), count(l), count(s) FROM "+a+" "+join+" JOIN "+b+" ON a.x BETWEEN b.lo AND b.hi"); join == "LEFT" && got != "45006000,0,0,3000" {
			t.Errorf("%s JOIN: %s", join, got)
		}
	}
}
