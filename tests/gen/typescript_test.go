package gen

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// tsOpen says for each driver how to open a database: the import, the expression of the connection,
// how to run a statement on it, and how to close it.
var tsOpen = map[string]struct{ imports, open, exec, close string }{
	"sqlite/better-sqlite3": {`const { default: Database } = await import("better-sqlite3");`, `new Database(":memory:")`, "db.exec(%s)", "db.close()"},
	"sqlite/node":           {`const { DatabaseSync } = await import("node:sqlite");`, `new DatabaseSync(":memory:")`, "db.exec(%s)", "db.close()"},
	"sqlite/libsql":         {`const { createClient } = await import("@libsql/client");`, `createClient({ url: "file:" + tmp(), intMode: %s })`, "await db.execute(%s)", "db.close()"},
	"sqlite/turso":          {`const { connect } = await import("@tursodatabase/database");`, `await connect(":memory:")`, "await db.exec(%s)", "await db.close()"},
	"duckdb/node-api":       {`const { DuckDBInstance } = await import("@duckdb/node-api");`, `await (await DuckDBInstance.create(":memory:")).connect()`, "await db.run(%s)", "db.closeSync()"},
	"scoter/http":           {``, `await scoter(%s)`, "await gen_rt.execute(db, %s)", "void db"},
	"postgres/pg":           {`const { default: pg } = await import("pg");`, `await pgConnect(pg)`, "await db.query(%s)", "await db.end()"},
}

// testTypeScript compiles in strict mode.
func testTypeScript(t *testing.T, cases []*testCase, pg *toolchain.Postgres) {
	node := toolchain.Need(t, "node")
	dir := toolchain.TypeScript(t)
	src := toolchain.Empty(t, filepath.Join(dir, "src"))
	toolchain.Empty(t, filepath.Join(dir, "out"))
	toolchain.Copy(t, "runtime/typescript/tsconfig.json", filepath.Join(dir, "tsconfig.json"))
	toolchain.Copy(t, "runtime/typescript/harness.ts", filepath.Join(src, "harness.ts"))
	ids := []string{}
	for id := range tsOpen {
		ids = append(ids, "typescript/"+id)
	}
	units := generate(t, cases, src, ids...)
	for _, u := range units {
		toolchain.Write(t, filepath.Join(src, u.folder(), u.name+"_main.ts"), tsMain(u))
	}
	toolchain.Write(t, filepath.Join(src, "main.ts"), tsRun(units))
	toolchain.Write(t, filepath.Join(src, "quotes.ts"), tsQuotes())
	toolchain.Run(t, dir, nil, "node_modules/.bin/tsc", "-p", ".")
	out := toolchain.Run(t, dir, pg.Env(), node, "out/main.js", "system")
	out += toolchain.Run(t, dir, pg.Env(), toolchain.Node(t), "--no-warnings", "out/main.js", "packaged")
	check(t, units, out)
	checkQuotes(t, toolchain.Run(t, dir, nil, node, "out/quotes.js"))
}

func tsQuotes() string {
	var w emit.Writer
	for _, s := range nasty {
		w.Line("console.log(Buffer.from(%s).toString('hex'));", emit.Quote(emit.TypeScript, s))
		w.Line("console.log(Buffer.from(%s).toString('hex'));", emit.QuoteBlock(emit.TypeScript, s, "  "))
		w.Line("/** %s */", emit.DocText(emit.TypeScript, s))
	}
	return w.String()
}

func tsRun(units []*unit) string {
	var w emit.Writer
	w.Line(`const packaged = process.argv[2] === "packaged";`)
	for _, u := range units {
		w.Line(`if (packaged === %v) await (await import("./%s/%s_main.js")).main();`, strings.HasSuffix(u.target.id, "/node"), u.folder(), u.name)
	}
	return w.String()
}

