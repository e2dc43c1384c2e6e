package query

import (
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// rowSource is the table or CTE from which the rows of a query or CTE come, if each of them is made
// of exactly one row. Then a condition on the query's columns is also a condition on the columns of
// that table.
type rowSource struct {
	table int  // index in analysis.tables; only if cte is nil
	cte   *cte // the CTE that the rows come from; nil if it is a table
	// Folded names of the query's columns, to names in the source; nil if all names are the same.
	columns map[string]string
}

// translated returns the conditions on columns of the query as conditions on columns of its source.
// Conditions on columns that the source does not have are left out.
func (r *rowSource) translated(conditions []condition) []condition {
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

// give adds conditions to the table or CTE that the rows come from.
func (r *rowSource) give(a *analysis, conditions ...condition) {
	conditions = r.translated(conditions)
	if r.cte != nil {
		r.cte.conditions = append(r.cte.conditions, conditions...)
		return
	}
	t := &a.tables[r.table]
	t.conditions = append(t.conditions, conditions...)
}

// passToCTEs passes the conditions on each CTE to the table or CTE that its rows come from. It does
// so only if the CTE is used once: if it is used twice, its rows are computed once for both, and
// each condition is about only one of them.
func (w *walker) passToCTEs() {
	for i := len(w.ctes) - 1; i >= 0; i-- {
		if c := w.ctes[i]; c.references == 1 && c.source != nil {
			c.source.give(w.a, c.conditions...)
		}
		// The analysis, which is cached, refers to the CTE. Without this the conditions would stay
		// in memory.
		w.ctes[i].conditions = nil
	}
}

// scope has the items of a SELECT's FROM to which the columns in its WHERE can belong.
type scope struct {
	items []scopeItem // the items whose rows WHERE may filter as they are scanned
	// FROM also has other items, to which a column without a qualifier may belong
	opaque bool
}

type scopeItem struct {
	name   string // the name by which the item's columns are qualified
	source *rowSource
}

// add adds an item of a FROM to the scope. If conditions cannot be passed to the item, the scope
// becomes opaque.
func (s *scope) add(ref duck.Node, source *rowSource, name string, filtered bool) {
	renamed, _ := ref["column_name_alias"].([]any)
	if source == nil || !filtered || ref["sample"] != nil || len(renamed) > 0 {
		s.opaque = true
		return
	}
	s.items = append(s.items, scopeItem{name, source})
}

// rowSource returns the table or CTE from which the rows of a SELECT with this scope come. It
// returns nil if a row of the result may depend on several rows, as with aggregates, windows, LIMIT
// and DISTINCT.
func (s *scope) rowSource(node duck.Node) *rowSource {
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
	inner := *s.items[0].source
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

// outputColumns returns the names in a select list, mapped to the columns of the scope's only item.
// For * the map is nil, since all names stay the same. It returns false if the names cannot be
// mapped.
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
			// If two columns have the same name, DuckDB renames the second one, possibly to the
			// name of another column.
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
