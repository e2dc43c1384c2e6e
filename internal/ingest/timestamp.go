package ingest

import "math"

// Moment is a timestamp that was parsed from text.
type Moment struct {
	// Micros are microseconds since 1970, in UTC if Zoned is set, and otherwise in local time.
	Micros  int64
	Nanos   uint16 // Nanos are the nanoseconds below the microsecond, 0 to 999.
	Zoned   bool   // Zoned says that the text has a Z or an offset from UTC.
	Shifted bool   // Shifted says that the text has an offset from UTC that is not 0.
	IsDate  bool   // IsDate says that the text is a date without a time of day.
}

// ParseTimestamp parses the extended form of ISO 8601 as databases write it. That is YYYY-MM-DD,
// optionally followed by T or a space and HH:MM[:SS[.digits]], and then optionally by Z, +HH, +HHMM
// or +HH:MM. A second has at most nine digits after the point, not counting zeros at the end. Years
// are 0000 to 9999. It returns false if s has another form.
func ParseTimestamp(s []byte) (Moment, bool) {
	var m Moment
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return m, false
	}
	year, ok1 := digits(s[:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:10])
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return m, false
	}
	seconds := int64(daysSince1970(year, month, day)) * 86_400
	s = s[10:]
	if len(s) == 0 {
		m.Micros, m.IsDate = seconds*1e6, true
		return m, true
	}
	if len(s) < 6 || s[0] != 'T' && s[0] != 't' && s[0] != ' ' || s[3] != ':' {
		return m, false
	}
	hour, ok1 := digits(s[1:3])
	minute, ok2 := digits(s[4:6])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return m, false
	}
	seconds += int64(hour*3600 + minute*60)
	s = s[6:]
	nanos := 0
	if len(s) > 0 && s[0] == ':' {
		if len(s) < 3 {
			return m, false
		}
		second, ok := digits(s[1:3])
		if !ok || second > 59 {
			return m, false
		}
		seconds += int64(second)
		if s, nanos, ok = fraction(s[3:]); !ok {
			return m, false
		}
	}
	offset, ok := 0, true
	if len(s) > 0 {
		m.Zoned = true
		if offset, ok = zone(s); !ok {
			return m, false
		}
		m.Shifted = offset != 0
	}
	m.Micros = (seconds-int64(offset))*1e6 + int64(nanos/1000)
	m.Nanos = uint16(nanos % 1000)
	return m, true
}

// UnixNanos returns the timestamp in nanoseconds since 1970. It returns false if the timestamp is
// outside of the years 1677 to 2262.
func (m Moment) UnixNanos() (int64, bool) {
	if m.Micros > math.MaxInt64/1000-1 || m.Micros < math.MinInt64/1000+1 {
		return 0, false
	}
	return m.Micros*1000 + int64(m.Nanos), true
}

func digits(s []byte) (int, bool) {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSince1970 returns the number of days from 1970-01-01 to a date of the Gregorian calendar. The
// computation lets years begin in March, so that the leap day is the last day of a year.
func daysSince1970(year, month, day int) int {
	if month < 3 {
		year, month = year-1, month+12
	}
	year += 400 // so that the year is not negative
	ofYear := (153*(month-3)+2)/5 + day - 1
	const epoch = 865_565 // the result of the formula for 1970-01-01
	return 365*year + year/4 - year/100 + year/400 + ofYear - epoch
}

// fraction parses an optional fraction of a second at the start of s. It returns the text after it,
// and the fraction in nanoseconds.
func fraction(s []byte) (rest []byte, nanos int, ok bool) {
	if len(s) == 0 || s[0] != '.' && s[0] != ',' {
		return s, 0, true
	}
	i, scale := 1, 100_000_000
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if scale == 0 && s[i] != '0' {
			return nil, 0, false
		}
		nanos += int(s[i]-'0') * scale
		scale /= 10
	}
	return s[i:], nanos, i > 1
}

// zone parses s, which is not empty, as an offset from UTC. It returns the offset in seconds.
func zone(s []byte) (offset int, ok bool) {
	if len(s) == 1 {
		return 0, s[0] == 'Z' || s[0] == 'z'
	}
	if s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	sign := 1
	if s[0] == '-' {
		sign = -1
	}
	hours, minutes := s[1:], []byte("00")
	switch {
	case len(hours) == 4:
		hours, minutes = hours[:2], hours[2:]
	case len(hours) == 5 && hours[2] == ':':
		hours, minutes = hours[:2], hours[3:]
	case len(hours) != 2:
		return 0, false
	}
	h, ok1 := digits(hours)
	m, ok2 := digits(minutes)
	return sign * (h*3600 + m*60), ok1 && ok2 && h < 24 && m < 60
}
