package scoter

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// These numbers stand for the sign of a number in PostgreSQL's binary form of numeric.
const (
	scNumericPlus     = 0x0000
	scNumericMinus    = 0x4000
	scNumericNaN      = 0xC000
	scNumericInfinity = 0xD000
	scNumericMinusInf = 0xF000
)

// scPutDecimal appends a decimal as PostgreSQL's numeric. That form has groups of four decimal
// digits, the weight of the first group, and the number of digits after the point.
func scPutDecimal(o *scCopy, _ *scServed, v Decimal) {
	text := strings.TrimSpace(string(v))
	sign := int16(scNumericPlus)
	digits := strings.TrimLeft(text, "+-")
	if strings.HasPrefix(text, "-") {
		sign = scNumericMinus
	}
	start := o.open()
	special := func(sign int) {
		o.int16(0)
		o.int16(0)
		o.int16(int16(sign - 1<<16))
		o.int16(0)
		o.close(start)
	}
	switch strings.ToLower(digits) {
	case "nan":
		special(scNumericNaN)
		return
	case "inf", "infinity":
		if sign == scNumericMinus {
			special(scNumericMinusInf)
		} else {
			special(scNumericInfinity)
		}
		return
	}
	exponent := 0
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		e, err := strconv.ParseInt(digits[at+1:], 10, 16)
		if err != nil {
			o.fail("%q is no decimal", v)
			return
		}
		digits, exponent = digits[:at], int(e)
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(text)-len(strings.TrimLeft(text, "+-")) > 1 || whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		o.fail("%q is no decimal", v)
		return
	}
	scale := max(len(fraction)-exponent, 0)
	// first is the power of ten of the first digit that is not 0.
	first := len(whole) - 1 + exponent
	at := 0
	digit := func() int16 {
		d := byte('0')
		switch {
		case at < len(whole):
			d = whole[at]
		case at < len(whole)+len(fraction):
			d = fraction[at-len(whole)]
		}
		at++
		return int16(d - '0')
	}
	all := len(whole) + len(fraction)
	for at < all && (at < len(whole) && whole[at] == '0' || at >= len(whole) && fraction[at-len(whole)] == '0') {
		at++
		first--
	}
	header := len(o.buf)
	o.int64(0)
	groups, trailing, weight := 0, 0, 0
	if at < all {
		weight = first / 4
		if first < 0 && first%4 != 0 {
			weight--
		}
		// The first group may have fewer than four digits.
		for in := first - 4*weight; at < all; in = 3 {
			group := int16(0)
			for ; in >= 0; in-- {
				group = 10*group + digit()
			}
			o.int16(group)
			groups++
			if group != 0 {
				trailing = groups
			}
		}
	} else {
		sign = scNumericPlus
	}
	if weight != int(int16(weight)) || scale > 16383 {
		o.fail("%.40q has too many digits", v)
		return
	}
	o.buf = o.buf[:header+8+2*trailing]
	for i, v := range [4]int16{int16(trailing), int16(weight), sign, int16(scale)} {
		binary.BigEndian.PutUint16(o.buf[header+2*i:], uint16(v))
	}
	o.close(start)
}
