package duckdb

// join returns the output columns of a join, given the columns of its left and its right side.
// Rules for NULL:
//   - An outer join makes the columns of its optional side nullable.
//   - The mark of a mark join (a boolean column, the result of IN) is NULL for NULL keys.
//   - The conditions of an inner join prove that the compared columns are not NULL.
func (p *plan) join(o object, left, right columns) columns {
	left, right = mapped(left, o.list("left_projection_map")), mapped(right, o.list("right_projection_map"))
	switch o.text("join_type") {
	case "INNER":
		if len(o.list("left_projection_map"))+len(o.list("right_projection_map")) == 0 {
			for _, c := range o.objects("conditions") {
				if strictComparison[c.text("comparison")] {
					left, right = proveColumn(left, c.object("left")), proveColumn(right, c.object("right"))
				}
			}
		}
		return join(left, right)
	case "SINGLE":
		if alwaysHasRow(o) {
			return join(left, right)
		}
		return join(left, right.nulled())
	case "LEFT":
		return join(left, right.nulled())
	case "RIGHT":
		return join(left.nulled(), right)
	case "FULL", "OUTER":
		return join(left.nulled(), right.nulled())
	case "SEMI", "ANTI":
		return left
	case "RIGHT_SEMI", "RIGHT_ANTI":
		return right
	case "MARK":
		return join(left, anything(1))
	}
	return columns{}
}

// alwaysHasRow reports whether join o is the plan of a correlated subquery that has a row for every
// value of the outer query. Subqueries with an aggregate and without GROUP BY have such a plan. It
// consists of an outer join:
//   - Its left side is the distinct values of the outer query (DELIM_GET).
//   - Its right side is the result of the subquery.
//   - Nothing above it removes rows.
func alwaysHasRow(o object) bool {
	asked, conditions := o.objects("duplicate_eliminated_columns"), o.objects("conditions")
	children := o.objects("children")
	if o.text("type") != "LOGICAL_DELIM_JOIN" || o.flag("delim_flipped") || len(children) != 2 || len(asked) == 0 || len(asked) != len(conditions) {
		return false
	}
	var keys []object
	for i, c := range conditions {
		left := c.object("left")
		if c.text("comparison") != "COMPARE_NOT_DISTINCT_FROM" || !isColumn(left) || !isColumn(asked[i]) || left.number("index") != asked[i].number("index") {
			return false
		}
		keys = append(keys, c.object("right"))
	}
	in := children[1]
	for in.text("type") == "LOGICAL_PROJECTION" && len(in.objects("children")) == 1 {
		list := in.objects("expressions")
		for i, k := range keys {
			n := k.number("index")
			if !isColumn(k) || n < 0 || n >= len(list) {
				return false
			}
			keys[i] = list[n]
		}
		in = in.objects("children")[0]
	}
	children = in.objects("children")
	if in.text("type") != "LOGICAL_COMPARISON_JOIN" || in.text("join_type") != "LEFT" || len(children) != 2 || children[0].text("type") != "LOGICAL_DELIM_GET" ||
		len(in.list("left_projection_map")) > 0 || len(children[0].list("chunk_types")) != len(keys) {
		return false
	}
	for i, k := range keys {
		if !isColumn(k) || k.number("index") != i {
			return false
		}
	}
	return true
}

func isColumn(e object) bool { return e.text("expression_class") == "BOUND_REF" }

// markNotNull takes the input columns of a filter with condition e, and returns them as they are
// after the filter. A column becomes "never NULL" if the filter removes all rows in which it is
// NULL.
func markNotNull(in columns, e object) columns {
	switch e.text("expression_class") {
	case "BOUND_CONJUNCTION":
		if e.text("type") == "CONJUNCTION_AND" {
			for _, c := range e.objects("children") {
				in = markNotNull(in, c)
			}
		}
	case "BOUND_OPERATOR":
		if children := e.objects("children"); e.text("type") == "OPERATOR_IS_NOT_NULL" && len(children) == 1 {
			in = proveColumn(in, children[0])
		}
	case "BOUND_COMPARISON":
		if strictComparison[e.text("type")] {
			in = proveColumn(proveColumn(in, e.object("left")), e.object("right"))
		}
	}
	return in
}

// markNotNullIfFalse takes columns and a condition e. It returns the columns as they are in the
// rows for which e is not true. A column becomes "never NULL" if e would be true for a NULL in it.
func markNotNullIfFalse(in columns, e object) columns {
	if children := e.objects("children"); e.text("type") == "OPERATOR_IS_NULL" && len(children) == 1 {
		return proveColumn(in, children[0])
	}
	return in
}

var strictComparison = map[string]bool{
	"COMPARE_EQUAL": true, "COMPARE_NOTEQUAL": true, "COMPARE_LESSTHAN": true, "COMPARE_GREATERTHAN": true,
	"COMPARE_LESSTHANOREQUALTO": true, "COMPARE_GREATERTHANOREQUALTO": true,
}

func proveColumn(in columns, e object) columns {
	i := e.number("index")
	if !isColumn(e) || !in.known || i < 0 || i >= len(in.list) {
		return in
	}
	out := columns{known: true, list: append([]column{}, in.list...)}
	out.list[i].nullable = false
	return out
}
