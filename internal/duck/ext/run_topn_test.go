package ext_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/duck"
)

func ask(t *testing.T, conn *duck.Conn, sql string) string {
	t.Helper()
	var out strings.Builder
	for _, row := range valuesOf(t, conn, sql) {
		out.WriteString(strings.Join(row, "|") + "\n")
	}
	return out.String()
}

// texts returns the rows of a query as text.
func texts(t *testing.T, conn *duck.Conn, sql string) string {
	t.Helper()
	return ask(t, conn, "SELECT COLUMNS(*)::VARCHAR FROM ("+sql+")")
}

// tables is the SQL that fills the table t. Its values are ascending, descending, random or
// constant, with few or many distinct ones, with and without NULLs. It has more rows than a thread
// reads at once.
const tables = `CREATE TABLE t AS SELECT i, v::%[1]s AS v, w FROM (
	SELECT i, w, CASE WHEN w %% %[3]d = 0 THEN NULL ELSE %[2]s END AS v
	FROM (SELECT i, hash(i) %% 1000 AS w, hash(i + 7) AS h FROM range(20000) r(i)))`

var shapes = []string{"i %% 120", "120 - i %% 120", "(i // 170)", "(120 - i // 170)", "(h %% 120)::BIGINT", "1"}

// types are the types of sort keys. Not all of them have a Chooser.
var types = []string{
	"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(9, 2)",
	"DECIMAL(18, 3)", "VARCHAR", "BOOLEAN",
}

// TestFirstRows checks that the first rows are the same with and without the operator, in whatever
// order the rows are stored.
func TestFirstRows(t *testing.T) {
	ours, plain := connect(t, extendPlans), connect(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, kind := range types {
		for _, shape := range shapes {
			create := fmt.Sprintf(tables, kind, strings.ReplaceAll(shape, "%%", "%"), []int{1001, 3}[random.IntN(2)])
			for _, conn := range []*duck.Conn{ours, plain} {
				ask(t, conn, "DROP TABLE IF EXISTS t")
				ask(t, conn, create)
			}
			for range 6 {
				first := "v " + []string{"ASC", "DESC"}[random.IntN(2)] + " NULLS " + []string{"FIRST", "LAST"}[random.IntN(2)]
				order := fmt.Sprintf("LIMIT %d OFFSET %d", []int{1, 2, 10, 200}[random.IntN(4)], []int{0, 0, 3}[random.IntN(3)])
				where := []string{"", " WHERE w < 500", " WHERE w = 77"}[random.IntN(3)]
				for _, sql := range []string{
					"SELECT v FROM t" + where + " ORDER BY " + first + " " + order,
					"SELECT v, w, i FROM t" + where + " ORDER BY " + first + ", w DESC, i " + order,
					"SELECT v FROM (SELECT v, w FROM t UNION ALL SELECT v, w FROM t)" + where + " ORDER BY " + first + " " + order,
				} {
					if got, want := texts(t, ours, sql), texts(t, plain, sql); got != want {
						t.Fatalf("%s\n%s\ngives\n%s\nnot\n%s", create, sql, got, want)
					}
				}
			}
		}
	}
}

// TestOrderOfTypes checks types whose order differs from the order of their stored numbers, and
// values that do not compare like numbers.
func TestOrderOfTypes(t *testing.T) {
	ours, plain := connect(t, extendPlans), connect(t)
	for _, values := range []string{
		"'12:00:00+02'::TIMETZ), ('12:00:00-02'::TIMETZ), ('11:00:00+00'::TIMETZ), ('13:30:00+03:30'::TIMETZ",
		"'nan'::DOUBLE), ('inf'::DOUBLE), ('-inf'::DOUBLE), (-0.0), (0.0), (1.5), (NULL",
		"'nan'::FLOAT), ('inf'::FLOAT), ('-inf'::FLOAT), (1.5), (NULL",
		"'infinity'::TIMESTAMP), ('-infinity'::TIMESTAMP), ('2020-01-01'::TIMESTAMP), (NULL",
		"'infinity'::DATE), ('2020-01-01'::DATE), ('-infinity'::DATE",
		"'b'::ENUM('c', 'b', 'a')), ('a'), ('c'), (NULL",
		"INTERVAL 1 MONTH), (INTERVAL 30 DAYS), (INTERVAL 31 DAYS",
		"'11111111-1111-1111-1111-111111111111'::UUID), ('f1111111-1111-1111-1111-111111111111'::UUID), ('01111111-1111-1111-1111-111111111111'::UUID",
	} {
		for _, order := range []string{"v", "v DESC", "v NULLS FIRST", "v DESC NULLS FIRST"} {
			sql := "SELECT v FROM (VALUES (" + values + ")) t(v), range(1000) ORDER BY " + order + " LIMIT "
			table := "CREATE OR REPLACE TEMP TABLE t AS SELECT v FROM (VALUES (" + values + ")) t(v), range(1000) ORDER BY hash(range)"
			for _, conn := range []*duck.Conn{ours, plain} {
				ask(t, conn, table)
			}
			for _, n := range []string{"1", "7"} {
				for _, sql := range []string{sql + n, "SELECT v FROM t ORDER BY " + order + " LIMIT " + n + " OFFSET 2"} {
					if got, want := texts(t, ours, sql), texts(t, plain, sql); got != want {
						t.Errorf("%s gives\n%s\nnot\n%s", sql, got, want)
					}
				}
			}
		}
	}
}

// TestPlans checks which plans have the operator: plans over stored rows have it, and plans over
// computed rows are unchanged.
func TestPlans(t *testing.T) {
	conn := connect(t, extendPlans)
	ask(t, conn, "CREATE TABLE t AS SELECT range AS i, range % 7 AS k FROM range(1000)")
	for sql, want := range map[string]bool{
		"SELECT * FROM t ORDER BY i DESC LIMIT 1":                             true,
		"SELECT * FROM t WHERE k = 1 ORDER BY i DESC LIMIT 10 OFFSET 10":      true,
		"SELECT * FROM t ORDER BY i DESC LIMIT 1000":                          false,
		"SELECT * FROM t ORDER BY i::VARCHAR DESC LIMIT 1":                    false,
		"SELECT k, count(*) AS n FROM t GROUP BY k ORDER BY n DESC LIMIT 1":   false,
		"SELECT * FROM t ORDER BY i DESC":                                     false,
		"SELECT * FROM t WHERE i > (SELECT i FROM t ORDER BY i DESC LIMIT 1)": true,
	} {
		if plan := ask(t, conn, "EXPLAIN "+sql); strings.Contains(plan, "SCOTER_TOP_OF_VECTOR") != want {
			t.Errorf("%s: the operator is in the plan: %v, expected the opposite\n%s", sql, !want, plan)
		}
	}
}
