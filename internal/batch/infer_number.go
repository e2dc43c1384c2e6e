package batch

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/schema"
)

// numberOf returns a numeric type that can represent all texts of the array a. The texts were sent
// for a column of numbers, but its present type, the argument column, cannot represent all of them.
// If a text is not a number, or no type can represent all texts, ok is false.
func numberOf(a arrow.Array, column schema.Type) (t schema.Type, ok bool) {
	if d, ok := a.(*array.Dictionary); ok {
		a = d.Dictionary()
	}
	text := textReader(a)
	if text == nil {
		return t, false
	}
	const converted = 15 // number of decimal digits that a float64 preserves
	// most digits before and after the decimal point in one of the texts
	before, scale := 1, 0
	signed, unsigned, exact := true, true, true
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		s := text(i)
		v, ok := parseNumber(s)
		if !ok {
			return t, false
		}
		before, scale = max(before, len(v.digits)+v.power), max(scale, -v.power)
		if v.digits != "" && v.power < 0 {
			continue
		}
		digits, _ := WholeNumber(s)
		i, err := strconv.ParseInt(digits, 10, 64)
		signed = signed && err == nil
		u, err := strconv.ParseUint(digits, 10, 64)
		unsigned = unsigned && err == nil
		f, g := float64(i), float64(u)
		exact = exact && (signed && f < 1<<63 && int64(f) == i || unsigned && g < 1<<64 && uint64(g) == u || len(v.digits) <= converted)
	}
	switch column.Kind {
	case schema.Decimal:
		return schema.Type{Kind: schema.Decimal, Width: uint8(min(before+scale, 39)), Scale: uint8(min(scale, 39))}, before+scale <= 38
	case schema.Float:
		return schema.Of(schema.Double), true
	case schema.TinyInt, schema.SmallInt, schema.Integer, schema.BigInt, schema.UTinyInt, schema.USmallInt, schema.UInteger, schema.UBigInt:
		switch {
		case scale > 0:
			return schema.Of(schema.Double), exact
		case signed:
			return schema.Of(schema.BigInt), true
		}
		return schema.Of(schema.UBigInt), unsigned
	}
	return t, false
}
