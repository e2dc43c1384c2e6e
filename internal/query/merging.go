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
)

// merges has, for each supported aggregate, the expression that merges its states into the result;
// %s is the column of states. A state is the aggregate over some of the rows, so the same
// expression also merges several states into one. Only approx_count_distinct has states of another
// kind.
var merges = map[string]string{
	"count": countMerge, "count_star": countMerge, "sum": "sum(%s)", "min": "min(%s)", "max": "max(%s)",
	"bool_and": "bool_and(%s)", "bool_or": "bool_or(%s)",
	approxDistinct: mergeSketches,
}

const (
	countMerge = "sum(%s)::BIGINT"
	// noneMerge is countMerge for queries without GROUP BY. Their result has a row even if there
	// are no states, and then the count must be 0.
	noneMerge = "coalesce(sum(%s), 0)::BIGINT"
)

// A state of approx_count_distinct is the set of the least hashes of the values, at most
// sketchHashes of them. The number of distinct values follows from how close together the hashes
// are. The result is exact up to sketchHashes values. Beyond that it has a standard error of 1 /
// sqrt(sketchHashes - 2), or 3.1%.
//
// DuckDB's own states can be stored, but another version of DuckDB cannot read them. The same is
// true for the results of DuckDB's hash(). For that reason MD5 is used.
const (
	approxDistinct = "approx_count_distinct"
	sketchHashes   = 1024
	sketch         = "SELECT min(DISTINCT md5_number_lower(CAST(value AS VARCHAR)), 1024)"
	joinSketches   = `list_sort(list_distinct(flatten(list(%[1]s) FILTER (%[1]s IS NOT NULL))))[1:1024]`
	mergeSketches  = `list_transform([` + joinSketches + `], ` +
		`lambda h: CASE WHEN coalesce(len(h), 0) < 1024 THEN coalesce(len(h), 0) ELSE round(1023 * 18446744073709551616 / h[1024]::DOUBLE)::BIGINT END)[1]`
)

// Division is a query with aggregates that was divided into two: one query computes states from
// some of the rows, and the other merges all states into the result. A view that a Kafka source
// fills works this way.
type Division struct {
	// The query that computes states from some of the rows; its result is added to a table of
	// states.
	States string
	Merged string // the query over the table of states that returns the result for all rows
	// Older is the text of Merged as earlier versions of Scoter made it. In it the count of no rows
	// is NULL instead of 0.
	Older string
	// Joined are expressions, with their aliases, that merge the states of a group into one state.
	// Groups are the quoted names of the columns of GROUP BY. If there are none, all states are one
	// group.
	Joined []string
	Groups []string
}

// Merging divides a query that aggregates a table of messages. messages is the name of that table,
// and table is the name of the table of states. The error is Invalid for a query that cannot be
// divided.
func (r *Runner) Merging(ctx context.Context, sql, messages, table string) (Division, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return Division{}, err
	}
	defer r.pool.Release(conn)
	node, err := conn.ParseSelect(sql)
	if err != nil {
		return Division{}, err
	}
	d := divider{conn: conn, perMessage: perMessage{messages: messages}, counts: map[int]string{}}
	if d.aggregates, err = d.names(ctx); err != nil {
		return Division{}, err
	}
	columns, err := d.divide(node)
	if err != nil {
		return Division{}, err
	}
	states, err := conn.PrintSelect(printable(node).(duck.Node))
	if err != nil {
		return Division{}, err
	}
	d.States = strings.TrimSuffix(strings.TrimSpace(states), ";")
	merged := func() string { return "SELECT " + strings.Join(columns, ", ") + " FROM " + table + " GROUP BY ALL" }
	d.Older = merged()
	if len(d.Groups) == 0 {
		for i, name := range d.counts {
			columns[i] = fmt.Sprintf(noneMerge, name) + " AS " + name
		}
	}
	d.Merged = merged()
	return d.Division, nil
}

// divider turns a query with aggregates into the query that computes states.
type divider struct {
	Division
	perMessage
	conn *duck.Conn
	// counts has the quoted names of the result columns that are counts, by the number of the
	// column.
	counts map[int]string
}

// names asks DuckDB for the names of its aggregates, and of the macros that call an aggregate.
func (d *divider) names(ctx context.Context) (map[string]bool, error) {
	rows, err := d.conn.Query(ctx, `SELECT DISTINCT function_name, NULL FROM duckdb_functions() WHERE function_type = 'aggregate' UNION ALL
		SELECT DISTINCT function_name, unnest(regexp_extract_all(macro_definition, '(\w+)"?\(', 1)) FROM duckdb_functions() WHERE function_type = 'macro'`)
	if err != nil {
		return nil, base.Wrap(err, "DuckDB's aggregates")
	}
	defer rows.Close()
	// macros has the names of macros by the functions that they call.
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

func (d *divider) divide(node duck.Node) (columns []string, err error) {
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

// checkGroups returns an error if an expression of GROUP BY is not a column of the result. Without
// that column, states of different groups would be merged.
func (d *divider) checkGroups(node duck.Node, items []any) error {
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
			return base.Errorf(base.Invalid, "group %d, %s, is no column of the view", i+1, strings.TrimPrefix(printed, "SELECT ")).WithHint("select it, once")
		}
		items[at] = nil // no item may be found twice: a.b and b.b may both look like b
	}
	return nil
}

// groupItem returns the index of the item of the select list that an expression of GROUP BY means,
// or -1. Like DuckDB it takes a name first for the name of a column, and only then for the alias of
// an item.
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

// column replaces item i of the select list by an expression for its state. merged is the
// expression that merges these states into the result. aggregate says whether the item is an
// aggregate; otherwise it is a column of GROUP BY.
func (d *divider) column(items []any, i int, item duck.Node) (merged string, aggregate bool, err error) {
	name := text(item, "alias")
	if names := stringsOf(item["column_names"]); name == "" && len(names) > 0 {
		name = names[len(names)-1]
	}
	if text(item, "class") == "STAR" {
		return "", false, base.Errorf(base.Invalid, "* does not say which columns there will be")
	}
	if name == "" {
		return "", false, base.Errorf(base.Invalid, "it has no name").WithHint("give it one: AS name")
	}
	quoted := schema.Quote(name)
	function := strings.ToLower(text(item, "function_name"))
	merge, ok := merges[function]
	if text(item, "class") != "FUNCTION" || !ok {
		if used := within(item, d.aggregates); used != "" {
			return "", false, base.Errorf(base.Invalid, "results of %s in %s cannot be merged", used, quoted).
				WithHint("count, sum, min, max, bool_and, bool_or and approx_count_distinct can, each as a column of its own: an average is sum / count")
		}
		d.Groups, d.Joined = append(d.Groups, quoted), append(d.Joined, quoted)
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
		d.Joined = append(d.Joined, fmt.Sprintf(joinSketches, quoted)+" AS "+quoted)
	} else {
		d.Joined = append(d.Joined, fmt.Sprintf(merge, quoted)+" AS "+quoted)
	}
	if merge == countMerge {
		d.counts[i] = quoted
	}
	return fmt.Sprintf(merge, quoted) + " AS " + quoted, true, nil
}
