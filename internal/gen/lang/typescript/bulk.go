package typescript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

// bulks writes TypeScript constants that describe the module's bulk operations to the runtime
// library.
func (g *generator) bulks() {
	for _, t := range g.Tables {
		for _, op := range t.Ops {
			g.bulk(t, op)
		}
	}
}

func (g *generator) bulk(t *emit.Table, op *emit.Op) {
	w, b := &g.w, op.Bulk
	row := func(order []int) string {
		var values []string
		for _, i := range order {
			c := op.Row.Columns[i]
			f := g.writer(c.Type)
			if g.Module.Engine == ir.SQLite && c.Type.Kind == ir.Int64 {
				f = "rt.whole" // a type with INT in its name has the affinity INTEGER
			}
			f = g.inputWriter(c.Type, f)
			values = append(values, g.written(member("r", c.Name.Original), f, c.Type, c.Nullable))
		}
		return "(r) => [" + strings.Join(values, ", ") + "]"
	}
	all := make([]int, len(b.Columns))
	for i := range all {
		all[i] = i
	}
	// columns writes the names of the columns, and the code that finds the first null in a column
	// that is not nullable.
	columns := func(order []int) {
		var names []string
		missing := ""
		for _, i := range order {
			c := op.Row.Columns[i]
			names = append(names, quote(c.Name.Original))
			if !c.Nullable {
				missing += "rt.none(" + member("r", c.Name.Original) + ") ? " + quote(c.Name.Original) + " : "
			}
		}
		w.Line("columns: [%s],", strings.Join(names, ", "))
		w.Line("missing: (%s) => %sundefined,", map[bool]string{true: "r"}[missing != ""], missing)
	}
	w.Blank()
	w.Block("const "+op.Method+": rt.Bulk<"+op.RowType+"> = {", "};", func() {
		w.Line("name: %s,", quote(op.Method))
		if g.Module.Engine == ir.SQLite {
			w.Line("sql: %s,", block(b.Row))
			columns(b.RowOrder)
			w.Line("values: %s,", row(b.RowOrder))
			if before, behind, ok := b.MultiRow(); ok && !g.sync {
				w.Line("many: { before: %s, behind: %s },", block(before), block(behind))
			}
			return
		}
		if g.Module.Engine == ir.Scoter {
			var columns []string
			for _, c := range op.Row.Columns {
				columns = append(columns, quote(c.Name.Original))
			}
			w.Line("path: %s,", quote(emit.RowsPath(t.Table, op.Op)))
			w.Line("columns: [%s],", strings.Join(columns, ", "))
			g.packRow(op)
			return
		}
		if g.Module.Engine == ir.Postgres {
			target := b.Target
			if b.TempTable != "" {
				target = `"` + b.TempTable + `"`
			}
			w.Line("copy: %s,", block("COPY "+target+" FROM STDIN"))
			if one := emit.UnnestSQL(t.Table, op.Op, emit.DollarMark); one != "" {
				w.Line("unnest: %s,", block(one))
			}
		} else {
			w.Line("schema: %s,", schema(t))
			w.Line("table: %s,", quote(t.Table.Table))
			var types []string
			for _, i := range b.Columns {
				types = append(types, g.duckType(t.Columns[i].Type))
			}
			w.Line("types: [%s],", strings.Join(types, ", "))
		}
		columns(all)
		w.Line("values: %s,", row(all))
		g.stage(t, op)
	})
}

func schema(t *emit.Table) string {
	if t.Schema == "" {
		return "null"
	}
	return quote(t.Schema)
}

// stage writes the SQL statements for the temporary table of a bulk operation. On DuckDB, an insert
// that does not write every column also has a temporary table, because the appender needs a value
// for every column.
func (g *generator) stage(t *emit.Table, op *emit.Op) {
	w, b := &g.w, op.Bulk
	if b.TempTable == "" && (g.Module.Engine == ir.Postgres || len(b.Columns) == len(t.Columns)) {
		return
	}
	if b.TempTable == "" {
		b = emit.StagedInsert(t.Table, op.Op)
	}
	w.Block("stage: {", "},", func() {
		if g.Module.Engine != ir.Postgres {
			w.Line("table: %s,", block(b.TempTable))
		}
		w.Line("create: %s,", block(b.Create))
		// Only these operations need the statement that removes all but the last of several rows
		// with the same key. For the others, such rows do not change the result.
		if b.Deduplicate != "" && op.Op != ir.OpDelete && len(t.Set) > 0 {
			if g.Module.Engine == ir.Postgres {
				w.Line("dedupe: %s,", block(b.Deduplicate))
			} else {
				var key []string
				for _, i := range t.Key {
					key = append(key, strconv.Itoa(slices.Index(b.Columns, i)))
				}
				w.Line("dedupe: { key: [%s], sql: %s },", strings.Join(key, ", "), block(b.Deduplicate))
			}
		}
		w.Line("apply: %s,", block(b.Apply))
		w.Line("drop: %s,", block(b.Drop))
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
	w.Blank()
	if op.Op == ir.OpAppender {
		g.doc(t.Doc, "Appends to "+emit.DocText(emit.TypeScript, t.Table.Table)+"; close it to write the last rows.")
		result, expr := "rt.Appender<"+op.RowType+">", "this.#rt.appender("+op.Method+")"
		if g.Module.Engine == ir.DuckDB {
			w.Block("async "+op.Method+"(): Promise<"+result+"> {", "}", func() { w.Line("return %s;", expr) })
			return
		}
		w.Block(op.Method+"(): "+result+" {", "}", func() { w.Line("return %s;", expr) })
		return
	}
	g.doc(nil, strings.ReplaceAll(verbs[op.Op], "%s", emit.DocText(emit.TypeScript, t.Table.Table)))
	rows := "rt.Rows<" + op.RowType + ">"
	if g.sync {
		rows = "Iterable<" + op.RowType + ">"
	}
	w.Block(op.Method+"(rows: "+rows+"): "+g.promise("number")+" {", "}", func() { w.Line("return this.#rt.bulk(%s, rows);", op.Method) })
}

func block(s string) string { return emit.QuoteBlock(emit.TypeScript, s, "") }
