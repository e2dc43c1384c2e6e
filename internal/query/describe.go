package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// describedQuery is a DESCRIBE of a query whose result may have columns of tables. For such a
// column the output says whether it can be NULL, whether it is in the primary key, and what its
// default is. Scoter adds this to DuckDB's output, because DuckDB sees only the relations that
// replace the tables.
type describedQuery struct {
	start, end int // byte offsets where DESCRIBE begins and where its query ends
	tables     []describedTable
	columns    []describedColumn
}

type describedTable struct {
	table int    // index in analysis.tables
	name  string // the name by which the query calls the table
}

// describedColumn is an item in the select list of a query that is described. For a column, table
// is its qualifier, or empty if it has none. For a star (*), name is "*". For any other expression,
// name is empty.
type describedColumn struct {
	table string
	name  string // name of the column, * for a star, or empty
}

// recordDescribe records the DESCRIBE of a query, if the query is a SELECT whose result has columns
// of the tables in its FROM. The argument first is the index in analysis.tables of the first of
// these tables.
func (w *walker) recordDescribe(query duck.Node, first int) {
	if text(query, "type") != "SELECT_NODE" || text(query, "aggregate_handling") != "STANDARD_HANDLING" || query["qualify"] != nil || len(list(query, "group_expressions")) > 0 ||
		len(list(object(query, "cte_map"), "map")) > 0 {
		return
	}
	d := describedQuery{}
	if !w.collectTables(object(query, "from_table"), &d, first) || len(d.tables) == 0 {
		return
	}
	for _, item := range list(query, "select_list") {
		expression, _ := item.(duck.Node)
		switch names := list(expression, "column_names"); {
		case hasWindow(expression), expandsToColumns(expression) && text(expression, "class") != "STAR":
			return
		case text(expression, "class") == "STAR":
			of := text(expression, "relation_name")
			plain := duck.Node{}
			for key, value := range expression {
				plain[key] = value
			}
			plain["relation_name"] = ""
			if !plainStar(plain) {
				return
			}
			d.columns = append(d.columns, describedColumn{of, "*"})
		case text(expression, "class") == "COLUMN_REF" && len(names) == 1:
			d.columns = append(d.columns, describedColumn{"", names[0].(string)})
		case text(expression, "class") == "COLUMN_REF" && len(names) == 2:
			d.columns = append(d.columns, describedColumn{names[0].(string), names[1].(string)})
		default:
			d.columns = append(d.columns, describedColumn{})
		}
	}
	if d.start, d.end = w.describeStatement(w.a.tables[d.tables[0].table].start); d.end > 0 {
		w.a.describes = append(w.a.describes, d)
	}
}

// collectTables collects the tables of a FROM clause from left to right. It returns false if the
// FROM has items that are not tables, or if a join removes columns.
func (w *walker) collectTables(ref duck.Node, d *describedQuery, first int) bool {
	switch text(ref, "type") {
	case "BASE_TABLE":
		i := slices.IndexFunc(w.a.tables[first:], func(t tableRef) bool { return t.name == w.location(ref) })
		if i < 0 || len(list(ref, "column_name_alias")) > 0 || ref["sample"] != nil {
			return false
		}
		name := text(ref, "alias")
		if name == "" {
			name = text(ref, "table_name")
		}
		d.tables = append(d.tables, describedTable{first + i, name})
		return true
	case "JOIN":
		switch text(ref, "join_type") {
		case "INNER", "LEFT", "RIGHT", "OUTER", "FULL":
		default:
			return false
		}
		return text(ref, "ref_type") != "NATURAL" && len(list(ref, "using_columns")) == 0 &&
			w.collectTables(object(ref, "left"), d, first) && w.collectTables(object(ref, "right"), d, first)
	}
	return false
}

// describeStatement returns the start and end of the DESCRIBE that contains a table name. table is
// the byte offset of the name. It returns 0, 0 if it does not find a DESCRIBE.
func (w *walker) describeStatement(table int) (start, end int) {
	tokens := w.a.tokens
	i := w.tokenAt(table)
	if i < 0 {
		return 0, 0
	}
	for depth := tokens[i].Depth; i >= 0 && !(shows(tokens[i]) && tokens[i].Depth <= depth); i-- {
		depth = min(depth, tokens[i].Depth)
	}
	if i < 0 {
		return 0, 0
	}
	to := i + 1
	for to < len(tokens) && tokens[to].Depth >= tokens[i].Depth {
		to++
	}
	return tokens[i].Start, tokens[to-1].End
}

func hasWindow(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, hasWindow)
	case duck.Node:
		if text(v, "class") == "WINDOW" {
			return true
		}
		for _, child := range v {
			if hasWindow(child) {
				return true
			}
		}
	}
	return false
}

func list(node duck.Node, key string) []any {
	l, _ := node[key].([]any)
	return l
}

// describeEdits returns edits that put a query around each DESCRIBE of a query. The outer query
// adds to the described columns the properties that DuckDB does not know.
func (b *binding) describeEdits(a *analysis, database, schemaName string) (splices sqltoken.Edits) {
	for _, d := range a.describes {
		tables := make([]*schema.Table, len(d.tables))
		for i, t := range d.tables {
			if tables[i] = b.targets[b.key(a, database, schemaName, &a.tables[t.table])].table; tables[i] == nil {
				break
			}
		}
		if slices.Contains(tables, nil) {
			continue
		}
		known := d.constraints(tables)
		if len(known) == 0 {
			continue
		}
		splices = append(splices,
			sqltoken.Edit{Start: d.start, End: d.start, Text: `SELECT column_name, column_type, coalesce(CAST(n AS VARCHAR), "null") AS "null", ` +
				`CAST(k AS VARCHAR) AS "key", CAST(v AS VARCHAR) AS "default", extra FROM (SELECT *, row_number() OVER () AS i FROM (`},
			sqltoken.Edit{Start: d.end, End: d.end, Text: ")) LEFT JOIN (VALUES " + strings.Join(known, ", ") + ") AS constrained(i, n, k, v) USING (i) ORDER BY i"})
	}
	return splices
}

// constraints returns SQL rows: one for each column of the result that is a column of a table. A
// row has the number of the column in the result, and its null, key and default as DESCRIBE shows
// them.
func (d *describedQuery) constraints(tables []*schema.Table) (rows []string) {
	n := 0
	add := func(t *schema.Table, c schema.Column) {
		n++
		rows = append(rows, fmt.Sprintf("(%d, %s)", n, strings.Join(constraintsOf(t, c), ", ")))
	}
	for _, column := range d.columns {
		found := false
		for i, t := range tables {
			if column.name == "" || column.table != "" && !sameName(column.table, d.tables[i].name) {
				continue
			}
			if column.name == "*" {
				for _, c := range t.Columns {
					add(t, c)
				}
				continue
			}
			if at := t.ColumnIndex(column.name); at >= 0 && !found {
				add(t, t.Columns[at])
				found = true
			}
		}
		if !found && column.name != "*" {
			n++
		}
	}
	return rows
}
