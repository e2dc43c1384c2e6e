package dml

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/clause"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/sqlquery"
	"github.com/scoterdb/scoter/internal/sqltoken"
)

// constant is a literal or parameter of the statement that the query reads as a column.
type constant struct {
	sqlquery.Constant
	// expression is a format string (fmt) for SQL that gives the value in the type of the literal.
	// %s stands for the name of the column.
	expression string
}

// The method is reports whether the column of the constant has the type t, and has exactly the
// literal as its value, without a cast or sign.
func (c *constant) is(t schema.Type) bool {
	return c.expression == "%s" && c.Type.Equal(t) && !t.NeedsCast()
}

// functions lists names that DuckDB reads as a function call without brackets, even if the table
// has a column of that name.
var functions = []string{"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user", "current_role",
	"session_user", "user", "current_catalog", "current_schema", "true", "false", "null", "default"}

func isConstant(t sqltoken.Token) bool {
	return t.Kind == sqltoken.Number || t.Kind == sqltoken.String || t.Kind == sqltoken.Parameter
}

// valueOf returns the value of a literal or parameter: an int64 for a whole number, a string for
// text, and for a parameter its argument as it is. It returns nil for other literals.
func (x *Statement) valueOf(t sqltoken.Token) any {
	switch t.Kind {
	case sqltoken.Parameter:
		return clause.Argument(x.Reader.Tokens(), x.Request.Args, t)
	case sqltoken.Number:
		if n, err := strconv.ParseInt(t.Text(), 10, 64); err == nil && isDigits(t.Text()) {
			return n
		}
	case sqltoken.String:
		if text, ok := plainText(t); ok {
			return text
		}
	}
	return nil
}

// The function stored converts a value to an array of length 1 of the type t. It returns nil if t
// cannot represent the value exactly. If t can represent it, DuckDB converts the value to t too
// when it compares it with a column of type t.
func stored(t schema.Type, value any) arrow.Array {
	if text, ok := value.(string); ok && t.Kind == schema.Varchar {
		return arrayOf(array.NewStringBuilder, text)
	}
	n, ok := whole(value)
	if !ok {
		return nil
	}
	within := func(least, most int64) bool { return least <= n && n <= most }
	switch {
	case t.Kind == schema.TinyInt && within(math.MinInt8, math.MaxInt8):
		return arrayOf(array.NewInt8Builder, int8(n))
	case t.Kind == schema.SmallInt && within(math.MinInt16, math.MaxInt16):
		return arrayOf(array.NewInt16Builder, int16(n))
	case t.Kind == schema.Integer && within(math.MinInt32, math.MaxInt32):
		return arrayOf(array.NewInt32Builder, int32(n))
	case t.Kind == schema.BigInt:
		return arrayOf(array.NewInt64Builder, n)
	case t.Kind == schema.UTinyInt && within(0, math.MaxUint8):
		return arrayOf(array.NewUint8Builder, uint8(n))
	case t.Kind == schema.USmallInt && within(0, math.MaxUint16):
		return arrayOf(array.NewUint16Builder, uint16(n))
	case t.Kind == schema.UInteger && within(0, math.MaxUint32):
		return arrayOf(array.NewUint32Builder, uint32(n))
	case t.Kind == schema.UBigInt && n >= 0:
		return arrayOf(array.NewUint64Builder, uint64(n))
	}
	return nil
}

func whole(value any) (int64, bool) {
	switch n := value.(type) {
	case int:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// builder has the methods of an Arrow array builder that arrayOf needs.
type builder[T any] interface {
	Append(T)
	NewArray() arrow.Array
}

// arrayOf returns an array of length 1 with the value.
func arrayOf[T any, B builder[T]](newBuilder func(memory.Allocator) B, value T) arrow.Array {
	b := newBuilder(memory.DefaultAllocator)
	b.Append(value)
	return b.NewArray()
}

// isDigits reports whether a text is not empty and has only digits.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// decimal returns the digits of a number token before its decimal point and behind it. ok is false
// if the token has no decimal point or is not a number.
func decimal(t sqltoken.Token) (before, behind string, ok bool) {
	before, behind, ok = strings.Cut(t.Text(), ".")
	return before, behind, ok && t.Kind == sqltoken.Number && isDigits(before) && isDigits(behind)
}

// most64 is the largest width (number of digits) of a DECIMAL that fits into 64 bits.
const most64 = 18

// assigned returns a literal or parameter as a constant that is assigned to a column. The argument
// column is the type of that column. If that type can represent the value exactly, the constant has
// that type. Otherwise it has the type that the function typed finds. negative says that the token
// has a minus sign before it, as in -1.
func (x *Statement) assigned(column schema.Type, t sqltoken.Token, negative bool) *constant {
	value := x.valueOf(t)
	if one := stored(column, value); one != nil && !(negative && unsigned(column.Kind)) {
		return &constant{sqlquery.Constant{Type: column, Value: one}, "%s"}
	}
	if column.Kind == schema.Decimal && column.Width <= most64 {
		before, behind, ok := decimal(t)
		if n, whole := whole(value); whole && n >= 0 {
			before, behind, ok = strconv.FormatInt(n, 10), "", true
		}
		if ok && len(before)+int(column.Scale) <= int(column.Width) && len(behind) <= int(column.Scale) {
			n, err := strconv.ParseInt(before+behind+strings.Repeat("0", int(column.Scale)-len(behind)), 10, 64)
			if err == nil {
				b := array.NewDecimal128Builder(memory.DefaultAllocator, column.Arrow().(*arrow.Decimal128Type))
				b.Append(decimal128.FromI64(n))
				return &constant{sqlquery.Constant{Type: column, Value: b.NewArray()}, "%s"}
			}
		}
	}
	return x.typed(t)
}

func unsigned(k schema.Kind) bool {
	return k == schema.UTinyInt || k == schema.USmallInt || k == schema.UInteger || k == schema.UBigInt
}

// plainText returns the content of a string literal in single quotes.
func plainText(t sqltoken.Token) (string, bool) {
	s := t.Text()
	if t.Kind != sqltoken.String || s[0] != '\'' {
		return "", false
	}
	return strings.ReplaceAll(s[1:len(s)-1], "''", "'"), true
}

// typed returns a literal or parameter as a constant with the type that DuckDB would give it. It
// returns nil if that type is not obvious.
func (x *Statement) typed(t sqltoken.Token) *constant {
	of := func(k schema.Kind, value arrow.Array) *constant {
		return &constant{sqlquery.Constant{Type: schema.Type{Kind: k}, Value: value}, "%s"}
	}
	switch value := x.valueOf(t).(type) {
	case string:
		return of(schema.Varchar, arrayOf(array.NewStringBuilder, value))
	case int32:
		return of(schema.Integer, arrayOf(array.NewInt32Builder, value))
	case int64:
		if t.Kind == sqltoken.Number && value <= math.MaxInt32 {
			return of(schema.Integer, arrayOf(array.NewInt32Builder, int32(value)))
		}
		return of(schema.BigInt, arrayOf(array.NewInt64Builder, value))
	case float64:
		return of(schema.Double, arrayOf(array.NewFloat64Builder, value))
	case bool:
		return of(schema.Boolean, arrayOf(array.NewBooleanBuilder, value))
	}
	if before, behind, ok := decimal(t); ok && len(before)+len(behind) <= most64 {
		c := of(schema.Varchar, arrayOf(array.NewStringBuilder, t.Text()))
		c.expression = fmt.Sprintf("CAST(%%s AS DECIMAL(%d, %d))", len(before)+len(behind), len(behind))
		return c
	}
	return nil
}
