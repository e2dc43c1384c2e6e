package java

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

var verbs = map[ir.Op]string{
	ir.OpInsert: "Inserts all rows into %s; returns how many.",
	ir.OpUpdate: "Updates %s by key; returns the rows changed. Of several rows with one key the last wins.",
	ir.OpDelete: "Deletes from %s by key; returns the rows changed.",
	ir.OpUpsert: "Inserts into %s, or updates where the key exists; returns the rows written. Of several rows with one key the last wins.",
}

// helper returns the class of the runtime library for bulk operations, for a driver with several
// ways to write in bulk. It returns "" if there is only one way.
func (g *generator) helper() string {
	if len(g.Tables) == 0 {
		return ""
	}
	return map[ir.Engine]string{ir.DuckDB: "ScoterDuckDb", ir.Postgres: "ScoterPostgres"}[g.Module.Engine]
}

// route returns the Java type of a route, which is one of several ways to write in bulk. The value
// null means that a bulk method chooses its route by the number of rows.
func (g *generator) route() string {
	return g.helper() + "." + g.orNull("Route", true) // the annotation must be at the inner name
}

// withRoute writes the Java method withRoute. The Java method returns a copy of the generated
// object that writes in bulk in another way, its route.
func (g *generator) withRoute() {
	w := &g.w
	route := g.route()
	w.Blank()
	w.Block("private "+g.Class+"(ScoterRuntime runtime, "+route+" route) {", "}", func() {
		w.Line("this.runtime = runtime;")
		w.Line("this.route = route;")
	})
	w.Blank()
	w.Line("/** The same queries with bulk methods that take a route, or with null choose theirs by the number of rows. */")
	w.Block("public "+g.Class+" withRoute("+route+" route) {", "}", func() { w.Line("return new %s(runtime, route);", g.Class) })
}

func (g *generator) op(t *emit.Table, op *emit.Op) {
	w := &g.w
	table := emit.DocText(emit.Java, t.Table.Table)
	w.Blank()
	call, appender := "runtime.bulk(Bulk."+op.Method+", rows)", "ScoterAppender"
	open := "new ScoterAppender<>(rows -> " + call + ")"
	switch g.Module.Engine {
	case ir.SQLite:
		call = "ScoterSqlite.bulk(runtime, Bulk." + op.Method + ", rows)"
		open = "new ScoterAppender<>(rows -> " + call + ")"
	case ir.DuckDB, ir.Postgres:
		helper := g.helper()
		call, appender = helper+".bulk(runtime, route, Bulk."+op.Method+", rows)", helper+".Appender"
		if g.staged(t, op) {
			appender, open = "ScoterAppender", "new ScoterAppender<>(rows -> "+call+")"
			break
		}
		open = "new " + appender + "<>(runtime, " + map[ir.Engine]string{ir.Postgres: "route, "}[g.Module.Engine] + "Bulk." + op.Method + ")"
	}
	if op.Op != ir.OpAppender {
		g.doc(nil, strings.ReplaceAll(verbs[op.Op], "%s", table))
		w.Block("public long "+op.Method+"(Iterable<"+op.RowType+"> rows) throws SQLException {", "}", func() { w.Line("return %s;", call) })
		if g.arrow {
			g.arrowBulk(op)
		}
		return
	}
	g.doc(t.Doc, "Appends to "+table+"; close it to write the last rows.")
	w.Block("public "+op.Appender+" "+op.Method+"() throws SQLException {", "}", func() { w.Line("return new %s(%s);", op.Appender, open) })
	w.Blank()
	w.Line("/** Inserts all rows into %s. */", table)
	w.Block("public void bulkInsert"+emit.Type(emit.Java, t.Name.With("row"))+"(Iterable<"+op.RowType+"> rows) throws SQLException {", "}", func() { w.Line("%s;", call) })
	g.appender(op, appender+"<"+op.RowType+">")
}

