package batch

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/scoterdb/scoter/internal/schema"
)

var allocator = memory.DefaultAllocator

func isTextLike(a arrow.Array) bool {
	switch a.DataType().ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return false
}

// textReader returns a function that gets a row number and returns the text in that row of the
// array a, without copying it. If the values of the array are not texts, textReader returns nil.
func textReader(a arrow.Array) func(row int) string {
	if !isTextLike(a) {
		return nil
	}
	return a.(array.StringLike).Value
}

// plainText converts an array of text to the type utf8. If a text is not valid UTF-8, that is a
// fault, because DuckDB could not read it.
func plainText(a arrow.Array) (arrow.Array, *fault) {
	read := textReader(a)
	if s, ok := a.(*array.String); ok && s.Len() > 0 {
		o := offsets(s)
		all := valueBytes(s)[o[0]:o[s.Len()]]
		ascii, valid := asciiOrUTF8(all)
		if valid && !ascii {
			for i := 1; i < s.Len(); i++ { // no value may begin in the middle of a character
				if at := int(o[i] - o[0]); at < len(all) && !utf8.RuneStart(all[at]) {
					valid = false
					break
				}
			}
		}
		if valid {
			return same(a)
		}
	}
	return buildText(a, read, func(s string) (string, string) {
		if !utf8.ValidString(s) {
			return "", "is not valid UTF-8"
		}
		return s, ""
	})
}

func asciiOrUTF8(b []byte) (ascii, valid bool) {
	for len(b) >= 8 {
		if *(*uint64)(unsafe.Pointer(unsafe.SliceData(b)))&0x8080808080808080 != 0 {
			return false, utf8.Valid(b)
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return false, utf8.Valid(b)
		}
	}
	return true, true
}

// buildText returns an array of text that has the same NULLs as the array a. The function read
// returns the text of a row. The function rewrite gets this text and returns the new text. If it
// refuses the row, its second result says why.
func buildText(a arrow.Array, read func(row int) string, rewrite func(s string) (string, string)) (arrow.Array, *fault) {
	b := array.NewStringBuilder(allocator)
	b.Reserve(a.Len())
	total := 0
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		s, why := rewrite(read(i))
		if total += len(s); total > 1<<31-1 {
			why = "makes over 2 GiB of text in one batch"
		}
		if why != "" {
			return nil, faultAt(a, i, "%s", why)
		}
		b.Append(s)
	}
	return b.NewArray(), nil
}

// textCheck returns a function that checks whether a text is a value of the type t. The function
// returns what is wrong with the text, or "". textCheck returns nil if every text is a value of t.
func textCheck(t schema.Type) func(s string) string {
	switch t.Kind {
	case schema.Enum:
		values := make(map[string]bool, len(t.Values))
		for _, v := range t.Values {
			values[v] = true
		}
		return func(s string) string {
			if !values[s] {
				return "is not a value of the ENUM"
			}
			return ""
		}
	case schema.JSON:
		return func(s string) string {
			if !isJSON(s) || loneSurrogate(s) {
				return "is not valid JSON"
			}
			return ""
		}
	case schema.Bit:
		return func(s string) string {
			if !isBits(s) {
				return notA(t)
			}
			return ""
		}
	}
	return nil
}

