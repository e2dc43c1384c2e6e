package schema

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/scoterdb/scoter/internal/base"
)

// Value is one value of a type that is not nested, in its storage form. Bounds in column statistics
// and the values that identify a partition are Values. BOOLEAN is 0 or 1, DATE is a number of days,
// TIME and timestamps are numbers of their unit, and VARCHAR, BLOB and UUID are bytes. The zero
// Value is NULL.
type Value struct {
	kind  valueKind
	scale uint8 // number of digits after the point; only for decimals
	num   uint64
	dec   decimal128.Num
	bytes string
}

type valueKind uint8

const (
	nullValue valueKind = iota
	intValue
	uintValue
	floatValue
	decimalValue
	bytesValue
)

// IntValue returns the value of a signed integer, date, time, timestamp or boolean.
func IntValue(v int64) Value { return Value{kind: intValue, num: uint64(v)} }

// UintValue returns the value of an unsigned integer.
func UintValue(v uint64) Value { return Value{kind: uintValue, num: v} }

// FloatValue returns the value of a FLOAT or DOUBLE. -0 becomes 0, and all NaNs become the same
// NaN, because DuckDB treats them as equal.
func FloatValue(v float64) Value {
	switch {
	case v != v:
		v = math.NaN()
	case v == 0:
		v = 0 // -0 becomes 0
	}
	return Value{kind: floatValue, num: math.Float64bits(v)}
}

// DecimalValue returns the value of a DECIMAL: unscaled / 10^scale.
func DecimalValue(unscaled decimal128.Num, scale uint8) Value {
	return Value{kind: decimalValue, dec: unscaled, scale: scale}
}

// BytesValue returns the value of a VARCHAR, BLOB or UUID.
func BytesValue(v []byte) Value { return Value{kind: bytesValue, bytes: string(v)} }

// StringValue returns the value of a VARCHAR or BLOB from a Go string.
func StringValue(v string) Value { return Value{kind: bytesValue, bytes: v} }

// IsNull reports whether the value is NULL.
func (v Value) IsNull() bool { return v.kind == nullValue }

// Int returns the number of a value that IntValue made. It returns false for other values.
func (v Value) Int() (int64, bool) { return int64(v.num), v.kind == intValue }

// Uint returns the number of a value that UintValue made. It returns false for other values.
func (v Value) Uint() (uint64, bool) { return v.num, v.kind == uintValue }

// Float returns the number of a value that FloatValue made. It returns false for other values.
func (v Value) Float() (float64, bool) { return math.Float64frombits(v.num), v.kind == floatValue }

// Decimal returns the unscaled integer and the scale of a value that DecimalValue made. It returns
// false for other values.
func (v Value) Decimal() (decimal128.Num, uint8, bool) { return v.dec, v.scale, v.kind == decimalValue }

// Text returns the bytes of a VARCHAR, BLOB or UUID. It returns false for other values.
func (v Value) Text() (string, bool) { return v.bytes, v.kind == bytesValue }

// Compare returns -1, 0 or 1 if v is less than, equal to or greater than o. The second result is
// false if the two cannot be compared. Numbers of all kinds can be compared with each other,
// exactly, and bytes with bytes. NULL cannot be compared. NaN is the greatest number.
func (v Value) Compare(o Value) (int, bool) {
	switch {
	case v.kind == nullValue || o.kind == nullValue:
		return 0, false
	case v.kind == bytesValue || o.kind == bytesValue:
		return strings.Compare(v.bytes, o.bytes), v.kind == o.kind
	case v.kind == intValue && o.kind == intValue:
		return compareOrdered(int64(v.num), int64(o.num)), true
	case v.kind == uintValue && o.kind == uintValue:
		return compareOrdered(v.num, o.num), true
	}
	fv, fo := v.special(), o.special()
	if fv != 0 || fo != 0 {
		return compareOrdered(fv, fo), true
	}
	if v.kind == floatValue && o.kind == floatValue {
		return compareOrdered(math.Float64frombits(v.num), math.Float64frombits(o.num)), true
	}
	return v.rat().Cmp(o.rat()), true
}

func compareOrdered[T int | int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// special returns -1 for -Inf, 1 for +Inf and 2 for NaN. These numbers are not rational, and are
// ordered by this result. It returns 0 for every other value.
func (v Value) special() int {
	f, ok := v.Float()
	switch {
	case !ok:
		return 0
	case math.IsInf(f, -1):
		return -1
	case math.IsInf(f, 1):
		return 1
	case f != f:
		return 2
	}
	return 0
}

// Rat returns a number as a rational number. It returns false for NULL, bytes, infinity and NaN.
func (v Value) Rat() (*big.Rat, bool) {
	if v.kind == nullValue || v.kind == bytesValue || v.special() != 0 {
		return nil, false
	}
	return v.rat(), true
}

func (v Value) rat() *big.Rat {
	switch v.kind {
	case uintValue:
		return new(big.Rat).SetUint64(v.num)
	case floatValue:
		return new(big.Rat).SetFloat64(math.Float64frombits(v.num))
	case decimalValue:
		pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.scale)), nil)
		return new(big.Rat).SetFrac(v.dec.BigInt(), pow)
	}
	return new(big.Rat).SetInt64(int64(v.num))
}

// String returns the value as text, in the form of MarshalText. Different values have different
// texts.
func (v Value) String() string {
	switch v.kind {
	case intValue:
		return "i" + strconv.FormatInt(int64(v.num), 10)
	case uintValue:
		return "u" + strconv.FormatUint(v.num, 10)
	case floatValue:
		return "f" + strconv.FormatFloat(math.Float64frombits(v.num), 'g', -1, 64)
	case decimalValue:
		return "d" + v.dec.BigInt().String() + "e-" + strconv.Itoa(int(v.scale))
	case bytesValue:
		if utf8.ValidString(v.bytes) {
			return "s" + v.bytes
		}
		return "b" + base64.StdEncoding.EncodeToString([]byte(v.bytes))
	}
	return ""
}

// MarshalText returns a letter for the kind of the value, and then the value as text. The text of
// NULL is empty. Equal values have the same text.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the output of MarshalText.
func (v *Value) UnmarshalText(text []byte) error {
	parsed, ok := parseValue(text)
	if !ok {
		return base.Errorf(base.Corrupt, "value %q is not readable", shorten(string(text), 80))
	}
	*v = parsed
	return nil
}

func parseValue(text []byte) (Value, bool) {
	if len(text) == 0 {
		return Value{}, true
	}
	rest := string(text[1:])
	switch text[0] {
	case 'i':
		n, err := strconv.ParseInt(rest, 10, 64)
		return IntValue(n), err == nil
	case 'u':
		n, err := strconv.ParseUint(rest, 10, 64)
		return UintValue(n), err == nil
	case 'f':
		f, err := strconv.ParseFloat(rest, 64)
		return FloatValue(f), err == nil
	case 'd':
		digits, exponent, found := strings.Cut(rest, "e-")
		scale, err := strconv.ParseUint(exponent, 10, 8)
		n, ok := new(big.Int).SetString(digits, 10)
		if !found || err != nil || scale > 38 || !ok || n.BitLen() > 127 {
			return Value{}, false
		}
		return DecimalValue(decimal128.FromBigInt(n), uint8(scale)), true
	case 's':
		return StringValue(rest), true
	case 'b':
		b, err := base64.StdEncoding.DecodeString(rest)
		return BytesValue(b), err == nil
	}
	return Value{}, false
}
