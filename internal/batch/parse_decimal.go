package batch

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// maxExponent is the maximum exponent of a number that is parsed, such as the 5 in 1e5. It is far
// more than numbers of 38 digits need.
const maxExponent = 1000

// number is a decimal number as it was written: digits * 10^power. digits has no zeros at the
// beginning or end, and is empty if the number is 0.
type number struct {
	negative bool
	digits   string
	power    int
}

// parseNumber parses a decimal number with an optional exponent.
func parseNumber(s string) (number, bool) {
	mantissa, exponent := strings.TrimSpace(s), 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		e, err := strconv.Atoi(mantissa[i+1:])
		if err != nil || e < -maxExponent || e > maxExponent {
			return number{}, false
		}
		mantissa, exponent = mantissa[:i], e
	}
	negative := strings.HasPrefix(mantissa, "-")
	if negative || strings.HasPrefix(mantissa, "+") {
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" {
		return number{}, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return number{}, false
		}
	}
	digits = strings.TrimLeft(digits, "0")
	ends := len(digits)
	digits = strings.TrimRight(digits, "0")
	return number{negative, digits, exponent - len(fraction) + ends - len(digits)}, true
}

// parseDecimal parses a number as a DECIMAL(width, scale). It returns false if that type cannot
// represent the number exactly.
func parseDecimal(s string, width, scale int) (decimal128.Num, bool) {
	v, ok := parseNumber(s)
	if !ok || v.digits == "" {
		return decimal128.Num{}, ok
	}
	power := v.power + scale // the number is v.digits * 10^power in units of 10^-scale
	if power < 0 || len(v.digits)+power > width {
		return decimal128.Num{}, false
	}
	n, _ := new(big.Int).SetString(v.digits+strings.Repeat("0", power), 10)
	if v.negative {
		n.Neg(n)
	}
	return decimal128.FromBigInt(n), true
}

// WholeNumber returns the digits of an integer that may be written with a point or an exponent: 2.0
// is 2, and 1.5e3 is 1500. ok is false if s is not an integer.
func WholeNumber(s string) (digits string, ok bool) {
	v, ok := parseNumber(s)
	switch {
	case !ok || v.digits != "" && v.power < 0:
		return "", false
	case v.digits == "":
		return "0", true
	}
	digits = v.digits + strings.Repeat("0", v.power)
	if v.negative {
		digits = "-" + digits
	}
	return digits, true
}
