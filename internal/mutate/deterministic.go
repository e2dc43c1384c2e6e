package mutate

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// impure lists functions that a stored UPDATE must not call, although DuckDB says that their
// results depend only on their arguments (stability CONSISTENT). Their results depend on variables
// or the time, or they have side effects. Functions that no statement may call are not listed here;
// see duck.IsForbidden.
var impure = []string{"age", "error", "getenv", "getvariable", "in_search_path", "strptime", "timezone", "timezone_hour",
	"timezone_minute", "to_timestamp", "try_strptime"}

// checkDeterministic returns an error if an expression may have different values for the same row.
// Allowed are columns of the row, constants, and function calls on these.
func checkDeterministic(x *statement, e *storedExpressionUpdate) error {
	conn, err := x.pool.Acquire(x.ctx)
	if err != nil {
		return err
	}
	nodes, err := e.parse(conn)
	x.pool.Release(conn)
	if err != nil {
		return withoutPosition(err)
	}
	names := map[string]bool{}
	for _, node := range nodes {
		if err := e.check(node, names); err != nil {
			return err
		}
	}
	return checkFunctions(x, names)
}

// parse returns DuckDB's syntax trees of the assigned values, and of the condition if there is one.
func (e *storedExpressionUpdate) parse(conn *duck.Conn) ([]duck.Node, error) {
	var texts []string
	for _, a := range e.Set {
		texts = append(texts, "("+a.Value+")")
	}
	if e.Where != "" {
		texts = append(texts, "("+e.Where+")")
	}
	query, err := conn.ParseSelect("SELECT " + strings.Join(texts, ", ") + " FROM " + storedTable)
	if err != nil {
		return nil, err
	}
	items, _ := query["select_list"].([]any)
	nodes := make([]duck.Node, len(items))
	for i, item := range items {
		nodes[i], _ = item.(duck.Node)
	}
	return nodes, nil
}

// check returns an error if a syntax tree v, or any expression inside it, must not be part of a
// stored UPDATE. It adds the names of all called functions to functions.
func (e *storedExpressionUpdate) check(v any, functions map[string]bool) error {
	switch v := v.(type) {
	case []any:
		for _, child := range v {
			if err := e.check(child, functions); err != nil {
				return err
			}
		}
	case duck.Node:
		if class, ok := v["class"].(string); ok {
			if err := e.checkNode(class, v, functions); err != nil {
				return err
			}
		}
		for _, child := range v {
			if err := e.check(child, functions); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *storedExpressionUpdate) checkNode(class string, node duck.Node, functions map[string]bool) error {
	switch class {
	case "CONSTANT", "CASE", "COMPARISON", "CONJUNCTION", "OPERATOR", "BETWEEN":
		return nil
	case "COLUMN_REF":
		_, err := e.column(node)
		return err
	case "CAST":
		to, _ := node["cast_type"].(duck.Node)
		if zoned(to) {
			return errNotStorable("a cast to a time with time zone depends on the session's time zone")
		}
		return nil
	case "FUNCTION":
		name := strings.ToLower(textOf(node, "function_name"))
		if textOf(node, "schema") != "" || textOf(node, "catalog") != "" {
			return errNotStorable("function %s with a schema", name)
		}
		functions[name] = true
		return nil
	}
	return errNotStorable("%s is not allowed, only columns of the row, constants and functions of them", strings.ToLower(strings.ReplaceAll(class, "_", " ")))
}

// column returns the table's column that a column reference in the syntax tree names.
func (e *storedExpressionUpdate) column(node duck.Node) (schema.Column, error) {
	parts, _ := node["column_names"].([]any)
	var names []string
	for _, part := range parts {
		name, _ := part.(string)
		names = append(names, name)
	}
	if len(names) > 1 && schema.Fold(names[0]) == schema.Fold(e.Alias) {
		names = names[1:]
	}
	i := -1
	if len(names) > 0 {
		i = e.table.ColumnIndex(names[0])
	}
	if i < 0 {
		return schema.Column{}, errNotStorable("%s is not a column of table %s", strings.Join(names, "."), e.table.QualifiedName())
	}
	c := e.table.Columns[i]
	if text := c.Type.String(); strings.Contains(text, "TIME ZONE") {
		return c, errNotStorable("a value computed from column %q, a %s, may depend on the session's time zone", c.Name, text)
	}
	return c, nil
}

// zoned reports whether a type in the syntax tree, or a type nested in it, has a time zone, as
// TIMESTAMPTZ has.
func zoned(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "TIME ZONE") || strings.EqualFold(v, "TIMESTAMPTZ") || strings.EqualFold(v, "TIMETZ")
	case []any:
		return slices.ContainsFunc(v, zoned)
	case duck.Node:
		for _, child := range v {
			if zoned(child) {
				return true
			}
		}
	}
	return false
}

// function describes how much the results of a DuckDB function may vary. This decides where the
// function may be called.
type function struct {
	pure      bool // whether the result depends on nothing but the arguments
	volatile  bool // whether each call may return another result
	aggregate bool // it is an aggregate or a window function
}

// knownFunctions caches DuckDB's functions by name. The list is read once, because it is long.
type knownFunctions struct {
	known atomic.Pointer[map[string]function] // nil until it is first needed
}

func (f *knownFunctions) of(ctx context.Context, pool *duck.Pool) (map[string]function, error) {
	if known := f.known.Load(); known != nil {
		return *known, nil
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer pool.Release(conn)
	rows, err := texts(ctx, conn, `SELECT lower(function_name), bool_and(function_type = 'scalar' AND coalesce(stability, '') = 'CONSISTENT')::VARCHAR,
		bool_or(coalesce(stability, '') = 'VOLATILE')::VARCHAR, bool_and(function_type = 'aggregate')::VARCHAR FROM duckdb_functions() GROUP BY ALL`)
	if err != nil {
		return nil, base.Wrap(err, "DuckDB's functions")
	}
	known := make(map[string]function, len(rows))
	for _, row := range rows {
		known[row[0]] = function{pure: row[1] == "true" && !slices.Contains(impure, row[0]) && !duck.IsForbidden(row[0]), volatile: row[2] == "true", aggregate: row[3] == "true"}
	}
	f.known.Store(&known)
	return known, nil
}

// checkFunctions returns an error if the result of a function depends on anything but its
// arguments.
func checkFunctions(x *statement, names map[string]bool) error {
	if len(names) == 0 {
		return nil
	}
	all, err := x.functions.of(x.ctx, x.pool)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch f, known := all[name]; {
		case !known:
			return errNotStorable("function %s is not known", name)
		case !f.pure:
			return errNotStorable("function %s depends on more than its arguments", name)
		}
	}
	return nil
}

func textOf(node duck.Node, key string) string {
	text, _ := node[key].(string)
	return text
}
