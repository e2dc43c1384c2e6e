package gen

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
	"github.com/scoterdb/scoter/tests/toolchain"
)

var javaOpen = map[ir.Engine]string{
	ir.SQLite:   `java.sql.DriverManager.getConnection("jdbc:sqlite::memory:")`,
	ir.DuckDB:   `java.sql.DriverManager.getConnection("jdbc:duckdb:")`,
	ir.Postgres: `Harness.postgres()`,
	ir.Scoter:   `new scoter_http.ScoterConnection(System.getenv("SCOTER_URL")).withDatabase(Harness.database(%s))`,
}

// testJava also checks that the code compiles without warnings.
func testJava(t *testing.T, cases []*testCase, pg *toolchain.Postgres) {
	bin, jars := toolchain.Java(t)
	dir := toolchain.Folder(t, "java")
	src, out := toolchain.Empty(t, filepath.Join(dir, "src")), toolchain.Empty(t, filepath.Join(dir, "out"))
	units := generate(t, cases, src, "java/sqlite/jdbc", "java/duckdb/jdbc", "java/duckdb/arrow", "java/postgres/jdbc", "java/scoter/http")
	toolchain.Copy(t, "runtime/java/Harness.java", filepath.Join(src, "Harness.java"))
	toolchain.Write(t, filepath.Join(src, "Main.java"), javaMain(units))
	toolchain.Write(t, filepath.Join(src, "Quotes.java"), javaQuotes(filepath.Join(src, "quotes")))
	var files []string
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".java") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	toolchain.Write(t, filepath.Join(dir, "files"), strings.Join(files, "\n"))
	toolchain.Javac(t, dir, bin, "--release", "17", "-Xlint:all,-processing,-serial", "-Werror", "-encoding", "UTF-8", "-cp", jars, "-d", out, "@files")
	java := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/java.nio=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", out + ":" + jars}
	if strings.Contains(toolchain.Run(t, dir, nil, filepath.Join(bin, "javac"), "-version"), "javac 17") {
		java = java[:2:2]
		java = append(java, "--add-opens=java.base/java.nio=ALL-UNNAMED", "-Dfile.encoding=UTF-8", "-cp", out+":"+jars)
	}
	// A time zone with daylight saving: it must not affect timestamps.
	check(t, units, toolchain.Run(t, dir, append(pg.Env(), "TZ=America/New_York"), filepath.Join(bin, "java"), append(java, "Main")...))
	checkQuotes(t, toolchain.Run(t, dir, nil, filepath.Join(bin, "java"), append(java, "Quotes")...))
}

// javaQuotes writes one class for each 200 texts, because a class file has at most 65,535
// constants, and a method at most 65,535 bytes.
func javaQuotes(dir string) string {
	var main strings.Builder
	main.WriteString("final class Quotes {\n  public static void main(String[] args) {\n")
	for from := 0; from < len(nasty); from += 200 {
		var w emit.Writer
		w.Block(fmt.Sprintf("final class Quotes%d {", from), "}", func() {
			w.Block("static void run() {", "}", func() {
				for _, s := range nasty[from:min(from+200, len(nasty))] {
					w.Line("// %s", strings.Map(func(r rune) rune {
						if r == '\u2028' || r == '\u2029' {
							return ' '
						}
						return r
					}, emit.DocText(emit.Java, s[:min(len(s), 200)])))
					for _, q := range []string{emit.Quote(emit.Java, s), emit.QuoteBlock(emit.Java, s, "        ")} {
						w.Line("System.out.println(java.util.HexFormat.of().formatHex(%s.getBytes(java.nio.charset.StandardCharsets.UTF_8)));", q)
					}
				}
			})
		})
		os.MkdirAll(dir, 0o755)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("Quotes%d.java", from)), []byte(w.String()), 0o644); err != nil {
			panic(err)
		}
		fmt.Fprintf(&main, "    Quotes%d.run();\n", from)
	}
	return main.String() + "  }\n}\n"
}

