// Package typescript generates TypeScript code for a module: a class with a typed method for each
// query, and the row types. The generated code uses the runtime library in clients/typescript.
package typescript

import (
	"path"
	"strings"

	"github.com/scoterdb/scoter/clients"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// driver is what differs between database drivers in generated TypeScript code.
type driver struct {
	// runtime is the name of the runtime library's file for this driver, without extension. files
	// are all files of clients/typescript that this file needs.
	runtime string
	files   []string
	style   emit.Style
	// imports is the import line for the driver. connection is the TypeScript type of the
	// connection that the constructor of the generated class takes.
	imports, connection string
	// open is the TypeScript expression that makes the runtime's object from the constructor's
	// argument `db`.
	open string
	// sync means that the driver is synchronous, so that generated methods return results and not
	// promises.
	sync bool
	// plucks means that the driver itself can return only the first column of a statement, which
	// `:pluck` queries need.
	plucks bool
	exec   string
}

func drivers(t ir.Target) (driver, bool) {
	big := "false"
	if t.Config.SafeIntegers {
		big = "true"
	}
	sqlite := driver{runtime: "scoter-sqlite", files: []string{"scoter", "scoter-sqlite", "scoter-sqlite-rows"}, sync: true, exec: "rt.RunResult", open: "new rt.Runtime(db, " + big + ", observer)"}
	async := driver{runtime: "scoter-sqlite-async", files: []string{"scoter", "scoter-sqlite", "scoter-sqlite-async", "scoter-sqlite-rows", "scoter-turns"}, exec: "rt.RunResult"}
	d, ok := map[string]driver{
		"sqlite/better-sqlite3": with(sqlite, `import type { Database } from "better-sqlite3";`, "Database", sqlite.open),
		"sqlite/node":           with(sqlite, `import type { DatabaseSync } from "node:sqlite";`, "DatabaseSync", sqlite.open),
		"sqlite/libsql":         with(async, `import type { Client } from "@libsql/client";`, "Client", "rt.libsql(db)"),
		"sqlite/turso":          with(async, `import type { Database } from "@tursodatabase/database";`, "Database", "rt.turso(db, "+big+")"),
		"duckdb/node-api": {runtime: "scoter-duckdb", files: []string{"scoter", "scoter-duckdb", "scoter-duckdb-values", "scoter-turns"}, style: emit.Dollar, exec: "rt.ExecResult",
			imports: `import type { DuckDBConnection } from "@duckdb/node-api";`, connection: "DuckDBConnection", open: "new rt.Runtime(db, observer)"},
		"scoter/http": {runtime: "scoter-http", files: []string{"scoter", "scoter-pack", "scoter-http"}, style: emit.Wire, exec: "rt.ExecResult",
			connection: "rt.Connection", open: "new rt.Runtime(db, observer)"},
		"postgres/pg": {runtime: "scoter-postgres", files: []string{"scoter", "scoter-postgres", "scoter-turns"}, style: emit.Dollar, exec: "rt.ExecResult",
			connection: "rt.Connection", open: "new rt.Runtime(db, observer)"},
	}[string(t.Engine)+"/"+t.Driver]
	d.plucks = t.Engine == ir.SQLite && t.Driver != "node"
	return d, ok
}

func with(d driver, imports, connection, open string) driver {
	d.imports, d.connection, d.open = imports, connection, open
	return d
}

type generator struct {
	*emit.Plan
	driver
	w emit.Writer
	// safe means that 64-bit integers of SQLite have the TypeScript type bigint.
	safe bool
}

// Plan chooses the TypeScript names of everything in a module. The error is Invalid if the target's
// driver is unknown, or if two things would get the same name.
func Plan(m *ir.Module, t ir.Target) (*emit.Plan, error) {
	d, ok := drivers(t)
	if !ok {
		return nil, base.Errorf(base.Invalid, "unknown generator %s", t.Generator)
	}
	return emit.NewPlan(m, t, emit.Options{Language: emit.TypeScript, Style: d.style, Arrow: t.Engine == ir.Scoter,
		Types: strings.Fields(`Array Map Set Promise Record Date Iterable AsyncIterable Generator AsyncGenerator Uint8Array Object String Number
			Boolean BigInt Symbol Error Function Database DatabaseSync Client ClientBase DuckDBConnection`),
		Methods: []string{"transaction", "withRoute", "applyMigrations", "getMigrations", "getQueryNames"}})
}

// Generate returns the generated TypeScript module and the files of the runtime library that it
// imports.
func Generate(m *ir.Module, t ir.Target) ([]ir.File, error) {
	p, err := Plan(m, t)
	if err != nil {
		return nil, err
	}
	d, _ := drivers(t)
	g := &generator{Plan: p, driver: d, safe: t.Config.SafeIntegers}
	g.w.Unit = "  "
	g.module()
	fileName := ir.Name.Kebab
	if t.Config.SQG { // SQG names its files as the SQL files are named
		fileName = func(n ir.Name) string { return n.Original }
	}
	name := emit.File(t, fileName, ".ts")
	files := []ir.File{{Path: name, Content: g.w.String()}}
	for _, f := range d.files {
		source, err := clients.Files.ReadFile("typescript/" + f + ".ts")
		if err != nil {
			return nil, base.Errorf(base.Internal, "generate %s: %w", t.Generator, err)
		}
		files = append(files, ir.File{Path: path.Join(path.Dir(name), f+".ts"), Content: string(source)})
	}
	return files, nil
}

func (g *generator) module() {
	w := &g.w
	w.Line("// %s", emit.Header)
	if g.imports != "" {
		w.Line("%s", g.imports)
	}
	w.Line(`import * as rt from "./%s.js";`, g.runtime)
	g.types()
	if len(g.Queries) > 0 {
		w.Blank()
		w.Block("const SQL = {", "} as const;", func() {
			for _, q := range g.Queries {
				w.Line("%s: %s,", q.Method, emit.QuoteBlock(emit.TypeScript, g.sql(q), ""))
				if q.Arrow != "" && g.arrowName(q) == q.Arrow {
					w.Line("%s: %s,", q.Arrow, emit.QuoteBlock(emit.TypeScript, g.ArrowSQL(q), ""))
				}
			}
		})
	}
	g.migrationList()
	g.bulks()
	w.Blank()
	g.class()
	for _, r := range g.Module.Rows {
		if g.reads(&r) {
			g.readRow(g.RowType(r.Ref), r.Columns)
		}
	}
	for _, s := range g.Module.Structs {
		g.structs(&s)
	}
}

func (g *generator) doc(doc []string, fallback string) {
	lines := emit.DocLines(emit.TypeScript, doc)
	if len(lines) == 0 {
		if fallback == "" {
			return
		}
		lines = []string{fallback}
	}
	if len(lines) == 1 {
		g.w.Line("/** %s */", lines[0])
		return
	}
	g.w.Line("/**")
	for _, l := range lines {
		g.w.Line("%s", strings.TrimRight(" * "+l, " "))
	}
	g.w.Line(" */")
}

func (g *generator) migrationList() {
	w := &g.w
	w.Blank()
	w.Block("const migrations: readonly rt.Migration[] = [", "];", func() {
		for _, m := range g.Module.Migrations {
			w.Block("{", "},", func() {
				w.Line("id: %s,", quote(m.ID))
				w.Line("checksum: %s,", quote(m.Checksum))
				w.Block("statements: [", "],", func() {
					for _, s := range m.Statements {
						w.Line("%s,", emit.QuoteBlock(emit.TypeScript, s, ""))
					}
				})
			})
		}
	})
}

// routes reports whether generated code has more than one way to write in bulk, called routes.
func (g *generator) routes() bool { return g.Module.Engine == ir.Postgres && len(g.Tables) > 0 }

func (g *generator) promise(t string) string {
	if g.sync {
		return t
	}
	return "Promise<" + t + ">"
}

func (g *generator) class() {
	w := &g.w
	w.Block("export class "+g.Class+" {", "}", func() {
		w.Line("readonly #rt: rt.Runtime;")
		if g.Module.Engine == ir.SQLite {
			for _, q := range g.Queries {
				w.Line("#%s: rt.Statement | undefined;", q.Method)
			}
		}
		w.Blank()
		switch {
		case g.runtime == "scoter-sqlite-async":
			w.Block("constructor(db: "+g.connection+" | rt.Runtime, observer?: rt.Observer) {", "}", func() {
				w.Line("this.#rt = db instanceof rt.Runtime ? db : new rt.Runtime(%s, observer);", g.open)
			})
		case g.routes():
			w.Block("constructor(db: "+g.connection+" | rt.Runtime, observer?: rt.Observer) {", "}", func() {
				w.Line("this.#rt = db instanceof rt.Runtime ? db : %s;", g.open)
			})
			w.Blank()
			w.Line("/** The same queries with bulk methods that take a route, or with none choose theirs by the number of rows. */")
			w.Block("withRoute(route?: rt.Route): "+g.Class+" {", "}", func() { w.Line("return new %s(this.#rt.withRoute(route));", g.Class) })
		default:
			w.Block("constructor(db: "+g.connection+", observer?: rt.Observer) {", "}", func() {
				w.Line("this.#rt = %s;", g.open)
			})
		}
		w.Blank()
		w.Line("/** The SQL of all migrations, in order. */")
		w.Block("static getMigrations(): string[] {", "}", func() {
			w.Line(`return migrations.map((m) => m.statements.map((s) => s + ";").join("\n"));`)
		})
		if g.Target.Config.Migrations {
			w.Blank()
			w.Line("/** Applies the migrations that the database has not seen yet; returns their ids. */")
			w.Block("static applyMigrations(db: "+g.connection+", project = "+quote(g.Module.Project)+", options?: rt.MigrateOptions): "+g.promise("string[]")+" {", "}", func() {
				db := "db"
				if g.runtime == "scoter-sqlite-async" {
					db = g.open
				}
				w.Line("return rt.applyMigrations(%s, project, migrations, options);", db)
			})
		}
		w.Blank()
		w.Line("/** The method of every query, by the query's name in the SQL file. */")
		w.Block("static getQueryNames(): Map<string, keyof "+g.Class+"> {", "}", func() {
			w.Block("return new Map<string, keyof "+g.Class+">([", "]);", func() {
				for _, q := range g.Queries {
					w.Line("[%s, %s],", quote(q.Name.Original), quote(q.Method))
				}
			})
		})
		w.Blank()
		if g.Module.Engine != ir.Scoter { // on Scoter each statement is a transaction of its own
			w.Line("/** Runs body in a transaction: committed when it returns, rolled back when it throws. */")
		}
		switch { // no class has the name $T, unlike the T in t.sql
		case g.Module.Engine == ir.Scoter:
		case g.sync:
			w.Block("transaction<$T>(body: (queries: "+g.Class+") => rt.Sync<$T>): $T {", "}", func() {
				w.Line("return this.#rt.transaction<$T, %s>(body, this);", g.Class)
			})
		case g.runtime == "scoter-sqlite-async":
			w.Block("transaction<$T>(body: (queries: "+g.Class+") => Promise<$T>): Promise<$T> {", "}", func() {
				w.Line("return this.#rt.transaction((runtime) => body(runtime === this.#rt ? this : new %s(runtime)));", g.Class)
			})
		default:
			w.Block("transaction<$T>(body: (queries: "+g.Class+") => Promise<$T>): Promise<$T> {", "}", func() {
				w.Line("return this.#rt.transaction(() => body(this));")
			})
		}
		for i, s := range g.Module.Sources {
			w.Blank()
			w.Line("/** Attaches the PostgreSQL database %s. */", emit.DocText(emit.TypeScript, s.Name.Original))
			w.Block("static "+g.Attach[i]+"(db: "+g.connection+", dsn: string): Promise<void> {", "}", func() {
				w.Line("return rt.attachPostgres(db, %s, dsn);", quote(s.SQLName))
			})
		}
		for _, q := range g.Queries {
			g.query(q)
		}
		for _, t := range g.Tables {
			for _, op := range t.Ops {
				g.op(t, op)
			}
		}
	})
}

func arrayOf(t string) string {
	if strings.ContainsAny(t, " |") {
		return "(" + t + ")[]"
	}
	return t + "[]"
}

func quote(s string) string { return emit.Quote(emit.TypeScript, s) }
