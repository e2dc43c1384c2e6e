package query

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// namedColumns are the columns that expressions name: by name alone, since whose they are
// only the binder knows.
type namedColumns struct {
	names map[string]bool // folded
	all   bool            // there is a star among them
}

// outsideSelectList collects what a query names anywhere but in its select list. A sub-query in
// its FROM is looked at the same way: what it selects is read through the select list.
func (n *namedColumns) outsideSelectList(query duck.Node) {
	if text(query, "type") != "SELECT_NODE" {
		n.collect(query)
		return
	}
	for key, child := range query {
		switch key {
		case "select_list", "cte_map": // a CTE sees no column of its surroundings
		case "from_table":
			n.from(object(query, key))
		default:
			n.collect(child)
		}
	}
}

func (n *namedColumns) from(ref duck.Node) {
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
		n.outsideSelectList(object(object(ref, "subquery"), "node"))
	default:
		n.collect(ref)
	}
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
			// t.c, c and c.field look alike: every name may be a column's.
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

// isTarget reports whether a table of a statement is the one whose addresses are asked for.
func (b *binding) isTarget(a *analysis, ref *tableRef) bool {
	return b.req.Target > 0 && a == b.analysis && unexpanded(a.expanded, ref.start) == b.req.Target
}

// reads returns what Result.Reads does.
func (b *binding) reads() []engine.Read {
	whole := map[base.TableID]bool{}
	var out []engine.Read
	b.eachTable(b.analysis, b.req.Database, "main", func(a *analysis, ref *tableRef, t *schema.Table) {
		switch {
		case !b.isTarget(a, ref):
			if !whole[t.ID] {
				whole[t.ID] = true
				out = append(out, engine.Read{Table: t.ID})
			}
		default:
			r := engine.Read{Table: t.ID, Columns: []base.ColumnID{}}
			for i := range t.Columns {
				if a.decides.all || a.decides.names[schema.Fold(t.Columns[i].Name)] || t.Columns[i].ID == t.IsDeleted {
					r.Columns = append(r.Columns, t.Columns[i].ID)
				}
			}
			out = append(out, r)
		}
	})
	return out
}

// eachTable calls f with every table that a statement names, through views too.
func (b *binding) eachTable(a *analysis, database, schemaName string, f func(*analysis, *tableRef, *schema.Table)) {
	for i := range a.tables {
		ref := &a.tables[i]
		switch t := b.targets[targetKey(database, schemaName, ref.parts)]; {
		case t.table != nil:
			f(a, ref, t.table)
		case t.view != nil:
			b.eachTable(t.view.analysis, t.view.database, t.view.schema, f)
		}
	}
}
