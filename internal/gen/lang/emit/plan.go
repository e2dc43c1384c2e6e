package emit

import (
	"path"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// Plan is a module with all names and SQL texts that a code generator prints. Everything that may
// fail happens while the plan is made, so that nothing fails while text is written.
type Plan struct {
	Module  *ir.Module
	Target  ir.Target
	Class   string
	Queries []*Query
	Tables  []*Table
	// Attach are the names of the generated methods that attach databases, one for each of
	// Module.Sources and in the same order.
	Attach []string
	types  map[string]string
}

// Query is a query with the names that its methods and types have in generated code.
type Query struct {
	*ir.Query
	Method string
	// Stream, Arrow, Raw, Batch and BatchRow are the names of further generated methods for the
	// query. A name is empty if the method does not exist.
	//   - Stream is the method that reads the rows of an `:all` query one after the other.
	//   - Arrow is the method that returns record batches.
	//   - Raw is the method that returns tuples (Python).
	//   - Batch is the method of a `:batch` statement, and BatchRow is the type of the elements
	//     that it takes. In Java code with the names of SQG, the generator that Scoter replaces, an
	//     element is the value of the only parameter.
	Stream, Arrow, Raw, Batch, BatchRow string
	// Args[i] is the name in generated code of the query's parameter i.
	Args []string
	SQL  SQL
}

// StreamDoc returns the text for the doc comment of the query's streaming method, which returns
// rows one at a time. If the query may change data, the text says that it is always run completely,
// even if few of its rows are read.
func (q *Query) StreamDoc() string {
	doc := "rows of " + q.Method + " one at a time"
	if !q.ReadOnly {
		doc += ", once all of them are there"
	}
	return doc
}

// Table is a table with the names that its bulk operations have in generated code.
type Table struct {
	*ir.Table
	Ops []*Op
}

// Op is a bulk operation on a table, with its names in generated code. Method is the name of the
// method. For an appender, it is a name such as createReadingsAppender.
type Op struct {
	Op     ir.Op
	Method string
	Bulk   Bulk
	Row    *ir.Row
	// Arrow is the name of the generated method that takes record batches, or "" if there is none.
	Arrow string
	// RowType is the name of the type of the rows that the operation takes. Appender is the name of
	// the appender's type, in a language that has one for each table.
	RowType, Appender string
}

// Options say what NewPlan must know about a language and its runtime library: which names are in
// use already, and which methods and types to generate in addition.
type Options struct {
	Language Language
	Style    Style
	// Types and Methods are names that generated types and generated methods must not have.
	Types, Methods []string
	// Raw and Arrow request the methods that are described at Query.Raw and Query.Arrow. ArrowBulk
	// requests bulk methods that take record batches. Appenders requests a type for each appender.
	Raw, Arrow, ArrowBulk, Appenders bool
}

// param returns the name of a parameter in generated code. For a project of SQG, the generator that
// Scoter replaces, that is the name as written in the SQL, if the language allows it. In Go, and
// for all other projects, it is the name in the language's letter case.
func (p *Plan) param(l Language, n ir.Name) string {
	if p.Target.Config.SQG && l != Go && IsIdentifier(l, n.Original) {
		return Identifier(l, n.Original)
	}
	return Param(l, n)
}

// RowType, EnumType and StructType return the name that a type of the module has in generated code.
// ref is the type's Ref, its identifier in the module.
func (p *Plan) RowType(ref string) string    { return p.types["row "+ref] }
func (p *Plan) EnumType(ref string) string   { return p.types["enum "+ref] }
func (p *Plan) StructType(ref string) string { return p.types["struct "+ref] }

// NewPlan chooses the names in generated code of everything in a module. The error is Invalid if
// two things would get the same name.
func NewPlan(m *ir.Module, t ir.Target, o Options) (*Plan, error) {
	if err := m.Validate(); err != nil {
		return nil, base.Errorf(base.Internal, "generate %s: %w", t.Generator, err)
	}
	l := o.Language
	p := &Plan{Module: m, Target: t, types: map[string]string{}}
	types := NewScope(o.Types...)
	p.Class = types.First("the class", Type(l, t.Name), Type(l, t.Name.With("queries")))
	if l == Java && !strings.HasSuffix(t.Output, "/") {
		// A public class of Java must have the same name as its file.
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
		if err == nil && q.Stream != "" && o.Arrow && !p.arrowUnsupported(q) {
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

// IsBatch reports whether the query gets a batch method, which runs it for many sets of parameters.
// A statement without parameters does not get one, because there is no reason to run it several
// times.
func (q *Query) IsBatch() bool { return q.Query.Batch && len(q.Params) > 0 }

// Counts reports whether the number that the driver returns after the statement is the number of
// rows that it changed. It is false for statements that never change rows, such as CREATE TABLE:
// for these, SQLite's drivers return the number of an earlier statement.
func (q *Query) Counts() bool {
	switch q.Statement {
	case ir.StatementInsert, ir.StatementUpdate, ir.StatementDelete, ir.StatementMerge:
		return true
	}
	return false
}

// File returns the path of the generated file. If the target's output is a folder, the file's name
// is the module's name, followed by extension. The argument name is the function that joins the
// words of the module's name in the letter case of file names.
func File(t ir.Target, name Case, extension string) string {
	if strings.HasSuffix(t.Output, "/") {
		return path.Join(t.Output, name(t.Name)+extension)
	}
	return path.Clean(t.Output)
}

// Header is the first line of every generated file, without comment markers.
const Header = "Generated by scoter generate. Do not edit: change the SQL and generate again."

// DocLines returns the lines of a doc comment in the language. It escapes text that would end the
// comment or have a meaning in it.
func DocLines(l Language, doc []string) []string {
	var lines []string
	for _, d := range doc {
		lines = append(lines, DocText(l, d))
	}
	return lines
}

// BatchSemantics returns a sentence for the doc comment of a generated batch method. It says
// whether the elements of a batch succeed or fail together.
func (p *Plan) BatchSemantics() string {
	if p.Module.Engine == ir.Scoter {
		return "once per element, each a transaction of its own: those before a failing one stay"
	}
	return "once per element, all or nothing"
}
