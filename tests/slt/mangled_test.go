package slt

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// statements contain every clause that Scoter parses itself. Complete statements on sources and
// exports end in an error.
var statements = []string{
	"CREATE TABLE IF NOT EXISTS a (id INTEGER PRIMARY KEY, b VARCHAR DEFAULT 'x' NOT NULL, c DECIMAL(9, 2) CHECK (c > 0)) PARTITIONED BY (b) SORTED BY (id, b) WITH (version = 'id', keep = '1 day')",
	"CREATE OR REPLACE TABLE a (x, y) SORTED BY (x DESC NULLS LAST) AS WITH q AS (SELECT 1, 2) FROM q WITH NO DATA",
	"CREATE OR REPLACE VIEW v (x, y) AS SELECT 1, 'a'",
	"CREATE SCHEMA IF NOT EXISTS s",
	"CREATE DATABASE IF NOT EXISTS d",
	"DROP TABLE IF EXISTS nowhere.s.t CASCADE",
	"ALTER TABLE IF EXISTS t ADD COLUMN IF NOT EXISTS d INTEGER DEFAULT 1 + 2",
	"ALTER TABLE t ALTER COLUMN a SET DATA TYPE BIGINT",
	"ALTER TABLE t ALTER COLUMN a SET DEFAULT (1)",
	"ALTER TABLE t RENAME COLUMN a TO a",
	"ALTER TABLE t SET SORTED BY (id DESC NULLS FIRST)",
	"ALTER TABLE t SET PARTITIONED BY (b)",
	"TRUNCATE TABLE t",
	"INSERT OR REPLACE INTO k AS x (id, a) VALUES (1, DEFAULT), (2, -3) RETURNING x.id, a + 1",
	"WITH q AS (SELECT 1 AS id) INSERT INTO t BY NAME SELECT id FROM q UNION ALL (SELECT 2)",
	"INSERT INTO t DEFAULT VALUES",
	"INSERT INTO k VALUES (1, 2, 'x') ON CONFLICT (id) DO UPDATE SET a = excluded.a, b = k.b WHERE k.a < excluded.a RETURNING *",
	"INSERT INTO k (id) (SELECT 7) ON CONFLICT DO NOTHING",
	"UPDATE t AS x SET a = a + 1, (b, id) = ROW('y', 5) FROM (VALUES (1)) AS q(i) WHERE x.id = q.i RETURNING id, b WITH (mode = 'patch')",
	"UPDATE t SET a = CASE WHEN id = 1 THEN 2 ELSE 3 END WHERE id = 1 AND b = 'x' WITH (mode = 'expression')",
	"UPDATE k SET a = -1, b = 'x' WHERE id = 1",
	"DELETE FROM t AS x USING k, s WHERE x.id = k.id AND x.a IS DISTINCT FROM 5 RETURNING * WITH (mode = 'rewrite')",
	"MERGE INTO t AS x USING (SELECT 1 AS id, 2 AS a, 'b' AS b) AS s USING (id) WHEN MATCHED AND s.a > x.a THEN UPDATE SET a = s.a, b = DEFAULT WHEN MATCHED THEN DELETE " +
		"WHEN NOT MATCHED BY TARGET AND id > 3 THEN INSERT (id, a) VALUES (s.id, 1 + 2) WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND a < 0 THEN ERROR 'x' || a RETURNING merge_action, *",
	"MERGE INTO t USING k ON t.id = k.id WHEN MATCHED THEN UPDATE BY NAME WHEN NOT MATCHED THEN INSERT BY POSITION",
	"EXPLAIN (FORMAT json) UPDATE t SET a = 1 WHERE id IN (SELECT id FROM k)",
	"CREATE SOURCE IF NOT EXISTS c FROM KAFKA (brokers = '127.0.0.1:1', topic = 'x', nothing = 1) FORMAT json (more = 'x') INTO TABLE t (\"a\".b AS c, d) METADATA (offset) AS SELECT 1 INTO VIEW v AS SELECT 2",
	"DROP SOURCE IF EXISTS nowhere.main.c",
	"REPLAY SOURCE c",
	"CREATE EXPORT IF NOT EXISTS e FROM TABLE t INTO FOLDER (nothing = '/nowhere') WITH (after = '1 day', keep = '2 days') AS SELECT * FROM t",
	"RESUME EXPORT e",
}

