package duckdb

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// plan finds out which columns of a query's result can be NULL. It reads the bound, unoptimised
// logical plan of the query, as DuckDB's json_serialize_plan returns it. In this plan names are
// resolved, views and macros are expanded, and correlated subqueries are turned into joins. An
// expression refers to the columns of its operator's input by position.
//
// Nullability is computed from the leaves of the plan upward. For each output column of an
// operator, it is known whether the column can be NULL, and which table column it is. A column is
// "never NULL" only because of a constraint, or because of a rule of SQL that a comment names. If
// no rule applies, the column can be NULL.
type plan struct {
	// notNull reports whether a table's column has a NOT NULL constraint or is in the primary key.
	notNull func(catalog, schema, table, column string) bool
	// nullableParam reports whether the query's parameter n may be NULL. Parameters are counted
	// from 1.
	nullableParam func(n int) bool
	// ctes has the columns of each query in a WITH clause. The key is the table index that the plan
	// gives this query.
	ctes  map[string]columns
	depth int
}

// column is what is known about one output column of an operator in a query plan: whether it can be
// NULL, and from which table column it comes.
type column struct {
	nullable bool
	origin   *ir.Origin
}

// columns is what is known about the output columns of an operator in a query plan. If the field
// known is false, nothing is known, not even how many columns there are.
type columns struct {
	known bool
	list  []column
}

func (c columns) at(i int) column {
	if !c.known || i < 0 || i >= len(c.list) {
		return column{nullable: true}
	}
	return c.list[i]
}

func (c columns) nulled() columns {
	out := columns{known: c.known}
	for _, col := range c.list {
		out.list = append(out.list, column{true, col.origin})
	}
	return out
}

func join(a, b columns) columns {
	return columns{known: a.known && b.known, list: append(append([]column{}, a.list...), b.list...)}
}

func anything(n int) columns {
	c := columns{known: true}
	for range n {
		c.list = append(c.list, column{nullable: true})
	}
	return c
}

// object is a JSON object in DuckDB's serialised query plan.
type object map[string]any

func (o object) text(key string) string { s, _ := o[key].(string); return s }
func (o object) number(key string) int  { f, _ := o[key].(float64); return int(f) }
func (o object) object(key string) object {
	m, _ := o[key].(map[string]any)
	return m
}
func (o object) list(key string) []any { l, _ := o[key].([]any); return l }
func (o object) flag(key string) bool  { b, _ := o[key].(bool); return b }
func (o object) objects(key string) []object {
	var out []object
	for _, v := range o.list(key) {
		m, _ := v.(map[string]any)
		out = append(out, m)
	}
	return out
}

// nonFinite matches Infinity and NaN in DuckDB's JSON. DuckDB writes them as numbers, although JSON
// does not allow them (1e1000 is Infinity). It also matches whole strings, so that words inside of
// strings are not taken for numbers.
var nonFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// parsePlan parses the JSON that DuckDB's json_serialize_plan returned. It returns nil if DuckDB
// has no plan for the statement.
func parsePlan(text string) (object, error) {
	var answer struct {
		Error bool             `json:"error"`
		Plans []map[string]any `json:"plans"`
	}
	text = nonFinite.ReplaceAllStringFunc(text, func(token string) string {
		if token[0] == '"' {
			return token
		}
		// 0 replaces Infinity or NaN. Any number will do, because the analysis does not use the
		// values of constants.
		return "0"
	})
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	if answer.Error || len(answer.Plans) != 1 {
		return nil, nil
	}
	return answer.Plans[0], nil
}

const maxDepth = 400

