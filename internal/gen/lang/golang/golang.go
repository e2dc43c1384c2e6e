// Package golang generates Go code for a module: a type with a typed method for each query, and the
// row types as structs. The generated code uses the runtime library in clients/go.
package golang

import (
	"fmt"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"path"
	"strings"
	"unicode"

	"github.com/scoterdb/scoter/clients"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// driver is what differs between database drivers in generated Go code.
type driver struct {
	style emit.Style
	files []string
	// db is the name of the interface through which generated code uses the database. open is the
	// function that makes the runtime's object from a db. prefix begins the names of the runtime's
	// functions for this driver. bulk is the runtime's function for bulk writes.
	db, open, prefix, bulk string
	// route is the Go type that selects one of several ways to write in bulk. It is "" if there is
	// only one way.
	route string
	// migrate is the beginning of the call of the runtime's migration function: its name, and the
	// arguments before the project's name.
	migrate string
}

var drivers = map[string]driver{
	"sqlite/sql": {emit.Question, []string{"scoter_runtime", "scoter_values", "scoter_nested", "scoter_text", "scoter_sql", "scoter_sqlite_bulk"}, "DBTX",
		"newScRuntime(db, scBeginSQLite, scNative)", "sc", "scBulkRows", "", "scMigrate(ctx, db, scBeginSQLite, "},
	"duckdb/duckdb-go": {emit.DollarText, []string{"scoter_runtime", "scoter_values", "scoter_nested", "scoter_text", "scoter_sql", "scoter_json", "scoter_duckdb", "scoter_duckdb_bulk",
		"scoter_duckdb_vector", "scoter_duckdb_arrow", "scoter_duckdb_arrow_bulk", "scoter_keys"}, "DBTX",
		"newScRuntime(db, scBeginDuckDB, scFromDuck)", "sc", "scDuckWrite", "DuckDBRoute", "scMigrate(ctx, db, scBeginDuckDB, "},
	"scoter/http": {emit.Wire, []string{"scoter_runtime", "scoter_values", "scoter_nested", "scoter_text", "scoter_sql", "scoter_json", "scoter_pack", "scoter_http"}, "DBTX",
		"newScHTTP(db)", "sc", "scHTTPBulk", "", "scHTTPMigrate(ctx, db, "},
	"postgres/pgx": {emit.Dollar, []string{"scoter_runtime", "scoter_values", "scoter_nested", "scoter_text", "scoter_pgx", "scoter_pgx_bulk",
		"scoter_copy", "scoter_copy_numeric", "scoter_copy_plan", "scoter_copying", "scoter_keys"}, "DB",
		"&scPgx{db: db}", "scPgx", "scPgxWrite", "PostgresRoute", "scPgxMigrate(ctx, db, "},
}

type generator struct {
	*emit.Plan
	driver
	w emit.Writer
}

// runtimeNames are the names that the runtime library declares. The library is in the same package
// as the generated code, so the code cannot use these names.
var runtimeNames = strings.Fields(`Observer Migration MigrateOptions Decimal UUID NewUUID ParseUUID Interval RowsOf ErrNoRows DBTX DB Appender
	GetMigrations ApplyMigrations OpenHTTP HTTPOptions ScoterError RowError DuckDBRoute DuckDBVectors DuckDBAppender
	PostgresRoute PostgresUnnest PostgresBinary PostgresText`)

// Plan chooses the Go names of everything in a module. The error is Invalid if the target's driver
// is unknown, or if two things would get the same name.
func Plan(m *ir.Module, t ir.Target) (*emit.Plan, error) {
	d, ok := drivers[string(t.Engine)+"/"+t.Driver]
	if !ok {
		return nil, base.Errorf(base.Invalid, "unknown generator %s", t.Generator)
	}
	if p := t.Config.Package; p != "" && !emit.IsIdentifier(emit.Go, p) {
		return nil, base.Errorf(base.Invalid, "%q cannot be the name of a Go package", p)
	}
	plan, err := emit.NewPlan(m, t, emit.Options{Language: emit.Go, Style: d.style, Arrow: t.Engine == ir.DuckDB || t.Engine == ir.Scoter, ArrowBulk: t.Engine == ir.DuckDB,
		Types: runtimeNames, Methods: strings.Fields("Transaction WithObserver WithRoute Close")})
	if err != nil {
		return nil, err
	}
	return plan, check(plan)
}

// Generate returns the generated Go file and the files of the runtime library.
func Generate(m *ir.Module, t ir.Target) ([]ir.File, error) {
	p, err := Plan(m, t)
	if err != nil {
		return nil, err
	}
	g := &generator{Plan: p, driver: drivers[string(t.Engine)+"/"+t.Driver]}
	g.w.Unit = "\t"
	g.file()
	text, err := format.Source([]byte(g.w.String()))
	if err != nil {
		return nil, base.Errorf(base.Internal, "generate %s: format: %w", t.Generator, err)
	}
	name := emit.File(t, ir.Name.Snake, ".go")
	if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(t.Output, "/") && !builtOnAllSystems(path.Base(name)) {
		// A Go file with a name such as x_test.go or x_linux.go is left out of some or all builds
		// of the package.
		name = strings.TrimSuffix(name, ".go") + "_.go"
	}
	files := []ir.File{{Path: name, Content: string(text)}}
	if arrow := g.arrowFile(); arrow != "" {
		if text, err = format.Source([]byte(arrow)); err != nil {
			return nil, base.Errorf(base.Internal, "generate %s: format: %w", t.Generator, err)
		}
		files = append(files, ir.File{Path: strings.TrimSuffix(name, ".go") + "_arrow.go", Content: string(text)})
	}
	for _, f := range g.files {
		source, err := clients.Files.ReadFile("go/" + f + ".go")
		if err != nil {
			return nil, base.Errorf(base.Internal, "generate %s: %w", t.Generator, err)
		}
		text := strings.Replace(string(source), "\npackage scoter\n", "\npackage "+g.pkg()+"\n", 1)
		text = strings.Replace(text, "// Package scoter is the runtime of generated Go code. The generator writes\n// the files that a target needs into the package of the generated code.\n",
			"// The runtime of the generated code.\n\n", 1)
		if strings.HasPrefix(text, "package scoter\n") {
			text = "package " + g.pkg() + strings.TrimPrefix(text, "package scoter")
		}
		files = append(files, ir.File{Path: path.Join(path.Dir(name), f+".go"), Content: text})
	}
	return files, nil
}

// builtOnAllSystems reports whether Go compiles a file with this name on every system. For example,
// a file whose name ends with _linux.go is compiled only on Linux.
func builtOnAllSystems(name string) bool {
	none := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	match, err := none.MatchFile("", name)
	return err == nil && match
}

// pkg returns the name of the Go package: the configured name, or else the name of the folder.
func (g *generator) pkg() string {
	if p := g.Target.Config.Package; p != "" {
		return p
	}
	folder := path.Base(path.Dir(emit.File(g.Target, ir.Name.Snake, ".go")))
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return unicode.ToLower(r)
		}
		return -1
	}, folder)
	if !emit.IsIdentifier(emit.Go, name) {
		name = "db" + name
	}
	return name
}

