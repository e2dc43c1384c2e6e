package sqlite

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// expectType records that e, if it is a parameter, is used where a value of type t is expected. If
// a parameter has several such uses, the first one decides.
func (w *walker) expectType(e *expr, t analyze.Type) {
	if e.kind == unaryExpr && e.text != "NOT" || e.kind == callExpr && (e.text == "coalesce" || e.text == "ifnull") {
		for _, a := range e.args {
			w.expectType(a, t)
		}
		return
	}
	if e.kind != paramExpr || e.param >= len(w.params) || w.params[e.param] != nil || t.Kind == ir.Any || w.in(e.param) {
		return
	}
	w.params[e.param] = &t
}

// value returns the type of expression e, and whether it can be NULL. It says "never NULL" only if
// that follows from a rule of SQLite. If no rule applies, the expression can be NULL.
func (w *walker) value(e *expr, sc *scope) value {
	if v, ok := sc.memo[e]; ok {
		return v
	}
	v := w.decide(e, sc)
	if e.kind != paramExpr { // not cached: the type of a parameter may be found later
		if sc.memo == nil {
			sc.memo = map[*expr]value{}
		}
		sc.memo[e] = v
	}
	return v
}

func (w *walker) decide(e *expr, sc *scope) value {
	unknown := value{typ: anyType, nullable: true}
	if w.depth++; w.depth > maxDepth {
		w.depth--
		return unknown
	}
	defer func() { w.depth-- }()
	switch e.kind {
	case literalExpr:
		return literal(e.text)
	case paramExpr:
		v := unknown
		if e.param < len(w.params) {
			v.nullable = w.nullableParam(e.param)
			if t := w.params[e.param]; t != nil {
				v.typ = *t
			}
		}
		return v
	case columnExpr:
		v, _, found := sc.lookup(e.names)
		if !found && !sc.allSourcesKnown() {
			return unknown
		}
		if !found && e.quoted && len(e.names) == 1 {
			return value{typ: textType} // a name in double quotes that is not a column is a string
		}
		if !found && len(e.names) == 1 && (strings.EqualFold(e.names[0], "true") || strings.EqualFold(e.names[0], "false")) {
			return booleanValue(false)
		}
		return v
	case unaryExpr:
		v := w.value(e.args[0], sc)
		v.origin, v.alsoKind = nil, ""
		switch e.text {
		case "NOT":
			v.typ, v.alsoKind = integerType, ir.Bool
		case "~":
			v.typ = integerType
		case "-":
			v.typ = operand(v.typ)
		}
		return v
	case binaryExpr:
		return w.binary(e, sc)
	case likeExpr:
		for _, a := range e.args {
			w.expectType(a, textType)
		}
		n := w.any(e.args, sc)
		// REGEXP and MATCH call functions that the application defines, so they can return NULL.
		return booleanValue(n || e.text == "REGEXP" || e.text == "MATCH")
	case castExpr:
		w.expectType(e.args[0], declared(e.text))
		v := w.value(e.args[0], sc)
		t := declared(e.text)
		switch t.Kind {
		// SQLite treats a cast to one of these names as a cast to a number.
		case ir.Date, ir.Time, ir.Timestamp, ir.TimestampTZ, ir.UUID, ir.JSON:
			t = anyType
		}
		return value{typ: t, nullable: v.nullable, exact: t.Kind == ir.Int64 || t.Kind == ir.Text}
	case caseExpr:
		w.any(e.args, sc)
		out := w.choice(e.results, sc)
		out.nullable = out.nullable || !e.hasElse
		return out
	case betweenExpr:
		w.unifyParameters(e.args, sc)
		w.compare(e.args, sc)
		return booleanValue(w.any(e.args, sc))
	case inExpr:
		return w.inList(e, sc)
	case nullTestExpr:
		w.value(e.args[0], sc)
		return booleanValue(false)
	case existsExpr:
		w.queryIn(e.sub, sc, sc.env)
		return booleanValue(false)
	case subqueryExpr:
		return w.scalar(e.sub, sc)
	case callExpr:
		return w.call(e, sc)
	case rowExpr:
		w.any(e.args, sc)
	}
	return unknown
}

