// Package analyzetest tests the analysis of SQL for a database engine against recorded results. A
// folder has annotated SQL files. Next to each of them is a file with the expected result of its
// analysis as text.
package analyzetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Analyse analyses text, the annotated SQL of a file with the given name, on an engine on which
// nothing was run before. It returns the result as text and as a module.
func Analyse(t *testing.T, engine analyze.Engine, dialect ir.Engine, name, text string) (string, *ir.Module) {
	t.Helper()
	var list diag.List
	f := sqlfile.Parse(dialect, name, text, nil, &list)
	var b bytes.Buffer
	var m *ir.Module
	r, err := analyze.Run(context.Background(), engine, analyze.Input{Project: "test", Engine: dialect, Files: []*sqlfile.File{f}}, &list)
	if err != nil {
		t.Fatal(err)
	}
	if r != nil {
		if m, err = r.Module(&list); err != nil {
			t.Fatal(err)
		}
	}
	if m != nil {
		b.WriteString(Dump(m))
	}
	if err := list.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String(), m
}

// CheckGolden analyses every testdata/*.sql and compares the result with the .golden file of the
// same name. If update is set, it writes the .golden file instead. A file whose name begins with
// "bad" must have errors. All other files must have none. open returns a new engine.
func CheckGolden(t *testing.T, dialect ir.Engine, update bool, open func(*testing.T) analyze.Engine) {
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no files in testdata", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, m := Analyse(t, open(t), dialect, filepath.Base(path), string(text))
			if bad := strings.HasPrefix(filepath.Base(path), "bad"); bad == (m != nil) {
				t.Errorf("want errors: %v\n%s", bad, got)
			}
			golden := strings.TrimSuffix(path, ".sql") + ".golden"
			if update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s; run with -update and review\n%s", golden, diff(string(want), got))
			}
		})
	}
}

// diff returns the lines of two texts that are only in one of them.
func diff(want, got string) string {
	var b strings.Builder
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	in := func(list []string, s string) bool {
		for _, l := range list {
			if l == s {
				return true
			}
		}
		return false
	}
	for _, l := range w {
		if !in(g, l) {
			fmt.Fprintf(&b, "- %s\n", l)
		}
	}
	for _, l := range g {
		if !in(w, l) {
			fmt.Fprintf(&b, "+ %s\n", l)
		}
	}
	return b.String()
}

// Dump returns a module as text that is easy to review.
func Dump(m *ir.Module) string {
	var b strings.Builder
	null := func(n bool) string {
		if n {
			return "?"
		}
		return ""
	}
	for _, e := range m.Enums {
		fmt.Fprintf(&b, "enum %s (%s)", e.Ref, e.Native)
		for _, v := range e.Values {
			fmt.Fprintf(&b, " %q=%s", v.Value, v.Name.Screaming())
		}
		b.WriteString("\n")
	}
	for _, s := range m.Structs {
		fmt.Fprintf(&b, "struct %s", s.Ref)
		for _, f := range s.Fields {
			fmt.Fprintf(&b, " %s: %s%s,", f.Name.Snake(), Type(f.Type), null(f.Nullable))
		}
		b.WriteString("\n")
	}
	for _, r := range m.Rows {
		fmt.Fprintf(&b, "row %s", r.Name.Pascal())
		for _, c := range r.Columns {
			fmt.Fprintf(&b, " %s", c.Name.Snake())
		}
		b.WriteString("\n")
	}
	for _, q := range m.Queries {
		fmt.Fprintf(&b, "%s %s %s %s", q.Verb, q.Name.Original, q.Statement, q.Cardinality)
		if q.ReadOnly {
			b.WriteString(" read-only")
		}
		if q.Row != "" {
			fmt.Fprintf(&b, " row=%s", q.Row)
		}
		b.WriteString("\n")
		for _, s := range q.Segments {
			if s.Kind == ir.ParamRef && s.Cast {
				fmt.Fprintf(&b, "    casts %s\n", q.Params[s.Param].Name.Original)
			}
		}
		for _, p := range q.Params {
			fmt.Fprintf(&b, "  param %s: %s%s", p.Name.Original, Type(p.Type), null(p.Nullable))
			if p.In {
				fmt.Fprintf(&b, " in/%s", p.Binding)
			}
			b.WriteString("\n")
		}
		for _, c := range q.Columns {
			fmt.Fprintf(&b, "  %s: %s%s", c.Name.Original, Type(c.Type), null(c.Nullable))
			if c.Origin != nil {
				fmt.Fprintf(&b, " <- %s.%s.%s", c.Origin.Schema, c.Origin.Table, c.Origin.Column)
			}
			b.WriteString("\n")
		}
	}
	for _, t := range m.Tables {
		fmt.Fprintf(&b, "table %s %s ops=%v insert=%v key=%v unique=%v set=%v rows=%s,%s,%s\n", t.Name.Original, t.SQLName, t.Ops, t.Insert, t.Key, t.KeyUnique, t.Set, t.InsertRow, t.UpdateRow, t.KeyRow)
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "  %s: %s%s", c.Name.Original, Type(c.Type), null(c.Nullable))
			if c.HasDefault {
				fmt.Fprintf(&b, " default(%s)", c.Default)
			}
			if c.Generated != "" {
				fmt.Fprintf(&b, " generated=%s", c.Generated)
			}
			if c.PrimaryKey {
				b.WriteString(" key")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Type returns a type as text: its kind, its element types or fields, and the name it has in the
// database.
func Type(t ir.Type) string {
	s := string(t.Kind)
	null := ""
	if t.ElemNullable {
		null = "?"
	}
	switch t.Kind {
	case ir.List:
		s = Type(*t.Elem) + null + "[]"
	case ir.Array:
		s = fmt.Sprintf("%s%s[%d]", Type(*t.Elem), null, t.Length)
	case ir.Map:
		s = fmt.Sprintf("map{%s: %s%s}", Type(*t.Key), Type(*t.Elem), null)
	case ir.EnumKind, ir.StructKind:
		s += " " + t.Ref
	case ir.Decimal:
		s = fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case ir.Timestamp:
		s += t.Unit
	}
	return s + "<" + t.Native + ">"
}