func javaMain(units []*unit) string {
	var w emit.Writer
	q := func(s string) string { return emit.Quote(emit.Java, s) }
	w.Block("public final class Main {", "}", func() {
		w.Block("public static void main(String[] args) throws Exception {", "}", func() {
			for i := range units {
				w.Line("unit%d();", i)
			}
		})
		for i, u := range units {
			_, engine, _ := u.parts()
			open := javaOpen[engine]
			if engine == ir.Scoter {
				open = fmt.Sprintf(open, q("java_"+u.name))
			}
			class := u.folder() + "." + u.plan.Class
			w.Block(fmt.Sprintf("static void unit%d() throws Exception {", i), "}", func() {
				w.Line("Harness.begun = Harness.ended = 0;")
				w.Line("var db = %s;", open)
				w.Line("var observed = new %s(db, name -> { Harness.begun++; return (rows, error) -> Harness.ended++; });", class)
				w.Line("var plain = new %s(db);", class)
				w.Block("Harness.report("+q(u.id())+", -1, () -> {", "});", func() {
					for _, s := range u.baseline {
						w.Line("Harness.execute(db, %s);", q(s))
					}
					w.Line("return null;")
				})
				for n, c := range u.calls {
					if !c.runs(u.target.id) {
						continue
					}
					w.Block(fmt.Sprintf("Harness.report(%s, %d, () -> {", q(u.id()), n), "});", func() {
						w.Line("var queries = %s;", [2]string{"observed", "plain"}[n%2])
						javaCall(&w, u, c, class)
					})
					if method := u.arrow(c); method != nil {
						w.Block(fmt.Sprintf("Harness.report(%s, \"%d/arrow\", () -> {", q(u.id()), n), "});", func() {
							w.Line("var queries = %s;", [2]string{"observed", "plain"}[n%2])
							read := map[ir.Engine]string{ir.DuckDB: "Harness.batches(result.root(), result.reader(), result::loadNextBatch)", ir.Scoter: "Harness.bytes(result)"}
							w.Line("try (var result = queries.%s(%s)) { return %s; }", method.Arrow, javaArgs(u, class, method.Query, c.Args), read[u.module.Engine])
						})
					}
				}
				w.Line("Harness.report(%s, -2, () -> Harness.begun == Harness.ended && Harness.begun > 0);", q(u.id()))
				if engine != ir.Scoter { // there is nothing to close
					w.Line("observed.close();")
					w.Line("plain.close();")
					w.Line("db.close();")
				}
			})
		}
	})
	return w.String()
}

func javaCall(w *emit.Writer, u *unit, c call, class string) {
	args := func(name string, raw []json.RawMessage) string { return javaArgs(u, class, u.query(name), raw) }
	records := func(name string, types []ir.Type) string {
		var rows []string
		for _, r := range c.Rows {
			var fields []string
			for i, raw := range r {
				fields = append(fields, javaLiteral(u, class, types[i], scalars(raw)))
			}
			rows = append(rows, "new "+class+"."+name+"("+strings.Join(fields, ", ")+")")
		}
		return "java.util.List.of(" + strings.Join(rows, ", ") + ")"
	}
	switch {
	case c.SQL != "":
		on := "db"
		if u.module.Engine == ir.Scoter {
			on = emit.Quote(emit.Java, "java_"+u.name)
		}
		w.Line("Harness.execute(%s, %s);", on, emit.Quote(emit.Java, c.SQL))
		w.Line("return null;")
	case c.Migrate && c.DryRun:
		w.Line("return %s.applyMigrations(db, %s, true);", class, emit.Quote(emit.Java, u.module.Project))
	case c.Migrate:
		w.Line("return %s.applyMigrations(db);", class)
	case c.Call != "":
		w.Line("return queries.%s(%s);", u.queryPlan(c.Call).Method, args(c.Call, c.Args))
	case c.Stream != "":
		w.Line("return Harness.take(queries.%s(%s), %d);", u.queryPlan(c.Stream).Stream, args(c.Stream, c.Args), c.Take)
	case c.Rollback != "":
		w.Block("try {", "} catch (Harness.Rollback e) {", func() {
			w.Block("queries.transaction(() -> {", "});", func() {
				w.Line("queries.%s(%s);", u.queryPlan(c.Rollback).Method, args(c.Rollback, c.Args))
				w.Line("if (true) throw new Harness.Rollback();")
				w.Line("return null;")
			})
		})
		w.Line(`    return "rolled back";`)
		w.Line("}")
		w.Line(`return "committed";`)
	case c.Batch != "":
		q := u.queryPlan(c.Batch)
		var types []ir.Type
		for _, p := range q.Params {
			types = append(types, p.Type)
		}
		w.Line("return queries.%s(%s);", q.Batch, records(q.BatchRow, types))
	case c.Table != "":
		op := u.op(c.Table, c.Op)
		var types []ir.Type
		for _, col := range op.Row.Columns {
			types = append(types, col.Type)
		}
		if c.Op == ir.OpAppender {
			w.Line("try (var appender = queries.%s()) { appender.appendMany(%s); }", op.Method, records(op.RowType, types))
			w.Line("return null;")
			return
		}
		if c.In != "" {
			w.Line("long[] n = {0};")
			w.Block("try {", "} catch (Harness.Rollback e) {", func() {
				w.Block("queries.transaction(() -> {", "});", func() {
					w.Line("n[0] = queries.%s(%s);", op.Method, records(op.RowType, types))
					w.Line("if (%v) throw new Harness.Rollback();", c.In == "rollback")
					w.Line("return null;")
				})
			})
			w.Line("    return n[0];")
			w.Line("}")
			w.Line("return n[0];")
			return
		}
		w.Line("return queries.%s(%s);", op.Method, records(op.RowType, types))
	}
}

