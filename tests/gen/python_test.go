package gen

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
	"github.com/scoterdb/scoter/tests/toolchain"
)

var pythonOpen = map[ir.Engine]string{
	ir.SQLite:   `sqlite3.connect(":memory:", isolation_level=None)`,
	ir.DuckDB:   `duckdb.connect(":memory:")`,
	ir.Postgres: `harness.postgres()`,
	ir.Scoter:   `scoter(%s)`,
}

// testPython also runs mypy.
func testPython(t *testing.T, cases []*testCase, pg *toolchain.Postgres) {
	bin := toolchain.Python(t)
	dir := toolchain.Folder(t, "python")
	src := toolchain.Empty(t, filepath.Join(dir, "src"))
	units := generate(t, cases, src, "python/sqlite/sqlite3", "python/duckdb/duckdb", "python/postgres/psycopg", "python/scoter/http")
	for _, u := range units {
		toolchain.Write(t, filepath.Join(src, u.folder(), "__init__.py"), "")
	}
	toolchain.Copy(t, "runtime/python/harness.py", filepath.Join(src, "harness.py"))
	toolchain.Write(t, filepath.Join(src, "main.py"), pythonMain(units))
	toolchain.Write(t, filepath.Join(dir, "quotes.py"), pythonQuotes())
	toolchain.Run(t, src, nil, filepath.Join(bin, "mypy"), "--strict", "--python-version", "3.11", "--cache-dir", filepath.Join(dir, "mypy"), ".")
	env := append(pg.Env(), "PYTHONWARNINGS=error::SyntaxWarning,error::DeprecationWarning:main", "TZ=America/New_York")
	check(t, units, toolchain.Run(t, src, env, filepath.Join(bin, "python"), "main.py"))
	checkQuotes(t, toolchain.Run(t, dir, env, filepath.Join(bin, "python"), "quotes.py"))

	// Generated files must also work if their folder itself is on the path.
	flat := filepath.Join(src, units[0].folder())
	if out := toolchain.Run(t, flat, nil, filepath.Join(bin, "python"), "-c", "import "+units[0].file(ir.Name.Snake)); out != "" {
		t.Errorf("imported without a package: %s", out)
	}
}

func pythonQuotes() string {
	var w emit.Writer
	for _, s := range nasty {
		w.Indented("def doc() -> None:", func() { w.Line(`"""%s"""`, emit.DocText(emit.Python, s)) })
		w.Line("print(%s.encode().hex())", emit.Quote(emit.Python, s))
		w.Line("print(%s.encode().hex())", emit.QuoteBlock(emit.Python, s, "    "))
	}
	return w.String()
}

func pythonMain(units []*unit) string {
	var w emit.Writer
	q := func(s string) string { return emit.Quote(emit.Python, s) }
	for _, i := range []string{"datetime", "decimal", "os", "sqlite3", "uuid"} {
		w.Line("import %s", i)
	}
	w.Line("import duckdb")
	w.Line("import harness")
	http := slices.ContainsFunc(units, func(u *unit) bool { return u.module.Engine == ir.Scoter })
	if http {
		w.Line("from scoter_http import scoter_http")
	}
	for i, u := range units {
		w.Line("from %s import %s as m%d, scoter_runtime as r%d", u.folder(), u.file(ir.Name.Snake), i, i)
	}
	w.Blank()
	if http {
		w.Indented("def scoter(name: str) -> scoter_http.Connection:", func() {
			w.Line(`scoter_http.Connection(os.environ["SCOTER_URL"]).execute("CREATE DATABASE " + name)`)
			w.Line(`return scoter_http.Connection(os.environ["SCOTER_URL"], database=name)`)
		})
	}
	for i, u := range units {
		open := pythonOpen[u.module.Engine]
		if u.module.Engine == ir.Scoter {
			open = fmt.Sprintf(open, q("py_"+u.name))
		}
		w.Blank()
		w.Indented(fmt.Sprintf("def unit%d() -> None:", i), func() {
			w.Line("m, rt = m%d, r%d", i, i)
			w.Line("db = %s", open)
			w.Line("seen = harness.Counter()")
			w.Line("sides = [m.%s(db, seen), m.%s(db)]  # what nobody observes goes other ways", u.plan.Class, u.plan.Class)
			w.Blank()
			w.Indented("def setup() -> None:", func() {
				for _, s := range u.baseline {
					w.Line("db.execute(%s)", pythonSQL(u, s))
				}
				w.Line("return")
			})
			w.Line("harness.report(%s, -1, setup)", q(u.id()))
			for n, c := range u.calls {
				if !c.runs(u.target.id) {
					continue
				}
				w.Blank()
				w.Indented(fmt.Sprintf("def call%d(queries: m%d.%s = sides[%d]) -> object:", n, i, u.plan.Class, n%2), func() { pythonCall(&w, u, c) })
				w.Line("harness.report(%s, %d, call%d)", q(u.id()), n, n)
			}
			w.Line("harness.report(%s, -2, lambda: seen.begun == seen.ended and seen.begun > 0)", q(u.id()))
			w.Line("db.close()")
		})
	}
	w.Blank()
	for i := range units {
		w.Line("unit%d()", i)
	}
	return w.String()
}

// pythonSQL returns SQL for the connection's own execute. psycopg's execute takes bytes for text
// that is not a literal.
func pythonSQL(u *unit, s string) string {
	if u.module.Engine == ir.Postgres {
		return emit.Quote(emit.Python, s) + ".encode()"
	}
	return emit.Quote(emit.Python, s)
}

