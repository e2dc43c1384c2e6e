package storable

import (
	"maps"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/statement"
)

// CheckDeterministic returns an error if an expression may have different values for the same row.
// Allowed are columns of the row, constants, and function calls on these.
func CheckDeterministic(x *statement.Statement, e *Update) error {
	conn, err := x.Pool.Acquire(x.Ctx)
	if err != nil {
		return err
	}
	nodes, err := e.parse(conn)
	x.Pool.Release(conn)
	if err != nil {
		return clause.WithoutPosition(err)
	}
	names := map[string]bool{}
	for _, node := range nodes {
		if err := e.check(node, names); err != nil {
			return err
		}
	}
	return checkFunctions(x, names)
}

// check returns an error if a syntax tree v, or any expression inside it, must not be part of a
// stored UPDATE. It adds the names of all called functions to functions.
func (e *Update) check(v any, functions map[string]bool) error {
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

func (e *Update) checkNode(class string, node duck.Node, functions map[string]bool) error {
	switch class {
	case "CONSTANT", "CASE", "COMPARISON", "CONJUNCTION", "OPERATOR", "BETWEEN":
		return nil
	case "COLUMN_REF":
		_, err := e.column(node)
		return err
	case "CAST":
		to, _ := node["cast_type"].(duck.Node)
		if zoned(to) {
			return ErrNotStorable("a cast to a time with time zone depends on the session's time zone")
		}
		return nil
	case "FUNCTION":
		name := strings.ToLower(statement.TextOf(node, "function_name"))
		if statement.TextOf(node, "schema") != "" || statement.TextOf(node, "catalog") != "" {
			return ErrNotStorable("function %s with a schema", name)
		}
		functions[name] = true
		return nil
	}
	return ErrNotStorable("%s is not allowed, only columns of the row, constants and functions of them", strings.ToLower(strings.ReplaceAll(class, "_", " ")))
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

// checkFunctions returns an error if the result of a function depends on anything but its
// arguments.
func checkFunctions(x *statement.Statement, names map[string]bool) error {
	if len(names) == 0 {
		return nil
	}
	all, err := x.Functions.Of(x.Ctx, x.Pool)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch f, known := all[name]; {
		case !known:
			return ErrNotStorable("function %s is not known", name)
		case !f.Pure:
			return ErrNotStorable("function %s depends on more than its arguments", name)
		}
	}
	return nil
}
