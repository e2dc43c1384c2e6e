package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// merges says how states of an aggregate become its result, for those whose states are their results so far, which are
// merged to one state in the same way; %s is the column of states.
var merges = map[string]string{
	"count": "sum(%s)::BIGINT", "count_star": "sum(%s)::BIGINT", "sum": "sum(%s)", "min": "min(%s)", "max": "max(%s)",
	"bool_and": "bool_and(%s)", "bool_or": "bool_or(%s)",
	approxDistinct: mergeSketches,
}

// The state of approx_count_distinct is the least hashes of the values that came, sketchHashes of them at most. How
// close together they lie says how many there are: the result is exact up to sketchHashes, and has a standard error of
// 1 / sqrt(sketchHashes - 2), 3.1%, beyond. DuckDB's own states can be stored, but not read by its next version; so
// can what its hash() gives: hence MD5.
const (
	approxDistinct = "approx_count_distinct"
	sketchHashes   = 1024
	sketch         = "SELECT min(DISTINCT md5_number_lower(CAST(value AS VARCHAR)), 1024)"
	joinSketches   = `list_sort(list_distinct(flatten(list(%[1]s) FILTER (%[1]s IS NOT NULL))))[1:1024]`
	mergeSketches  = `list_transform([` + joinSketches + `], ` +
		`lambda h: CASE WHEN coalesce(len(h), 0) < 1024 THEN coalesce(len(h), 0) ELSE round(1023 * 18446744073709551616 / h[1024]::DOUBLE)::BIGINT END)[1]`
)

// Division is a query that aggregates, divided so that its result for all rows follows from states of some rows each.
type Division struct {
	States string // the query of the states of some of the rows; they are put into a table
	Merged string // the query of that table that gives the result for all rows
	// Joined are the expressions, each with its name, that make one state for each group of the table's states; without
	// Groups, which are the quoted names of the group's columns, there is one group.
	Joined []string
	Groups []string
}

// Merging divides a query that aggregates, with a table for the states. The error is Invalid for a query that cannot be
// divided.
func (r *Runner) Merging(ctx context.Context, sql, table string) (Division, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return Division{}, err
	}
	defer r.pool.Release(conn)
	node, err := conn.ParseSelect(sql)
	if err != nil {
		return Division{}, err
	}
	d := divider{conn: conn}
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
	d.Merged = "SELECT " + strings.Join(columns, ", ") + " FROM " + table + " GROUP BY ALL"
	return d.Division, nil
}

// divider turns a query into that of its states.
type divider struct {
	Division
	conn       *duck.Conn
	aggregates map[string]bool
}

// names asks DuckDB for its aggregates.
func (d *divider) names(ctx context.Context) (map[string]bool, error) {
	rows, err := d.conn.Query(ctx, "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
	if err != nil {
		return nil, base.Wrap(err, "DuckDB's aggregates")
	}
	defer rows.Close()
	names := map[string]bool{"count_star": true}
	for {
		rec, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, base.Wrap(err, "DuckDB's aggregates")
		}
		for i := range int(rec.NumRows()) {
			names[strings.Clone(rec.Column(0).ValueStr(i))] = true
		}
		rec.Release()
	}
}

func (d *divider) divide(node duck.Node) (columns []string, err error) {
	modifiers, _ := node["modifiers"].([]any)
	if text(node, "type") != "SELECT_NODE" || len(modifiers) > 0 || node["having"] != nil || node["qualify"] != nil || node["sample"] != nil {
		return nil, base.Errorf(base.Invalid, "results of batches are merged only for one SELECT without DISTINCT, HAVING, QUALIFY, ORDER BY and LIMIT").
			WithHint("the query that reads the view may have them")
	}
	items, _ := node["select_list"].([]any)
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

// column puts the expression of a state in the place of the i-th item, and returns the one that merges states.
func (d *divider) column(items []any, i int, item duck.Node) (merged string, aggregate bool, err error) {
	name := text(item, "alias")
	if names, _ := item["column_names"].([]any); name == "" && len(names) > 0 {
		name, _ = names[len(names)-1].(string)
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
		if used := d.within(item); used != "" {
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
	return fmt.Sprintf(merge, quoted) + " AS " + quoted, true, nil
}

// within returns an aggregate that an expression has anywhere, or "".
func (d *divider) within(v any) string {
	switch v := v.(type) {
	case duck.Node:
		if name := strings.ToLower(text(v, "function_name")); text(v, "class") == "FUNCTION" && d.aggregates[name] {
			return name
		}
		for _, child := range v {
			if used := d.within(child); used != "" {
				return used
			}
		}
	case []any:
		for _, child := range v {
			if used := d.within(child); used != "" {
				return used
			}
		}
	}
	return ""
}
