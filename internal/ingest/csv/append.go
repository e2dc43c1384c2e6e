package csv

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/ingest"
)

// appender collects the values of one column of a CSV body.
type appender struct {
	// builder collects the values if their type is not text. Otherwise it is nil.
	builder array.Builder
	// strings collects the values if their type is text. Otherwise it is nil.
	strings *ingest.Column
	parse   func(text []byte) bool
	// refused means that a value is not one of the builder's type, but the engine may be able to
	// convert it. All values of the column must then be text, and the builder is not used any more.
	refused bool
}

// newAppender returns an appender for values of type t. For a type whose values different programs
// spell differently, it is an appender of text, and the engine casts the text to t. The function
// column makes the column for text.
func newAppender(t arrow.DataType, column func() (*ingest.Column, error)) (*appender, error) {
	a := &appender{}
	if t.ID() != arrow.STRING {
		a.builder = array.NewBuilder(memory.DefaultAllocator, t)
		a.parse = parser(a.builder)
	}
	var err error
	if a.parse == nil && t.ID() != arrow.NULL {
		a.builder = nil
		a.strings, err = column()
	}
	return a, err
}

// parser returns a function that parses a text and appends the value to the builder b. The function
// returns false if the text is not a value of b's type. parser returns nil if there is no such
// function for the type.
func parser(b array.Builder) func(text []byte) bool {
	switch b := b.(type) {
	case *array.Int8Builder:
		return signed(8, func(v int64) { b.Append(int8(v)) })
	case *array.Int16Builder:
		return signed(16, func(v int64) { b.Append(int16(v)) })
	case *array.Int32Builder:
		return signed(32, func(v int64) { b.Append(int32(v)) })
	case *array.Int64Builder:
		return signed(64, b.Append)
	case *array.Uint8Builder:
		return unsignedOf(8, func(v uint64) { b.Append(uint8(v)) })
	case *array.Uint16Builder:
		return unsignedOf(16, func(v uint64) { b.Append(uint16(v)) })
	case *array.Uint32Builder:
		return unsignedOf(32, func(v uint64) { b.Append(uint32(v)) })
	case *array.Uint64Builder:
		return unsignedOf(64, b.Append)
	case *array.Float32Builder:
		return float(32, func(v float64) { b.Append(float32(v)) })
	case *array.Float64Builder:
		return float(64, b.Append)
	case *array.BooleanBuilder:
		return func(text []byte) bool {
			switch string(bytes.ToLower(text)) {
			case "true", "t", "1":
				b.Append(true)
			case "false", "f", "0":
				b.Append(false)
			default:
				return false
			}
			return true
		}
	case *array.Date32Builder:
		return func(text []byte) bool {
			m, ok := ingest.ParseTimestamp(text)
			if ok = ok && m.IsDate; ok {
				b.Append(arrow.Date32(m.Micros / 86_400_000_000))
			}
			return ok
		}
	case *array.TimestampBuilder:
		unit, zoned := b.Type().(*arrow.TimestampType).Unit, b.Type().(*arrow.TimestampType).TimeZone != ""
		return func(text []byte) bool {
			m, ok := ingest.ParseTimestamp(text)
			if !ok || m.Shifted && !zoned {
				return false
			}
			v, ok := inUnit(m, unit)
			if ok {
				b.Append(arrow.Timestamp(v))
			}
			return ok
		}
	}
	return nil
}

// readable is called for a text that the function of parser did not accept. It reports whether the
// engine may be able to read the text as a value of type t, or of a type to which the column can be
// widened, because the engine knows more spellings of values. For all other texts the decoder
// returns an error with the number of their line.
func readable(text []byte, t arrow.DataType) bool {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return false
	}
	c := trimmed[0]
	begins := c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.'
	switch t.ID() {
	case arrow.BOOL:
		return len(trimmed) < len(text)
	case arrow.DATE32, arrow.TIMESTAMP:
		return begins || c|0x20 == 'i' // i is the beginning of infinity
	}
	return begins && len(bytes.Trim(trimmed, "0123456789+-.eE")) == 0
}

// inUnit returns the timestamp m as a number of the given units. It returns false if m is not a
// whole number of units, or is out of range.
func inUnit(m ingest.Moment, unit arrow.TimeUnit) (int64, bool) {
	switch unit {
	case arrow.Nanosecond:
		return m.UnixNanos()
	case arrow.Microsecond:
		return m.Micros, m.Nanos == 0
	case arrow.Millisecond:
		return m.Micros / 1e3, m.Nanos == 0 && m.Micros%1e3 == 0
	}
	return m.Micros / 1e6, m.Nanos == 0 && m.Micros%1e6 == 0
}

// view returns text as a string, without copying it. strconv keeps a reference to the string only
// in its errors, which the callers drop.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

func signed(bits int, put func(int64)) func([]byte) bool {
	return func(text []byte) bool {
		v, err := strconv.ParseInt(view(text), 10, bits)
		if err == nil {
			put(v)
		}
		return err == nil
	}
}

func unsignedOf(bits int, put func(uint64)) func([]byte) bool {
	return func(text []byte) bool {
		v, err := strconv.ParseUint(view(text), 10, bits)
		if err == nil {
			put(v)
		}
		return err == nil
	}
}

func float(bits int, put func(float64)) func([]byte) bool {
	return func(text []byte) bool {
		if isSpecial(text) {
			v := math.NaN()
			// The last letter is f for inf, y for infinity, and n for nan.
			if c := text[len(text)-1] | 0x20; c != 'n' {
				v = math.Inf(1)
			}
			if text[0] == '-' {
				v = -v
			}
			put(v)
			return true
		}
		for _, c := range text {
			if c > '9' && c|0x20 != 'e' { // strconv accepts spellings that only Go has
				return false
			}
		}
		v, err := strconv.ParseFloat(view(text), bits)
		if err == nil {
			put(v)
		}
		return err == nil
	}
}
