package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/duckdb"
	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
	"github.com/scoterdb/scoter/internal/gen/analyze/sqlite"
	"github.com/scoterdb/scoter/internal/gen/config"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// testCase is one folder of cases: a module, what to run before, and calls of
// the generated code with what they must return.
type testCase struct {
	name   string
	module *ir.Module
	// Setup is SQL that runs first, past the generated code.
	Setup []string `json:"setup"`
	Calls []call   `json:"calls"`
	// Targets restricts the case to generators with one of these prefixes.
	Targets []string `json:"targets"`
	// SafeIntegers is the option of that name.
	SafeIntegers bool `json:"safe_integers"`
}

// call is one call. Exactly one of Call, Stream, Batch, Rollback, Table and
// Migrate says what kind.
type call struct {
	// Call is a query or exec by name, with Args.
	Call string `json:"call"`
	// Stream reads an `:all` lazily and stops after Take rows if that is set.
	Stream string `json:"stream"`
	Take   int    `json:"take"`
	// Batch is an exec with Rows as parameter sets.
	Batch string `json:"batch"`
	// Rollback is an exec with Args that runs in a transaction which then
	// fails.
	Rollback string `json:"rollback"`
	// Table and Op are a bulk operation with Rows.
	Table string `json:"table"`
	Op    ir.Op  `json:"op"`
	// In runs the bulk operation inside of a transaction, which then ends by
	// "commit" or "rollback".
	In string `json:"in"`
	// SQL runs on the connection itself; it has no result.
	SQL string `json:"sql"`
	// Migrate applies the migrations; DryRun only tries.
	Migrate bool `json:"migrate"`
	DryRun  bool `json:"dry_run"`

	Args []json.RawMessage   `json:"args"`
	Rows [][]json.RawMessage `json:"rows"`
	// Want is the result: rows and structs are arrays of values in column
	// order, maps are arrays of pairs, bytes are hexadecimal text, intervals
	// are [months, days, microseconds]. Error is a part of the error's text.
	Want  json.RawMessage `json:"want"`
	Error string          `json:"error"`
	// Not are the generators whose database cannot run it.
	Not []string `json:"not"`
}

var (
	loadOnce sync.Once
	loaded   []*testCase
)

// loadCases reads every folder of cases, once. A folder with a scoter.yaml goes
// through the whole generator, once per engine that its targets name. One with a
// module.json begins behind the analysis; the file may leave out the words of
// names and may be a path to another module as a JSON string.
func loadCases(t *testing.T) []*testCase {
	loadOnce.Do(func() {
		folders, err := filepath.Glob("cases/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range folders {
			config := filepath.Join(folder, "scoter.yaml")
			if _, err := os.Stat(config); err == nil {
				loaded = append(loaded, analyzed(t, folder, config)...)
			} else {
				loaded = append(loaded, recorded(t, folder))
			}
		}
		sort.Slice(loaded, func(i, j int) bool { return loaded[i].name < loaded[j].name })
	})
	if len(loaded) == 0 {
		t.Fatal("the cases could not be loaded: see the test that ran first")
	}
	return loaded
}

