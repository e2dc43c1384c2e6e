package emit

import (
	"path"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Plan is a module with all names and SQL texts that a generator prints. Everything that cannot be
// generated is an error here, before any text is written.
type Plan struct {
	Module  *ir.Module
	Target  ir.Target
	Class   string
	Queries []*Query
	Tables  []*Table
	// Attach are the names of the methods that attach Module.Sources.
	Attach []string
	types  map[string]string
}

// Query is a query with its names.
type Query struct {
	*ir.Query
	Method string
	// The names of variants of the method. A name is empty if the variant does not exist.
	//
	//   - Stream is the lazy variant of an `:all` query.
	//   - Arrow returns record batches.
	//   - Raw is Python's variant with tuples.
	//   - Batch is the method of a `:batch` statement, and BatchRow is the type that it takes. A
	//     batch in SQG's Java takes the values of its only parameter.
	Stream, Arrow, Raw, Batch, BatchRow string
	// Args are the names of the parameters.
	Args []string
	SQL  SQL
}

// StreamDoc returns the doc comment of Stream. A query that may change data is always run
// completely, even if few of its rows are read.
func (q *Query) StreamDoc() string {
	doc := "rows of " + q.Method + " one at a time"
	if !q.ReadOnly {
		doc += ", once all of them are there"
	}
	return doc
}

// Table is a table with its operations.
type Table struct {
	*ir.Table
	Ops []*Op
}

// Op is a bulk operation. For an appender, Method is a name such as createReadingsAppender.
type Op struct {
	Op     ir.Op
	Method string
	Bulk   Bulk
	Row    *ir.Row
	// Arrow is the name of the variant that takes record batches, or "".
	Arrow string
	// RowType is the name of the operation's row type. Appender is the name of the appender's type,
	// in a language where each table has its own appender type.
	RowType, Appender string
}

// Options say which names a language and its runtime already use, and which variants they need.
type Options struct {
	Language Language
	Style    Style
	// Types and Methods are names that generated types and methods must not have.
	Types, Methods []string
	// Raw and Arrow request these variants of queries. ArrowBulk requests the Arrow variants of
	// bulk operations. Appenders requests a type for each appender.
	Raw, Arrow, ArrowBulk, Appenders bool
}

// param returns the name of a parameter. For SQG it is the name as written.
func (p *Plan) param(l Language, n ir.Name) string {
	if p.Target.Config.SQG && l != Go && IsIdentifier(l, n.Original) {
		return Identifier(l, n.Original)
	}
	return Param(l, n)
}

// RowType, EnumType and StructType return the name of a type, by its Ref in the module.
func (p *Plan) RowType(ref string) string    { return p.types["row "+ref] }
func (p *Plan) EnumType(ref string) string   { return p.types["enum "+ref] }
func (p *Plan) StructType(ref string) string { return p.types["struct "+ref] }

// NewPlan names everything in a module. The error is Invalid if two names become the same.
func NewPlan(m *ir.Module, t ir.Target, o Options) (*Plan, error) {
	if err := m.Validate(); err != nil {
		return nil, base.Errorf(base.Internal, "generate %s: %w", t.Generator, err)
	}
	l := o.Language
	p := &Plan{Module: m, Target: t, types: map[string]string{}}
	types := NewScope(o.Types...)
	p.Class = types.First("the class", Type(l, t.Name), Type(l, t.Name.With("queries")))
	if l == Java && !strings.HasSuffix(t.Output, "/") {
		// A public class in Java must have the name of its file.
		p.Class = strings.TrimSuffix(path.Base(t.Output), ".java")
		types.First("the class", p.Class)
	}
	name := func(kind, ref string, n ir.Name) {
		p.types[kind+" "+ref] = types.First(kind+" "+n.Original, Type(l, n), Type(l, n.With(kind)))
	}
	for _, e := range m.Enums {
		name("enum", e.Ref, e.Name)
	}
	for _, s := range m.Structs {
		name("struct", s.Ref, s.Name)
	}
	for _, r := range m.Rows {
		name("row", r.Ref, r.Name)
	}
	methods := NewScope(o.Methods...)
	for i := range m.Queries {
		q := &m.Queries[i]
		n := Method(l, q.Name)
		e := &Query{Query: q, Method: methods.First("query "+q.Name.Original, n, n+"_"), SQL: Render(q, o.Style)}
		if err := p.nameFields(e); err != nil {
			return nil, err
		}
		for _, a := range q.Params {
			e.Args = append(e.Args, p.param(l, a.Name))
		}
		p.Queries = append(p.Queries, e)
	}
	derive := func(owner string, n ir.Name, to *string) (err error) {
		*to, err = methods.Derived(owner, Method(l, n))
		return err
	}
	for _, q := range p.Queries {
		owner := "query " + q.Name.Original
		var err error
		if q.Verb == ir.VerbQuery && q.Cardinality == ir.All {
			err = derive(owner, q.Name.With("stream"), &q.Stream)
		}
		if err == nil && q.Stream != "" && o.Arrow && !p.arrowCannot(q) {
			err = derive(owner, q.Name.With("arrow"), &q.Arrow)
		}
		if err == nil && q.Verb == ir.VerbQuery && o.Raw {
			err = derive(owner, q.Name.With("raw"), &q.Raw)
		}
		if err == nil && q.Verb == ir.VerbExec && q.IsBatch() {
			err = derive(owner, q.Name.With("batch"), &q.Batch)
			if !t.Config.SQG || l != Java || len(q.Params) > 1 {
				q.BatchRow = types.First(owner, Type(l, q.Name.With("params")), Type(l, q.Name.With("batch", "params")))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range m.Tables {
		t := &m.Tables[i]
		table := &Table{Table: t}
		p.Tables = append(p.Tables, table)
		for _, op := range t.Ops {
			ref, n := t.InsertRow, ir.Name{Words: append([]string{string(op), "all"}, t.Name.Words...)}
			switch op {
			case ir.OpAppender:
				n = ir.Name{Words: append(append([]string{"create"}, t.Name.Words...), "appender")}
			case ir.OpUpdate:
				ref = t.UpdateRow
			case ir.OpDelete:
				ref = t.KeyRow
			}
			e := &Op{Op: op, Bulk: BulkSQL(m.Engine, t, op), Row: m.Row(ref), RowType: p.RowType(ref)}
			if err := derive("table "+t.Name.Original, n, &e.Method); err != nil {
				return nil, err
			}
			if o.ArrowBulk && op != ir.OpAppender {
				if err := derive("table "+t.Name.Original, n.With("arrow"), &e.Arrow); err != nil {
					return nil, err
				}
			}
			if op == ir.OpAppender && o.Appenders {
				e.Appender = types.First("table "+t.Name.Original, Type(l, t.Name.With("appender")), Type(l, t.Name.With("table", "appender")))
			}
			table.Ops = append(table.Ops, e)
		}
	}
	for _, s := range m.Sources {
		name := ""
		if err := derive("source "+s.Name.Original, ir.Name{Words: append([]string{"attach"}, s.Name.Words...)}, &name); err != nil {
			return nil, err
		}
		p.Attach = append(p.Attach, name)
	}
	return p, nil
}

// IsBatch reports whether the query gets a batch method. A statement without parameters does not,
// because there is no reason to run it several times.
func (q *Query) IsBatch() bool { return q.Query.Batch && len(q.Params) > 0 }

// Counts reports whether the statement changes a number of rows. For other statements, SQLite's
// drivers return the number of an earlier statement.
func (q *Query) Counts() bool {
	switch q.Statement {
	case ir.StatementInsert, ir.StatementUpdate, ir.StatementDelete, ir.StatementMerge:
		return true
	}
	return false
}

// File returns the path of the generated file. If the target's output is a file, it is that file.
// Otherwise it is a file in that folder, named after the module in the language's usual case, with
// the extension.
func File(t ir.Target, name Case, extension string) string {
	if strings.HasSuffix(t.Output, "/") {
		return path.Join(t.Output, name(t.Name)+extension)
	}
	return path.Clean(t.Output)
}

// Header is the first line of every generated file, without comment markers.
const Header = "Generated by scoter generate. Do not edit: change the SQL and generate again."

// DocLines returns the lines of a doc comment, escaped for the language.
func DocLines(l Language, doc []string) []string {
	var lines []string
	for _, d := range doc {
		lines = append(lines, DocText(l, d))
	}
	return lines
}

// PerElement returns the part of the doc comment of a batch method that says whether its elements
// succeed or fail together.
func (p *Plan) PerElement() string {
	if p.Module.Engine == ir.Scoter {
		return "once per element, each a transaction of its own: those before a failing one stay"
	}
	return "once per element, all or nothing"
}
