package sqlfile

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

func dump(f *File, constants map[string]string) string {
	var b strings.Builder
	for _, block := range f.Blocks {
		fmt.Fprintf(&b, "%s %q line %d", block.Kind, block.Name, block.Pos().Line)
		fmt.Fprintf(&b, " one=%v all=%v pluck=%v batch=%v result=%q source=%q ops=%v key=%q\n", block.One, block.All, block.Pluck, block.Batch, block.Result, block.AttachedTo, block.Ops, block.Key)
		for _, d := range block.Doc {
			fmt.Fprintf(&b, "  doc %q\n", d)
		}
		for _, s := range block.Sets {
			fmt.Fprintf(&b, "  set %s = %s used=%v null=%v list=%v %q\n", s.Name, s.Value, s.Used, s.Null, s.IsList, s.List)
		}
		for _, o := range block.Overrides {
			nullable := "keep"
			if o.Nullable != nil {
				nullable = fmt.Sprint(*o.Nullable)
			}
			fmt.Fprintf(&b, "  override %q type=%q nullable=%s\n", o.Column, o.Type, nullable)
		}
		in := InJSON
		if block.Kind == Query || block.Kind == Exec {
			t := block.Template(constants, in)
			for _, p := range t.Pieces {
				fmt.Fprintf(&b, "  %s %q %d\n", p.Kind, p.Text, p.Param)
			}
			fmt.Fprintf(&b, "  in=%v aliases=%v\n", t.In, t.Aliases)
			continue
		}
		for _, s := range Statements(block.Body) {
			fmt.Fprintf(&b, "  statement %q\n", Text(s))
		}
	}
	return b.String()
}

func TestFilesParseAsRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(filepath.Base(path), ".")
		constants := map[string]string{"sources_people": "'people.csv'"}
		var list diag.List
		f := Parse(ir.Engine(parts[1]), filepath.Base(path), string(text), constants, &list)
		var b bytes.Buffer
		b.WriteString(dump(f, constants))
		b.WriteString("---- diagnostics\n")
		if err := list.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		golden := strings.TrimSuffix(path, ".sql") + ".golden"
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s differs from %s; run with -update and review\n%s", path, golden, b.String())
		}
		if strings.HasPrefix(filepath.Base(path), "good") && list.HasErrors() {
			t.Errorf("%s has errors", path)
		}
	}
}

func FuzzParseNeverFailsAndLosesNothing(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.sql")
	for _, path := range files {
		text, _ := os.ReadFile(path)
		f.Add(string(text))
	}
	f.Add("-- QUERY a\n@set x = $")
	f.Add("/* QUERY a\n\tresult:\n é: b c*/")
	f.Fuzz(func(t *testing.T, text string) {
		for _, dialect := range []ir.Engine{ir.SQLite, ir.DuckDB, ir.Postgres} {
			var joined strings.Builder
			for _, token := range Tokenize(dialect, text, 0) {
				if token.Text == "" {
					t.Fatal("an empty token")
				}
				joined.WriteString(token.Text)
			}
			if joined.String() != text {
				t.Fatal("tokens are not the text")
			}
			var list diag.List
			file := Parse(dialect, "f.sql", text, nil, &list)
			for _, b := range file.Blocks {
				b.Template(nil, InArray)
				Assignments(b.Body)
				Statements(b.Body)
			}
			for _, d := range list.All() {
				_ = d.Text()
			}
		}
	})
}

// TestLineEndsAndByteOrderMark checks that changes by editors do not change the result.
func TestLineEndsAndByteOrderMark(t *testing.T) {
	const text = "-- MIGRATE 1\nCREATE TABLE t (\n  a INTEGER);\n\n/* QUERY q :one\n  result:\n    a: integer\n*/\n@set a = 'x'\nSELECT a\nFROM t -- all\nWHERE a = ${a};\n"
	var list diag.List
	want := dump(Parse(ir.SQLite, "a.sql", text, nil, &list), nil)
	for _, other := range []string{"\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")} {
		if got := dump(Parse(ir.SQLite, "a.sql", other, nil, &list), nil); got != want {
			t.Errorf("%q is read as\n%s\nnot\n%s", other, got, want)
		}
	}
	if len(list.All()) > 0 {
		t.Error(list.All())
	}
}

func TestFilesThatAreNotUTF8(t *testing.T) {
	for text, place := range map[string]string{"-- QUERY q\nSELECT '\xe9';": "2:9", "\xff\xfe-\x00": "1:1", "SELECT '\x00'": "1:9"} {
		var list diag.List
		Parse(ir.SQLite, "a.sql", text, nil, &list)
		if all := list.All(); len(all) != 1 || !strings.Contains(all[0].Error(), "a.sql:"+place+": the file is not text in UTF-8") {
			t.Errorf("%q: %v", text, all)
		}
	}
}

func TestItemsOfASelectList(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT u.*, p.id, a.b.\"C d\" /* of b */, id, f(x, y) AS z FROM u":               "u.* p.id b.? -.id -.?",
		"WITH c AS (SELECT a.*, b.* FROM d) SELECT DISTINCT c.* FROM c ORDER BY c.x, c.y": "c.*",
		"SELECT * FROM a, b": "-.?", "SELECT u.id + 1, u.id x, -u.id, (u.id) FROM u": "-.? -.? -.? -.?",
		"SELECT a.id FROM a UNION SELECT b.id FROM b": "", "SELECT DISTINCT ON (a.x) a.id, b.id FROM a, b": "", "INSERT INTO t SELECT a.id FROM a": "",
		"FROM a, b SELECT a.id, b.*": "a.id b.*", "VALUES (1)": "",
	} {
		body := Tokenize(ir.DuckDB, text, 0)
		var got []string
		for _, i := range SelectList(body) {
			name := "?"
			switch last := body[i.To-1]; {
			case i.Star:
				name = "*"
			case last.Kind == Word && (i.Table != "" || i.To-i.From == 1):
				name = last.Text
			}
			table := i.Table
			if table == "" {
				table = "-"
			}
			got = append(got, table+"."+name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}
