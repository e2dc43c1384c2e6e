package query

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/duck"
)

// outputName is the name that a result column gets instead of DuckDB's name. DuckDB names an
// expression without an alias by its text. If the expression has a sub-query, that would show the
// text of relations, which replace the user's table names.
type outputName struct {
	// index is the index of the column, from 0. For a column behind a star it counts from the end:
	// the last column has -1.
	index   int
	name    string
	columns int // length of the select list if it has no star; otherwise 0
}

// outputNames finds the result columns whose names would show the text of relations: expressions
// without an alias that name a table. A column between two stars keeps DuckDB's name, because its
// position is not known.
func outputNames(conn *duck.Conn, node duck.Node) []outputName {
	for node != nil && text(node, "type") == "SET_OPERATION_NODE" {
		left := object(node, "left")
		if children, ok := node["children"].([]any); ok && len(children) > 0 {
			left, _ = children[0].(duck.Node)
		}
		node = left
	}
	list, _ := node["select_list"].([]any)
	first, last := slices.IndexFunc(list, expandsToColumns), -1
	for i := range list {
		if expandsToColumns(list[i]) {
			last = i
		}
	}
	var out []outputName
	for i, item := range list {
		expression := item.(duck.Node)
		if text(expression, "alias") != "" || !namesTable(expression) {
			continue
		}
		n := outputName{index: i}
		switch {
		case first < 0:
			n.columns = len(list)
		case i > last:
			n.index = i - len(list)
		case i > first:
			continue
		}
		printed, err := conn.PrintSelect(selectOf([]duck.Node{expression}))
		if err != nil {
			continue // DuckDB cannot print this expression, so the column keeps DuckDB's name
		}
		n.name = strings.TrimPrefix(printed, "SELECT ")
		out = append(out, n)
	}
	return out
}

// expandsToColumns reports whether an item in a select list may become several columns. It does if
// it has a star outside of sub-queries, or unnests a value. v is the item's syntax tree.
func expandsToColumns(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, expandsToColumns)
	case duck.Node:
		if class := text(v, "class"); class == "STAR" || class == "SUBQUERY" {
			return class == "STAR"
		}
		if text(v, "function_name") == "unnest" {
			return true
		}
		for _, child := range v {
			if expandsToColumns(child) {
				return true
			}
		}
	}
	return false
}

// namesTable reports whether a part of the syntax tree contains a table reference.
func namesTable(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, namesTable)
	case duck.Node:
		if text(v, "type") == "BASE_TABLE" {
			return true
		}
		for _, child := range v {
			if namesTable(child) {
				return true
			}
		}
	}
	return false
}

// renamed replaces some of the column names that DuckDB returned. names says which columns get
// which names.
func renamed(names []outputName, columns []string) {
	for _, n := range names {
		i := n.index
		if i < 0 {
			i += len(columns)
		}
		if i >= 0 && i < len(columns) && (n.columns == 0 || n.columns == len(columns)) {
			columns[i] = n.name
		}
	}
}

// renamedSchema returns the Arrow schema of a result with some column names replaced. names says
// which columns get which names.
func renamedSchema(names []outputName, s *arrow.Schema) *arrow.Schema {
	fields := s.Fields()
	columns := make([]string, len(fields))
	for i := range fields {
		columns[i] = fields[i].Name
	}
	renamed(names, columns)
	for i := range fields {
		fields[i].Name = columns[i]
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

// withSchema returns the batch with another schema of the same types. It releases rec.
func withSchema(rec arrow.RecordBatch, s *arrow.Schema) arrow.RecordBatch {
	defer rec.Release()
	return array.NewRecordBatch(s, rec.Columns(), rec.NumRows())
}
