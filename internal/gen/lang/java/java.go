// Package java writes Java 17: a class of typed methods with its row types as
// nested records, over the runtime in clients/java.
package java

import (
	"path"
	"strings"

	"github.com/scoterdb/scoter/clients"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// defaultPackage is the package of a target that names none; SQG's is the
// same.
const defaultPackage = "sqg.generated"

type generator struct {
	*emit.Plan
	w     emit.Writer
	types *pool
	// engine is the runtime's constant.
	engine string
	arrow  bool
}

// Plan names everything in a module. It fails with Invalid when there is no
// such driver or two names become one.
func Plan(m *ir.Module, t ir.Target) (*emit.Plan, error) {
	style := emit.Dollar
	switch string(t.Engine) + "/" + t.Driver {
	case "sqlite/jdbc":
		style = emit.Question
	case "postgres/jdbc":
		style = emit.QuestionJDBC
	case "duckdb/jdbc", "duckdb/arrow":
	default:
		return nil, base.Errorf(base.Invalid, "there is no generator %s", t.Generator)
	}
	return emit.NewPlan(m, t, emit.Options{Language: emit.Java, Style: style,
		Types: strings.Fields(`Object String Boolean Byte Short Integer Long Float Double Number Iterable List Map Stream Override SuppressWarnings Record Enum
			Class System Thread Exception RuntimeException SQLException Connection UUID BigDecimal BigInteger LocalDate LocalTime LocalDateTime
			OffsetTime OffsetDateTime SqgObserver ScoterRuntime ScoterTypes ScoterText ScoterInterval ScoterDuckDb ScoterDuckDbStatement ScoterDuplicate ScoterKeys ScoterValues ScoterDuckDbNative ScoterDuckDbSource ScoterHeap ScoterNative ScoterNested ScoterNestedVector ScoterRowException ScoterVector
			ScoterPostgres ScoterCopy ScoterCopyBuffer ScoterCopyKeys ScoterCopyNumeric ScoterCopyPlan ScoterCopyType ScoterPostgresError ScoterSqlite ScoterArrow StreamOptions Sql Read Bulk
			Types Work Math Void Character Throwable Error Comparable Deprecated Arrays HashMap ArrowReader IllegalArgumentException Statement Array Struct`),
		Methods: strings.Fields("getMigrations applyMigrations transaction close runtime")})
}

// Generate writes the class and the runtime files beside it.
func Generate(m *ir.Module, t ir.Target) ([]ir.File, error) {
	p, err := Plan(m, t)
	if err != nil {
		return nil, err
	}
	g := &generator{Plan: p, engine: "ScoterTypes.Engine." + strings.ToUpper(string(m.Engine)), arrow: t.Driver == "arrow"}
	g.types = newPool(g)
	g.class()
	name := path.Clean(t.Output)
	if strings.HasSuffix(t.Output, "/") {
		name = path.Join(t.Output, p.Class+".java")
	}
	files := []ir.File{{Path: name, Content: g.w.String()}}
	runtime := []string{"SqgObserver", "ScoterRuntime", "ScoterCursor", "ScoterMigrations", "ScoterTypes", "ScoterTimes", "ScoterNested", "ScoterRowException", "ScoterValues", "ScoterText", "ScoterInterval"}
	if len(m.Tables) > 0 {
		switch m.Engine {
		case ir.DuckDB:
			runtime = append(runtime, "ScoterDuckDb", "ScoterDuckDbStatement", "ScoterDuplicate", "ScoterDuckDbNative", "ScoterDuckDbSource", "ScoterHeap", "ScoterKeys", "ScoterNative", "ScoterNestedVector", "ScoterVector")
		case ir.Postgres:
			runtime = append(runtime, "ScoterPostgres", "ScoterCopy", "ScoterCopyBuffer", "ScoterCopyKeys", "ScoterCopyNumeric", "ScoterCopyPlan", "ScoterCopyType", "ScoterPostgresError")
		case ir.SQLite:
			runtime = append(runtime, "ScoterSqlite")
		}
	}
	if g.arrow {
		runtime = append(runtime, "ScoterArrow")
	}
	for _, f := range runtime {
		source, err := clients.Files.ReadFile("java/" + f + ".java")
		if err != nil {
			return nil, base.Errorf(base.Internal, "generate %s: %w", t.Generator, err)
		}
		text := strings.Replace(string(source), "package com.scoterdb.client;", "package "+g.pkg()+";", 1)
		files = append(files, ir.File{Path: path.Join(path.Dir(name), f+".java"), Content: text})
	}
	return files, nil
}

func (g *generator) pkg() string {
	if p := g.Target.Config.Package; p != "" {
		return p
	}
	return defaultPackage
}

func quote(s string) string { return emit.Quote(emit.Java, s) }

func (g *generator) doc(doc []string, fallback string) {
	lines := emit.DocLines(emit.Java, doc)
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
	for i, l := range lines {
		switch {
		case l == "":
			g.w.Line(" *")
		case i > 0 && lines[i-1] == "":
			g.w.Line(" * <p>%s", l)
		default:
			g.w.Line(" * %s", l)
		}
	}
	g.w.Line(" */")
}

func (g *generator) class() {
	w := &g.w
	w.Line("// %s", emit.Header)
	w.Line("package %s;", g.pkg())
	w.Blank()
	for _, i := range []string{"java.math.BigDecimal", "java.math.BigInteger", "java.sql.Connection", "java.sql.SQLException", "java.time.LocalDate", "java.time.LocalDateTime",
		"java.time.LocalTime", "java.time.OffsetDateTime", "java.time.OffsetTime", "java.util.List", "java.util.Map", "java.util.UUID", "java.util.stream.Stream"} {
		w.Line("import %s;", i)
	}
	w.Blank()
	w.Line("/** Typed methods for the SQL in %s. */", emit.DocText(emit.Java, strings.Join(g.Module.Files, ", ")))
	// The unused imports and the unchecked casts of nested values are known.
	w.Line(`@SuppressWarnings({"unused", "unchecked"})`)
	w.Block("public final class "+g.Class+" implements AutoCloseable {", "}", func() {
		w.Line("private final ScoterRuntime runtime;")
		w.Blank()
		w.Block("public "+g.Class+"(Connection connection) {", "}", func() { w.Line("this(connection, null);") })
		w.Blank()
		w.Line("/** With an observer that sees every operation, or null. */")
		w.Block("public "+g.Class+"(Connection connection, SqgObserver observer) {", "}", func() {
			w.Line("this.runtime = new ScoterRuntime(connection, %s, observer);", g.engine)
		})
		w.Blank()
		w.Line("/** How a stream is read: rows that the driver fetches at a time, 0 for its default. */")
		w.Block("public record StreamOptions(int fetchSize) {", "}", func() {
			w.Line("public static final StreamOptions DEFAULT = new StreamOptions(0);")
			w.Blank()
			w.Block("public StreamOptions withFetchSize(int fetchSize) {", "}", func() { w.Line("return new StreamOptions(fetchSize);") })
		})
		g.declarations()
		g.migrations()
		w.Blank()
		w.Line("/** What runs in a transaction. */")
		w.Line("@FunctionalInterface")
		w.Block("public interface Work<T> {", "}", func() { w.Line("T run() throws SQLException;") })
		w.Blank()
		w.Line("/** Runs work in a transaction: committed when it returns, rolled back when it throws. */")
		w.Block("public <T> T transaction(Work<T> work) throws SQLException {", "}", func() { w.Line("return runtime.transaction(work::run);") })
		w.Blank()
		w.Line("/** Closes the prepared statements, not the connection. */")
		w.Line("@Override")
		w.Block("public void close() throws SQLException {", "}", func() { w.Line("runtime.close();") })
		for i, s := range g.Module.Sources {
			w.Blank()
			w.Line("/** Attaches the PostgreSQL database %s. */", emit.DocText(emit.Java, s.Name.Original))
			w.Block("public static void "+g.Attach[i]+"(Connection connection, String dsn) throws SQLException {", "}", func() {
				w.Line("ScoterRuntime.attachPostgres(connection, %s, dsn);", quote(s.SQLName))
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
		g.sql()
		g.readers()
		g.bulks()
		g.types.write(w)
	})
}

func (g *generator) migrations() {
	w := &g.w
	w.Blank()
	if len(g.Module.Migrations) == 0 {
		w.Line("private static final List<ScoterMigrations.Migration> MIGRATIONS = List.of();")
	} else {
		w.Block("private static final List<ScoterMigrations.Migration> MIGRATIONS = List.of(", ");", func() {
			for i, m := range g.Module.Migrations {
				w.Block("new ScoterMigrations.Migration(", map[bool]string{true: "))", false: ")),"}[i == len(g.Module.Migrations)-1], func() {
					w.Line("%s,", quote(m.ID))
					w.Line("%s,", quote(m.Checksum))
					w.In("List.of(", func() {
						for j, s := range m.Statements {
							w.Line("%s%s", emit.QuoteBlock(emit.Java, s, w.Indent(0)), map[bool]string{true: "", false: ","}[j == len(m.Statements)-1])
						}
					})
				})
			}
		})
	}
	w.Blank()
	w.Line("/** The SQL of all migrations, in order. */")
	w.Block("public static List<String> getMigrations() {", "}", func() {
		w.Line(`return MIGRATIONS.stream().map(m -> String.join(";\n", m.statements()) + ";").toList();`)
	})
	if !g.Target.Config.Migrations {
		return
	}
	w.Blank()
	w.Line("/** Applies the migrations that the database has not seen yet; returns their ids. */")
	w.Block("public static List<String> applyMigrations(Connection connection) throws SQLException {", "}", func() {
		w.Line("return applyMigrations(connection, %s);", quote(g.Module.Project))
	})
	w.Blank()
	w.Block("public static List<String> applyMigrations(Connection connection, String project) throws SQLException {", "}", func() {
		w.Line("return applyMigrations(connection, project, false);")
	})
	w.Blank()
	w.Line("/** With dryRun the migrations run and are then rolled back. */")
	w.Block("public static List<String> applyMigrations(Connection connection, String project, boolean dryRun) throws SQLException {", "}", func() {
		w.Line("return ScoterMigrations.migrate(connection, %s, project, MIGRATIONS, dryRun);", g.engine)
	})
}

func (g *generator) query(q *emit.Query) {
	w := &g.w
	var params, args []string
	for i, p := range q.Params {
		params = append(params, g.javaType(p.Type)+" "+q.Args[i])
	}
	for _, i := range q.SQL.Binds {
		args = append(args, g.arg(q.Params[i].Type, q.Args[i]))
	}
	list := strings.Join(params, ", ")
	call := func(name string, extra ...string) string {
		return strings.Join(append(append([]string{quote(name), "Sql." + q.Method}, extra...), args...), ", ")
	}
	w.Blank()
	g.doc(q.Doc, "")
	if q.Verb == ir.VerbExec {
		w.Block("public int "+q.Method+"("+list+") throws SQLException {", "}", func() {
			if g.Module.Engine == ir.SQLite && !q.Counts() {
				w.Line("runtime.exec(%s);", call(q.Method))
				w.Line("return 0;")
				return
			}
			w.Line("return runtime.exec(%s);", call(q.Method))
		})
		if q.Batch == "" {
			return
		}
		w.Blank()
		w.Line("/** Runs %s once per element, all or nothing; returns each one's count of rows. */", q.Method)
		w.Block("public int[] "+q.Batch+"(Iterable<"+q.BatchRow+"> rows) throws SQLException {", "}", func() {
			var values []string
			for _, i := range q.SQL.Binds {
				values = append(values, g.arg(q.Params[i].Type, "r."+q.Args[i]+"()"))
			}
			w.Line("return runtime.batch(%s, Sql.%s, r -> new ScoterTypes.Arg<?>[] {%s}, rows);", quote(q.Batch), q.Method, strings.Join(values, ", "))
		})
		return
	}
	row, read := g.result(q)
	if q.Cardinality == ir.One {
		w.Block("public "+row+" "+q.Method+"("+list+") throws SQLException {", "}", func() { w.Line("return runtime.one(%s);", call(q.Method, read)) })
		return
	}
	w.Block("public List<"+row+"> "+q.Method+"("+list+") throws SQLException {", "}", func() { w.Line("return runtime.all(%s);", call(q.Method, read)) })
	if g.arrow {
		w.Blank()
		w.Line("/** The result of %s as Arrow record batches. */", q.Method)
		w.Block("public ScoterArrow "+q.Method+"Arrow("+list+") throws SQLException {", "}", func() {
			w.Line("return ScoterArrow.query(%s);", strings.Join(append([]string{"runtime", quote(q.Method + "Arrow"), "Sql." + q.Method}, args...), ", "))
		})
	}
	w.Blank()
	w.Line("/** The rows of %s one at a time. Close the stream. */", q.Method)
	w.Block("public Stream<"+row+"> "+q.Stream+"("+list+") throws SQLException {", "}", func() {
		w.Line("return %s(%s);", q.Stream, strings.Join(append(append([]string{}, q.Args...), "StreamOptions.DEFAULT"), ", "))
	})
	w.Blank()
	w.Block("public Stream<"+row+"> "+q.Stream+"("+strings.Join(append(params, "StreamOptions options_"), ", ")+") throws SQLException {", "}", func() {
		if q.ReadOnly {
			w.Line("return runtime.stream(%s);", call(q.Stream, read, "options_.fetchSize()"))
			return
		}
		// A statement that changes rows is run to its end before the first
		// row is given out.
		w.Line("return runtime.all(%s).stream();", call(q.Stream, read))
	})
}

func (g *generator) sql() {
	w := &g.w
	if len(g.Queries) == 0 {
		return
	}
	w.Blank()
	w.Block("private static final class Sql {", "}", func() {
		for _, q := range g.Queries {
			w.Line("static final String %s = %s;", q.Method, emit.QuoteBlock(emit.Java, q.SQL.Text, w.Indent(2)))
		}
	})
}

var verbs = map[ir.Op]string{
	ir.OpInsert: "Inserts all rows into %s; returns how many.",
	ir.OpUpdate: "Updates %s by key; returns the rows changed. Of several rows with one key the last wins.",
	ir.OpDelete: "Deletes from %s by key; returns the rows changed.",
	ir.OpUpsert: "Inserts into %s, or updates where the key exists; returns the rows written. Of several rows with one key the last wins.",
}

func (g *generator) op(t *emit.Table, op *emit.Op) {
	w := &g.w
	table := emit.DocText(emit.Java, t.Table.Table)
	helper := map[ir.Engine]string{ir.DuckDB: "ScoterDuckDb", ir.Postgres: "ScoterPostgres", ir.SQLite: "ScoterSqlite"}[g.Module.Engine]
	w.Blank()
	run := "return " + helper + ".bulk(runtime, Bulk." + op.Method + ", rows);"
	if g.Module.Engine == ir.SQLite {
		run = "return runtime.eachRow(Bulk." + op.Method + ", rows);"
	}
	if op.Op != ir.OpAppender {
		g.doc(nil, strings.ReplaceAll(verbs[op.Op], "%s", table))
		w.Block("public long "+op.Method+"(Iterable<"+op.RowType+"> rows) throws SQLException {", "}", func() { w.Line("%s", run) })
		return
	}
	g.doc(t.Doc, "Appends to "+table+"; close it to write the last rows.")
	w.Block("public "+helper+".Appender<"+op.RowType+"> "+op.Method+"() throws SQLException {", "}", func() {
		w.Line("return new %s.Appender<>(runtime, Bulk.%s);", helper, op.Method)
	})
	w.Blank()
	w.Line("/** Inserts all rows into %s. */", table)
	w.Block("public void bulkInsert"+op.RowType+"(Iterable<"+op.RowType+"> rows) throws SQLException {", "}", func() {
		w.Line("%s", strings.TrimPrefix(run, "return "))
	})
}
