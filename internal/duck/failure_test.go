package duck

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
)

// breakDown makes the connection's database fail with a defect of DuckDB 1.5.5: a new list column
// with a default, in a table that has rows.
func breakDown(c *Conn) error {
	if err := c.Exec("CREATE TEMP TABLE t AS SELECT * FROM range(5000)"); err != nil {
		return err
	}
	return c.Exec("ALTER TABLE t ADD COLUMN l INTEGER[] DEFAULT [1, 2]")
}

func TestAnotherDatabaseTakesThePlaceOfOneThatFailed(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	var causes []error
	inst, err := Open(Settings{
		Threads: 2, MemoryLimitBytes: 128 << 20, TempDir: filepath.Join(dir, "tmp"), ReadableDirs: []string{filepath.Join(dir, "parts")},
		Failed: func(cause error) { causes = append(causes, cause) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	if err := inst.Extend(func(c *Conn) error { return c.Exec("CREATE SCHEMA s; CREATE MACRO s.twice(x) AS 2 * x") }); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"tmp", "parts"} {
		if err := os.Mkdir(filepath.Join(dir, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	pool := NewPool(inst, 4)
	t.Cleanup(pool.Close)
	acquire := func() *Conn {
		c, err := pool.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	settings := func(c *Conn) string {
		return first(t, c, "SELECT string_agg(name || '=' || value, chr(10) ORDER BY name) FROM duckdb_settings() WHERE name NOT IN ('temp_directory', 'allowed_directories')")
	}
	c := acquire()
	want := settings(c)
	if !strings.Contains(want, "lock_configuration=true") || !strings.Contains(want, "enable_external_access=false") {
		t.Fatalf("the settings are\n%s", want)
	}
	pool.Release(c)

	for round := range 2 {
		streaming, idle, broken := acquire(), acquire(), acquire()
		pool.Release(idle)
		rows, err := streaming.Query(ctx, "SELECT i FROM range(20_000_000) r(i)")
		if err != nil {
			t.Fatal(err)
		}
		if err := breakDown(broken); err == nil || base.KindOf(err) != base.Internal || !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "flat vector") {
			t.Fatalf("the statement that met the defect failed with %v: %v", base.KindOf(err), err)
		}
		if err := broken.Exec("SELECT 1"); base.KindOf(err) != base.Unavailable || errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "flat vector") {
			t.Fatalf("a statement on the failed database: %v: %v", base.KindOf(err), err)
		}
		var n int64
		for err == nil {
			var rec arrow.RecordBatch
			if rec, err = rows.Next(ctx); err == nil {
				n += rec.NumRows()
				rec.Release()
			}
		}
		if base.KindOf(err) != base.Unavailable && (err != io.EOF || n != 20_000_000) {
			t.Errorf("the query beside it ended after %d rows with %v: %v", n, base.KindOf(err), err)
		}
		rows.Close()

		c := acquire()
		if got := first(t, c, "SELECT s.twice(21)::VARCHAR"); got != "42" {
			t.Errorf("the extension says %s", got)
		}
		if got := settings(c); got != want {
			t.Errorf("the settings were\n%s\nand are\n%s", want, got)
		}
		if err := c.Exec("FROM read_csv('" + filepath.Join(dir, "other", "a.csv") + "')"); base.KindOf(err) != base.Forbidden {
			t.Errorf("a file outside of the readable folders: %v", err)
		}
		if got := first(t, c, "SELECT sum(i)::VARCHAR FROM (SELECT i, repeat(hash(i)::VARCHAR, 10) FROM range(700_000) r(i) ORDER BY 2)"); got != "244999650000" {
			t.Errorf("a query that needs more memory than there is gives %s", got)
		}
		pool.Release(streaming)
		pool.Release(broken)
		pool.Release(c)
		if got := inst.Failures(); got != int64(round+1) || len(causes) != round+1 || !strings.Contains(causes[round].Error(), "flat vector") {
			t.Errorf("%d failures, of which were told %v", got, causes)
		}
	}
	// Each database made a folder when it spilled. The folder of the second database must be
	// removed with it; the third database is in use.
	if _, err := os.Stat(filepath.Join(dir, "tmp", "2")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("database 2 leaves the folder of what did not fit into memory: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "tmp", "3")); err != nil || len(left) > 0 {
		t.Errorf("database 3 has %v in the folder of what did not fit into memory, and no query runs: %v", left, err)
	}
}

func TestStatementsFailWithTheirDatabaseOnly(t *testing.T) {
	inst, err := Open(Settings{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	pool := NewPool(inst, 8)
	t.Cleanup(pool.Close)
	before := threads(t)
	var done atomic.Bool
	var answered, failed atomic.Int64
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for !done.Load() {
				c, err := pool.Acquire(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				switch err := c.Exec("SELECT sum(i) FROM range(100000) r(i)"); base.KindOf(err) {
				case base.Unavailable:
					failed.Add(1)
				default:
					if err != nil {
						t.Error(err)
					}
					answered.Add(1)
				}
				pool.Release(c)
			}
		})
	}
	const rounds = 20
	for range rounds {
		c, err := pool.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := breakDown(c); err == nil {
			t.Error("nothing broke down")
		}
		pool.Release(c)
		time.Sleep(5 * time.Millisecond)
	}
	done.Store(true)
	wg.Wait()
	if inst.Failures() != rounds || answered.Load() == 0 {
		t.Errorf("%d failures of %d, %d statements were answered", inst.Failures(), rounds, answered.Load())
	}
	t.Logf("%d statements answered, %d failed", answered.Load(), failed.Load())
	c, err := pool.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	pool.Release(c)
	// Each database has a thread of its own, which ends with the last connection. The test allows
	// some growth, because the number of Go's threads does not shrink.
	if after := threads(t); after > before+rounds/2 {
		t.Errorf("%d threads before, %d after: databases that failed are still there", before, after)
	}
}

func threads(t *testing.T) int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip(err)
	}
	return len(tasks)
}

// TestErrorsOfOursKeepTheirKind checks that errors that Scoter's own table functions throw in
// DuckDB keep their kind.
func TestErrorsOfOursKeepTheirKind(t *testing.T) {
	err := parseFailure(`{"exception_type":"IO","exception_message":"rows of table t: no space","scoter_kind":"storage_full","scoter_hint":"free some"}`).err("")
	if err.Kind != base.StorageFull || err.Message != "rows of table t: no space" || err.Hint != "free some" {
		t.Errorf("%+v", err)
	}
}

// TestWhatTheMachineRefusesIsNoDefect checks the kinds of errors of the operating system. They are
// temporary (Unavailable), except that a missing file is the user's mistake.
func TestWhatTheMachineRefusesIsNoDefect(t *testing.T) {
	dir := t.TempDir()
	inst, err := Open(Settings{Threads: 1, ReadableDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inst.Close)
	c, err := inst.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for sql, want := range map[string]base.Kind{
		"FROM read_csv('" + filepath.Join(dir, "none.csv") + "')":                   base.NotFound,
		"COPY (SELECT 1) TO '" + filepath.Join(dir, strings.Repeat("a", 300)) + "'": base.Invalid,
		"COPY (SELECT 1) TO '" + filepath.Join(dir, "none", "a.csv") + "'":          base.NotFound,
	} {
		if err := c.Exec(sql); base.KindOf(err) != want || errors.Is(err, ErrFailed) {
			t.Errorf("%s: %v, %v", sql, base.KindOf(err), err)
		}
	}
}

// TestErrorsAboutFilesSayWhatToDo parses DuckDB's errors about files that a statement names, and
// about its temporary files.
func TestErrorsAboutFilesSayWhatToDo(t *testing.T) {
	for text, want := range map[string]base.Kind{
		`{"exception_type":"IO","exception_message":"Cannot open file \"/a.csv\": Permission denied","errno":"13"}`:                            base.Forbidden,
		`{"exception_type":"IO","exception_message":"Cannot open file \"/a.csv\": No such file or directory","errno":"2"}`:                     base.NotFound,
		`{"exception_type":"IO","exception_message":"Cannot open file \"/a.csv\": Too many open files","errno":"24"}`:                          base.Unavailable,
		`{"exception_type":"IO","exception_message":"Could not read from file \"/a.csv\": Input/output error","errno":"5"}`:                    base.Unavailable,
		`{"exception_type":"IO","exception_message":"Could not set lock on file \"/a.duckdb\": Conflicting lock is held","errno":"11"}`:        base.Conflict,
		`{"exception_type":"IO","exception_message":"Input is not a GZIP stream: /a.csv.gz"}`:                                                  base.Invalid,
		`{"exception_type":"IO","exception_message":"No files found that match the pattern \"/a\""}`:                                           base.NotFound,
		`{"exception_type":"IO","exception_message":"Cannot open file \"/d/tmp/duckdb_temp_storage\": No such file or directory","errno":"2"}`: base.Unavailable,
		`{"exception_type":"IO","exception_message":"parts/1.parquet cannot be opened","scoter_kind":"unavailable"}`:                           base.Unavailable,
	} {
		if err := parseFailure(text).err("/d/tmp"); err.Kind != want {
			t.Errorf("%s: %v, want %v", text, err.Kind, want)
		}
	}
}
