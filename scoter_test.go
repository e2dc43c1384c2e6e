package scoter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter"
)

func open(t *testing.T, dir string) *scoter.DB {
	t.Helper()
	db, err := scoter.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestRowsSurviveClosingAndComeBackTyped(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db := open(t, dir)
	at := time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC)
	changed, err := db.Exec(ctx, `CREATE TABLE t (moment TIMESTAMPTZ, n BIGINT, v DOUBLE, s VARCHAR, b BLOB) SORTED BY (moment);
		INSERT INTO t VALUES ('2026-02-03 04:05:06.000007+00', 7, 2.5, 'text', '\x01\x02'::BLOB), (NULL, NULL, NULL, NULL, NULL)`)
	if err != nil || changed.Inserted != 2 {
		t.Fatal(changed, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, dir)
	defer db.Close()
	rows, err := db.Query(ctx, "SELECT * FROM t WHERE n = $n", map[string]any{"n": 7})
	if err != nil {
		t.Fatal(err)
	}
	var gotAt time.Time
	var n int32
	var v *float64
	var s string
	var b []byte
	if !rows.Next() {
		t.Fatal("no row")
	}
	if err := rows.Scan(&gotAt, &n, &v, &s, &b); err != nil {
		t.Fatal(err)
	}
	if !gotAt.Equal(at) || n != 7 || v == nil || *v != 2.5 || s != "text" || string(b) != "\x01\x02" {
		t.Errorf("got %v %v %v %q %v", gotAt, n, v, s, b)
	}
	if rows.Next() {
		t.Error("a second row")
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
}

func TestAppendIsSeenByTheNextQuery(t *testing.T) {
	ctx := context.Background()
	db := open(t, t.TempDir())
	defer db.Close()
	builder := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer builder.Release()
	builder.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	rec := builder.NewRecordBatch()
	defer rec.Release()
	for i := range 3 {
		if n, err := db.Append(ctx, "numbers", rec); err != nil || n != 3 {
			t.Fatal(n, err)
		}
		rows, err := db.Query(ctx, "SELECT sum(x)::BIGINT FROM numbers")
		if err != nil {
			t.Fatal(err)
		}
		var sum int
		if !rows.Next() || rows.Scan(&sum) != nil || sum != 6*(i+1) {
			t.Errorf("after append %d: sum %d", i+1, sum)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestColumnsAreNamedByTheUsersText: no relation that Scoter puts in a table's place shows.
func TestColumnsAreNamedByTheUsersText(t *testing.T) {
	ctx := context.Background()
	db := open(t, t.TempDir())
	defer db.Close()
	if _, err := db.Exec(ctx, "CREATE TABLE t (a INTEGER, b INTEGER)"); err != nil {
		t.Fatal(err)
	}
	check := func(sql string, want ...string) {
		t.Helper()
		rows, err := db.Query(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		fields := rows.Schema().Fields()
		if len(fields) != len(want) {
			t.Fatalf("%s: columns %v, want %v", sql, fields, want)
		}
		for i, f := range fields {
			if f.Name != want[i] {
				t.Errorf("%s: column %d is %q, want %q", sql, i, f.Name, want[i])
			}
		}
	}
	check("SELECT (SELECT max(a) FROM t), 1 AS one, count(*) FROM t", "(SELECT max(a) FROM t)", "one", "count_star()")
	check("SELECT *, (SELECT max(a) FROM t) FROM t", "a", "b", "(SELECT max(a) FROM t)")
	check("SELECT (SELECT max(a) FROM t) UNION ALL SELECT 1", "(SELECT max(a) FROM t)")
	if _, err := db.Exec(ctx, "CREATE TABLE made AS SELECT (SELECT max(a) FROM t)"); err != nil {
		t.Fatal(err)
	}
	check("FROM made", "(SELECT max(a) FROM t)")
}

func TestErrorsHaveAKind(t *testing.T) {
	db := open(t, t.TempDir())
	defer db.Close()
	for sql, kind := range map[string]string{"SELECT 1 +": "invalid", "FROM nowhere": "not_found", "CREATE DATABASE \"default\"": "conflict"} {
		if _, err := db.Exec(context.Background(), sql); scoter.Kind(err) != kind {
			t.Errorf("%s: %v is %s, want %s", sql, err, scoter.Kind(err), kind)
		}
	}
}

func TestAClosedDatabaseLeavesNothingRunning(t *testing.T) {
	threads := func() int {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip("threads are counted on Linux only: ", err)
		}
		return len(tasks)
	}
	const times = 30
	before := threads()
	for range times {
		db := open(t, t.TempDir())
		if _, err := db.Exec(context.Background(), "CREATE TABLE t (n BIGINT); INSERT INTO t VALUES (1); UPDATE t SET n = n + 1"); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after := threads(); after-before > times/2 {
		t.Errorf("%d threads before, %d after %d databases were opened and closed", before, after, times)
	}
}

// DuckDB's threads read what a query was lent; it must not be taken back from under them.
func TestAQueryIsOverWhenItsRowsAreClosed(t *testing.T) {
	ctx := context.Background()
	db := open(t, t.TempDir())
	defer db.Close()
	if _, err := db.Exec(ctx, "CREATE TABLE t (k BIGINT, v VARCHAR) SORTED BY (k)"); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		sql := fmt.Sprintf("INSERT INTO t SELECT i, repeat('x', 40) || i FROM range(%[1]d, %[1]d + 300_000) r(i); DELETE FROM t WHERE k %% 1000 = %[2]d", i*300_000, i)
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for range 150 {
		rows, err := db.Query(ctx, "FROM t")
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Fatal("no row")
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFoldersAreNoPatterns has databases in folders whose names DuckDB takes for patterns, and
// one in a folder that matches them.
func TestFoldersAreNoPatterns(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for _, name := range []string{"x1", "x[1]", "x*", "x?"} {
		db := open(t, filepath.Join(dir, name))
		defer db.Close()
		count := func(want string) {
			t.Helper()
			rows, err := db.Query(ctx, "SELECT string_agg(who || ' ' || n, ', ' ORDER BY who) FROM (SELECT who, count(*) AS n FROM t GROUP BY who)")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var got string
			if rows.Next() {
				err = rows.Scan(&got)
			}
			if err != nil || got != want {
				t.Errorf("%s: %q, %v, want %q", name, got, err, want)
			}
		}
		// After the rewrite all rows are in a part. Then some of them are not to be read there, and
		// others have another value.
		for _, sql := range []string{"CREATE TABLE t AS SELECT i AS id, '' AS who FROM range(1000) r(i)", "UPDATE t SET who = 'in " + name + "' WITH (mode = 'rewrite')"} {
			if _, err := db.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		count("in " + name + " 1000")
		for _, sql := range []string{"DELETE FROM t WHERE id < 100", "UPDATE t SET who = 'new' WHERE id >= 900 WITH (mode = 'patch')"} {
			if _, err := db.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		count("in " + name + " 800, new 100")
	}
}
