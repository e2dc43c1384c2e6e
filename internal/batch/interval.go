package batch

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// interval is an INTERVAL of DuckDB: months, days and microseconds, which are not converted into
// each other.
type interval struct {
	months, days int32
	micros       int64
}

// intervalUnits are the unit names in DuckDB's interval text.
var intervalUnits = func() map[string]intervalUnit {
	units := map[string]intervalUnit{}
	for _, u := range []struct {
		unit  intervalUnit
		words string
	}{
		{intervalUnit{months: 12000}, "millennium millennia mil mils"},
		{intervalUnit{months: 1200}, "century centuries cent c"},
		{intervalUnit{months: 120}, "decade decades dec decs"},
		{intervalUnit{months: 12}, "year years yr yrs y"},
		{intervalUnit{months: 3}, "quarter quarters"},
		{intervalUnit{months: 1}, "month months mon mons"},
		{intervalUnit{days: 7}, "week weeks w"},
		{intervalUnit{days: 1}, "day days d"},
		{intervalUnit{micros: 3600 * microsPerSecond}, "hour hours hr hrs h"},
		{intervalUnit{micros: 60 * microsPerSecond}, "minute minutes min mins m"},
		{intervalUnit{micros: microsPerSecond}, "second seconds sec secs s"},
		{intervalUnit{micros: 1000}, "millisecond milliseconds msec msecs ms"},
		{intervalUnit{micros: 1}, "microsecond microseconds usec usecs us"},
	} {
		for _, word := range strings.Fields(u.words) {
			units[word] = u.unit
		}
	}
	return units
}()

type intervalUnit struct{ months, days, micros int64 }

// parseInterval parses numbers with units and a time of day, such as "1 year -2 days 03:04:05.6".
// It also parses an ISO 8601 duration, such as "P1Y-2DT3H4M5.6S", which is the form in Scoter's
// JSON results.
func parseInterval(s string) (interval, bool) {
	if rest, ok := strings.CutPrefix(s, "P"); ok {
		return parseDuration(rest)
	}
	words := strings.Fields(strings.ToLower(s))
	if len(words) == 0 || len(words) > 32 {
		return interval{}, false
	}
	var months, days, micros int64
	ok := true
	addTo := func(sum *int64, count, unit int64) {
		high, low := bits.Mul64(magnitude(count), uint64(unit))
		product := int64(low)
		if count < 0 {
			product = -product
		}
		fits := high == 0 && (low <= math.MaxInt64 || count < 0 && low == 1<<63)
		next := *sum + product
		ok = ok && fits && (product >= 0) == (next >= *sum)
		*sum = next
	}
	for i := 0; i < len(words); i++ {
		if strings.IndexByte(words[i], ':') >= 0 {
			clockMicros, valid := parseIntervalClock(words[i])
			ok = ok && valid
			addTo(&micros, clockMicros, 1)
			continue
		}
		count, err := strconv.ParseInt(words[i], 10, 64)
		i++
		if err != nil || i == len(words) {
			return interval{}, false
		}
		unit, known := intervalUnits[words[i]]
		if !known {
			return interval{}, false
		}
		addTo(&months, count, unit.months)
		addTo(&days, count, unit.days)
		addTo(&micros, count, unit.micros)
	}
	fits := int64(int32(months)) == months && int64(int32(days)) == days
	return interval{int32(months), int32(days), micros}, ok && fits
}

// parseDuration parses an ISO 8601 duration after its P. Each number has its own sign, and only
// seconds may have a fraction.
func parseDuration(s string) (interval, bool) {
	words := make([]string, 0, 14)
	units := "YMWD"
	names := map[byte]string{'Y': "years", 'M': "months", 'W': "weeks", 'D': "days"}
	for s != "" {
		if s[0] == 'T' && names['H'] == "" && len(s) > 1 {
			units, s = "HMS", s[1:]
			names = map[byte]string{'H': "hours", 'M': "minutes", 'S': "seconds"}
		}
		end := strings.IndexAny(s, units)
		if end < 1 || strings.IndexFunc(s[:end], func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) }) >= 0 {
			return interval{}, false
		}
		count, unit := s[:end], s[end]
		// Each unit may occur once, in this order.
		units, s = units[strings.IndexByte(units, unit)+1:], s[end+1:]
		whole, fraction, broken := strings.Cut(count, ".")
		if broken {
			sign := strings.TrimRight(whole, "0123456789")
			if unit != 'S' || fraction == "" || len(fraction) > 6 || whole == sign {
				return interval{}, false
			}
			words = append(words, sign+fraction+strings.Repeat("0", 6-len(fraction)), "microseconds")
		}
		words = append(words, whole, names[unit])
	}
	return parseInterval(strings.Join(words, " "))
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// parseIntervalClock parses [-]H...:MM[:SS[.ffffff]], and returns microseconds.
func parseIntervalClock(s string) (int64, bool) {
	c := clock{s}
	sign := int64(1)
	if b, _ := c.take("+-"); b == '-' {
		sign = -1
	}
	hours, ok1 := c.digits(1, 10)
	_, ok2 := c.take(":")
	minutes, ok3 := c.digits(2, 2)
	if !ok1 || !ok2 || !ok3 || minutes > 59 || hours > maxIntervalHours {
		return 0, false
	}
	micros := (hours*60 + minutes) * 60 * microsPerSecond
	if _, more := c.take(":"); more {
		seconds, ok := c.digits(2, 2)
		if !ok || seconds > 59 {
			return 0, false
		}
		micros += seconds * microsPerSecond
		if _, more := c.take("."); more {
			before := len(c.s)
			fraction, ok := c.digits(1, 6)
			if !ok {
				return 0, false
			}
			for range 6 - (before - len(c.s)) {
				fraction *= 10
			}
			micros += fraction
		}
	}
	// math.MinInt64 is the only number whose absolute value overflows: it is the number itself.
	if micros < 0 && !(sign < 0 && micros == math.MinInt64) {
		return 0, false
	}
	return sign * micros, c.s == ""
}

const (
	maxIntervalHours = math.MaxInt64 / (3600 * microsPerSecond)
	// maxClockHours is the maximum number of hours in H:MM:SS that DuckDB parses, although it
	// prints larger ones.
	maxClockHours = 999_999_999
)

// String returns the text that DuckDB prints for the interval. If DuckDB cannot parse its own text,
// String returns another text for the same interval.
func (v interval) String() string {
	var b []byte
	count := func(n int64, unit string) {
		if n == 0 {
			return
		}
		b = append(strconv.AppendInt(b, n, 10), ' ')
		b = append(b, unit...)
		if n != 1 && n != -1 {
			b = append(b, 's')
		}
		b = append(b, ' ')
	}
	count(int64(v.months/12), "year")
	count(int64(v.months%12), "month")
	count(int64(v.days), "day")
	switch {
	case v.micros == math.MinInt64: // DuckDB cannot parse the text of this number
		count(v.micros+1, "microsecond")
		count(-1, "microsecond")
	case magnitude(v.micros)/(3600*microsPerSecond) > maxClockHours:
		count(v.micros, "microsecond")
	case v.micros < 0:
		b = append(appendClock(append(b, '-'), -v.micros), ' ')
	case v.micros > 0 || len(b) == 0:
		b = append(appendClock(b, v.micros), ' ')
	}
	return strings.TrimSuffix(string(b), " ")
}
