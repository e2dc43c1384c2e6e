package batch

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Each function in this file parses a whole text, or returns false. They accept the plain forms
// that DuckDB's CAST accepts, and also ISO 8601's comma in times. They allow surrounding spaces,
// but not separators such as in 1_000.

func parseInt(s string) (int64, bool) {
	v, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err == nil {
		return v, true
	}
	digits, ok := WholeNumber(s)
	if ok {
		v, err = strconv.ParseInt(digits, 10, 64)
	}
	return v, ok && err == nil
}

func parseUint(s string) (uint64, bool) {
	v, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(s), "+"), 10, 64)
	if err == nil {
		return v, true
	}
	digits, ok := WholeNumber(s)
	if ok {
		v, err = strconv.ParseUint(digits, 10, 64)
	}
	return v, ok && err == nil
}

func parseFloat(s string, bitSize int) (float64, bool) {
	s = strings.TrimSpace(s)
	// Refuse hexadecimal and grouped digits, which Go would accept.
	if strings.ContainsAny(s, "_xX") {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, bitSize)
	return v, err == nil
}

func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "t", "1":
		return true, true
	case "false", "f", "0":
		return false, true
	}
	return false, false
}

// parseWide parses an integer of at most 128 bits, and returns its digits without leading zeros. If
// unsigned is true, the integer must not be negative.
func parseWide(s string, unsigned bool) (string, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 64 {
		return "", false
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		digits, whole := WholeNumber(s)
		if !whole {
			return "", false
		}
		n, _ = new(big.Int).SetString(digits, 10)
	}
	if !fitsWide(n, unsigned) {
		return "", false
	}
	return n.String(), true
}

func fitsWide(n *big.Int, unsigned bool) bool {
	if unsigned {
		return n.Sign() >= 0 && n.BitLen() <= 128
	}
	least := new(big.Int).Lsh(big.NewInt(-1), 127)
	return n.BitLen() <= 127 || n.Cmp(least) == 0
}

// parseUUID parses the 32 hexadecimal digits of a UUID. There may be hyphens anywhere, and braces
// around the text.
func parseUUID(s string) (id [16]byte, ok bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		s = s[1 : len(s)-1]
	}
	if len(s) > 64 {
		return id, false
	}
	s = strings.ReplaceAll(s, "-", "")
	if len(s) != 32 {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(s))
	return id, err == nil
}

func isBits(s string) bool {
	return s != "" && strings.Trim(s, "01") == ""
}

// loneSurrogate reports whether a JSON text has an escape of half a surrogate pair. encoding/json
// accepts such a text, but DuckDB's JSON parser does not.
func loneSurrogate(s string) bool {
	unit := func(at int) (uint64, bool) {
		if at+6 > len(s) || s[at] != '\\' || s[at+1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(s[at+2:at+6], 16, 16)
		return v, err == nil
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		v, ok := unit(i)
		switch {
		case !ok:
			i++ // skip the character after the backslash
		case v >= 0xDC00 && v <= 0xDFFF:
			return true
		case v >= 0xD800 && v <= 0xDBFF:
			if low, ok := unit(i + 6); !ok || low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		default:
			i += 5
		}
	}
	return false
}

// These constants are units of time, and the numbers that stand for DuckDB's infinite dates and
// times.
const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
	infiniteDate    = math.MaxInt32
	infiniteTime    = math.MaxInt64
)

// clock is a date or time that is being parsed from left to right. s is the text that was not
// parsed yet.
type clock struct{ s string }

// digits parses a number. The arguments least and most limit how many digits it may have.
func (c *clock) digits(least, most int) (int64, bool) {
	n, v := 0, int64(0)
	for n < len(c.s) && n < most && c.s[n] >= '0' && c.s[n] <= '9' {
		v = v*10 + int64(c.s[n]-'0')
		n++
	}
	c.s = c.s[n:]
	return v, n >= least
}

// take returns the next byte and skips it if it is one of the bytes in the argument among.
// Otherwise it returns false.
func (c *clock) take(among string) (byte, bool) {
	if c.s == "" || strings.IndexByte(among, c.s[0]) < 0 {
		return 0, false
	}
	b := c.s[0]
	c.s = c.s[1:]
	return b, true
}

// date parses a date of the form [-]YYYY-MM-DD, and returns the number of days since 1970-01-01.
func (c *clock) date() (int64, bool) {
	_, negative := c.take("-")
	year, ok1 := c.digits(1, 7)
	_, ok2 := c.take("-/")
	month, ok3 := c.digits(1, 2)
	_, ok4 := c.take("-/")
	day, ok5 := c.digits(1, 2)
	if negative {
		year = -year
	}
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return daysFromCivil(year, month, day), true
}

