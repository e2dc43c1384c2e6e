package weather

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

var errScText = errors.New("malformed array or composite value")

// scParseArray parses an array in the text form of PostgreSQL: `[1:2]={a,"b c",NULL,{d}}`.
func scParseArray(s string) ([]any, error) {
	if strings.HasPrefix(s, "[") {
		s = s[strings.IndexByte(s, '=')+1:]
	}
	items, rest, err := scParseItems(s)
	if err != nil || rest != "" {
		return nil, errScText
	}
	return items, nil
}

func scParseItems(s string) (items []any, rest string, err error) {
	if !strings.HasPrefix(s, "{") {
		return nil, "", errScText
	}
	items = []any{}
	for s = s[1:]; s != ""; {
		switch s[0] {
		case '}':
			return items, s[1:], nil
		case ',':
			s = s[1:]
		case '{':
			var nested []any
			if nested, s, err = scParseItems(s); err != nil {
				return nil, "", err
			}
			items = append(items, nested)
		case '"':
			var b strings.Builder
			at := 1
			for ; at < len(s) && s[at] != '"'; at++ {
				if s[at] == '\\' && at+1 < len(s) {
					at++
				}
				b.WriteByte(s[at])
			}
			if at >= len(s) {
				return nil, "", errScText
			}
			items, s = append(items, b.String()), s[at+1:]
		default:
			end := strings.IndexAny(s, ",}")
			if end < 0 {
				return nil, "", errScText
			}
			if s[:end] == "NULL" {
				items = append(items, nil)
			} else {
				items = append(items, s[:end])
			}
			s = s[end:]
		}
	}
	return nil, "", errScText
}

// scParseFields parses a composite value in the text form of PostgreSQL: `(a,"b ""c""",)`.
func scParseFields(s string) ([]any, error) {
	if !strings.HasPrefix(s, "(") {
		return nil, errScText
	}
	var fields []any
	var b strings.Builder
	set, quoted := false, false
	for at := 1; at < len(s); at++ {
		c := s[at]
		switch {
		case c == '\\' && at+1 < len(s):
			at++
			b.WriteByte(s[at])
			set = true
		case c == '"' && quoted && at+1 < len(s) && s[at+1] == '"':
			at++
			b.WriteByte('"')
		case c == '"':
			quoted, set = !quoted, true
		case !quoted && (c == ',' || c == ')'):
			if set {
				fields = append(fields, b.String())
			} else {
				fields = append(fields, nil)
			}
			b.Reset()
			set = false
			if c == ')' {
				return fields, nil
			}
		default:
			b.WriteByte(c)
			set = true
		}
	}
	return nil, errScText
}

// scDuckDB returns a value as text that DuckDB can read, or nil for NULL. Years before 1 have a
// minus, where PostgreSQL has an era (BC).
func scDuckDB(v any) any {
	switch v := v.(type) {
	case time.Time:
		return scMoment(v)
	case *time.Time:
		if v == nil {
			return nil
		}
		return scMoment(*v)
	}
	return scPG(v)
}

func scMoment(t time.Time) string { return scWithZone(t, "2006-01-02 15:04:05.999999999") }

// scPG returns a value as text that PostgreSQL can read, or nil for NULL.
func scPG(v any) any {
	if text, ok := scPGText(v); ok {
		return text
	}
	return nil
}

func scPGText(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case []byte:
		return `\x` + hex.EncodeToString(v), v != nil
	case json.RawMessage:
		return string(v), v != nil
	case time.Time:
		if year := v.Year(); year < 1 {
			return fmt.Sprintf("%04d%s BC", 1-year, scWithZone(v, "-01-02 15:04:05.999999999")), true
		}
		return scMoment(v), true
	case time.Duration:
		return scClockText(v), true
	case Interval:
		return fmt.Sprintf("%d mons %d days %d microseconds", v.Months, v.Days, v.Micros), true
	case UUID:
		return v.String(), true
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32), true
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return "", false
		}
		if b, ok := v.(*big.Int); ok {
			return b.String(), true
		}
		return scPGText(r.Elem().Interface())
	case reflect.Slice:
		if r.IsNil() {
			return "", false
		}
		var b strings.Builder
		b.WriteByte('{')
		for i := range r.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			item := r.Index(i).Interface()
			text, ok := scPGText(item)
			_, bytes := item.([]byte)
			_, document := item.(json.RawMessage)
			switch {
			case !ok:
				b.WriteString("NULL")
			case r.Type().Elem().Kind() == reflect.Slice && !bytes && !document:
				b.WriteString(text)
			default:
				b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`)
			}
		}
		b.WriteByte('}')
		return b.String(), true
	case reflect.String:
		return r.String(), true
	}
	if s, ok := v.(scStruct); ok {
		_, values := s.scFields()
		fields := make([]string, len(values))
		for i, f := range values {
			if text, ok := scPGText(f); ok {
				fields[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `""`).Replace(text) + `"`
			}
		}
		return "(" + strings.Join(fields, ",") + ")", true
	}
	return fmt.Sprint(v), true
}

