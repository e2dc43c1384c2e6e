package gen

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/duckdb"
	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
	"github.com/scoterdb/scoter/internal/gen/analyze/sqlite"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// testCase is a case file on one engine. See cases/README.md for the format.
type testCase struct {
	// name is topic_file_engine.
	name string
	path string
	file *caseFile
	// only are the generators that run the case, by prefix. If it is empty, all do.
	only         []string
	safeIntegers bool
	module       *ir.Module
	// goPackage is the package of the case's Go code. shareGoPackages sets it.
	goPackage string
	// baseline and testdata do not go through generated code. They run before everything else, and
	// after the migrations.
	baseline []string
	calls    []call
}

// caseFile is one file of cases.
type caseFile struct {
	path    string
	engines []ir.Engine
	only    []string
	options []string
	archive *txtar.Archive
}

// section returns the text of a file of the archive.
func (f *caseFile) section(name string) (string, bool) {
	for _, s := range f.archive.Files {
		if s.Name == name {
			return string(s.Data), true
		}
	}
	return "", false
}

// readCases reads all case files.
func readCases(t *testing.T) []*caseFile {
	paths, err := filepath.Glob("cases/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(paths)
	var out []*caseFile
	for _, path := range paths {
		if !strings.Contains(path, *some) {
			continue
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := &caseFile{path: path, archive: archive}
		for _, line := range strings.Split(string(archive.Comment), "\n") {
			key, values, _ := strings.Cut(line, ": ")
			switch key {
			case "engines":
				for _, e := range strings.Fields(values) {
					f.engines = append(f.engines, ir.Engine(e))
				}
			case "only":
				f.only = strings.Fields(values)
			case "options":
				f.options = strings.Fields(values)
			}
		}
		if len(f.engines) == 0 {
			t.Fatalf("%s: no line `engines: ...` above the first file", path)
		}
		out = append(out, f)
	}
	return out
}

// loadCases analyses every case that should run.
func loadCases(t *testing.T, pg *toolchain.Postgres) []*testCase {
	var all []*testCase
	for _, f := range readCases(t) {
		if _, wrong := f.section("errors"); wrong {
			continue
		}
		for _, e := range f.engines {
			c, err := analyzed(t, f, e, pg)
			if err != nil {
				t.Errorf("%s on %s: %v", f.path, e, err)
				continue
			}
			all = append(all, c)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// analyzed returns the case of a file on an engine.
func analyzed(t testing.TB, f *caseFile, e ir.Engine, pg *toolchain.Postgres) (*testCase, error) {
	topic := filepath.Base(filepath.Dir(f.path))
	c := &testCase{name: topic + "_" + strings.TrimSuffix(filepath.Base(f.path), ".txtar") + "_" + string(e), path: f.path, file: f,
		only: f.only, safeIntegers: slices.Contains(f.options, "safe-integers")}
	list := &diag.List{}
	wrong := func() error {
		if !list.HasErrors() {
			return nil
		}
		return errors.New("\n" + diagnostics(t, list))
	}
	input := analyze.Input{Project: "cases", Engine: e,
		NullableParameters: slices.Contains(f.options, "nullable-parameters"), QueryRows: slices.Contains(f.options, "query-rows")}
	var testdata []string
	for _, s := range f.archive.Files {
		if !strings.HasSuffix(s.Name, ".sql") {
			continue
		}
		file := sqlfile.Parse(e, s.Name, string(s.Data), nil, list)
		input.Files = append(input.Files, file)
		for _, b := range file.Blocks {
			switch b.Kind {
			case sqlfile.Baseline:
				c.baseline = append(c.baseline, statements(b)...)
			case sqlfile.Testdata:
				testdata = append(testdata, statements(b)...)
			}
		}
	}
	if err := wrong(); err != nil {
		return nil, err
	}
	engine, closeEngine := openEngine(t, e, pg)
	defer func() {
		if err := closeEngine(); err != nil {
			t.Error(err)
		}
	}()
	result, err := analyze.Run(context.Background(), engine, input, list)
	if err = errors.Join(err, wrong()); err != nil {
		return nil, err
	}
	if c.module, err = result.Module(list); err != nil {
		return nil, err
	}
	if err := wrong(); err != nil {
		return nil, err
	}
	text, _ := f.section("calls")
	calls, err := parseCalls(text)
	if err != nil {
		return nil, err
	}
	if len(c.module.Migrations) > 0 && !slices.ContainsFunc(calls, call.migrates) {
		calls = append([]call{{Migrate: true, Silent: true}}, calls...)
	}
	// Test data is inserted after the migrations.
	at := slices.IndexFunc(calls, call.migrates) + 1
	c.calls = append(c.calls, calls[:at]...)
	for _, s := range testdata {
		c.calls = append(c.calls, call{SQL: s})
	}
	c.calls = append(c.calls, calls[at:]...)
	return c, nil
}

// diagnostics returns the messages of a list as a user sees them.
func diagnostics(t testing.TB, list *diag.List) string {
	var text strings.Builder
	if err := list.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// statements returns the SQL statements of a block.
func statements(b *sqlfile.Block) []string {
	var out []string
	for _, tokens := range sqlfile.Statements(b.Body) {
		out = append(out, sqlfile.Text(tokens))
	}
	return out
}

func openEngine(t testing.TB, e ir.Engine, pg *toolchain.Postgres) (analyze.Engine, func() error) {
	var engine analyze.Engine
	var err error
	switch e {
	case ir.SQLite:
		engine, err = sqlite.Open()
	case ir.DuckDB:
		engine, err = duckdb.Open()
	case ir.Scoter:
		engine, err = duckdb.OpenScoter()
	case ir.Postgres:
		engine, err = postgres.Open(context.Background(), pg.URL())
	default:
		t.Fatalf("there is no engine %s", e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return engine, engine.Close
}

func (c *testCase) query(name string) *ir.Query {
	for i := range c.module.Queries {
		if c.module.Queries[i].Name.Original == name {
			return &c.module.Queries[i]
		}
	}
	panic(fmt.Sprintf("case %s: no query %s", c.path, name))
}

// target is one generator of a language under test.
type target struct {
	id string
}

func (t target) parts() (language string, engine ir.Engine, driver string) {
	p := strings.Split(t.id, "/")
	return p[0], ir.Engine(p[1]), p[2]
}

// folder returns the name of the folder for this target's code, which is also a package name.
func (t target) folder() string {
	return strings.NewReplacer("/", "_", "-", "_").Replace(t.id[strings.Index(t.id, "/")+1:])
}

// output returns the folder of a case's code. Cases share one folder and its runtime. In Go only
// cases of different names share one, because row types belong to the package.
func (t target) output(c *testCase) string {
	if strings.HasPrefix(t.id, "go/") {
		return c.goPackage
	}
	return t.folder()
}

func (t target) irTarget(c *testCase) ir.Target {
	language, engine, driver := t.parts()
	return ir.Target{Generator: t.id, Language: language, Engine: engine, Driver: driver, Output: t.output(c) + "/", Name: ir.NewName(c.name),
		Config: ir.TargetConfig{Package: t.output(c), Migrations: true, Observer: true, SafeIntegers: c.safeIntegers, JSpecify: engine != ir.SQLite}}
}

// runs reports whether the case runs on the target.
func (c *testCase) runs(t target) bool {
	_, engine, _ := t.parts()
	if engine != c.module.Engine {
		return false
	}
	return len(c.only) == 0 || slices.ContainsFunc(c.only, func(prefix string) bool { return strings.HasPrefix(t.id, prefix) })
}