func quote(s string) string { return emit.QuoteBlock(emit.Go, s, "") }

// doc writes a Go doc comment that begins with name. The lines in doc are its text. If doc is
// empty, the text is fallback.
func (g *generator) doc(name string, doc []string, fallback string) {
	lines := emit.DocLines(emit.Go, doc)
	if len(lines) == 0 {
		lines = []string{name + " " + fallback}
	} else {
		lines = append([]string{name + ":"}, lines...)
	}
	for _, l := range lines {
		g.w.Line("%s", strings.TrimRight("// "+l, " "))
	}
}

func (g *generator) file() {
	w := &g.w
	w.Line("// Code generated by scoter generate. DO NOT EDIT.")
	w.Blank()
	w.Line("package %s", g.pkg())
	w.Blank()
	body := &emit.Writer{Unit: "\t"}
	out := g.w
	g.w = *body
	g.declarations()
	g.class()
	g.sql()
	g.readers()
	g.bulks()
	text := g.w.String()
	g.w = out
	w.Block("import (", ")", func() {
		g.imports(text)
		if g.db == "DB" {
			w.Blank()
			w.Line("%q", "github.com/jackc/pgx/v5")
		}
	})
	w.Blank()
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		w.Line("%s", line)
	}
}

// imports writes the import lines for the packages of the standard library that the generated code
// uses. text is this code. If it is not valid Go, imports reports nothing, because formatting the
// code fails later.
func (g *generator) imports(text string) {
	used := map[string]bool{}
	if file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, 0); err == nil {
		for _, name := range file.Unresolved {
			used[name.Name] = true
		}
	}
	for _, p := range []string{"context", "encoding/json", "io", "iter", "math/big", "time"} {
		if used[path.Base(p)] {
			g.w.Line("%q", p)
		}
	}
}