func (p *plan) operator(o object) columns {
	if p.depth++; p.depth > maxDepth || o == nil {
		p.depth--
		return columns{}
	}
	defer func() { p.depth-- }()
	children := o.objects("children")
	child := func(i int) columns {
		if i >= len(children) {
			return columns{}
		}
		return p.operator(children[i])
	}
	switch o.text("type") {
	case "LOGICAL_GET":
		return p.get(o)
	case "LOGICAL_DUMMY_SCAN":
		return anything(1)
	case "LOGICAL_DELIM_GET", "LOGICAL_CHUNK_GET":
		if types := o.list("chunk_types"); types != nil {
			return anything(len(types))
		}
	case "LOGICAL_EXPRESSION_GET":
		return p.rows(o, child(0))
	case "LOGICAL_PROJECTION":
		return p.expressions(o.objects("expressions"), child(0))
	case "LOGICAL_FILTER":
		in := child(0)
		for _, e := range o.objects("expressions") {
			in = markNotNull(in, e)
		}
		return mapped(in, o.list("projection_map"))
	case "LOGICAL_ORDER_BY":
		return mapped(child(0), o.list("projection_map"))
	case "LOGICAL_LIMIT", "LOGICAL_TOP_N", "LOGICAL_DISTINCT", "LOGICAL_SAMPLE":
		return child(0)
	case "LOGICAL_CROSS_PRODUCT":
		return join(child(0), child(1))
	case "LOGICAL_POSITIONAL_JOIN":
		return join(child(0).nulled(), child(1).nulled())
	case "LOGICAL_COMPARISON_JOIN", "LOGICAL_DELIM_JOIN", "LOGICAL_ANY_JOIN", "LOGICAL_ASOF_JOIN", "LOGICAL_DEPENDENT_JOIN":
		return p.join(o, child(0), child(1))
	case "LOGICAL_AGGREGATE_AND_GROUP_BY":
		return p.aggregate(o, child(0))
	case "LOGICAL_WINDOW":
		in := child(0)
		out := columns{known: in.known, list: append([]column{}, in.list...)}
		for _, e := range o.objects("expressions") {
			out.list = append(out.list, column{nullable: window(e)})
		}
		return out
	case "LOGICAL_UNNEST":
		in := child(0)
		return join(in, anything(len(o.list("expressions"))))
	case "LOGICAL_UNION", "LOGICAL_EXCEPT", "LOGICAL_INTERSECT":
		return setOperation(o.text("type"), children, child)
	case "LOGICAL_MATERIALIZED_CTE":
		p.ctes[fmt.Sprint(o["table_index"])] = child(0)
		return child(1)
	case "LOGICAL_RECURSIVE_CTE":
		return p.recursive(o, child)
	case "LOGICAL_CTE_REF":
		return p.ctes[fmt.Sprint(o["cte_index"])]
	}
	return columns{}
}

// mapped returns the columns that an operator passes on. The parameter in has the operator's input
// columns, and projection the positions of the columns to pass on. An empty projection passes on
// all columns.
func mapped(in columns, projection []any) columns {
	if len(projection) == 0 {
		return in
	}
	out := columns{known: in.known}
	for _, v := range projection {
		i, _ := v.(float64)
		out.list = append(out.list, in.at(int(i)))
	}
	return out
}

// get returns the columns of a scan of a table or of a table function. For a table, its constraints
// say which columns are never NULL. The columns of a table function can be NULL, except those of
// functions that generate numbers.
func (p *plan) get(o object) columns {
	if len(o.list("projected_input")) > 0 || len(o.list("children")) > 0 {
		// A table function that takes rows as input may also return the columns of its input. So
		// nothing is known about its columns.
		return columns{}
	}
	out := columns{known: true}
	names := o.list("names")
	data := o.object("function_data")
	schema, table := data.text("schema"), data.text("table")
	isTable := o.text("name") == "seq_scan" && table != ""
	for _, index := range o.objects("column_indexes") {
		i := index.number("index")
		c := column{nullable: true}
		if len(index.list("child_indexes")) == 0 && i >= 0 && i < len(names) {
			name, _ := names[i].(string)
			switch {
			case isTable:
				c.origin = &ir.Origin{Schema: schema, Table: table, Column: name}
				c.nullable = !p.notNull(data.text("catalog"), schema, table, name)
			case o.text("name") == "range" || o.text("name") == "generate_series":
				c.nullable = false
			}
		}
		out.list = append(out.list, c)
	}
	return mapped(out, o.list("projection_ids"))
}

// rows returns the columns of a VALUES list. A column is never NULL if none of its values can be
// NULL.
func (p *plan) rows(o object, in columns) columns {
	var out columns
	for n, row := range o.list("expressions") {
		list, _ := row.([]any)
		var cells []object
		for _, e := range list {
			m, _ := e.(map[string]any)
			cells = append(cells, m)
		}
		now := p.expressions(cells, in)
		if n == 0 {
			out = now
			out.known = true
			continue
		}
		for i := range out.list {
			out.list[i].nullable = out.list[i].nullable || now.at(i).nullable
		}
	}
	return out
}

func (p *plan) expressions(list []object, in columns) columns {
	out := columns{known: true}
	for _, e := range list {
		c := column{nullable: p.nullable(e, in)}
		if e.text("expression_class") == "BOUND_REF" {
			c.origin = in.at(e.number("index")).origin
		}
		out.list = append(out.list, c)
	}
	return out
}

