// Package java generates Java 17 code for a module: a class with a typed method for each query, and
// the row types as nested records. The generated code uses the runtime library in clients/java.
package java

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/clients"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// maxFields is the maximum number of components of a generated record. Its constructor has a
// parameter for each component, and the JVM allows 255 parameters, including `this`. For queries
// the maximum is one less, because a query's streaming method has an additional parameter.
const maxFields = 254

// defaultPackage is the Java package of generated code if the configuration does not name one. It
// is the same as in SQG, the generator that Scoter replaces.
const defaultPackage = "sqg.generated"

type generator struct {
	*emit.Plan
	w     emit.Writer
	types *pool
	// engine is the constant in the runtime library that stands for the database. It is not used
	// for Scoter, which has a separate runtime.
	engine string
	arrow  bool
}

// Plan chooses the Java names of everything in a module. The error is Invalid if the target's
// driver is unknown, or if two things would get the same name.
func Plan(m *ir.Module, t ir.Target) (*emit.Plan, error) {
	style := emit.Dollar
	switch string(t.Engine) + "/" + t.Driver {
	case "sqlite/jdbc":
		style = emit.Question
	case "postgres/jdbc":
		style = emit.QuestionJDBC
	case "duckdb/jdbc", "duckdb/arrow":
	case "scoter/http":
		style = emit.Wire
	default:
		return nil, base.Errorf(base.Invalid, "unknown generator %s", t.Generator)
	}
	for _, part := range strings.Split(cmp.Or(t.Config.Package, defaultPackage), ".") {
		if !emit.IsIdentifier(emit.Java, part) {
			return nil, base.Errorf(base.Invalid, "%q cannot be the name of a Java package", t.Config.Package)
		}
	}
	if class, file := strings.CutSuffix(path.Base(t.Output), ".java"); file && !emit.IsIdentifier(emit.Java, class) {
		return nil, base.Errorf(base.Invalid, "%s cannot be a Java file: invalid class name %q", t.Output, class)
	}
	if err := checkJVMLimits(m); err != nil {
		return nil, err
	}
	return emit.NewPlan(m, t, emit.Options{Language: emit.Java, Style: style, Appenders: true, Arrow: t.Driver == "arrow" || t.Engine == ir.Scoter,
		Types: append(runtimeClasses(), strings.Fields(`Object String Boolean Byte Short Integer Long Float Double Number Iterable List Map Stream Override
			SuppressWarnings Record Enum Class System Thread Exception RuntimeException SQLException Connection UUID BigDecimal BigInteger LocalDate LocalTime
			LocalDateTime OffsetTime OffsetDateTime StreamOptions Sql Read Bulk Types Work Math Void Character Throwable Error Comparable Deprecated Arrays
			HashMap ArrowReader IllegalArgumentException Statement Array Struct Nullable NullMarked`)...),
		Methods: strings.Fields("getMigrations applyMigrations transaction close runtime withRoute")})
}

// checkJVMLimits returns an error if a module needs a record or a method with more parameters than
// the JVM allows.
func checkJVMLimits(m *ir.Module) error {
	for _, r := range m.Rows {
		if len(r.Columns) > maxFields {
			return base.Errorf(base.Invalid, "the rows %s have %d columns, but a Java record has at most %d: select fewer", r.Name.Original, len(r.Columns), maxFields)
		}
	}
	for _, s := range m.Structs {
		if len(s.Fields) > maxFields {
			return base.Errorf(base.Invalid, "the type %s has %d fields, but a Java record has at most %d", s.Name.Original, len(s.Fields), maxFields)
		}
	}
	for _, q := range m.Queries {
		if len(q.Params) >= maxFields {
			return base.Errorf(base.Invalid, "query %s has %d parameters, but a Java method has at most %d", q.Name.Original, len(q.Params), maxFields-1)
		}
	}
	return nil
}

// runtimeClasses returns the names of the classes of the runtime library. A generated class cannot
// have such a name, because it may be in the same folder.
func runtimeClasses() []string {
	files, err := clients.Files.ReadDir("java")
	if err != nil {
		panic(err) // cannot happen: the folder is embedded in the program
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".java"))
	}
	return names
}

