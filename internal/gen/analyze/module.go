package analyze

import (
	"fmt"
	"sort"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Module makes one module from SQL files of the entry of the configuration that was analysed. If no
// files are given, it takes all files of the entry. If names in generated code conflict, the
// conflicts are added to list, and the module is nil. The returned error means a defect of the
// analysis.
func (r *Result) Module(list *diag.List, files ...*sqlfile.File) (*ir.Module, error) {
	if len(files) == 0 {
		files = r.input.Files
	}
	m := &ir.Module{
		FormatVersion: ir.FormatVersion, Project: r.input.Project, Engine: r.input.Engine,
		EngineVersion: r.version, Sources: r.input.Sources, Files: []string{},
	}
	a := &moduleBuilder{result: r, module: m, list: list, names: newNames(m, r.input), namedRows: map[*sqlfile.Block]string{}}
	var blocks []*sqlfile.Block
	for _, f := range files {
		m.Files = append(m.Files, f.Text.Name)
		blocks = append(blocks, f.Blocks...)
	}
	for _, b := range blocks {
		if b.Kind == sqlfile.Migrate {
			m.Migrations = append(m.Migrations, r.migration(b))
		}
	}
	a.methodNames(blocks)
	a.explicitRows(blocks)
	a.tables(blocks)
	a.queries(blocks)
	if list.HasErrors() {
		return nil, nil
	}
	a.names.finish()
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("assemble %s: %w", strings.Join(m.Files, ", "), err)
	}
	return m, nil
}

type moduleBuilder struct {
	result *Result
	module *ir.Module
	list   *diag.List
	names  *names
	// namedRows has, for each query with the annotation `:result=Name`, the Ref of the row type
	// Name.
	namedRows map[*sqlfile.Block]string
}

// methodNames reports queries whose generated methods would have the same name. It considers all
// methods of a query, also those for streaming and for batches.
func (a *moduleBuilder) methodNames(blocks []*sqlfile.Block) {
	taken := map[string]*sqlfile.Block{}
	claim := func(b *sqlfile.Block, key, form string) {
		other := taken[key]
		if other == nil {
			taken[key] = b
			return
		}
		place := fmt.Sprintf("%s:%d", other.Pos().File, other.Pos().Line)
		d := b.NameErrorf(diag.DuplicateName, "%s%s and %s (%s) become the same method", b.Name, form, other.Name, place)
		if b.Name == other.Name {
			d = b.NameErrorf(diag.DuplicateName, "%s already exists, at %s", b.Name, place)
		}
		a.list.Add(d.Suggest("rename one of them"))
	}
	for _, b := range blocks {
		if b.Kind == sqlfile.Query || b.Kind == sqlfile.Exec {
			claim(b, ir.NewName(b.Name).Key(), "")
		}
	}
	for _, b := range blocks {
		key := ir.NewName(b.Name).Key()
		if taken[key] != b {
			continue
		}
		if b.Kind == sqlfile.Query && !b.One {
			claim(b, key+"stream", "'s streaming form")
		}
		if b.Kind == sqlfile.Exec && b.Batch {
			claim(b, key+"batch", "'s batch form")
		}
	}
	tables := map[string]*sqlfile.Block{}
	for _, b := range blocks {
		if b.Kind != sqlfile.Table && b.Kind != sqlfile.Write {
			continue
		}
		if a.result.tables[b] == nil {
			continue // an error of this block was reported before
		}
		key := a.tableName(b).Key()
		if other := tables[key]; other != nil && a.result.tables[b].info.SQLName != a.result.tables[other].info.SQLName {
			a.list.Add(b.NameErrorf(diag.DuplicateName, "%s and %s are different tables with the same name in code", b.Name, other.Name).
				Suggest("name one differently and put the table's name on the next line"))
		}
		tables[key] = b
	}
}

// columns converts the columns of a block's result to columns of package ir. found are the columns
// as the engine reports them.
func (a *moduleBuilder) columns(b *sqlfile.Block, found []ColumnInfo) []ir.Column {
	out := make([]ir.Column, 0, len(found))
	for _, c := range found {
		name := ir.NewName(c.Name)
		if c.nameless() {
			name.Words = []string{"value"} // the only column of a result needs no better name
		}
		out = append(out, ir.Column{
			Name: name, Nullable: c.Nullable, Origin: c.Origin,
			Type: a.names.typ(c.Type, b.Name+"_"+c.Name),
		})
	}
	return out
}

