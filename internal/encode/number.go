package encode

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// appendFloat appends a finite float with the fewest digits that parse to the same value. The text
// always has a point or an exponent. bitSize is 32 or 64, the size of the column's type.
func appendFloat(dst []byte, v float64, bitSize int) []byte {
	abs := math.Abs(v)
	if abs < 1e15 {
		if t := math.Trunc(v); t == v {
			if v == 0 && math.Signbit(v) {
				return append(dst, "-0.0"...)
			}
			// Above 2^24, a float32 may need fewer digits than its integer part has: 2^30 is
			// printed as 1073741800, because no other float32 is nearer to that number. AppendInt
			// would print 1073741824.
			if bitSize == 32 && abs > 1<<24 {
				return append(strconv.AppendFloat(dst, v, 'f', -1, 32), '.', '0')
			}
			return append(strconv.AppendInt(dst, int64(v), 10), '.', '0')
		}
		if abs >= 1e-6 {
			return strconv.AppendFloat(dst, v, 'f', -1, bitSize)
		}
	}
	return strconv.AppendFloat(dst, v, 'e', -1, bitSize)
}

// isShortDecimal reports whether v has at most four digits after the decimal point. If so, it
// returns the integer r = v * 10,000, which has at most 15 digits. Different decimals of at most 15
// digits have different nearest doubles. So if v is the double nearest to r/10000, the digits of
// r/10000 without trailing zeros are the shortest representation of v.
func isShortDecimal(v float64) (r int64, ok bool) {
	if !(math.Abs(v) < 1e11) {
		return 0, false
	}
	r = int64(math.RoundToEven(v * 1e4))
	return r, float64(r)/1e4 == v && r != 0
}

// appendShortDecimal appends r/10000 with the fewest digits. r must not be 0.
func appendShortDecimal(dst []byte, r int64) []byte {
	u := uint64(r)
	if r < 0 {
		dst = append(dst, '-')
		u = -u
	}
	dst = strconv.AppendUint(dst, u/10000, 10)
	fraction := uint32(u % 10000)
	high, low := fraction/100, fraction%100
	dst = append(dst, '.', digits2[2*high], digits2[2*high+1])
	if low != 0 {
		dst = append(dst, digits2[2*low], digits2[2*low+1])
	}
	for dst[len(dst)-1] == '0' && dst[len(dst)-2] != '.' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// nonFinite returns the text of a float that is NaN or infinite.
func nonFinite(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case v > 0:
		return "Infinity"
	}
	return "-Infinity"
}

const digits2 = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// append2 appends a number below 100 as two decimal digits.
func append2(dst []byte, v uint32) []byte {
	return append(dst, digits2[2*v], digits2[2*v+1])
}

// maxUint64Power is 10^19, the largest power of ten in a uint64.
const maxUint64Power = 10_000_000_000_000_000_000

// uint128 is an unsigned 128-bit integer.
type uint128 struct{ hi, lo uint64 }

// negate returns u negated, in two's complement.
func (u uint128) negate() uint128 {
	lo, borrow := bits.Sub64(0, u.lo, 0)
	hi, _ := bits.Sub64(0, u.hi, borrow)
	return uint128{hi, lo}
}

// magnitude returns the absolute value of u, read as a signed number in two's complement, and
// whether that number is negative.
func (u uint128) magnitude() (uint128, bool) {
	if int64(u.hi) < 0 {
		return u.negate(), true
	}
	return u, false
}

// divMod returns the quotient and the remainder of u divided by divisor, which must not be 0.
func (u uint128) divMod(divisor uint64) (uint128, uint64) {
	hi := u.hi / divisor
	lo, rest := bits.Div64(u.hi%divisor, u.lo, divisor)
	return uint128{hi, lo}, rest
}

// append appends the number u to dst in decimal digits.
func (u uint128) append(dst []byte) []byte {
	if u.hi == 0 {
		return strconv.AppendUint(dst, u.lo, 10)
	}
	quotient, low := u.divMod(maxUint64Power)
	dst = quotient.append(dst)
	start := len(dst)
	dst = append(dst, "0000000000000000000"...)
	var digits [20]byte
	text := strconv.AppendUint(digits[:0], low, 10)
	copy(dst[start+19-len(text):], text)
	return dst
}

// fitsDouble reports whether a double represents u/10^scale without losing a digit. It does if the
// number has at most 15 significant digits, or is an integer up to 2^53.
func (u uint128) fitsDouble(scale int32) bool {
	const digits15 = 999_999_999_999_999
	if u.hi == 0 && (u.lo <= digits15 || scale == 0 && u.lo <= 1<<53) {
		return true
	}
	for u.hi != 0 || u.lo > digits15 {
		quotient, digit := u.divMod(10)
		if digit != 0 {
			return false
		}
		u = quotient
	}
	return true
}

// appendDecimal appends the decimal magnitude/10^scale, with a minus sign if negative is set. The
// number of digits after the point is always scale.
func appendDecimal(dst []byte, magnitude uint128, negative bool, scale int32) []byte {
	if negative {
		dst = append(dst, '-')
	}
	start := len(dst)
	return placePoint(magnitude.append(dst), start, scale)
}

// placePoint inserts a decimal point into the digits dst[start:], so that the number of digits
// after the point is scale.
func placePoint(dst []byte, start int, scale int32) []byte {
	if scale <= 0 {
		if len(dst)-start == 1 && dst[start] == '0' {
			return dst
		}
		for ; scale < 0; scale++ {
			dst = append(dst, '0')
		}
		return dst
	}
	// Zeros are added in front, so that there is a digit before the point.
	if missing := start + int(scale) + 1 - len(dst); missing > 0 {
		old := len(dst)
		for range missing {
			dst = append(dst, '0')
		}
		copy(dst[start+missing:], dst[start:old])
		for i := range missing {
			dst[start+i] = '0'
		}
	}
	point := len(dst) - int(scale)
	dst = append(dst, 0)
	copy(dst[point+1:], dst[point:])
	dst[point] = '.'
	return dst
}

// bigMagnitude returns the absolute value of v as a uint128. The second result is false if it does
// not fit.
func bigMagnitude(v *big.Int) (uint128, bool) {
	if v.BitLen() > 128 {
		return uint128{}, false
	}
	var bytes [16]byte
	v.FillBytes(bytes[:])
	var u uint128
	for i, b := range bytes {
		if i < 8 {
			u.hi = u.hi<<8 | uint64(b)
		} else {
			u.lo = u.lo<<8 | uint64(b)
		}
	}
	return u, true
}