// Generate returns the generated Java class and the files of the runtime library.
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
	runtime := []string{"SqgObserver", "ScoterObserved", "ScoterRuntime", "ScoterCursor", "ScoterMigrations", "ScoterTypes", "ScoterTimeTypes", "ScoterTimes", "ScoterNested", "ScoterRowException", "ScoterValues", "ScoterText", "ScoterInterval"}
	if len(m.Tables) > 0 {
		runtime = append(runtime, "ScoterFailure")
		switch m.Engine {
		case ir.DuckDB:
			runtime = append(runtime, "ScoterDuckDb", "ScoterDuckDbStatement", "ScoterDuplicate", "ScoterDuckDbNative", "ScoterDuckDbSource", "ScoterBatches", "ScoterHashes", "ScoterHeap", "ScoterKeys", "ScoterNative", "ScoterNestedVector", "ScoterSortedLookup", "ScoterSortedRows", "ScoterVector", "ScoterVectorLoop")
			if slices.ContainsFunc(g.Tables, g.stagedAppender) {
				runtime = append(runtime, "ScoterAppender")
			}
		case ir.Postgres:
			runtime = append(runtime, "ScoterPostgres", "ScoterCopy", "ScoterCopyBuffer", "ScoterCopyFixed", "ScoterCopyKeys", "ScoterCopyNumeric", "ScoterCopyPlan", "ScoterCopyRow", "ScoterCopyType", "ScoterHashes", "ScoterPostgresError", "ScoterUnnest")
		case ir.SQLite:
			runtime = append(runtime, "ScoterAppender", "ScoterSqlite")
		case ir.Scoter:
			runtime = append(runtime, "ScoterAppender")
		}
	}
	if g.http() {
		runtime = append(runtime, "ScoterConnection", "ScoterException", "ScoterHttp", "ScoterJson", "ScoterPack")
	}
	if g.arrow {
		runtime = append(runtime, "ScoterArrow", "ScoterHeldBatches")
		if len(m.Tables) > 0 {
			runtime = append(runtime, "ScoterArrowBulk")
		}
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
	return cmp.Or(g.Target.Config.Package, defaultPackage)
}

// http reports whether generated code sends statements to a Scoter server over HTTP. Otherwise it
// uses a JDBC driver.
func (g *generator) http() bool { return g.Module.Engine == ir.Scoter }

