package query

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// namedColumns are the names of columns in some expressions. It is not known which tables have
// them, because only DuckDB's binder resolves names.
type namedColumns struct {
	names map[string]bool // case-folded names
	all   bool            // whether an expression has a star, so that any column counts as named
}

// collectOutsideSelectList adds the names of the columns that a query uses outside of its select
// list, such as in WHERE. Such a name may stand for an expression of a sub-query in FROM. Then the
// columns in that expression are added too.
func (n *namedColumns) collectOutsideSelectList(query duck.Node) {
	var s scopeColumns
	s.query(query)
	for s.resolve() {
	}
	s.mergeInto(n)
}

// scopeColumns are the names of columns that one SELECT uses outside of its select list.
type scopeColumns struct {
	namedColumns
	inner    []*scopeColumns      // the scopeColumns of each sub-query in the SELECT's FROM
	selected []selectedExpression // the expressions that the sub-queries in FROM select
}

// selectedExpression is an expression in the select list of a sub-query. names are the names by
// which the outer query may use it.
type selectedExpression struct {
	within     *scopeColumns
	expression duck.Node
	names      []string
}

func (n *scopeColumns) query(query duck.Node) {
	if text(query, "type") != "SELECT_NODE" {
		n.collect(query)
		return
	}
	for key, child := range query {
		switch key {
		case "select_list", "cte_map": // CTEs do not use columns of the query around them
		case "from_table":
			n.from(object(query, key))
		default:
			n.collect(child)
		}
	}
}

func (n *scopeColumns) from(ref duck.Node) {
	switch text(ref, "type") {
	case "JOIN":
		n.from(object(ref, "left"))
		n.from(object(ref, "right"))
		n.collect(ref["condition"])
		using, _ := ref["using_columns"].([]any)
		for _, c := range using {
			n.add(c)
		}
		n.all = n.all || text(ref, "ref_type") == "NATURAL"
	case "SUBQUERY":
		n.subquery(object(object(ref, "subquery"), "node"), stringsOf(ref["column_name_alias"]))
	default:
		n.collect(ref)
	}
}

// subquery adds a sub-query in a FROM clause, whose columns may be renamed. It skips stars in the
// select list, because their columns keep their own names.
func (n *scopeColumns) subquery(query duck.Node, renamed []string) {
	within := &scopeColumns{}
	within.query(query)
	n.inner = append(n.inner, within)
	list, _ := query["select_list"].([]any)
	for _, item := range list {
		expression, _ := item.(duck.Node)
		if text(expression, "class") == "STAR" {
			continue
		}
		s := selectedExpression{within, expression, renamed}
		columns := stringsOf(expression["column_names"])
		switch alias := text(expression, "alias"); {
		case alias != "":
			s.names = append(s.names[:len(s.names):len(s.names)], alias)
		case len(columns) > 0:
			s.names = append(s.names[:len(s.names):len(s.names)], columns[len(columns)-1])
		default:
			n.collect(expression) // DuckDB makes the column's name of the expression's text
			continue
		}
		n.selected = append(n.selected, s)
	}
}

// resolve goes through the expressions that sub-queries select. If the outer query uses the name of
// an expression, resolve adds the columns in that expression. It returns true if it added columns.
// These may be names of further expressions, so the caller then calls resolve again.
func (n *scopeColumns) resolve() (more bool) {
	n.selected = slices.DeleteFunc(n.selected, func(s selectedExpression) bool {
		named := slices.ContainsFunc(s.names, func(name string) bool { return n.names[schema.Fold(name)] })
		if named {
			n.collect(s.expression)
			s.within.collect(s.expression)
			more = true
		}
		return named
	})
	for _, inner := range n.inner {
		more = inner.resolve() || more
	}
	return more
}

func (n *scopeColumns) mergeInto(all *namedColumns) {
	all.all = all.all || n.all
	for name := range n.names {
		all.add(name)
	}
	for _, inner := range n.inner {
		inner.mergeInto(all)
	}
}

func stringsOf(v any) (all []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func (n *namedColumns) add(name any) {
	if s, ok := name.(string); ok {
		if n.names == nil {
			n.names = map[string]bool{}
		}
		n.names[schema.Fold(s)] = true
	}
}

func (n *namedColumns) collect(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n.collect(item)
		}
	case duck.Node:
		switch text(v, "class") {
		case "STAR":
			n.all = true
		case "COLUMN_REF":
			// Every part of a reference may be the name of a column, because t.c, c and c.field
			// look alike.
			names, _ := v["column_names"].([]any)
			for _, name := range names {
				n.add(name)
			}
		}
		for _, child := range v {
			n.collect(child)
		}
	}
}

// isTarget reports whether a table reference of a statement is the table at
// sqlquery.Request.Target. The query reads the addresses of that table's rows.
func (b *binding) isTarget(a *analysis, ref *tableRef) bool {
	return b.req.Target > 0 && a == b.analysis && originalOffset(a.expanded, ref.start) == b.req.Target
}

// readDependencies returns the tables and columns that decide which rows the query returns, as
// described at Result.ReadDependencies.
func (b *binding) readDependencies() []engine.ReadDependency {
	whole := map[base.TableID]bool{}
	var out []engine.ReadDependency
	b.eachTable(b.analysis, b.req.Database, "main", func(a *analysis, ref *tableRef, t *schema.Table) {
		switch {
		case !b.isTarget(a, ref):
			if !whole[t.ID] {
				whole[t.ID] = true
				out = append(out, engine.ReadDependency{Table: t.ID})
			}
		default:
			r := engine.ReadDependency{Table: t.ID, Columns: []base.ColumnID{}}
			for i := range t.Columns {
				if a.decidingColumns.all || a.decidingColumns.names[schema.Fold(t.Columns[i].Name)] || t.Columns[i].ID == t.IsDeleted {
					r.Columns = append(r.Columns, t.Columns[i].ID)
				}
			}
			out = append(out, r)
		}
	})
	return out
}

// eachTable calls f for every table that a statement names, and for the tables that its views read.
func (b *binding) eachTable(a *analysis, database, schemaName string, f func(*analysis, *tableRef, *schema.Table)) {
	for i := range a.tables {
		ref := &a.tables[i]
		switch t := b.targets[b.key(a, database, schemaName, ref)]; {
		case t.table != nil:
			f(a, ref, t.table)
		case t.view != nil:
			b.eachTable(t.view.analysis, t.view.database, t.view.schema, f)
		}
	}
}
