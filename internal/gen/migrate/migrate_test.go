//go:build cgo

package migrate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func migration(id string, statements ...string) ir.Migration {
	return ir.Migration{ID: id, Statements: statements, Checksum: id + strings.Join(statements, ";"), Pos: ir.Pos{File: "q.sql", Line: 3}}
}

var first = migration("1", "CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)")
var second = migration("2", "INSERT INTO t VALUES (2)")

// each runs a test on an empty database of every engine.
func each(t *testing.T, test func(t *testing.T, target Target)) {
	for _, engine := range []ir.Engine{ir.SQLite, ir.DuckDB, ir.Postgres} {
		t.Run(string(engine), func(t *testing.T) {
			target := Target{Engine: engine, Where: filepath.Join(t.TempDir(), "app #1%.db"), New: true}
			if engine == ir.Postgres {
				server, err := postgres.StartServer(context.Background())
				if err != nil {
					t.Skip("no PostgreSQL:", err)
				}
				t.Cleanup(func() { _ = server.Close() })
				target.Where = server.URL()
			}
			test(t, target)
		})
	}
}

// read returns the only column of a query as text.
func read(t *testing.T, target Target, query string) []string {
	t.Helper()
	ctx := context.Background()
	conn, shut, err := connect(ctx, target, false)
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// TestRowsThatReferToARebuiltTableStay rebuilds a table as SQLite's manual recommends, by dropping
// it. That must not delete the rows that refer to it.
func TestRowsThatReferToARebuiltTableStay(t *testing.T) {
	target := Target{Engine: ir.SQLite, Where: filepath.Join(t.TempDir(), "app.db"), New: true}
	tables := migration("1", "CREATE TABLE parent (id INTEGER PRIMARY KEY)", "INSERT INTO parent VALUES (1)",
		"CREATE TABLE child (id INTEGER REFERENCES parent ON DELETE CASCADE)", "INSERT INTO child VALUES (1)")
	rebuild := migration("2", "CREATE TABLE p2 (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO p2 (id) SELECT id FROM parent", "DROP TABLE parent", "ALTER TABLE p2 RENAME TO parent")
	for _, all := range [][]ir.Migration{{tables}, {tables, rebuild}} {
		if _, err := Run(context.Background(), target, "p", all, false); err != nil {
			t.Fatal(err)
		}
		target.New = false
	}
	if got := read(t, target, "SELECT count(*) FROM child"); !slices.Equal(got, []string{"1"}) {
		t.Error(got)
	}
}

func TestADryRunOfANewFileIsAsLenientAsARun(t *testing.T) {
	target := Target{Engine: ir.SQLite, Where: filepath.Join(t.TempDir(), "app.db"), New: true}
	orphan := migration("1", "CREATE TABLE parent (id INTEGER PRIMARY KEY)", "CREATE TABLE child (id INTEGER REFERENCES parent)", "INSERT INTO child VALUES (1)")
	for _, dry := range []bool{true, false} {
		if r, err := Run(context.Background(), target, "p", []ir.Migration{orphan}, dry); err != nil || len(r.Applied) != 1 {
			t.Errorf("dry run %v: %v", dry, err)
		}
	}
}

func execute(t *testing.T, target Target, statements ...string) {
	t.Helper()
	ctx := context.Background()
	conn, shut, err := connect(ctx, target, false)
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			t.Fatal(s, err)
		}
	}
}

func apply(t *testing.T, target Target, all ...ir.Migration) *Result {
	t.Helper()
	r, err := Run(context.Background(), target, "app", all, false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const recorded = "SELECT migration_id || coalesce(' ' || checksum, '') FROM _sqg_migrations ORDER BY 1"

func TestEachMigrationRunsOnce(t *testing.T) {
	each(t, func(t *testing.T, target Target) {
		if r := apply(t, target, first); !slices.Equal(r.Applied, []string{"1"}) || len(r.Present) != 0 {
			t.Error(r)
		}
		if r := apply(t, target, first, second); !slices.Equal(r.Applied, []string{"2"}) || !slices.Equal(r.Present, []string{"1"}) {
			t.Error(r)
		}
		if r := apply(t, target, second); len(r.Applied) != 0 || !slices.Equal(r.Unknown, []string{"1"}) {
			t.Error(r)
		}
		if got := read(t, target, "SELECT CAST(a AS VARCHAR) FROM t ORDER BY a"); !slices.Equal(got, []string{"1", "2"}) {
			t.Error(got)
		}
		if got := read(t, target, recorded); !slices.Equal(got, []string{"1 " + first.Checksum, "2 " + second.Checksum}) {
			t.Error(got)
		}
		if got := read(t, target, "SELECT CAST(applied_at AS VARCHAR) FROM _sqg_migrations"); len(got) != 2 || !strings.HasPrefix(got[0], "20") {
			t.Error(got)
		}
	})
}

func TestADryRunLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, target Target) {
		ctx := context.Background()
		r, err := Run(ctx, target, "app", []ir.Migration{first, second}, true)
		if err != nil || len(r.Applied) != 2 {
			t.Fatal(r, err)
		}
		if _, err := os.Stat(target.Where); err == nil && target.Engine != ir.Postgres {
			t.Error("a dry run made the file")
		}
		target.New = false
		execute(t, target, "CREATE TABLE other (a INTEGER)")
		if r, err = Run(ctx, target, "app", []ir.Migration{first}, true); err != nil || len(r.Applied) != 1 {
			t.Fatal(r, err)
		}
		// neither table exists
		execute(t, target, "CREATE TABLE t (a INTEGER)", "CREATE TABLE _sqg_migrations (a INTEGER)")
	})
}

