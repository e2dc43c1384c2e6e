package typescript

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// query writes the TypeScript methods of a query.
func (g *generator) query(q *emit.Query) {
	var params, binds []string
	for i, p := range q.Params {
		params = append(params, q.Args[i]+": "+g.nullable(g.paramType(p.Type), p.Nullable))
	}
	for _, i := range q.SQL.Binds {
		binds = append(binds, g.bind(&q.Params[i], q.Args[i]))
	}
	list := strings.Join(params, ", ")
	g.w.Blank()
	g.doc(q.Doc, "")
	if g.Module.Engine == ir.SQLite {
		g.preparedMethod(q, list, strings.Join(binds, ", "))
	} else {
		g.runtimeMethod(q, list, g.args(q, q.Method, binds))
	}
	if q.Batch != "" {
		g.batch(q)
	}
	if q.Verb == ir.VerbQuery && q.Cardinality != ir.One {
		g.stream(q, list, binds)
	}
	if q.Arrow != "" {
		g.w.Blank()
		g.w.Line("/** The result of %s as the bytes of an Arrow IPC stream, which `RecordBatchReader.from` of apache-arrow reads. */", q.Method)
		g.w.Block(q.Arrow+"("+list+"): AsyncGenerator<Uint8Array, void, undefined> {", "}", func() {
			g.w.Line("return this.#rt.arrow(%s, SQL.%s, [%s]);", quote(q.Arrow), g.arrowName(q), strings.Join(binds, ", "))
		})
	}
}

// arrowName returns the name of the TypeScript constant that has the SQL of a query whose result is
// read as Arrow. In this SQL, no values need to be converted to text.
func (g *generator) arrowName(q *emit.Query) string {
	if g.ArrowSQL(q) != g.sql(q) {
		return q.Arrow
	}
	return q.Method
}

// args returns the arguments of a call of the runtime library for a query: name (the name of the
// generated method), the SQL, the values, and the function that reads a row. binds are the
// expressions for the values.
func (g *generator) args(q *emit.Query, name string, binds []string) string {
	args := quote(name) + ", SQL." + q.Method + ", [" + strings.Join(binds, ", ") + "]"
	if q.Verb == ir.VerbQuery {
		if _, read := g.result(q); read != "" {
			args += ", " + read
		}
	}
	return args
}

// runtimeMethod writes a TypeScript method whose body is one call of the runtime library. args are
// the arguments of this call.
func (g *generator) runtimeMethod(q *emit.Query, params, args string) {
	result, call := g.exec, "exec"
	if q.Verb == ir.VerbQuery {
		row, read := g.result(q)
		result, call = arrayOf(row), "all"+generic(row, read)
		if q.Cardinality == ir.One {
			result, call = row+" | undefined", "one"+generic(row, read)
		}
	}
	g.w.Block(q.Method+"("+params+"): "+g.promise(result)+" {", "}", func() { g.w.Line("return this.#rt.%s(%s);", call, args) })
}

// preparedMethod writes a TypeScript method for SQLite that prepares its statement in the first
// call, and reuses it in later calls. The method costs no more than a direct call of the driver.
func (g *generator) preparedMethod(q *emit.Query, params, binds string) {
	w := &g.w
	prepare := quote(q.Method) + ", SQL." + q.Method
	call := func(verb string) string {
		return "(this.#" + q.Method + " ??= this.#rt.prepare(" + prepare + "))." + verb + "(" + binds + ")"
	}
	// after writes a method with the given result type. The method returns a promise if the driver
	// is asynchronous, and otherwise the result itself. The function body writes the method's code.
	// It receives the text to write before each call of the driver: "await ", or "" if the driver
	// is synchronous.
	after := func(result string, body func(await string)) {
		if g.sync {
			w.Block(q.Method+"("+params+"): "+result+" {", "}", func() { body("") })
			return
		}
		w.Block("async "+q.Method+"("+params+"): Promise<"+result+"> {", "}", func() { body("await ") })
	}
	direct := func(verb, result string) {
		w.Block(q.Method+"("+params+"): "+g.promise(result)+" {", "}", func() { w.Line("return %s as %s;", call(verb), g.promise(result)) })
	}
	if q.Verb == ir.VerbExec {
		switch {
		case !q.Counts():
			after(g.exec, func(await string) { w.Line("return rt.ran(%s%s, false);", await, call("run")) })
		case g.safe:
			after(g.exec, func(await string) { w.Line("return rt.ran(%s%s);", await, call("run")) })
		default:
			direct("run", g.exec)
		}
		return
	}
	row, read := g.result(q)
	if q.Pluck && g.plucks {
		prepare += ", true"
		c := q.Columns[0]
		if read = ""; g.reader(c.Type) != "" {
			read = "(v) => " + g.read("v", c.Type, c.Nullable)
		}
	}
	switch {
	case q.Cardinality == ir.One && read == "":
		direct("get", row+" | undefined")
	case q.Cardinality == ir.One:
		after(row+" | undefined", func(await string) {
			// No parameter has the name $row, because the names of parameters have no dollar sign.
			w.Line("const $row = %s%s;", await, call("get"))
			w.Line("return $row === undefined ? undefined : %s;", apply(read, "$row as rt.Raw"))
		})
	case read == "":
		direct("all", arrayOf(row))
	default:
		after(arrayOf(row), func(await string) { w.Line("return (%s%s as rt.Raw[]).map(%s);", await, call("all"), read) })
	}
}