// javaArgs returns the arguments of a call.
func javaArgs(u *unit, class string, q *ir.Query, raw []json.RawMessage) string {
	var out []string
	for i, p := range q.Params {
		out = append(out, javaLiteral(u, class, p.Type, scalars(raw[i])))
	}
	return strings.Join(out, ", ")
}

func javaLiteral(u *unit, class string, t ir.Type, v any) string {
	if v == nil {
		return "null"
	}
	call := func(f string) string { return f + "(" + emit.Quote(emit.Java, text(v)) + ")" }
	switch t.Kind {
	case ir.Bool:
		return fmt.Sprint(v)
	case ir.Int8:
		return "(byte) " + text(v)
	case ir.Int16, ir.Uint8:
		return "(short) " + text(v)
	case ir.Int32, ir.Uint16:
		return text(v)
	case ir.Int64, ir.Uint32:
		return text(v) + "L"
	case ir.Int128, ir.Uint64, ir.Uint128:
		return call("new java.math.BigInteger")
	case ir.Float32:
		return text(v) + "f"
	case ir.Float64:
		return text(v) + "d"
	case ir.Decimal:
		return call("new java.math.BigDecimal")
	case ir.Blob:
		return call("java.util.HexFormat.of().parseHex")
	case ir.UUID:
		return call("java.util.UUID.fromString")
	case ir.Date:
		return call("java.time.LocalDate.parse")
	case ir.Time:
		return call("java.time.LocalTime.parse")
	case ir.TimeTZ:
		return call("java.time.OffsetTime.parse")
	case ir.Timestamp:
		return call("java.time.LocalDateTime.parse")
	case ir.TimestampTZ:
		return call("java.time.OffsetDateTime.parse")
	case ir.Interval:
		p := v.([]any)
		return fmt.Sprintf("new %s.ScoterInterval(%s, %s, %sL)", u.folder(), p[0], p[1], p[2])
	case ir.EnumKind:
		return call(class + "." + u.plan.EnumType(t.Ref) + ".fromValue")
	case ir.List, ir.Array:
		items := v.([]any)
		if len(items) == 0 {
			return "java.util.List.of()"
		}
		var out []string
		for _, e := range items {
			out = append(out, javaLiteral(u, class, *t.Elem, e))
		}
		if len(items) == 1 && items[0] == nil {
			return "java.util.Collections.singletonList(null)"
		}
		return "java.util.Arrays.asList(" + strings.Join(out, ", ") + ")"
	case ir.StructKind:
		var out []string
		for i, f := range u.module.Struct(t.Ref).Fields {
			out = append(out, javaLiteral(u, class, f.Type, v.([]any)[i]))
		}
		return "new " + class + "." + u.plan.StructType(t.Ref) + "(" + strings.Join(out, ", ") + ")"
	case ir.Map:
		var out []string
		for _, e := range v.([]any) {
			pair := e.([]any)
			out = append(out, "Harness.entry("+javaLiteral(u, class, *t.Key, pair[0])+", "+javaLiteral(u, class, *t.Elem, pair[1])+")")
		}
		return "Harness.map(java.util.List.of(" + strings.Join(out, ", ") + "))"
	case ir.Any:
		if n, ok := v.(json.Number); ok {
			return string(n)
		}
	}
	return emit.Quote(emit.Java, text(v))
}