func TestAChangedMigrationIsNamed(t *testing.T) {
	each(t, func(t *testing.T, target Target) {
		apply(t, target, first)
		changed := migration("1", "CREATE TABLE t (a INTEGER, b INTEGER)")
		_, err := Run(context.Background(), target, "app", []ir.Migration{changed, second}, false)
		if err == nil || !strings.Contains(err.Error(), "migration 1 (q.sql:3) was changed after it had been applied") {
			t.Error(err)
		}
		if got := read(t, target, recorded); len(got) != 1 {
			t.Error(got)
		}
	})
}

func TestAFailureUndoesAllMigrationsOfTheRun(t *testing.T) {
	each(t, func(t *testing.T, target Target) {
		_, err := Run(context.Background(), target, "app", []ir.Migration{first, migration("2", "INSERT INTO none VALUES (1)")}, false)
		if err == nil || !strings.Contains(err.Error(), "migration 2 (q.sql:3)") {
			t.Error(err)
		}
		if r := apply(t, target, first); len(r.Applied) != 1 {
			t.Error(r)
		}
	})
}

func TestTablesOfOtherToolsAreTakenOver(t *testing.T) {
	each(t, func(t *testing.T, target Target) {
		execute(t, target, "CREATE TABLE t (a INTEGER)",
			"CREATE TABLE _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (project, migration_id))",
			"INSERT INTO _sqg_migrations (project, migration_id) VALUES ('app', '1')", "INSERT INTO _sqg_migrations (project, migration_id) VALUES ('another', '2')")
		target.New = false
		r, err := Run(context.Background(), target, "app", []ir.Migration{first, second}, true)
		if err != nil || !slices.Equal(r.Applied, []string{"2"}) {
			t.Fatal(r, err)
		}
		if r := apply(t, target, first, second); !slices.Equal(r.Present, []string{"1"}) || !slices.Equal(r.Applied, []string{"2"}) {
			t.Error(r)
		}
		if got := read(t, target, recorded); !slices.Equal(got, []string{"1 " + first.Checksum, "2", "2 " + second.Checksum}) {
			t.Error(got)
		}
	})
}

func TestRunnersAtOnceApplyEachMigrationOnce(t *testing.T) {
	each(t, func(t *testing.T, target Target) {
		if target.Engine == ir.DuckDB {
			t.Skip("one process at a time opens a DuckDB file")
		}
		var wait sync.WaitGroup
		results := make([]*Result, 4)
		failed := make([]error, len(results))
		for i := range results {
			wait.Go(func() {
				results[i], failed[i] = Run(context.Background(), target, "app", []ir.Migration{first, second}, false)
			})
		}
		wait.Wait()
		applied := 0
		for i := range results {
			if failed[i] != nil {
				t.Fatal(failed[i])
			}
			applied += len(results[i].Applied)
		}
		if got := read(t, target, "SELECT CAST(a AS VARCHAR) FROM t ORDER BY a"); applied != 2 || !slices.Equal(got, []string{"1", "2"}) {
			t.Error(applied, got)
		}
	})
}

func TestTargetsAreRecognised(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lite, duck, text, empty := write("lite", "SQLite format 3\x00..."), write("duck", "12345678DUCK...."), write("text", "a text that is long"), write("empty.db", "")
	both := []ir.Engine{ir.SQLite, ir.DuckDB, ir.Postgres}
	for _, c := range []struct {
		text    string
		engines []ir.Engine
		engine  ir.Engine
		fails   string
	}{
		{"postgres://localhost/x", nil, ir.Postgres, ""},
		{"postgresql://localhost/x", nil, ir.Postgres, ""},
		{"host=/run dbname=x", nil, ir.Postgres, ""},
		{lite, both, ir.SQLite, ""},
		{duck, both, ir.DuckDB, ""},
		{"sqlite:" + duck, both, "", "is a duckdb database"},
		{text, both, "", "neither a SQLite nor a DuckDB"},
		{empty, []ir.Engine{ir.SQLite, ir.Postgres}, ir.SQLite, ""},
		{empty, both, "", "may be for SQLite or DuckDB"},
		{empty, []ir.Engine{ir.Postgres}, "", "cannot tell the kind of database"},
		{"new.duckdb", both, ir.DuckDB, ""},
		{"new.sqlite3", both, ir.SQLite, ""},
		{"duckdb:new.sqlite", both, ir.DuckDB, ""},
		{"mysql://localhost", both, "", "unknown URL scheme mysql://"},
		{":memory:", both, "", "is a temporary database"},
		{"", both, "", "no database is given"},
	} {
		got, err := ParseTarget(c.text, c.engines)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err != nil || got.Engine != c.engine {
			t.Errorf("%s: %v %v", c.text, got, err)
		}
	}
}

func TestTheSchemaOfASQLiteFileIsReadInOrder(t *testing.T) {
	target := Target{Engine: ir.SQLite, Where: filepath.Join(t.TempDir(), "a.db")}
	execute(t, target, "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT UNIQUE)", "CREATE VIEW v AS SELECT b FROM t", "CREATE VIRTUAL TABLE f USING fts5(b)", "CREATE INDEX i ON t(b)")
	got, err := SQLiteSchema(context.Background(), target.Where)
	if err != nil || len(got) != 4 || !strings.HasPrefix(got[1], "CREATE VIEW v") || !strings.HasPrefix(got[2], "CREATE VIRTUAL TABLE f") {
		t.Error(got, err)
	}
}