func (g *generator) class() {
	w, class := &g.w, g.Class
	w.Blank()
	w.Line("// %s has a method for everything in %s.", class, emit.DocText(emit.Go, strings.Join(g.Module.Files, ", ")))
	w.Block("type "+class+" struct {", "}", func() {
		w.Line("db %s", g.db)
		w.Line("rt *%s", map[string]string{"DB": "scPgx", "DBTX": "scRuntime"}[g.db])
	})
	w.Blank()
	w.Line("// New%s returns the methods on a database, connection or transaction.", class)
	w.Block("func New"+class+"(db "+g.db+") *"+class+" {", "}", func() { w.Line("return &%s{db: db, rt: %s}", class, g.open) })
	w.Blank()
	w.Line("// WithObserver returns the same methods with an observer that sees every call.")
	w.Block("func (q *"+class+") WithObserver(observer Observer) *"+class+" {", "}", func() {
		w.Line("rt := q.rt.same(q.db)")
		w.Line("rt.observer = observer")
		w.Line("return &%s{db: q.db, rt: rt}", class)
	})
	w.Blank()
	if g.route != "" && len(g.Tables) > 0 {
		w.Line("// WithRoute returns the same methods; those that write many rows take the route, or")
		w.Line("// with \"\" choose theirs.")
		w.Block("func (q *"+class+") WithRoute(route "+g.route+") *"+class+" {", "}", func() {
			w.Line("rt := q.rt.same(q.db)")
			w.Line("rt.route = string(route)")
			w.Line("return &%s{db: q.db, rt: rt}", class)
		})
		w.Blank()
	}
	if g.Module.Engine != ir.Scoter { // on Scoter each statement is a transaction of its own
		g.transaction()
	}
	w.Line("// Close closes the prepared statements, not the database.")
	w.Block("func (q *"+class+") Close() error {", "}", func() {
		w.Line("return %s", map[string]string{"DB": "nil", "DBTX": "q.rt.close()"}[g.db])
	})
	g.migrations()
	for i, s := range g.Module.Sources {
		w.Blank()
		w.Line("// %s attaches the PostgreSQL database %s.", g.Attach[i], emit.DocText(emit.Go, s.Name.Original))
		w.Block("func "+g.Attach[i]+"(ctx context.Context, db DBTX, dsn string) error {", "}", func() {
			w.Line("return scAttachPostgres(ctx, db, %s, dsn)", quote(s.SQLName))
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
}

func (g *generator) migrations() {
	w := &g.w
	w.Blank()
	list := "migrations" + g.Class
	w.Block("var "+list+" = []Migration{", "}", func() {
		for _, m := range g.Module.Migrations {
			w.Block("{", "},", func() {
				w.Line("ID:       %s,", quote(m.ID))
				w.Line("Checksum: %s,", quote(m.Checksum))
				w.Block("Statements: []string{", "},", func() {
					for _, s := range m.Statements {
						// This literal is not indented: in a raw string, the indentation would
						// become part of the value.
						w.Line("%s,", quote(s))
					}
				})
			})
		}
	})
	w.Blank()
	w.Line("// Get%sMigrations returns all migrations, in order.", g.Class)
	w.Block("func Get"+g.Class+"Migrations() []Migration {", "}", func() { w.Line("return append([]Migration{}, %s...)", list) })
	if !g.Target.Config.Migrations {
		return
	}
	w.Blank()
	w.Line("// Apply%sMigrations applies the migrations that the database has not seen", g.Class)
	w.Line("// yet and returns their ids. The project is %s unless given.", emit.DocText(emit.Go, g.Module.Project))
	w.Block("func Apply"+g.Class+"Migrations(ctx context.Context, db "+g.db+", project string, options MigrateOptions) ([]string, error) {", "}", func() {
		w.Block(`if project == "" {`, "}", func() { w.Line("project = %s", quote(g.Module.Project)) })
		w.Line("return %sproject, %s, options)", g.migrate, list)
	})
}

func (g *generator) query(q *emit.Query) {
	w := &g.w
	list, values := g.parameters(q)
	call := func(f, name, extra string) string {
		return fmt.Sprintf("return %s%s(ctx, q.rt, %q, %s, %s%s)", g.prefix, f, name, g.sqlName(q), values, extra)
	}
	receiver := "func (q *" + g.Class + ") "
	w.Blank()
	if q.Verb == ir.VerbExec {
		g.doc(q.Method, q.Doc, "returns the number of rows it changed.")
		w.Block(receiver+q.Method+"("+list+") (int64, error) {", "}", func() {
			if g.Module.Engine == ir.SQLite && !q.Counts() {
				w.Line("%s", strings.Replace(call("Exec", q.Method, ""), "return ", "_, err := ", 1))
				w.Line("return 0, err")
				return
			}
			w.Line("%s", call("Exec", q.Method, ""))
		})
		if q.Batch == "" {
			return
		}
		w.Blank()
		w.Line("// %s runs %s %s, and returns the", q.Batch, q.Method, g.BatchSemantics())
		w.Line("// number of rows changed.")
		w.Block(receiver+q.Batch+"(ctx context.Context, rows iter.Seq2["+q.BatchRow+", error]) (int64, error) {", "}", func() {
			var each []string
			for _, i := range q.SQL.Binds {
				each = append(each, g.bind(&q.Params[i], "r."+g.batchField(q, i)))
			}
			w.Line("values := func(r %s) []any { return []any{%s} }", q.BatchRow, strings.Join(each, ", "))
			w.Line("return %sBatch(ctx, q.rt, %q, %s, values, rows)", g.prefix, q.Batch, g.sqlName(q))
		})
		return
	}
	row, read := g.result(q)
	if q.Cardinality == ir.One {
		g.doc(q.Method, q.Doc, "returns ErrNoRows if there is no row.")
		w.Block(receiver+q.Method+"("+list+") ("+row+", error) {", "}", func() { w.Line("%s", call("One", q.Method, ", "+read)) })
		return
	}
	g.doc(q.Method, q.Doc, "returns all rows.")
	w.Block(receiver+q.Method+"("+list+") ([]"+row+", error) {", "}", func() { w.Line("%s", call("All", q.Method, ", "+read)) })
	w.Blank()
	w.Line("// %s yields the %s.", q.Stream, q.StreamDoc())
	w.Block(receiver+q.Stream+"("+list+") iter.Seq2["+row+", error] {", "}", func() {
		w.Line("%s", call(map[bool]string{true: "Stream", false: "Returning"}[q.ReadOnly], q.Stream, ", "+read))
	})
	if g.Module.Engine == ir.Scoter { // for DuckDB, the methods for Arrow are in a separate file
		g.arrowQuery(q)
	}
}

func (g *generator) sqlName(q *emit.Query) string { return "sql" + g.Class + q.Method }

func (g *generator) sql() {
	for _, q := range g.Queries {
		g.w.Blank()
		g.w.Line("const %s = %s", g.sqlName(q), quote(g.text(q)))
	}
}

func (g *generator) transaction() {
	w, class := &g.w, g.Class
	w.Line("// Transaction runs body in a transaction, or in the one that is open already:")
	w.Line("// committed when it returns nil, rolled back otherwise.")
	w.Block("func (q *"+class+") Transaction(ctx context.Context, body func(*"+class+") error) error {", "}", func() {
		if g.db == "DB" {
			w.Block("return pgx.BeginFunc(ctx, q.db, func(tx pgx.Tx) error {", "})", func() { w.Line("return body(&%s{db: tx, rt: q.rt.same(tx)})", class) })
			return
		}
		w.Block("return q.rt.transaction(ctx, func(tx *scRuntime) error {", "})", func() { w.Line("return body(&%s{db: tx.db, rt: tx})", class) })
	})
	w.Blank()
}

// text returns the SQL of a query for Go. A SELECT is changed so that some columns are returned as
// text. Other statements with such columns cannot be wrapped in a SELECT for that, and are refused.
// These columns are returned as text:
//
//   - JSON of DuckDB: duckdb-go parses it, which loses digits and the order of keys.
//   - JSON of Scoter: in Scoter's results, which are JSON, it would be a part of the result's JSON.
//   - Times of DuckDB: duckdb-go reads 24:00 as 00:00, and cannot read TIME_NS.
func (g *generator) text(q *emit.Query) string {
	switch {
	case q.Statement != ir.StatementSelect:
	case g.Module.Engine == ir.DuckDB:
		return g.TextSQL(q, []ir.Kind{ir.JSON, ir.Time, ir.TimeTZ}, ir.JSON, ir.Time, ir.TimeTZ)
	case g.Module.Engine == ir.Scoter:
		return g.TextSQL(q, []ir.Kind{ir.JSON}, ir.JSON, ir.Interval, ir.Blob)
	}
	return q.SQL.Text
}

var verbs = map[ir.Op]string{
	ir.OpInsert: "inserts all rows into %s and returns how many.",
	ir.OpUpdate: "updates %s by key and returns the rows changed.\n// Of several rows with one key the last wins.",
	ir.OpDelete: "deletes from %s by key and returns the rows changed.",
	ir.OpUpsert: "inserts into %s, or updates where the key exists, and\n// returns the rows written. Of several rows with one key the last wins.",
}

func (g *generator) op(t *emit.Table, op *emit.Op) {
	w := &g.w
	table := emit.DocText(emit.Go, t.Table.Table)
	receiver := "func (q *" + g.Class + ") "
	w.Blank()
	if op.Op == ir.OpAppender {
		g.doc(op.Method, t.Doc, "appends to "+table+". Close it to write the last rows.")
		w.Block(receiver+op.Method+"() *Appender["+op.RowType+"] {", "}", func() {
			w.Block("return &Appender["+op.RowType+"]{write: func(ctx context.Context, rows iter.Seq2["+op.RowType+", error]) (int64, error) {", "}}", func() {
				w.Line("return %s(ctx, q.rt, bulk%s%s, rows)", g.bulk, g.Class, op.Method)
			})
		})
		return
	}
	for _, l := range strings.Split("// "+op.Method+" "+strings.ReplaceAll(verbs[op.Op], "%s", table), "\n") {
		w.Line("%s", l)
	}
	w.Block(receiver+op.Method+"(ctx context.Context, rows iter.Seq2["+op.RowType+", error]) (int64, error) {", "}", func() {
		w.Line("return %s(ctx, q.rt, bulk%s%s, rows)", g.bulk, g.Class, op.Method)
	})
}
