//go:build cgo

package gen

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/diag"
)

const schema = `-- MIGRATE 1
CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, email VARCHAR);
`

const queries = `-- QUERY get_user :one
@set id = 1
SELECT id, name, email FROM users WHERE id = ${id};

-- EXEC rename
@set name = 'x'
UPDATE users SET name = ${name};

-- WRITE users insert|upsert key(id)
`

const settings = `version: 1
name: app
sql:
  - files: [schema.sql, queries.sql]
    gen:
      - {generator: typescript/sqlite, output: ts/}
      - {generator: go/duckdb, output: db/db.go}
sources:
  - {name: prod, type: postgres}
`

// folder makes a project with files and returns the path of its configuration.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "sqg.yaml")
}

// project is the default configuration with some texts replaced.
func project(t *testing.T, replace ...string) string {
	r := strings.NewReplacer(replace...)
	return folder(t, map[string]string{"sqg.yaml": r.Replace(settings), "schema.sql": r.Replace(schema), "queries.sql": r.Replace(queries)})
}

// run generates code. It returns the output and the text of all diagnostics.
func run(t *testing.T, path string) (*Output, string) {
	t.Helper()
	g := New("")
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	var list diag.List
	out, err := g.Generate(context.Background(), path, &list)
	if err != nil {
		t.Fatal(err)
	}
	if g.server != nil {
		t.Error("PostgreSQL was started for a run that does not need it")
	}
	return out, said(t, path, &list)
}

func said(t *testing.T, path string, list *diag.List) string {
	var b bytes.Buffer
	if err := list.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), filepath.ToSlash(filepath.Dir(path))+"/", "")
}

func TestFilesOfAnEntryShareASchemaAndRunsAreTheSame(t *testing.T) {
	path := project(t)
	first, text := run(t, path)
	if first == nil || text != "" {
		t.Fatal(text)
	}
	second, _ := run(t, path)
	if len(first.Files) < 6 || len(first.Files) != len(second.Files) {
		t.Fatal(len(first.Files), len(second.Files))
	}
	for i, f := range first.Files {
		if f != second.Files[i] {
			t.Errorf("%s differs from run to run", f.Path)
		}
	}
	var paths []string
	for _, f := range first.Files {
		paths = append(paths, f.Path)
	}
	for _, want := range []string{"db/db.go", "ts/queries.ts", "ts/schema.ts"} {
		if !strings.Contains(strings.Join(paths, " "), want) {
			t.Errorf("no %s in %v", want, paths)
		}
	}
}

