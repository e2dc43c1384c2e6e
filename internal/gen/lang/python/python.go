// Package python generates Python 3.11 code for a module: a class with a typed method for each
// query, and the row types as dataclasses. The generated code uses the runtime library in
// clients/python.
package python

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/clients"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
)

var runtimes = map[string]struct {
	module string
	style  emit.Style
	// others are further modules of the runtime library, which the runtime's module for this driver
	// imports.
	others []string
}{
	"sqlite/sqlite3":   {"scoter_sqlite", emit.Question, nil},
	"duckdb/duckdb":    {"scoter_duckdb", emit.Dollar, []string{"scoter_arrow"}},
	"postgres/psycopg": {"scoter_postgres", emit.Percent, []string{"scoter_copy"}},
	"scoter/http":      {"scoter_http", emit.Wire, []string{"scoter_arrow", "scoter_pack"}},
}

type generator struct {
	*emit.Plan
	w       emit.Writer
	runtime string
}

// Plan chooses the Python names of everything in a module. The error is Invalid if the target's
// driver is unknown, or if two things would get the same name.
func Plan(m *ir.Module, t ir.Target) (*emit.Plan, error) {
	rt, ok := runtimes[string(t.Engine)+"/"+t.Driver]
	if !ok {
		return nil, base.Errorf(base.Invalid, "unknown generator %s", t.Generator)
	}
	if module, file := strings.CutSuffix(path.Base(t.Output), ".py"); file && !emit.IsIdentifier(emit.Python, module) {
		return nil, base.Errorf(base.Invalid, "%s cannot be imported: invalid module name %q", t.Output, module)
	}
	plan, err := emit.NewPlan(m, t, emit.Options{Language: emit.Python, Style: rt.style, Raw: true, Arrow: slices.Contains(rt.others, "scoter_arrow"),
		Types:   strings.Fields("Any Iterable Iterator Sequence AbstractContextManager Mapping Exception Decimal"),
		Methods: strings.Fields("get_migrations apply_migrations transaction")})
	if err != nil {
		return nil, err
	}
	kind, loses := map[ir.Engine]ir.Kind{ir.DuckDB: ir.Interval, ir.Scoter: ir.JSON}[t.Engine]
	if !loses {
		return plan, nil
	}
	return plan, plan.CheckText("Python", kind, func(q *emit.Query) bool { return q.ReadOnly })
}

// fileOf returns the path of the generated Python module. If the file has the name of the SQL file,
// the name is changed so that Python can import it.
func fileOf(t ir.Target) string {
	name := emit.File(t, ir.Name.Snake, ".py")
	module := strings.TrimSuffix(path.Base(name), ".py")
	if strings.HasSuffix(t.Output, "/") && !emit.IsIdentifier(emit.Python, module) {
		return path.Join(path.Dir(name), emit.Identifier(emit.Python, module)+".py")
	}
	return name
}

// Generate returns the generated Python module and the modules of the runtime library.
func Generate(m *ir.Module, t ir.Target) ([]ir.File, error) {
	p, err := Plan(m, t)
	if err != nil {
		return nil, err
	}
	rt := runtimes[string(t.Engine)+"/"+t.Driver]
	g := &generator{Plan: p, runtime: rt.module}
	g.module()
	name := fileOf(t)
	files := []ir.File{{Path: name, Content: g.w.String()}}
	for _, f := range append([]string{"scoter_runtime", "scoter_values", g.runtime}, rt.others...) {
		source, err := clients.Files.ReadFile("python/" + f + ".py")
		if err != nil {
			return nil, base.Errorf(base.Internal, "generate %s: %w", t.Generator, err)
		}
		files = append(files, ir.File{Path: path.Join(path.Dir(name), f+".py"), Content: string(source)})
	}
	return files, nil
}

func quote(s string) string { return emit.Quote(emit.Python, s) }
func block(s string) string { return emit.QuoteBlock(emit.Python, s, "") }

func (g *generator) doc(doc []string, fallback string) {
	lines := emit.DocLines(emit.Python, doc)
	if len(lines) == 0 {
		if fallback == "" {
			return
		}
		lines = []string{fallback}
	}
	if len(lines) == 1 {
		g.w.Line(`"""%s"""`, lines[0])
		return
	}
	g.w.Line(`"""%s`, lines[0])
	for _, l := range lines[1:] {
		g.w.Line("%s", l)
	}
	g.w.Line(`"""`)
}

func (g *generator) module() {
	w := &g.w
	w.Line("# %s", emit.Header)
	w.Line("from __future__ import annotations")
	w.Blank()
	for _, i := range []string{"import datetime as _datetime", "import decimal as _decimal", "import enum as _enum", "import uuid as _uuid",
		"from collections.abc import Iterable, Iterator, Sequence", "from contextlib import AbstractContextManager", "from dataclasses import dataclass",
		"from typing import TYPE_CHECKING, Any"} {
		w.Line("%s", i)
	}
	w.Blank()
	w.Indented("if TYPE_CHECKING or __package__:", func() { w.Line("from . import %s as rt", g.runtime) })
	w.Indented("else:", func() { w.Line("import %s as rt", g.runtime) })
	w.Blank()
	w.Line("_set = rt.set_field")
	g.declarations()
	g.migrations()
	g.functions()
	w.Line("")
	w.Line("")
	g.class()
	g.bulks()
}

func (g *generator) migrations() {
	w := &g.w
	w.Line("")
	w.Line("")
	w.Block("_MIGRATIONS: tuple[rt.Migration, ...] = (", ")", func() {
		for _, m := range g.Module.Migrations {
			w.Block("rt.Migration(", "),", func() {
				w.Line("id=%s,", quote(m.ID))
				w.Line("checksum=%s,", quote(m.Checksum))
				w.Block("statements=(", "),", func() {
					for _, s := range m.Statements {
						w.Line("%s,", block(s))
					}
				})
			})
		}
	})
}

func (g *generator) class() {
	w := &g.w
	w.Indented("class "+g.Class+":", func() {
		w.Line(`"""Typed methods for the SQL in %s."""`, emit.DocText(emit.Python, strings.Join(g.Module.Files, ", ")))
		w.Blank()
		w.Indented("def __init__(self, conn: rt.Connection, observer: rt.Observer | None = None) -> None:", func() {
			w.Line("self._rt = rt.Runtime(conn, observer)")
		})
		w.Blank()
		w.Line("@staticmethod")
		w.Indented("def get_migrations() -> list[str]:", func() {
			w.Line(`"""The SQL of all migrations, in order."""`)
			w.Line(`return [";\n".join(m.statements) + ";" for m in _MIGRATIONS]`)
		})
		if g.Target.Config.Migrations {
			w.Blank()
			w.Line("@staticmethod")
			w.Indented("def apply_migrations(conn: rt.Connection, project_name: str = "+quote(g.Module.Project)+", dry_run: bool = False) -> list[str]:", func() {
				w.Line(`"""Applies the migrations that the database has not seen yet; returns their ids.`)
				w.Line("")
				w.Line(`With dry_run they run and are then rolled back."""`)
				w.Line("return rt.apply_migrations(conn, project_name, _MIGRATIONS, dry_run)")
			})
		}
		for i, s := range g.Module.Sources {
			w.Blank()
			w.Line("@staticmethod")
			w.Indented("def "+g.Attach[i]+"(conn: rt.Connection, dsn: str) -> None:", func() {
				w.Line(`"""Attaches the PostgreSQL database %s."""`, emit.DocText(emit.Python, s.Name.Original))
				w.Line("rt.attach_postgres(conn, %s, dsn)", quote(s.SQLName))
			})
		}
		if g.Module.Engine != ir.Scoter { // on Scoter each statement is a transaction of its own
			g.transaction()
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

func (g *generator) transaction() {
	w := &g.w
	w.Blank()
	w.Indented("def transaction(self) -> AbstractContextManager[None]:", func() {
		w.Line(`"""A block that is committed at its end and rolled back by an exception."""`)
		w.Line("return self._rt.transaction()")
	})
}

// values returns a Python expression for the values that a query binds: a dict for psycopg, and a
// sequence for all other drivers. arg returns the expression for parameter i.
func (g *generator) values(q *emit.Query, arg func(int) string) string {
	var out []string
	for _, i := range q.SQL.Binds {
		v := g.bind(&q.Params[i], arg(i))
		if g.Module.Engine == ir.Postgres {
			v = fmt.Sprintf("\"p%d\": %s", i+1, v)
		}
		out = append(out, v)
	}
	if g.Module.Engine == ir.Postgres {
		return "{" + strings.Join(out, ", ") + "}"
	}
	return g.sequence(out)
}

// sequence returns a Python expression for values that are bound by position. It is a list or, for
// SQLite, a form that the driver binds faster.
func (g *generator) sequence(values []string) string {
	list := strings.Join(values, ", ")
	switch {
	case g.Module.Engine != ir.SQLite:
		return "[" + list + "]"
	case len(values) == 1:
		return "(" + list + ",)"
	}
	return "(" + list + ")"
}

func (g *generator) query(q *emit.Query) {
	w := &g.w
	params := []string{"self"}
	for i, p := range q.Params {
		params = append(params, q.Args[i]+": "+g.nullable(g.paramType(p.Type), p.Nullable))
	}
	list := strings.Join(params, ", ")
	values := g.values(q, func(i int) string { return q.Args[i] })
	method := func(name, result string, doc []string, fallback, body string) {
		w.Blank()
		w.Indented("def "+name+"("+list+") -> "+result+":", func() {
			g.doc(doc, fallback)
			w.Line("%s", body)
		})
	}
	sql := "_SQL_" + q.Method
	if q.Verb == ir.VerbExec {
		method(q.Method, "int", q.Doc, "", fmt.Sprintf("return self._rt.exec(%s, %s, %s)", quote(q.Method), sql, values))
		if q.Batch == "" {
			return
		}
		w.Blank()
		w.Indented("def "+q.Batch+"(self, rows: Iterable["+q.BatchRow+"]) -> int:", func() {
			w.Line(`"""Runs %s %s; returns the rows changed."""`, q.Method, g.BatchSemantics())
			w.Line("return self._rt.batch(%s, %s, lambda r: %s, rows)", quote(q.Batch), sql, g.values(q, func(i int) string { return "r." + q.Args[i] }))
		})
		return
	}
	row, read := g.result(q)
	if q.Cardinality == ir.One {
		method(q.Method, g.nullable(strings.TrimSuffix(row, " | None"), true), q.Doc, "", fmt.Sprintf("return self._rt.one(%s, %s, %s, %s)", quote(q.Method), sql, values, g.maker(q)))
		method(q.Raw, "tuple[Any, ...] | None", nil, "The row as the driver returns it.", fmt.Sprintf("return self._rt.fetch_one(%s, %s)", sql, values))
		return
	}
	method(q.Method, "list["+row+"]", q.Doc, "", fmt.Sprintf("return self._rt.all(%s, %s, %s, %s)", quote(q.Method), sql, values, read))
	stream := fmt.Sprintf("return self._rt.stream(%s, %s, %s, %s)", quote(q.Stream), sql, values, read)
	if !q.ReadOnly {
		// A statement that changes rows is run to its end before the method returns the first row.
		stream = fmt.Sprintf("return iter(self._rt.all(%s, %s, %s, %s))", quote(q.Stream), sql, values, read)
	}
	method(q.Stream, "Iterator["+row+"]", nil, "The "+q.StreamDoc()+".", stream)
	method(q.Raw, "list[tuple[Any, ...]]", nil, "The rows as the driver returns them.", fmt.Sprintf("return self._rt.fetch(%s, %s)", sql, values))
	if q.Arrow != "" {
		if g.ArrowSQL(q) != g.sql(q) {
			sql = "_SQL_" + q.Arrow
		}
		method(q.Arrow, "rt.RecordBatches", nil, "The rows of "+q.Method+" as a reader of pyarrow, which must be installed.",
			fmt.Sprintf("return self._rt.arrow(%s, %s, %s)", quote(q.Arrow), sql, values))
	}
}

var verbs = map[ir.Op]string{
	ir.OpInsert: "Inserts all rows into %s; returns how many.",
	ir.OpUpdate: "Updates %s by key; returns the rows changed. Of several rows with one key the last wins.",
	ir.OpDelete: "Deletes from %s by key; returns the rows changed.",
	ir.OpUpsert: "Inserts into %s, or updates where the key exists; returns the rows written. Of several rows with one key the last wins.",
}

func (g *generator) op(t *emit.Table, op *emit.Op) {
	w := &g.w
	table := emit.DocText(emit.Python, t.Table.Table)
	w.Blank()
	if op.Op == ir.OpAppender {
		w.Indented("def "+op.Method+"(self) -> rt.Appender["+op.RowType+"]:", func() {
			g.doc(t.Doc, "Appends to "+table+": close it, or leave its block, to write the last rows.")
			w.Line("return rt.Appender(lambda rows: self._rt.bulk(_BULK_%s, rows))", op.Method)
		})
		return
	}
	rows, parameter, argument := "Iterable["+op.RowType+"]", "", ""
	if g.Module.Engine == ir.DuckDB || g.Module.Engine == ir.Scoter {
		rows += " | rt.ArrowStream"
	}
	if g.Module.Engine == ir.DuckDB || g.Module.Engine == ir.Postgres {
		parameter, argument = ", *, route: rt.Route | None = None", ", route"
	}
	w.Indented("def "+op.Method+"(self, rows: "+rows+parameter+") -> int:", func() {
		g.doc(nil, strings.ReplaceAll(verbs[op.Op], "%s", table))
		w.Line("return self._rt.bulk(_BULK_%s, rows%s)", op.Method, argument)
	})
}

func (g *generator) bulks() {
	for _, t := range g.Tables {
		for _, op := range t.Ops {
			g.bulk(t, op)
		}
	}
}

func (g *generator) bulk(t *emit.Table, op *emit.Op) {
	w, b := &g.w, op.Bulk
	var values, lists, columns []string
	order := b.RowOrder
	if order == nil {
		for i := range b.Columns {
			order = append(order, i)
		}
	}
	for n, i := range order {
		c := op.Row.Columns[i]
		// The generated code does not check for None here: in a column that is not nullable, the
		// database refuses it.
		field := emit.Field(emit.Python, c.Name)
		value := g.write("r."+field, c.Type, true)
		switch {
		case g.Module.Engine == ir.DuckDB && c.Type.Kind == ir.Uint128:
			// The driver binds numbers above 2^127 as floating point numbers, so they are passed as
			// text.
			value = "rt.opt(rt.to_text, r." + field + ")"
		case g.Module.Engine == ir.Postgres && c.Type.Kind == ir.Timestamp:
			value = "rt.opt(rt.to_local, r." + field + ")"
		case g.Module.Engine == ir.Postgres && c.Type.Kind == ir.TimestampTZ:
			value = "rt.opt(rt.to_instant, r." + field + ")"
		}
		values = append(values, value)
		lists = append(lists, fmt.Sprintf("unnest(CAST($%d AS %s[]))", n+1, t.Columns[b.Columns[i]].Type.Native))
		columns = append(columns, quote(c.Name.Original))
	}
	sql, target := b.Row, ""
	switch g.Module.Engine {
	case ir.DuckDB:
		sql = "SELECT " + strings.Join(lists, ", ")
		if b.TempTable == "" {
			target = b.Target
			b = emit.StagedInsert(t.Table, op.Op)
		}
	case ir.Postgres:
		sql = unnest(t.Table, op.Op)
		if op.Op == ir.OpDelete || len(t.Set) == 0 {
			b.Deduplicate = "" // several rows with the same key give the same result
		}
	case ir.Scoter:
		sql = emit.RowsPath(t.Table, op.Op)
	}
	w.Line("")
	w.Line("")
	kind := "Bulk"
	if g.Module.Engine == ir.SQLite {
		kind = "EachRow"
	}
	w.Block("_BULK_"+op.Method+" = rt."+kind+"["+op.RowType+"](", ")", func() {
		w.Line("name=%s,", quote(op.Method))
		w.Line("sql=%s,", block(sql))
		if g.Module.Engine == ir.SQLite {
			w.Line("values=lambda rows: (%s for r in rows),", g.sequence(values))
			return
		}
		w.Line("values=lambda r: %s,", g.sequence(values))
		if g.Module.Engine == ir.Scoter {
			w.Line("columns=(%s,),", strings.Join(columns, ", "))
			return
		}
		if g.Module.Engine == ir.DuckDB {
			if target != "" {
				w.Line("target=%s,", block(target))
			}
			g.arrow(t, op)
		}
		if g.Module.Engine == ir.Postgres {
			g.copy(t, op)
		}
		if b.TempTable == "" {
			return
		}
		w.Block("stage=rt.Stage(", "),", func() {
			for _, f := range [][2]string{{"table", b.TempTable}, {"create", b.Create}, {"dedupe", b.Deduplicate}, {"apply", b.Apply}, {"drop", b.Drop}} {
				value := "None"
				if f[1] != "" {
					value = block(f[1])
				}
				w.Line("%s=%s,", f[0], value)
			}
		})
	})
}
