// Package slt runs the SQL tests in testdata. Each file runs with all rows in the memtable, with
// all rows in parts, and with rows in both. It also runs on plain DuckDB, to check the test itself.
package slt

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// go test ./tests/slt -rewrite writes the results of plain DuckDB into the files. For records that
// DuckDB does not run, it writes the results of Scoter. Review the difference.
var rewrite = flag.Bool("rewrite", false, "write the answers into testdata")

func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.slt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".slt"), func(t *testing.T) {
			records, rest, err := parseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if *rewrite {
				rewriteFile(t, file, records, rest)
			}
			t.Run("duckdb", func(t *testing.T) { check(t, openDuckDB(t), file, records) })
			t.Run("memtable", func(t *testing.T) { check(t, openScoter(t, false, 0), file, records) })
			t.Run("parts", func(t *testing.T) { check(t, openScoter(t, false, 1), file, records) })
			t.Run("mixed", func(t *testing.T) { check(t, openScoter(t, false, 2), file, records) })
			for flushEvery := range 3 {
				if filepath.Base(file) == "keyed.slt" {
					t.Run(fmt.Sprintf("merged on read, flushed every %d", flushEvery), func(t *testing.T) {
						check(t, onRead{openScoter(t, false, flushEvery)}, file, records)
					})
				}
			}
		})
	}
}

func check(t *testing.T, db database, file string, records []*record) {
	for _, r := range records {
		if r.only != "" && r.only != db.engine() {
			continue
		}
		got, err := db.run(r.sql)
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s:%d: %s\n"+format, append([]any{file, r.line, r.sql}, args...)...)
		}
		switch {
		case r.want == "error" && err == nil:
			fail("succeeded, want an error matching %s", r.pattern)
		case r.want == "error":
			// The messages of DuckDB are different.
			if db.engine() == scoterEngine && !r.pattern.MatchString(err.Error()) {
				fail("error: %v\nwant one matching %s", err, r.pattern)
			}
		case err != nil:
			fail("error: %v", err)
		case r.want == "count" && db.engine() == scoterEngine && got.changed != r.count && got.changed != uncounted:
			fail("changed %d rows, want %d", got.changed, r.count)
		case r.verb == "query":
			rows, want := got.rows, r.expected
			if r.rowsort {
				rows, want = sorted(rows), sorted(want)
			}
			if got.types != r.types || !slices.Equal(rows, want) {
				fail("types %s, rows\n%s\nwant %s\n%s", got.types, strings.Join(rows, "\n"), r.types, strings.Join(want, "\n"))
			}
		}
	}
}

func rewriteFile(t *testing.T, file string, records []*record, rest []string) {
	oracle, ours := openDuckDB(t), openScoter(t, false, 0)
	var b strings.Builder
	for _, r := range records {
		var got answer
		var err error
		if r.only != duckdbEngine {
			got, err = ours.run(r.sql)
		}
		if r.only != scoterEngine {
			got, err = oracle.run(r.sql)
		}
		switch {
		case r.want == "error":
		case err != nil:
			t.Errorf("%s:%d: %s\nerror: %v", file, r.line, r.sql, err)
		case r.verb == "query":
			r.types, r.expected = got.types, got.rows
			if r.rowsort {
				r.expected = sorted(r.expected)
			}
		}
		b.WriteString(r.text())
	}
	if len(rest) > 0 {
		b.WriteString(strings.Join(rest, "\n") + "\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
