package postgres

// nullable reports whether the value of expression e can be NULL. l is the query that the
// expression belongs to.
func (w *walker) nullable(l *level, e *node) bool {
	if e == nil {
		return true
	}
	if w.depth++; w.depth > maxDepth {
		w.depth--
		return true
	}
	defer func() { w.depth-- }()
	switch e.tag {
	case "VAR":
		return w.variable(l, e)
	case "CONST":
		return e.flag("constisnull")
	case "PARAM":
		return e.num("paramkind") != 0 || w.nullableParam(e.num("paramid")-1)
	case "RELABELTYPE", "COERCEVIAIO", "ARRAYCOERCEEXPR", "CONVERTROWTYPEEXPR", "COLLATEEXPR", "COERCETODOMAIN":
		return w.nullable(l, e.get("arg"))
	case "AGGREF":
		return w.aggregate(l, e)
	case "WINDOWFUNC":
		return w.window(l, e)
	case "FUNCEXPR":
		return w.function(l, e)
	case "OPEXPR":
		return !w.strictOperator(e) || w.any(l, e.list("args"))
	case "BOOLEXPR":
		return w.any(l, e.list("args"))
	case "NULLTEST", "BOOLEANTEST", "DISTINCTEXPR", "GROUPINGFUNC", "ARRAYEXPR", "ARRAY", "ROWEXPR", "ROW", "MERGESUPPORTFUNC":
		// The values of these expressions are never NULL: IS NULL, IS TRUE, IS DISTINCT FROM,
		// GROUPING(), ARRAY[], ROW().
		return false
	case "SCALARARRAYOPEXPR":
		args := e.list("args")
		return !w.strictOperator(e) || len(args) != 2 || args[1].tag != "ARRAYEXPR" && args[1].tag != "ARRAY" || w.nullable(l, args[0]) || w.any(l, args[1].list("elements"))
	case "COALESCEEXPR", "COALESCE", "MINMAXEXPR", "MINMAX":
		for _, a := range e.list("args") {
			if !w.nullable(l, a) {
				return false
			}
		}
		return true
	case "CASEEXPR", "CASE":
		for _, when := range e.list("args") {
			if w.nullable(l, when.get("result")) {
				return true
			}
		}
		return w.nullable(l, e.get("defresult"))
	case "SUBLINK":
		return w.sublink(l, e)
	case "SQLVALUEFUNCTION":
		// op is PostgreSQL's number of the function. The functions from CURRENT_DATE to
		// LOCALTIMESTAMP(n) have numbers up to 8, and are never NULL. The others, such as
		// CURRENT_USER and CURRENT_SCHEMA, may be NULL.
		return e.num("op") > 8
	}
	return true
}

func (w *walker) any(l *level, list []*node) bool {
	for _, e := range list {
		if w.nullable(l, e) {
			return true
		}
	}
	return false
}

// aggregate reports whether the result of an aggregate function can be NULL. count is never NULL.
// The functions in nonNullAggregates are not NULL if the group has at least one row and their
// argument is never NULL. Without GROUP BY, the only group may have no row.
func (w *walker) aggregate(l *level, e *node) bool {
	name := w.name("pg_proc", e.num("aggfnoid"))
	if name == "count" {
		return false
	}
	grouped := len(l.query.list("groupClause")) > 0 && !l.sets
	if !grouped || e.get("aggfilter") != nil || !nonNullAggregates[name] || e.num("agglevelsup") != 0 {
		return true
	}
	args := e.list("args")
	if len(args) == 0 {
		return true
	}
	return w.nullable(l, args[0].get("expr"))
}

var nonNullAggregates = map[string]bool{
	"sum": true, "min": true, "max": true, "avg": true, "bool_and": true, "bool_or": true, "every": true, "string_agg": true,
	"array_agg": true, "json_agg": true, "jsonb_agg": true,
}

// window reports whether the result of a window function, the expression e, can be NULL. Functions
// for ranks and counts have a value in every row. The result of other functions depends on the
// frame.
func (w *walker) window(l *level, e *node) bool {
	switch w.name("pg_proc", e.num("winfnoid")) {
	case "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "count":
		return false
	case "ntile":
		return w.any(l, e.list("args"))
	}
	return true
}

