package analyze_test

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"crypto/sha256"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/analyze/sqlite"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// run analyses files on SQLite. Each file is a name and its text.
func run(t *testing.T, list *diag.List, files ...[2]string) (*analyze.Result, []*sqlfile.File) {
	t.Helper()
	return runInput(t, list, analyze.Input{}, files...)
}

// runInput is run with an input, whose common fields it sets.
func runInput(t *testing.T, list *diag.List, input analyze.Input, files ...[2]string) (*analyze.Result, []*sqlfile.File) {
	t.Helper()
	e, err := sqlite.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	input.Project, input.Engine, input.Constants = "test", ir.SQLite, map[string]string{"sources_x": "'x.db'"}
	for _, f := range files {
		input.Files = append(input.Files, sqlfile.Parse(ir.SQLite, f[0], f[1], input.Constants, list))
	}
	r, err := analyze.Run(context.Background(), e, input, list)
	if err != nil {
		t.Fatal(err)
	}
	return r, input.Files
}

func TestFilesOfAnEntryShareOneSchema(t *testing.T) {
	var list diag.List
	r, files := run(t, &list,
		[2]string{"queries.sql", "-- QUERY all\nSELECT * FROM users;\n-- QUERY later\nSELECT ${sources_x} AS path, name FROM users;"},
		[2]string{"schema.sql", "-- MIGRATE 1\nCREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);\n\n-- TABLE users :appender"})
	if r == nil {
		t.Fatal(list.All())
	}
	whole, err := r.Module(&list)
	if err != nil || whole == nil || len(whole.Queries) != 2 || len(whole.Migrations) != 1 || whole.Queries[0].Row != "users_row" {
		t.Fatal(err, list.All(), whole)
	}
	part, err := r.Module(&list, files[0])
	if err != nil || len(part.Queries) != 2 || len(part.Migrations) != 0 || len(part.Tables) != 0 || part.Queries[0].Row != "all_result" {
		t.Fatal(err, analyzetest.Dump(part))
	}
	if s := part.Queries[1].Segments; len(s) != 3 || s[1].Text != "'x.db'" {
		t.Errorf("%+v", s)
	}
}

func TestAChecksumIgnoresCommentsAndLineEnds(t *testing.T) {
	sum := func(text string) string {
		var list diag.List
		r, _ := run(t, &list, [2]string{"a.sql", text})
		m, err := r.Module(&list)
		if err != nil {
			t.Fatal(err)
		}
		return m.Migrations[0].Checksum
	}
	want := sha256.Sum256([]byte("CREATE TABLE a (x\n)" + ";\n" + "CREATE TABLE b (y)" + ";\n"))
	for _, text := range []string{
		"-- MIGRATE 1\nCREATE TABLE a (x\n);\nCREATE TABLE b (y);",
		"-- about it\n-- MIGRATE 1\n\n-- first\nCREATE TABLE a (x\r\n); -- second\n\nCREATE TABLE b (y)\n-- end\n",
	} {
		if got := sum(text); got != hex.EncodeToString(want[:]) {
			t.Errorf("%q: %s", text, got)
		}
	}
	if sum("-- MIGRATE 1\nCREATE TABLE a (x, z);") == hex.EncodeToString(want[:]) {
		t.Error("another migration has the same checksum")
	}
}

func TestErrorsInTheSchemaHideTheQueries(t *testing.T) {
	for text, want := range map[string]string{
		"-- MIGRATE 1\nCREATE TABLE a (x);\nCREATE TABLE a (x);\n-- QUERY q\nSELECT nothing;":               `table a already exists`,
		"-- MIGRATE 1\nCREATE TABLE a (x);\n-- MIGRATE 1\nCREATE TABLE b (x);\n-- QUERY q\nSELECT nothing;": "MIGRATE 1 already exists, at a.sql:1",
		"-- BASELINE b :source=prd\nCREATE TABLE a (x);":                                                    "the configuration has no source prd",
	} {
		var list diag.List
		if r, _ := run(t, &list, [2]string{"a.sql", text}); r != nil {
			t.Errorf("%q is valid", text)
		}
		if all := list.All(); len(all) != 1 || !strings.Contains(all[0].Message, want) {
			t.Errorf("%q: %v", text, all)
		}
	}
}

func TestNamesOfRowsThatAreOneInCodeAreOneRow(t *testing.T) {
	var list diag.List
	r, _ := run(t, &list, [2]string{"a.sql", "-- QUERY a :result=user1\nSELECT 1 AS id;\n-- QUERY b :result=user_1\nSELECT 2 AS id;"})
	m, err := r.Module(&list)
	if err != nil || m == nil || len(m.Rows) != 1 || m.Queries[0].Row != m.Queries[1].Row {
		t.Error(m, err, list.All())
	}
}

