package lang

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// generators are the ids of all generators.
var generators = []string{
	"typescript/sqlite/better-sqlite3", "typescript/sqlite/node", "typescript/sqlite/libsql", "typescript/sqlite/turso",
	"typescript/duckdb/node-api", "typescript/postgres/pg", "java/sqlite/jdbc", "java/duckdb/jdbc", "java/duckdb/arrow", "java/postgres/jdbc",
	"python/sqlite/sqlite3", "python/duckdb/duckdb", "python/postgres/psycopg", "go/sqlite/sql", "go/duckdb/duckdb-go", "go/postgres/pgx",
}

func module(t *testing.T, engine string) *ir.Module {
	f, err := os.Open(filepath.Join("..", "ir", "testdata", engine+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := ir.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func target(id, name, output string) ir.Target {
	p := strings.Split(id, "/")
	return ir.Target{Generator: id, Language: p[0], Engine: ir.Engine(p[1]), Driver: p[2], Output: output, Name: ir.NewName(name),
		Config: ir.TargetConfig{Migrations: true, Observer: true}}
}

func TestGenerationIsDeterministicAndSorted(t *testing.T) {
	for _, id := range generators {
		engine := strings.Split(id, "/")[1]
		first, err := Generate(module(t, engine), target(id, "my queries", "out/db/"))
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		second, err := Generate(module(t, engine), target(id, "my queries", "out/db/"))
		if err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%s: the second run differs", id)
		}
		if !sort.SliceIsSorted(first, func(i, j int) bool { return first[i].Path < first[j].Path }) {
			t.Errorf("%s: files are not sorted", id)
		}
		seen := map[string]bool{}
		for _, f := range first {
			if seen[f.Path] || path(f.Path) || !strings.HasSuffix(f.Content, "\n") || strings.HasSuffix(f.Content, "\n\n") {
				t.Errorf("%s: file %s", id, f.Path)
			}
			seen[f.Path] = true
			for _, line := range strings.Split(f.Content, "\n") {
				if strings.TrimRight(line, " ") != line && !strings.Contains(line, `\`) {
					t.Errorf("%s: %s has white space at the end of %q", id, f.Path, line)
				}
			}
		}
	}
}

// path reports whether a file would be outside of the output's folder.
func path(p string) bool { return !strings.HasPrefix(p, "out/db/") || strings.Contains(p, "..") }

func TestJavaRefusesRowsOfMoreColumnsThanARecordHas(t *testing.T) {
	m := module(t, "duckdb")
	row := &m.Rows[slices.IndexFunc(m.Rows, func(r ir.Row) bool { return r.Ref == "list_everything_result" })]
	query := &m.Queries[slices.IndexFunc(m.Queries, func(q ir.Query) bool { return q.Row == row.Ref })]
	for i := len(row.Columns); i <= 254; i++ {
		if _, err := Generate(m, target("java/duckdb/jdbc", "q", "out/db/")); err != nil {
			t.Fatalf("%d columns: %v", i, err)
		}
		column := ir.Column{Name: ir.NewName(fmt.Sprint("more ", i)), Type: ir.Type{Kind: ir.Int32, Native: "INTEGER"}}
		row.Columns, query.Columns = append(row.Columns, column), append(query.Columns, column)
	}
	_, err := Generate(m, target("java/duckdb/jdbc", "q", "out/db/"))
	if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "list_everything_result have 255 columns") {
		t.Error(err)
	}
}

func TestGoRefusesMapsInWhichNothingIsFound(t *testing.T) {
	for kind, found := range map[ir.Kind]bool{
		ir.Int64: true, ir.Decimal: true, ir.Text: true, ir.UUID: true, ir.Date: true, ir.Interval: true, ir.Int128: false, ir.Uint128: false, ir.Any: false, ir.Blob: false,
		ir.JSON: false, ir.List: false, ir.Map: false, ir.StructKind: false,
	} {
		m := module(t, "duckdb")
		row := &m.Rows[slices.IndexFunc(m.Rows, func(r ir.Row) bool { return r.Ref == "list_everything_result" })]
		query := &m.Queries[slices.IndexFunc(m.Queries, func(q ir.Query) bool { return q.Row == row.Ref })]
		value := ir.Type{Kind: ir.Int32, Native: "INTEGER"}
		pair := ir.Struct{Ref: "pair", Name: ir.NewName("pair"), Fields: []ir.Field{{Name: ir.NewName("left"), Type: value, Nullable: true}}}
		m.Structs = append(m.Structs, pair)
		key := ir.Type{Kind: kind, Native: "KEY", Elem: &value, Key: &value, Ref: pair.Ref}
		column := ir.Column{Name: ir.NewName("looked up"), Type: ir.Type{Kind: ir.Map, Native: "MAP(KEY, INTEGER)", Key: &key, Elem: &value}}
		row.Columns, query.Columns = append(row.Columns, column), append(query.Columns, column)
		_, err := Generate(m, target("go/duckdb/duckdb-go", "q", "out/db/"))
		if found && err != nil || !found && (base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "looked up: MAP(KEY, INTEGER): a Go map cannot have keys of this type")) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestTargetsInOneFolderShareEqualRuntimeFiles(t *testing.T) {
	for _, language := range []string{"typescript", "java", "python"} {
		content := map[string]string{}
		for _, id := range generators {
			if !strings.HasPrefix(id, language) {
				continue
			}
			files, err := Generate(module(t, strings.Split(id, "/")[1]), target(id, id, "out/db/"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if old, ok := content[f.Path]; ok && old != f.Content {
					t.Errorf("%s: %s is written twice with different content", id, f.Path)
				}
				content[f.Path] = f.Content
			}
		}
	}
}

func TestNamesThatBecomeOneAreAnErrorThatNamesBoth(t *testing.T) {
	for _, id := range generators {
		m := module(t, strings.Split(id, "/")[1])
		q := m.Queries[0]
		q.Cardinality = ir.All
		m.Queries[0] = q
		taken := q
		taken.Name = q.Name.With("stream")
		m.Queries = append(m.Queries, taken)
		_, err := Generate(m, target(id, "x", "out/"))
		if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), q.Name.Original) || !strings.Contains(err.Error(), taken.Name.Original) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestUnknownGeneratorsAreInvalid(t *testing.T) {
	for _, id := range []string{"cobol/sqlite/x", "java/sqlite/odbc", "go/scoter/flight", "python/duckdb/psycopg"} {
		if _, err := Generate(module(t, "sqlite"), target(id, "x", "out/")); base.KindOf(err) != base.Invalid {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestABatchOfScoterIsNotSaidToBeAllOrNothing(t *testing.T) {
	for _, id := range []string{"typescript/scoter/http", "java/scoter/http", "go/scoter/http", "python/scoter/http"} {
		m := module(t, "duckdb")
		m.Engine = ir.Scoter
		files, err := Generate(m, target(id, "my queries", "out/db/"))
		if err != nil {
			t.Fatal(err)
		}
		said := false
		for _, f := range files {
			if strings.Contains(f.Content, "once per element, all or nothing") {
				t.Errorf("%s: %s says that a batch is all or nothing", id, f.Path)
			}
			said = said || strings.Contains(f.Content, "once per element, each a transaction of its own")
		}
		if !said {
			t.Errorf("%s: nothing says what a batch is", id)
		}
	}
}

func TestFilesGetNamesThatTheirLanguageTakes(t *testing.T) {
	for _, c := range []struct{ id, name, want string }{
		{"go/sqlite/sql", "sales windows", "out/db/sales_windows_.go"}, {"go/sqlite/sql", "x linux arm64", "out/db/x_linux_arm64_.go"}, {"go/sqlite/sql", "a test", "out/db/a_test_.go"},
		{"go/sqlite/sql", "windows", "out/db/windows.go"}, {"go/sqlite/sql", "windows sales", "out/db/windows_sales.go"},
		{"python/sqlite/sqlite3", "import", "out/db/import_.py"}, {"python/sqlite/sqlite3", "9x", "out/db/_9x.py"}, {"python/sqlite/sqlite3", "list", "out/db/list.py"},
	} {
		files, err := Generate(module(t, "sqlite"), target(c.id, c.name, "out/db/"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(f ir.File) bool { return f.Path == c.want }) {
			t.Errorf("%s: there is no %s", c.id, c.want)
		}
	}
}

// selecting returns a module with a query whose rows have the columns.
func selecting(columns ...ir.Column) *ir.Module {
	name := ir.NewName("q")
	return &ir.Module{FormatVersion: ir.FormatVersion, Project: "p", Engine: ir.DuckDB, Files: []string{"a.sql"},
		Rows: []ir.Row{{Ref: "q_result", Name: name.With("result"), Columns: columns}},
		Queries: []ir.Query{{Name: name, Verb: ir.VerbQuery, Cardinality: ir.All, Statement: ir.StatementSelect, ReadOnly: true,
			Segments: []ir.Segment{{Kind: ir.Code, Text: "SELECT 1"}}, Columns: columns, Row: "q_result"}}}
}

func TestWhatGoCannotNameOrHoldIsAnError(t *testing.T) {
	number, blob := ir.Type{Kind: ir.Int32, Native: "INTEGER"}, ir.Type{Kind: ir.Blob, Native: "BLOB"}
	column := func(name string, t ir.Type) ir.Column {
		return ir.Column{Name: ir.NewName(name), Type: t, Nullable: true}
	}
	keyed := func(key ir.Type) ir.Type {
		return ir.Type{Kind: ir.Map, Native: "MAP(" + key.Native + ", INTEGER)", Key: &key, Elem: &number, ElemNullable: true}
	}
	labels := selecting(column("a", ir.Type{Kind: ir.EnumKind, Native: "mood", Ref: "q"}))
	labels.Enums = []ir.Enum{{Ref: "q", Name: ir.NewName("q"), Values: []ir.EnumValue{{Value: "result", Name: ir.NewName("result")}}}}
	inside := selecting(column("a", ir.Type{Kind: ir.List, Native: "MAP(BLOB[], INTEGER)[]", Elem: ptr(keyed(ir.Type{Kind: ir.List, Native: "BLOB[]", Elem: &blob}))}))
	for _, c := range []struct {
		module *ir.Module
		want   []string
	}{
		{selecting(column("9x", number), column("x9x", number)), []string{"column 9x", "column x9x", "X9x"}},
		{labels, []string{"label result of enum q", "row q_result", "QResult"}},
		{selecting(column("a", keyed(blob))), []string{"query q, a: MAP(BLOB, INTEGER)"}},
		{inside, []string{"MAP(BLOB[], INTEGER)"}},
		{selecting(column("a", keyed(number)), column("b", blob)), nil},
	} {
		_, err := Generate(c.module, target("go/duckdb/duckdb-go", "x", "out/"))
		if c.want == nil && err != nil {
			t.Error(err)
		}
		for _, text := range c.want {
			if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), text) {
				t.Errorf("%v, want %s", err, text)
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }
