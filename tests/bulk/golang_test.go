package bulk

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// goKeys are the engines to which Go writes, and their key types.
var goKeys = map[string]string{"postgres": "int32", "duckdb": "int32", "sqlite": "int64"}

// goRoundTrips are the routes by which Go writes every type on DuckDB, and the parts of the table
// that each route cannot write. The appender does not support BIT, offsets of TIMETZ, and digits of
// TIME_NS below a microsecond.
var goRoundTrips = map[string][]string{
	"vectors": {" clock_ns TIME_NS,", "    ['00:00:00'::TIME_NS, '23:59:59.999999', '12:34:56.123456'][i % 3 + 1] AS clock_ns,\n"},
	"appender": {" clock_ns TIME_NS,", "    ['00:00:00'::TIME_NS, '23:59:59.999999', '12:34:56.123456'][i % 3 + 1] AS clock_ns,\n",
		" bits BIT,", "    ['0'::BIT, '1', '01010101010', repeat('110', i % 50 + 1)::BIT][i % 4 + 1] AS bits,\n",
		" clockz TIMETZ,", "    ['00:00:00+00'::TIMETZ, '23:59:59.999999-12', '12:34:56.5+05:45'][i % 3 + 1] AS clockz,\n"},
}

// goPrograms generates the code of all Go programs, checks it, and builds the programs in one
// module with the versions of this module. It returns their folder. The programs are in its folder
// bin.
func goPrograms(t *testing.T) (dir string) {
	return shared(t, "go", func(dir string) string {
		root := toolchain.Root(t)
		here := filepath.Join(root, "tests", "bulk")
		put := func(from, to string, replace ...string) {
			text, err := os.ReadFile(filepath.Join(here, from))
			if err != nil {
				t.Fatal(err)
			}
			toolchain.Write(t, filepath.Join(dir, to), strings.NewReplacer(replace...).Replace(string(text)))
		}
		for _, name := range []string{"postgres.sql", "duckdb.sql", "sqlite.sql", "writes.sql", "scoter.yaml"} {
			put("engines/"+name, name)
		}
		toolchain.Run(t, dir, nil, binary.Path(t), "generate")
		for engine, key := range goKeys {
			replace := []string{"ENGINE", engine, "KEY", key, "TWO", key, "EVERY", key}
			put("engines/program.go.txt", "cmd/"+engine+"/main.go", replace...)
			put("engines/"+engine+".go.txt", "cmd/"+engine+"/engine.go", replace...)
			if engine == "duckdb" {
				put("engines/duckdb_arrow.go.txt", "cmd/duckdb/arrow.go", replace...)
			}
		}
		for route, without := range goRoundTrips {
			roundTrip(t, filepath.Join(dir, route), "program.go.txt", "program.go.txt", without...)
			put("roundtrip/program.go.txt", route+"/program.go", "package main", "package "+route, "func main()", "func Main()", "bulktest/", "bulktest/"+route+"/")
		}
		toolchain.Write(t, filepath.Join(dir, "cmd", "roundtrip", "main.go"), `package main

import (
	"os"

	"bulktest/appender"
	"bulktest/vectors"
)

func main() { map[string]func(){"appender": appender.Main, "vectors": vectors.Main}[os.Args[1]]() }
`)
		for _, name := range []string{"scoter.sql", "scoter.yaml"} {
			put("arrow/"+name, "http/"+name)
		}
		toolchain.Run(t, filepath.Join(dir, "http"), nil, binary.Path(t), "generate")
		put("arrow/main.go.txt", "cmd/http/main.go", "bulktest/", "bulktest/http/")

		mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		toolchain.Write(t, filepath.Join(dir, "go.mod"), regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module bulktest"))
		toolchain.Copy(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"))
		env := []string{"GOFLAGS=-mod=mod " + os.Getenv("GOFLAGS"), "GOWORK=off"}
		toolchain.Run(t, dir, env, "go", "vet", "-composites=false", "-tags=duckdb_arrow", "./cmd/...", "./vectors", "./appender")
		toolchain.Run(t, dir, env, "go", "build", "-tags=duckdb_arrow", "-o", "bin/", "./cmd/...")
		return dir
	})
}

// goProgram returns a function that runs the program of an engine, and the program's path.
func goProgram(t *testing.T, engine string) (run func(args ...string) string, program string) {
	dir := goPrograms(t)
	program = filepath.Join(dir, "bin", engine)
	return func(args ...string) string {
		return toolchain.Run(t, dir, []string{"TZ=America/New_York"}, program, args...)
	}, program
}

// want fails for each line that a program did not print. A line that ends with "..." is the
// beginning of a line.
func want(t *testing.T, got string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		line, beginning := strings.CutSuffix(line, "...")
		if !beginning {
			line += "\n"
		}
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("there is no line %q in\n%s", line, got)
		}
	}
}

