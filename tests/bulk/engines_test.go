package bulk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// pythonEngines generates the code for all engines and checks it. run runs the program on an
// engine. killed kills it there while it writes.
func pythonEngines(t *testing.T) (run func(args ...string) string, killed func(t *testing.T, engine string, place func(string) string)) {
	bin := toolchain.Python(t)
	dir := t.TempDir()
	here := filepath.Join(toolchain.Root(t), "tests", "bulk", "engines")
	if err := os.CopyFS(dir, os.DirFS(here)); err != nil {
		t.Fatal(err)
	}
	toolchain.Run(t, dir, nil, binary.Path(t), "generate")
	toolchain.Copy(t, filepath.Join(here, "program.py"), filepath.Join(dir, "python", "program.py"))
	for _, engine := range []string{"postgres", "duckdb_", "sqlite"} {
		toolchain.Write(t, filepath.Join(dir, "python", engine, "__init__.py"), "")
	}
	checked(t, filepath.Join(dir, "python"), "--python-version", "3.11", "postgres", "duckdb_", "sqlite")
	env, command := []string{"PYTHONUTF8=1"}, []string{filepath.Join(bin, "python"), "-m", "python.program"}
	return func(args ...string) string {
			return toolchain.Run(t, dir, env, command[0], append(command[1:len(command):len(command)], args...)...)
		}, func(t *testing.T, engine string, place func(string) string) {
			killedOn(t, dir, env, command, []string{engine}, place)
		}
}

func TestPythonOnEveryEngine(t *testing.T) {
	t.Parallel()
	run, killed := pythonEngines(t)
	// Python prints True.
	types := strings.Split(strings.ReplaceAll(strings.Join(everyTypes, "\n"), "true", "True"), "\n")
	python := func(lines []string) []string {
		return strings.Split(strings.ReplaceAll(strings.Join(lines, "\n"), "no rows: [0 0 0]", "no rows: [0, 0, 0, 0]"), "\n")
	}
	failing := func(t *testing.T, got string, kinds ...string) {
		for _, size := range []string{"3", "5000"} {
			for _, kind := range kinds {
				operation := "insert"
				if word := strings.Fields(kind)[0]; word == "upsert" || word == "update" {
					operation = word
				}
				want(t, got, kind+" of "+size+": RowError: "+operation+"_all_kv: row 3: ...")
			}
			want(t, got, "broken after "+size+": LookupError: no more rows")
		}
		want(t, got, "late: RowError: insert_all_kv: row 150001: ...")
	}
	t.Run("postgres", func(t *testing.T) {
		pg := postgres(t)
		url := func(name string) string { return "postgres://postgres@" + strings.TrimPrefix(pg.Create(t, name), "//") }
		got := run("postgres", "types", url("py_types"))
		want(t, got, append(types, "flat: 1500", "delete flat: 1500", "flat one by one the same: True",
			"no route: ValueError: insert_all_every: there is no route 'copy'")...)
		sameByRoutes(t, got, 3, "True")
		got = run("postgres", "results", url("py_results"))
		want(t, got, python(common)...)
		failing(t, got, "null", "long", "duplicate", "twice", "upsert null", "upsert long", "update long", "type")
		for _, size := range []string{"3", "5000"} {
			want(t, got, "zero of "+size+": RowError: upsert_all_odd: row 3: ...")
		}
		want(t, got, "other key of 3: RowError: upsert_all_kv: row 3: ...", "other key of 5000: RowError: upsert_all_kv: row 3: ...",
			"ragged: RowError: insert_all_every: row 50: ...", "out of range: RowError: insert_all_every: row 50: ...",
			"naive of 3: RowError: insert_all_kv: row 3: ...", "naive of 5000: RowError: insert_all_kv: row 3: ...",
			"aware of 8: RowError: insert_all_every: row 5: ...", "aware of 1000: RowError: insert_all_every: row 5: ...",
			"odd: 5000", "odd again: 5000", "odd is: 10:00:00+02 10.0.0.1 tab\tnew$line\\", "inside: 5000", "fails inside: RowError: insert_all_kv: row 1: ...",
			"still inside: 5000", "and out: 0")
		killed(t, "postgres", func(operation string) string { return url("py_killed_" + operation) })
	})
	t.Run("duckdb", func(t *testing.T) {
		got := run("duckdb", "types")
		want(t, got, append(types, "no route: ValueError: insert_all_every: there is no route 'copy'")...)
		sameByRoutes(t, got, 2, "True")
		got = run("duckdb", "results")
		want(t, got, python(common)...)
		failing(t, got, "null", "duplicate", "twice", "upsert null", "type")
		for route, size := range map[string]string{"arrow": "150000", "lists": "10010"} {
			want(t, got, route+" broken inside: LookupError: no more rows", route+" upsert broken inside: LookupError: no more rows", route+" is inside: (0, '0')",
				route+" more inside: "+size, route+" upsert inside: 10", route+" more: ("+size+", 10, '0')")
		}
		want(t, got, "dry run inside: ValueError: DuckDB has no savepoints: what a dry run does in an open transaction would stay")
		killed(t, "duckdb", in(t.TempDir()))
	})
	t.Run("sqlite", func(t *testing.T) {
		want(t, run("sqlite", "types"), types...)
		got := run("sqlite", "results")
		want(t, got, python(commonOnSQLite())...)
		failing(t, got, "null", "long", "duplicate", "twice", "update long", "type")
		killed(t, "sqlite", in(t.TempDir()))
	})
}
