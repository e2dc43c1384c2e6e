package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// perMessage checks a query that aggregates messages. In the syntax tree it checks that each row
// that is aggregated is made of one message, and does not depend on other messages. Only then can
// the aggregates be computed over some of the messages and merged later.
type perMessage struct {
	messages string // the name of the table of messages
	// aggregates has the names of aggregates, and of other functions that depend on many rows.
	aggregates map[string]bool
}

// cteScope is a common table expression (CTE) that a part of the query can name. reads says whether
// the CTE reads messages. outer is the next CTE further out, so all CTEs in scope are a linked
// list.
type cteScope struct {
	name  string
	reads bool
	outer *cteScope
}

// errManyRows returns the error for a part of a query that may need several messages to make one
// row, such as a GROUP BY in a sub-query. The argument what names that part for the user.
func errManyRows(what string) error {
	return base.Errorf(base.Invalid, "%s would read only the messages of one batch, not all messages", what).
		WithHint("each row that a view aggregates must come from one message, which may be joined with other tables")
}

// query checks a sub-query that reads messages: each of its rows must be made of one message.
func (w *perMessage) query(node duck.Node, scope *cteScope) error {
	switch text(node, "type") {
	case "SET_OPERATION_NODE":
		return w.union(node, scope)
	case "SELECT_NODE":
	default:
		return errManyRows("a recursive query")
	}
	for _, m := range listOf(node, "modifiers") {
		if m, _ := m.(duck.Node); text(m, "type") != "ORDER_MODIFIER" {
			return errManyRows("DISTINCT or LIMIT in a sub-query")
		}
	}
	switch {
	case len(listOf(node, "group_expressions")) > 0 || len(listOf(node, "group_sets")) > 0 || node["having"] != nil || text(node, "aggregate_handling") == "FORCE_AGGREGATES":
		return errManyRows("GROUP BY in a sub-query")
	case node["qualify"] != nil:
		return errManyRows("QUALIFY in a sub-query")
	}
	if used := findAggregate(node["select_list"], w.aggregates); used != "" {
		return errManyRows(used + " in a sub-query")
	}
	return w.selectNode(node, scope)
}

// union checks a UNION ALL. Both of its sides must read messages.
func (w *perMessage) union(node duck.Node, scope *cteScope) error {
	if text(node, "setop_type") != "UNION" || node["setop_all"] != true || len(listOf(node, "modifiers")) > 0 {
		return errManyRows("a set operation")
	}
	scope, err := w.withClause(node, scope)
	if err != nil {
		return err
	}
	for _, side := range []string{"left", "right"} {
		if err := w.query(object(node, side), scope); err != nil {
			return err
		}
	}
	return nil
}

// selectNode checks the FROM and the sub-queries of a SELECT. It does not check aggregates.
func (w *perMessage) selectNode(node duck.Node, scope *cteScope) error {
	if node["sample"] != nil {
		return errManyRows("a sample")
	}
	scope, err := w.withClause(node, scope)
	if err != nil {
		return err
	}
	reads, err := w.from(object(node, "from_table"), scope)
	if err != nil {
		return err
	}
	if !reads {
		return base.Errorf(base.Invalid, "rows that do not come from %s would be added again with each batch", w.messages).WithHint("SELECT ... FROM %s", w.messages)
	}
	for key, child := range node {
		if key != "from_table" && key != "cte_map" && w.reads(child, scope) {
			return errManyRows("a sub-query in an expression")
		}
	}
	return nil
}

// withClause checks the common table expressions of a query, and returns the scope that has them.
// If one of them reads messages, each of its rows must be made of one message.
func (w *perMessage) withClause(node duck.Node, scope *cteScope) (*cteScope, error) {
	for _, item := range listOf(object(node, "cte_map"), "map") {
		entry, _ := item.(duck.Node)
		query := object(object(object(entry, "value"), "query"), "node")
		reads := w.reads(query, scope)
		if reads {
			if err := w.query(query, scope); err != nil {
				return nil, base.Wrap(err, "WITH %s", text(entry, "key"))
			}
		}
		scope = &cteScope{name: text(entry, "key"), reads: reads, outer: scope}
	}
	return scope, nil
}

