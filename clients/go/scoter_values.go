package scoter

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// scDecoder reads the columns of one row, one after the other. It remembers the first error.
type scDecoder struct {
	raw []any
	at  int
	err error
	// targets are pointers to the elements of raw, into which database/sql scans a row.
	targets []any
}

// scDecoders are decoders that can be used again. Making one takes longer than reading a row.
var scDecoders = sync.Pool{New: func() any { return new(scDecoder) }}

// newScDecoder returns a decoder for rows with the given number of columns.
func newScDecoder(columns int) *scDecoder {
	d := scDecoders.Get().(*scDecoder)
	if cap(d.raw) < columns {
		d.raw, d.targets = make([]any, columns), make([]any, columns)
		for i := range d.raw {
			d.targets[i] = &d.raw[i]
		}
	}
	d.raw, d.targets = d.raw[:columns], d.targets[:columns]
	return d
}

// free returns the decoder for further use. It is called when no row is read any more.
func (d *scDecoder) free() {
	clear(d.raw)
	d.err = nil
	scDecoders.Put(d)
}

var errScColumns = errors.New("the result has fewer columns than when the code was generated")

// next returns the value of the next column. Behind the last column it returns nil and records an
// error.
func (d *scDecoder) next() any {
	if d.at == len(d.raw) {
		if d.err == nil {
			d.err = errScColumns
		}
		return nil
	}
	d.at++
	return d.raw[d.at-1]
}

// scGet reads the next column with the function read. A NULL is an error.
func scGet[T any](d *scDecoder, read func(any) (T, error)) T {
	var zero T
	raw := d.next()
	if d.err != nil {
		return zero
	}
	if raw == nil {
		d.err = fmt.Errorf("column %d: %w", d.at, errScNull)
		return zero
	}
	v, err := read(raw)
	if err != nil {
		d.err = fmt.Errorf("column %d: %w", d.at, err)
	}
	return v
}

// scMay reads the next column with the function read. The column may be NULL, and the Go type has
// the value nil for that.
func scMay[T any](d *scDecoder, read func(any) (T, error)) T {
	var zero T
	raw := d.next()
	if raw == nil || d.err != nil {
		return zero
	}
	v, err := read(raw)
	if err != nil {
		d.err = fmt.Errorf("column %d: %w", d.at, err)
	}
	return v
}

// scNull reads the next column with the function read, and returns a pointer to the value, or nil
// for NULL.
func scNull[T any](d *scDecoder, read func(any) (T, error)) *T {
	raw := d.next()
	if raw == nil || d.err != nil {
		return nil
	}
	v, err := read(raw)
	if err != nil {
		d.err = fmt.Errorf("column %d: %w", d.at, err)
	}
	return &v
}

func scBad[T any](raw any) (T, error) {
	var zero T
	return zero, fmt.Errorf("a %T cannot be read as %T: %.40v", raw, zero, raw)
}

func scAny(raw any) (any, error) { return raw, nil }

func scBool(raw any) (bool, error) {
	switch v := raw.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case float64:
		return v != 0, nil
	case string:
		return strings.HasPrefix(v, "t"), nil
	}
	return scBad[bool](raw)
}

// scInt reads an integer into any of Go's integer types. A number that does not fit is an error.
func scInt[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](raw any) (T, error) {
	switch v := raw.(type) {
	case T:
		return v, nil
	case int64:
		if t := T(v); int64(t) == v && (t < 0) == (v < 0) {
			return t, nil
		}
	case float64:
		if t := T(v); float64(t) == v {
			return t, nil
		}
	case string:
		b, err := scBig(v)
		if err != nil {
			return 0, err
		}
		if b.IsInt64() {
			return scInt[T](b.Int64())
		}
		if b.IsUint64() {
			if t := T(b.Uint64()); t > 0 && uint64(t) == b.Uint64() {
				return t, nil
			}
		}
	default:
		if r := reflect.ValueOf(raw); r.CanInt() {
			return scInt[T](r.Int())
		} else if r.CanUint() {
			return scInt[T](strconv.FormatUint(r.Uint(), 10))
		} else if b, ok := raw.(*big.Int); ok {
			return scInt[T](b.String())
		}
	}
	return scBad[T](raw)
}

func scBig(raw any) (*big.Int, error) {
	switch v := raw.(type) {
	case *big.Int:
		return v, nil
	case int64:
		return big.NewInt(v), nil
	case uint64:
		return new(big.Int).SetUint64(v), nil
	case string:
		if b, ok := new(big.Int).SetString(v, 10); ok {
			return b, nil
		}
	}
	return scBad[*big.Int](raw)
}

