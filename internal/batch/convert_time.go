package batch

import (
	"math"
	"math/bits"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/schema"
)

// rescale converts a number of one unit of time to a number of another unit, and reports whether
// the result is exact. The numbers that stand for infinite timestamps are not changed.
func rescale(v int64, from, to time.Duration) (int64, bool) {
	if from == to || v == infiniteTime || v == -infiniteTime {
		return v, true
	}
	if from < to {
		ratio := int64(to / from)
		return v / ratio, v%ratio == 0
	}
	high, low := bits.Mul64(magnitude(v), uint64(from/to))
	// A finite time must not become the number that stands for an infinite one.
	if high != 0 || low >= infiniteTime {
		return 0, false
	}
	if v < 0 {
		return -int64(low), true
	}
	return int64(low), true
}

// unitOf returns two units of a timestamp type: the unit in which its values are stored, and the
// unit of which each value must be a multiple. They differ for TIMESTAMP_S and TIMESTAMP_MS: their
// values are stored in microseconds, but are whole seconds or milliseconds.
func unitOf(t schema.Type) (stored, whole time.Duration) {
	switch t.Kind {
	case schema.TimestampNS:
		return time.Nanosecond, time.Nanosecond
	case schema.TimestampMS:
		return time.Microsecond, time.Millisecond
	case schema.TimestampS:
		return time.Microsecond, time.Second
	}
	return time.Microsecond, time.Microsecond
}

func convertTimestamp(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	stored, whole := unitOf(t)
	multiple := int64(whole / stored)
	check := func(v int64, ok bool) (int64, string) {
		if !ok || v%multiple != 0 && v != infiniteTime && v != -infiniteTime {
			return 0, inexact(t)
		}
		return v, ""
	}
	switch a := a.(type) {
	case *array.Timestamp:
		from := a.DataType().(*arrow.TimestampType).Unit.Multiplier()
		values := words[int64](a)
		if from == stored {
			if multiple > 1 {
				if _, f := each(a, func(row int) string {
					_, why := check(values[row], true)
					return why
				}); f != nil {
					return nil, f
				}
			}
			if arrow.TypeEqual(a.DataType(), t.Arrow()) {
				return same(a)
			}
			// Only the time zones of the types differ; both count from 1970 in UTC.
			return retyped(a, t.Arrow()), nil
		}
		return build(a, t, func(row int) (int64, string) { return check(rescale(values[row], from, stored)) })
	case *array.Date32:
		return build(a, t, func(row int) (int64, string) {
			switch days := int64(a.Value(row)); days {
			case infiniteDate:
				return infiniteTime, ""
			case -infiniteDate:
				return -infiniteTime, ""
			default:
				return check(rescale(days, 24*time.Hour, stored))
			}
		})
	case *array.Date64:
		return build(a, t, func(row int) (int64, string) {
			return check(rescale(int64(a.Value(row)), time.Millisecond, stored))
		})
	}
	text := textReader(a)
	if text == nil {
		return nil, notConvertible(a, t)
	}
	return build(a, t, func(row int) (int64, string) {
		at, ok := parseTimestamp(text(row))
		if !ok {
			return 0, notA(t)
		}
		if at.shifted && t.Kind != schema.TimestampTZ {
			return 0, "has a UTC offset, which type " + t.String() + " cannot keep: use TIMESTAMP WITH TIME ZONE"
		}
		return check(joinTime(at.seconds, at.nanos, stored))
	})
}

// joinTime converts seconds plus nanoseconds to a number of the given unit, and reports whether the
// result is exact.
func joinTime(seconds, nanos int64, unit time.Duration) (int64, bool) {
	if seconds == infiniteTime || seconds == -infiniteTime {
		return seconds, true
	}
	v, ok := rescale(seconds, time.Second, unit)
	fraction, exact := rescale(nanos, time.Nanosecond, unit)
	if !ok || !exact || v > 0 && v > math.MaxInt64-1-fraction {
		return 0, false
	}
	return v + fraction, true
}

func convertDate(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	days := func(v int64, unit time.Duration) (int32, string) {
		if v == infiniteTime || v == -infiniteTime {
			return int32(v/infiniteTime) * infiniteDate, ""
		}
		d, ok := rescale(v, unit, 24*time.Hour)
		if !ok || int64(int32(d)) != d {
			return 0, inexact(t)
		}
		return int32(d), ""
	}
	switch a := a.(type) {
	case *array.Date32:
		return same(a)
	case *array.Date64:
		return build(a, t, func(row int) (int32, string) { return days(int64(a.Value(row)), time.Millisecond) })
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit.Multiplier()
		return build(a, t, func(row int) (int32, string) { return days(int64(a.Value(row)), unit) })
	}
	text := textReader(a)
	if text == nil {
		return nil, notConvertible(a, t)
	}
	return build(a, t, func(row int) (int32, string) {
		if d, ok := parseDate(text(row)); ok {
			return d, ""
		}
		at, ok := parseTimestamp(text(row))
		if !ok {
			return 0, notA(t)
		}
		if at.nanos != 0 || at.shifted {
			return 0, inexact(t)
		}
		return days(at.seconds, time.Second)
	})
}

func convertTime(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	check := func(micros int64, ok bool) (int64, string) {
		switch {
		case !ok:
			return 0, inexact(t)
		case micros < 0 || micros > microsPerDay:
			return 0, outside(t)
		}
		return micros, ""
	}
	switch a := a.(type) {
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit.Multiplier()
		if unit == time.Microsecond {
			return each(a, func(row int) string {
				_, why := check(int64(a.Value(row)), true)
				return why
			})
		}
		return build(a, t, func(row int) (int64, string) { return check(rescale(int64(a.Value(row)), unit, time.Microsecond)) })
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit.Multiplier()
		return build(a, t, func(row int) (int64, string) { return check(rescale(int64(a.Value(row)), unit, time.Microsecond)) })
	}
	text := textReader(a)
	if text == nil {
		return nil, notConvertible(a, t)
	}
	return build(a, t, func(row int) (int64, string) {
		v, ok := parseTime(text(row))
		if !ok {
			return 0, notA(t)
		}
		return check(v, true)
	})
}
