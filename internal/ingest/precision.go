package ingest

import (
	"math"

	"github.com/scoterdb/scoter/internal/base"
)

// Precision is the unit of integer times.
type Precision uint8

// Precisions. Auto tells the unit by magnitude, see Column.ToTime.
const (
	Auto Precision = iota
	Nanosecond
	Microsecond
	Millisecond
	Second
	Minute
	Hour
)

// microsOf is how many microseconds a unit has; a nanosecond has none.
var microsOf = [...]int64{Microsecond: 1, Millisecond: 1e3, Second: 1e6, Minute: 60e6, Hour: 3600e6}

var precisionNames = map[string]Precision{
	"": Auto, "ns": Nanosecond, "n": Nanosecond, "us": Microsecond, "u": Microsecond, "µs": Microsecond,
	"ms": Millisecond, "s": Second, "m": Minute, "h": Hour,
}

// ParsePrecision reads a precision as InfluxDB's clients spell it: ns, n, us, u,
// µs, ms, s, m, h; empty is Auto.
func ParsePrecision(s string) (Precision, error) {
	p, ok := precisionNames[s]
	if !ok {
		return Auto, base.Errorf(base.Invalid, "precision %q is none of ns, us, ms, s, m, h", s)
	}
	return p, nil
}

// Micros converts a time to microseconds and the nanoseconds below them (0 to
// 999). It reports false if the result is out of range, and for Auto.
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

// A guess is safe only where one unit is plausible. guessFrom and guessUntil bound
// the seconds from March 1973 to the end of 2099; the same number a thousand times
// larger is the same moment in the next finer unit, so the four ranges are far
// apart and no moment within them is ever taken for another.
const (
	guessFrom  = 100_000_000
	guessUntil = 4_102_444_800
)

// guess tells a time's unit by its magnitude, or Auto if that is not plain.
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

// ToTime turns a column of integers, of text or of moments into moments.
//
// Integers count units since 1970 UTC. With Auto, the unit is told by magnitude
// and must be the same for the whole column: seconds, milliseconds, microseconds
// or nanoseconds of a moment between March 1973 and the end of 2099 (or as far
// before 1970). A column that mixes units, or holds a time outside of those years,
// cannot be told for certain and is an error that asks for the precision; guessing
// from the first value or from one value alone has put rows into the year 55840.
// Zero is the same moment in every unit.
//
// Floating-point numbers are taken if they are whole. Text is ISO 8601 (see
// ParseTimestamp); without a zone it is UTC. NULLs stay NULL.
//
// Moments keep their nanoseconds: the column becomes timestamp[ns, UTC] if a
// single one is not a whole microsecond, timestamp[us, UTC] otherwise.
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

// unit returns the one unit of all times.
func (c *Column) unit() (Precision, error) {
	unit, at := Auto, 0
	low, high := int64(1), int64(0) // the range that unit was told for: most values need no more
	for i, bits := range c.fixed {
		v := int64(bits)
		if v >= low && v <= high || v == 0 {
			continue
		}
		u := guess(v)
		switch {
		case u == Auto:
			return Auto, c.errorf(i, "the unit of time %d cannot be told for certain", v).
				WithHint("give the precision: ns, us, ms or s")
		case unit != Auto && u != unit:
			return Auto, c.errorf(i, "time %d is of another unit than %d in row %d", v, int64(c.fixed[at]), at+1).
				WithHint("send all times of a request in one unit, or give the precision: ns, us, ms or s")
		}
		if unit == Auto {
			unit, at = u, i
			scale := [...]int64{Second: 1, Millisecond: 1e3, Microsecond: 1e6, Nanosecond: 1e9}[u]
			low, high = guessFrom*scale, guessUntil*scale-1
		}
	}
	if unit == Auto {
		unit = Second // only zeros
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
