package slt

import (
	"context"
	"slices"
	"testing"

	"github.com/scoterdb/scoter/internal/session"
)

// TestStatementsAreCutWhereDuckDBCutsThem checks the end of statements: the text after it is not
// part of a comment or a string.
func TestStatementsAreCutWhereDuckDBCutsThem(t *testing.T) {
	for _, sql := range []string{
		"DELETE FROM t -- old rows\rWHERE id = 1",
		"DELETE FROM t WHERE id = 5 -- none\r; DELETE FROM t WHERE id = 1",
		"DELETE FROM t WHERE s = E'x'\n'\\'; DELETE FROM t; --' OR id = 1",
		// not valid in DuckDB, which sees one string after a 1
		"DELETE FROM t WHERE id = 1EWHERE'\\'; DELETE FROM t; --'",
		"DELETE FROM t WHERE id = 1e0 AND s <> $e$'; DELETE FROM t; --$e$",
	} {
		db := openScoter(t, false, 0)
		for _, sql := range []string{"CREATE TABLE t (id INTEGER, s VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')"} {
			if _, err := db.run(sql); err != nil {
				t.Fatal(err)
			}
		}
		_, err := db.run(sql)
		got, selectErr := db.run("SELECT id FROM t ORDER BY id")
		want := []string{"2", "3"}
		if err != nil {
			want = []string{"1", "2", "3"}
		}
		if selectErr != nil || !slices.Equal(got.rows, want) {
			t.Errorf("%q: %v; rows %v, %v", sql, err, got.rows, selectErr)
		}
	}
}

// TestParametersOfDuckDBsOtherForms uses the forms $"name" and ?1.
func TestParametersOfDuckDBsOtherForms(t *testing.T) {
	db := openScoter(t, false, 0)
	f := func(sql string, want []string, args ...any) {
		t.Helper()
		got, err := db.execute(context.Background(), session.Request{SQL: sql, Args: args, Database: "default", Role: session.Writer})
		if err != nil || !slices.Equal(got.rows, want) {
			t.Errorf("%s: %q, %v", sql, got.rows, err)
		}
	}
	f("CREATE TABLE t (a INTEGER, b INTEGER)", nil)
	f("INSERT INTO t VALUES (?2, ?1) RETURNING a, b", []string{"2\t1"}, int64(1), int64(2))
	f("UPDATE t SET b = ?1 WHERE a = ?2 RETURNING b", []string{"5"}, int64(5), int64(2))
	f(`UPDATE t SET b = $"a ""name""" WHERE a = $k RETURNING b`, []string{"7"}, map[string]any{`a "name"`: int64(7), "k": int64(2)})
	f("DELETE FROM t WHERE a = $1_0 - 8 RETURNING a", []string{"2"}, int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(10))
}

// TestSpacesBeyondASCIIStayInTexts uses Unicode spaces. DuckDB replaces them by ASCII spaces
// before it scans a statement, and wrongly does so in some strings.
func TestSpacesBeyondASCIIStayInTexts(t *testing.T) {
	db := openScoter(t, false, 0)
	if _, err := db.run("CREATE TABLE t AS SELECT 1 AS\u00a0a"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT '\u00a0' FROM\u3000t",
		"SELECT /* it's */ '\u00a0' FROM t",
		"SELECT /* \u00a0 */ '\u00a0' FROM t -- it's\u00a0",
		"SELECT right(E'it\\'s' || '\u00a0', 1) FROM t",
		"SELECT $a$\u00a0$a$ AS \"\u00a0'\" FROM t",
	} {
		if got, err := db.run(sql); err != nil || len(got.rows) != 1 || got.rows[0] != "\u00a0" {
			t.Errorf("%q: %q, %v", sql, got.rows, err)
		}
	}
}
