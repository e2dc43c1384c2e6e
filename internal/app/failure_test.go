package app

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/session"
)

func TestADefectOfDuckDBEndsItsStatementsAlone(t *testing.T) {
	settings := config.Default()
	settings.Dir = t.TempDir()
	var logged bytes.Buffer
	a, err := Open(settings, false, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	// Create rows in a part, some of them changed and one deleted, and rows in memory.
	execute(t, a, "CREATE TABLE t (k INTEGER, v VARCHAR) SORTED BY (k)")
	execute(t, a, "INSERT INTO t SELECT i, 'old' FROM range(1000) r(i)")
	if err := a.Engine.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	execute(t, a, "UPDATE t SET v = 'new' WHERE k % 10 = 0")
	execute(t, a, "DELETE FROM t WHERE k = 500")
	execute(t, a, "INSERT INTO t VALUES (2000, 'in memory')")
	statements := []string{"SELECT v, count(*), sum(k) FROM t GROUP BY v ORDER BY v", "SELECT * FROM t WHERE k = 490", "SELECT 42", "SHOW TABLES"}
	want := make([]string, len(statements))
	for i, sql := range statements {
		want[i] = execute(t, a, sql)
	}

	for round := range 3 {
		fail(t, a)
		for i, sql := range statements {
			if got := execute(t, a, sql); got != want[i] {
				t.Errorf("%s: it was\n%s\nand is\n%s", sql, want[i], got)
			}
		}
		execute(t, a, "UPDATE t SET v = 'newer' WHERE k = 7")
		execute(t, a, "UPDATE t SET v = 'old' WHERE k = 7")
		if n := strings.Count(logged.String(), "DuckDB failed"); n != round+1 {
			t.Errorf("%d failures were logged %d times:\n%s", round+1, n, logged.String())
		}
	}
	w := httptest.NewRecorder()
	a.handler().ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil))
	if !strings.Contains(w.Body.String(), "scoter_duckdb_failures_total 3\n") {
		t.Errorf("the metrics are\n%s", w.Body)
	}
}

// fail makes DuckDB fail with an internal error of version 1.5.5: it adds a list column with a
// default to existing rows. No statement of a user is known to cause this error.
func fail(t *testing.T, a *App) {
	t.Helper()
	pool := duck.NewPool(a.duckdb, 1)
	defer pool.Close()
	conn, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Release(conn)
	if err := conn.Exec("CREATE TEMP TABLE broken AS SELECT * FROM range(5000)"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec("ALTER TABLE broken ADD COLUMN l INTEGER[] DEFAULT [1, 2]"); err == nil || base.KindOf(err) != base.Internal {
		t.Fatalf("the defect is not there: %v", err)
	}
}

// execute runs a statement and returns its rows as JSON lines.
func execute(t *testing.T, a *App, sql string) string {
	t.Helper()
	ctx := context.Background()
	answer, err := a.Executor.Execute(ctx, session.Request{SQL: sql, Database: "default", Role: session.Writer})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer answer.Close()
	if answer.Rows == nil {
		return ""
	}
	var out bytes.Buffer
	if _, err := encode.Write(ctx, &out, encode.NDJSON, answer.Rows, encode.Options{}); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out.String()
}
