package query

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/duck"
)

// outputName is the name of a result column that DuckDB would otherwise make of the
// relation's text: an expression without an alias is called by its text, sub-queries included.
type outputName struct {
	index   int // of the column; from the last backwards (-1) behind a star
	name    string
	columns int // in the select list, without a star; 0 if there is one
}

// outputNames finds the result columns whose names would show relations: those without an
// alias in whose expression a table is named. Between two stars nothing can be counted: such a
// column keeps DuckDB's name.
func outputNames(conn *duck.Conn, node duck.Node) []outputName {
	for node != nil && text(node, "type") == "SET_OPERATION_NODE" {
		left := object(node, "left")
		if children, ok := node["children"].([]any); ok && len(children) > 0 {
			left, _ = children[0].(duck.Node)
		}
		node = left
	}
	list, _ := node["select_list"].([]any)
	first, last := slices.IndexFunc(list, severalColumns), -1
	for i := range list {
		if severalColumns(list[i]) {
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
			continue // DuckDB cannot print it: its own name stays
		}
		n.name = strings.TrimPrefix(printed, "SELECT ")
		out = append(out, n)
	}
	return out
}

// severalColumns reports whether an item of a select list may be any number of columns: it has a star outside of sub-queries, or takes a value apart.
func severalColumns(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, severalColumns)
	case duck.Node:
		if class := text(v, "class"); class == "STAR" || class == "SUBQUERY" {
			return class == "STAR"
		}
		if text(v, "function_name") == "unnest" {
			return true
		}
		for _, child := range v {
			if severalColumns(child) {
				return true
			}
		}
	}
	return false
}

// namesTable reports whether a table reference lies anywhere in a node.
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

// renamed puts output names in place of DuckDB's.
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

// renamedSchema is renamed for a result.
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

// withSchema gives a batch another schema of the same types; the batch is consumed.
func withSchema(rec arrow.RecordBatch, s *arrow.Schema) arrow.RecordBatch {
	defer rec.Release()
	return array.NewRecordBatch(s, rec.Columns(), rec.NumRows())
}