func tsMain(u *unit) string {
	var w emit.Writer
	w.Unit = "  "
	_, engine, driver := u.parts()
	open := tsOpen[string(engine)+"/"+driver]
	q := func(s string) string { return emit.Quote(emit.TypeScript, s) }
	connection := open.open
	if engine == ir.Scoter {
		connection = fmt.Sprintf(open.open, q(u.name))
	}
	if driver == "libsql" {
		connection = fmt.Sprintf(open.open, map[bool]string{true: `"bigint"`, false: `"number"`}[u.safeIntegers])
	}
	w.Line(`import * as gen from "./%s.js";`, u.file(ir.Name.Kebab))
	if engine == ir.Scoter {
		w.Line(`import * as gen_rt from "./scoter-http.js";`)
		w.Block("async function scoter(name: string): Promise<gen_rt.Connection> {", "}", func() {
			w.Line(`await gen_rt.execute({ url: process.env["SCOTER_URL"]! }, "CREATE DATABASE ts_" + name);`)
			w.Line(`return { url: process.env["SCOTER_URL"]!, database: "ts_" + name };`)
		})
	}
	w.Line(`import { Counter, Rollback, reporter, take } from "../harness.js";`)
	w.Line(`import { mkdtempSync } from "node:fs";`)
	w.Line(`import { tmpdir } from "node:os";`)
	w.Line(`export const tmp = (): string => mkdtempSync(tmpdir() + "/scoter-gen-") + "/db";`)
	w.Line(`async function pgConnect(pg: { Client: new (o: object) => import("pg").Client }): Promise<import("pg").Client> {
  const admin = new pg.Client({ database: "cases" });
  await admin.connect();
  await admin.query(process.env["EMPTY_POSTGRES"]!);
  await admin.end();
  const client = new pg.Client({ database: "cases" });
  await client.connect();
  return client;
}
void pgConnect;
void [Rollback, take];`)
	w.Block("export async function main(): Promise<void> {", "}", func() {
		w.Line("const report = reporter(%s);", q(u.id()))
		w.Line("%s", open.imports)
		w.Line("const db = %s;", connection)
		w.Line("const seen = new Counter();")
		w.Line("const sides = [new gen.%s(db, seen), new gen.%s(db)] as const;", u.plan.Class, u.plan.Class)
		w.Line("void sides;")
		w.Block("await report(-1, async () => {", "});", func() {
			for _, s := range u.baseline {
				w.Line(open.exec+";", q(s))
			}
		})
		for i, c := range u.calls {
			if !c.runs(u.target.id) {
				continue
			}
			w.Block(fmt.Sprintf("await report(%d, async () => {", i), "});", func() {
				w.Line("const queries = sides[%d];", i%2)
				w.Line("void queries;")
				tsCall(&w, u, c, open.exec)
			})
			if q := u.arrow(c); q != nil {
				w.Block(fmt.Sprintf("await report(\"%d/arrow\", async () => {", i), "});", func() {
					w.Line("const chunks: Uint8Array[] = [];")
					w.Line("for await (const chunk of sides[%d].%s(%s)) chunks.push(chunk);", i%2, q.Arrow, tsArgs(u, q.Query, c.Args))
					w.Line("return Buffer.concat(chunks);")
				})
			}
		}
		w.Line("await report(-2, () => seen.begun === seen.ended && seen.begun > 0);")
		w.Line("%s;", open.close)
	})
	return w.String()
}