func scFloat32(raw any) (float32, error) {
	if v, ok := raw.(float32); ok {
		return v, nil
	}
	v, err := scFloat64(raw)
	return float32(v), err
}

func scFloat64(raw any) (float64, error) {
	switch v := raw.(type) {
	case float64:
		return v, nil
	case float32:
		return float64(v), nil
	case int64:
		return float64(v), nil
	case string:
		return strconv.ParseFloat(v, 64)
	}
	return scBad[float64](raw)
}

func scText(raw any) (string, error) { return scString[string](raw) }

// scString reads a text into a string type, such as that of an enum or Decimal.
func scString[T ~string](raw any) (T, error) {
	switch v := raw.(type) {
	case string:
		return T(v), nil
	case []byte:
		return T(v), nil
	case time.Time:
		return T(v.Format(time.RFC3339Nano)), nil
	}
	return T(fmt.Sprint(raw)), nil
}

func scDecimal(raw any) (Decimal, error) {
	if v, ok := raw.(float64); ok {
		switch {
		case math.IsInf(v, 1):
			return "Infinity", nil
		case math.IsInf(v, -1):
			return "-Infinity", nil
		}
		return Decimal(strconv.FormatFloat(v, 'f', -1, 64)), nil
	}
	return scString[Decimal](raw)
}

func scBlob(raw any) ([]byte, error) {
	switch v := raw.(type) {
	case []byte:
		return append([]byte{}, v...), nil
	case string:
		// PostgreSQL's other form of bytes, escape, cannot be distinguished from text.
		if strings.HasPrefix(v, `\x`) {
			return hex.DecodeString(v[2:])
		}
	}
	return scBad[[]byte](raw)
}

// scContent reads bytes from SQLite. A column that is declared as BLOB stores text as text, so it
// reads text, too.
func scContent(raw any) ([]byte, error) {
	if v, ok := raw.(string); ok {
		return []byte(v), nil
	}
	return scBlob(raw)
}

func scJSON(raw any) (json.RawMessage, error) {
	switch v := raw.(type) {
	case string:
		return json.RawMessage(v), nil
	case []byte:
		return append(json.RawMessage{}, v...), nil
	}
	// The driver has parsed the JSON, so it is encoded again.
	return json.Marshal(raw)
}

func scUUID(raw any) (UUID, error) {
	switch v := raw.(type) {
	case string:
		return ParseUUID(v)
	case []byte:
		if len(v) == 16 {
			return UUID(v), nil
		}
		return ParseUUID(string(v))
	}
	return scBad[UUID](raw)
}

// scMoments are the text forms of a date and time, with and without a zone.
var scMoments = []string{"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z07:00:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"}

// scTime reads a date, a date and time, or an instant. The result is always in UTC. In SQLite it
// may also be a number: Unix seconds or a Julian day.
func scTime(raw any) (time.Time, error) {
	switch v := raw.(type) {
	case time.Time:
		if s := v.Unix(); (s >= scNearest || s <= -scNearest) && slices.ContainsFunc(scInfinite, v.Equal) {
			return time.Time{}, fmt.Errorf("%s is not a day or moment of Go", [2]string{"-infinity", "infinity"}[1&^(s>>63)])
		}
		return v.UTC(), nil
	case int64:
		return time.Unix(v, 0).UTC(), nil
	case float64:
		return time.UnixMilli(int64((v-2440587.5)*86400000 + 0.5)).UTC(), nil
	case string:
		text := v
		if len(v) > 10 && v[10] == 'T' {
			text = v[:10] + " " + v[11:]
		}
		for _, layout := range scMoments {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC(), nil
			}
		}
		return scFarTime(v)
	}
	return scBad[time.Time](raw)
}

// scNearest is the number of seconds from 1970 to the nearest of the times in scInfinite.
const scNearest = math.MaxInt64 / 1_000_000_000

// scInfinite are the times that DuckDB's driver returns for infinite dates and timestamps: the
// largest number of the column's unit and its negative. No finite value has these numbers.
var scInfinite = []time.Time{
	time.Unix(0, math.MaxInt64), time.UnixMicro(math.MaxInt64), time.UnixMilli(math.MaxInt64), time.Unix(math.MaxInt64, 0), time.Unix(math.MaxInt32*86400, 0),
	time.Unix(0, -math.MaxInt64), time.UnixMicro(-math.MaxInt64), time.UnixMilli(-math.MaxInt64), time.Unix(-math.MaxInt64, 0), time.Unix(-math.MaxInt32*86400, 0),
}

