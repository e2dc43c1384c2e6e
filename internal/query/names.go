package query

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/duck"
)

// outputName is the name of a result column that replaces DuckDB's. DuckDB names an expression
// without an alias by its text, including sub-queries, which would show the text of relations.
type outputName struct {
	index   int // index of the column; behind a star it counts from the last column backwards (-1)
	name    string
	columns int // number of items in a select list without a star; 0 if there is a star
}

// outputNames finds the result columns whose names would show relations: expressions without an
// alias that name a table. The position of a column between two stars is not known. Such a column
// keeps DuckDB's name.
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
			continue // DuckDB cannot print it: the column keeps DuckDB's name
		}
		n.name = strings.TrimPrefix(printed, "SELECT ")
		out = append(out, n)
	}
	return out
}

// severalColumns reports whether an item of a select list may be any number of columns: it has a
// star outside of sub-queries, or unnests a value.
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

// namesTable reports whether a node contains a table reference.
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

// renamed replaces DuckDB's column names by names.
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

// renamedSchema does what renamed does, for the schema of a result.
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

// withSchema returns a batch with another schema of the same types. It releases the batch rec.
func withSchema(rec arrow.RecordBatch, s *arrow.Schema) arrow.RecordBatch {
	defer rec.Release()
	return array.NewRecordBatch(s, rec.Columns(), rec.NumRows())
}
