package slt

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/session"
)

// TestChangesAreExplained checks that EXPLAIN of a change returns the plan of the query that finds
// the rows, and changes no rows.
func TestChangesAreExplained(t *testing.T) {
	db := openScoter(t, false, 1)
	for _, sql := range []string{
		"CREATE TABLE t (n INTEGER, v INTEGER)",
		"INSERT INTO t SELECT i, i FROM range(10) r(i)",
		"CREATE TABLE u (n INTEGER)",
		"INSERT INTO u VALUES (3), (4)",
		"CREATE TABLE p (k INTEGER PRIMARY KEY, v INTEGER CHECK (v >= 0))",
		"INSERT INTO p SELECT i, i FROM range(10) r(i)",
	} {
		if _, err := db.run(sql); err != nil {
			t.Fatal(err)
		}
	}
	const contents = "SELECT (SELECT sum(n * 100 + v) FROM t), (SELECT sum(k * 100 + v) FROM p), (SELECT count(*) FROM t)"
	before, err := db.run(contents)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql, want string
		args      []any
	}{
		{"EXPLAIN UPDATE t SET v = v + 1 WHERE n > 3", "n>3", nil},
		{"explain update t set v = $1 where n > $2", "n>7", []any{1, 7}},
		{"EXPLAIN DELETE FROM t USING u WHERE t.n = u.n", "HASH_JOIN", nil},
		{"EXPLAIN WITH x AS (SELECT n FROM u WHERE n > 3) DELETE FROM t WHERE n IN (FROM x) RETURNING *", "JOIN", nil},
		{"EXPLAIN UPDATE t SET v = 0 WHERE n = 3 WITH (mode = 'rewrite')", "n=3", nil},
		{"EXPLAIN MERGE INTO p USING u ON p.k = u.n WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (u.n, 1)", "JOIN", nil},
		{"EXPLAIN INSERT INTO t BY NAME SELECT n FROM u WHERE n = 4", "n=4", nil},
		{"EXPLAIN INSERT INTO p VALUES (1, 2) ON CONFLICT DO NOTHING", "PROJECTION", nil},
		{"EXPLAIN (FORMAT json) UPDATE p SET v = 3 WHERE v > 5", `"name"`, nil},
		{"EXPLAIN UPDATE p SET v = 3 WHERE k = 5", "SCOTER_", nil},
		{"EXPLAIN (ANALYZE, FORMAT json) SELECT v FROM p", `"operator_timing"`, nil},
		{"EXPLAIN UPDATE p SET v = -1", "PROJECTION", nil}, // a CHECK would refuse the update
		{"EXPLAIN ALTER TABLE t ALTER v TYPE VARCHAR", "ALTER", nil},
		{"EXPLAIN (FORMAT json) ALTER TABLE IF EXISTS absent ADD COLUMN x INTEGER", `"ALTER"`, nil},
		{"EXPLAIN DROP TABLE t", "DROP", nil},
		{"EXPLAIN DROP VIEW IF EXISTS absent", "DROP", nil},
		{"EXPLAIN TRUNCATE t", "SCOTER", nil},
		{"EXPLAIN CREATE TABLE made (a INTEGER) SORTED BY (a)", "CREATE_TABLE", nil},
		{"EXPLAIN CREATE SCHEMA made", "CREATE_SCHEMA", nil},
	} {
		plan, err := db.execute(t.Context(), session.Request{SQL: c.sql, Args: c.args, Database: "default", Role: session.Reader})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
		} else if text := fmt.Sprint(plan.rows); !strings.Contains(text, c.want) {
			t.Errorf("%s: no %s in\n%s", c.sql, c.want, text)
		}
	}
	for sql, at := range map[string]string{
		"EXPLAIN ANALYZE DELETE FROM t":                "ANALYZE",
		"EXPLAIN (FORMAT json, ANALYZE) DELETE FROM t": "ANALYZE",
		"EXPLAIN (ANALYZE, FORMAT json) DELETE FROM t": "ANALYZE",
		"EXPLAIN UPDATE t SET v = 1 WHERE nothing":     "nothing",
		"EXPLAIN (FORMAT json) UPDATE t SET x1 = 1":    "x1",
		"EXPLAIN DELETE FROM absent":                   "absent",
		"EXPLAIN ANALYZE DROP TABLE t":                 "ANALYZE",
		"EXPLAIN DROP TABLE absent":                    "absent",
		"EXPLAIN ALTER TABLE absent DROP COLUMN x":     "absent",
		"EXPLAIN TRUNCATE absent":                      "absent",
		"EXPLAIN INSERT INTO t SELECT 1, wrong":        "wrong",
	} {
		_, err := db.run(sql)
		if e := new(base.Error); !errors.As(err, &e) || e.Position != strings.Index(sql, at)+1 {
			t.Errorf("%s: %v, at %d", sql, err, e.Position)
		}
	}
	after, err := db.run(contents)
	if err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v, then %v, %v", before, after, err)
	}
}