// connection returns the Java type of the connection that the constructor of the generated class
// takes.
func (g *generator) connection() string {
	if g.http() {
		return "ScoterConnection"
	}
	return "Connection"
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
	if g.Target.Config.JSpecify {
		w.Line("import org.jspecify.annotations.NullMarked;")
		w.Line("import org.jspecify.annotations.Nullable;")
	}
	w.Blank()
	w.Line("/** Typed methods for the SQL in %s. */", emit.DocText(emit.Java, strings.Join(g.Module.Files, ", ")))
	// The annotation suppresses warnings about unused imports, and about unchecked casts of nested
	// values.
	w.Line(`@SuppressWarnings({"unused", "unchecked"})`)
	if g.Target.Config.JSpecify {
		w.Line("@NullMarked")
	}
	runtime, open, closes := "ScoterRuntime", "new ScoterRuntime(connection, "+g.engine+", observer)", " implements AutoCloseable"
	if g.http() {
		runtime, open, closes = "ScoterHttp", "new ScoterHttp(connection, observer)", ""
	}
	w.Block("public final class "+g.Class+closes+" {", "}", func() {
		w.Line("private final %s runtime;", runtime)
		if g.helper() != "" {
			w.Line("private final %s route;", g.route())
		}
		w.Blank()
		w.Block("public "+g.Class+"("+g.connection()+" connection) {", "}", func() { w.Line("this(connection, null);") })
		w.Blank()
		w.Line("/** With an observer that sees every operation, or null. */")
		w.Block("public "+g.Class+"("+g.connection()+" connection, "+g.orNull("SqgObserver", true)+" observer) {", "}", func() {
			if g.helper() != "" {
				w.Line("this(%s, (%s.Route) null);", open, g.helper())
				return
			}
			w.Line("this.runtime = %s;", open)
		})
		if g.helper() != "" {
			g.withRoute()
		}
		if !g.http() {
			g.streamOptions()
		}
		g.declarations()
		g.migrations()
		if !g.http() { // on Scoter each statement is a transaction of its own
			g.transaction()
		}
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

func (g *generator) streamOptions() {
	w := &g.w
	w.Blank()
	w.Line("/** How a stream is read: rows that the driver fetches at a time, 0 for its default. */")
	w.Block("public record StreamOptions(int fetchSize) {", "}", func() {
		w.Line("public static final StreamOptions DEFAULT = new StreamOptions(0);")
		w.Blank()
		w.Block("public StreamOptions withFetchSize(int fetchSize) {", "}", func() { w.Line("return new StreamOptions(fetchSize);") })
	})
}

func (g *generator) transaction() {
	w := &g.w
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
					w.Indented("List.of(", func() {
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
	w.Block("public static List<String> applyMigrations("+g.connection()+" connection) throws SQLException {", "}", func() {
		w.Line("return applyMigrations(connection, %s);", quote(g.Module.Project))
	})
	w.Blank()
	w.Block("public static List<String> applyMigrations("+g.connection()+" connection, String project) throws SQLException {", "}", func() {
		if g.http() {
			w.Line("return ScoterHttp.migrate(connection, project, MIGRATIONS);")
			return
		}
		w.Line("return applyMigrations(connection, project, false);")
	})
	if g.http() { // a dry run of migrations needs a transaction
		return
	}
	w.Blank()
	w.Line("/** With dryRun the migrations run and are then rolled back. */")
	w.Block("public static List<String> applyMigrations(Connection connection, String project, boolean dryRun) throws SQLException {", "}", func() {
		w.Line("return ScoterMigrations.migrate(connection, %s, project, MIGRATIONS, dryRun);", g.engine)
	})
}

// query writes the Java methods of a query. In their code, fields of the class are written with
// `this`, because parameters may have the same names.
func (g *generator) query(q *emit.Query) {
	w := &g.w
	var params, args []string
	for i, p := range q.Params {
		params = append(params, g.orNull(g.javaType(p.Type), p.Nullable)+" "+q.Args[i])
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
				w.Line("this.runtime.exec(%s);", call(q.Method))
				w.Line("return 0;")
				return
			}
			w.Line("return this.runtime.exec(%s);", call(q.Method))
		})
		if q.Batch == "" {
			return
		}
		w.Blank()
		w.Line("/** Runs %s %s; returns each one's count of rows. */", q.Method, g.BatchSemantics())
		element, value := q.BatchRow, func(i int) string { return "r." + q.Args[i] + "()" }
		if element == "" {
			element, value = g.javaType(q.Params[0].Type), func(int) string { return "r" }
		}
		w.Block("public int[] "+q.Batch+"(Iterable<"+element+"> rows) throws SQLException {", "}", func() {
			var values []string
			for _, i := range q.SQL.Binds {
				values = append(values, g.arg(q.Params[i].Type, value(i)))
			}
			w.Line("return this.runtime.batch(%s, Sql.%s, r -> new ScoterTypes.Arg<?>[] {%s}, rows);", quote(q.Batch), q.Method, strings.Join(values, ", "))
		})
		return
	}
	row, reader := g.result(q)
	if q.Cardinality == ir.One {
		w.Block("public "+g.orNull(row, true)+" "+q.Method+"("+list+") throws SQLException {", "}", func() { w.Line("return this.runtime.one(%s);", call(q.Method, reader)) })
		return
	}
	if q.Pluck {
		row = g.orNull(row, q.Columns[0].Nullable)
	}
	w.Block("public List<"+row+"> "+q.Method+"("+list+") throws SQLException {", "}", func() { w.Line("return this.runtime.all(%s);", call(q.Method, reader)) })
	if q.Arrow != "" {
		g.arrowQuery(q, list, args)
	}
	w.Blank()
	w.Line("/** The %s. Close the stream. */", q.StreamDoc())
	read := call(q.Stream, reader)
	if g.http() {
		w.Block("public Stream<"+row+"> "+q.Stream+"("+list+") throws SQLException {", "}", func() { w.Line("return %s;", g.stream(q, read)) })
		return
	}
	w.Block("public Stream<"+row+"> "+q.Stream+"("+list+") throws SQLException {", "}", func() {
		w.Line("return %s(%s);", q.Stream, strings.Join(append(append([]string{}, q.Args...), "StreamOptions.DEFAULT"), ", "))
	})
	w.Blank()
	w.Block("public Stream<"+row+"> "+q.Stream+"("+strings.Join(append(params, "StreamOptions options_"), ", ")+") throws SQLException {", "}", func() {
		if q.ReadOnly {
			read = call(q.Stream, reader, "options_.fetchSize()")
		}
		w.Line("return %s;", g.stream(q, read))
	})
}

// stream returns a Java expression that streams the rows of a query. call is the call that runs the
// query. A statement that changes rows is run to its end before the first row is returned.
func (g *generator) stream(q *emit.Query, call string) string {
	if q.ReadOnly {
		return "this.runtime.stream(" + call + ")"
	}
	return "this.runtime.all(" + call + ").stream()"
}

func (g *generator) sql() {
	w := &g.w
	if len(g.Queries) == 0 {
		return
	}
	w.Blank()
	w.Block("private static final class Sql {", "}", func() {
		for _, q := range g.Queries {
			w.Line("static final String %s = %s;", q.Method, emit.QuoteBlock(emit.Java, g.text(q), w.Indent(2)))
			if q.Arrow != "" && g.ArrowSQL(q) != g.text(q) {
				w.Line("static final String %s = %s;", q.Arrow, emit.QuoteBlock(emit.Java, g.ArrowSQL(q), w.Indent(2)))
			}
		}
	})
}

// text returns the SQL of a query for Java. It is changed so that some values are returned as text:
//
//   - JSON of Scoter, which would be a part of the JSON of Scoter's results.
//   - Intervals and bytes of Scoter, which have special forms in these results.
//   - Timestamps of DuckDB inside of other values. If they have a time zone, DuckDB's driver
//     returns them as local time, which is ambiguous once a year. If they have none, it leaves out
//     the era (BC).
func (g *generator) text(q *emit.Query) string {
	switch {
	case g.http() && q.ReadOnly:
		return emit.ColumnsAsText(q, ir.Interval, ir.JSON, ir.Blob)
	case g.Module.Engine == ir.DuckDB && q.ReadOnly:
		return g.InnerTimestampsAsText(q)
	}
	return q.SQL.Text
}