// The method from checks a table reference. It reports whether the rows of the reference are made
// of messages.
func (w *perMessage) from(ref duck.Node, scope *cteScope) (reads bool, err error) {
	if !w.reads(ref, scope) {
		return false, nil
	}
	if ref["sample"] != nil {
		return true, errManyRows("a sample")
	}
	switch kind := text(ref, "type"); {
	case kind == "BASE_TABLE":
		return true, nil
	case kind == "SUBQUERY":
		return true, w.query(object(object(ref, "subquery"), "node"), scope)
	case kind == "JOIN":
		return true, w.join(ref, scope)
	case kind == "PIVOT" && len(listOf(ref, "unpivot_names")) > 0:
		_, err := w.from(object(ref, "source"), scope)
		return true, err
	case kind == "PIVOT":
		return true, errManyRows("PIVOT")
	}
	return true, errManyRows("a table function")
}

// join checks a join in which at least one side may read messages. Messages are processed in
// batches. join returns an error in these cases:
//   - Both sides read messages, or neither does.
//   - Rows are joined by their position.
//   - The result could have a row of the other side that is not joined with a certain message, as
//     in some outer joins and semi joins. Each batch would return that row again.
func (w *perMessage) join(ref duck.Node, scope *cteScope) error {
	left, err := w.from(object(ref, "left"), scope)
	if err != nil {
		return err
	}
	right, err := w.from(object(ref, "right"), scope)
	if err != nil {
		return err
	}
	kind, refKind := text(ref, "join_type"), text(ref, "ref_type")
	switch {
	case left && right:
		return errManyRows("a join of messages with messages")
	case !left && !right:
		return errManyRows("a sub-query in the condition of a join")
	case refKind == "POSITIONAL", refKind == "ASOF" && right:
		return errManyRows("a join by the position of rows")
	case kind == "INNER", left && slices.Contains([]string{"LEFT", "SEMI", "ANTI"}, kind), right && kind == "RIGHT":
	default:
		return base.Errorf(base.Invalid, "an outer join that keeps rows without a message, or a semi join with messages, would return those rows again with each batch").
			WithHint("FROM %s LEFT JOIN ... keeps every message", w.messages)
	}
	if w.reads(ref["condition"], scope) {
		return errManyRows("a sub-query in the condition of a join")
	}
	return nil
}

// reads reports whether a part of the syntax tree reads messages.
func (w *perMessage) reads(v any, scope *cteScope) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return w.reads(item, scope) })
	case duck.Node:
		if text(v, "type") == "BASE_TABLE" {
			return w.isMessages(v, scope)
		}
		for _, item := range listOf(object(v, "cte_map"), "map") {
			entry, _ := item.(duck.Node)
			scope = &cteScope{name: text(entry, "key"), reads: w.reads(entry["value"], scope), outer: scope}
		}
		for key, child := range v {
			if key != "cte_map" && w.reads(child, scope) {
				return true
			}
		}
	}
	return false
}

func (w *perMessage) isMessages(ref duck.Node, scope *cteScope) bool {
	if text(ref, "catalog_name") != "" || text(ref, "schema_name") != "" {
		return false
	}
	name := schema.Fold(text(ref, "table_name"))
	for ; scope != nil; scope = scope.outer {
		if schema.Fold(scope.name) == name {
			return scope.reads
		}
	}
	return name == schema.Fold(w.messages)
}

// findAggregate describes the first part of an expression that depends on many rows, such as a
// window function. It returns "" if there is none.
func findAggregate(v any, aggregates map[string]bool) string {
	switch v := v.(type) {
	case duck.Node:
		name := strings.ToLower(text(v, "function_name"))
		switch class := text(v, "class"); {
		case class == "WINDOW":
			return fmt.Sprintf("the window %s(...) OVER", name)
		case class == "FUNCTION" && aggregates[name]:
			return name
		}
		for _, child := range v {
			if used := findAggregate(child, aggregates); used != "" {
				return used
			}
		}
	case []any:
		for _, child := range v {
			if used := findAggregate(child, aggregates); used != "" {
				return used
			}
		}
	}
	return ""
}

// sameExpression reports whether two expressions have the same syntax tree, except for positions
// and aliases. A column may be qualified in only one of them.
func sameExpression(a, b any) bool {
	switch a := a.(type) {
	case duck.Node:
		b, ok := b.(duck.Node)
		if !ok || len(a) != len(b) {
			return false
		}
		if text(a, "class") == "COLUMN_REF" && text(b, "class") == "COLUMN_REF" {
			return sameColumn(stringsOf(a["column_names"]), stringsOf(b["column_names"]))
		}
		for key := range a {
			if key != "alias" && key != "query_location" && !sameExpression(a[key], b[key]) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameExpression)
	}
	return a == b
}

// sameColumn reports whether two column names are the same, if missing qualifiers are ignored.
func sameColumn(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return slices.EqualFunc(a, b[len(b)-len(a):], sameName)
}

func listOf(node duck.Node, key string) []any {
	list, _ := node[key].([]any)
	return list
}
