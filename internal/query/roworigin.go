package query

import (
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// rowOrigin is the table or CTE that the rows of a query come from. It exists only if each row of
// the query is made of exactly one row of that table or CTE. Then a condition on the query's
// columns is also a condition on the columns of the table or CTE.
type rowOrigin struct {
	table int  // the table, as an index in analysis.tables; used only if cte is nil
	cte   *cte // the CTE that the rows come from; nil if they come from a table
	// columns maps the name of each column of the query to its name in the table or CTE. The keys
	// are case-folded. nil means that all names are the same.
	columns map[string]string
}

// mapColumns turns conditions on columns of a query into conditions on columns of the table or CTE
// that its rows come from. Conditions on columns that the table or CTE does not have are left out.
func (r *rowOrigin) mapColumns(conditions []condition) []condition {
	var out []condition
	for _, c := range conditions {
		if r.columns != nil {
			column, ok := r.columns[schema.Fold(c.column)]
			if !ok {
				continue
			}
			c.column = column
		}
		out = append(out, c)
	}
	return out
}

// pushConditions adds conditions to the table or CTE that the rows come from.
func (r *rowOrigin) pushConditions(a *analysis, conditions ...condition) {
	conditions = r.mapColumns(conditions)
	if r.cte != nil {
		r.cte.conditions = append(r.cte.conditions, conditions...)
		return
	}
	t := &a.tables[r.table]
	t.conditions = append(t.conditions, conditions...)
}

// pushIntoCTEs passes the conditions on each CTE to the table or CTE that its rows come from. It
// does so only if the statement uses the CTE once. If a CTE is used twice, its rows are computed
// once for both uses, but each condition is about only one of them.
func (w *walker) pushIntoCTEs() {
	for i := len(w.ctes) - 1; i >= 0; i-- {
		if c := w.ctes[i]; c.references == 1 && c.origin != nil {
			c.origin.pushConditions(w.a, c.conditions...)
		}
		// The conditions are removed, because the cached analysis refers to the CTE and would keep
		// them in memory.
		w.ctes[i].conditions = nil
	}
}

// scope lists the items of a SELECT's FROM to which the columns in its WHERE may belong.
type scope struct {
	items []scopeItem // the items from which scans may leave out rows that WHERE rejects
	// opaque says that FROM also has items that are not in the field items. A column without a
	// qualifier may belong to them.
	opaque bool
}

type scopeItem struct {
	name   string // the name by which the item's columns are qualified
	origin *rowOrigin
}

// add adds an item of a FROM clause to the scope. If conditions cannot be passed to the item, it
// sets opaque.
func (s *scope) add(ref duck.Node, origin *rowOrigin, name string, filtered bool) {
	renamed, _ := ref["column_name_alias"].([]any)
	if origin == nil || !filtered || ref["sample"] != nil || len(renamed) > 0 {
		s.opaque = true
		return
	}
	s.items = append(s.items, scopeItem{name, origin})
}

// rowOrigin returns the table or CTE that the rows of a SELECT with this scope come from. It
// returns nil if a row of the result may depend on several rows, as with aggregates, windows, LIMIT
// and DISTINCT.
func (s *scope) rowOrigin(node duck.Node) *rowOrigin {
	if len(s.items) != 1 || s.opaque || text(node, "aggregate_handling") != "STANDARD_HANDLING" ||
		node["having"] != nil || node["qualify"] != nil || node["sample"] != nil {
		return nil
	}
	for _, key := range []string{"group_expressions", "group_sets"} {
		if list, _ := node[key].([]any); len(list) > 0 {
			return nil
		}
	}
	modifiers, _ := node["modifiers"].([]any)
	for _, m := range modifiers {
		if modifier, _ := m.(duck.Node); text(modifier, "type") != "ORDER_MODIFIER" {
			return nil
		}
	}
	columns, ok := s.outputColumns(node)
	if !ok {
		return nil
	}
	inner := *s.items[0].origin
	if columns == nil {
		return &inner
	}
	for name, column := range columns {
		if inner.columns == nil {
			break
		}
		if columns[name], ok = inner.columns[schema.Fold(column)]; !ok {
			delete(columns, name)
		}
	}
	inner.columns = columns
	return &inner
}

// outputColumns maps the names in a select list to the columns of the scope's only item. For * the
// map is nil, because all names stay the same. ok is false if the names cannot be mapped.
func (s *scope) outputColumns(node duck.Node) (columns map[string]string, ok bool) {
	list, _ := node["select_list"].([]any)
	columns = map[string]string{}
	seen := map[string]bool{}
	for _, v := range list {
		expression, _ := v.(duck.Node)
		if text(expression, "class") == "STAR" {
			return nil, len(list) == 1 && plainStar(expression)
		}
		names, _ := expression["column_names"].([]any)
		name := text(expression, "alias")
		if name == "" && len(names) > 0 {
			name, _ = names[len(names)-1].(string)
		}
		if name == "" || !rowwise(expression) {
			return nil, false
		}
		name = schema.Fold(name)
		if seen[name] {
			// A name that occurs twice cannot be mapped: DuckDB renames the second column, perhaps
			// to the name of another column.
			return nil, false
		}
		seen[name] = true
		switch {
		case len(names) == 1, len(names) == 2 && schema.Fold(names[0].(string)) == schema.Fold(s.items[0].name):
			columns[name], _ = names[len(names)-1].(string)
		}
	}
	return columns, true
}

// plainStar reports whether a star is only *, without EXCLUDE, REPLACE or other additions.
func plainStar(star duck.Node) bool {
	for _, key := range []string{"exclude_list", "qualified_exclude_list", "replace_list", "rename_list"} {
		if list, _ := star[key].([]any); len(list) > 0 {
			return false
		}
	}
	return star["expr"] == nil && star["columns"] != true && text(star, "relation_name") == ""
}

// rowwise reports whether an expression depends on a single row: it has no aggregate and no window
// function.
func rowwise(node duck.Node) bool {
	switch text(node, "class") {
	case "COLUMN_REF", "CONSTANT", "PARAMETER":
		return true
	case "CAST":
		return rowwise(object(node, "child"))
	case "FUNCTION":
		if !foldable[schema.Fold(text(node, "function_name"))] {
			return false
		}
		children, _ := node["children"].([]any)
		for _, v := range children {
			if child, ok := v.(duck.Node); !ok || !rowwise(child) {
				return false
			}
		}
		return true
	}
	return false
}
