package slt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/session"
)

const connections = 3

func openSmall(t *testing.T, connections int) (*scoterDB, string) {
	t.Helper()
	settings := config.Default()
	settings.Dir = t.TempDir()
	settings.FlushAge = 24 * time.Hour
	settings.QueryThreads = 2
	settings.MaxQueries = connections
	a, err := app.Open(settings, false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return &scoterDB{app: a}, settings.Dir
}

func TestEveryEndOfAQueryFreesConnectionAndSnapshot(t *testing.T) {
	db, dir := openSmall(t, connections)
	for _, sql := range []string{
		"CREATE TABLE t AS SELECT i, 'value ' || i AS s FROM range(100000) r(i)",
		"CREATE VIEW v AS SELECT * FROM t",
	} {
		if _, err := db.run(sql); err != nil {
			t.Fatal(err)
		}
		if err := db.app.Engine.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.run("INSERT INTO t SELECT i, 'more' FROM range(5000) r(i)"); err != nil {
		t.Fatal(err)
	}
	start := func(ctx context.Context, sql string, args ...any) (*session.Answer, error) {
		return db.app.Executor.Execute(ctx, session.Request{SQL: sql, Args: args, Database: "default", Role: session.Writer})
	}
	failing := []struct {
		sql  string
		args []any
	}{
		{"SELECT nope FROM t", nil},
		{"SELECT * FROM t JOIN nowhere USING (i)", nil},
		{"SELECT * FRM t", nil},
		{"SELECT s::INTEGER FROM v", nil},
		{"SELECT * FROM t WHERE i = $1", nil},
		{"SELECT * FROM t WHERE i = $1 AND i > now()::DATE - DATE '2024-01-01'", []any{1, 2}},
		{"SELECT * FROM t WHERE i = $1", []any{struct{}{}}},
		{"PIVOT t ON nope", nil},
		{"SELECT 1; SELECT error('x') FROM t; SELECT 2", nil},
		{"INSERT INTO t SELECT i, s::INTEGER FROM v", nil},
		{"INSERT INTO t (i) VALUES (1) RETURNING nope", nil},
		{"CREATE TABLE t2 AS SELECT error('x') FROM t", nil},
		{"CREATE VIEW v2 AS SELECT nope FROM t", nil},
		{"ALTER TABLE t ALTER s TYPE INTEGER", nil},
	}
	for range connections + 1 {
		for _, f := range failing {
			if a, err := start(context.Background(), f.sql, f.args...); err == nil {
				for err == nil {
					rec, e := a.Rows.Next(context.Background())
					if err = e; err == nil {
						rec.Release()
					}
				}
				a.Close()
				if !strings.Contains(f.sql, "::INTEGER") { // the others fail before the first row
					t.Errorf("%s: succeeds", f.sql)
				}
			}
		}
		// The reader stops after the first rows.
		a, err := start(context.Background(), "SELECT * FROM v, range(1000)")
		if err != nil {
			t.Fatal(err)
		}
		rec, err := a.Rows.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rec.Release()
		a.Close()
		a.Close()
		// Timeout.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		if _, err := start(ctx, "SELECT count(*) FROM t a, t b, t c WHERE a.i + b.i + c.i = -1"); base.KindOf(err) != base.Timeout {
			t.Errorf("timeout: %v", err)
		}
		cancel()
	}

	// All connections are free, and the next query waits for one of them.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var open []*session.Answer
	for range connections {
		a, err := start(ctx, "SELECT * FROM v")
		if err != nil {
			t.Fatalf("a connection is lost: %v", err)
		}
		open = append(open, a)
	}
	short, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	if _, err := start(short, "SELECT 1"); base.KindOf(err) != base.Timeout {
		t.Errorf("one query too many: %v", err)
	}
	for _, a := range open {
		a.Close()
	}

	// No snapshot refers to the table's files any more.
	if _, err := db.run("DROP TABLE t"); err != nil {
		t.Fatal(err)
	}
	if err := db.app.Engine.CollectGarbage(); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Join(dir, "parts"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is still held", path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the background collector has already removed the folder
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestQueriesAndWritesAtOnce(t *testing.T) {
	db, _ := openSmall(t, connections)
	if _, err := db.run("CREATE TABLE t (writer INTEGER, n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.run("CREATE VIEW v AS SELECT * FROM t WHERE n >= 0"); err != nil {
		t.Fatal(err)
	}
	const writers, readers, rounds = 2, 3, 12
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := range rounds {
				// Two rows in one INSERT: a reader sees both or none.
				if _, err := db.execute(context.Background(), session.Request{
					SQL: "INSERT INTO t VALUES ($1, $2), ($1, $2)", Args: []any{w, n}, Database: "default", Role: session.Writer}); err != nil {
					t.Error(err)
				}
				if n%4 == w {
					if err := db.app.Engine.Flush(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range readers {
		group.Go(func() {
			last := ""
			for n := range rounds {
				sql := []string{"SELECT count(*) % 2, lpad(count(*)::VARCHAR, 5, '0') FROM v", "SELECT count(*) % 2, lpad(count(*)::VARCHAR, 5, '0') FROM t WHERE n >= 0"}[n%2]
				got, err := db.execute(context.Background(), session.Request{SQL: sql, Database: "default", Role: session.Reader})
				if err != nil {
					t.Error(err)
					return
				}
				if got.rows[0] < last || got.rows[0][0] != '0' {
					t.Errorf("%s after %s", got.rows[0], last)
				}
				last = got.rows[0]
			}
		})
	}
	group.Wait()
	got, err := db.run("SELECT count(*) FROM v")
	if want := fmt.Sprint(writers * rounds * 2); err != nil || got.rows[0] != want {
		t.Errorf("%v, %v, want %s", got.rows, err, want)
	}
}

// TestAStatementMeetsATableInThePlaceOfItsOwn replaces tables by others of the same name while
// statements change their rows.
func TestAStatementMeetsATableInThePlaceOfItsOwn(t *testing.T) {
	db, _ := openSmall(t, connections)
	replace := "CREATE OR REPLACE TABLE t AS SELECT i::INTEGER AS i, 0 AS v FROM range(10) r(i)"
	if _, err := db.run(replace); err != nil {
		t.Fatal(err)
	}
	stop, cancel := context.WithCancel(context.Background())
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() {
			for stop.Err() == nil {
				_, err := db.execute(context.Background(), session.Request{SQL: "UPDATE t SET v = v + 1", Database: "default", Role: session.Admin})
				if kind := base.KindOf(err); err != nil && kind != base.Conflict && kind != base.NotFound && kind != base.Unavailable {
					t.Errorf("%v: %v", kind, err)
				}
			}
		})
	}
	for range 150 {
		if _, err := db.execute(context.Background(), session.Request{SQL: replace, Database: "default", Role: session.Admin}); err != nil {
			t.Error(err)
		}
	}
	cancel()
	others.Wait()
}

// TestNobodyWaitsWithAConnection runs more statements than there are connections, all on the same
// row, so that they run one after the other. Statements that run several queries use one
// connection.
func TestNobodyWaitsWithAConnection(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	db, _ := openSmall(t, connections)
	run := func(sql string) error {
		_, err := db.execute(ctx, session.Request{SQL: sql, Database: "default", Role: session.Admin})
		return err
	}
	if err := run("CREATE TABLE counters AS SELECT 1 AS id, 0 AS n"); err != nil {
		t.Fatal(err)
	}
	const clients, rounds = 10 * connections, 20
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for range rounds {
				if err := run("UPDATE counters SET n = n + 1"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if got, err := db.run("SELECT n FROM counters"); err != nil || got.rows[0] != fmt.Sprint(clients*rounds) {
		t.Errorf("%v, %v", got.rows, err)
	}
	db, _ = openSmall(t, 1)
	for _, sql := range []string{
		"CREATE TABLE p (id INTEGER PRIMARY KEY, v INTEGER)",
		"INSERT INTO p VALUES (1, 0), (2, 0) RETURNING v",
		"UPDATE p SET v = v + 1 RETURNING v, (SELECT count(*) FROM p)",
		"UPDATE p SET v = v + 1 WHERE id = 1 RETURNING v",
		"INSERT INTO p VALUES (1, 3) ON CONFLICT DO UPDATE SET v = p.v + excluded.v RETURNING v",
		"MERGE INTO p USING (SELECT 1 AS id) AS s USING (id) WHEN MATCHED THEN DELETE RETURNING merge_action, v",
		"ALTER TABLE p ADD COLUMN w INTEGER DEFAULT 1 + 1",
		"UPDATE p SET v = w WITH (mode = 'rewrite')",
		"CREATE TABLE q AS SELECT v, (SELECT max(w) FROM p) FROM p",
		"CREATE VIEW r AS SELECT * FROM q",
	} {
		if err := run(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