func literal(text string) value {
	switch {
	case text == "NULL":
		return value{typ: anyType, nullable: true, null: true}
	case text == "TRUE", text == "FALSE", text == "0", text == "1":
		return value{typ: integerType, exact: true, alsoKind: ir.Bool}
	case text == "CURRENT_DATE", text == "CURRENT_TIME", text == "CURRENT_TIMESTAMP":
		return value{typ: textType, exact: true, alsoKind: moments[text]}
	case strings.HasPrefix(text, "'"):
		return value{typ: textType, exact: true}
	case strings.HasPrefix(text, "x'"), strings.HasPrefix(text, "X'"):
		return value{typ: blobType}
	case strings.HasPrefix(strings.ToLower(text), "0x"):
		return value{typ: integerType, exact: true}
	case strings.ContainsAny(text, ".eE"):
		return value{typ: realType}
	case len(text) > 18: // an integer that does not fit into 64 bits is a REAL
		return value{typ: realType}
	}
	return value{typ: integerType, exact: true}
}

// moments are the literals and functions that return a date or time in the form that SQLite writes.
// The map's values are the kinds of their results.
var moments = map[string]ir.Kind{
	"CURRENT_DATE": ir.Date, "CURRENT_TIME": ir.Time, "CURRENT_TIMESTAMP": ir.Timestamp, "date": ir.Date, "time": ir.Time, "datetime": ir.Timestamp,
}

// any reports whether one of the expressions in a list can be NULL. It analyses all of them,
// because that also finds the types of the parameters in them.
func (w *walker) any(list []*expr, sc *scope) bool {
	null := false
	for _, e := range list {
		null = w.value(e, sc).nullable || null
	}
	return null
}

// unifyParameters records that the parameters in a list of expressions have the type of the other
// expressions in the list.
func (w *walker) unifyParameters(list []*expr, sc *scope) {
	for _, e := range list {
		if t := w.value(e, sc).typ; t.Kind != ir.Any {
			for _, other := range list {
				w.expectType(other, t)
			}
		}
	}
}

// compare takes the operands of a comparison. It records which parameters among them are compared
// only with integers. Such a parameter may be bound as 5 or as 5.0: SQLite compares both as
// numbers, and finds both in an index.
func (w *walker) compare(list []*expr, sc *scope) {
	for i, e := range list {
		whole := e.kind == paramExpr
		for j, other := range list {
			whole = whole && (i == j || other.kind != paramExpr && w.value(other, sc).typ.Kind == ir.Int64)
		}
		w.numericComparisons[e] = w.numericComparisons[e] || whole
	}
}

// anyNumber reports whether a parameter may be bound as an integer or as a floating point number.
// That is so if it is only compared with integers everywhere in the statement.
func (w *walker) anyNumber(s *statement, param int) bool {
	found := false
	for _, e := range s.params {
		if e.param != param {
			continue
		}
		if !w.numericComparisons[e] {
			return false
		}
		found = true
	}
	return found && w.params[param].Kind == ir.Int64 && !w.in(param)
}

// choice returns the type of a value that is one of several expressions, as in CASE or COALESCE,
// and whether it can be NULL. It can if one of the expressions can.
func (w *walker) choice(list []*expr, sc *scope) value {
	w.unifyParameters(list, sc)
	out := value{typ: anyType, exact: true, null: true}
	for _, e := range list {
		out = unionValue(out, w.value(e, sc))
	}
	return out
}

func (w *walker) binary(e *expr, sc *scope) value {
	switch e.text {
	case "=", "<>", "<", ">", "<=", ">=", "IS":
		w.unifyParameters(e.args, sc)
		w.compare(e.args, sc)
	case "||":
		w.expectType(e.args[0], textType)
		w.expectType(e.args[1], textType)
	case "+", "-", "*", "/", "%", "&", "|", "<<", ">>":
		for i, arg := range e.args {
			w.expectType(e.args[1-i], operand(w.value(arg, sc).typ))
		}
	}
	a, b := w.value(e.args[0], sc), w.value(e.args[1], sc)
	null := a.nullable || b.nullable
	if e.args[0].kind == rowExpr || e.args[1].kind == rowExpr {
		return booleanValue(e.text != "IS")
	}
	switch e.text {
	case "IS":
		return booleanValue(false)
	case "AND", "OR", "=", "<>", "<", ">", "<=", ">=":
		return booleanValue(null)
	case "&", "|", "<<", ">>":
		return value{typ: integerType, nullable: null}
	case "||":
		return value{typ: textType, nullable: null, exact: true}
	case "+", "-", "*":
		out := value{typ: unify(operand(a.typ), operand(b.typ)), exact: false}
		// The result is NULL for infinity minus infinity, and for zero times infinity. All other
		// results are not NULL: integers that overflow become finite reals, and finite numbers
		// added to infinity stay infinite.
		finite := a.integer() && b.integer() || e.text != "*" && (number64(e.args[0]) || number64(e.args[1])) ||
			e.text == "*" && (nonzero(e.args[0]) || nonzero(e.args[1]))
		out.nullable = null || !finite
		return out
	case "/", "%":
		return value{typ: unify(operand(a.typ), operand(b.typ)), nullable: null || !nonzero(e.args[1])}
	}
	return value{typ: anyType, nullable: true} // -> and ->> can return NULL and any type
}

