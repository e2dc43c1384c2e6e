package encode

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

type floatCell[T float32 | float64] struct {
	textCell
	bitSize int
	values  []T
	// short says that most of the first values of the batch have few decimals, as measurements and
	// prices do. If short is true, the method append first tries appendShortDecimal, which takes a
	// tenth of the time of a search for the shortest digits of a float.
	short bool
}

func (c *floatCell[T]) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[T](arr)
	c.bindNulls(arr)
	c.short = false
	if c.bitSize == 64 {
		hits, sample := 0, c.values[:min(len(c.values), 8)]
		for _, v := range sample {
			if _, ok := isShortDecimal(float64(v)); ok {
				hits++
			}
		}
		c.short = hits*2 > len(sample)
	}
}

func (c *floatCell[T]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	v := float64(c.values[i])
	if c.short {
		if r, ok := isShortDecimal(v); ok {
			return appendShortDecimal(dst, r)
		}
	}
	return c.appendAny(dst, v, c.bitSize)
}

// appendAny appends any float, finite or not. Infinities and NaN are appended as text.
func (c *textCell) appendAny(dst []byte, v float64, bitSize int) []byte {
	if v-v != 0 {
		dst = append(c.quote(dst), nonFinite(v)...)
		return c.quote(dst)
	}
	return appendFloat(dst, v, bitSize)
}

type float16Cell struct {
	textCell
	values *array.Float16
}

func (c *float16Cell) bind(arr arrow.Array) {
	c.values = unwrap(arr).(*array.Float16)
	c.bindNulls(c.values)
}

func (c *float16Cell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return c.appendAny(dst, float64(c.values.Value(i).Float32()), 32)
}

// appendNumber appends the decimal magnitude/10^scale, negated if negative is set. In JSON, the
// output is a number, or a string if a double would lose digits.
func (c *textCell) appendNumber(dst []byte, magnitude uint128, negative bool, scale int32) []byte {
	if c.style != jsonStyle || magnitude.fitsDouble(scale) {
		return appendDecimal(dst, magnitude, negative, scale)
	}
	dst = appendDecimal(append(dst, '"'), magnitude, negative, scale)
	return append(dst, '"')
}

type decimalCell struct {
	textCell
	scale    int32
	unsigned bool
	values   []decimal128.Num
}

func (c *decimalCell) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[decimal128.Num](arr)
	c.bindNulls(arr)
}

func (c *decimalCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	magnitude, negative := c.value(i)
	return c.appendNumber(dst, magnitude, negative, c.scale)
}

func (c *decimalCell) value(i int) (uint128, bool) {
	n := c.values[i]
	u := uint128{uint64(n.HighBits()), n.LowBits()}
	if c.unsigned {
		return u, false
	}
	return u.magnitude()
}

// hugeCell writes HUGEINT and UHUGEINT, DuckDB's 128-bit integers, from the 16 bytes in which
// DuckDB exports them without loss.
type hugeCell struct {
	textCell
	unsigned bool
	values   *array.FixedSizeBinary
}

func (c *hugeCell) bind(arr arrow.Array) {
	c.values = unwrap(arr).(*array.FixedSizeBinary)
	c.bindNulls(c.values)
}

func (c *hugeCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	magnitude, negative := c.value(i)
	return c.appendNumber(dst, magnitude, negative, 0)
}

func (c *hugeCell) value(i int) (uint128, bool) {
	u := loadUint128(c.values.Value(i))
	if c.unsigned {
		return u, false
	}
	return u.magnitude()
}

// loadUint128 decodes an integer from 16 little-endian bytes.
func loadUint128(b []byte) uint128 {
	return uint128{hi: binary.LittleEndian.Uint64(b[8:16]), lo: binary.LittleEndian.Uint64(b[:8])}
}

type (
	arrow32 = decimal.Decimal32
	arrow64 = decimal.Decimal64
)

