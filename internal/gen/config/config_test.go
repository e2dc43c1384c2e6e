package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

const good = `version: 1
name: my-app
sql:
  - files: [queries.sql, sub/more.sql]
    gen:
      - generator: typescript/sqlite
        output: ./src/generated/
        config:
          migrations: true
          safeIntegers: true
      - generator: java/duckdb/arrow
        output: ./java/All.java
        config: {package: com.example, observer: true}
      - generator: python/postgres
        name: MyQueries
        output: ./py/
  - engine: sqlite
    files:
      - old.sql
    gen:
      - {generator: java/jdbc, output: old/}
sources:
  - path: $HOME/data/my users.parquet
  - name: prod
    type: postgres
    image: postgres:16-alpine
`

func TestSQGFilesAreReadAsTheyStand(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	var list diag.List
	p := Parse("x/sqg.yaml", good, &list)
	if p == nil {
		t.Fatal(list.All())
	}
	if p.Name != "my-app" || p.Dir != "x" || len(p.Entries) != 2 {
		t.Errorf("%+v", p)
	}
	var ids []string
	for _, e := range p.Entries {
		for _, g := range e.Gen {
			ids = append(ids, g.Generator)
		}
	}
	if got := strings.Join(ids, " "); got != "typescript/sqlite/better-sqlite3 java/duckdb/arrow python/postgres/psycopg java/sqlite/jdbc" {
		t.Error(got)
	}
	e := p.Entries[0]
	if !e.Gen[0].Config.Migrations || !e.Gen[0].Config.SafeIntegers || e.Gen[1].Config.Package != "com.example" || !e.Gen[1].Config.Observer {
		t.Errorf("%+v", e.Gen)
	}
	if got := e.Engines(); len(got) != 3 || got[0] != ir.SQLite || got[2] != ir.Postgres {
		t.Error(got)
	}
	if got := p.Constants()["sources_my_users"]; got != "'/home/me/data/my users.parquet'" {
		t.Error(got)
	}
	if got := p.Attached(); len(got) != 1 || got[0].SQLName != `"prod"` {
		t.Error(got)
	}
}

func TestAnSQGFileHasSQGsDefaults(t *testing.T) {
	text := strings.Replace(good, "migrations: true", "migrations: false", 1)
	for path, sqg := range map[string]bool{"x/sqg.yaml": true, "sqg.yml": true, "scoter.yaml": false, "x/my-sqg.yaml": false} {
		var list diag.List
		targets := Parse(path, text, &list).Entries[0].Gen
		if said, unsaid := targets[0].Config, targets[1].Config; said.SQG != sqg || said.Migrations || unsaid.SQG != sqg || unsaid.Migrations != sqg {
			t.Errorf("%s: %+v, %+v", path, said, unsaid)
		}
	}
}

func TestSignaturesAreOffUnlessTheConfigurationTurnsThemOn(t *testing.T) {
	for text, want := range map[string]Signatures{
		"": {},
		"signatures: {nullableParameters: true, queryRows: false}\n": {NullableParameters: true},
		"signatures:\n  queryRows: true\n":                           {QueryRows: true},
	} {
		var list diag.List
		if p := Parse("scoter.yaml", text+good, &list); p == nil || p.Signatures != want {
			t.Errorf("%q: %+v %v", text, p, list.All())
		}
	}
	for text, want := range map[string]string{
		"signatures: {nullableParameter: true}\n": "did you mean nullableParameters?",
		"signatures: {queryRows: 1}\n":            "queryRows must be true or false",
		"signatures: on\n":                        "signatures must be a mapping",
	} {
		var list diag.List
		var b bytes.Buffer
		if p := Parse("scoter.yaml", text+good, &list); p != nil || list.WriteText(&b) != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%q: %s", text, b.String())
		}
	}
}

func TestAFolderGetsAUnitPerFile(t *testing.T) {
	var list diag.List
	e := Parse("sqg.yaml", good, &list).Entries[0]
	units := e.Units(e.Gen[0])
	if len(units) != 2 || units[1].Target.Name.Pascal() != "More" || len(units[1].Files) != 1 {
		t.Errorf("%+v", units)
	}
	if units = e.Units(e.Gen[1]); len(units) != 1 || len(units[0].Files) != 2 || units[0].Target.Name.Pascal() != "Queries" {
		t.Errorf("%+v", units)
	}
	if units = e.Units(e.Gen[2]); len(units) != 1 || units[0].Target.Name.Pascal() != "MyQueries" {
		t.Errorf("%+v", units)
	}
}