// nonFinite matches the numbers that JSON does not have, but that DuckDB accepts and writes in
// JSON, such as NaN. It also matches quoted strings, so that such words inside of strings can be
// left out.
var nonFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|(?i:-?(?:nan|inf(?:inity)?)\b)`)

// isJSON reports whether a text is JSON for DuckDB, which also accepts numbers such as NaN in JSON.
// If the whole text is such a number, it is JSON only in the spelling that DuckDB writes. Any other
// spelling, such as nan, is more likely to be plain text.
func isJSON(s string) bool {
	switch {
	case json.Valid(unsafe.Slice(unsafe.StringData(s), len(s))), s == "NaN", s == "Infinity", s == "-Infinity":
		return true
	case !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "["):
		return false
	}
	return json.Valid([]byte(nonFinite.ReplaceAllStringFunc(s, func(token string) string {
		if token[0] == '"' {
			return token
		}
		return " 0 " // the spaces separate the number from the text around it
	})))
}

// canonical returns a function that rewrites the text of a value of the type t to the form in which
// DuckDB prints that value. If the function refuses a text, its second result says why. Otherwise
// the second result is "". canonical returns nil for a type whose texts are not rewritten.
func canonical(t schema.Type) func(s string) (string, string) {
	var parse func(s string) (string, bool)
	switch t.Kind {
	case schema.HugeInt, schema.UHugeInt:
		parse = func(s string) (string, bool) { return parseWide(s, t.Kind == schema.UHugeInt) }
	case schema.TimeTZ:
		parse = parseTimeTZ
	case schema.Interval:
		parse = func(s string) (string, bool) {
			v, ok := parseInterval(s)
			return v.String(), ok
		}
	default:
		return nil
	}
	return func(s string) (string, string) {
		text, ok := parse(s)
		if !ok {
			return "", notA(t)
		}
		return text, ""
	}
}

// convertText converts an array to the type t. t must be a type whose values are stored as text.
func convertText(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	read := textReader(a)
	if read == nil {
		if read = printed(a, t); read == nil {
			return nil, notConvertible(a, t)
		}
	}
	if rewrite := canonical(t); rewrite != nil {
		return buildText(a, read, rewrite)
	}
	if t.Kind == schema.JSON && isTextLike(a) {
		return jsonText(a)
	}
	check := textCheck(t)
	if !isTextLike(a) {
		return buildText(a, read, func(s string) (string, string) {
			if check != nil {
				return s, check(s)
			}
			return s, ""
		})
	}
	text, f := plainText(a)
	if f != nil || check == nil {
		return text, f
	}
	defer text.Release()
	return each(text, func(row int) string { return check(read(row)) })
}

// jsonText converts an array of text to JSON. A text that is valid JSON is not changed. Any other
// text becomes a JSON string.
func jsonText(a arrow.Array) (arrow.Array, *fault) {
	text, f := plainText(a)
	if f != nil {
		return nil, f
	}
	read, check := textReader(text), textCheck(schema.Of(schema.JSON))
	for i := range text.Len() {
		if text.IsValid(i) && check(read(i)) != "" {
			defer text.Release()
			return buildText(text, read, func(s string) (string, string) {
				if check(s) == "" {
					return s, ""
				}
				quoted, err := jsontext.AppendQuote(nil, s)
				if err != nil {
					return "", "is not valid JSON"
				}
				return string(quoted), ""
			})
		}
	}
	return text, nil
}

// printed returns a function that gets a row number and returns the value in that row of the array
// a as text, for a column of the type t. The array must not have texts. If its values cannot be
// written as text for that type, printed returns nil. If a single value cannot be converted, the
// function returns a text that the column refuses.
func printed(a arrow.Array, t schema.Type) func(row int) string {
	id := a.DataType().ID()
	isNumber := signedReader(a) != nil || unsignedReader(a) != nil
	switch t.Kind {
	case schema.HugeInt, schema.UHugeInt:
		if isNumber {
			return a.ValueStr
		}
		if read := integerText(a); read != nil {
			return func(row int) string {
				s, _ := read(row)
				return s
			}
		}
	case schema.Interval:
		return printedInterval(a)
	case schema.JSON:
		return func(row int) string {
			text, err := json.Marshal(a.GetOneForMarshal(row))
			if err != nil {
				return ""
			}
			return string(text)
		}
	case schema.Varchar:
		decimal, _ := decimalReader(a)
		if isNumber || floatReader(a) != nil || decimal != nil || id == arrow.BOOL {
			return a.ValueStr
		}
	}
	return nil
}

func printedInterval(a arrow.Array) func(row int) string {
	switch a := a.(type) {
	case *array.MonthInterval:
		return func(row int) string { return interval{months: int32(a.Value(row))}.String() }
	case *array.DayTimeInterval:
		return func(row int) string {
			v := a.Value(row)
			return interval{days: v.Days, micros: int64(v.Milliseconds) * 1000}.String()
		}
	case *array.MonthDayNanoInterval:
		return func(row int) string {
			v := a.Value(row)
			if v.Nanoseconds%1000 != 0 {
				return ""
			}
			return interval{v.Months, v.Days, v.Nanoseconds / 1000}.String()
		}
	case *array.Duration:
		unit := a.DataType().(*arrow.DurationType).Unit
		return func(row int) string {
			micros, ok := rescale(int64(a.Value(row)), unit.Multiplier(), time.Microsecond)
			if !ok {
				return ""
			}
			return interval{micros: micros}.String()
		}
	}
	return nil
}

// bytesReader returns a function that gets a row number and returns the bytes in that row of the
// array a, without copying them. If the values of the array are not bytes or texts, bytesReader
// returns nil.
func bytesReader(a arrow.Array) func(row int) []byte {
	switch a := a.(type) {
	case *array.Binary:
		return a.Value
	case *array.LargeBinary:
		return a.Value
	case *array.BinaryView:
		return a.Value
	case *array.FixedSizeBinary:
		return a.Value
	}
	return nil
}

func convertBlob(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	switch a.DataType().ID() {
	case arrow.BINARY:
		return same(a)
	case arrow.STRING:
		return retyped(a, t.Arrow()), nil
	}
	read := bytesReader(a)
	if text := textReader(a); text != nil {
		read = func(row int) []byte { return []byte(text(row)) }
	}
	if read == nil {
		return nil, notConvertible(a, t)
	}
	b := array.NewBinaryBuilder(allocator, arrow.BinaryTypes.Binary)
	b.Reserve(a.Len())
	total := 0
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		v := read(i)
		if total += len(v); total > 1<<31-1 {
			return nil, &fault{row: i, value: "a BLOB", why: "makes over 2 GiB of bytes in one batch"}
		}
		b.Append(v)
	}
	return b.NewArray(), nil
}

func convertUUID(a arrow.Array, t schema.Type) (arrow.Array, *fault) {
	if b, ok := a.(*array.FixedSizeBinary); ok && b.DataType().(*arrow.FixedSizeBinaryType).ByteWidth == 16 {
		return retyped(b, t.Arrow()), nil
	}
	if read := bytesReader(a); read != nil {
		return build(a, t, func(row int) ([16]byte, string) {
			if len(read(row)) != 16 {
				return [16]byte{}, notA(t)
			}
			return [16]byte(read(row)), ""
		})
	}
	text := textReader(a)
	if text == nil {
		return nil, notConvertible(a, t)
	}
	return build(a, t, func(row int) ([16]byte, string) {
		id, ok := parseUUID(text(row))
		if !ok {
			return id, notA(t)
		}
		return id, ""
	})
}