func daysIn(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysFromCivil returns the number of days from 1970-01-01 to a date in the proleptic Gregorian
// calendar. It computes with years that begin in March, in eras of 400 years.
func daysFromCivil(year, month, day int64) int64 {
	if month <= 2 {
		year--
	}
	era := floorDivide(year, 400)
	yearOfEra := year - era*400
	dayOfYear := (153*((month+9)%12)+2)/5 + day - 1
	return era*146_097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719_468
}

// time parses a time of day of the form HH:MM[:SS[.fffffffff]], with a point or ISO 8601's comma.
// It returns seconds and nanoseconds.
func (c *clock) time() (seconds, nanos int64, ok bool) {
	hour, ok1 := c.digits(1, 2)
	_, ok2 := c.take(":")
	minute, ok3 := c.digits(2, 2)
	if !ok1 || !ok2 || !ok3 || hour > 24 || minute > 59 {
		return 0, 0, false
	}
	second := int64(0)
	if _, more := c.take(":"); more {
		if second, ok = c.digits(2, 2); !ok || second > 59 {
			return 0, 0, false
		}
		if _, more := c.take(".,"); more {
			before := len(c.s)
			if nanos, ok = c.digits(1, 9); !ok {
				return 0, 0, false
			}
			for range 9 - (before - len(c.s)) {
				nanos *= 10
			}
			c.s = strings.TrimLeft(c.s, "0") // digits after the nanoseconds must be zeros
		}
	}
	if hour == 24 && (minute != 0 || second != 0 || nanos != 0) {
		return 0, 0, false
	}
	return hour*3600 + minute*60 + second, nanos, true
}

// zone parses a time zone of the form Z, UTC or +HH[:MM[:SS]], up to 23:59:59, and returns its
// offset in seconds.
func (c *clock) zone() (offset int64, ok bool) {
	c.s = strings.TrimLeft(c.s, " ")
	if c.s == "Z" || c.s == "z" || c.s == "UTC" {
		c.s = ""
		return 0, true
	}
	sign, ok := c.take("+-")
	if !ok {
		return 0, false
	}
	for i, unit := range []int64{3600, 60, 1} {
		if i > 0 {
			if c.s == "" {
				break
			}
			c.take(":")
		}
		v, ok := c.digits(2, 2)
		if !ok || i == 0 && v > 23 || v > 59 {
			return 0, false
		}
		offset += v * unit
	}
	if sign == '-' {
		offset = -offset
	}
	return offset, true
}

func infinity(s string) (sign int64, ok bool) {
	switch strings.ToLower(s) {
	case "infinity":
		return 1, true
	case "-infinity":
		return -1, true
	}
	return 0, false
}

func parseDate(s string) (int32, bool) {
	s = strings.TrimSpace(s)
	if sign, ok := infinity(s); ok {
		return int32(sign * infiniteDate), true
	}
	c := clock{s}
	days, ok := c.date()
	return int32(days), ok && c.s == "" && int64(int32(days)) == days
}

// instant is a timestamp that was parsed from text.
type instant struct {
	// seconds is the number of seconds since 1970 in UTC. If the timestamp is infinite, it is
	// infiniteTime or -infiniteTime.
	seconds int64
	nanos   int64
	// shifted says that the text had a UTC offset other than 0, which a type without time zone
	// cannot store.
	shifted bool
}

// parseTimestamp parses a date, or a date and a time of day. A time zone may follow. Without one,
// the timestamp is in UTC.
func parseTimestamp(s string) (at instant, ok bool) {
	s = strings.TrimSpace(s)
	if sign, ok := infinity(s); ok {
		return instant{seconds: sign * infiniteTime}, true
	}
	c := clock{s}
	days, ok := c.date()
	if !ok {
		return instant{}, false
	}
	at.seconds = days * 86_400
	if c.s == "" {
		return at, true
	}
	if _, ok := c.take("Tt "); !ok {
		return instant{}, false
	}
	ofDay, nanos, ok := c.time()
	if !ok {
		return instant{}, false
	}
	at.seconds, at.nanos = at.seconds+ofDay, nanos
	if c.s == "" {
		return at, true
	}
	offset, ok := c.zone()
	at.seconds, at.shifted = at.seconds-offset, offset != 0
	return at, ok && c.s == ""
}

// parseTime parses a time of day, and returns the number of microseconds since midnight.
func parseTime(s string) (int64, bool) {
	c := clock{strings.TrimSpace(s)}
	seconds, nanos, ok := c.time()
	return seconds*microsPerSecond + nanos/1000, ok && c.s == "" && nanos%1000 == 0
}

// parseTimeTZ parses a time of day with a time zone, and returns the text that DuckDB prints for
// it.
func parseTimeTZ(s string) (string, bool) {
	c := clock{strings.TrimSpace(s)}
	seconds, nanos, ok := c.time()
	if !ok || nanos%1000 != 0 {
		return "", false
	}
	offset := int64(0)
	if c.s != "" {
		const most = 16 * 3600 // offsets in DuckDB's TIMETZ are below 16 hours
		if offset, ok = c.zone(); !ok || c.s != "" || offset >= most || offset <= -most {
			return "", false
		}
	}
	sign, magnitude := byte('+'), offset
	if offset < 0 {
		sign, magnitude = '-', -offset
	}
	text := append(appendClock(nil, seconds*microsPerSecond+nanos/1000), sign)
	text = appendTwo(text, magnitude/3600)
	if magnitude%3600 != 0 {
		text = appendTwo(append(text, ':'), magnitude/60%60)
	}
	if magnitude%60 != 0 {
		text = appendTwo(append(text, ':'), magnitude%60)
	}
	return string(text), true
}

// appendClock appends a number of microseconds to b as H:MM:SS[.ffffff], with at least two digits
// for hours.
func appendClock(b []byte, micros int64) []byte {
	seconds := micros / microsPerSecond
	if seconds/3600 > 99 {
		b = strconv.AppendInt(b, seconds/3600, 10)
	} else {
		b = appendTwo(b, seconds/3600)
	}
	b = appendTwo(append(b, ':'), seconds/60%60)
	b = appendTwo(append(b, ':'), seconds%60)
	if fraction := micros % microsPerSecond; fraction != 0 {
		digits := strconv.FormatInt(microsPerSecond+fraction, 10)[1:]
		b = append(append(b, '.'), strings.TrimRight(digits, "0")...)
	}
	return b
}

func appendTwo(b []byte, v int64) []byte { return append(b, byte('0'+v/10), byte('0'+v%10)) }