// total is the set of built-in functions whose result is NULL only if an argument is.
var total = map[string]bool{
	"lower": true, "upper": true, "initcap": true, "length": true, "char_length": true, "octet_length": true, "btrim": true, "ltrim": true, "rtrim": true,
	"replace": true, "left": true, "right": true, "repeat": true, "reverse": true, "substr": true, "lpad": true, "rpad": true, "md5": true, "ascii": true, "chr": true,
	"abs": true, "round": true, "trunc": true, "ceil": true, "ceiling": true, "floor": true, "sign": true, "sqrt": true, "power": true, "mod": true, "exp": true, "ln": true,
	"date_trunc": true, "now": true, "clock_timestamp": true, "statement_timestamp": true, "transaction_timestamp": true, "timezone": true, "random": true, "gen_random_uuid": true,
	"make_date": true, "concat": true, "nextval": true, "cardinality": true, "starts_with": true, "strpos": true, "position": true, "to_hex": true,
	"jsonb_build_object": true, "jsonb_build_array": true, "json_build_object": true, "json_build_array": true, "split_part": true, "translate": true, "age": true,
	"array_append": true, "array_cat": true,
}

// function reports whether the result of a function call, the expression e, can be NULL. Casts
// between built-in types are NULL only for NULL, except:
//   - casts from JSON, because a JSON null becomes NULL
//   - casts of a timestamp to a time of day, because an infinite timestamp has no time of day
//
// The functions in the set total are NULL only if an argument is. That is not true of a function
// that also exists for ranges: lower() of an empty or unbounded range is NULL.
func (w *walker) function(l *level, e *node) bool {
	name := w.functionName(e)
	switch {
	case name == "", e.flag("funcretset"):
		return true
	case name == "concat", name == "jsonb_build_array", name == "json_build_array":
		// These functions ignore NULL arguments, or return them inside of their result. The result
		// itself is NULL only if the arguments are passed as one list (VARIADIC), and the list is
		// NULL.
		return e.flag("funcvariadic") && w.any(l, e.list("args"))
	case e.num("funcformat") == 1 || e.num("funcformat") == 2:
		for _, a := range e.list("args") {
			t, timeOfDay := typeOf(a), e.num("funcresulttype") == 1083 || e.num("funcresulttype") == 1266
			if t == 0 || t == 114 || t == 3802 || (t == 1114 || t == 1184) && timeOfDay {
				return true
			}
		}
	case !total[name], (name == "lower" || name == "upper") && e.num("inputcollid") == 0:
		return true
	}
	return w.any(l, e.list("args"))
}

// typeOf returns the OID of the type of expression e. It returns 0 if the node of the expression
// does not say the type.
func typeOf(e *node) int {
	for _, field := range []string{"vartype", "consttype", "paramtype", "funcresulttype", "opresulttype", "resulttype", "aggtype", "wintype", "casetype", "coalescetype"} {
		if t := e.num(field); t != 0 {
			return t
		}
	}
	return 0
}

func (w *walker) functionName(e *node) string { return w.name("pg_proc", e.num("funcid")) }

// name returns the name of the built-in function or operator with the given OID. catalog is the
// system table that has it, such as pg_proc. For a user-defined function or operator, name returns
// "".
func (w *walker) name(catalog string, oid int) string {
	names, err := w.engine.catalogNames(w.ctx, catalog)
	if err != nil {
		w.err = err
		return ""
	}
	return names[uint32(oid)]
}

// strict is the set of built-in operators whose result is NULL if and only if an operand is.
// Operators like -> are not in it, because they return NULL for a missing element.
var strict = map[string]bool{
	"=": true, "<>": true, "<": true, ">": true, "<=": true, ">=": true, "+": true, "-": true, "*": true, "/": true, "%": true, "^": true,
	"~~": true, "!~~": true, "~~*": true, "!~~*": true, "~": true, "!~": true, "~*": true, "!~*": true,
	"@>": true, "<@": true, "&&": true, "?": true, "?|": true, "?&": true, "||": false,
}

// strictOperator reports whether the result of the operator e is NULL if and only if an operand is.
// That is true of || only if no operand is an array, because || of arrays ignores NULL.
func (w *walker) strictOperator(e *node) bool {
	name := w.name("pg_operator", e.num("opno"))
	if name == "||" {
		t := e.num("opresulttype")
		return t == 25 || t == 17 || t == 3802 // || of text, bytea or jsonb
	}
	if name == "+" && e.num("opresulttype") == 602 {
		return false // the sum of two paths is NULL if one of them is closed
	}
	return strict[name]
}

// sublink reports whether the value of a subquery expression can be NULL. EXISTS and ARRAY() are
// never NULL. A scalar subquery is NULL if it has no row. A subquery with an aggregate and without
// GROUP BY always has a row.
func (w *walker) sublink(l *level, e *node) bool {
	switch e.num("subLinkType") {
	case 0, 6:
		return false
	case 4:
		q := e.get("subselect")
		single := q != nil && q.flag("hasAggs") && len(q.list("groupClause")) == 0 && len(q.list("groupingSets")) == 0 &&
			q.get("havingQual") == nil && q.get("limitOffset") == nil && q.get("limitCount") == nil && q.get("setOperations") == nil && !q.flag("hasTargetSRFs")
		return !single || at(w.query(q, l), 0)
	}
	return true
}