func TestAllErrorsOfARunAreReportedEachOnce(t *testing.T) {
	out, text := run(t, project(t, "SELECT id, name", "SELECT id, nmae", "insert|upsert", "insert|upsrt", "${name}", "${nam}"))
	if out != nil {
		t.Error("there is output")
	}
	for _, want := range []string{"queries.sql:3:12: error: no such column: nmae", "did you mean name?", "queries.sql:7:25: error: ${nam} has no @set", `"upsrt"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// The parsers of both engines report the unknown parameter in the same words.
	if strings.Count(text, "${nam} has no @set") != 1 {
		t.Error(text)
	}
}

func TestABrokenSchemaIsReportedWithoutWhatFollowsFromIt(t *testing.T) {
	_, text := run(t, project(t, "-- MIGRATE 1", "-- MIGRTAE 1"))
	if !strings.Contains(text, "did you mean MIGRATE?") || strings.Contains(text, "no such table") || strings.Count(text, "error:") != 1 {
		t.Error(text)
	}
}

func TestOnlyWhatDiffersIsWritten(t *testing.T) {
	path := project(t)
	out, text := run(t, path)
	if out == nil {
		t.Fatal(text)
	}
	changed, err := out.Write()
	if err != nil || len(changed) != len(out.Files) || !changed[0].Missing {
		t.Fatal(changed, err)
	}
	if changed, err = out.Compare(); err != nil || len(changed) != 0 {
		t.Error(changed, err)
	}
	ts := filepath.Join(out.Dir, "ts", "queries.ts")
	code, err := os.ReadFile(ts)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(ts, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.ReplaceAll(string(code), "\n", "\r\n")) // as git does on Windows
	if changed, err = out.Compare(); err != nil || len(changed) != 0 {
		t.Error(changed, err)
	}
	write(string(code) + "// mine\n")
	if err := os.Remove(filepath.Join(out.Dir, "db", "db.go")); err != nil {
		t.Fatal(err)
	}
	changed, err = out.Write()
	if err != nil || len(changed) != 2 || changed[0].Path != filepath.Join(out.Dir, "db", "db.go") || !changed[0].Missing || changed[1].Path != ts || changed[1].Missing {
		t.Error(changed, err)
	}
	left, err := filepath.Glob(filepath.Join(out.Dir, "*", ".scoter-*"))
	if err != nil || len(left) != 0 {
		t.Error(left, err)
	}
}

func TestAFailedWriteLeavesTheOldFiles(t *testing.T) {
	path := project(t)
	out, text := run(t, path)
	if out == nil {
		t.Fatal(text)
	}
	// There is a file in the place of a folder for the last output.
	if err := os.WriteFile(filepath.Join(out.Dir, "ts"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write(); err == nil {
		t.Fatal("it was written")
	}
	if _, err := os.Stat(filepath.Join(out.Dir, "db", "db.go")); err == nil {
		t.Error("some files were written")
	}
}

func TestTwoGeneratorsMayNotWriteOneFileDifferently(t *testing.T) {
	_, text := run(t, project(t, "{generator: go/duckdb, output: db/db.go}", "{generator: typescript/duckdb, output: ts/}"))
	if !strings.Contains(text, "two generators write ts/queries.ts") {
		t.Error(text)
	}
}

func TestMessagesNameFilesFromWhereThePersonIs(t *testing.T) {
	path := project(t, "nmae", "x", "email FROM", "emial FROM")
	var list diag.List
	if _, err := New("").Generate(context.Background(), path, &list); err != nil {
		t.Fatal(err)
	}
	for _, d := range list.All() {
		if _, err := os.Stat(d.File); err != nil {
			t.Error(d.Error())
		}
	}
}

func TestInputsAreTheConfigurationAndItsFiles(t *testing.T) {
	path := project(t)
	if got := Inputs(path); len(got) != 3 || got[0] != path || filepath.Base(got[2]) != "queries.sql" {
		t.Error(got)
	}
	if got := Inputs(filepath.Join(t.TempDir(), "none")); len(got) != 1 {
		t.Error(got)
	}
}

func TestOutputsThatNobodyCouldUse(t *testing.T) {
	for gen, want := range map[string]string{
		"generator: go/sqlite, output: x/, config: {package: go}":          `"go" cannot be the name of a Go package`,
		"generator: go/sqlite, output: x/, config: {package: a-b}":         `"a-b" cannot be the name of a Go package`,
		"generator: java/sqlite, output: x/, config: {package: com.int.x}": `"com.int.x" cannot be the name of a Java package`,
		"generator: java/sqlite, output: x/, config: {package: com..x}":    `"com..x" cannot be the name of a Java package`,
		"generator: java/sqlite, output: x/a-b.java":                       `x/a-b.java cannot be a Java file: invalid class name "a-b"`,
		"generator: python/sqlite, output: x/class.py":                     `x/class.py cannot be imported: invalid module name "class"`,
		"generator: python/sqlite, output: generated":                      "sqg.yaml:6:44: error: the output generated is neither a folder nor a .py file",
		"generator: typescript/sqlite, output: src/db.js":                  "the output src/db.js is neither a folder nor a .ts file",
	} {
		out, text := run(t, project(t, "generator: typescript/sqlite, output: ts/", gen, "      - {generator: go/duckdb, output: db/db.go}\n", ""))
		if out != nil || !strings.Contains(text, want) {
			t.Errorf("%s says\n%s", gen, text)
		}
	}
}

func TestGoPackageIsNamedAfterItsFolder(t *testing.T) {
	for output, want := range map[string]string{"go/": "dbgo", "my-db/": "mydb", "9/": "db9", "sql/": "sql", "Été/": "été", "_/": "db_"} {
		out, text := run(t, project(t, "typescript/sqlite, output: ts/", "go/sqlite, output: "+output, "      - {generator: go/duckdb, output: db/db.go}\n", ""))
		if out == nil || !strings.Contains(out.Files[0].Content, "\npackage "+want+"\n") {
			t.Errorf("%s: %s", output, text)
		}
	}
}

// TestAbsoluteSQLFiles checks that the code does not depend on the folder of an SQL file.
func TestAbsoluteSQLFiles(t *testing.T) {
	other := filepath.ToSlash(folder(t, map[string]string{"more.sql": "-- QUERY ids :pluck\nSELECT di FROM users;\n"}))
	other = other[:strings.LastIndexByte(other, '/')+1] + "more.sql"
	path := project(t, "[schema.sql, queries.sql]", "[schema.sql, "+other+"]")
	if out, text := run(t, path); out != nil || !strings.Contains(text, other+":2:8: error: no such column: di") || strings.Contains(text, "/"+other) {
		t.Error(text)
	}
	if err := os.WriteFile(filepath.FromSlash(other), []byte("-- QUERY ids :pluck\nSELECT id FROM users;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, text := run(t, path)
	if out == nil {
		t.Fatal(text)
	}
	named := false
	for _, f := range out.Files {
		named = named || strings.Contains(f.Content, "more.sql")
		if strings.Contains(f.Content, other) {
			t.Errorf("%s names %s", f.Path, other)
		}
	}
	if !named {
		t.Error("no code says what it was made of")
	}
}

func TestAbsoluteOutputs(t *testing.T) {
	other := filepath.ToSlash(t.TempDir())
	out, text := run(t, project(t, "output: ts/", "output: "+other+"/"))
	if out == nil {
		t.Fatal(text)
	}
	if _, err := out.Write(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(other, "queries.ts")); err != nil {
		t.Error(err)
	}
}

func TestQueriesMayBeOfWhatAnExecAttachesInAnSQGYAML(t *testing.T) {
	for engine, queries := range map[string]string{
		"python/duckdb": "-- EXEC attach_other\nATTACH ':memory:' AS other;\n\n-- EXEC make_things\ncreate table other.things (id INTEGER NOT NULL, name VARCHAR);\n\n" +
			"-- QUERY things\nSELECT id, name FROM other.things;\n",
		"python/sqlite": "-- EXEC attach_other\nATTACH ':memory:' AS other;\n\n-- EXEC make_things\ncreate table other.things (id INTEGER NOT NULL, name TEXT);\n\n" +
			"-- QUERY things\nSELECT id, name FROM other.things;\n",
	} {
		yaml := "version: 1\nname: app\nsql:\n  - files: [q.sql]\n    gen:\n      - {generator: " + engine + ", output: p/}\n"
		if _, text := run(t, folder(t, map[string]string{"sqg.yaml": yaml, "q.sql": queries})); text != "" {
			t.Errorf("%s: %s", engine, text)
		}
		// The blocks before it cannot use what it attaches. Without an sqg.yaml nothing is run.
		parts := strings.Split(queries, "\n\n")
		if _, text := run(t, folder(t, map[string]string{"sqg.yaml": yaml, "q.sql": parts[2] + "\n" + parts[0] + "\n\n" + parts[1]})); !strings.Contains(text, "q.sql:2:") {
			t.Errorf("%s: %s", engine, text)
		}
		path := folder(t, map[string]string{"scoter.yaml": yaml, "q.sql": queries})
		if _, text := run(t, filepath.Join(filepath.Dir(path), "scoter.yaml")); !strings.Contains(text, "q.sql:5:") && !strings.Contains(text, "q.sql:8:") {
			t.Errorf("%s in a scoter.yaml: %s", engine, text)
		}
	}
}

func TestAnSQGFileKeepsItsSignatures(t *testing.T) {
	yaml := "version: 1\nname: app\nsignatures: {nullableParameters: true}\nsql:\n  - files: [q.sql]\n    gen:\n      - {generator: go/sqlite, output: p/}\n"
	text := schema + "-- EXEC e\n@set email = 'x'\nUPDATE users SET email = ${email};\n-- QUERY pairs\nSELECT a.id, b.id FROM users a JOIN users b ON a.id < b.id;\n"
	if out, said := run(t, folder(t, map[string]string{"sqg.yaml": yaml, "q.sql": text})); out != nil || !strings.Contains(said, "sqg.yaml:3:13: error: signatures are not used in an sqg.yaml") {
		t.Error(said)
	}
	code := func(name, yaml string) string {
		path := folder(t, map[string]string{name: yaml, "q.sql": text})
		out, said := run(t, filepath.Join(filepath.Dir(path), name))
		if out == nil {
			t.Fatal(said)
		}
		for _, f := range out.Files {
			if f.Path == "p/q.go" {
				return f.Content
			}
		}
		t.Fatal("no p/q.go")
		return ""
	}
	without := strings.Replace(yaml, "signatures: {nullableParameters: true}\n", "", 1)
	for name, c := range map[string]string{"sqg": code("sqg.yaml", without), "old": code("scoter.yaml", without)} {
		// SQG 0.23 gives both columns the name id, and its code does not compile.
		if !strings.Contains(c, "email string)") || !strings.Contains(c, "AId ") || !strings.Contains(c, "BId ") {
			t.Errorf("%s:\n%s", name, c)
		}
	}
	if c := code("scoter.yaml", yaml); !strings.Contains(c, "email *string)") {
		t.Error(c)
	}
}