// batch writes the TypeScript method that runs a statement for many sets of parameters.
func (g *generator) batch(q *emit.Query) {
	w := &g.w
	w.Blank()
	w.Line("/** Runs %s %s; returns the rows changed. */", q.Method, g.BatchSemantics())
	rows := "rt.Rows<" + q.BatchRow + ">"
	if g.sync {
		rows = "Iterable<" + q.BatchRow + ">"
	}
	w.Block(q.Batch+"(rows: "+rows+"): "+g.promise("number")+" {", "}", func() {
		var values []string
		for _, i := range q.SQL.Binds {
			values = append(values, g.bind(&q.Params[i], "r."+q.Args[i]))
		}
		each := "(r: " + q.BatchRow + ") => [" + strings.Join(values, ", ") + "]"
		if g.Module.Engine == ir.SQLite {
			w.Line("return this.#rt.batch({ name: %s, sql: SQL.%s, values: %s }, rows);", quote(q.Batch), q.Method, each)
		} else {
			w.Line("return this.#rt.batch(%s, SQL.%s, %s, rows);", quote(q.Batch), q.Method, each)
		}
	})
}

// stream writes the TypeScript method that yields the rows of a query one after the other.
func (g *generator) stream(q *emit.Query, params string, binds []string) {
	w := &g.w
	row, read := g.result(q)
	kind, open := "AsyncGenerator", "async *"
	if g.sync {
		kind, open = "Generator", "*"
	}
	result := kind + "<" + row + ", void, undefined>"
	w.Blank()
	w.Line("/** The %s. */", q.StreamDoc())
	if q.ReadOnly {
		w.Block(q.Stream+"("+params+"): "+result+" {", "}", func() { w.Line("return this.#rt.stream%s(%s);", generic(row, read), g.args(q, q.Stream, binds)) })
		return
	}
	// A statement that changes rows is run to its end before the method returns the first row.
	w.Block(open+q.Stream+"("+params+"): "+result+" {", "}", func() {
		switch {
		case g.sync:
			w.Line("yield* this.%s(%s);", q.Method, strings.Join(q.Args, ", "))
		case g.Module.Engine == ir.SQLite:
			w.Line("yield* await this.%s(%s);", q.Method, strings.Join(q.Args, ", "))
		default:
			w.Line("yield* await this.#rt.all%s(%s);", generic(row, read), g.args(q, q.Stream, binds))
		}
	})
}

// generic returns the TypeScript type argument for a call of the runtime library. The argument read
// is the name of the function that converts the driver's rows. If there is such a function, generic
// returns "": only a call that returns the driver's rows unchanged needs the type argument.
func generic(row, read string) string {
	if read != "" {
		return ""
	}
	return "<" + row + ">"
}

// apply returns TypeScript code that calls a function with the argument v. The argument read is the
// name of this function, or an arrow function.
func apply(read, v string) string {
	if strings.Contains(read, "=>") {
		read = "(" + read + ")"
	}
	return read + "(" + v + ")"
}

// sql returns the SQL of a query for TypeScript. On Scoter it is changed so that values of some
// kinds are returned as text, because they have other forms in Scoter's results, which are JSON.
func (g *generator) sql(q *emit.Query) string {
	if g.Module.Engine == ir.Scoter && q.Statement == ir.StatementSelect {
		return emit.ColumnsAsText(q, ir.Interval, ir.JSON, ir.Blob, ir.Decimal)
	}
	return q.SQL.Text
}
