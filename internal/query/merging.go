package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// mergeExpressions has, for each supported aggregate, the SQL expression that merges its states
// into the result; %s stands for the column of states. A state is the aggregate over some of the
// rows, so the same expression also merges several states into one. Only approx_count_distinct has
// states of another kind.
var mergeExpressions = map[string]string{
	"count": countMerge, "count_star": countMerge, "sum": "sum(%s)", "min": "min(%s)", "max": "max(%s)",
	"bool_and": "bool_and(%s)", "bool_or": "bool_or(%s)",
	approxDistinct: mergeSketches,
}

const (
	countMerge = "sum(%s)::BIGINT"
	// noneMerge is the expression countMerge for queries without GROUP BY. The result of such a
	// query has a row even if there are no states, and then the count must be 0.
	noneMerge = "coalesce(sum(%s), 0)::BIGINT"
)

// A state of approx_count_distinct is the set of the least hashes of the values, at most
// sketchHashes of them. The number of distinct values follows from how close together the hashes
// are. The result is exact up to sketchHashes values. Beyond that it has a standard error of 1 /
// sqrt(sketchHashes - 2), or 3.1%.
//
// DuckDB's own states could be stored, but another version of DuckDB could not read them. The
// results of DuckDB's hash() may differ between versions too, so MD5 is used.
const (
	approxDistinct = "approx_count_distinct"
	sketchHashes   = 1024
	sketch         = "SELECT min(DISTINCT md5_number_lower(CAST(value AS VARCHAR)), 1024)"
	joinSketches   = `list_sort(list_distinct(flatten(list(%[1]s) FILTER (%[1]s IS NOT NULL))))[1:1024]`
	mergeSketches  = `list_transform([` + joinSketches + `], ` +
		`lambda h: CASE WHEN coalesce(len(h), 0) < 1024 THEN coalesce(len(h), 0) ELSE round(1023 * 18446744073709551616 / h[1024]::DOUBLE)::BIGINT END)[1]`
)

// SplitAggregate divides a query that aggregates a table of Kafka messages into two queries.
// messages is the name of that table, and table is the name of the table of states. The error is
// Invalid if the query cannot be divided.
func (r *Runner) SplitAggregate(ctx context.Context, sql, messages, table string) (sqlquery.SplitAggregate, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return sqlquery.SplitAggregate{}, err
	}
	defer r.pool.Release(conn)
	node, err := conn.ParseSelect(sql)
	if err != nil {
		return sqlquery.SplitAggregate{}, err
	}
	d := splitter{conn: conn, perMessage: perMessage{messages: messages}, counts: map[int]string{}}
	if d.aggregates, err = d.names(ctx); err != nil {
		return sqlquery.SplitAggregate{}, err
	}
	columns, err := d.split(node)
	if err != nil {
		return sqlquery.SplitAggregate{}, err
	}
	states, err := conn.PrintSelect(printable(node).(duck.Node))
	if err != nil {
		return sqlquery.SplitAggregate{}, err
	}
	d.StatesSQL = strings.TrimSuffix(strings.TrimSpace(states), ";")
	merged := func() string { return "SELECT " + strings.Join(columns, ", ") + " FROM " + table + " GROUP BY ALL" }
	d.PreviousMerged = merged()
	if len(d.GroupColumns) == 0 {
		for i, name := range d.counts {
			columns[i] = fmt.Sprintf(noneMerge, name) + " AS " + name
		}
	}
	d.MergedSQL = merged()
	return d.SplitAggregate, nil
}

// splitter turns a query with aggregates into the query that computes states (partial results).
type splitter struct {
	sqlquery.SplitAggregate
	perMessage
	conn *duck.Conn
	// counts has the result columns that are counts: their quoted names, by the number of the
	// column.
	counts map[int]string
}

// names asks DuckDB for the names of its aggregates, and of its macros that call an aggregate.
func (d *splitter) names(ctx context.Context) (map[string]bool, error) {
	rows, err := d.conn.Query(ctx, `SELECT DISTINCT function_name, NULL FROM duckdb_functions() WHERE function_type = 'aggregate' UNION ALL
		SELECT DISTINCT function_name, unnest(regexp_extract_all(macro_definition, '(\w+)"?\(', 1)) FROM duckdb_functions() WHERE function_type = 'macro'`)
	if err != nil {
		return nil, base.Wrap(err, "DuckDB's aggregates")
	}
	defer rows.Close()
	// macros[function] are the names of the macros that call this function.
	names, macros := map[string]bool{"count_star": true}, map[string][]string{}
	for {
		rec, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, base.Wrap(err, "DuckDB's aggregates")
		}
		for i := range int(rec.NumRows()) {
			name := strings.Clone(rec.Column(0).ValueStr(i))
			if rec.Column(1).IsNull(i) {
				names[name] = true
			} else {
				called := strings.Clone(rec.Column(1).ValueStr(i))
				macros[called] = append(macros[called], name)
			}
		}
		rec.Release()
	}
	for todo := slices.Collect(maps.Keys(names)); len(todo) > 0; todo = todo[1:] {
		for _, macro := range macros[todo[0]] {
			if !names[macro] {
				names[macro] = true
				todo = append(todo, macro)
			}
		}
	}
	return names, nil
}