func tsCall(w *emit.Writer, u *unit, c call, exec string) {
	args := func(name string, raw []json.RawMessage) string { return tsArgs(u, u.query(name), raw) }
	objects := func(keys []string, types []ir.Type) string {
		var rows []string
		for _, r := range c.Rows {
			var fields []string
			for i, raw := range r {
				fields = append(fields, emit.Quote(emit.TypeScript, keys[i])+": "+tsLiteral(u, types[i], scalars(raw)))
			}
			rows = append(rows, "{ "+strings.Join(fields, ", ")+" }")
		}
		return "[" + strings.Join(rows, ", ") + "]"
	}
	result := func(name, v string) string {
		if u.query(name).Verb == ir.VerbExec {
			return map[ir.Engine]string{ir.SQLite: v + ".changes", ir.DuckDB: v + ".rowsChanged", ir.Postgres: v + ".rowCount", ir.Scoter: v + ".rowsChanged"}[u.module.Engine]
		}
		return v
	}
	switch {
	case c.SQL != "":
		w.Line(exec+";", emit.Quote(emit.TypeScript, c.SQL))
	case c.Migrate && c.DryRun:
		w.Line("return gen.%s.applyMigrations(db, undefined, { dryRun: true });", u.plan.Class)
	case c.Migrate:
		w.Line("return gen.%s.applyMigrations(db);", u.plan.Class)
	case c.Call != "":
		w.Line("return %s;", result(c.Call, "(await queries."+u.queryPlan(c.Call).Method+"("+args(c.Call, c.Args)+"))"))
	case c.Stream != "":
		w.Line("return take(queries.%s(%s), %d);", u.queryPlan(c.Stream).Stream, args(c.Stream, c.Args), c.Take)
	case c.Rollback != "":
		async := map[bool]string{true: "", false: "async "}[strings.HasSuffix(u.target.id, "better-sqlite3") || strings.HasSuffix(u.target.id, "/node")]
		await := map[bool]string{true: "", false: "await "}[async == ""]
		w.Block("try {", "} catch (error) {", func() {
			w.Block("await queries.transaction("+async+"(q) => {", "});", func() {
				w.Line("%sq.%s(%s);", await, u.queryPlan(c.Rollback).Method, args(c.Rollback, c.Args))
				w.Line("throw new Rollback();")
			})
		})
		w.Line("  if (error instanceof Rollback) return 'rolled back';")
		w.Line("  throw error;")
		w.Line("}")
		w.Line("return 'committed';")
	case c.Batch != "":
		q := u.queryPlan(c.Batch)
		var types []ir.Type
		for _, p := range q.Params {
			types = append(types, p.Type)
		}
		w.Line("return queries.%s(%s);", q.Batch, objects(q.Args, types))
	case c.Table != "":
		op := u.op(c.Table, c.Op)
		var keys []string
		var types []ir.Type
		for _, col := range op.Row.Columns {
			keys, types = append(keys, col.Name.Original), append(types, col.Type)
		}
		if c.Op == ir.OpAppender {
			w.Line("const appender = await queries.%s();", op.Method)
			w.Line("await appender.appendMany(%s);", objects(keys, types))
			w.Line("await appender.close();")
			w.Line("return null;")
			return
		}
		if c.In != "" {
			async := map[bool]string{true: "", false: "async "}[strings.HasSuffix(u.target.id, "better-sqlite3") || strings.HasSuffix(u.target.id, "/node")]
			await := map[bool]string{true: "", false: "await "}[async == ""]
			w.Line("let n: unknown;")
			w.Block("try {", "} catch (error) {", func() {
				w.Block("await queries.transaction("+async+"(q) => {", "});", func() {
					w.Line("n = %sq.%s(%s);", await, op.Method, objects(keys, types))
					if c.In == "rollback" {
						w.Line("throw new Rollback();")
					}
				})
			})
			w.Line("  if (!(error instanceof Rollback)) throw error;")
			w.Line("}")
			w.Line("return n;")
			return
		}
		w.Line("return queries.%s(%s);", op.Method, objects(keys, types))
	}
}

// tsArgs returns the arguments of a call.
func tsArgs(u *unit, q *ir.Query, raw []json.RawMessage) string {
	var out []string
	for i, p := range q.Params {
		out = append(out, tsLiteral(u, p.Type, scalars(raw[i])))
	}
	return strings.Join(out, ", ")
}

func tsLiteral(u *unit, t ir.Type, v any) string {
	if v == nil {
		return "null"
	}
	sqlite := u.module.Engine == ir.SQLite
	switch t.Kind {
	case ir.Bool:
		return fmt.Sprint(v)
	case ir.Int64:
		if sqlite && !u.safeIntegers {
			return text(v)
		}
		return text(v) + "n"
	case ir.Int128, ir.Uint64, ir.Uint128:
		return text(v) + "n"
	case ir.Int8, ir.Int16, ir.Int32, ir.Uint8, ir.Uint16, ir.Uint32, ir.Float32, ir.Float64:
		return text(v)
	case ir.Decimal:
		if sqlite {
			return text(v)
		}
	case ir.Blob:
		return "new Uint8Array(Buffer.from(" + emit.Quote(emit.TypeScript, text(v)) + ", 'hex'))"
	case ir.Interval:
		p := v.([]any)
		return fmt.Sprintf("{ months: %s, days: %s, micros: %sn }", p[0], p[1], p[2])
	case ir.List, ir.Array:
		var out []string
		for _, e := range v.([]any) {
			out = append(out, tsLiteral(u, *t.Elem, e))
		}
		return "[" + strings.Join(out, ", ") + "]"
	case ir.StructKind:
		var out []string
		for i, f := range u.module.Struct(t.Ref).Fields {
			out = append(out, emit.Quote(emit.TypeScript, f.Name.Original)+": "+tsLiteral(u, f.Type, v.([]any)[i]))
		}
		return "{ " + strings.Join(out, ", ") + " }"
	case ir.Map:
		var out []string
		for _, e := range v.([]any) {
			pair := e.([]any)
			out = append(out, "["+tsLiteral(u, *t.Key, pair[0])+", "+tsLiteral(u, *t.Elem, pair[1])+"]")
		}
		return "new Map([" + strings.Join(out, ", ") + "])"
	case ir.Any:
		if n, ok := v.(json.Number); ok {
			return string(n)
		}
	}
	return emit.Quote(emit.TypeScript, text(v))
}
