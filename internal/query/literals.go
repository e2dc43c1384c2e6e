package query

import (
	"encoding/json"
	"strconv"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// maxLiteral bounds the texts that are taken as they are: statistics keep the beginning of longer ones alone.
const maxLiteral = 16

// literals returns what constants are as values of a type without asking DuckDB, which costs 1.5 ms: whole
// numbers for integer columns, and short texts for VARCHAR, as most look-ups have them. ok is false if one of them is
// anything else.
func literals(constants []duck.Node, t schema.Type) (values []schema.Value, ok bool) {
	values = make([]schema.Value, len(constants))
	for i, c := range constants {
		if values[i], ok = literal(c, t); !ok {
			return nil, false
		}
	}
	return values, true
}

// integerBits are the integer types, with their size.
var integerBits = map[schema.Kind]int{
	schema.TinyInt: 8, schema.SmallInt: 16, schema.Integer: 32, schema.BigInt: 64,
	schema.UTinyInt: 8, schema.USmallInt: 16, schema.UInteger: 32, schema.UBigInt: 64,
}

func literal(node duck.Node, t schema.Type) (schema.Value, bool) {
	typeID, value := text(object(object(node, "value"), "type"), "id"), object(node, "value")["value"]
	if text(node, "class") == "CAST" && text(object(node, "cast_type"), "id") == "BIGINT" {
		// As withArguments makes of a whole number.
		digits, ok := object(object(node, "child"), "value")["value"].(string)
		if !ok {
			return schema.Value{}, false
		}
		typeID, value = "BIGINT", json.Number(digits)
	} else if text(node, "class") != "CONSTANT" {
		return schema.Value{}, false
	}
	if s, ok := value.(string); ok {
		return schema.StringValue(s), t.Kind == schema.Varchar && typeID == "VARCHAR" && len(s) <= maxLiteral
	}
	number, ok := value.(json.Number)
	bits := integerBits[t.Kind]
	if !ok || bits == 0 || typeID != "INTEGER" && typeID != "BIGINT" {
		return schema.Value{}, false
	}
	switch t.Kind {
	case schema.UTinyInt, schema.USmallInt, schema.UInteger, schema.UBigInt:
		n, err := strconv.ParseUint(number.String(), 10, bits)
		return schema.UintValue(n), err == nil
	}
	n, err := strconv.ParseInt(number.String(), 10, bits)
	return schema.IntValue(n), err == nil
}
