package encode

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// appendString appends a string in the style of the cell: with JSON's quotes and escapes, or as it
// is.
func (c *textCell) appendString(dst, s []byte) []byte {
	if c.style == jsonStyle {
		return appendJSONString(dst, s)
	}
	return appendValid(dst, s)
}

// stringCell writes VARCHAR from arrays with 32-bit or 64-bit offsets.
type stringCell[O int32 | int64] struct {
	textCell
	offsets []O // one more than the number of rows
	bytes   []byte
}

func (c *stringCell[O]) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.offsets, c.bytes = varValues[O](arr)
	c.bindNulls(arr)
}

func (c *stringCell[O]) value(i int) []byte { return c.bytes[c.offsets[i]:c.offsets[i+1]] }

func (c *stringCell[O]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	s := c.value(i)
	if c.style == jsonStyle {
		return appendJSONString(dst, s)
	}
	return appendValid(dst, s)
}

// varValues returns the offsets and the bytes of a string or binary array. offsets[i] is where row
// i begins.
func varValues[O int32 | int64](arr arrow.Array) ([]O, []byte) {
	data := arr.Data()
	if data.Len() == 0 {
		return nil, nil
	}
	offsets := arrow.GetData[O](data.Buffers()[1].Bytes())[data.Offset() : data.Offset()+data.Len()+1]
	if values := data.Buffers()[2]; values != nil {
		return offsets, values.Bytes()
	}
	return offsets, nil
}

type stringViewCell struct {
	textCell
	values *array.StringView
}

func (c *stringViewCell) bind(arr arrow.Array) {
	c.values = unwrap(arr).(*array.StringView)
	c.bindNulls(c.values)
}

func (c *stringViewCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return c.appendString(dst, []byte(c.values.Value(i)))
}

// byteValues is an array whose values can be read as bytes: strings or binary.
type byteValues interface {
	Value(i int) []byte
}

// stringBytes makes a string array a byteValues.
type stringBytes struct {
	values interface{ Value(i int) string }
}

func (s stringBytes) Value(i int) []byte { return []byte(s.values.Value(i)) }

func bytesOf(arr arrow.Array) byteValues {
	if values, ok := arr.(byteValues); ok {
		return values
	}
	return stringBytes{arr.(interface{ Value(i int) string })}
}

// binaryCell writes BLOB, BIT and BIGNUM. The function print encodes a value. Its output must need
// no JSON escapes. The output of appendBlobText does, but it is used only at the top level of
// tables.
type binaryCell struct {
	textCell
	print  func(dst, value []byte) []byte
	values byteValues
}

func (c *binaryCell) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = bytesOf(arr)
	c.bindNulls(arr)
}

func (c *binaryCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return c.quote(c.print(c.quote(dst), c.values.Value(i)))
}

func appendBase64(dst, b []byte) []byte { return base64.StdEncoding.AppendEncode(dst, b) }

// appendBlobText appends a BLOB as DuckDB prints it: every byte that is not printable ASCII is
// written as \xAB.
func appendBlobText(dst, b []byte) []byte {
	const upperHex = "0123456789ABCDEF"
	for _, c := range b {
		if c < 0x20 || c > 0x7E || c == '\\' || c == '\'' || c == '"' {
			dst = append(dst, '\\', 'x', upperHex[c>>4], upperHex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// jsonCell writes values of the type JSON. In jsonStyle, valid JSON is embedded as it is, and other
// text becomes a string.
type jsonCell struct {
	textCell
	values byteValues
}

func (c *jsonCell) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = bytesOf(arr)
	c.bindNulls(arr)
}

func (c *jsonCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	text := c.values.Value(i)
	if c.style != jsonStyle || !json.Valid(text) {
		return c.appendString(dst, text)
	}
	return appendJSONLine(dst, text)
}

type uuidCell struct {
	textCell
	values *array.FixedSizeBinary
}

func (c *uuidCell) bind(arr arrow.Array) {
	c.values = unwrap(arr).(*array.FixedSizeBinary)
	c.bindNulls(c.values)
}

func (c *uuidCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	dst = c.quote(dst)
	for j, b := range c.values.Value(i) {
		if j == 4 || j == 6 || j == 8 || j == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return c.quote(dst)
}

type timeTZCell struct {
	textCell
	values *array.FixedSizeBinary
}

func (c *timeTZCell) bind(arr arrow.Array) {
	c.values = unwrap(arr).(*array.FixedSizeBinary)
	c.bindNulls(c.values)
}

func (c *timeTZCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return c.quote(appendTimeTZ(c.quote(dst), binary.LittleEndian.Uint64(c.values.Value(i))))
}

type timestampCell struct {
	textCell
	unit     arrow.TimeUnit
	sep      byte
	zone     string
	dateOnly bool // the values are a DATE in milliseconds
	values   []int64
}

func newTimestampCell(text textCell, dt *arrow.TimestampType) *timestampCell {
	c := &timestampCell{textCell: text, unit: dt.Unit, sep: 'T'}
	if dt.TimeZone != "" {
		c.zone = "Z"
	}
	if text.style == tableStyle {
		c.sep = ' '
		if c.zone != "" {
			c.zone = "+00"
		}
	}
	return c
}

func (c *timestampCell) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[int64](arr)
	c.bindNulls(arr)
}

func (c *timestampCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	dst = c.quote(dst)
	if c.dateOnly {
		days, _ := floorDiv(c.values[i], secondsPerDay*1000)
		dst = appendDay(dst, days)
	} else {
		dst = appendTimestamp(dst, c.values[i], c.unit, c.sep, c.zone)
	}
	return c.quote(dst)
}

type dateCell struct {
	textCell
	values []int32
}

func (c *dateCell) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[int32](arr)
	c.bindNulls(arr)
}

func (c *dateCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return c.quote(appendDate(c.quote(dst), c.values[i]))
}

type timeCell[T arrow.Time32 | arrow.Time64] struct {
	textCell
	unit   arrow.TimeUnit
	values []T
}

func (c *timeCell[T]) bind(arr arrow.Array) {
	arr = unwrap(arr)
	c.values = fixedValues[T](arr)
	c.bindNulls(arr)
}

func (c *timeCell[T]) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	return c.quote(appendTime(c.quote(dst), int64(c.values[i]), c.unit))
}

type intervalCell struct {
	textCell
	values arrow.Array
}

func (c *intervalCell) bind(arr arrow.Array) {
	c.values = unwrap(arr)
	c.bindNulls(c.values)
}

func (c *intervalCell) append(dst []byte, i int) []byte {
	if c.isNull(i) {
		return append(dst, nullText...)
	}
	v := intervalOf(c.values, i)
	if c.style == jsonStyle {
		return append(v.appendISO(append(dst, '"')), '"')
	}
	return v.appendText(dst)
}
