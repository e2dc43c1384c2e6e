package sqlite

import (
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// want records that a parameter is used where a value of type t is expected. If there are several
// such uses, the first one decides.
func (w *walker) want(e *expr, t analyze.Type) {
	if e.kind == unaryExpr && e.text != "NOT" || e.kind == callExpr && (e.text == "coalesce" || e.text == "ifnull") {
		for _, a := range e.args {
			w.want(a, t)
		}
		return
	}
	if e.kind != paramExpr || e.param >= len(w.params) || w.params[e.param] != nil || t.Kind == ir.Any || w.in(e.param) {
		return
	}
	w.params[e.param] = &t
}

// value returns the type and nullability of an expression. If it says "never NULL", a rule of
// SQLite is the reason. If no rule applies, the expression can be NULL.
func (w *walker) value(e *expr, sc *scope) value {
	if v, ok := sc.memo[e]; ok {
		return v
	}
	v := w.decide(e, sc)
	if e.kind != paramExpr { // the type of a parameter may be found later
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
		if !found && !sc.certain() {
			return unknown
		}
		if !found && e.quoted && len(e.names) == 1 {
			return value{typ: textType} // in double quotes, but not a column: a string
		}
		if !found && len(e.names) == 1 && (strings.EqualFold(e.names[0], "true") || strings.EqualFold(e.names[0], "false")) {
			return truth(false)
		}
		return v
	case unaryExpr:
		v := w.value(e.args[0], sc)
		v.origin, v.also = nil, ""
		switch e.text {
		case "NOT":
			v.typ, v.also = integerType, ir.Bool
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
			w.want(a, textType)
		}
		n := w.any(e.args, sc)
		// REGEXP and MATCH are functions that the application defines, so they can return NULL.
		return truth(n || e.text == "REGEXP" || e.text == "MATCH")
	case castExpr:
		w.want(e.args[0], declared(e.text))
		v := w.value(e.args[0], sc)
		t := declared(e.text)
		switch t.Kind {
		// SQLite casts a value to these names as it casts to a number.
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
		w.alike(e.args, sc)
		w.compare(e.args, sc)
		return truth(w.any(e.args, sc))
	case inExpr:
		return w.inList(e, sc)
	case nullTestExpr:
		w.value(e.args[0], sc)
		return truth(false)
	case existsExpr:
		w.queryIn(e.sub, sc, sc.env)
		return truth(false)
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
		return value{typ: integerType, exact: true, also: ir.Bool}
	case text == "CURRENT_DATE", text == "CURRENT_TIME", text == "CURRENT_TIMESTAMP":
		return value{typ: textType, exact: true, also: moments[text]}
	case strings.HasPrefix(text, "'"):
		return value{typ: textType, exact: true}
	case strings.HasPrefix(text, "x'"), strings.HasPrefix(text, "X'"):
		return value{typ: blobType}
	case strings.HasPrefix(strings.ToLower(text), "0x"):
		return value{typ: integerType, exact: true}
	case strings.ContainsAny(text, ".eE"):
		return value{typ: realType}
	case len(text) > 18: // a REAL, because it does not fit into 64 bits
		return value{typ: realType}
	}
	return value{typ: integerType, exact: true}
}

// moments are the kinds of literals and functions that return dates and times as SQLite writes
// them.
var moments = map[string]ir.Kind{
	"CURRENT_DATE": ir.Date, "CURRENT_TIME": ir.Time, "CURRENT_TIMESTAMP": ir.Timestamp, "date": ir.Date, "time": ir.Time, "datetime": ir.Timestamp,
}

// any finds the values of all expressions in a list, and reports whether one of them can be NULL.
func (w *walker) any(list []*expr, sc *scope) bool {
	null := false
	for _, e := range list {
		null = w.value(e, sc).nullable || null
	}
	return null
}

// alike records for the parameters in a list of expressions that they have the type of the other
// expressions.
func (w *walker) alike(list []*expr, sc *scope) {
	for _, e := range list {
		if t := w.value(e, sc).typ; t.Kind != ir.Any {
			for _, other := range list {
				w.want(other, t)
			}
		}
	}
}

// compare records, for the operands of a comparison, the parameters that are compared only with
// integers. For such a parameter, 5 and 5.0 give the same result: SQLite compares them as numbers,
// and finds both in an index.
func (w *walker) compare(list []*expr, sc *scope) {
	for i, e := range list {
		whole := e.kind == paramExpr
		for j, other := range list {
			whole = whole && (i == j || other.kind != paramExpr && w.value(other, sc).typ.Kind == ir.Int64)
		}
		w.compared[e] = w.compared[e] || whole
	}
}

// anyNumber reports whether a parameter may be bound as an integer or as a floating point number.
// That is so if all of its uses are comparisons with integers.
func (w *walker) anyNumber(s *statement, param int) bool {
	found := false
	for _, e := range s.params {
		if e.param != param {
			continue
		}
		if !w.compared[e] {
			return false
		}
		found = true
	}
	return found && w.params[param].Kind == ir.Int64 && !w.in(param)
}

// choice returns the type and nullability of a value that is one of several expressions, as in CASE
// or COALESCE. It can be NULL if one of them can.
func (w *walker) choice(list []*expr, sc *scope) value {
	w.alike(list, sc)
	out := value{typ: anyType, exact: true, null: true}
	for _, e := range list {
		out = either(out, w.value(e, sc))
	}
	return out
}

func (w *walker) binary(e *expr, sc *scope) value {
	switch e.text {
	case "=", "<>", "<", ">", "<=", ">=", "IS":
		w.alike(e.args, sc)
		w.compare(e.args, sc)
	case "||":
		w.want(e.args[0], textType)
		w.want(e.args[1], textType)
	case "+", "-", "*", "/", "%", "&", "|", "<<", ">>":
		for i, arg := range e.args {
			w.want(e.args[1-i], operand(w.value(arg, sc).typ))
		}
	}
	a, b := w.value(e.args[0], sc), w.value(e.args[1], sc)
	null := a.nullable || b.nullable
	if e.args[0].kind == rowExpr || e.args[1].kind == rowExpr {
		return truth(e.text != "IS")
	}
	switch e.text {
	case "IS":
		return truth(false)
	case "AND", "OR", "=", "<>", "<", ">", "<=", ">=":
		return truth(null)
	case "&", "|", "<<", ">>":
		return value{typ: integerType, nullable: null}
	case "||":
		return value{typ: textType, nullable: null, exact: true}
	case "+", "-", "*":
		out := value{typ: unify(operand(a.typ), operand(b.typ)), exact: false}
		// The result is NULL for infinity minus infinity, and for zero times infinity. Otherwise it
		// is not: integers that overflow become finite reals, and finite numbers added to infinity
		// stay infinite.
		finite := a.integer() && b.integer() || e.text != "*" && (number64(e.args[0]) || number64(e.args[1])) ||
			e.text == "*" && (nonzero(e.args[0]) || nonzero(e.args[1]))
		out.nullable = null || !finite
		return out
	case "/", "%":
		return value{typ: unify(operand(a.typ), operand(b.typ)), nullable: null || !nonzero(e.args[1])}
	}
	return value{typ: anyType, nullable: true} // -> and ->> can be NULL and have any type
}

// number64 reports whether an expression is an integer literal. nonzero reports whether the literal
// is not zero.
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
		w.alike(e.args, sc)
		return truth(w.any(e.args, sc))
	}
	if p := jsonParam(e.sub); p >= 0 && p < len(w.params) && w.in(p) {
		if w.params[p] == nil && v.typ.Kind != ir.Any {
			list := analyze.ListOf(v.typ, "", false)
			w.params[p] = &list
		}
		return truth(null || w.nullableParam(p))
	}
	columns := w.queryIn(e.sub, sc, sc.env)
	for _, c := range columns {
		null = null || c.nullable
	}
	return truth(null || columns == nil || e.args[0].kind == rowExpr)
}

// jsonParam returns the index of the parameter n if a query is SELECT value FROM json_each(?n),
// which an IN list was rewritten to. Otherwise it returns -1.
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

// scalar returns the type and nullability of a scalar subquery. It is NULL if there is no row. An
// aggregate without GROUP BY always has a row.
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

// prove records the columns that are not NULL if a condition is true.
func (w *walker) prove(e *expr, sc *scope) {
	note := func(e *expr) {
		if c := sc.column(e); c != nil {
			sc.proven[c] = true
		}
	}
	switch {
	case e.kind == binaryExpr && e.text == "AND":
		w.prove(e.args[0], sc)
		w.prove(e.args[1], sc)
	case e.kind == nullTestExpr && e.text == "NOT":
		note(e.args[0])
	case e.kind == binaryExpr && (e.text == "=" || e.text == "<>" || e.text == "<" || e.text == ">" || e.text == "<=" || e.text == ">="):
		note(e.args[0])
		note(e.args[1])
	}
}
