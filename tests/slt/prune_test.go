package slt

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

// The test runs the same random queries on a table with many parts and on a plain DuckDB table.
// Pruning by the statistics of parts may only leave out parts without matching rows.

var (
	seed    = flag.Uint64("seed", 1, "of the random predicates")
	queries = flag.Int("queries", 600, "random predicates to ask")
)

// pruneColumn is a column with an expression for the value of row n of part p. It also has
// constants to compare the column with, of its own type and of others.
type pruneColumn struct {
	name, typ, value string
	constants        []string
	parameters       []any
}

var pruneColumns = []pruneColumn{
	{"i", "INTEGER", "p * 100 + n", []string{"250", "300", "301.5", "1e2", "'405'", "'405'::BIGINT", "-1", "99999999999", "3015e-1", "405::DOUBLE", "true", "300.0", "'300.0'::DECIMAL(9,1)"},
		[]any{300, 305.5, "405", int64(1 << 40), uint64(401), true, -7.0}},
	{"big", "BIGINT", "(p - 5) * 9007199254740993 + n", []string{"9007199254740993", "9007199254740992::DOUBLE", "9007199254740992e0", "-9007199254740992e0", "9007199254740993.5", "18014398509481984::DOUBLE", "18014398509481986", "0", "-9007199254740993", "'9007199254740994'"},
		[]any{int64(9007199254740993), 9007199254740992.0, "0"}},
	{"huge", "HUGEINT", "(p - 5)::HUGEINT * 100000000000000000000 + n", []string{"100000000000000000001", "0", "5", "9", "-100000000000000000000", "'100000000000000000000'", "1e20"}, []any{5, "100000000000000000001"}},
	{"ub", "UBIGINT", "p::HUGEINT * 1000000000000000000 + n", []string{"1000000000000000001", "-5", "5000000000000000000", "1e18", "18446744073709551615"}, []any{uint64(5000000000000000001), -1}},
	{"dec", "DECIMAL(10,2)", "p + n / 100", []string{"3", "3.01", "3.005", "3.01::DOUBLE", "301e-2", "'3.02'", "3.010", "100000000000"}, []any{3, 3.01, "3.02"}},
	{"d", "DOUBLE", "CASE WHEN p = 4 AND n = 1 THEN 'nan'::DOUBLE WHEN p = 4 AND n = 2 THEN '-inf'::DOUBLE WHEN p = 5 AND n < 3 THEN -0.0 ELSE (p - 5) * 1.5 + n / 10 END",
		[]string{"0", "-0.0", "0.0", "1.5", "3::FLOAT", "'nan'", "'inf'", "'-inf'::DOUBLE", "1.1::FLOAT", "1.6e0", "41e-1", "2", "'1.6'"}, []any{0.0, 1.5, 2, "1.6"}},
	{"f", "FLOAT", "p + n / 10", []string{"3.1", "31e-1", "3.1::DOUBLE", "3.1::FLOAT", "3", "4.5", "'4.2'"}, []any{3.1, 4, "3.1"}},
	{"s", "VARCHAR", "CASE WHEN p = 6 THEN repeat('m', 200) || n WHEN p = 7 THEN 'ü' || n ELSE chr(97 + p) || '-' || n END",
		[]string{"'c-3'", "'d'", "repeat('m', 200)", "'" + strings.Repeat("m", 200) + "5'", "5", "''", "'ü5'", "'C-3'", "DATE '2024-01-01'", "lower('D-4')", "'c' || '-4'"}, []any{"c-3", "", "mm", 5}},
	{"num", "VARCHAR", "(p * 10 + n)::VARCHAR", []string{"35", "'35'", "9", "'9'", "35.0", "1e1"}, []any{35, "35", 9.0}},
	{"dt", "DATE", "DATE '2024-01-01' + p * 30 + n", []string{"'2024-03-05'", "DATE '2024-03-01'", "TIMESTAMP '2024-03-01 10:00:00'", "TIMESTAMP '2024-03-01'", "TIMESTAMPTZ '2024-03-01 10:00:00+02'", "now()", "current_date", "'2024-03-01'::TIMESTAMP", "today() - 3", "'infinity'", "make_date(2024, 4, 1)"},
		[]any{"2024-03-05", time.Date(2024, 3, 1, 10, 0, 0, 0, time.UTC)}},
	{"ts", "TIMESTAMP", "TIMESTAMP '2024-01-01' + INTERVAL (p * 24 + n) HOUR", []string{"'2024-01-04'", "DATE '2024-01-04'", "TIMESTAMP '2024-01-04 05:00:00'", "'2024-01-04 05:00:00.000001'", "TIMESTAMPTZ '2024-01-04 05:00:00+00'", "now()", "now()::TIMESTAMP - INTERVAL 1 DAY", "date_trunc('day', TIMESTAMP '2024-01-04 05:00')", "'2024-01-04 05:00:00'::TIMESTAMP_NS", "'2024-01-04 05:00:00'::TIMESTAMP_S", "'infinity'", "'-infinity'::TIMESTAMP", "TIMESTAMP '2024-01-01' + INTERVAL 70 HOUR"},
		[]any{"2024-01-04", time.Date(2024, 1, 4, 5, 0, 0, 0, time.UTC), "2024-01-04 05:00:00"}},
	{"tz", "TIMESTAMPTZ", "TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL (p * 24 + n) HOUR", []string{"'2024-01-04 05:00:00+02'", "DATE '2024-01-04'", "TIMESTAMP '2024-01-04 05:00:00'", "now()", "'2024-01-04'", "to_timestamp(1704344400)"},
		[]any{"2024-01-04", time.Date(2024, 1, 4, 5, 0, 0, 0, time.UTC)}},
	{"ns", "TIMESTAMP_NS", "(TIMESTAMP '2024-01-01' + INTERVAL (p * 24 + n) HOUR)::TIMESTAMP_NS", []string{"'2024-01-04'", "'2024-01-04 05:00:00.000000001'", "TIMESTAMP '2024-01-04 05:00:00'", "DATE '2024-01-03'"}, []any{"2024-01-04"}},
	{"sec", "TIMESTAMP_S", "(TIMESTAMP '2024-01-01' + INTERVAL (p * 24 + n) HOUR)::TIMESTAMP_S", []string{"'2024-01-04'", "TIMESTAMP '2024-01-04 05:00:00.5'", "TIMESTAMP_S '2024-01-04 05:00:00'", "DATE '2024-01-03'"}, []any{"2024-01-04"}},
	{"ms", "TIMESTAMP_MS", "(TIMESTAMP '2024-01-01' + INTERVAL (p * 24 + n) HOUR)::TIMESTAMP_MS", []string{"'2024-01-04'", "TIMESTAMP '2024-01-04 05:00:00.0005'", "DATE '2024-01-03'"}, nil},
	{"tm", "TIME", "TIME '00:00:00' + INTERVAL (p * 60 + n) MINUTE", []string{"'03:05:00'", "TIME '04:00:00'"}, []any{"03:05:00"}},
	{"b", "BOOLEAN", "p > 5", []string{"true", "false", "1", "'true'"}, []any{true}},
	{"u", "UUID", "('0000000' || (p % 10) || '-0000-0000-0000-00000000000' || n)::UUID", []string{"'00000003-0000-0000-0000-000000000005'", "UUID '00000005-0000-0000-0000-000000000000'", "'ffffffff-0000-0000-0000-000000000000'"}, []any{"00000003-0000-0000-0000-000000000005"}},
	{"e", "ENUM('z', 'y', 'x', 'a')", "(['z', 'y', 'x', 'a'])[1 + p // 3]", []string{"'y'", "'x'", "'zz'"}, []any{"y"}},
	{"bl", "BLOB", "chr(65 + p)::BLOB", []string{"'D'", "'E'::BLOB", "'\\xFF'::BLOB"}, []any{[]byte("D")}},
	{"iv", "INTERVAL", "INTERVAL (p * 30 + n) DAY", []string{"INTERVAL 3 MONTH", "'90 days'"}, nil},
	{"wide", "BIGINT", "p * 10 + n", []string{"35", "35.5", "3000000000", "'40'"}, []any{35}},
	{"added", "INTEGER", "p", []string{"7", "42", "6.5", "8"}, []any{7, 42}},
	{"late", "VARCHAR", "'l' || p", []string{"'l8'", "'a'"}, []any{"l8"}},
}