func pythonCall(w *emit.Writer, u *unit, c call) {
	args := func(name string, raw []json.RawMessage) string {
		var out []string
		for i, p := range u.query(name).Params {
			out = append(out, pythonLiteral(u, p.Type, scalars(raw[i])))
		}
		return strings.Join(out, ", ")
	}
	rows := func(class string, types []ir.Type) string {
		var out []string
		for _, r := range c.Rows {
			var fields []string
			for i, raw := range r {
				fields = append(fields, pythonLiteral(u, types[i], scalars(raw)))
			}
			out = append(out, "m."+class+"("+strings.Join(fields, ", ")+")")
		}
		return "iter([" + strings.Join(out, ", ") + "])"
	}
	same := func(name string) {
		if q := u.queryPlan(name); q.Arrow != "" && q.ReadOnly {
			list := args(name, c.Args)
			w.Line("harness.same_rows(queries.%s(%s), queries.%s(%s), %s)", q.Arrow, list, q.Method, list, pythonLiteral(u, ir.Type{Kind: ir.Bool}, q.Pluck))
		}
	}
	switch {
	case c.SQL != "":
		w.Line("db.execute(%s)", pythonSQL(u, c.SQL))
		w.Line("return None")
	case c.Migrate:
		w.Line("return m.%s.apply_migrations(db, dry_run=%s)", u.plan.Class, pythonLiteral(u, ir.Type{Kind: ir.Bool}, c.DryRun))
	case c.Call != "":
		same(c.Call)
		w.Line("return queries.%s(%s)", u.queryPlan(c.Call).Method, args(c.Call, c.Args))
	case c.Stream != "":
		same(c.Stream)
		w.Line("return harness.take(queries.%s(%s), %d)", u.queryPlan(c.Stream).Stream, args(c.Stream, c.Args), c.Take)
	case c.Rollback != "":
		w.Indented("try:", func() {
			w.Indented("with queries.transaction():", func() {
				w.Line("queries.%s(%s)", u.queryPlan(c.Rollback).Method, args(c.Rollback, c.Args))
				w.Line("raise harness.Rollback()")
			})
		})
		w.Indented("except harness.Rollback:", func() { w.Line(`return "rolled back"`) })
		w.Line(`return "committed"`)
	case c.Batch != "":
		q := u.queryPlan(c.Batch)
		var types []ir.Type
		for _, p := range q.Params {
			types = append(types, p.Type)
		}
		w.Line("return queries.%s(%s)", q.Batch, rows(q.BatchRow, types))
	case c.Table != "":
		op := u.op(c.Table, c.Op)
		var types []ir.Type
		for _, col := range op.Row.Columns {
			types = append(types, col.Type)
		}
		if c.Op == ir.OpAppender {
			w.Indented("with queries."+op.Method+"() as appender:", func() { w.Line("appender.append_many(%s)", rows(op.RowType, types)) })
			w.Line("return None")
			return
		}
		if c.In != "" {
			w.Indented("try:", func() {
				w.Indented("with queries.transaction():", func() {
					w.Line("n = queries.%s(%s)", op.Method, rows(op.RowType, types))
					if c.In == "rollback" {
						w.Line("raise harness.Rollback()")
					}
				})
			})
			w.Indented("except harness.Rollback:", func() { w.Line("pass") })
			w.Line("return n")
			return
		}
		w.Line("return queries.%s(%s)", op.Method, rows(op.RowType, types))
	}
}

func pythonLiteral(u *unit, t ir.Type, v any) string {
	if v == nil {
		return "None"
	}
	call := func(f string) string { return f + "(" + emit.Quote(emit.Python, text(v)) + ")" }
	if integer(t.Kind) {
		return text(v)
	}
	switch t.Kind {
	case ir.Bool:
		return map[bool]string{true: "True", false: "False"}[v.(bool)]
	case ir.Float32, ir.Float64:
		return text(v)
	case ir.Decimal:
		return call("decimal.Decimal")
	case ir.Blob:
		return call("bytes.fromhex")
	case ir.UUID:
		return call("uuid.UUID")
	case ir.Date:
		return call("datetime.date.fromisoformat")
	case ir.Time, ir.TimeTZ:
		return call("datetime.time.fromisoformat")
	case ir.Timestamp, ir.TimestampTZ:
		return call("datetime.datetime.fromisoformat")
	case ir.Interval:
		p := v.([]any)
		return fmt.Sprintf("rt.Interval(%s, %s, %s)", p[0], p[1], p[2])
	case ir.EnumKind:
		return call("m." + u.plan.EnumType(t.Ref))
	case ir.List, ir.Array:
		var out []string
		for _, e := range v.([]any) {
			out = append(out, pythonLiteral(u, *t.Elem, e))
		}
		return "[" + strings.Join(out, ", ") + "]"
	case ir.StructKind:
		var out []string
		for i, f := range u.module.Struct(t.Ref).Fields {
			out = append(out, pythonLiteral(u, f.Type, v.([]any)[i]))
		}
		return "m." + u.plan.StructType(t.Ref) + "(" + strings.Join(out, ", ") + ")"
	case ir.Map:
		var out []string
		for _, e := range v.([]any) {
			pair := e.([]any)
			out = append(out, pythonLiteral(u, *t.Key, pair[0])+": "+pythonLiteral(u, *t.Elem, pair[1]))
		}
		return "{" + strings.Join(out, ", ") + "}"
	case ir.Any:
		if n, ok := v.(json.Number); ok {
			return string(n)
		}
	}
	return emit.Quote(emit.Python, text(v))
}
