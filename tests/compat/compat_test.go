// Package compat opens data directories that older versions of Scoter wrote. testdata has one
// directory for each format. These directories are never written again.
package compat

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/backup"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/vfs"

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

// TestFormat1 has the tables one (n 0 to 29) and two (n 10 to 34), half of their rows in parts and
// half in the log, and a view on one. There are two requests with idempotency keys: the log has one
// key, and the catalog the other.
func TestFormat1(t *testing.T) {
	dir := copied(t, "format1")
	for range 2 { // unchanged, and after it was upgraded to the current format
		verifyFormat1(t, dir)
	}
}

// verify runs queries that return one text each.
func verify(t *testing.T, db *scoter.DB, queries map[string]string) {
	t.Helper()
	ctx := context.Background()
	for sql, want := range queries {
		rows, err := db.Query(ctx, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		rows.Next()
		var got string
		if err := rows.Scan(&got); err != nil {
			t.Fatalf("%s: %v", sql, err)
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

// TestFormat3 has a table with updated and deleted rows, in the catalog and in the log, as after a
// crash.
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

// TestFormat6 has a table with an expression update (an UPDATE that is stored as SQL) in the
// catalog, and one with a later version of the schema in the log, as after a crash. It also has
// rows to which they do not apply: a patched row, and later rows.
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

// TestFormat7 has tables that merge on read, as after a crash. Rows of one key are in a
// deduplicated part, in a part that is not deduplicated, and in the log. Some rows were changed.
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

// TestOlderTablesReplaceOnInsert checks tables from before format 9: every INSERT still replaces
// the row of its key. Newer tables refuse such an INSERT.
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

// TestFormat8 has exports as after a crash: a paused export, whose objects are closed although
// there are later rows, and an export with an object whose rows have a change in the log.
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

// format8All are queries over format8-all, and their results in the version that wrote it.
var format8All = map[string]string{
	"SELECT concat_ws(' ', count(*), sum(id), sum(v), sum(renamed), sum(added), count(DISTINCT host)) FROM plain":         "195 25205 9001.5 25000018205 7949 8",
	"SELECT md5(string_agg(t::VARCHAR, ';' ORDER BY k)) FROM types t":                                                     "ed2207e38ed6b8028b30262e23c60daf",
	"SELECT concat_ws(' ', count(*), sum(n), string_agg(s, ',' ORDER BY id) FILTER (id IN (7,8,9,10,50,200))) FROM keyed": "99 14091 upserted,in the log,s10,dflt",
	"SELECT concat_ws(' ', count(*), sum(n), sum(ver)) FROM versions":                                                     "50 2180 255",
	"SELECT concat_ws(' ', count(*), string_agg(s, ',' ORDER BY id) FILTER (id IN (2,3,4,31))) FROM last":                 "31 first 2,second 3,third 4,new",
	"SELECT concat_ws(' ', count(*), sum(n), sum(ver)) FROM onwrite":                                                      "30 655 95",
	"SELECT concat_ws(' ', count(*), sum(n)) FROM pending":                                                                "100 6633",
	"SELECT concat_ws(' ', count(*), sum(n), sum(length(s))) FROM wide":                                                   "3000 4500000 162390",
	"SELECT concat_ws(' ', count(*), sum(temp), max(time)) FROM weather":                                                  "2 16.0 2025-01-01 00:01:00+00",
	"SELECT string_agg(name, ',' ORDER BY name) FROM things":                                                              "Ada,Bob",
	"SELECT string_agg(\"only\", ',') FROM fresh":                                                                         "in the log",
	"SELECT concat_ws(' ', (SELECT sum(a) FROM other.t), (SELECT sum(a) FROM second.main.t2), (SELECT count(*) FROM v))":  "3 7 99",
	"SELECT concat_ws(' ', count(*), count(DISTINCT p), sum(n)) FROM ev":                                                  "8708 4 9488416",
	"SELECT concat_ws(' ', count(*), sum(c)) FROM per_p":                                                                  "4 8708",
	"SELECT count(*)::VARCHAR FROM scoter.dead_letters":                                                                   "12",
	"SELECT string_agg(concat_ws(' ', partition, next_offset), ', ' ORDER BY partition) FROM scoter.source_partitions":    "0 2180, 1 2180, 2 2180, 3 2180",
	"SELECT concat_ws(' ', export_name, state, objects) FROM scoter.exports":                                              "lake paused 9",
	"SELECT string_agg(concat_ws('.', table_catalog, table_schema, table_name), ' ' ORDER BY table_catalog, table_schema, table_name) FROM information_schema.tables WHERE table_schema <> 'scoter'": "default.main.ev default.main.fresh default.main.keyed default.main.last default.main.onwrite default.main.pending default.main.per_p default.main.per_p_states default.main.plain default.main.things default.main.types default.main.v default.main.versions default.main.weather default.main.wide default.other.t second.main.t2",
}

// TestFormat8All has one directory with every feature of format 8, as after a crash:
//
//   - parts of several schema versions
//   - patches inside and outside of the catalog, deletions, an expression update (an UPDATE that is
//     stored as SQL)
//   - tables of both kinds with keys, all types, views
//   - an export with objects
//   - a Kafka source with offsets, dead letters and a view, which stores intermediate results of
//     its aggregates
//   - changes of all kinds that are only in the log
func TestFormat8All(t *testing.T) {
	ctx := context.Background()
	dir := copied(t, "format8-all")
	open := func(dir string) *scoter.DB {
		t.Helper()
		db, err := scoter.Open(dir, scoter.WithDatabase("default"))
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	for range 2 { // unchanged, and after it was upgraded to the current format
		db := open(dir)
		verify(t, db, format8All)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	check := func(dir string) {
		t.Helper()
		e, err := engine.Open(dir, engine.Settings{DisableAutomaticFlush: true}, engine.Components{})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Check(ctx); err != nil {
			t.Error(err)
		}
		for key, name := range map[string]string{"in-catalog": "Ada", "in-log": "Bob"} {
			_, err := e.Append(ctx, nil, engine.AppendOptions{IdempotencyKey: key, BodyHash: []byte{1}})
			if base.KindOf(err) != base.Conflict {
				t.Errorf("the key of the request with %s, for another body: %v", name, err)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	check(dir)
	var archive bytes.Buffer
	db := open(dir)
	if err := db.Backup(ctx, &archive); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	if err := scoter.Restore(ctx, &archive, restored); err != nil {
		t.Fatal(err)
	}
	check(restored)
	db = open(restored)
	verify(t, db, format8All)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOlderPartsAreVerified opens directories of formats whose parts have no block checksums. The
// first read computes them. After that a flipped bit is found by reading, by a backup and by a
// check. A restored backup equals the directory.
func TestOlderPartsAreVerified(t *testing.T) {
	for _, format := range []string{"format1", "format3", "format6", "format7", "format8", "format8-all"} {
		dir := copied(t, format)
		open := func() *app.App {
			settings := config.Default()
			settings.Dir, settings.ScrubPeriod, settings.MergeParallel = dir, 0, 0
			a, err := app.Open(settings, false, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			return a
		}
		a := open()
		if err := a.Engine.Check(context.Background()); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		var archive bytes.Buffer
		if err := a.Backup(context.Background(), &archive); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		healths := a.Engine.PartHealths()
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		restored := filepath.Join(t.TempDir(), "restored")
		if err := backup.Restore(context.Background(), vfs.OS, &archive, restored); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if len(healths) == 0 {
			t.Fatalf("%s has no parts", format)
		}
		path := filepath.Join(dir, "parts", fmt.Sprint(healths[0].Table), fmt.Sprintf("%d.parquet", healths[0].Part.ID))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)/2] ^= 1
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		a = open()
		if err := a.Engine.Check(context.Background()); base.KindOf(err) != base.Corrupt {
			t.Errorf("%s: checked: %v", format, err)
		}
		if err := a.Backup(context.Background(), new(bytes.Buffer)); base.KindOf(err) != base.Corrupt {
			t.Errorf("%s: backed up: %v", format, err)
		}
		if err := a.Close(); err != nil {
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
