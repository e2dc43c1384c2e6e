package csv

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest"
)

// kind says what kind of value the texts of a column look like.
type kind uint8

const (
	none    kind = iota // none means that all values so far are NULL.
	integer             // integer means integers in the range of int64.
	// unsigned means integers in the range of uint64. At least one of them is above the range of
	// int64, and no value is negative.
	unsigned
	floating // floating means numbers as float64.
	special  // special means NaN and infinities. They are numbers if the column has other numbers.
	boolean
	date
	local // local is a timestamp without a zone.
	zoned // zoned is a timestamp with a zone.
	text
)

// inference finds the kind of a column from its values. The kind is text if any other type would
// lose information, such as the zeros of 007 or digits of a long number.
type inference struct {
	kind     kind
	negative bool // negative says that an integer of the column is negative.
	// inexact says that a float64 cannot represent one of the column's integers exactly.
	inexact bool
	nanos   bool // nanos says that a time of the column is not a whole number of microseconds.
	// far says that a time of the column is outside of the range of 64-bit nanoseconds.
	far bool
}

// add updates the kind of the column for the value v.
func (f *inference) add(v []byte) {
	if f.kind != text {
		f.kind = f.merge(f.classify(v))
	}
}

func (f *inference) merge(k kind) kind {
	switch {
	case f.kind == none || f.kind == k:
		return k
	case f.kind == integer && k == unsigned || f.kind == unsigned && k == integer:
		if !f.negative {
			return unsigned
		}
	case numeric(f.kind) && numeric(k):
		if !f.inexact {
			return floating
		}
	}
	return text
}

func numeric(k kind) bool { return k >= integer && k <= special }

// classify returns the kind of the single value v.
func (f *inference) classify(v []byte) kind {
	if len(v) == 0 || len(v) > 64 {
		return text
	}
	c := v[0]
	if c == '-' && len(v) > 1 {
		c = v[1]
	}
	switch {
	case c >= '0' && c <= '9' || c == '.':
		return f.number(v)
	case isBool(v):
		return boolean
	case isSpecial(v):
		return special
	}
	return text
}

func (f *inference) number(v []byte) kind {
	if len(v) >= 10 && v[4] == '-' {
		return f.moment(v)
	}
	digits := v
	if v[0] == '-' {
		digits = v[1:]
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return text // leading zeros may have a meaning
	}
	whole, mantissa, significant := true, true, 0
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			if mantissa && (significant > 0 || c != '0') {
				significant++
			}
		case c == '.' || c == '-' || c == '+':
			whole = false
		case c == 'e' || c == 'E':
			whole, mantissa = false, false
		default:
			return text
		}
	}
	s := unsafe.String(&v[0], len(v)) // strconv keeps a reference only in errors, which are dropped
	if whole && s != "-0" {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			f.negative = f.negative || i < 0
			f.inexact = f.inexact || i == math.MaxInt64 || int64(float64(i)) != i
			return integer
		}
		if u, err := strconv.ParseUint(s, 10, 64); err == nil {
			g := float64(u)
			f.inexact = f.inexact || g >= 1<<64 || uint64(g) != u
			return unsigned
		}
		return text
	}
	// Two different numbers of at most this many digits are different as float64, too.
	const exact = 17
	if g, err := strconv.ParseFloat(s, 64); err != nil || math.IsInf(g, 0) || significant > exact {
		return text
	}
	return floating
}

func (f *inference) moment(v []byte) kind {
	m, ok := ingest.ParseTimestamp(v)
	if !ok {
		return text
	}
	if m.IsDate {
		return date
	}
	f.nanos = f.nanos || m.Nanos != 0
	if _, ok := m.UnixNanos(); !ok {
		f.far = true
	}
	if m.Zoned {
		return zoned
	}
	return local
}

func isBool(v []byte) bool {
	switch string(v) {
	case "true", "false", "True", "False", "TRUE", "FALSE":
		return true
	}
	return false
}

func isSpecial(v []byte) bool {
	v = bytes.TrimPrefix(v, []byte{'-'})
	if len(v) != 3 && len(v) != 8 || v[0] < 'A' {
		return false
	}
	s := unsafe.String(&v[0], len(v))
	return strings.EqualFold(s, "nan") || strings.EqualFold(s, "inf") || strings.EqualFold(s, "infinity")
}

// dataType returns the inferred Arrow type of the column.
func (f *inference) dataType() arrow.DataType {
	unit := arrow.Microsecond
	if f.nanos {
		unit = arrow.Nanosecond
	}
	switch {
	case f.kind == none:
		return arrow.Null
	case f.kind == integer:
		return arrow.PrimitiveTypes.Int64
	case f.kind == unsigned:
		return arrow.PrimitiveTypes.Uint64
	case f.kind == floating:
		return arrow.PrimitiveTypes.Float64
	case f.kind == boolean:
		return arrow.FixedWidthTypes.Boolean
	case f.kind == date:
		return arrow.FixedWidthTypes.Date32
	case f.kind == local && !(f.nanos && f.far):
		return &arrow.TimestampType{Unit: unit}
	case f.kind == zoned && !f.nanos: // TIMESTAMPTZ has no nanoseconds
		return &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
	}
	return arrow.BinaryTypes.String
}