// aggregate returns the columns of a GROUP BY operator: the group columns, the results of aggregate
// functions, and those of GROUPING().
func (p *plan) aggregate(o object, in columns) columns {
	groups := o.objects("groups")
	sets := o.list("grouping_sets")
	out := columns{known: true}
	for i, g := range groups {
		c := p.expressions([]object{g}, in).list[0]
		for _, set := range sets {
			if !holds(set, i) {
				c.nullable = true
			}
		}
		out.list = append(out.list, c)
	}
	// hasRow means that every group has at least one row. This is not certain in two cases, in
	// which the only group consists of all rows, and there may be none: without GROUP BY, and for
	// an empty grouping set.
	hasRow := len(groups) > 0
	for _, set := range sets {
		if list, _ := set.([]any); len(list) == 0 {
			hasRow = false
		}
	}
	for _, e := range o.objects("expressions") {
		out.list = append(out.list, column{nullable: p.aggregateFunction(e, in, hasRow)})
	}
	for range o.list("grouping_functions") {
		out.list = append(out.list, column{})
	}
	return out
}

func holds(set any, group int) bool {
	list, _ := set.([]any)
	for _, v := range list {
		if i, _ := v.(float64); int(i) == group {
			return true
		}
	}
	return false
}

// nonNullAggregates are the aggregate functions whose result is not NULL if there is at least one
// row and their arguments are never NULL.
var nonNullAggregates = map[string]bool{
	"sum": true, "sum_no_overflow": true, "min": true, "max": true, "avg": true, "mean": true, "list": true, "array_agg": true, "string_agg": true, "group_concat": true, "listagg": true,
	"first": true, "last": true, "any_value": true, "arbitrary": true, "bool_and": true, "bool_or": true, "count_if": true,
}

func (p *plan) aggregateFunction(e object, in columns, hasRow bool) bool {
	name := e.text("name")
	if name == "count" || name == "count_star" {
		return false
	}
	if !hasRow || e["filter"] != nil || !nonNullAggregates[name] {
		return true
	}
	for _, c := range e.objects("children") {
		if p.nullable(c, in) {
			return true
		}
	}
	return false
}

// window reports whether the result of a window function, the expression e, can be NULL. Ranks and
// counts have a value in every row.
func window(e object) bool {
	switch e.text("type") {
	case "WINDOW_ROW_NUMBER", "WINDOW_RANK", "WINDOW_RANK_DENSE", "WINDOW_PERCENT_RANK", "WINDOW_CUME_DIST":
		return false
	case "WINDOW_AGGREGATE":
		return e.text("name") != "count" && e.text("name") != "count_star"
	}
	return true
}

func setOperation(kind string, children []object, child func(int) columns) columns {
	out := child(0)
	for i := 1; i < len(children); i++ {
		next := child(i)
		if !out.known || !next.known || len(out.list) != len(next.list) {
			return columns{}
		}
		merged := columns{known: true}
		for j := range out.list {
			a, b := out.list[j].nullable, next.list[j].nullable
			switch kind {
			case "LOGICAL_UNION":
				a = a || b
			case "LOGICAL_INTERSECT":
				a = a && b
			}
			merged.list = append(merged.list, column{nullable: a})
		}
		out = merged
	}
	return out
}

// recursive returns the columns of a recursive query. Such a query is a union of two queries: the
// first one is the start, and the second one, the step, reads the rows of the union. recursive
// assumes that the columns are those of the start, computes the columns of the step with this
// assumption, and repeats until nothing changes. Columns only change from "never NULL" to "can be
// NULL", so the loop ends.
func (p *plan) recursive(o object, child func(int) columns) columns {
	if len(o.list("key_targets")) > 0 || len(o.list("payload_aggregates")) > 0 {
		return columns{} // nothing is claimed about a recursive query with USING KEY
	}
	key := fmt.Sprint(o["table_index"])
	now := child(0)
	if !now.known {
		return columns{}
	}
	now = columns{known: true, list: append([]column{}, now.list...)}
	for range len(now.list) + 1 {
		p.ctes[key] = now
		step := child(1)
		changed := false
		next := columns{known: true}
		for i, c := range now.list {
			again := c.nullable || step.at(i).nullable
			changed = changed || again != c.nullable
			next.list = append(next.list, column{nullable: again})
		}
		if now = next; !changed {
			p.ctes[key] = now
			return now
		}
	}
	return columns{}
}