// appender writes the Java class that appends rows to a table. Its users give a row as an object,
// or as the values of its fields.
func (g *generator) appender(op *emit.Op, runtime string) {
	w := &g.w
	var params, args []string
	for _, c := range op.Row.Columns {
		name := emit.Field(emit.Java, c.Name)
		params, args = append(params, g.component(op.Row, c)+" "+name), append(args, name)
	}
	method := func(name, params, call string) {
		w.Blank()
		w.Block("public "+op.Appender+" "+name+"("+params+") throws SQLException {", "}", func() {
			w.Line("%s;", call)
			w.Line("return this;")
		})
	}
	w.Blank()
	w.Line("/** Appends rows until it is closed, which writes the last of them. */")
	w.Block("public static final class "+op.Appender+" implements AutoCloseable {", "}", func() {
		w.Line("private final %s appender_;", runtime)
		w.Blank()
		w.Block("private "+op.Appender+"("+runtime+" appender) {", "}", func() { w.Line("this.appender_ = appender;") })
		method("append", op.RowType+" row", "appender_.append(row)")
		method("append", strings.Join(params, ", "), "appender_.append(new "+op.RowType+"("+strings.Join(args, ", ")+"))")
		method("appendMany", "Iterable<"+op.RowType+"> rows", "appender_.appendMany(rows)")
		w.Blank()
		w.Line("/** Hands what is waiting to the database. */")
		w.Block("public "+op.Appender+" flush() throws SQLException {", "}", func() {
			w.Line("appender_.flush();")
			w.Line("return this;")
		})
		w.Blank()
		w.Line("@Override")
		w.Block("public void close() throws SQLException {", "}", func() { w.Line("appender_.close();") })
	})
}

func (g *generator) bulks() {
	w := &g.w
	if len(g.Tables) == 0 {
		return
	}
	w.Blank()
	w.Block("private static final class Bulk {", "}", func() {
		for _, t := range g.Tables {
			for _, op := range t.Ops {
				g.bulk(t, op)
			}
		}
	})
}

// staged reports whether an operation on DuckDB writes through a temporary table. It does so if it
// does not write all columns of the table. DuckDB's appender needs a value for every column, and
// its appendDefault supports only constant defaults.
func (g *generator) staged(t *emit.Table, op *emit.Op) bool {
	return g.Module.Engine == ir.DuckDB && op.Bulk.TempTable == "" && len(op.Bulk.Columns) < len(t.Columns)
}

// stagedAppender reports whether a table has an appender that writes through a temporary table.
func (g *generator) stagedAppender(t *emit.Table) bool {
	return slices.ContainsFunc(t.Ops, func(op *emit.Op) bool { return op.Op == ir.OpAppender && g.staged(t, op) })
}

func (g *generator) bulk(t *emit.Table, op *emit.Op) {
	w, b := &g.w, op.Bulk
	if g.staged(t, op) {
		b = emit.StagedInsert(t.Table, op.Op)
	}
	text := func(s string) string {
		if s == "" {
			return "null"
		}
		return emit.QuoteBlock(emit.Java, s, w.Indent(2))
	}
	order := b.RowOrder
	if order == nil {
		for i := range b.Columns {
			order = append(order, i)
		}
	}
	if g.http() {
		g.packBulk(t, op)
		return
	}
	inKey := map[int]bool{}
	for _, i := range t.Key {
		inKey[i] = true
	}
	var columns []string
	for n, i := range order {
		c := op.Row.Columns[i]
		column := fmt.Sprintf("ScoterTypes.column(%s, %s, %s::%s)", quote(t.Columns[b.Columns[i]].Name.Original), g.codec(c.Type), op.RowType, emit.Field(emit.Java, c.Name))
		if !c.Nullable {
			column += ".notNull()"
		}
		if inKey[b.Columns[i]] {
			column += ".inKey()"
		}
		columns = append(columns, column+map[bool]string{true: "))", false: ","}[n == len(order)-1])
	}
	columns[len(columns)-1] += map[bool]string{true: ",", false: ";"}[g.Module.Engine == ir.Postgres]
	statement := b.Row
	if g.Module.Engine == ir.Postgres {
		statement = emit.UnnestSQL(t.Table, op.Op, emit.QuestionMark)
	}
	w.Blank()
	class, before := "ScoterRuntime.Bulk", ""
	if g.Module.Engine == ir.Postgres {
		class, before = "ScoterPostgres.Operation", "new ScoterRuntime.Bulk<>("
	}
	w.Indented("static final "+class+"<"+op.RowType+"> "+op.Method+" = new "+class+"<>("+before, func() {
		w.Line("    %s,", quote(op.Method))
		w.Line("    %s,", text(t.Schema))
		w.Line("    %s,", quote(t.Table.Table))
		w.Line("    %s,", quote(t.SQLName))
		w.Line("    %s,", text(statement))
		if b.TempTable == "" {
			w.Line("    null,")
		} else {
			w.Line("    new ScoterRuntime.Stage(")
			for i, s := range []string{b.TempTable, b.Create, b.Deduplicate, b.Apply, b.Drop} {
				w.Line("        %s%s", text(s), map[bool]string{true: "),", false: ","}[i == 4])
			}
		}
		w.Line("    List.of(")
		for _, c := range columns {
			w.Line("        %s", c)
		}
		if g.Module.Engine == ir.Postgres {
			g.copyRow(op, order)
		}
	})
}