// number64 reports whether the expression e is an integer literal, possibly with a sign. The
// function nonzero reports whether it is such a literal other than zero.
func number64(e *expr) bool {
	if e.kind == unaryExpr && (e.text == "-" || e.text == "+") {
		e = e.args[0]
	}
	return e.kind == literalExpr && e.text[0] >= '0' && e.text[0] <= '9' && literal(e.text).exact
}

func nonzero(e *expr) bool {
	if e.kind == unaryExpr && (e.text == "-" || e.text == "+") {
		e = e.args[0]
	}
	return number64(e) && strings.Trim(strings.TrimPrefix(strings.ToLower(e.text), "0x"), "0_") != ""
}

func (w *walker) inList(e *expr, sc *scope) value {
	v := w.value(e.args[0], sc)
	null := v.nullable
	if e.sub == nil {
		w.unifyParameters(e.args, sc)
		return booleanValue(w.any(e.args, sc))
	}
	if p := jsonParam(e.sub); p >= 0 && p < len(w.params) && w.in(p) {
		if w.params[p] == nil && v.typ.Kind != ir.Any {
			list := analyze.ListOf(v.typ, "", false)
			w.params[p] = &list
		}
		return booleanValue(null || w.nullableParam(p))
	}
	columns := w.queryIn(e.sub, sc, sc.env)
	for _, c := range columns {
		null = null || c.nullable
	}
	return booleanValue(null || columns == nil || e.args[0].kind == rowExpr)
}

// jsonParam returns n if query q is SELECT value FROM json_each(?n), the form to which an IN list
// with parameter n is rewritten. Otherwise it returns -1.
func jsonParam(q *query) int {
	if len(q.cores) != 1 || q.cores[0].from == nil {
		return -1
	}
	from := q.cores[0].from
	if from.call && strings.EqualFold(from.table, "json_each") && len(from.args) == 1 && from.args[0].kind == paramExpr {
		return from.args[0].param
	}
	return -1
}

// scalar returns the type of the value of a scalar subquery, and whether it can be NULL. It is NULL
// if there is no row. A subquery with an aggregate function and without GROUP BY always has a row.
func (w *walker) scalar(q *query, sc *scope) value {
	columns, inner := w.query(q, sc, sc.env)
	if len(columns) != 1 {
		return value{typ: anyType, nullable: true}
	}
	v := columns[0].value
	v.origin = nil
	one := len(q.cores) == 1 && !q.limited && q.cores[0].values == nil && len(q.cores[0].group) == 0 && q.cores[0].having == nil && inner.aggregated
	v.nullable = v.nullable || !one
	return v
}

// markNotNull records the columns that cannot be NULL in rows for which the condition e is true.
func (w *walker) markNotNull(e *expr, sc *scope) {
	note := func(e *expr) {
		if c := sc.column(e); c != nil {
			sc.proven[c] = true
		}
	}
	switch {
	case e.kind == binaryExpr && e.text == "AND":
		w.markNotNull(e.args[0], sc)
		w.markNotNull(e.args[1], sc)
	case e.kind == nullTestExpr && e.text == "NOT":
		note(e.args[0])
	case e.kind == binaryExpr && (e.text == "=" || e.text == "<>" || e.text == "<" || e.text == ">" || e.text == "<=" || e.text == ">="):
		note(e.args[0])
		note(e.args[1])
	}
}