const (
	pruneParts     = 12
	alteredAt      = 7 // the part before which columns are added and widened
	pruneRowsEach  = 6
	prunedAtLeast  = 100 // parts, over all random queries
	answeredOfEach = 3   // at least one query in three is not an error
)

// prunePair is the same table on both engines.
type prunePair struct {
	ours   *scoterDB
	oracle *duckDB
}

func newPrunePair(t *testing.T) prunePair {
	pair := prunePair{openScoter(t, false, 0), openDuckDB(t)}
	both := func(sql string) {
		t.Helper()
		for _, db := range []database{pair.ours, pair.oracle} {
			if _, err := db.run(sql); err != nil {
				t.Fatalf("%s: %s: %v", db.engine(), sql, err)
			}
		}
	}
	columns := []string{"id INTEGER", "part INTEGER"}
	for _, c := range pruneColumns {
		switch c.name {
		case "wide":
			columns = append(columns, "wide SMALLINT")
		case "added", "late":
		default:
			columns = append(columns, c.name+" "+c.typ)
		}
	}
	// Use partitions, because parts of one partition would be merged at some time.
	create := "CREATE TABLE t (" + strings.Join(columns, ", ") + ")"
	if _, err := pair.oracle.run(create); err != nil {
		t.Fatal(err)
	}
	if _, err := pair.ours.run(create + " PARTITIONED BY (part)"); err != nil {
		t.Fatal(err)
	}
	for p := range pruneParts {
		if p == alteredAt {
			both("ALTER TABLE t ALTER wide TYPE BIGINT")
			both("ALTER TABLE t ADD COLUMN added INTEGER DEFAULT 42")
			both("ALTER TABLE t ADD COLUMN late VARCHAR")
		}
		values := []string{fmt.Sprintf("%d * 1000 + n AS id, p AS part", p)}
		for i, c := range pruneColumns {
			if p < alteredAt && (c.name == "added" || c.name == "late") {
				continue
			}
			// Some values are NULL, and in one part all values of a column are.
			null := "n % 5 = 4"
			if p == (i+3)%pruneParts {
				null = "true"
			}
			values = append(values, fmt.Sprintf("CASE WHEN %s THEN NULL ELSE %s END AS %s", null, c.value, c.name))
		}
		both(fmt.Sprintf("INSERT INTO t BY NAME SELECT %s FROM (SELECT %d AS p, m::INTEGER AS n FROM range(%d) r(m))", strings.Join(values, ", "), p, pruneRowsEach))
		if p < pruneParts-1 { // the last rows stay in the memtable
			if err := pair.ours.app.Engine.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	both("CREATE VIEW v AS SELECT * FROM t")
	both("CREATE VIEW renamed AS SELECT id, ts AS i, i AS ts, s AS dt, dt AS s, d AS f, f AS d FROM v")
	return pair
}

// predicates makes random conditions. The parameters that they use are in args.
type predicates struct {
	*rand.Rand
	args []any
}

func (r *predicates) constant(c pruneColumn) string {
	if len(c.parameters) > 0 && r.IntN(4) == 0 {
		r.args = append(r.args, c.parameters[r.IntN(len(c.parameters))])
		return fmt.Sprintf("$%d", len(r.args))
	}
	if r.IntN(40) == 0 {
		return "NULL"
	}
	return c.constants[r.IntN(len(c.constants))]
}

func (r *predicates) atom() string {
	c := pruneColumns[r.IntN(len(pruneColumns))]
	op := []string{"=", "<", "<=", ">", ">=", "<>"}[r.IntN(6)]
	switch r.IntN(14) {
	case 0:
		return fmt.Sprintf("%s %s %s", r.constant(c), op, c.name)
	case 1:
		return fmt.Sprintf("%s BETWEEN %s AND %s", c.name, r.constant(c), r.constant(c))
	case 2:
		return fmt.Sprintf("%s IN (%s, %s)", c.name, r.constant(c), r.constant(c))
	case 3:
		return fmt.Sprintf("%s NOT IN (%s)", c.name, r.constant(c))
	case 4:
		return c.name + []string{" IS NULL", " IS NOT NULL"}[r.IntN(2)]
	case 5:
		return fmt.Sprintf("%s IS %sDISTINCT FROM %s", c.name, []string{"", "NOT "}[r.IntN(2)], r.constant(c))
	case 6:
		return fmt.Sprintf("CASE WHEN %s %s %s THEN i > 300 ELSE i < 200 END", c.name, op, r.constant(c))
	case 7:
		return fmt.Sprintf("coalesce(%s %s %s, true)", c.name, op, r.constant(c))
	case 8:
		return fmt.Sprintf("CAST(%s AS VARCHAR) %s '3'", c.name, op)
	default:
		return fmt.Sprintf("%s %s %s", c.name, op, r.constant(c))
	}
}

func (r *predicates) condition(depth int) string {
	if depth == 0 {
		return r.atom()
	}
	switch r.IntN(6) {
	case 0:
		return "(" + r.condition(depth-1) + " OR " + r.condition(depth-1) + ")"
	case 1:
		return "NOT (" + r.condition(depth-1) + ")"
	case 2, 3, 4:
		return r.condition(depth-1) + " AND " + r.condition(depth-1)
	}
	return r.atom()
}

func (r *predicates) query() string {
	where := " WHERE " + r.condition(r.IntN(3))
	const result = "SELECT count(*), sum(id) FROM "
	switch r.IntN(12) {
	case 0:
		return result + "v" + where
	case 1:
		return result + "renamed WHERE i > '2024-01-04' AND ts < 700 AND dt >= 'c' AND s < '2024-06-01'"
	case 2:
		return result + "(SELECT * FROM t" + where + ") AS q WHERE " + r.atom()
	case 3:
		return "WITH c AS (SELECT * FROM v) " + result + "c" + where
	case 4:
		return "WITH c AS (SELECT * FROM t) SELECT (SELECT count(*) FROM c" + where + "), (SELECT sum(id) FROM c)"
	case 5:
		return "SELECT count(*), sum(t.id) FROM t LEFT JOIN (SELECT id, i AS j FROM t) o ON t.i = o.j + 100" + where
	case 6:
		return result + "(SELECT * FROM t ORDER BY id LIMIT 40) AS q" + where
	case 7:
		return result + "(SELECT *, row_number() OVER (ORDER BY id) AS n FROM t) AS q" + where + " AND n > 10"
	}
	return result + "t" + where
}

func TestPruningNeverChangesAResult(t *testing.T) {
	pair := newPrunePair(t)
	pruned, answered := 0, 0
	for n := range *queries {
		r := &predicates{Rand: rand.New(rand.NewPCG(*seed, uint64(n)))}
		sql := r.query()
		want, err := pair.oracle.ask(sql, r.args)
		if err != nil {
			// for example, a text that is not a date: the plan decides which rows are converted
			// first
			continue
		}
		answered++
		answer, err := pair.ours.app.Executor.Execute(context.Background(), session.Request{SQL: sql, Args: r.args, Database: "default", Role: session.Reader})
		if err != nil {
			t.Errorf("-seed %d, query %d: %s %v\n%v", *seed, n, sql, r.args, err)
			continue
		}
		_, got, err := print(context.Background(), answer.Rows)
		pruned += answer.Stats.PrunedParts
		answer.Close()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("-seed %d, query %d: %s %v\ngot %q (%v), want %q", *seed, n, sql, r.args, got, err, want)
		}
	}
	if pruned < prunedAtLeast || answered < *queries/answeredOfEach {
		t.Errorf("%d parts left out by %d queries: the test tests nothing", pruned, answered)
	}
	t.Logf("%d of %d queries answered, %d parts left out", answered, *queries, pruned)
}

func TestPlainConditionsLeavePartsOut(t *testing.T) {
	pair := newPrunePair(t)
	const parts = pruneParts - 1
	f := func(pruned int, sql string, args ...any) {
		t.Helper()
		answer, err := pair.ours.app.Executor.Execute(context.Background(), session.Request{SQL: sql, Args: args, Database: "default", Role: session.Reader})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		defer answer.Close()
		if got := answer.Stats; got.PrunedParts != pruned || got.Parts+got.PrunedParts != parts {
			t.Errorf("%s %v: %d of %d parts left out, want %d of %d", sql, args, got.PrunedParts, got.Parts+got.PrunedParts, pruned, parts)
		}
	}
	f(0, "SELECT * FROM t")
	f(10, "SELECT * FROM t WHERE i = 405")
	f(10, "SELECT * FROM t WHERE 405 = i AND s <> 'x'")
	f(10, "SELECT * FROM t AS x WHERE x.i = 405")
	f(10, "SELECT * FROM main.t WHERE t.i = 405")
	f(9, "SELECT * FROM t WHERE i IN (405, 501)")
	f(9, "SELECT * FROM t WHERE i BETWEEN 400 AND 510")
	f(10, "SELECT * FROM t WHERE i >= 1000")
	f(8, "SELECT count(*) FROM t WHERE ts >= '2024-01-09'")
	f(8, "SELECT count(*) FROM t WHERE ts >= TIMESTAMP '2024-01-09' - INTERVAL 0 DAY")
	f(8, "SELECT count(*) FROM t WHERE ts >= DATE '2024-01-09' AND ts < now()::TIMESTAMP")
	f(11, "SELECT count(*) FROM t WHERE ts > now()::TIMESTAMP")
	// Parameters.
	f(10, "SELECT * FROM t WHERE i = $1", 405)
	f(10, "SELECT * FROM t WHERE i = $n", map[string]any{"n": 405})
	f(10, "SELECT * FROM t WHERE i = ?", int64(405))
	f(10, "SELECT * FROM t WHERE s <> $1 AND i = $2", "x", 405)
	f(8, "SELECT * FROM t WHERE ts >= $1::TIMESTAMP", "2024-01-09")
	f(8, "SELECT * FROM t WHERE ts >= $1", "2024-01-09")
	f(8, "SELECT * FROM t WHERE tz >= $1", time.Date(2024, 1, 9, 0, 0, 0, 0, time.UTC))
	// Through views, subqueries and CTEs.
	f(10, "SELECT * FROM v WHERE i = 405")
	f(10, "SELECT * FROM renamed WHERE ts = 405")
	f(10, "SELECT * FROM (SELECT id, i AS j, i + 1 AS k FROM t) AS q WHERE q.j = 405")
	f(10, "WITH c AS (SELECT * FROM v) SELECT * FROM c WHERE i = 405")
	f(10, "WITH c AS (SELECT * FROM v), d AS (SELECT i AS x FROM c) SELECT * FROM d WHERE x = $1", 405)
	f(10, "SELECT * FROM (SELECT * FROM t WHERE i < 1000) WHERE i > 400 AND i < 500")
	// Conditions that must not prune.
	f(0, "SELECT * FROM t WHERE i = 405 OR s = 'x'")
	f(0, "SELECT * FROM t WHERE NOT (i < 405 AND s > 'a')")
	f(0, "SELECT * FROM t WHERE big = 9007199254740992::DOUBLE")
	f(10, "SELECT * FROM t WHERE big = 18014398509481986")
	f(0, "WITH c AS (SELECT * FROM t) SELECT * FROM c WHERE i = 405 UNION ALL FROM c")
	f(0, "SELECT * FROM (SELECT * FROM t ORDER BY id LIMIT 5) WHERE i = 405")
	f(0, "SELECT * FROM (SELECT i, count(*) OVER () AS n FROM t) WHERE i = 405")
	f(0, "SELECT * FROM (SELECT max(i) AS i FROM t) WHERE i = 405")
	f(0, "SELECT * FROM t AS x(a, b, i) WHERE i = 405")
	f(0, "SELECT * FROM t TABLESAMPLE 100% WHERE i = 405")
}

func (db *duckDB) ask(sql string, args []any) ([]string, error) {
	rows, err := db.conn.Query(context.Background(), sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	_, out, err := print(context.Background(), rows)
	return out, err
}

func TestConstantsThatCannotBeComputedAreTheQuerysErrors(t *testing.T) {
	db := openScoter(t, false, 1)
	for _, sql := range []string{
		"CREATE TABLE t (ts TIMESTAMPTZ)", "INSERT INTO t VALUES ('2024-01-01')", "INSERT INTO t VALUES ('2024-01-02')",
	} {
		mustRun(t, db, sql)
	}
	for _, where := range []string{"ts > now() - CAST($1 AS INTERVAL)", "ts < now() AND ts > now() - CAST($1 AS INTERVAL)", "ts > now() + to_years(CAST(length($1) AS INTEGER) + 99999999)"} {
		got, err := db.execute(context.Background(), session.Request{SQL: "SELECT * FROM t WHERE " + where, Args: []any{"abc"}, Database: "default", Role: session.Reader})
		if base.KindOf(err) != base.Invalid {
			t.Errorf("%s: %v, %v", where, got, err)
		}
	}
	got, err := db.execute(context.Background(), session.Request{
		SQL: "SELECT ts::DATE FROM t WHERE ts > now() - CAST($1 AS INTERVAL)", Args: []any{"100 years"}, Database: "default", Role: session.Reader})
	if err != nil || len(got.rows) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestNarrowQueriesScanOnce uses a condition on the leading column of the sort key, which leaves
// few rows to scan. A second scan for the rows that LIMIT selected would cost more than it saves.
func TestNarrowQueriesScanOnce(t *testing.T) {
	db, _ := openSmall(t, connections)
	db.flushEvery = 1
	for _, sql := range []string{
		"CREATE TABLE t (host TEXT, n INTEGER, v DOUBLE) SORTED BY (host, n)",
		"INSERT INTO t SELECT 'h' || i % 10, i, i / 2 FROM range(1000) r(i)",
	} {
		if _, err := db.run(sql); err != nil {
			t.Fatal(err)
		}
	}
	for condition, twice := range map[string]bool{"host = 'h1'": false, "host IN ('h1', 'h2') AND v > 3": false, "n = 3": true, "host > 'h1'": true} {
		plan, err := db.run("EXPLAIN SELECT * FROM t WHERE " + condition + " ORDER BY v LIMIT 1")
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(plan); strings.Contains(text, "JOIN") != twice {
			t.Errorf("%s:\n%s", condition, text)
		}
	}
}
