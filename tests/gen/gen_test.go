// Package gen generates code from the cases in this folder, compiles it with each language's
// strictest settings, and runs it against the real engines. All languages must return the same
// results.
package gen

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// TestGeneratedCode runs every case in every language. All cases of a language are one program.
// Each language has its own PostgreSQL, because all of them use the same database name. Languages
// run concurrently, because compilers leave processors idle.
func TestGeneratedCode(t *testing.T) {
	languages := []struct {
		name string
		test func(*testing.T, []*testCase, *toolchain.Postgres)
		pg   *toolchain.Postgres
	}{{name: "Go", test: testGo}, {name: "Java", test: testJava}, {name: "Python", test: testPython}, {name: "TypeScript", test: testTypeScript}}
	for i := range languages {
		languages[i].pg = toolchain.StartPostgres(t)
	}
	cases := loadCases(t, languages[0].pg)
	for _, l := range languages {
		l.pg.Create(t, "cases")
	}
	t.Setenv("EMPTY_POSTGRES", emptyPostgres)
	t.Setenv("TMPDIR", t.TempDir()) // for the databases that programs create
	t.Setenv("SCOTER_URL", binary.Serve(t, t.TempDir()).URL)
	t.Run("Columns", func(t *testing.T) { testColumns(t, cases) })
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			l.test(t, cases, l.pg)
		})
	}
}

// emptyPostgres is SQL that empties the database in which cases run. Every language runs it before
// each case. A new database for each case would take a minute of CPU time in each language.
const emptyPostgres = `DO $$
DECLARE
	name text;
BEGIN
	PERFORM pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
	FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
		EXECUTE format('DROP SCHEMA %I CASCADE', name);
	END LOOP;
	CREATE SCHEMA public;
	ALTER DATABASE cases RESET ALL;
END $$`

// unit is a case on a target.
type unit struct {
	*testCase
	target
	plan *emit.Plan
}

func (u *unit) id() string { return u.name + "@" + u.target.id }

// queryPlan returns the plan of a query.
func (u *unit) queryPlan(name string) *emit.Query {
	for _, q := range u.plan.Queries {
		if q.Name.Original == name {
			return q
		}
	}
	panic("no query " + name)
}

// file returns the name of the generated file in the language's case, without extension.
func (u *unit) file(name emit.Case) string { return name(ir.NewName(u.name)) }

func (u *unit) op(table string, op ir.Op) *emit.Op {
	for _, t := range u.plan.Tables {
		for _, o := range t.Ops {
			if t.Name.Original == table && o.Op == op {
				return o
			}
		}
	}
	panic(fmt.Sprintf("case %s: no %s on %s", u.name, op, table))
}

// generate writes the code of all cases for the targets, each in a folder below dir. It returns the
// units to run. If the flag -cases leaves no case for the targets, the test is skipped.
func generate(t *testing.T, cases []*testCase, dir string, ids ...string) []*unit {
	var units []*unit
	for _, c := range cases {
		for _, id := range ids {
			tg := target{id}
			if !c.runs(tg) {
				continue
			}
			it := tg.irTarget(c)
			files, err := lang.Generate(c.module, it)
			if err != nil {
				t.Fatalf("%s %s: %v", c.path, id, err)
			}
			for _, f := range files {
				toolchain.Write(t, filepath.Join(dir, f.Path), f.Content)
			}
			plan, err := lang.Plan(c.module, it)
			if err != nil {
				t.Fatal(err)
			}
			units = append(units, &unit{c, tg, plan})
		}
	}
	if len(units) == 0 {
		t.Skipf("no case of -cases %q runs on %v", *some, ids)
	}
	return units
}

// check compares the lines that the programs of a language printed with the cases. Each line is
// `case@target <tab> call <tab> ok|error <tab> JSON`.
func check(t *testing.T, units []*unit, output string) {
	got := map[string][2]string{}
	for _, line := range strings.Split(strings.TrimRight(output, "\n"), "\n") {
		f := strings.SplitN(line, "\t", 4)
		if len(f) != 4 {
			t.Errorf("unexpected output: %s", line)
			continue
		}
		got[f[0]+"\t"+f[1]] = [2]string{f[2], f[3]}
	}
	for _, u := range units {
		t.Run(u.id(), func(t *testing.T) {
			if setup := got[u.id()+"\t-1"]; setup[0] != "ok" {
				t.Fatalf("setup: %s", setup[1])
			}
			observed := false
			for i, c := range u.calls {
				// Every second call runs without an observer.
				observed = observed || i%2 == 0 && c.runs(u.target.id) && c.SQL == "" && !c.Migrate
				result, ran := got[u.id()+"\t"+strconv.Itoa(i)]
				switch {
				case !c.runs(u.target.id):
				case !ran:
					t.Errorf("%s\n%s: no result", u.path, c.line)
				case c.Error != "" && (result[0] != "error" || !strings.Contains(result[1], c.Error)):
					t.Errorf("%s\n%s: %s %s", u.path, c.line, result[0], result[1])
				case c.Error == "" && result[0] == "error":
					t.Errorf("%s\n%s: %s", u.path, c.line+c.SQL, strings.ReplaceAll(result[1], `\n`, "\n"))
				case c.Error == "" && c.SQL == "" && !c.Silent:
					if diff := compare(c.Want, result[1], strings.HasPrefix(u.target.id, "go/")); diff != "" {
						t.Errorf("%s\n%s:\n%s", u.path, c.line, diff)
					}
					if u.arrow(c) != nil {
						u.checkArrow(t, c, got[u.id()+"\t"+strconv.Itoa(i)+"/arrow"])
					}
				}
			}
			if seen := got[u.id()+"\t-2"]; observed && seen[1] != "true" {
				t.Errorf("the observer saw an operation begin that did not end: %s", seen[1])
			}
		})
	}
}

// scalars decodes a JSON value into nil, bool, json.Number, string or []any.
func scalars(raw json.RawMessage) any {
	v, err := decodeAny(raw)
	if err != nil {
		panic(err)
	}
	return v
}

// integer reports whether a kind is an integer.
func integer(k ir.Kind) bool {
	switch k {
	case ir.Int8, ir.Int16, ir.Int32, ir.Int64, ir.Int128, ir.Uint8, ir.Uint16, ir.Uint32, ir.Uint64, ir.Uint128:
		return true
	}
	return false
}

// text returns a JSON scalar as text.
func text(v any) string {
	switch v := v.(type) {
	case json.Number:
		return string(v)
	case string:
		return v
	}
	panic(fmt.Sprintf("not text: %v", v))
}
