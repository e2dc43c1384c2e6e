package sqlite

import (
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

// These are the types that the analysis gives to SQL expressions.
var (
	integerType = analyze.Plain(ir.Int64, "INTEGER")
	realType    = analyze.Plain(ir.Float64, "REAL")
	textType    = analyze.Plain(ir.Text, "TEXT")
	blobType    = analyze.Plain(ir.Blob, "BLOB")
	anyType     = analyze.Plain(ir.Any, "")
)

// declared returns the type of a column from its declared type. Some declared types mean more than
// the affinity that SQLite gives them, as in sqlc (a code generator for SQL) and in JDBC drivers:
//   - BOOLEAN has the values 0 and 1.
//   - DATE, TIME and DATETIME have the forms of SQLite's date functions: text in ISO 8601, seconds
//     since 1970, or a Julian day.
//   - DECIMAL has numbers.
//
// For all other declared types the affinity decides.
func declared(text string) analyze.Type {
	t := analyze.Type{Native: text}
	name, arguments, _ := strings.Cut(strings.ToUpper(text), "(")
	name = strings.TrimSpace(name)
	switch name {
	case "BOOLEAN", "BOOL":
		t.Kind = ir.Bool
	case "DATE":
		t.Kind = ir.Date
	case "TIME":
		t.Kind = ir.Time
	case "DATETIME", "TIMESTAMP", "TIMESTAMP WITHOUT TIME ZONE":
		t.Kind = ir.Timestamp
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
		t.Kind = ir.TimestampTZ
	case "DECIMAL", "NUMERIC", "DEC":
		t.Kind = ir.Decimal
		precision, scale, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(arguments), ")"), ",")
		if p, err := strconv.Atoi(strings.TrimSpace(precision)); err == nil && p > 0 {
			t.Precision = p
			if s, err := strconv.Atoi(strings.TrimSpace(scale)); err == nil {
				t.Scale = s
			}
		}
	case "UUID":
		t.Kind = ir.UUID
	case "JSON":
		t.Kind = ir.JSON
	case "", "ANY":
		t.Kind = ir.Any
	default:
		switch {
		case strings.Contains(name, "INT"):
			t.Kind = ir.Int64
		case strings.Contains(name, "CHAR"), strings.Contains(name, "CLOB"), strings.Contains(name, "TEXT"):
			t.Kind = ir.Text
		case strings.Contains(name, "BLOB"):
			t.Kind = ir.Blob
		case strings.Contains(name, "REAL"), strings.Contains(name, "FLOA"), strings.Contains(name, "DOUB"):
			t.Kind = ir.Float64
		default:
			t.Kind = ir.Any
		}
	}
	return t
}

// operand returns the type that a value of type t has as an operand of arithmetic. SQLite
// calculates with numbers, so the difference of two times is not a time.
func operand(t analyze.Type) analyze.Type {
	switch t.Kind {
	case ir.Bool:
		return integerType
	case ir.Int64, ir.Float64, ir.Decimal:
		return t
	}
	return anyType
}

// unify returns the type of a value that has either the type a or the type b.
func unify(a, b analyze.Type) analyze.Type {
	number := func(t analyze.Type) bool { return t.Kind == ir.Int64 || t.Kind == ir.Float64 }
	switch {
	case a.Kind == b.Kind:
		return a
	case number(a) && number(b):
		return realType
	case a.Kind == ir.Decimal && b.Kind == ir.Int64:
		return a
	case a.Kind == ir.Int64 && b.Kind == ir.Decimal:
		return b
	}
	return anyType
}
