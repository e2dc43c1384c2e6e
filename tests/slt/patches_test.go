package slt

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/merge"
)

// TestPatchesAreListed follows changes of a table from the log into the catalog and files, until a
// merge writes them into the part.
func TestPatchesAreListed(t *testing.T) {
	settings := config.Default()
	settings.Dir = t.TempDir()
	settings.FlushAge, settings.MergeParallel = 24*time.Hour, 0 // both run when the test says so
	a, err := app.Open(settings, false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	db := &scoterDB{app: a}
	merges := merge.New(a.Engine, merge.Settings{DisableAutomatic: true}, merge.Components{})
	t.Cleanup(func() {
		merges.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	do := func(sql string) {
		t.Helper()
		if _, err := db.run(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	flush := func() {
		t.Helper()
		if err := db.app.Engine.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	want := func(rows ...string) {
		t.Helper()
		got, err := db.run(`SELECT in_memtable, array_to_string(column_names, '+'), updated_rows, deleted_rows, bytes > 0, storage, path IS NULL,
			created BETWEEN now() - INTERVAL 10 MINUTE AND now() FROM scoter.patches WHERE table_name = 't' ORDER BY ALL`)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.rows {
			got.rows[i] = strings.ReplaceAll(got.rows[i], "\t", " ")
		}
		if !slices.Equal(got.rows, rows) {
			t.Fatalf("patches:\n%s\nwant\n%s", strings.Join(got.rows, "\n"), strings.Join(rows, "\n"))
		}
	}
	do("CREATE TABLE t (id BIGINT, n BIGINT, s VARCHAR)")
	do("CREATE TABLE other (id BIGINT)")
	do("INSERT INTO t SELECT i, i, 'some text ' || i FROM range(30000) r(i)")
	want()
	do("DELETE FROM t WHERE id = 5")
	want("true (empty) 0 1 true log true true")
	flush() // the row is not in the part
	want()
	do("UPDATE t SET n = 0, s = 'x' WHERE id < 5")
	do("UPDATE t SET n = 1 WHERE id IN (4, 7)")
	do("DELETE FROM t WHERE id BETWEEN 10 AND 12")
	want("false n+s 6 3 true log true true")
	flush()
	want("false (empty) 0 3 true catalog true true", "false n 6 0 true catalog true true", "false s 5 0 true catalog true true")
	do("UPDATE t SET s = s || '!'")
	flush()
	want("false (empty) 0 3 true catalog true true", "false n 6 0 true catalog true true", "false s 5 0 true catalog true true", "false s 29996 0 true file false true")
	paths, err := db.run("SELECT path FROM scoter.patches WHERE storage = 'file'")
	if err != nil || len(paths.rows) != 1 || !regexp.MustCompile(`^patches/\d+/\d+\.parquet$`).MatchString(paths.rows[0]) {
		t.Fatal(paths.rows, err)
	}
	do("ALTER TABLE t RENAME COLUMN n TO number")
	do("ALTER TABLE t DROP COLUMN s")
	want("false (empty) 0 3 true catalog true true", "false (empty) 5 0 true catalog true true", "false (empty) 29996 0 true file false true", "false number 6 0 true catalog true true")
	if err := merges.RunUntilIdle(context.Background()); err != nil {
		t.Fatal(err)
	}
	want()
	do("DELETE FROM t WHERE id = 1")
	do("TRUNCATE t")
	want()
}
