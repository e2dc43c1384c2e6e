package lineprotocol

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/scoterdb/scoter/internal/ingest"
)

func floatOf(bits uint64) float64 { return math.Float64frombits(bits) }

// fieldValue reads the value of a field at position p into v, and returns the position after it.
func (d *decoder) fieldValue(v *value, p int) (int, reason) {
	src := d.src
	if p == len(src) {
		return p, bad("missing field value")
	}
	switch c := src[p]; {
	case c == '"':
		return d.text(v, p+1)
	case c-'0' <= 9 || c == '-' || c == '+' || c == '.':
		return number(v, src, p)
	case c == ',' || c == ' ' || c == '\n' || c == '\r':
		return p, bad("missing field value")
	}
	end := p
	for end < len(src) && src[end]|0x20 >= 'a' && src[end]|0x20 <= 'z' {
		end++
	}
	v.kind = ingest.Bool
	switch string(src[p:end]) {
	case "t", "T", "true", "True", "TRUE":
		v.flag = true
	case "f", "F", "false", "False", "FALSE":
	default:
		return p, bad("invalid boolean")
	}
	return end, reason{}
}

func (d *decoder) text(v *value, p int) (int, reason) {
	end, escaped, ok := stringEnd(d.src, p)
	if !ok {
		return p, bad("unbalanced quotes")
	}
	v.kind, v.text = ingest.String, d.src[p:end]
	d.newlines += bytes.Count(v.text, []byte{'\n'})
	if escaped {
		raw := v.text
		start := len(d.scratch)
		d.scratch = slices.Grow(d.scratch, len(raw))
		for i := 0; i < len(raw); i++ {
			if raw[i] == '\\' && i+1 < len(raw) && (raw[i+1] == '"' || raw[i+1] == '\\') {
				i++
			}
			d.scratch = append(d.scratch, raw[i])
		}
		v.text = d.scratch[start:]
	}
	return end + 1, reason{}
}

// powers are the powers of ten that a float64 can represent exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number reads a number at position p of src into v: [+-]digits[.digits][e[+-]digits], or
// [+-]digits followed by i or u. It returns the position after the number.
//
// If the digits without the point are at most 2^53 and the exponent is small, the number is the
// quotient or product of two exact float64s, so a single rounding gives the nearest float64.
// strconv converts all other numbers.
func number(v *value, src []byte, p int) (int, reason) {
	start := p
	negative := src[p] == '-'
	if negative || src[p] == '+' {
		p++
	}
	mantissa, first := uint64(0), p
	for p < len(src) && src[p]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(src[p]-'0')
		p++
	}
	digits, exponent := p-first, 0
	if p < len(src) && (src[p] == 'i' || src[p] == 'u') && digits > 0 {
		return integer(v, src, start, p, mantissa, digits, negative)
	}
	if p < len(src) && src[p] == '.' {
		p++
		point := p
		for p < len(src) && src[p]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(src[p]-'0')
			p++
		}
		exponent = point - p
		digits -= exponent
	}
	if digits == 0 {
		return start, bad("invalid number")
	}
	plain := true
	if p < len(src) && src[p]|0x20 == 'e' {
		plain = false
		p++
		if p < len(src) && (src[p] == '-' || src[p] == '+') {
			p++
		}
		first := p
		for p < len(src) && src[p]-'0' <= 9 {
			p++
		}
		if p == first {
			return start, bad("invalid number")
		}
	}
	if p < len(src) && src[p] != ',' && src[p] != ' ' && src[p] != '\n' && src[p] != '\r' {
		return start, bad("invalid number")
	}
	v.kind = ingest.Float
	if plain && digits <= 19 && mantissa <= 1<<53 && -exponent < len(powers) {
		f := float64(mantissa) / powers[-exponent]
		if negative {
			f = -f
		}
		v.number = math.Float64bits(f)
		return p, reason{}
	}
	f, err := strconv.ParseFloat(unsafe.String(&src[start], p-start), 64)
	if err != nil {
		return start, bad("invalid number: out of range")
	}
	v.number = math.Float64bits(f)
	return p, reason{}
}

// integer sets v to an integer whose digits end at position p, where its suffix i or u is.
// magnitude is the value of the digits. It returns the position after the suffix.
func integer(v *value, src []byte, start, p int, magnitude uint64, digits int, negative bool) (int, reason) {
	text := unsafe.String(&src[start], p-start)
	if src[p] == 'u' {
		v.kind = ingest.Uint
		if src[start] == '+' {
			text = text[1:]
		}
		u, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return start, bad("unable to parse unsigned " + ingest.Quote([]byte(text)))
		}
		v.number = u
		return p + 1, reason{}
	}
	v.kind = ingest.Int
	if digits <= 18 {
		v.number = magnitude
		if negative {
			v.number = -magnitude
		}
		return p + 1, reason{}
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return start, bad("unable to parse integer " + ingest.Quote([]byte(text)))
	}
	v.number = uint64(i)
	return p + 1, reason{}
}