// common are the lines that the programs of all engines and languages print.
var common = []string{
	"insert: 100000", "nothing behind: 100000 4999950000 1 a", "update: 90000", "update twice: 10000", "update some: 2", "update one twice: 1",
	"last wins: 0 9999 90000", "upsert: 70000", "upsert twice: 120000", "upsert some: 2", "upserted: 120001 7200060000 120000 u1",
	"delete: 50000", "delete some: 1", "deleted: 70000 5950035000 70000 u100000", "two: 5000", "two updated: 4000", "two deleted: 3000", "two left: 2000 3500",
	"three more: 3", "few of NULL: 2", "they are: 60 40 2 5", "many of NULL: 4", "they are now: 11984 11986 11998 11996", "many deleted: 1503", "two of NULL left: 500 500",
	"in a transaction: 100000", "upsert in it: 10000", "rolled back: 70000 5950035000 70000 u100000", "in another: 10",
	"committed: 70010 5953035045 70001 t", "left: 0",
}

var everyTypes = []string{
	"every: 1500", "delete: 1500", "one by one the same: true", "upsert: 1500", "upserted the same: true", "upsert others: 1500", "changed: true",
	"update: 1500", "updated the same: true",
}

// sameByRoutes fails unless each route wrote the same as the operation without a route.
func sameByRoutes(t *testing.T, got string, routes int, yes string) {
	t.Helper()
	for _, what := range []string{"inserted", "changed"} {
		if n := strings.Count(got, "\n"+what+" by route: "+yes+"\n"); n != routes {
			t.Errorf("%d of %d routes %s the same:\n%s", n, routes, what, got)
		}
	}
}

func TestGoOnPostgres(t *testing.T) {
	t.Parallel()
	pg := postgres(t)
	run, program := goProgram(t, "postgres")
	url := func(name string) string { return "postgres://postgres@" + strings.TrimPrefix(pg.Create(t, name), "//") }
	got := run("types", url("go_types"))
	want(t, got, append(everyTypes, "row 1: (1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,)")...)
	sameByRoutes(t, got, 3, "true")
	got = run("results", url("go_results"))
	want(t, got, common...)
	for _, size := range []string{"3", "5000"} {
		want(t, got,
			"null of "+size+": RowError: InsertAllKv: row 3: column doc: must not be null",
			"long of "+size+": RowError: InsertAllKv: row 3: ...",
			"duplicate of "+size+`: RowError: InsertAllKv: row 3: ERROR: duplicate key value violates unique constraint "kv_pkey" (SQLSTATE 23505): Key (k)=(7) already exists.`,
			"twice of "+size+`: RowError: InsertAllKv: row 3: ERROR: duplicate key value violates unique constraint "kv_pkey" (SQLSTATE 23505): Key (k)=(200001) already exists.`,
			"upsert null of "+size+": RowError: UpsertAllKv: row 3: column doc: must not be null",
			"upsert long of "+size+": RowError: UpsertAllKv: row 3: ...",
			"update long of "+size+": RowError: UpdateAllKv: row 3: ...",
			"broken after "+size+": error: no more rows",
			"other key of "+size+`: RowError: UpsertAllKv: row 3: ERROR: duplicate key value violates unique constraint "kv_seen_key" (SQLSTATE 23505): Key (seen)=(...`,
		)
	}
	want(t, got, "late: RowError: InsertAllKv: row 150001: column doc: must not be null",
		"ragged: RowError: InsertAllEvery: row 50: column grid: its lists do not have the same lengths",
		`no decimal: RowError: InsertAllEvery: row 50: column n: "1.2.3" is no decimal`,
		"NaN: NaN", "-Infinity: -Infinity", "1e3: 1000", "-0.00012300: -0.00012300", "12345678.00009: 12345678.00009", "00.10: 0.10", "1e-7: 0.0000001",
		"99999999999999999999.5: 99999999999999999999.5",
		"odd: 5000", "odd by unnest: 5000", "odd by binary: 5000", "odd by text: 5000", `odd by none: error: UpsertAllOdd: there is no route "copy"`,
		"odd again: 5000", "odd is: 10:00:00+02 10.0.0.1 tab\tnew$line\\",
		"inside: 5000", "fails inside: RowError: InsertAllKv: row 1: ...", "still inside: 5000", "and out: 0")
	killedOn(t, ".", nil, []string{program}, nil, func(operation string) string { return url("go_killed_" + operation) })
}