// copyRow writes Java code that writes a row in the binary form of PostgreSQL's COPY. The most
// common kinds of values have methods of their own.
func (g *generator) copyRow(op *emit.Op, order []int) {
	w := &g.w
	w.Line("    (to, row) -> {")
	for n, i := range order {
		c := op.Row.Columns[i]
		value := "row." + emit.Field(emit.Java, c.Name) + "()"
		if method := copyMethods[c.Type.Kind]; method != "" && (c.Type.Kind != ir.Timestamp || c.Type.Unit == "" || c.Type.Unit == "us") {
			w.Line("        to.%s(%s);", method, value)
		} else {
			w.Line("        to.value(%d, %s);", n, value)
		}
	}
	w.Line("    });")
}

// packBulk writes the Java method of a bulk operation for Scoter. The method sends the rows as
// MessagePack columns, and contains the code that packs them.
func (g *generator) packBulk(t *emit.Table, op *emit.Op) {
	w := &g.w
	var names []string
	for _, c := range op.Row.Columns {
		names = append(names, quote(c.Name.Original))
	}
	w.Blank()
	w.Indented("static final ScoterHttp.Bulk<"+op.RowType+"> "+op.Method+" = new ScoterHttp.Bulk<>(", func() {
		w.Line("    %s,", quote(op.Method))
		w.Line("    %s,", quote(emit.RowsPath(t.Table, op.Op)))
		w.Line("    List.of(%s),", strings.Join(names, ", "))
		w.Line("    (to, row) -> {")
		for i, c := range op.Row.Columns {
			value := "row." + emit.Field(emit.Java, c.Name) + "()"
			if method := packMethods[c.Type.Kind]; method != "" {
				w.Line("        to[%d].%s(%s);", i, method, value)
			} else {
				w.Line("        to[%d].value(%s, %s);", i, g.codec(c.Type), value)
			}
		}
		w.Line("    });")
	})
}

// packMethods are the methods of the runtime's class ScoterPack that write a value as MessagePack,
// by kind. They do not box values.
var packMethods = map[ir.Kind]string{
	ir.Bool: "bool", ir.Int8: "int8", ir.Int16: "int16", ir.Int32: "int32", ir.Int64: "int64", ir.Uint8: "int16", ir.Uint16: "int32", ir.Uint32: "int64",
	ir.Float32: "float32", ir.Float64: "float64", ir.Decimal: "decimal", ir.Text: "string", ir.JSON: "string", ir.UUID: "uuid", ir.Date: "date",
	ir.Timestamp: "timestamp", ir.TimestampTZ: "timestamptz",
}

// copyMethods are the methods of the runtime's class ScoterCopyRow that write a value in the binary
// form of PostgreSQL's COPY, by kind.
var copyMethods = map[ir.Kind]string{
	ir.Bool: "bool", ir.Int16: "int16", ir.Int32: "int32", ir.Int64: "int64", ir.Float32: "float32", ir.Float64: "float64", ir.Decimal: "decimal",
	ir.Text: "text", ir.UUID: "uuid", ir.Date: "date", ir.Timestamp: "timestamp", ir.TimestampTZ: "timestamptz",
}