func TestFilesOfAGoPackageAreOneUnit(t *testing.T) {
	e := Entry{Files: []string{"users.sql", "orders.sql"}}
	units := e.Units(ir.Target{Language: "go", Output: "db/"})
	if len(units) != 1 || len(units[0].Files) != 2 || units[0].Target.Name.Pascal() != "Queries" {
		t.Errorf("%+v", units)
	}
	e.Files = e.Files[:1]
	if units = e.Units(ir.Target{Language: "go", Output: "db/"}); units[0].Target.Name.Pascal() != "Users" {
		t.Errorf("%+v", units)
	}
}

func TestEveryGeneratorHasItsShortForm(t *testing.T) {
	for _, g := range Generators {
		if found, _, ok := FindGenerator(g.ID()); !ok || found != g {
			t.Error(g.ID())
		}
		if found, _, ok := FindGenerator(g.Language + "/" + string(g.Engine)); !ok || found.Engine != g.Engine {
			t.Error(g.ID())
		}
	}
	for short, want := range map[string]string{
		"typescript/duckdb": "typescript/duckdb/node-api", "java/postgres": "java/postgres/jdbc", "python/sqlite": "python/sqlite/sqlite3",
		"ts/pg": "typescript/postgres/pg", "go/postgres": "go/postgres/pgx", "typescript/better-sqlite3": "typescript/sqlite/better-sqlite3",
	} {
		if g, _, ok := FindGenerator(short); !ok || g.ID() != want {
			t.Error(short, g.ID())
		}
	}
	if _, near, ok := FindGenerator("typscript/sqlite"); ok || near != "typescript/sqlite" {
		t.Error(near)
	}
}

func TestAllMistakesAreReportedAtTheirPlaces(t *testing.T) {
	var list diag.List
	p := Parse("sqg.yaml", `version: 2
nmae: x
sql:
  - files: a.sql
    gen:
      - generator: java/sqlit
        output: a/
      - generator: java/sqlite
        confg: {}
      - generator: go/sqlite
        output: x.go
        config: {migrations: 1, packge: a}
      - generator: go/duckdb
        output: ./x.go
sources:
  - name: x
    type: postgrse
`, &list)
	if p != nil {
		t.Error("it is valid")
	}
	var b bytes.Buffer
	if err := list.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"sqg.yaml:1:10: error: unknown version 2", "sqg.yaml:2:1: error: the configuration has no key \"nmae\"", "did you mean name?", "the project's name is missing",
		"sqg.yaml:4:12: error: files must be a list", "sqg.yaml:6:20: error: unknown generator \"java/sqlit\"", "did you mean java/sqlite?", "has no key \"confg\"", "did you mean config?",
		"the output is missing", "migrations must be true or false", "did you mean package?", "two generators write ./x.go", "did you mean postgres?",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestBrokenYAMLHasItsLine(t *testing.T) {
	var list diag.List
	Parse("sqg.yaml", "version: 1\nname: [x\nsql:\n", &list)
	if all := list.All(); len(all) != 1 || all[0].Code != diag.ConfigParse || all[0].Line == 0 {
		t.Error(all)
	}
}

func TestMissingFilesAreNamedWithANearOne(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("queries.sql", "")
	write("sqg.yaml", "version: 1\nname: x\nsql:\n  - files: [querys.sql]\n    gen:\n      - {generator: go/sqlite, output: x/}\n")
	path, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list diag.List
	p, err := Load(path, &list)
	if err != nil || p != nil || len(list.All()) != 1 || list.All()[0].Suggestion != "did you mean queries.sql?" || list.All()[0].Line != 4 {
		t.Error(p, err, list.All())
	}
	if _, err := Find(t.TempDir()); err == nil {
		t.Error("a folder without configuration has one")
	}
}

func FuzzParseNeverFails(f *testing.F) {
	f.Add(good)
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		var list diag.List
		if p := Parse("f.yaml", text, &list); p == nil && !list.HasErrors() {
			t.Error("refused without a reason")
		}
		for _, d := range list.All() {
			_ = d.Text()
		}
	})
}
