package ingest

import (
	"math"

	"github.com/scoterdb/scoter/internal/base"
)

// Precision is the unit of times that are sent as integers.
type Precision uint8

// These are the units of integer times. Auto means that the unit is found from the size of the
// values (see Column.ToTime).
const (
	Auto Precision = iota
	Nanosecond
	Microsecond
	Millisecond
	Second
	Minute
	Hour
)

// microsOf is the number of microseconds in each unit. It is 0 for nanoseconds, which are shorter
// than a microsecond.
var microsOf = [...]int64{Microsecond: 1, Millisecond: 1e3, Second: 1e6, Minute: 60e6, Hour: 3600e6}

var precisionNames = map[string]Precision{
	"": Auto, "ns": Nanosecond, "n": Nanosecond, "us": Microsecond, "u": Microsecond, "µs": Microsecond,
	"ms": Millisecond, "s": Second, "m": Minute, "h": Hour,
}

// ParsePrecision parses the unit of times as InfluxDB's clients write it: ns, n, us, u, µs, ms, s,
// m or h. The empty string is Auto.
func ParsePrecision(s string) (Precision, error) {
	p, ok := precisionNames[s]
	if !ok {
		return Auto, base.Errorf(base.Invalid, "invalid precision %q: use ns, us, ms, s, m or h", s)
	}
	return p, nil
}

// Micros converts v, a time in this unit since 1970, to microseconds and the remaining nanoseconds
// (0 to 999). ok is false if the result is out of range, or if the unit is Auto.
func (p Precision) Micros(v int64) (micros int64, nanos uint16, ok bool) {
	switch p {
	case Auto:
		return 0, 0, false
	case Nanosecond:
		micros, rest := v/1000, v%1000
		if rest < 0 {
			micros, rest = micros-1, rest+1000
		}
		return micros, uint16(rest), true
	}
	m := microsOf[p]
	return v * m, 0, v <= math.MaxInt64/m && v >= math.MinInt64/m
}

// guessFrom and guessUntil are the bounds, in seconds since 1970, of the times for which a unit is
// guessed: March 1973 and the end of 2099. A guess is safe only if exactly one unit is plausible.
// The bounds for milliseconds are a thousand times larger, and so on for microseconds and
// nanoseconds. The ranges of the four units do not overlap, so a time within these years is never
// taken for another.
const (
	guessFrom  = 100_000_000
	guessUntil = 4_102_444_800
)

// guess returns the unit of the time v, which it finds from the size of v. It returns Auto if more
// than one unit is possible.
func guess(v int64) Precision {
	m := uint64(v)
	if v < 0 {
		m = -m
	}
	switch {
	case m >= guessFrom && m < guessUntil:
		return Second
	case m >= guessFrom*1e3 && m < guessUntil*1e3:
		return Millisecond
	case m >= guessFrom*1e6 && m < guessUntil*1e6:
		return Microsecond
	case m >= guessFrom*1e9 && m < guessUntil*1e9:
		return Nanosecond
	}
	return Auto
}

// ToTime converts a column of integers, text or timestamps into timestamps. NULLs stay NULL.
//
// Integers are times since 1970 UTC in the unit p. If p is Auto, the size of the values decides
// between seconds, milliseconds, microseconds and nanoseconds:
//   - The values must lie between March 1973 and the end of 2099, or equally far before 1970.
//   - All values of the column must have the same unit. Zero is valid in every unit.
//   - Otherwise the unit is ambiguous, which is an error that asks for the precision. A guess from
//     the first value alone, or value by value, has put rows into the year 55840.
//
// Floating-point numbers are accepted if they are whole. Text is ISO 8601 (see ParseTimestamp), and
// is UTC if it has no zone.
//
// Nanoseconds are preserved. The column becomes timestamp[ns, UTC] if at least one value is not a
// whole microsecond, and timestamp[us, UTC] otherwise.
func (c *Column) ToTime(p Precision) error {
	switch c.kind {
	case Null, Timestamp:
		return nil
	case String:
		return c.timeFromText()
	case Float:
		if err := c.wholeNumbers(); err != nil {
			return err
		}
	case Int:
	default:
		return base.Errorf(base.Invalid, "column %q holds %v, not a time", c.name, c.kind)
	}
	if p == Auto {
		var err error
		if p, err = c.unit(); err != nil {
			return err
		}
	}
	return c.timeFromIntegers(p)
}

// unit returns the unit that all integer times in the column have, or an error if there is no such
// unit.
func (c *Column) unit() (Precision, error) {
	unit, at := Auto, 0
	// All values from low to high have the unit that was found so far. Most values need only this
	// check.
	low, high := int64(1), int64(0)
	for i, bits := range c.fixed {
		v := int64(bits)
		if v >= low && v <= high || v == 0 {
			continue
		}
		u := guess(v)
		switch {
		case u == Auto:
			return Auto, c.errorf(i, "the unit of time %d is ambiguous", v).
				WithHint("give the precision: ns, us, ms or s")
		case unit != Auto && u != unit:
			return Auto, c.errorf(i, "time %d has a different unit than %d in row %d", v, int64(c.fixed[at]), at+1).
				WithHint("send all times of a request in one unit, or give the precision: ns, us, ms or s")
		}
		if unit == Auto {
			unit, at = u, i
			scale := [...]int64{Second: 1, Millisecond: 1e3, Microsecond: 1e6, Nanosecond: 1e9}[u]
			low, high = guessFrom*scale, guessUntil*scale-1
		}
	}
	if unit == Auto {
		unit = Second // all values are zero, which is the same time in every unit
	}
	return unit, nil
}

func (c *Column) timeFromIntegers(p Precision) error {
	if p == Nanosecond {
		exact := true
		for _, bits := range c.fixed {
			if int64(bits)%1000 != 0 {
				exact = false
				break
			}
		}
		if !exact {
			c.nanos = make([]uint16, len(c.fixed))
		}
		for i, bits := range c.fixed {
			micros, nanos, _ := Nanosecond.Micros(int64(bits))
			c.fixed[i] = uint64(micros)
			if !exact {
				c.nanos[i] = nanos
			}
		}
	} else if m := microsOf[p]; m != 1 {
		limit := math.MaxInt64 / m
		for i, bits := range c.fixed {
			v := int64(bits)
			if v > limit || v < -limit {
				return c.errorf(i, "time %d is out of range", v)
			}
			c.fixed[i] = uint64(v * m)
		}
	}
	c.kind = Timestamp
	return nil
}

func (c *Column) wholeNumbers() error {
	for i, bits := range c.fixed {
		f := math.Float64frombits(bits)
		v := int64(f)
		if f != math.Trunc(f) || f >= 1<<63 || f < -1<<63 {
			return c.errorf(i, "time %v is not a whole number", f).
				WithHint("send a finer unit as an integer")
		}
		c.fixed[i] = uint64(v)
	}
	c.kind = Int
	return nil
}

func (c *Column) timeFromText() error {
	moments := &Column{name: c.name, shared: &shared{padding: NewPadding()}}
	for i := range c.rows {
		if !c.isValid(i) {
			if err := moments.SetNull(i); err != nil {
				return err
			}
			continue
		}
		text := c.text.row(i)
		t, ok := ParseTimestamp(text)
		if !ok {
			return c.errorf(i, "%s is not a time", Quote(text)).
				WithHint("write times like 2026-01-31T23:59:59.123456Z")
		}
		if err := moments.SetTimestamp(i, t.Micros, t.Nanos); err != nil {
			return err
		}
	}
	moments.shared = c.shared
	*c = *moments
	return nil
}
