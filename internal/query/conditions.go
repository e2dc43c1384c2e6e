package query

import (
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/schema"
)

// condition is a comparison of a column with a constant in a WHERE. It is true for every row of the
// result, because only ANDs join it to the rest of the WHERE.
type condition struct {
	column   string
	operator overlay.Operator
	values   []duck.Node // the constants, as expressions; several only for IN (operator Equal)
	// otherConstants are other constants of the same comparison. They affect the type in which
	// DuckDB compares. An example is the upper limit of BETWEEN.
	otherConstants []duck.Node
	// evaluated caches the values of the constants. Its keys are the declared types of columns, and
	// its values are of type []schema.Value. Only literals are cached; they are evaluated once for
	// each statement text.
	evaluated *sync.Map
}

var operators = map[string]struct{ straight, mirrored overlay.Operator }{
	"COMPARE_EQUAL":                {overlay.Equal, overlay.Equal},
	"COMPARE_LESSTHAN":             {overlay.Less, overlay.Greater},
	"COMPARE_LESSTHANOREQUALTO":    {overlay.LessOrEqual, overlay.GreaterOrEqual},
	"COMPARE_GREATERTHAN":          {overlay.Greater, overlay.Less},
	"COMPARE_GREATERTHANOREQUALTO": {overlay.GreaterOrEqual, overlay.LessOrEqual},
}

// collectConditions finds the conditions in a WHERE clause, and adds each condition to the table
// that has its column. It skips conditions inside of OR, NOT and CASE, since they need not be true
// for every row.
func (w *walker) collectConditions(where any, s *scope) {
	node, ok := where.(duck.Node)
	if !ok || len(s.items) == 0 {
		return
	}
	switch kind := text(node, "type"); kind {
	case "CONJUNCTION_AND":
		children, _ := node["children"].([]any)
		for _, c := range children {
			w.collectConditions(c, s)
		}
	case "COMPARE_BETWEEN":
		column := object(node, "input")
		w.addCondition(s, column, overlay.GreaterOrEqual, []any{node["lower"]}, node["upper"])
		w.addCondition(s, column, overlay.LessOrEqual, []any{node["upper"]}, node["lower"])
	case "COMPARE_IN":
		children, _ := node["children"].([]any)
		if len(children) > 1 {
			if column, ok := children[0].(duck.Node); ok {
				w.addCondition(s, column, overlay.Equal, children[1:])
			}
		}
	default:
		if op, ok := operators[kind]; ok {
			left, right := object(node, "left"), object(node, "right")
			w.addCondition(s, left, op.straight, []any{right})
			w.addCondition(s, right, op.mirrored, []any{left})
		}
	}
}

func (w *walker) addCondition(s *scope, column duck.Node, op overlay.Operator, values []any, otherConstants ...any) {
	if text(column, "type") != "COLUMN_REF" {
		return
	}
	c := condition{operator: op, evaluated: &sync.Map{}}
	var ok, okOther bool
	c.values, ok = constants(values)
	c.otherConstants, okOther = constants(otherConstants)
	if !ok || !okOther {
		return
	}
	names, _ := column["column_names"].([]any)
	c.column, _ = names[len(names)-1].(string)
	for i := range s.items {
		item := &s.items[i]
		switch {
		case len(names) == 1 && (len(s.items) > 1 || s.opaque):
			// The column has no qualifier, so several tables may have it. Only DuckDB's binder
			// knows which one it means.
			continue
		case len(names) == 2 && schema.Fold(item.name) != schema.Fold(names[0].(string)):
			continue
		case len(names) > 2:
			continue
		}
		item.origin.pushConditions(w.a, c)
	}
}

func constants(values []any) ([]duck.Node, bool) {
	out := make([]duck.Node, len(values))
	for i, v := range values {
		node, ok := v.(duck.Node)
		if !ok || !constant(node) {
			return nil, false
		}
		out[i] = node
	}
	return out, true
}

// foldable lists functions that always return the same value for the same arguments, at least
// within one transaction.
var foldable = map[string]bool{
	"now": true, "current_timestamp": true, "get_current_timestamp": true, "transaction_timestamp": true,
	"today": true, "current_date": true, "+": true, "-": true, "*": true, "/": true, "trunc": true, "date_trunc": true,
	"to_years": true, "to_months": true, "to_days": true, "to_hours": true, "to_minutes": true, "to_seconds": true,
	"to_weeks": true, "to_milliseconds": true, "to_microseconds": true, "make_date": true, "make_timestamp": true,
	"make_timestamptz": true, "to_timestamp": true, "epoch_ms": true, "lower": true, "upper": true, "concat": true, "||": true,
	"strptime": true,
}

// constant reports whether an expression has the same value for all rows of a query.
func constant(node duck.Node) bool {
	switch text(node, "class") {
	case "CONSTANT", "PARAMETER":
		return true
	case "CAST":
		return constant(object(node, "child"))
	case "FUNCTION":
		if !foldable[schema.Fold(text(node, "function_name"))] {
			return false
		}
		children, _ := node["children"].([]any)
		for _, c := range children {
			child, ok := c.(duck.Node)
			if !ok || !constant(child) {
				return false
			}
		}
		return true
	}
	return false
}

// lifetime says how long the value of a constant expression stays the same.
type lifetime uint8

const (
	always     lifetime = iota // a literal: its value never changes
	perRequest                 // has parameters: its value stays the same for one request
	// perStatement: calls functions, so its value stays the same for one run of the statement. For
	// example now() is the same for a whole transaction.
	perStatement
)

func lifetimeOf(node duck.Node) lifetime {
	switch text(node, "class") {
	case "CONSTANT":
		return always
	case "CAST":
		return lifetimeOf(object(node, "child"))
	case "PARAMETER":
		return perRequest
	}
	return perStatement
}

// fixesSortKey reports whether a condition with = or IN restricts the first column of the table's
// sort key to certain values.
func fixesSortKey(conditions []condition, t *schema.Table) bool {
	if len(t.SortKey) == 0 {
		return false
	}
	first := t.ColumnByID(t.SortKey[0].Column)
	return slices.ContainsFunc(conditions, func(c condition) bool {
		return c.operator == overlay.Equal && t.ColumnIndex(c.column) == first
	})
}
