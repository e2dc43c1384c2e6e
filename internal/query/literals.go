package query

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// maxLiteral is the maximum length in bytes of a text literal that becomes a bound without asking
// DuckDB. Statistics may have only the beginning of a longer text.
const maxLiteral = 16

// literals converts constants to values of a column's type without asking DuckDB, which would take
// 1.5 ms. It supports the constants of most lookups: whole numbers for integer and decimal columns,
// decimals, dates, and short texts for VARCHAR. ok is false if a constant is of another kind.
func literals(constants []duck.Node, t schema.Type) (values []schema.Value, ok bool) {
	values = make([]schema.Value, len(constants))
	for i, c := range constants {
		if values[i], ok = literal(c, t); !ok {
			return nil, false
		}
	}
	return values, true
}

// integerBits maps each integer type to its size in bits.
var integerBits = map[schema.Kind]int{
	schema.TinyInt: 8, schema.SmallInt: 16, schema.Integer: 32, schema.BigInt: 64,
	schema.UTinyInt: 8, schema.USmallInt: 16, schema.UInteger: 32, schema.UBigInt: 64,
}

func literal(node duck.Node, t schema.Type) (schema.Value, bool) {
	value := object(node, "value")
	typeID, of := text(object(value, "type"), "id"), value["value"]
	switch {
	case text(node, "class") == "CAST":
		// The constant is a cast of a text or number. withArguments makes such a cast for a whole
		// number, and the parser makes one for DATE '2024-01-01'.
		written, ok := object(object(node, "child"), "value")["value"].(string)
		switch text(object(node, "cast_type"), "id") {
		case "BIGINT":
			typeID, of = "BIGINT", json.Number(written)
		case "DATE":
			return date(written, ok && t.Kind == schema.Date)
		default:
			return schema.Value{}, false
		}
	case text(node, "class") != "CONSTANT":
		return schema.Value{}, false
	}
	if s, ok := of.(string); ok {
		if t.Kind == schema.Date {
			return date(s, typeID == "VARCHAR")
		}
		return schema.StringValue(s), t.Kind == schema.Varchar && typeID == "VARCHAR" && len(s) <= maxLiteral
	}
	number, ok := of.(json.Number)
	whole := typeID == "INTEGER" || typeID == "BIGINT"
	switch bits := integerBits[t.Kind]; {
	case !ok:
	case t.Kind == schema.Decimal && whole:
		return decimal(number, 0, t)
	case t.Kind == schema.Decimal && typeID == "DECIMAL":
		scale, ok := object(object(value, "type"), "type_info")["scale"].(json.Number)
		n, err := strconv.ParseUint(scale.String(), 10, 8)
		if !ok || err != nil {
			return schema.Value{}, false
		}
		return decimal(number, uint8(n), t)
	case bits == 0 || !whole:
	case t.Kind == schema.UTinyInt || t.Kind == schema.USmallInt || t.Kind == schema.UInteger || t.Kind == schema.UBigInt:
		n, err := strconv.ParseUint(number.String(), 10, bits)
		return schema.UintValue(n), err == nil
	default:
		n, err := strconv.ParseInt(number.String(), 10, bits)
		return schema.IntValue(n), err == nil
	}
	return schema.Value{}, false
}

// date parses YYYY-MM-DD and returns the days since 1970-01-01. It returns false if the text is not
// a date, or if the argument ok is false.
func date(s string, ok bool) (schema.Value, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return schema.IntValue(t.Unix() / (24 * 60 * 60)), ok && err == nil && t.Year() > 0
}

// decimal converts a decimal number to a value of a decimal column. It returns false if that is not
// exact. The argument number has all digits and no decimal point; scale is how many of its last
// digits are behind the point.
func decimal(number json.Number, scale uint8, t schema.Type) (schema.Value, bool) {
	const most64 = 18 // the number of decimal digits that fit into 64 bits
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || scale > t.Scale || t.Width > most64 {
		return schema.Value{}, false
	}
	// The number is multiplied below, so that it has the scale of the column. The product must fit
	// into the width of the column, so the number itself must be less than limit.
	limit := int64(1)
	for range t.Width - (t.Scale - scale) {
		limit *= 10
	}
	if n <= -limit || n >= limit {
		return schema.Value{}, false
	}
	for range t.Scale - scale {
		n *= 10
	}
	return schema.DecimalValue(decimal128.FromI64(n), t.Scale), true
}
