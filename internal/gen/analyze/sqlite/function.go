package sqlite

import (
	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// strictFunctions are the scalar functions whose result is NULL only if an argument is. The map's
// values are the types of their results.
var strictFunctions = map[string]analyze.Type{
	"lower": textType, "upper": textType, "trim": textType, "ltrim": textType, "rtrim": textType, "replace": textType, "substr": textType, "substring": textType,
	"length": integerType, "octet_length": integerType, "instr": integerType, "hex": textType, "round": realType, "abs": anyType, "char": textType,
	"concat_ws": textType,
}

// totalFunctions are the functions whose result is never NULL. The map's values are the types of
// their results.
var totalFunctions = map[string]analyze.Type{
	"typeof": textType, "quote": textType, "concat": textType, "random": integerType, "randomblob": blobType, "zeroblob": blobType, "changes": integerType,
	"total_changes": integerType, "last_insert_rowid": integerType, "sqlite_version": textType, "json_array": jsonType, "json_object": jsonType,
}

// scalarFunctions are all other built-in scalar functions. Their results can be NULL. The map's
// values are the types of their results.
var scalarFunctions = map[string]analyze.Type{
	"date": textType, "time": textType, "datetime": textType, "strftime": textType, "julianday": realType, "unixepoch": integerType, "timediff": textType,
	"nullif": anyType, "unicode": integerType, "sign": integerType, "unhex": blobType, "soundex": textType, "glob": integerType, "like": integerType,
	"printf": textType, "format": textType, "likelihood": anyType, "likely": anyType, "unlikely": anyType, "json": jsonType, "json_extract": anyType, "json_insert": jsonType, "json_replace": jsonType, "json_set": jsonType,
	"json_remove": jsonType, "json_patch": jsonType, "json_type": textType, "json_valid": integerType, "json_quote": jsonType, "json_array_length": integerType, "json_error_position": integerType,
	"json_pretty": textType, "jsonb": blobType, "jsonb_extract": anyType, "jsonb_array": blobType, "jsonb_object": blobType, "ceil": anyType, "ceiling": anyType, "floor": anyType, "trunc": anyType, "ln": realType,
	"log": realType, "log10": realType, "log2": realType, "exp": realType, "pow": realType, "power": realType, "sqrt": realType, "mod": realType, "pi": realType, "sin": realType, "cos": realType, "tan": realType,
	"radians": realType, "degrees": realType, "iif": anyType, "if": anyType, "ifnull": anyType, "coalesce": anyType, "bm25": realType, "highlight": textType, "snippet": textType,
	"sqlite_source_id": textType, "subtype": integerType,
}

// aggregates are the built-in aggregate functions. The map's values are the types of their results.
var aggregates = map[string]analyze.Type{
	"count": integerType, "total": realType, "avg": realType, "sum": anyType, "min": anyType, "max": anyType, "group_concat": textType, "string_agg": textType,
	"json_group_array": jsonType, "json_group_object": jsonType, "jsonb_group_array": blobType, "jsonb_group_object": blobType, "median": realType,
	"percentile": realType, "percentile_cont": realType, "percentile_disc": realType,
}

var jsonType = analyze.Plain(ir.JSON, "JSON")

func isAggregate(e *expr) bool {
	if e.windowed {
		return false
	}
	if _, ok := aggregates[e.text]; !ok {
		return false
	}
	return e.text != "min" && e.text != "max" || len(e.args) == 1
}

// mayAggregate reports whether an expression in a select list may be an aggregate. It may be if it
// calls an aggregate function, or an unknown function that the application may define as one.
func mayAggregate(columns []resultColumn) bool {
	found := false
	visit(columns, func(e *expr) {
		_, strict := strictFunctions[e.text]
		_, total := totalFunctions[e.text]
		_, scalar := scalarFunctions[e.text]
		known := strict || total || scalar || (e.text == "min" || e.text == "max") && len(e.args) > 1
		found = found || !e.windowed && !known
	})
	return found
}

// visit calls f for every function call in the columns of a select list, but not for calls in
// subqueries.
func visit(columns []resultColumn, f func(*expr)) {
	var walk func(e *expr)
	walk = func(e *expr) {
		if e.kind == callExpr {
			f(e)
		}
		for _, a := range e.args {
			walk(a)
		}
		for _, r := range e.results {
			walk(r)
		}
	}
	for _, c := range columns {
		if c.expr != nil {
			walk(c.expr)
		}
	}
}

// call returns the type of a function call's result, and whether it can be NULL. sc is the SELECT
// that has the call.
func (w *walker) call(e *expr, sc *scope) value {
	if e.windowed {
		return w.windowCall(e, sc)
	}
	if isAggregate(e) {
		return w.aggregate(e, sc)
	}
	if t, ok := strictFunctions[e.text]; ok {
		return w.strictCall(e, sc, t)
	}
	if t, ok := totalFunctions[e.text]; ok {
		w.any(e.args, sc)
		return value{typ: t, exact: t.Kind == ir.Text}
	}
	switch e.text {
	case "coalesce", "ifnull":
		out := w.choice(e.args, sc)
		out.nullable = true
		for _, a := range e.args {
			if !w.value(a, sc).nullable {
				out.nullable = false
			}
		}
		return out
	case "iif", "if":
		if len(e.args) == 3 {
			w.value(e.args[0], sc)
			return w.choice(e.args[1:], sc)
		}
	case "min", "max":
		return w.choice(e.args, sc)
	case "nullif":
		v := w.choice(e.args[:1], sc)
		w.unifyParameters(e.args, sc)
		return value{typ: v.typ, nullable: true}
	case "date", "time", "datetime", "unixepoch", "julianday":
		// Without arguments, or with only 'now', the function returns the current time.
		now := len(e.args) == 0 || len(e.args) == 1 && e.args[0].kind == literalExpr && e.args[0].text == "'now'"
		for _, a := range e.args {
			w.expectType(a, textType)
		}
		w.any(e.args, sc)
		return value{typ: scalarFunctions[e.text], nullable: !now, alsoKind: moments[e.text]}
	}
	w.any(e.args, sc)
	return value{typ: typeOrAny(scalarFunctions, e.text), nullable: true}
}

func typeOrAny(types map[string]analyze.Type, name string) analyze.Type {
	if t, ok := types[name]; ok {
		return t
	}
	return anyType
}

func (w *walker) strictCall(e *expr, sc *scope, t analyze.Type) value {
	if len(e.args) > 0 && t.Kind == ir.Text && e.text != "char" {
		w.expectType(e.args[0], textType)
	}
	out := value{typ: t, nullable: len(e.args) == 0, exact: t.Kind == ir.Text}
	for i, a := range e.args {
		v := w.value(a, sc)
		switch {
		case e.text == "abs":
			out.typ = operand(v.typ)
		case i == 0 && (e.text == "substr" || e.text == "substring"):
			out.exact = v.text()
			out.nullable = !v.text() // the result is NULL for the empty BLOB x''
		}
		// Of the arguments of concat_ws, only the separator (argument 0) can make the result NULL.
		// It ignores all other NULLs.
		if i == 0 || e.text != "concat_ws" {
			out.nullable = out.nullable || v.nullable
		}
	}
	return out
}

// aggregate returns the type of an aggregate function's result, and whether it can be NULL:
//   - count and the JSON aggregates are never NULL.
//   - min, max, group_concat and string_agg are not NULL if their argument is never NULL, and there
//     is at least one row, as with GROUP BY. The same is true of sum and avg of integers.
//   - total of integers is never NULL.
//   - A sum, avg or total of reals can always be NULL, because of infinities.
func (w *walker) aggregate(e *expr, sc *scope) value {
	out := value{typ: aggregates[e.text]}
	null := w.any(e.args, sc)
	w.attribute(e, sc)
	switch e.text {
	case "count", "json_group_array", "json_group_object", "jsonb_group_array", "jsonb_group_object":
		return out
	case "min", "max", "group_concat", "string_agg":
		out.nullable = null || !sc.grouped || e.filtered
	default:
		out.nullable = true
	}
	if len(e.args) > 0 {
		arg := w.value(e.args[0], sc)
		switch e.text {
		case "min", "max":
			out.typ, out.exact = arg.typ, arg.exact
		case "sum":
			if arg.typ.Kind == ir.Int64 || arg.typ.Kind == ir.Bool {
				out.typ = integerType
			} else if arg.typ.Kind == ir.Float64 || arg.typ.Kind == ir.Decimal {
				out.typ = arg.typ
			}
			out.nullable = null || !sc.grouped || e.filtered || !arg.integer()
		case "avg":
			out.nullable = null || !sc.grouped || e.filtered || !arg.integer()
		case "total": // if there is no row, the total is 0.0
			out.nullable = !arg.integer()
		}
	}
	return out
}

// attribute finds out to which SELECT an aggregate function belongs. If its arguments have only
// columns of an outer SELECT, it belongs to that SELECT, which then is an aggregate query too.
func (w *walker) attribute(e *expr, sc *scope) {
	var owner *scope
	here, outer := false, false
	var walk func(e *expr)
	walk = func(e *expr) {
		if e.kind == columnExpr {
			_, at, found := sc.lookup(e.names)
			switch {
			case found && at == sc:
				here = true
			case found:
				outer = true
				owner = at
			}
		}
		for _, a := range e.args {
			walk(a)
		}
		for _, r := range e.results {
			walk(r)
		}
	}
	for _, a := range e.args {
		walk(a)
	}
	if here || !outer {
		sc.aggregated = true
	}
	if outer && !here && owner != nil {
		for at := sc; at != nil; at = at.parent {
			if !at.grouped {
				at.noRow = true
			}
			if at == owner {
				break
			}
		}
	}
}

// windowCall returns the type of a window function's result, and whether it can be NULL. Functions
// for ranks and counts have a value in every row. The result of other functions depends on the
// frame.
func (w *walker) windowCall(e *expr, sc *scope) value {
	null := w.any(e.args, sc)
	switch e.text {
	case "row_number", "rank", "dense_rank", "count":
		return value{typ: integerType}
	case "percent_rank", "cume_dist":
		return value{typ: realType}
	case "ntile":
		return value{typ: integerType, nullable: null}
	case "lag", "lead", "first_value", "last_value", "nth_value", "min", "max":
		if len(e.args) > 0 {
			return value{typ: w.value(e.args[0], sc).typ, nullable: true}
		}
	case "sum":
		if len(e.args) > 0 && w.value(e.args[0], sc).typ.Kind == ir.Int64 {
			return value{typ: integerType, nullable: true}
		}
	}
	return value{typ: typeOrAny(aggregates, e.text), nullable: true}
}
