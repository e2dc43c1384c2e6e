package protobuf

import (
	"math"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/scoterdb/scoter/internal/base"
)

// moment has the fields that only columns of timestamps or durations need, in addition to those of
// every column.
type moment struct {
	// seconds are the seconds of the time in the row that was written last, as they were sent. If
	// the field occurs again in the same message, it may change only the seconds or only the
	// nanoseconds.
	seconds int64
	// below are the nanoseconds of the time in the row that was written last, as they were sent.
	below int32

	// nanos[row] are the nanoseconds below the microsecond. It is nil while no row has any.
	nanos []uint16
	fine  bool // fine says that at least one row has nanoseconds below the microsecond.
	far   bool // far says that at least one row is outside of the range of 64-bit nanoseconds.

	// invalid lists the rows of the current message that have an invalid time. If the field occurs
	// again later in the message, it may still correct or clear the time.
	invalid []int
}

// These are limits that the .proto files state: a google.protobuf.Timestamp is within the years 1
// to 9999, and a Duration within 10,000 years.
const (
	minTimestamp = -62_135_596_800
	maxTimestamp = 253_402_300_799
	maxDuration  = 315_576_000_000
)

// time decodes a Timestamp or a Duration from b[p:] into the given row. If the field occurs several
// times in a message, each call may have only a part of the value. It returns false on failure.
func (d *Decoder) time(o *op, row int, b []byte, p int) bool {
	c := o.col
	if c.next <= row {
		c.time.seconds, c.time.below = 0, 0
		c.next = row + 1
	}
	for p < len(b) {
		first := p
		tag, next := d.number(b, p)
		if next < 0 {
			return false
		}
		switch tag {
		case 1 << 3, 2 << 3:
			v, end := d.number(b, next)
			if end < 0 {
				return false
			}
			if tag == 1<<3 {
				c.time.seconds = int64(v)
			} else {
				c.time.below = int32(v)
			}
			p = end
		default:
			if _, next = d.tag(b, first); next < 0 {
				return false
			}
			if p = d.skip(tag, b, next); p < 0 {
				return false
			}
		}
	}
	if len(c.time.invalid) > 0 {
		c.time.invalid = slices.DeleteFunc(c.time.invalid, func(r int) bool { return r == row })
	}
	ok := false
	if o.action == doTimestamp {
		ok = c.setTimestamp(row)
	} else {
		ok = c.setDuration(row)
	}
	if !ok {
		c.w64[row] = 0
		c.time.invalid = append(c.time.invalid, row)
		d.suspects = append(d.suspects, o)
	}
	return true
}

// setTimestamp sets the value in the given row to the timestamp that was read, and reports whether
// it is valid.
func (c *column) setTimestamp(row int) bool {
	t := &c.time
	if t.nanos != nil {
		t.nanos[row] = 0
	}
	if t.seconds < minTimestamp || t.seconds > maxTimestamp || t.below < 0 || t.below > 999_999_999 {
		return false
	}
	micros := t.seconds*1e6 + int64(t.below/1000)
	c.w64[row] = uint64(micros)
	if micros > math.MaxInt64/1000-1 || micros < math.MinInt64/1000+1 {
		t.far = true
	}
	if rest := t.below % 1000; rest != 0 {
		if t.nanos == nil {
			t.nanos = make([]uint16, c.level.cap)
		}
		t.nanos[row], t.fine = uint16(rest), true
	}
	return true
}

// setDuration sets the value in the given row to the duration that was read, in nanoseconds. It
// returns false if it is not a valid Duration, or does not fit into 64 bits.
func (c *column) setDuration(row int) bool {
	s, n := c.time.seconds, int64(c.time.below)
	if s < -maxDuration || s > maxDuration || n < -999_999_999 || n > 999_999_999 || s > 0 && n < 0 || s < 0 && n > 0 {
		return false
	}
	const limit = math.MaxInt64/1_000_000_000 - 1
	if s < -limit || s > limit {
		return false
	}
	c.w64[row] = uint64(s*1_000_000_000 + n)
	return true
}

// checkTimes returns an error if the current message has an invalid time.
func (d *Decoder) checkTimes() error {
	for _, o := range d.suspects {
		if len(o.col.time.invalid) == 0 {
			continue
		}
		what := "a Timestamp must be between the years 1 and 9999 and have 0 to 999999999 nanoseconds"
		if o.action == doDuration {
			what = "a Duration must be within 292 years, and its seconds and nanoseconds must have the same sign"
		}
		return base.Errorf(base.Invalid, "field %s: not a time: %s", o.name, what)
	}
	return nil
}

// clash reports whether a column of times has both rows that need nanoseconds and rows that are out
// of the range of nanoseconds.
func (d *Decoder) clash() bool {
	for _, c := range d.times {
		if c.time.fine && c.time.far {
			return true
		}
	}
	return false
}

// wrapped returns the field value of message type md, if md is a type of
// google/protobuf/wrappers.proto such as Int64Value. Otherwise it returns nil.
func wrapped(md protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	switch md.FullName() {
	case "google.protobuf.BoolValue", "google.protobuf.Int32Value", "google.protobuf.Int64Value",
		"google.protobuf.UInt32Value", "google.protobuf.UInt64Value", "google.protobuf.FloatValue",
		"google.protobuf.DoubleValue", "google.protobuf.StringValue", "google.protobuf.BytesValue":
		fd := md.Fields().ByNumber(1)
		if fd != nil && fd.Cardinality() != protoreflect.Repeated && fd.Message() == nil && fd.Enum() == nil {
			return fd
		}
	}
	return nil
}

// isTime reports whether message type md is a google.protobuf.Timestamp or Duration, and returns
// the action that decodes it.
func isTime(md protoreflect.MessageDescriptor) (action, bool) {
	seconds, nanos := md.Fields().ByNumber(1), md.Fields().ByNumber(2)
	if seconds == nil || nanos == nil || seconds.Kind() != protoreflect.Int64Kind || nanos.Kind() != protoreflect.Int32Kind {
		return 0, false
	}
	switch md.FullName() {
	case "google.protobuf.Timestamp":
		return doTimestamp, true
	case "google.protobuf.Duration":
		return doDuration, true
	}
	return 0, false
}
