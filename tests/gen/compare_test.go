package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// moment matches a date with an optional time, in the forms that databases and languages write.
var moment = regexp.MustCompile(`^([+-]?\d{4,}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]00:?00)?)?$`)

// clock matches a time of day without seconds, as Java writes it if the seconds are zero.
var clock = regexp.MustCompile(`^\d\d:\d\d$`)

// zoned matches a time of day with an offset of whole hours.
var zoned = regexp.MustCompile(`^(\d\d:\d\d)(:\d\d(?:\.\d+)?)?([+-]\d\d)(:\d\d)?$`)

// canonical makes the values of all languages comparable. Numbers are compared as numbers, with or
// without quotes. Dates and times are compared as such.
func canonical(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return number(string(v))
	case string:
		if n := number(v); n != "" {
			return n
		}
		if m := moment.FindStringSubmatch(v); m != nil {
			at := m[2]
			if at == "" {
				return m[1]
			}
			if strings.Contains(at, ".") {
				at = strings.TrimRight(strings.TrimRight(at, "0"), ".")
			}
			if len(at) == 5 {
				at += ":00"
			}
			zone := ""
			if m[3] != "" {
				zone = "Z"
			}
			return m[1] + "T" + at + zone
		}
		if clock.MatchString(v) {
			v += ":00"
		}
		if m := zoned.FindStringSubmatch(v); m != nil {
			for _, part := range []int{2, 4} {
				if m[part] == "" {
					m[part] = ":00"
				}
			}
			v = m[1] + m[2] + m[3] + m[4]
		}
		return fmt.Sprintf("%q", v)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, canonical(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprintf("unexpected %T", v)
}

// number returns the shortest form of a decimal number, or "" if s is not a number.
func number(s string) string {
	if s == "" || strings.Trim(s, "+-.0123456789eE") != "" || !strings.ContainsAny(s, "0123456789") || strings.Count(s, "-") > 1 && !strings.ContainsAny(s, "eE") {
		return ""
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return ""
	}
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(20), "0")
}

// goYears matches years outside of 0 to 9999. Go writes them without a plus and without leading
// zeros.
var goYears = regexp.MustCompile(`(?:(-)|[+])0*(\d{4,}-\d\d-\d\d)`)

// timeless matches the parts that Go cannot represent, because it has only one type for dates and
// timestamps.
var timeless = []*regexp.Regexp{regexp.MustCompile(`(T\d\d:\d\d:\d\d(?:\.\d+)?)Z`), regexp.MustCompile(`T00:00:00([^.]|$)`)}

// compare returns "" if the output of a program is the result that the case expects.
func compare(want json.RawMessage, got string, loose bool) string {
	w, err := decodeAny(want)
	if err != nil {
		return "the wanted value is not JSON: " + err.Error()
	}
	g, err := decodeAny([]byte(got))
	if err != nil {
		return "the output is not JSON: " + got
	}
	a, b := canonical(w), canonical(g)
	if loose {
		a, b = goYears.ReplaceAllString(a, "$1$2"), goYears.ReplaceAllString(b, "$1$2")
		for _, part := range timeless {
			a, b = part.ReplaceAllString(a, "$1"), part.ReplaceAllString(b, "$1")
		}
	}
	if a == b {
		return ""
	}
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return fmt.Sprintf("got  ...%s\nwant ...%s", excerpt(b, at), excerpt(a, at))
}

func decodeAny(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// excerpt returns the text around a position in a long text.
func excerpt(s string, at int) string { return s[max(0, at-60):min(len(s), at+120)] }
