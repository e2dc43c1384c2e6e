package encode

import (
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

const (
	secondsPerDay = 86_400
	microsPerDay  = secondsPerDay * 1_000_000
)

// unitsPerSecond[u] is how many of the time unit u make a second. The index is an arrow.TimeUnit.
var unitsPerSecond = [...]int64{arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9}

// floorDiv divides a by b and rounds down. The remainder is never negative.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

// appendTimestamp appends a timestamp: its date, sep ('T' or ' '), its time of day, and zone ("",
// "Z" or "+00"). v is the number of units since 1970-01-01. DuckDB's infinities are written as
// words.
func appendTimestamp(dst []byte, v int64, unit arrow.TimeUnit, sep byte, zone string) []byte {
	switch v {
	case math.MaxInt64:
		return append(dst, "infinity"...)
	case -math.MaxInt64:
		return append(dst, "-infinity"...)
	}
	var seconds, fraction int64
	// All divisors are constants, because the compiler replaces such divisions by multiplications.
	switch unit {
	case arrow.Second:
		seconds = v
	case arrow.Millisecond:
		seconds, fraction = floorDiv(v, 1e3)
		fraction *= 1e6
	case arrow.Microsecond:
		seconds, fraction = floorDiv(v, 1e6)
		fraction *= 1e3
	default:
		seconds, fraction = floorDiv(v, 1e9)
	}
	days, second := floorDiv(seconds, secondsPerDay)
	dst = appendDay(dst, days)
	dst = append(dst, sep)
	dst = appendClock(dst, uint32(second), uint32(fraction))
	return append(dst, zone...)
}

// appendDate appends a DATE. days is the number of days since 1970-01-01.
func appendDate(dst []byte, days int32) []byte {
	switch days {
	case math.MaxInt32:
		return append(dst, "infinity"...)
	case -math.MaxInt32:
		return append(dst, "-infinity"...)
	}
	return appendDay(dst, int64(days))
}

// appendDay appends a date as YYYY-MM-DD in the proleptic Gregorian calendar. days is the number of
// days since 1970-01-01. Years outside 0000-9999 have a sign and at least six digits (the expanded
// form of ISO 8601, which ECMAScript and Java parse).
func appendDay(dst []byte, days int64) []byte {
	year, month, day := civil(days)
	switch {
	case year >= 0 && year <= 9999:
		dst = append2(append2(dst, uint32(year)/100), uint32(year)%100)
	default:
		sign := byte('+')
		if year < 0 {
			sign, year = '-', -year
		}
		dst = append(dst, sign)
		for limit := int64(100_000); limit > year; limit /= 10 {
			dst = append(dst, '0')
		}
		dst = strconv.AppendInt(dst, year, 10)
	}
	dst = append2(append(dst, '-'), month)
	return append2(append(dst, '-'), day)
}

// civil returns the date that is the given number of days after 1970-01-01. It computes with years
// that begin on 1 March, in eras of 400 years. Then the leap day is the last day of a year, and the
// lengths of months follow a formula.
func civil(days int64) (year int64, month, day uint32) {
	// the days of an era (400 years), and the days from 0000-03-01 to 1970-01-01
	const daysPerEra, epochToEra0 = 146_097, 719_468
	era, rest := floorDiv(days+epochToEra0, daysPerEra)
	dayOfEra := uint32(rest)
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146_096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153 // number of the month, counted from March as 0
	day = dayOfYear - (153*shifted+2)/5 + 1
	month = shifted + 3
	year = int64(yearOfEra) + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// appendClock appends a time of day as HH:MM:SS. The fraction of the second has 0, 3, 6 or 9
// digits, as few as nanos needs.
func appendClock(dst []byte, second, nanos uint32) []byte {
	minute := second / 60
	dst = append2(dst, minute/60)
	dst = append2(append(dst, ':'), minute%60)
	dst = append2(append(dst, ':'), second%60)
	if nanos == 0 {
		return dst
	}
	dst = append3(append(dst, '.'), nanos/1e6)
	if rest := nanos % 1e6; rest != 0 {
		dst = append3(dst, rest/1e3)
		if rest %= 1e3; rest != 0 {
			dst = append3(dst, rest)
		}
	}
	return dst
}

// append3 appends a number below 1000 as three decimal digits.
func append3(dst []byte, v uint32) []byte {
	return append2(append(dst, byte('0'+v/100)), v%100)
}

// appendTime appends a time of day, v units after midnight. Arrow forbids values outside of one
// day, but not all producers of arrays respect that. Such a value is written with its real number
// of hours, for example 25.
func appendTime(dst []byte, v int64, unit arrow.TimeUnit) []byte {
	perSecond := unitsPerSecond[unit]
	seconds, fraction := floorDiv(v, perSecond)
	nanos := uint32(fraction * (1e9 / perSecond))
	if seconds < 0 {
		dst = append(dst, '-')
		if nanos > 0 {
			seconds++
			nanos = 1e9 - nanos
		}
		seconds = -seconds
	}
	if seconds >= 100*3600 {
		dst = strconv.AppendInt(dst, seconds/3600, 10)
		clock := appendClock(nil, uint32(seconds%3600), nanos)
		return append(dst, clock[2:]...)
	}
	return appendClock(dst, uint32(seconds), nanos)
}

// appendTimeTZ appends a TIME WITH TIME ZONE from the 64 bits in which DuckDB stores it. The upper
// 40 bits are microseconds. The lower 24 bits are the maximum offset minus the offset east of
// Greenwich, in seconds. With this encoding, numbers are ordered as the instants are.
func appendTimeTZ(dst []byte, v uint64) []byte {
	const maxOffset = 16*60*60 - 1
	dst = appendTime(dst, int64(v>>24), arrow.Microsecond)
	offset := maxOffset - int32(v&0xFFFFFF)
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	o := uint32(offset)
	dst = append2(append(dst, sign), min(o/3600, 99))
	dst = append2(append(dst, ':'), o/60%60)
	if o%60 != 0 {
		dst = append2(append(dst, ':'), o%60)
	}
	return dst
}

// interval is an INTERVAL. It has months, days and nanoseconds, because none of the three can be
// converted into another.
type interval struct {
	months, days int64
	nanos        int64
}

// appendISO appends the interval as an ISO 8601 duration, such as P1Y2M3DT4H5.5S. Each component
// has its own sign.
func (v interval) appendISO(dst []byte) []byte {
	dst = append(dst, 'P')
	dst = appendUnit(dst, v.months/12, 'Y')
	dst = appendUnit(dst, v.months%12, 'M')
	dst = appendUnit(dst, v.days, 'D')
	if v.nanos != 0 {
		dst = append(dst, 'T')
		dst = appendUnit(dst, v.nanos/3600e9, 'H')
		dst = appendUnit(dst, v.nanos/60e9%60, 'M')
		if rest := v.nanos % 60e9; rest != 0 {
			if rest < 0 {
				dst, rest = append(dst, '-'), -rest
			}
			dst = strconv.AppendInt(dst, rest/1e9, 10)
			dst = append(appendFraction(dst, uint32(rest%1e9)), 'S')
		}
	}
	if dst[len(dst)-1] == 'P' {
		dst = append(dst, "T0S"...)
	}
	return dst
}

func appendUnit(dst []byte, v int64, unit byte) []byte {
	if v == 0 {
		return dst
	}
	return append(strconv.AppendInt(dst, v, 10), unit)
}

// appendFraction appends nanoseconds as a decimal fraction of a second without trailing zeros.
func appendFraction(dst []byte, nanos uint32) []byte {
	if nanos == 0 {
		return dst
	}
	dst = append3(append3(append3(append(dst, '.'), nanos/1e6), nanos/1e3%1e3), nanos%1e3)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendText appends the interval in the form that DuckDB prints and parses, such as "1 year 2
// months 3 days 04:00:05.5".
func (v interval) appendText(dst []byte) []byte {
	start := len(dst)
	dst = appendWord(dst, start, v.months/12, "year")
	dst = appendWord(dst, start, v.months%12, "month")
	dst = appendWord(dst, start, v.days, "day")
	if v.nanos == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	nanos := uint64(v.nanos)
	if v.nanos < 0 {
		dst, nanos = append(dst, '-'), -nanos
	}
	hours := nanos / 3600e9
	if hours < 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendUint(dst, hours, 10)
	dst = append2(append(dst, ':'), uint32(nanos/60e9%60))
	dst = append2(append(dst, ':'), uint32(nanos/1e9%60))
	return appendFraction(dst, uint32(nanos%1e9))
}

func appendWord(dst []byte, start int, v int64, word string) []byte {
	if v == 0 {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	dst = append(strconv.AppendInt(dst, v, 10), ' ')
	dst = append(dst, word...)
	if v != 1 && v != -1 {
		dst = append(dst, 's')
	}
	return dst
}