// scWithZone formats a time with its offset from UTC. In many zones, offsets in the past have
// seconds.
func scWithZone(t time.Time, layout string) string {
	layout += "Z07:00"
	if _, offset := t.Zone(); offset%60 != 0 {
		layout += ":00"
	}
	return t.Format(layout)
}

// scClockText returns a time of day as text. If d is not a time of day, the text has more than 24
// hours or a sign, and the database refuses it.
func scClockText(d time.Duration) string {
	if d >= 0 && d < scDayLength {
		return time.Unix(0, int64(d)).UTC().Format("15:04:05.999999999")
	}
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	text := fmt.Sprintf("%s%02d:%02d:%02d.%09d", sign, d/time.Hour, d/time.Minute%60, d/time.Second%60, d%time.Second)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

const scDayLength = 24 * time.Hour

// scRefused stands for a value that cannot be bound. The driver gets the error when it asks for the
// value.
type scRefused struct{ err error }

func (r scRefused) Value() (driver.Value, error) { return nil, r.err }
func (r scRefused) MarshalJSON() ([]byte, error) { return nil, r.err }

// scNeeded returns the value to bind for a parameter that must not be NULL. If v is nil, binding it
// gives an error with name, the parameter's name.
func scNeeded(name string, v any) any {
	if v == nil {
		return scRefused{fmt.Errorf("the parameter %s must not be nil", name)}
	}
	return v
}

// scSome returns list, or an empty list if it is nil.
func scSome[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// The following functions return text in the forms that SQLite's own functions read. SQLite's
// functions support the years 0 to 9999.

func scDateText(t time.Time) any   { return scYears(t, "2006-01-02") }
func scMomentText(t time.Time) any { return scYears(t.UTC(), "2006-01-02 15:04:05.999999999") }
func scYears(t time.Time, layout string) any {
	if year := t.Year(); year < 0 || year > 9999 {
		return scRefused{fmt.Errorf("the year %d is not of SQLite's 0 to 9999", year)}
	}
	return t.Format(layout)
}
func scTimeText(d time.Duration) any {
	if d < 0 || d > scDayLength {
		return scRefused{fmt.Errorf("%s is not a time of day", d)} // SQLite would store the text
	}
	return scClockText(d)
}
func scStringText[T fmt.Stringer](v T) any { return v.String() }
func scJSONText(v json.RawMessage) any {
	if v == nil {
		return nil
	}
	return string(v)
}

// scBytes returns the bytes v, or NULL if v is nil.
func scBytes(v []byte) any {
	if v == nil {
		return nil
	}
	return v
}

// scOpt converts the value that v points to. The function write does the conversion. If v is nil,
// the result is NULL.
func scOpt[T any](v *T, write func(T) any) any {
	if v == nil {
		return nil
	}
	return write(*v)
}

// scJSONList returns a list as a JSON array for SQLite's json_each. The elements have the form in
// which single values are bound.
func scJSONList[T any](list []T, write func(T) any) any {
	items := make([]any, len(list))
	for i, v := range list {
		items[i] = write(v)
		switch item := items[i].(type) {
		case float64:
			if item-item != 0 {
				items[i] = scJSONOdd(item)
			}
		case []byte:
			return scRefused{errors.New("a list of values cannot have bytes")}
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(items); err != nil {
		return scRefused{err}
	}
	return b.String()
}

// scJSONOdd returns a number that JSON does not have, in the form in which SQLite binds and reads
// it. NaN is NULL there. Infinity is a number that is too large, which SQLite reads as infinite.
func scJSONOdd(f float64) json.RawMessage {
	switch {
	case f > 0:
		return json.RawMessage("9e999")
	case f < 0:
		return json.RawMessage("-9e999")
	}
	return json.RawMessage("null")
}

func scPlain[T any](v T) any { return v }

// scBit returns a boolean as SQLite stores it: 0 or 1.
func scBit(v bool) any {
	if v {
		return int64(1)
	}
	return int64(0)
}
