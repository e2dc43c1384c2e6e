package gen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

var pythonOpen = map[ir.Engine]string{
	ir.SQLite:   `sqlite3.connect(":memory:", isolation_level=None)`,
	ir.DuckDB:   `duckdb.connect(":memory:")`,
	ir.Postgres: `harness.postgres(%s)`,
}

func TestPythonPassesMypyStrictAndRuns(t *testing.T) {
	python := need(t, "python3")
	source := filepath.Join(root(t), "tests/gen/runtime/python")
	dir := cache(t, "python")
	bin := filepath.Join(dir, "venv", "bin")
	requirements := filepath.Join(source, "requirements.txt")
	install(t, dir, requirements, func() {
		run(t, dir, nil, python, "-m", "venv", "venv")
		run(t, dir, nil, filepath.Join(bin, "pip"), "install", "-q", "-r", requirements)
	})
	src := filepath.Join(dir, "src")
	if err := os.RemoveAll(src); err != nil {
		t.Fatal(err)
	}
	units := generate(t, src, "python/sqlite/sqlite3", "python/duckdb/duckdb", "python/postgres/psycopg")
	for _, u := range units {
		writeFile(t, filepath.Join(src, u.folder(u.testCase), "__init__.py"), "")
	}
	copyFile(t, filepath.Join(source, "harness.py"), filepath.Join(src, "harness.py"))
	writeFile(t, filepath.Join(src, "main.py"), pythonMain(units))
	writeFile(t, filepath.Join(dir, "quotes.py"), pythonQuotes())
	run(t, src, nil, filepath.Join(bin, "mypy"), "--strict", "--python-version", "3.11", "--cache-dir", filepath.Join(dir, "mypy"), ".")
	pg := startPostgres(t)
	env := append(pg.env(), "PYTHONWARNINGS=error::SyntaxWarning,error::DeprecationWarning:main", "TZ=America/New_York")
	check(t, units, run(t, src, env, filepath.Join(bin, "python"), "main.py"))
	checkQuotes(t, run(t, dir, env, filepath.Join(bin, "python"), "quotes.py"))

	// Generated files also work when their folder is on the path by itself.
	flat := filepath.Join(src, "sqlite_users_sqlite_sqlite3")
	if out := run(t, flat, nil, filepath.Join(bin, "python"), "-c", "import queries; print(queries.Queries.__name__)"); strings.TrimSpace(out) != "Queries" {
		t.Errorf("imported without a package: %s", out)
	}
}

func pythonQuotes() string {
	var w emit.Writer
	for _, s := range nasty {
		w.In("def doc() -> None:", func() { w.Line(`"""%s"""`, emit.DocText(emit.Python, s)) })
		w.Line("print(%s.encode().hex())", emit.Quote(emit.Python, s))
		w.Line("print(%s.encode().hex())", emit.QuoteBlock(emit.Python, s, "    "))
	}
	return w.String()
}

func pythonMain(units []*unit) string {
	var w emit.Writer
	q := func(s string) string { return emit.Quote(emit.Python, s) }
	for _, i := range []string{"datetime", "decimal", "sqlite3", "uuid"} {
		w.Line("import %s", i)
	}
	w.Line("import duckdb")
	w.Line("import harness")
	for i, u := range units {
		w.Line("from %s import queries as m%d, scoter_runtime as r%d", u.folder(u.testCase), i, i)
	}
	for i, u := range units {
		open := pythonOpen[u.module.Engine]
		if u.module.Engine == ir.Postgres {
			open = fmt.Sprintf(open, q("py_"+strings.ToLower(u.folder(u.testCase))))
		}
		w.Blank()
		w.In(fmt.Sprintf("def unit%d() -> None:", i), func() {
			w.Line("m, rt = m%d, r%d", i, i)
			w.Line("db = %s", open)
			w.Line("seen = harness.Counter()")
			w.Line("queries = m.%s(db, seen)", u.plan.Class)
			w.Blank()
			w.In("def setup() -> None:", func() {
				for _, s := range u.Setup {
					w.Line("db.execute(%s)", pythonSQL(u, s))
				}
				w.Line("return")
			})
			w.Line("harness.report(%s, -1, setup)", q(u.id()))
			for n, c := range u.Calls {
				w.Blank()
				w.In(fmt.Sprintf("def call%d() -> object:", n), func() { pythonCall(&w, u, c) })
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

// pythonSQL is SQL for the connection's own execute; psycopg's wants bytes for
// text that is not a literal.
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
	switch {
	case c.SQL != "":
		w.Line("db.execute(%s)", pythonSQL(u, c.SQL))
		w.Line("return None")
	case c.Migrate:
		w.Line("return m.%s.apply_migrations(db, dry_run=%s)", u.plan.Class, pythonLiteral(u, ir.Type{Kind: ir.Bool}, c.DryRun))
	case c.Call != "":
		w.Line("return queries.%s(%s)", u.queryPlan(c.Call).Method, args(c.Call, c.Args))
	case c.Stream != "":
		w.Line("return harness.take(queries.%s(%s), %d)", u.queryPlan(c.Stream).Stream, args(c.Stream, c.Args), c.Take)
	case c.Rollback != "":
		w.In("try:", func() {
			w.In("with queries.transaction():", func() {
				w.Line("queries.%s(%s)", u.queryPlan(c.Rollback).Method, args(c.Rollback, c.Args))
				w.Line("raise harness.Rollback()")
			})
		})
		w.In("except harness.Rollback:", func() { w.Line(`return "rolled back"`) })
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
			w.In("with queries."+op.Method+"() as appender:", func() { w.Line("appender.append_many(%s)", rows(op.RowType, types)) })
			w.Line("return None")
			return
		}
		if c.In != "" {
			w.In("try:", func() {
				w.In("with queries.transaction():", func() {
					w.Line("n = queries.%s(%s)", op.Method, rows(op.RowType, types))
					if c.In == "rollback" {
						w.Line("raise harness.Rollback()")
					}
				})
			})
			w.In("except harness.Rollback:", func() { w.Line("pass") })
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
	case ir.Any:
		if n, ok := v.(json.Number); ok {
			return string(n)
		}
	}
	return emit.Quote(emit.Python, text(v))
}