// recorded loads a case that has its module.
func recorded(t *testing.T, folder string) *testCase {
	c := &testCase{name: filepath.Base(folder)}
	decodeFile(t, filepath.Join(folder, "calls.json"), c)
	text, err := os.ReadFile(filepath.Join(folder, "module.json"))
	if err != nil {
		t.Fatal(err)
	}
	var other string
	if json.Unmarshal(text, &other) == nil {
		if text, err = os.ReadFile(filepath.Join(folder, other)); err != nil {
			t.Fatal(err)
		}
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	fillNames(tree)
	full, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	if c.module, err = ir.Decode(bytes.NewReader(full)); err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	return c
}

// analyzed makes a case per engine of a folder with a configuration.
func analyzed(t *testing.T, folder, path string) (cases []*testCase) {
	list := &diag.List{}
	wrong := func() {
		if list.HasErrors() {
			var text strings.Builder
			if err := list.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			t.Fatalf("%s:\n%s", folder, text.String())
		}
	}
	project, err := config.Load(path, list)
	if err != nil {
		t.Fatal(err)
	}
	wrong()
	for _, entry := range project.Entries {
		for _, e := range entry.Engines() {
			input := analyze.Input{Project: project.Name, Engine: e, Constants: project.Constants(), Sources: project.Attached()}
			for _, name := range entry.Files {
				text, err := os.ReadFile(filepath.Join(folder, name))
				if err != nil {
					t.Fatal(err)
				}
				input.Files = append(input.Files, sqlfile.Parse(e, name, string(text), input.Constants, list))
			}
			wrong()
			engine, closeEngine := openEngine(t, e)
			result, err := analyze.Run(t.Context(), engine, input, list)
			closeEngine()
			if err != nil {
				t.Fatal(err)
			}
			wrong()
			c := &testCase{name: filepath.Base(folder) + "_" + string(e)}
			decodeFile(t, filepath.Join(folder, "calls.json"), c)
			if c.module, err = result.Module(list); err != nil {
				t.Fatal(err)
			}
			wrong()
			cases = append(cases, c)
		}
	}
	return cases
}

func openEngine(t *testing.T, e ir.Engine) (analyze.Engine, func() error) {
	switch e {
	case ir.SQLite:
		engine, err := sqlite.Open()
		if err != nil {
			t.Fatal(err)
		}
		return engine, engine.Close
	case ir.DuckDB:
		engine, err := duckdb.Open()
		if err != nil {
			t.Fatal(err)
		}
		return engine, engine.Close
	}
	s := startPostgres(t)
	engine, err := postgres.Open(t.Context(), fmt.Sprintf("postgres://%s:%s@%s:%d/postgres", s.user, s.password, s.host, s.port))
	if err != nil {
		t.Fatal(err)
	}
	return engine, engine.Close
}

func decodeFile(t *testing.T, path string, into any) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// fillNames adds the words to names that have none.
func fillNames(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			fillNames(e)
		}
	case map[string]any:
		if original, ok := v["original"].(string); ok && v["words"] == nil {
			v["words"] = ir.NewName(original).Words
		}
		for _, e := range v {
			fillNames(e)
		}
	}
}

func (c *testCase) query(name string) *ir.Query {
	for i := range c.module.Queries {
		if c.module.Queries[i].Name.Original == name {
			return &c.module.Queries[i]
		}
	}
	panic(fmt.Sprintf("case %s: no query %s", c.name, name))
}

func (c *testCase) table(name string) *ir.Table {
	for i := range c.module.Tables {
		if c.module.Tables[i].Name.Original == name {
			return &c.module.Tables[i]
		}
	}
	panic(fmt.Sprintf("case %s: no table %s", c.name, name))
}

// row is the row type of a bulk operation.
func (c *testCase) row(t *ir.Table, op ir.Op) *ir.Row {
	switch op {
	case ir.OpUpdate:
		return c.module.Row(t.UpdateRow)
	case ir.OpDelete:
		return c.module.Row(t.KeyRow)
	}
	return c.module.Row(t.InsertRow)
}

// target is one generator of a language under test.
type target struct {
	id string
}

func (t target) parts() (language string, engine ir.Engine, driver string) {
	p := strings.Split(t.id, "/")
	return p[0], ir.Engine(p[1]), p[2]
}

// folder is the name of a case's folder for this target, also a package name.
func (t target) folder(c *testCase) string {
	return strings.NewReplacer("/", "_", "-", "_").Replace(c.name + "_" + strings.SplitN(t.id, "/", 2)[1])
}

func (t target) irTarget(c *testCase, output string) ir.Target {
	language, engine, driver := t.parts()
	return ir.Target{Generator: t.id, Language: language, Engine: engine, Driver: driver, Output: output, Name: ir.NewName("queries"),
		Config: ir.TargetConfig{Package: t.folder(c), Migrations: true, Observer: true, SafeIntegers: c.SafeIntegers}}
}

// runs reports whether the case runs on the target.
func (c *testCase) runs(t target) bool {
	_, engine, _ := t.parts()
	if engine != c.module.Engine {
		return false
	}
	for _, prefix := range c.Targets {
		if strings.HasPrefix(t.id, prefix) {
			return true
		}
	}
	return len(c.Targets) == 0
}