func TestRowTypesAreSharedWithTablesOnly(t *testing.T) {
	text := "-- MIGRATE 1\nCREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);\nCREATE TABLE b (id INTEGER PRIMARY KEY, name TEXT);\n" +
		"-- QUERY whole\nSELECT id, name FROM a;\n-- QUERY named :result=Named\nSELECT id, name FROM a;\n-- QUERY first\nSELECT name FROM a;\n-- QUERY second\nSELECT name FROM a;\n" +
		"-- WRITE a insert\n-- WRITE b insert|update|delete"
	for apart, want := range map[bool]string{
		false: "a_row a_row a_row named first_result second_result",
		true:  "a_row b_row whole_result named first_result second_result",
	} {
		var list diag.List
		r, _ := runInput(t, &list, analyze.Input{SeparateRowTypes: apart}, [2]string{"a.sql", text})
		m, err := r.Module(&list)
		if err != nil || m == nil {
			t.Fatal(err, list.All())
		}
		got := m.Tables[0].InsertRow + " " + m.Tables[1].InsertRow
		for _, q := range m.Queries {
			got += " " + q.Row
		}
		if got != want {
			t.Errorf("apart %v: %s, want %s", apart, got, want)
		}
	}
}

func TestQueryRowsAreSharedByNameOnly(t *testing.T) {
	text := "-- MIGRATE 1\nCREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);\nCREATE TABLE b (id INTEGER PRIMARY KEY, name TEXT);\n" +
		"-- QUERY whole\nSELECT id, name FROM a;\n-- QUERY named :result=a_row\nSELECT id, name FROM a;\n-- QUERY again :result=ARow\nSELECT id, name FROM b;\n-- QUERY other :result=BRow\nSELECT name FROM b;\n" +
		"-- WRITE a insert|update\n-- WRITE b insert"
	var list diag.List
	r, _ := runInput(t, &list, analyze.Input{QueryRows: true}, [2]string{"a.sql", text})
	m, err := r.Module(&list)
	if err != nil || m == nil {
		t.Fatal(err, list.All())
	}
	got := m.Tables[0].InsertRow + " " + m.Tables[0].UpdateRow + " " + m.Tables[1].InsertRow
	for _, q := range m.Queries {
		got += " " + q.Row
	}
	if want := "a_row a_row b_row_2 whole_result a_row a_row b_row"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestParametersAreNullableByTheirColumnsOnlyIfAsked(t *testing.T) {
	text := "-- MIGRATE 1\nCREATE TABLE a (id INTEGER PRIMARY KEY, code TEXT NOT NULL, name TEXT, double INTEGER AS (id * 2), note TEXT);\nCREATE VIEW v AS SELECT * FROM a;\n" +
		"CREATE TRIGGER t INSTEAD OF UPDATE ON v BEGIN SELECT 1; END;\n" +
		"-- EXEC a\n@set id = 1\n@set code = 'x'\n@set name = 'x'\n@set note = 'x'\nINSERT INTO a VALUES (${id}, ${code}, ${name}, ${note});\n" +
		"-- EXEC b\n@set name = 'x'\nUPDATE v SET name = ${name};\n" +
		"-- EXEC c\n@set name = 'x'\n@set note = null\nUPDATE a SET NAME = ${name!}, note = ${note} WHERE name IN (${name}, ${note});\n" +
		"-- EXEC d\n@set name = 'x'\nUPDATE a SET name = ${name?} WHERE name = ${name};\n"
	for on, want := range map[bool]string{false: " - - - - / - / - ? / ? /", true: " - - ? ? / - / - ? / ? /"} {
		var list diag.List
		r, _ := runInput(t, &list, analyze.Input{NullableParameters: on}, [2]string{"a.sql", text})
		if r == nil {
			t.Fatal(list.All())
		}
		m, err := r.Module(&list)
		if err != nil || m == nil {
			t.Fatal(err, list.All())
		}
		got := ""
		for _, q := range m.Queries {
			for _, p := range q.Params {
				got += map[bool]string{false: " -", true: " ?"}[p.Nullable]
			}
			got += " /"
		}
		if got != want {
			t.Errorf("on %v: %s, want %s", on, got, want)
		}
	}
}

func TestModulesAreTheSameEveryTime(t *testing.T) {
	text := "-- MIGRATE 1\nCREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);\n-- QUERY a\nSELECT id, name FROM users;\n-- QUERY b\nSELECT name, id FROM users;\n-- WRITE users insert|update|delete|upsert"
	var first string
	for range 5 {
		var list diag.List
		r, _ := run(t, &list, [2]string{"a.sql", text})
		m, err := r.Module(&list)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := m.Encode(&b); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		}
		if b.String() != first {
			t.Fatal("the module differs from the one before")
		}
	}
}