func TestGoOnDuckDB(t *testing.T) {
	t.Parallel()
	const stays = "[2024-03-01, NULL] {'first': 2024-03-01, 'prices': [1.50, NULL]} {2024-03-01=1.50} [{'first': 2024-03-01}, NULL]; "
	run, program := goProgram(t, "duckdb")
	got := run("types")
	want(t, got, everyTypes...)
	sameByRoutes(t, got, 2, "true")
	got = run("results")
	want(t, got, common...)
	for _, size := range []string{"3", "5000"} {
		want(t, got,
			"null of "+size+": RowError: InsertAllKv: row 3: column doc: must not be null",
			"duplicate of "+size+`: RowError: InsertAllKv: row 3: Failed to append: Duplicate key "k: 7" violates primary key constraint...`,
			"twice of "+size+": RowError: InsertAllKv: row 3: ...",
			"long of "+size+": error: InsertAllKv: Failed to append: CHECK constraint failed on table kv ...",
			"upsert null of "+size+": RowError: UpsertAllKv: row 3: column doc: must not be null",
			"broken after "+size+": error: no more rows",
		)
	}
	want(t, got, "late: RowError: InsertAllKv: row 150001: column doc: must not be null",
		"no decimal: RowError: InsertAllEvery: row 50: column d9: 1.2345 has more than 3 digits after the point",
		`no label: RowError: InsertAllEvery: row 50: column feeling: "none" is not a label of the enum`,
		"length: RowError: InsertAllEvery: row 50: column three: has 1 elements, not 3",
		"stays 0: 2", "they are 0: "+stays, "stays 1: 2", "they are 1: "+stays, "bigs: 1",
		"they are big: -123456789123456789123456789123456789123456789123456789 [-123456789123456789123456789123456789123456789123456789, NULL]",
		"broken inside: error: no more rows", "inside: 0", "more inside: 10", "more: 10", "many: 300000",
		"late duplicate: RowError: InsertAllKv: row 299001: ...", "long texts: 300000",
		"long texts are: 300000 300000 a text that is longer than twelve bytes a text that is longer than twelve bytes")
	killedOn(t, ".", nil, []string{program}, nil, in(t.TempDir()))
}