// explicitRows declares the row types whose names the user chose with `:result=`.
func (a *moduleBuilder) explicitRows(blocks []*sqlfile.Block) {
	for _, b := range blocks {
		q := a.result.queries[b]
		if b.Result == "" || b.Kind != sqlfile.Query || q == nil {
			continue
		}
		columns := withoutOrigin(a.columns(b, q.found.Columns))
		ref, clash := a.names.explicitRow(ir.NewName(b.Result), columns)
		if a.namedRows[b] = ref; clash != "" {
			a.list.Add(b.NameErrorf(diag.WrongShape, ":result=%s %s", b.Result, clash).Suggest("give one of them another name"))
		}
	}
}

func describeRow(columns []ir.Column) string {
	var parts []string
	for _, c := range columns {
		part := c.Name.Original + " " + string(c.Type.Kind)
		if !c.Nullable {
			part += " not null"
		}
		parts = append(parts, part)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// queries adds the described QUERY and EXEC blocks to the module as queries.
func (a *moduleBuilder) queries(blocks []*sqlfile.Block) {
	for _, b := range blocks {
		q := a.result.queries[b]
		if q == nil {
			continue
		}
		out := ir.Query{
			Name: ir.NewName(b.Name), Verb: ir.VerbExec, Batch: b.Batch, Pluck: b.Pluck,
			Statement: q.found.Statement, ReadOnly: q.found.ReadOnly, Doc: b.Doc,
			Segments: q.template.Segments(), Source: b.AttachedTo, Pos: b.Pos(),
		}
		for i, p := range q.template.Params {
			info := q.found.Params[i]
			param := ir.Param{
				Name: ir.NewName(p.Name), Type: a.names.typ(info.Type, b.Name+"_"+p.Name), Nullable: q.nullable[i],
				In: q.template.In[i], Binding: ir.BindValue,
			}
			if info.AnyNumber {
				param.Binding = ir.BindNumber
			}
			if param.In {
				param.Type.ElemNullable = false
				if a.module.Engine == ir.SQLite {
					param.Binding = ir.BindJSON
					if param.Type.Elem != nil && param.Type.Elem.Kind == ir.Blob {
						at := b.Set(p.Name).Offset
						a.list.Add(b.Errorf(diag.WrongShape, at, at+len(p.Name), "%s is a list of BLOB, which SQLite does not support: lists are passed as JSON, and JSON has no bytes", p.Name).
							Suggest("compare their text: hex(column) IN a list of TEXT"))
					}
				}
			}
			for j := range out.Segments {
				if s := &out.Segments[j]; s.Kind == ir.ParamRef && s.Param == i {
					s.Cast = info.Cast
				}
			}
			out.Params = append(out.Params, param)
		}
		a.paramNames(b, out.Params)
		if b.Kind == sqlfile.Query {
			out.Verb, out.Cardinality = ir.VerbQuery, ir.All
			if b.One {
				out.Cardinality = ir.One
			}
			out.Columns = a.columns(b, q.found.Columns)
			switch {
			case b.Pluck:
			case b.Result != "":
				out.Row = a.namedRows[b]
			default:
				out.Row = a.names.queryRow(ir.NewName(b.Name).With("result"), withoutOrigin(out.Columns))
			}
		}
		a.module.Queries = append(a.module.Queries, out)
	}
}

func (a *moduleBuilder) paramNames(b *sqlfile.Block, params []ir.Param) {
	seen := map[string]string{}
	for _, p := range params {
		if other, taken := seen[p.Name.Key()]; taken {
			a.list.Add(b.NameErrorf(diag.DuplicateName, "the parameters %s and %s of %s become the same name in code", other, p.Name.Original, b.Name).
				Suggest("rename one of them"))
		}
		seen[p.Name.Key()] = p.Name.Original
	}
}

func withoutOrigin(columns []ir.Column) []ir.Column {
	out := append([]ir.Column{}, columns...)
	for i := range out {
		out[i].Origin = nil
	}
	return out
}

// tables adds the described TABLE and WRITE blocks to the module as tables. Blocks with the same
// name become one table.
func (a *moduleBuilder) tables(blocks []*sqlfile.Block) {
	for _, b := range blocks {
		t := a.result.tables[b]
		if t == nil {
			continue
		}
		out := ir.Table{
			Name: a.tableName(b), Schema: t.info.Schema, Table: t.info.Name, SQLName: t.info.SQLName,
			Ops: t.spec.Ops, Insert: t.spec.Insert, Key: t.spec.Key, KeyUnique: t.spec.KeyUnique, Set: t.spec.Set,
			Doc: b.Doc, Source: b.AttachedTo, Pos: b.Pos(),
		}
		for _, c := range t.info.Columns {
			out.Columns = append(out.Columns, ir.TableColumn{
				Name: ir.NewName(c.Name), SQLName: a.result.quote(c.Name), Nullable: c.Nullable, HasDefault: c.HasDefault,
				Default: c.Default, Generated: c.Generated, PrimaryKey: c.PrimaryKey,
				Type: a.names.typ(c.Type, out.Name.Snake()+"_"+c.Name),
			})
		}
		if old := a.table(out.Name); old != nil {
			if len(old.Key) > 0 && len(out.Key) > 0 && fmt.Sprint(old.Key) != fmt.Sprint(out.Key) {
				a.list.Add(b.NameErrorf(diag.BadKey, "%s has a different key at %s:%d", b.Name, old.Pos.File, old.Pos.Line).
					Suggest("name one differently and put the table's name on the next line"))
				continue
			}
			if len(old.Key) > 0 && len(out.Key) > 0 && fmt.Sprint(old.Set) != fmt.Sprint(out.Set) {
				a.list.Add(b.NameErrorf(diag.BadKey, "%s sets different columns at %s:%d", b.Name, old.Pos.File, old.Pos.Line).
					Suggest("name one differently and put the table's name on the next line"))
				continue
			}
			if len(old.Key) == 0 {
				old.Key, old.KeyUnique, old.Set = out.Key, out.KeyUnique, out.Set
			}
			ops := append(append([]ir.Op{}, old.Ops...), out.Ops...)
			old.Ops = nil
			for _, op := range sqlfile.Ops {
				if has(ops, op) {
					old.Ops = append(old.Ops, op)
				}
			}
			old.Doc = append(old.Doc, out.Doc...)
			continue
		}
		a.module.Tables = append(a.module.Tables, out)
	}
	for i := range a.module.Tables {
		a.tableRows(&a.module.Tables[i])
	}
}

// tableName returns the name that the table of a TABLE or WRITE block has in code: the block's name
// without schema and quotes.
func (a *moduleBuilder) tableName(b *sqlfile.Block) ir.Name {
	parts := tableName(a.module.Engine, &sqlfile.Block{Name: b.Name})
	// the name in the block's header is not a table's name, so the block's SQL names the table
	if len(parts) == 0 {
		return ir.NewName(b.Name)
	}
	return ir.NewName(parts[len(parts)-1])
}

func (a *moduleBuilder) table(name ir.Name) *ir.Table {
	for i := range a.module.Tables {
		if a.module.Tables[i].Name.Same(name) {
			return &a.module.Tables[i]
		}
	}
	return nil
}

// tableRows declares the row types that the bulk methods of a table take.
func (a *moduleBuilder) tableRows(t *ir.Table) {
	pick := func(indices []int) []ir.Column {
		var out []ir.Column
		for _, i := range indices {
			c := t.Columns[i]
			out = append(out, ir.Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable})
		}
		return out
	}
	if has(t.Ops, ir.OpAppender) || has(t.Ops, ir.OpInsert) || has(t.Ops, ir.OpUpsert) {
		t.InsertRow = a.names.tableRow(insertRows, t.Name.With("row"), pick(t.Insert))
	}
	if has(t.Ops, ir.OpUpdate) {
		columns := pick(append(append([]int{}, t.Key...), t.Set...))
		if t.UpdateRow = t.InsertRow; t.InsertRow == "" || shape(a.module.Row(t.InsertRow).Columns) != shape(columns) {
			t.UpdateRow = a.names.tableRow("update", t.Name.With("update"), columns)
		}
	}
	if has(t.Ops, ir.OpDelete) {
		t.KeyRow = a.names.tableRow("key "+t.Name.Key(), t.Name.With("key"), pick(t.Key))
	}
}

// finish sorts the enums, structs and row types of the module by Ref, as generators expect them.
func (n *names) finish() {
	m := n.module
	sort.Slice(m.Enums, func(i, j int) bool { return m.Enums[i].Ref < m.Enums[j].Ref })
	sort.Slice(m.Structs, func(i, j int) bool { return m.Structs[i].Ref < m.Structs[j].Ref })
	sort.Slice(m.Rows, func(i, j int) bool { return m.Rows[i].Ref < m.Rows[j].Ref })
}
