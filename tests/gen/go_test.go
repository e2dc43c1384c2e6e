package gen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// testGo also runs go vet.
func testGo(t *testing.T, cases []*testCase, pg *toolchain.Postgres) {
	dir := toolchain.Folder(t, "go")
	src := toolchain.Empty(t, filepath.Join(dir, "src"))
	ids := []string{"go/sqlite/sql", "go/duckdb/duckdb-go", "go/postgres/pgx", "go/scoter/http"}
	shareGoPackages(t, cases, ids)
	units := generate(t, cases, src, ids...)
	mod, err := os.ReadFile(filepath.Join(toolchain.Root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// A separate module with the versions of this one.
	toolchain.Write(t, filepath.Join(src, "go.mod"), regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module gentest"))
	toolchain.Copy(t, filepath.Join(toolchain.Root(t), "go.sum"), filepath.Join(src, "go.sum"))
	toolchain.Copy(t, filepath.Join(toolchain.Root(t), "tests/gen/runtime/go/harness.go.txt"), filepath.Join(src, "harness", "harness.go"))
	toolchain.Copy(t, filepath.Join(toolchain.Root(t), "tests/gen/runtime/go/arrow.go.txt"), filepath.Join(src, "harness", "arrow.go"))
	toolchain.Write(t, filepath.Join(src, "main.go"), goMain(units))
	toolchain.Write(t, filepath.Join(src, "quotes", "main.go"), goQuotes())
	env := []string{"GOFLAGS=-mod=mod " + os.Getenv("GOFLAGS"), "GOWORK=off"}
	// The calls below have unkeyed rows.
	toolchain.Run(t, src, env, "go", "vet", "-composites=false", "-tags=duckdb_arrow", "./...")
	if out := toolchain.Run(t, src, nil, "gofmt", "-l", "."); strings.Contains(out, "queries") {
		t.Errorf("not formatted: %s", out)
	}
	toolchain.Run(t, src, env, "go", "build", "-tags=duckdb_arrow", "-o", filepath.Join(dir, "main"), ".")
	check(t, units, toolchain.Run(t, dir, append(pg.Env(), "TZ=America/New_York"), filepath.Join(dir, "main")))
	checkQuotes(t, toolchain.Run(t, src, env, "go", "run", "./quotes"))
}

func goQuotes() string {
	var w emit.Writer
	w.Line("package main")
	w.Line("import \"fmt\"")
	w.Block("func main() {", "}", func() {
		w.Block("for _, s := range []string{", "} { fmt.Printf(\"%x\\n\", s) }", func() {
			for _, s := range nasty {
				w.Line("%s,", emit.Quote(emit.Go, s))
				w.Line("%s, // %s", emit.QuoteBlock(emit.Go, s, ""), emit.DocText(emit.Go, s[:min(len(s), 40)]))
			}
		})
	})
	return w.String()
}

func goMain(units []*unit) string {
	var w emit.Writer
	w.Line("package main")
	w.Block("import (", ")", func() {
		for _, i := range []string{"context", "database/sql", "errors", "encoding/hex", "encoding/json", "math/big", "os", "strconv", "strings", "time"} {
			w.Line("%q", i)
		}
		w.Line("%q", "gentest/harness")
		w.Line("%q", "github.com/jackc/pgx/v5")
		w.Line("_ %q", "github.com/duckdb/duckdb-go/v2")
		w.Line("_ %q", "github.com/ncruces/go-sqlite3/driver")
		for i, u := range units {
			w.Line("m%d %q", i, "gentest/"+u.output(u.testCase))
		}
	})
	w.Line(`
var ctx = context.Background()

func ptr[T any](v T) *T { return &v }
func big10(s string) *big.Int { b, _ := new(big.Int).SetString(s, 10); return b }
func unhex(s string) []byte { return harness.Must(hex.DecodeString(s)) }

// moment reads a year of four digits, or of any number behind a sign: the calendar repeats after
// 400 years.
func moment(s string) time.Time {
	at := 1 + strings.IndexByte(s[1:], '-')
	year := harness.Must(strconv.Atoi(s[:at]))
	near := 2400 + year - 400*(year/400)
	for _, l := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02"} {
		if t, err := time.Parse(l, strconv.Itoa(near)+s[at:]); err == nil {
			return t.AddDate(year-near, 0, 0)
		}
	}
	panic(s)
}
func clock(s string) time.Duration {
	return harness.Must(time.Parse("15:04:05.999999999", s)).Sub(harness.Must(time.Parse("15:04", "00:00")))
}
func postgres() *pgx.Conn {
	admin := harness.Must(pgx.Connect(ctx, "dbname=cases"))
	harness.Must(admin.Exec(ctx, os.Getenv("EMPTY_POSTGRES")))
	admin.Close(ctx)
	return harness.Must(pgx.Connect(ctx, "dbname=cases"))
}

var _ = []any{ptr[int], big10, unhex, moment, clock, json.Marshal, os.Args, sql.Open}
`)
	w.Block("func main() {", "}", func() {
		for i := range units {
			w.Line("unit%d()", i)
		}
	})
	q := func(s string) string { return emit.Quote(emit.Go, s) }
	for i, u := range units {
		m := fmt.Sprintf("m%d", i)
		w.Block(fmt.Sprintf("func unit%d() {", i), "}", func() {
			exec := "ExecContext"
			switch u.module.Engine {
			case ir.SQLite:
				w.Line(`db := harness.Must(sql.Open("sqlite3", "file:" + harness.Must(os.MkdirTemp("", "scoter-gen-")) + "/db"))`)
				w.Line("defer db.Close()")
			case ir.DuckDB:
				w.Line(`db := harness.Must(sql.Open("duckdb", ""))`)
				w.Line("defer db.Close()")
			case ir.Postgres:
				w.Line("db := postgres()")
				w.Line("defer db.Close(ctx)")
				exec = "Exec"
			}
			if u.module.Engine == ir.Scoter {
				w.Line("db := %s.OpenHTTP(os.Getenv(\"SCOTER_URL\"), %s.HTTPOptions{})", m, m)
				w.Line("harness.Must(db.ExecContext(ctx, %s))", q("CREATE DATABASE go_"+u.name))
				w.Line("db = %s.OpenHTTP(os.Getenv(\"SCOTER_URL\"), %s.HTTPOptions{Database: %s})", m, m, q("go_"+u.name))
				w.Line("defer db.Close()")
			}
			w.Line("seen := &harness.Counter{}")
			w.Line("plain := %s.New%s(db)", m, u.plan.Class)
			w.Line("observed := plain.WithObserver(seen)")
			w.Block("harness.Report("+q(u.id())+", -1, func() (any, error) {", "})", func() {
				for _, s := range u.baseline {
					w.Line("if _, err := db.%s(ctx, %s); err != nil { return nil, err }", exec, q(s))
				}
				w.Line("return nil, nil")
			})
			for n, c := range u.calls {
				if !c.runs(u.target.id) {
					continue
				}
				w.Block(fmt.Sprintf("harness.Report(%s, %d, func() (any, error) {", q(u.id()), n), "})", func() {
					w.Line("queries := %s", [2]string{"observed", "plain"}[n%2])
					w.Line("_ = queries")
					goCall(&w, u, c, m, exec)
				})
				if method := u.arrow(c); method != nil {
					w.Block(fmt.Sprintf("harness.Report(%s, \"%d/arrow\", func() (any, error) {", q(u.id()), n), "})", func() {
						w.Line("queries := %s", [2]string{"observed", "plain"}[n%2])
						w.Line("result, err := queries.%s(%s)", method.Arrow, goArgs(u, m, method.Query, c.Args))
						w.Line("return harness.%s(result, err)", map[ir.Engine]string{ir.DuckDB: "Batches", ir.Scoter: "Bytes"}[u.module.Engine])
					})
				}
			}
			w.Line("harness.Report(%s, -2, func() (any, error) { return seen.Begun == seen.Ended && seen.Begun > 0, nil })", q(u.id()))
			w.Line("harness.Report(%s, -3, func() (any, error) { return nil, errors.Join(observed.Close(), plain.Close()) })", q(u.id()))
		})
	}
	return w.String()
}

func goCall(w *emit.Writer, u *unit, c call, m, exec string) {
	args := func(name string, raw []json.RawMessage) string { return goArgs(u, m, u.query(name), raw) }
	rows := func(typ string, types []ir.Type, nullable []bool) string {
		var out []string
		for _, r := range c.Rows {
			var fields []string
			for i, raw := range r {
				fields = append(fields, goLiteral(u, m, types[i], nullable[i], scalars(raw)))
			}
			out = append(out, m+"."+typ+"{"+strings.Join(fields, ", ")+"}")
		}
		return strings.Join(out, ", ")
	}
	switch {
	case c.SQL != "":
		w.Line("_, err := db.%s(ctx, %s)", exec, emit.Quote(emit.Go, c.SQL))
		w.Line("return nil, err")
	case c.Migrate:
		w.Line("ids, err := %s.Apply%sMigrations(ctx, db, \"\", %s.MigrateOptions{DryRun: %v})", m, u.plan.Class, m, c.DryRun)
		w.Line("return append([]any{}, func() (all []any) { for _, id := range ids { all = append(all, id) }; return }()...), err")
	case c.Call != "":
		q := u.queryPlan(c.Call)
		switch {
		case q.Verb == ir.VerbExec:
			w.Line("return queries.%s(%s)", q.Method, args(c.Call, c.Args))
		case q.Cardinality == ir.One:
			w.Line("v, err := queries.%s(%s)", q.Method, args(c.Call, c.Args))
			w.Line("if err == %s.ErrNoRows { return nil, nil }", m)
			w.Line("return v, err")
		default:
			w.Line("v, err := queries.%s(%s)", q.Method, args(c.Call, c.Args))
			w.Line("all := []any{}")
			w.Line("for _, r := range v { all = append(all, r) }")
			w.Line("return all, err")
		}
	case c.Stream != "":
		w.Line("return harness.Take(queries.%s(%s), %d)", u.queryPlan(c.Stream).Stream, args(c.Stream, c.Args), c.Take)
	case c.Rollback != "":
		w.Block("err := queries.Transaction(ctx, func(tx *"+m+"."+u.plan.Class+") error {", "})", func() {
			w.Line("if _, err := tx.%s(%s); err != nil { return err }", u.queryPlan(c.Rollback).Method, args(c.Rollback, c.Args))
			w.Line("return harness.ErrRollback")
		})
		w.Line(`if err == harness.ErrRollback { return "rolled back", nil }`)
		w.Line("return nil, err")
	case c.Batch != "":
		q := u.queryPlan(c.Batch)
		var types []ir.Type
		var nullable []bool
		for _, p := range q.Params {
			types, nullable = append(types, p.Type), append(nullable, p.Nullable)
		}
		w.Line("return queries.%s(ctx, %s.RowsOf[%s.%s](%s))", q.Batch, m, m, q.BatchRow, rows(q.BatchRow, types, nullable))
	case c.Table != "":
		op := u.op(c.Table, c.Op)
		var types []ir.Type
		var nullable []bool
		for _, col := range op.Row.Columns {
			types, nullable = append(types, col.Type), append(nullable, col.Nullable)
		}
		if c.Op == ir.OpAppender {
			w.Line("appender := queries.%s()", op.Method)
			w.Line("if err := appender.Append(ctx, %s); err != nil { return nil, err }", rows(op.RowType, types, nullable))
			w.Line("return nil, appender.Close(ctx)")
			return
		}
		if c.In != "" {
			w.Line("var n int64")
			w.Block("err := queries.Transaction(ctx, func(tx *"+m+"."+u.plan.Class+") (err error) {", "})", func() {
				w.Line("n, err = tx.%s(ctx, %s.RowsOf[%s.%s](%s))", op.Method, m, m, op.RowType, rows(op.RowType, types, nullable))
				if c.In == "rollback" {
					w.Line("if err == nil { err = harness.ErrRollback }")
				}
				w.Line("return err")
			})
			w.Line("if err == harness.ErrRollback { err = nil }")
			w.Line("return n, err")
			return
		}
		w.Line("return queries.%s(ctx, %s.RowsOf[%s.%s](%s))", op.Method, m, m, op.RowType, rows(op.RowType, types, nullable))
	}
}

// goArgs returns the arguments of a call.
func goArgs(u *unit, m string, q *ir.Query, raw []json.RawMessage) string {
	out := []string{"ctx"}
	for i, p := range q.Params {
		out = append(out, goLiteral(u, m, p.Type, p.Nullable, scalars(raw[i])))
	}
	return strings.Join(out, ", ")
}

// goNil reports whether nil is the type's NULL.
func goNil(k ir.Kind) bool {
	switch k {
	case ir.Int128, ir.Uint128, ir.Blob, ir.JSON, ir.Any, ir.List, ir.Array, ir.Map:
		return true
	}
	return false
}

func goLiteral(u *unit, m string, t ir.Type, nullable bool, v any) string {
	if v == nil {
		return "nil"
	}
	if nullable && !goNil(t.Kind) {
		return "ptr(" + goLiteral(u, m, t, false, v) + ")"
	}
	quoted := func() string { return emit.Quote(emit.Go, text(v)) }
	switch t.Kind {
	case ir.Bool:
		return fmt.Sprint(v)
	case ir.Int128, ir.Uint128:
		return "big10(" + quoted() + ")"
	case ir.Float32, ir.Float64:
		return string(t.Kind) + "(" + text(v) + ")"
	case ir.Decimal:
		return m + ".Decimal(" + quoted() + ")"
	case ir.Blob:
		return "unhex(" + quoted() + ")"
	case ir.UUID:
		return "harness.Must(" + m + ".ParseUUID(" + quoted() + "))"
	case ir.Date, ir.Timestamp, ir.TimestampTZ:
		return "moment(" + quoted() + ")"
	case ir.Time:
		return "clock(" + quoted() + ")"
	case ir.JSON:
		return "json.RawMessage(" + quoted() + ")"
	case ir.Interval:
		p := v.([]any)
		return fmt.Sprintf("%s.Interval{Months: %s, Days: %s, Micros: %s}", m, p[0], p[1], p[2])
	case ir.EnumKind:
		return m + "." + u.plan.EnumType(t.Ref) + "(" + quoted() + ")"
	case ir.List, ir.Array:
		var out []string
		for _, e := range v.([]any) {
			out = append(out, goLiteral(u, m, *t.Elem, t.ElemNullable, e))
		}
		return goType(u, m, t) + "{" + strings.Join(out, ", ") + "}"
	case ir.StructKind:
		var out []string
		for i, f := range u.module.Struct(t.Ref).Fields {
			out = append(out, goLiteral(u, m, f.Type, f.Nullable, v.([]any)[i]))
		}
		return m + "." + u.plan.StructType(t.Ref) + "{" + strings.Join(out, ", ") + "}"
	case ir.Map:
		var out []string
		for _, e := range v.([]any) {
			pair := e.([]any)
			out = append(out, goLiteral(u, m, *t.Key, false, pair[0])+": "+goLiteral(u, m, *t.Elem, t.ElemNullable, pair[1]))
		}
		return goType(u, m, t) + "{" + strings.Join(out, ", ") + "}"
	case ir.Any:
		if n, ok := v.(json.Number); ok {
			return "any(int64(" + string(n) + "))"
		}
		return "any(" + quoted() + ")"
	}
	if integer(t.Kind) {
		return string(t.Kind) + "(" + text(v) + ")"
	}
	return quoted()
}

// goType returns the type of a literal of a list or map.
func goType(u *unit, m string, t ir.Type) string {
	if t.Kind == ir.List || t.Kind == ir.Array {
		if t.ElemNullable && !goNil(t.Elem.Kind) {
			return "[]*" + goType(u, m, *t.Elem)
		}
		return "[]" + goType(u, m, *t.Elem)
	}
	if t.Kind == ir.Map {
		elem := goType(u, m, *t.Elem)
		if t.ElemNullable && !goNil(t.Elem.Kind) {
			elem = "*" + elem
		}
		return "map[" + goType(u, m, *t.Key) + "]" + elem
	}
	if integer(t.Kind) && t.Kind != ir.Int128 && t.Kind != ir.Uint128 || t.Kind == ir.Float32 || t.Kind == ir.Float64 || t.Kind == ir.Bool {
		return string(t.Kind)
	}
	switch t.Kind {
	case ir.UUID:
		return m + ".UUID"
	case ir.JSON:
		return "json.RawMessage"
	case ir.Decimal:
		return m + ".Decimal"
	case ir.Blob:
		return "[]byte"
	case ir.Int128, ir.Uint128:
		return "*big.Int"
	case ir.Interval:
		return m + ".Interval"
	case ir.Time:
		return "time.Duration"
	case ir.Date, ir.Timestamp, ir.TimestampTZ:
		return "time.Time"
	case ir.EnumKind:
		return m + "." + u.plan.EnumType(t.Ref)
	case ir.StructKind:
		return m + "." + u.plan.StructType(t.Ref)
	}
	return "string"
}