func TestGoReadsAndWritesArrow(t *testing.T) {
	t.Parallel()
	run, _ := goProgram(t, "duckdb")
	said(t, run("arrow"), []string{
		"every: 1500", "inserted the same: true", "upserted: 1500", "changed: true", "updated: 1500", "updated the same: true", "deleted: 1500", "none: 0",
		"insert: 300000", "inserted: 300000 44999850000 1 a",
		"null: RowError: InsertAllKvArrow: row 5: column v: must not be null",
		`duplicate: RowError: InsertAllKvArrow: row 5: Constraint Error: Duplicate key "k: 7" violates primary key constraint`,
		`twice: RowError: InsertAllKvArrow: row 5: Constraint Error: PRIMARY KEY or UNIQUE constraint violation: duplicate key "300001"`,
		"long: error: InsertAllKvArrow: Constraint Error: CHECK constraint failed on table kv",
		"upsert null: RowError: UpsertAllKvArrow: row 5: column v: must not be null",
		`late: RowError: InsertAllKvArrow: row 250001: Constraint Error: Duplicate key "k: 299999" violates primary key constraint`,
		"broken: error: no more rows",
		"missing: error: InsertAllKvArrow: the rows have no column doc: they have k, v",
		"unknown: error: DeleteAllKvArrow: there is no column v, which the rows have, but k",
		"two of a name: error: DeleteAllKvArrow: the rows have more than one column k",
		"no number: error: DeleteAllKvArrow: Conversion Error: Could not convert string 'abc' to INT32",
		"nothing behind: 300000 44999850000 1 a",
		"update: 200000", "update twice: 100000", "last wins: [b, last]", "update twice in any order: 100000", "last wins: [b, final]",
		"upsert: 200000", "delete: 390000", "upserted: 10000 3949995000 1 u",
		"in a transaction: 1000", "fails in it: error: no more rows", "in it: 11000 3950494500 2 t", "rolled back: 10000 3949995000 1 u",
		"in another: 2", "returned: 10001", "committed: 10001 3950395000 2 t!", "left: 0",
		"first: true 2048", "beside: 10001 3950395000 2 t!", "whole: 200000 <nil>",
		"in another type: true",
		"in a sql.Tx: error: Arrow needs a *sql.DB or *sql.Conn: use Transaction instead of a *sql.Tx",
		"canceled: false true", "connections: 0", "observed: true true",
	})
}

// in returns a function that returns the paths of files in a folder.
func in(dir string) func(name string) string {
	return func(name string) string { return filepath.Join(dir, name) }
}

// commonOnSQLite is common for an engine where every row is a statement. If two rows have the same
// key, both are counted.
func commonOnSQLite() (lines []string) {
	replace := strings.NewReplacer("update twice: 10000", "update twice: 20000", "update one twice: 1", "update one twice: 2", "upsert twice: 120000", "upsert twice: 160000",
		"few of NULL: 2", "few of NULL: 3", "many of NULL: 4", "many of NULL: 3000")
	for _, line := range common {
		lines = append(lines, replace.Replace(line))
	}
	return lines
}

func TestGoOnSQLite(t *testing.T) {
	t.Parallel()
	run, program := goProgram(t, "sqlite")
	place := in(t.TempDir())
	want(t, run("types", place("types.db")), everyTypes...)
	got := run("results", place("results.db"))
	want(t, got, commonOnSQLite()...)
	for _, size := range []string{"3", "5000"} {
		want(t, got,
			"null of "+size+": RowError: InsertAllKv: row 3: ...", "duplicate of "+size+": RowError: InsertAllKv: row 3: ...",
			"twice of "+size+": RowError: InsertAllKv: row 3: ...", "long of "+size+": RowError: InsertAllKv: row 3: ...",
			"update long of "+size+": RowError: UpdateAllKv: row 3: ...", "broken after "+size+": error: no more rows")
	}
	want(t, got, "late: RowError: InsertAllKv: row 150001: ...")
	want(t, got, "fail: RowError: InsertAllFailing: row 1501: ...", "none of it: 0", "end: error: sqlite3: constraint failed: UNIQUE...", "nothing: 0")
	for _, how := range []string{"BEGIN", "tx"} {
		want(t, got, how+" inside: 5000", how+" fails inside: RowError: InsertAllKv: row 1: ...", how+" fails late: RowError: InsertAllKv: row 4322: ...",
			how+" broken inside: error: no more rows", how+" still inside: 5000", how+" and out: 0")
	}
	killedOn(t, ".", nil, []string{program}, nil, in(t.TempDir()))
}