type smallDecimalCell[T arrow32 | arrow64] struct {
	textCell
	scale  int32
	values []T
}

func (c *smallDecimalCell[T]) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[T](arr)
	c.bindNulls(arr)
}

func (c *smallDecimalCell[T]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	magnitude, negative := c.value(i)
	return c.appendNumber(dst, magnitude, negative, c.scale)
}

func (c *smallDecimalCell[T]) value(i int) (uint128, bool) {
	v := int64(c.values[i])
	if v < 0 {
		return uint128{lo: uint64(-v)}, true
	}
	return uint128{lo: uint64(v)}, false
}

// bigDecimalCell writes decimals of up to 76 digits. DuckDB does not have such decimals, but other
// programs that make Arrow arrays do.
type bigDecimalCell struct {
	textCell
	scale  int32
	values *array.Decimal256
}

func (c *bigDecimalCell) bind(arr arrow.Array) {
	c.values = unwrap(arr).(*array.Decimal256)
	c.bindNulls(c.values)
}

func (c *bigDecimalCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	v := c.values.Value(i).BigInt()
	negative := v.Sign() < 0
	v.Abs(v)
	if magnitude, ok := bigMagnitude(v); ok {
		return c.appendNumber(dst, magnitude, negative, c.scale)
	}
	dst = c.quote(dst)
	if negative {
		dst = append(dst, '-')
	}
	start := len(dst)
	dst = placePoint(v.Append(dst, 10), start, c.scale)
	return c.quote(dst)
}

// appendBignum appends a BIGNUM, an integer of any size, as decimal digits. DuckDB stores it as
// three bytes of header and then the magnitude, big-endian. The first bit of the header is 1 for
// numbers that are not negative. For negative numbers all bits are inverted.
func appendBignum(dst, b []byte) []byte {
	const header = 3
	if len(b) <= header {
		return append(dst, '0')
	}
	magnitude := append([]byte(nil), b[header:]...)
	if b[0]&0x80 == 0 {
		dst = append(dst, '-')
		for i := range magnitude {
			magnitude[i] = ^magnitude[i]
		}
	}
	return new(big.Int).SetBytes(magnitude).Append(dst, 10)
}

// appendBits appends a BIT, a string of bits, as text of the digits 0 and 1. DuckDB stores it as a
// byte with the number of padding bits, then the padding bits, then the bits.
func appendBits(dst, b []byte) []byte {
	if len(b) < 2 {
		return dst
	}
	padding := int(min(b[0], 7))
	for i, bits := range b[1:] {
		for bit := range 8 {
			if i == 0 && bit < padding {
				continue
			}
			dst = append(dst, '0'+bits>>(7-bit)&1)
		}
	}
	return dst
}

// intervalOf returns the value in row i of an array. The type of the array is one of Arrow's three
// interval types, or Duration.
func intervalOf(arr arrow.Array, i int) interval {
	switch arr := arr.(type) {
	case *array.MonthInterval:
		return interval{months: int64(arr.Value(i))}
	case *array.DayTimeInterval:
		v := arr.Value(i)
		return interval{days: int64(v.Days), nanos: int64(v.Milliseconds) * 1e6}
	case *array.MonthDayNanoInterval:
		v := arr.Value(i)
		return interval{months: int64(v.Months), days: int64(v.Days), nanos: v.Nanoseconds}
	case *array.Duration:
		perUnit := 1_000_000_000 / unitsPerSecond[arr.DataType().(*arrow.DurationType).Unit]
		if v := int64(arr.Value(i)); v <= math.MaxInt64/perUnit && v >= math.MinInt64/perUnit {
			return interval{nanos: v * perUnit}
		}
		// Whole days are split off first. A duration may be longer than 292 years, and its
		// nanoseconds would overflow an int64.
		days, rest := floorDiv(int64(arr.Value(i)), 86_400_000_000_000/perUnit)
		return interval{days: days, nanos: rest * perUnit}
	}
	return interval{}
}
