package duckdb

import (
	"fmt"
	"strings"
)

// total is the set of functions whose result is NULL only if an argument is. Division is not in the
// set, because division by zero is NULL. Functions that return a part of a date are not in it
// either, because the parts of an infinite date are NULL.
var total = map[string]bool{
	"lower": true, "upper": true, "lcase": true, "ucase": true, "length": true, "len": true, "strlen": true, "trim": true, "ltrim": true, "rtrim": true, "replace": true, "reverse": true,
	"repeat": true, "left": true, "right": true, "substring": true, "substr": true, "md5": true, "sha256": true, "contains": true, "starts_with": true, "prefix": true, "suffix": true, "ends_with": true,
	"~~": true, "!~~": true, "~~*": true, "!~~*": true, "regexp_matches": true, "regexp_replace": true, "abs": true, "round": true, "floor": true, "ceil": true, "ceiling": true,
	"nextval": true, "random": true, "hash": true, "||": true, "date_trunc": true, "lpad": true, "rpad": true, "strip_accents": true, "string_split": true, "now": true, "get_current_timestamp": true,
	"current_date": true, "today": true, "map": true, "uuid": true, "gen_random_uuid": true, "uuidv4": true, "uuidv7": true, "sign": true,
}

// always is the set of functions whose result is never NULL, whatever their arguments are.
var always = map[string]bool{"concat": true, "list_value": true, "struct_pack": true, "row": true, "now": true, "get_current_timestamp": true, "current_date": true, "count_star": true}

var numeric = map[string]bool{
	"TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true, "HUGEINT": true, "UTINYINT": true, "USMALLINT": true, "UINTEGER": true,
	"UBIGINT": true, "UHUGEINT": true, "FLOAT": true, "DOUBLE": true, "DECIMAL": true,
}

// nullable reports whether the value of expression e in a query plan can be NULL. e belongs to an
// operator of the plan, and the parameter in has the input columns of this operator.
func (p *plan) nullable(e object, in columns) bool {
	if p.depth++; p.depth > maxDepth || e == nil {
		p.depth--
		return true
	}
	defer func() { p.depth-- }()
	anyChild := func() bool {
		for _, c := range e.objects("children") {
			if p.nullable(c, in) {
				return true
			}
		}
		return len(e.list("children")) == 0
	}
	switch e.text("expression_class") {
	case "BOUND_REF":
		return in.at(e.number("index")).nullable
	case "BOUND_CONSTANT":
		return e.object("value") == nil || e.object("value").flag("is_null")
	case "BOUND_PARAMETER":
		n := 0
		if _, err := fmt.Sscanf(e.text("identifier"), "%d", &n); err != nil {
			return true
		}
		return p.nullableParam(n)
	case "BOUND_CAST":
		return e.flag("try_cast") || castsToNull(e) || p.nullable(e.object("child"), in)
	case "BOUND_COMPARISON":
		if strings.Contains(e.text("type"), "DISTINCT_FROM") {
			return false
		}
		return p.nullable(e.object("left"), in) || p.nullable(e.object("right"), in)
	case "BOUND_CONJUNCTION":
		return anyChild()
	case "BOUND_BETWEEN":
		return p.nullable(e.object("input"), in) || p.nullable(e.object("lower"), in) || p.nullable(e.object("upper"), in)
	case "BOUND_CASE":
		for _, check := range e.objects("case_checks") {
			when := check.object("when_expr")
			if p.nullable(check.object("then_expr"), markNotNull(in, when)) {
				return true
			}
			in = markNotNullIfFalse(in, when)
		}
		return len(e.list("case_checks")) == 0 || p.nullable(e.object("else_expr"), in)
	case "BOUND_OPERATOR":
		switch e.text("type") {
		case "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL":
			return false
		case "OPERATOR_NOT", "COMPARE_IN", "COMPARE_NOT_IN":
			return anyChild()
		case "OPERATOR_COALESCE":
			for _, c := range e.objects("children") {
				if !p.nullable(c, in) {
					return false
				}
			}
		}
	case "BOUND_FUNCTION":
		return p.function(e, anyChild)
	}
	return true
}

func (p *plan) function(e object, anyChild func() bool) bool {
	name := e.text("name")
	if catalog := e.text("catalog_name"); catalog != "" && catalog != "system" {
		return true
	}
	switch {
	case always[name]:
		return false
	case name == "+" || name == "-" || name == "*":
		for _, a := range e.objects("arguments") {
			if !numeric[a.text("id")] {
				return true // dates may be infinite, and arithmetic with them NULL
			}
		}
	case len(e.list("children")) == 0:
		return !total[name]
	case !total[name]:
		return true
	}
	return anyChild()
}

// castsToNull reports whether the cast e can turn a value that is not NULL into NULL. That is
// possible for these casts:
//   - from JSON to any type but VARCHAR, because a JSON null becomes NULL
//   - from text to a nested type, because the text can be a spelling of NULL
//   - from VARIANT to any type, and from UNION to any type but VARCHAR, because their values can
//     contain a NULL
func castsToNull(e object) bool {
	to := e.object("return_type").text("id")
	from := returnType(e.object("child"))
	if from == nil {
		return true
	}
	simple := func(id string) bool {
		return id != "STRUCT" && id != "LIST" && id != "MAP" && id != "ARRAY" && id != "UNION" && id != "VARIANT"
	}
	alias := from.object("type_info").text("alias")
	if to == "VARCHAR" {
		return !simple(from.text("id")) && from.text("id") == "VARIANT"
	}
	return alias == "JSON" || !simple(to) && from.text("id") == "VARCHAR" || from.text("id") == "VARIANT" || from.text("id") == "UNION"
}

// returnType returns the type of the expression e, as an object of the query plan.
func returnType(e object) object {
	switch e.text("expression_class") {
	case "BOUND_CONSTANT":
		return e.object("value").object("type")
	case "BOUND_COMPARISON", "BOUND_CONJUNCTION", "BOUND_BETWEEN":
		return object{"id": "BOOLEAN"}
	}
	return e.object("return_type")
}
