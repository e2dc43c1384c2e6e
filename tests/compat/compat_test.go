// Package compat opens data directories that older versions of Scoter wrote. testdata has one per
// format; they are never written again.
package compat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/scoterdb/scoter/internal/engine"

	"github.com/scoterdb/scoter"
)

// copied returns a copy of a frozen directory.
func copied(t *testing.T, format string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", format))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFormat1: tables one (n 0 to 29) and two (n 10 to 34), half in parts, half in the log; a view on one; and two
// requests with idempotency keys, of which the log and the catalog know one each.
func TestFormat1(t *testing.T) {
	dir := copied(t, "format1")
	for range 2 { // as it was, and after it was brought to today's format
		verifyFormat1(t, dir)
	}
}

// verify runs queries of one text each.
func verify(t *testing.T, db *scoter.DB, queries map[string]string) {
	t.Helper()
	ctx := context.Background()
	for sql, want := range queries {
		rows, err := db.Query(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		rows.Next()
		var got string
		if err := rows.Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func verifyFormat1(t *testing.T, dir string) {
	ctx := context.Background()
	db, err := scoter.Open(dir, scoter.WithDatabase("scoter"))
	if err != nil {
		t.Fatal(err)
	}
	verify(t, db, map[string]string{
		"SELECT concat_ws(' ', count(*), sum(n), count(DISTINCT s), sum(l[1])) FROM one": "30 435 30 300",
		"SELECT concat_ws(' ', count(*), min(n), max(n)) FROM two":                       "25 10 34",
		"SELECT count(n)::VARCHAR FROM v":                                                "30",
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true}, engine.Components{})
	if err != nil {
		t.Fatal(err)
	}
	for key, rows := range map[string]int64{"flushed": 10, "logged": 20} {
		r, err := e.Append(ctx, nil, engine.AppendOptions{IdempotencyKey: key, BodyHash: []byte{1}})
		if err != nil || !r.Replayed || r.Inserted != rows {
			t.Errorf("key %s: %+v, %v", key, r, err)
		}
	}
	if err := e.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if err := e.Check(ctx); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFormat3: a table of which rows were changed and deleted, in the catalog and in the log, as a crash left it.
func TestFormat3(t *testing.T) {
	dir := copied(t, "format3")
	for range 2 {
		db, err := scoter.Open(dir, scoter.WithDatabase("scoter"))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, db, map[string]string{
			"SELECT concat_ws(' ', count(*), sum(n), min(id), max(id)) FROM changed":                                        "97 14589 0 109",
			"SELECT string_agg(concat_ws(' ', id, n, s), ', ' ORDER BY id) FROM changed WHERE id IN (2, 3, 4, 50, 95, 105)": "2 1002 s2, 3 1003 log, 50 50 log, 95 95 new, 105 105 log",
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormat6: a table with an expression in the catalog and one, of a later version of the schema, in the log, as a crash left it; and rows that
// are none of theirs: a patched one, and those that came later.
func TestFormat6(t *testing.T) {
	dir := copied(t, "format6")
	for range 2 {
		db, err := scoter.Open(dir, scoter.WithDatabase("default"))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, db, map[string]string{
			"SELECT concat_ws(' ', count(*), sum(n)) FROM kept":                                                               "102 82400",
			"SELECT string_agg(concat_ws(' ', id, n, text), ', ' ORDER BY id) FROM kept WHERE id IN (2, 3, 51, 52, 100, 101)": "2 2004 row 2!, 3 1003 patched, 51 51 row 51, 52 104 row 52!, 100 0 in memory!, 101 0 after it",
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormat7: tables that merge on read, as a crash left them: rows of one key in a settled part, in one that is not settled, and in the log; and
// changes of some of them.
func TestFormat7(t *testing.T) {
	dir := copied(t, "format7")
	for range 2 {
		db, err := scoter.Open(dir, scoter.WithDatabase("default"))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, db, map[string]string{
			"SELECT concat_ws(' ', count(*), sum(n), sum(ver), min(id), max(id)) FROM lazy":                                              "98 56732 535 0 200",
			"SELECT string_agg(concat_ws(' ', id, n, ver), ', ' ORDER BY id) FROM lazy WHERE id IN (0, 10, 20, 26, 30, 31, 60, 99, 200)": "0 3000 8, 10 10 5, 20 2020 7, 26 2026 7, 60 -1 5, 200 3003 1",
			"SELECT concat_ws(' ', count(*), count(DISTINCT id)) FROM last":                                                              "40 40",
			"SELECT string_agg(concat_ws(' ', id, s), ', ' ORDER BY id) FROM last WHERE id IN (9, 10, 11, 12, 13, 41)":                   "9 first 9, 10 fourth 10, 12 fifth 12, 13 second 13, 41 new 41",
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOlderTablesReplaceOnInsert: until format 9 every INSERT replaced the row of its key, and in tables from then it does. New ones refuse it.
func TestOlderTablesReplaceOnInsert(t *testing.T) {
	db, err := scoter.Open(copied(t, "format3"), scoter.WithDatabase("default"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE TABLE fresh (id BIGINT PRIMARY KEY, n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	verify(t, db, map[string]string{
		`SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM scoter.tables WHERE definition LIKE '%"on_insert" = ''replace''%'`: "changed",
		`SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM scoter.tables WHERE definition LIKE '%"on_insert" = ''error''%'`:   "fresh",
	})
}

// TestFormat8: exports as a crash left them: a paused one, whose objects are closed but for rows that came later, and one with an object of rows of which
// the log has a change.
func TestFormat8(t *testing.T) {
	dir := copied(t, "format8")
	for range 2 {
		db, err := scoter.Open(dir, scoter.WithDatabase("default"))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, db, map[string]string{
			"SELECT concat_ws(' ', count(*), min(id), max(id)) FROM bids":                                                                                                                "3 200 202",
			"SELECT concat_ws(' ', count(*), sum(n)) FROM kept":                                                                                                                          "21 1207",
			"SELECT string_agg(concat_ws(' ', export_name, state, due, objects, rows), ', ' ORDER BY export_name) FROM scoter.exports":                                                   "lake paused 1 6 55, whole stopped 1 1 20",
			"SELECT string_agg(concat_ws(' ', partition, generation, rows, closed), ', ' ORDER BY partition, generation) FROM scoter.export_objects WHERE partition <= 'day=2025-01-02'": " 1 20 false, day=2025-01-01 1 10 true, day=2025-01-01 2 5 true, day=2025-01-02 1 10 true",
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUpgradedCatalogsAreLikeNewOnes compares all columns.
func TestUpgradedCatalogsAreLikeNewOnes(t *testing.T) {
	fresh := t.TempDir()
	old := copied(t, "format1")
	for _, dir := range []string{fresh, old} {
		e, err := engine.Open(dir, engine.Settings{}, engine.Components{})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := columns(t, old), columns(t, fresh); !slices.Equal(got, want) {
		t.Fatalf("upgraded:\n%s\nnew:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func columns(t *testing.T, dir string) (all []string) {
	t.Helper()
	db, err := sqlite3.Open("file:" + filepath.Join(dir, "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, _, err := db.Prepare(`SELECT m.name, p.cid, p.name, p.type, p."notnull", p.pk, (SELECT format_version FROM meta)
		FROM sqlite_schema m, pragma_table_info(m.name) p ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for s.Step() {
		line := ""
		for i := range s.ColumnCount() {
			line += s.ColumnText(i) + " "
		}
		all = append(all, line)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatal(fmt.Sprint("few columns: ", all))
	}
	return all
}