func (d *splitter) split(node duck.Node) (columns []string, err error) {
	if text(node, "type") != "SELECT_NODE" || len(listOf(node, "modifiers")) > 0 || node["having"] != nil || node["qualify"] != nil || node["sample"] != nil {
		return nil, base.Errorf(base.Invalid, "results of batches are merged only for one SELECT without DISTINCT, HAVING, QUALIFY, ORDER BY and LIMIT").
			WithHint("the query that reads the view may have them")
	}
	if err := d.selectNode(node, nil); err != nil {
		return nil, err
	}
	items := listOf(node, "select_list")
	if err := d.checkGroups(node, slices.Clone(items)); err != nil {
		return nil, err
	}
	found := false
	for i, item := range items {
		column, aggregate, err := d.column(items, i, item.(duck.Node))
		if err != nil {
			return nil, base.Wrap(err, "column %d", i+1)
		}
		columns = append(columns, column)
		found = found || aggregate
	}
	if !found {
		return nil, base.Errorf(base.Invalid, "a query without aggregates has nothing to merge").WithHint("INTO TABLE name AS SELECT ...")
	}
	return columns, nil
}

// checkGroups returns an error if an expression in GROUP BY is not a column of the result. Without
// that column, states of different groups would be merged.
func (d *splitter) checkGroups(node duck.Node, items []any) error {
	if len(listOf(node, "group_sets")) > 1 {
		return base.Errorf(base.Invalid, "results of ROLLUP, CUBE and GROUPING SETS cannot be merged: a subtotal and a group of NULL look alike").
			WithHint("the query that reads the view may have them")
	}
	for i, group := range listOf(node, "group_expressions") {
		at := groupItem(group.(duck.Node), items)
		if at < 0 {
			printed, err := d.conn.PrintSelect(printable(selectOf([]duck.Node{group.(duck.Node)})).(duck.Node))
			if err != nil {
				return err
			}
			return base.Errorf(base.Invalid, "group %d, %s, is not a column of the view", i+1, strings.TrimPrefix(printed, "SELECT ")).WithHint("select it exactly once")
		}
		// Each item may be found only once. Otherwise a.b and b.b could both count as the same
		// item.
		items[at] = nil
	}
	return nil
}

// groupItem returns the index of the item in the select list that an expression in GROUP BY means,
// or -1. It treats a name as DuckDB does: as the name of a column if there is one, and otherwise as
// the alias of an item.
func groupItem(group duck.Node, items []any) int {
	if number, ok := object(group, "value")["value"].(json.Number); ok && text(group, "class") == "CONSTANT" {
		if at, err := number.Int64(); err == nil && at >= 1 && at <= int64(len(items)) && items[at-1] != nil {
			return int(at) - 1
		}
		return -1
	}
	if at := slices.IndexFunc(items, func(item any) bool { return item != nil && sameExpression(group, item) }); at >= 0 {
		return at
	}
	names := stringsOf(group["column_names"])
	if text(group, "class") != "COLUMN_REF" || len(names) != 1 {
		return -1
	}
	name := schema.Fold(names[0])
	return slices.IndexFunc(items, func(item any) bool {
		n, ok := item.(duck.Node)
		if !ok || schema.Fold(text(n, "alias")) != name {
			return false
		}
		var named namedColumns
		named.collect(n)
		return !named.names[name]
	})
}

// column replaces item i of the select list by an expression that computes its state. merged is the
// expression that merges these states into the result. aggregate says whether the item is an
// aggregate. If it is not, the item is a column of GROUP BY.
func (d *splitter) column(items []any, i int, item duck.Node) (merged string, aggregate bool, err error) {
	name := text(item, "alias")
	if names := stringsOf(item["column_names"]); name == "" && len(names) > 0 {
		name = names[len(names)-1]
	}
	if text(item, "class") == "STAR" {
		return "", false, base.Errorf(base.Invalid, "* does not say which columns the view has")
	}
	if name == "" {
		return "", false, base.Errorf(base.Invalid, "it has no name").WithHint("give it one: AS name")
	}
	quoted := schema.Quote(name)
	function := strings.ToLower(text(item, "function_name"))
	merge, ok := mergeExpressions[function]
	if text(item, "class") != "FUNCTION" || !ok {
		if used := findAggregate(item, d.aggregates); used != "" {
			return "", false, base.Errorf(base.Invalid, "results of %s in %s cannot be merged", used, quoted).
				WithHint("count, sum, min, max, bool_and, bool_or and approx_count_distinct can, each as a separate column: an average is sum / count")
		}
		d.GroupColumns, d.JoinExpressions = append(d.GroupColumns, quoted), append(d.JoinExpressions, quoted)
		return quoted, false, nil
	}
	children, _ := item["children"].([]any)
	if item["distinct"] == true || len(children) > 1 {
		return "", false, base.Errorf(base.Invalid, "%s with DISTINCT, or with more than one argument, cannot be merged", function).
			WithHint("approx_count_distinct(value) can")
	}
	if function == approxDistinct {
		state, err := d.conn.ParseSelect(sketch)
		if err != nil {
			return "", false, err
		}
		least := state["select_list"].([]any)[0].(duck.Node)
		least["children"].([]any)[0].(duck.Node)["children"].([]any)[0].(duck.Node)["child"] = children[0]
		least["alias"], least["filter"] = name, item["filter"]
		items[i] = least
		d.JoinExpressions = append(d.JoinExpressions, fmt.Sprintf(joinSketches, quoted)+" AS "+quoted)
	} else {
		d.JoinExpressions = append(d.JoinExpressions, fmt.Sprintf(merge, quoted)+" AS "+quoted)
	}
	if merge == countMerge {
		d.counts[i] = quoted
	}
	return fmt.Sprintf(merge, quoted) + " AS " + quoted, true, nil
}