// TestMangledStatementsAreErrors runs statements with missing, duplicated or reordered tokens, or
// tokens of other statements. Some of them are valid, and are executed. Each must end with a
// result, or with an error that the user caused.
func TestMangledStatementsAreErrors(t *testing.T) {
	db := openScoter(t, false, 0)
	for _, sql := range []string{
		"CREATE TABLE t (id INTEGER, a INTEGER, b VARCHAR) SORTED BY (id)", "INSERT INTO t VALUES (1, 2, 'x')",
		"CREATE TABLE k (id INTEGER PRIMARY KEY, a INTEGER, b VARCHAR)", "INSERT INTO k VALUES (1, 2, 'x')", "CREATE TABLE s (id INTEGER)",
	} {
		if _, err := db.run(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	var split [][]string
	var all []string
	for _, sql := range statements {
		tokens, err := sqltoken.Split(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var texts []string
		for _, token := range tokens {
			texts = append(texts, token.Text())
		}
		split, all = append(split, texts), append(all, texts...)
	}
	f := func(tokens []string) {
		t.Helper()
		sql := strings.Join(tokens, " ")
		defer func() {
			if r := recover(); r != nil {
				t.Fatalf("%s: panic: %v\n%s", sql, r, debug.Stack())
			}
		}()
		if _, err := db.run(sql); err != nil && base.KindOf(err) == base.Internal {
			t.Errorf("%s: %v", sql, err)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, tokens := range split {
		f(tokens)
		for i := range tokens {
			f(tokens[:i])
			f(slices.Concat(tokens[:i], tokens[i+1:]))
			f(slices.Concat(tokens[:i+1], tokens[i:]))
			f(slices.Concat(tokens[:i], []string{","}, tokens[i:]))
			f(slices.Concat(tokens[:i], []string{all[r.IntN(len(all))]}, tokens[i:]))
		}
		for range 20 {
			mixed := slices.Clone(tokens)
			for range 1 + r.IntN(3) { // of the rest, so that the verb stays
				i, j := 1+r.IntN(len(mixed)-1), 1+r.IntN(len(mixed)-1)
				mixed[i], mixed[j] = mixed[j], mixed[i]
			}
			f(mixed)
		}
	}
	if got, err := db.run("SELECT 1"); err != nil || fmt.Sprint(got.rows) != "[1]" {
		t.Fatal(got.rows, err)
	}
}

// TestErrorsInOptionsSayWhere checks the position of errors in options, which only Scoter parses.
func TestErrorsInOptionsSayWhere(t *testing.T) {
	db := openScoter(t, false, 0)
	if _, err := db.run("CREATE TABLE t (a INTEGER)"); err != nil {
		t.Fatal(err)
	}
	// is the position of the error
	for _, sql := range []string{
		"UPDATE t SET a = 1 WITH (mode = 'patch',^)",
		"UPDATE t SET a = 1 WITH (^mode)",
		"DELETE FROM t WITH (^,)",
		"DELETE FROM t WITH (^, mode = 'patch')",
		"CREATE TABLE u (a INTEGER) WITH (keep = '1 day',^)",
		"CREATE SOURCE c FROM KAFKA (brokers = 'x', ^, topic = 'y') FORMAT json INTO TABLE t",
		"CREATE SOURCE c FROM KAFKA (topic = 'y') FORMAT json (^,) INTO TABLE t",
		"CREATE EXPORT e FROM TABLE t INTO FOLDER (path = '/nowhere',^)",
		"CREATE EXPORT e FROM TABLE t INTO FOLDER (path = '/nowhere') WITH (^=)",
	} {
		before, after, _ := strings.Cut(sql, "^")
		_, err := db.run(before + after)
		e, ok := err.(*base.Error)
		if !ok || e.Kind != base.Invalid || e.Position != len(before)+1 {
			t.Errorf("%s: %v, at %v", sql, err, e)
		}
	}
}
