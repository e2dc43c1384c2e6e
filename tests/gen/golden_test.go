package gen

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	scoter "github.com/scoterdb/scoter/internal/gen"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/tests/toolchain"
)

var some = flag.String("cases", "", "run only the cases whose file's path contains this")

var update = flag.Bool("update", false, "write what is found into the cases' sections columns and errors")

// matches compares a section of a case with the found text.
func (f *caseFile) matches(t *testing.T, section, found string) {
	t.Helper()
	want, there := f.section(section)
	if strings.TrimSpace(want) == strings.TrimSpace(found) {
		return
	}
	if !*update {
		t.Errorf("%s, %s:\n%s\nwant\n%s", f.path, section, found, want)
		return
	}
	for i := range f.archive.Files {
		if f.archive.Files[i].Name == section {
			f.archive.Files[i].Data = []byte(found)
		}
	}
	if !there {
		f.archive.Files = append(f.archive.Files, txtar.File{Name: section, Data: []byte(found)})
	}
	if err := os.WriteFile(f.path, txtar.Format(f.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// testColumns compares the section columns, which says for every query which of its columns may be
// NULL.
func testColumns(t *testing.T, cases []*testCase) {
	found := map[*caseFile][]*testCase{}
	var files []*caseFile
	for _, c := range cases {
		if found[c.file] == nil {
			files = append(files, c.file)
		}
		found[c.file] = append(found[c.file], c)
	}
	for _, f := range files {
		f.matches(t, "columns", columns(found[f]))
	}
}

// columns returns the lines `query: column, column?` of a case. If engines differ, each line names
// its engine. For a case with the option nullable-parameters, the lines also have the parameters,
// and there are lines for statements without a result: `query(parameter, parameter?): column`.
func columns(cases []*testCase) string {
	var out strings.Builder
	for i, q := range cases[0].module.Queries {
		params := slices.Contains(cases[0].file.options, "nullable-parameters")
		if q.Verb == ir.VerbExec && !params {
			continue
		}
		lines := map[string][]string{}
		var order []string
		for _, c := range cases {
			var names, args []string
			for _, column := range c.module.Queries[i].Columns {
				names = append(names, marked(column.Name, column.Nullable))
			}
			line := q.Name.Original
			if params {
				for _, p := range c.module.Queries[i].Params {
					args = append(args, marked(p.Name, p.Nullable))
				}
				line += "(" + strings.Join(args, ", ") + ")"
			}
			line = strings.TrimRight(line+": "+strings.Join(names, ", "), ": ") + "\n"
			if lines[line] == nil {
				order = append(order, line)
			}
			lines[line] = append(lines[line], string(c.module.Engine))
		}
		for _, line := range order {
			if len(order) > 1 {
				out.WriteString("on " + strings.Join(lines[line], ", ") + ": ")
			}
			out.WriteString(line)
		}
	}
	return out.String()
}

// marked returns a name, with a question mark if its value may be NULL.
func marked(name ir.Name, nullable bool) string {
	if nullable {
		return name.Original + "?"
	}
	return name.Original
}

// TestMistakesAreReportedTogetherAndNothingIsWritten checks files with errors: every message has
// its position, and nothing is written.
func TestMistakesAreReportedTogetherAndNothingIsWritten(t *testing.T) {
	pg := toolchain.StartPostgres(t)
	generator := scoter.New(pg.URL())
	for _, f := range readCases(t) {
		if _, wrong := f.section("errors"); !wrong {
			continue
		}
		said := map[string]string{}
		for _, e := range f.engines {
			t.Run(filepath.Base(f.path)+"/"+string(e), func(t *testing.T) {
				dir := t.TempDir()
				t.Chdir(dir)
				var names []string
				for _, s := range f.archive.Files {
					if strings.HasSuffix(s.Name, ".sql") {
						names = append(names, s.Name)
						toolchain.Write(t, s.Name, string(s.Data))
					}
				}
				config := "version: 1\nname: cases\nsql:\n  - files: [" + strings.Join(names, ", ") + "]\n    gen: [{generator: typescript/" + string(e) + ", output: out/}]\n"
				if text, ok := f.section("scoter.yaml"); ok {
					config = text
				}
				toolchain.Write(t, "scoter.yaml", config)
				list := &diag.List{}
				out, err := generator.Generate(t.Context(), "scoter.yaml", list)
				if err != nil {
					t.Fatal(err)
				}
				if out != nil {
					t.Error("there is code in spite of errors")
				}
				said[string(e)] = diagnostics(t, list)
			})
		}
		f.matches(t, "errors", together(f.engines, said))
	}
}

// together returns the text that all engines reported. If they differ, it returns the text of each
// engine under its name.
func together(engines []ir.Engine, said map[string]string) string {
	all, same := "", true
	for _, e := range engines {
		same = same && said[string(e)] == said[string(engines[0])]
		all += "# " + string(e) + "\n" + said[string(e)]
	}
	if same {
		return said[string(engines[0])]
	}
	return all
}