// scFarTime parses a date or timestamp whose year does not have four digits. The year has a sign,
// more digits, or an era, which PostgreSQL writes at the end and DuckDB after the date.
func scFarTime(raw string) (time.Time, error) {
	if strings.TrimPrefix(raw, "-") == "infinity" {
		return time.Time{}, fmt.Errorf("%s is not a day or moment of Go", raw)
	}
	text, before := strings.CutSuffix(raw, " BC")
	if !before {
		day, rest, found := strings.Cut(text, " (BC)")
		text, before = day+rest, found
	}
	digits, rest, _ := strings.Cut(strings.TrimLeft(text, "+-"), "-")
	year, err := strconv.Atoi(digits)
	if err != nil || len(digits) < 4 {
		return scBad[time.Time](raw)
	}
	if strings.HasPrefix(text, "-") {
		year = -year
	}
	if before {
		year = 1 - year
	}
	// The calendar repeats after 400 years, so a near year has the same days.
	near := 2000 + (year%400+400)%400
	for _, layout := range scMoments {
		t, err := time.Parse(layout, strconv.Itoa(near)+"-"+strings.Replace(rest, "T", " ", 1))
		if err == nil {
			return t.UTC().AddDate(year-near, 0, 0), nil
		}
	}
	return scBad[time.Time](raw)
}

// scDay reads a date. If SQLite has stored a time of day with it, that is dropped.
func scDay(raw any) (time.Time, error) {
	t, err := scTime(raw)
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), err
}

// scClock reads a time of day, as the time since midnight.
func scClock(raw any) (time.Duration, error) {
	switch v := raw.(type) {
	case time.Duration:
		return v, nil
	case time.Time:
		return time.Duration(v.Hour())*time.Hour + time.Duration(v.Minute())*time.Minute + time.Duration(v.Second())*time.Second + time.Duration(v.Nanosecond()), nil
	case string:
		if strings.HasPrefix(v, "24:00") && strings.Trim(v[5:], ":.0") == "" {
			return 24 * time.Hour, nil // 24:00, the end of a day, which some databases have
		}
		for _, layout := range []string{"15:04:05.999999999", "15:04"} {
			if t, err := time.Parse(layout, v); err == nil {
				return scClock(t)
			}
		}
	case int64, float64:
		t, err := scTime(v)
		if err != nil {
			return 0, err
		}
		return scClock(t)
	}
	return scBad[time.Duration](raw)
}

// scZoned reads a time of day with an offset from UTC. The result is text.
func scZoned(raw any) (string, error) {
	if v, ok := raw.(time.Time); ok {
		return scWithZone(v, "15:04:05.999999999"), nil
	}
	return scText(raw)
}

// scInterval parses an interval in the text form of PostgreSQL: `1 year 2 mons -3 days 04:05:06.7`.
func scInterval(raw any) (i Interval, err error) {
	if v, ok := raw.(Interval); ok {
		return v, nil
	}
	text, ok := raw.(string)
	if !ok {
		return scBad[Interval](raw)
	}
	words := strings.Fields(text)
	for at := 0; at < len(words); at++ {
		if !strings.Contains(words[at], ":") {
			n, err := strconv.ParseInt(words[at], 10, 32)
			if err != nil || at+1 == len(words) {
				return scBad[Interval](raw)
			}
			at++
			switch {
			case strings.HasPrefix(words[at], "year"):
				i.Months += 12 * int32(n)
			case strings.HasPrefix(words[at], "mon"):
				i.Months += int32(n)
			case strings.HasPrefix(words[at], "day"):
				i.Days += int32(n)
			default: // the text has another style of PostgreSQL
				return scBad[Interval](raw)
			}
			continue
		}
		clock := strings.TrimLeft(words[at], "+-")
		parts := strings.Split(clock, ":")
		fraction := ""
		if len(parts) == 3 {
			parts[2], fraction, _ = strings.Cut(parts[2], ".")
		}
		for n, unit := range []int64{3600e6, 60e6, 1e6} {
			if n >= len(parts) {
				break
			}
			v, err := strconv.ParseInt(parts[n], 10, 64)
			if err != nil {
				return scBad[Interval](raw)
			}
			i.Micros += v * unit
		}
		v, err := strconv.ParseInt((fraction + "000000")[:6], 10, 64)
		if err != nil {
			return scBad[Interval](raw)
		}
		if i.Micros += v; words[at][0] == '-' {
			i.Micros = -i.Micros
		}
	}
	return i, nil
}
