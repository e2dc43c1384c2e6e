package msgpack

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// value decodes the next value into the given row of column c. t is the declared type of the
// column. It is nil if the value can be decoded without the type.
func (r *reader) value(c *ingest.Column, row int, t *schema.Type) error {
	code, err := r.code()
	if err != nil {
		return err
	}
	if t != nil {
		if taken, err := r.declared(c, row, t, code); taken || err != nil {
			return err
		}
	}
	switch {
	case code == codeNil:
		r.p++
		return c.SetNull(row)
	case code == codeFalse || code == codeTrue:
		r.p++
		return c.SetBool(row, code == codeTrue)
	case isInt(code):
		v, big, err := r.integer()
		switch {
		case err != nil:
			return err
		case big != 0:
			return c.SetUint(row, big)
		}
		return c.SetInt(row, v)
	case code == codeFloat32 || code == codeFloat64:
		r.p++
		b, err := r.take(4 << (code - codeFloat32))
		if err != nil {
			return err
		}
		if code == codeFloat32 {
			return c.SetFloat(row, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
		}
		return c.SetFloat(row, math.Float64frombits(binary.BigEndian.Uint64(b)))
	case isString(code):
		v, err := r.str()
		if err != nil {
			return err
		}
		return c.SetString(row, v)
	case code >= codeBin8 && code <= codeBin32:
		v, err := r.bin()
		if err != nil {
			return err
		}
		return c.SetBinary(row, v)
	case isArray(code):
		return r.list(c, row, t)
	case isMap(code):
		return r.object(c, row, t)
	}
	return r.moment(c, row)
}

func (r *reader) list(c *ingest.Column, row int, t *schema.Type) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.leave()
	n, err := r.arrayHeader()
	if err != nil {
		return err
	}
	element, err := c.BeginList(row)
	if err != nil {
		return err
	}
	first := element.Rows()
	if err := r.values(element, first, first+n, elementOf(t)); err != nil {
		return err
	}
	return c.EndList()
}

func (r *reader) object(c *ingest.Column, row int, t *schema.Type) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.leave()
	n, err := r.mapHeader()
	if err != nil {
		return err
	}
	if err := c.BeginStruct(row); err != nil {
		return err
	}
	for i := range n {
		if code, err := r.code(); err == nil && !isString(code) {
			return r.errorf("row %d, column %s: %s as a key, which only a MAP has", c.Row(row)+1, ingest.Quote([]byte(c.Name())), typeName(code))
		}
		name, err := r.str()
		if err != nil {
			return err
		}
		field, err := c.Field(i, name)
		if err != nil {
			return err
		}
		if err := r.value(field, row, fieldOf(t, name)); err != nil {
			return err
		}
	}
	c.EndStruct()
	return nil
}

// moment decodes an extension value into the given row of column c. The value must be a timestamp,
// the only extension type that MessagePack itself defines.
func (r *reader) moment(c *ingest.Column, row int) error {
	kind, size, err := r.extension()
	if err != nil {
		return err
	}
	b, err := r.take(size)
	if err != nil {
		return err
	}
	if kind != extTimestamp {
		return r.errorf("row %d, column %s: extension type %d is not known", c.Row(row)+1, ingest.Quote([]byte(c.Name())), kind)
	}
	seconds, nanos, ok := timestamp(b)
	if !ok {
		return r.errorf("row %d, column %s: a timestamp of %d bytes", c.Row(row)+1, ingest.Quote([]byte(c.Name())), size)
	}
	micros, _, ok := ingest.Second.Micros(seconds)
	if !ok || nanos > 999_999_999 || micros > math.MaxInt64-1e6 {
		return r.errorf("row %d, column %s: timestamp of %d s and %d ns is out of range", c.Row(row)+1, ingest.Quote([]byte(c.Name())), seconds, nanos)
	}
	return c.SetTimestamp(row, micros+int64(nanos/1000), uint16(nanos%1000))
}

// timestamp decodes the content of a MessagePack timestamp. It has 4, 8 or 12 bytes.
func timestamp(b []byte) (seconds int64, nanos uint32, ok bool) {
	switch len(b) {
	case 4:
		return int64(binary.BigEndian.Uint32(b)), 0, true
	case 8:
		v := binary.BigEndian.Uint64(b)
		return int64(v & (1<<34 - 1)), uint32(v >> 34), true
	case 12:
		return int64(binary.BigEndian.Uint64(b[4:])), binary.BigEndian.Uint32(b), true
	}
	return 0, 0, false
}

// The method values decodes the next values into rows of column c: those with the indexes i for
// which first <= i < end. This is the hot path: most columns have a long run of values of the same
// type, and each type has a loop of its own. The method value decodes all other values, and numbers
// whose declared type t needs special decoding.
func (r *reader) values(c *ingest.Column, first, end int, t *schema.Type) error {
	for row := first; row < end; {
		code, err := r.code()
		if err != nil {
			return err
		}
		kind := c.Kind()
		switch {
		case isString(code) && (kind == ingest.String || kind == ingest.Null):
			row, err = r.strings(c, row, end)
		case t != nil:
			err = r.value(c, row, t)
			row++
		case code == codeFloat64 && (kind == ingest.Float || kind == ingest.Null):
			row, err = r.floats(c, row, end)
		case isInt(code) && code != codeUint64 && (kind == ingest.Int || kind == ingest.Null),
			code == codeUint64 && kind == ingest.Int:
			row, err = r.integers(c, row, end)
		default:
			err = r.value(c, row, nil)
			row++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// floats decodes a run of float64 values into rows of column c: those with the indexes i for which
// row <= i < end, or fewer if a value has another type. The next value must be a float64. floats
// returns the index of the row after the run.
func (r *reader) floats(c *ingest.Column, row, end int) (int, error) {
	if len(r.src)-r.p < 9 {
		return row, r.truncated()
	}
	values, err := c.Run(ingest.Float, row, end)
	if err != nil {
		return row, err
	}
	src := r.src[r.p:]
	for row < len(values) && len(src) >= 9 && src[0] == codeFloat64 {
		values[row] = binary.BigEndian.Uint64(src[1:9])
		src = src[9:]
		row++
	}
	r.p = len(r.src) - len(src)
	c.CommitRun(row)
	return row, nil
}

// integers decodes a run of integers into rows of column c. These are the rows with the indexes i
// for which row <= i < end, or fewer if a value is not an integer in the range of int64. integers
// returns the index of the row after the last decoded value.
func (r *reader) integers(c *ingest.Column, row, end int) (int, error) {
	values, err := c.Run(ingest.Int, row, end)
	if err != nil {
		return row, err
	}
	src := r.src[r.p:]
	for row < len(values) {
		if len(src) >= 9 && (src[0] == codeInt64 || src[0] == codeUint64) {
			v := binary.BigEndian.Uint64(src[1:9])
			if src[0] == codeUint64 && v > math.MaxInt64 {
				break
			}
			values[row] = v
			src = src[9:]
			row++
			continue
		}
		if len(src) == 0 || !isInt(src[0]) {
			break
		}
		if src[0] < 0x80 {
			values[row] = uint64(src[0])
			src = src[1:]
			row++
			continue
		}
		r.p = len(r.src) - len(src)
		v, big, err := r.integer()
		if err != nil {
			return row, err
		}
		if big != 0 {
			break // src still begins with the value that is not in the run
		}
		values[row] = uint64(v)
		src = r.src[r.p:]
		row++
	}
	r.p = len(r.src) - len(src)
	c.CommitRun(row)
	if row < end && len(src) > 0 && src[0] == codeUint64 {
		// The value is above the range of int64. The method value changes the column to unsigned
		// integers.
		return row + 1, r.value(c, row, nil)
	}
	return row, nil
}

// The method strings decodes a run of strings into rows of column c: those with the indexes i for
// which row <= i < end, or fewer if a value is not a string. It returns the index of the row after
// the run.
func (r *reader) strings(c *ingest.Column, row, end int) (int, error) {
	src := r.src
	p := r.p
	for first := row; row < end && p < len(src); {
		if row == first+1 {
			c.Reserve(end) // Reserve needs the column's kind, which is String now
		}
		code := src[p]
		n := int(code & 31)
		p++
		if code < 0xa0 || code >= 0xc0 {
			if p--; !isString(code) {
				break
			}
			r.p = p
			v, err := r.str()
			if err != nil {
				return row, err
			}
			n = len(v)
			p = r.p - n
		}
		if n > len(src)-p {
			return row, r.truncated()
		}
		if err := c.SetString(row, src[p:p+n]); err != nil {
			return row, err
		}
		p += n
		row++
	}
	r.p = p
	return row, nil
}

// text decodes a string, a number or a boolean as text. A number or a boolean becomes the shortest
// text that represents it. ok is false if the value is nil. The text may use the memory of scratch.
func (r *reader) text(scratch []byte) (text []byte, ok bool, err error) {
	code, err := r.code()
	if err != nil {
		return nil, false, err
	}
	switch {
	case code == codeNil:
		r.p++
		return nil, false, nil
	case isString(code):
		text, err = r.str()
		return text, true, err
	case code == codeFalse || code == codeTrue:
		r.p++
		return strconv.AppendBool(scratch, code == codeTrue), true, nil
	case isInt(code):
		v, big, err := r.integer()
		if big != 0 {
			return strconv.AppendUint(scratch, big, 10), true, err
		}
		return strconv.AppendInt(scratch, v, 10), true, err
	case code == codeFloat64 || code == codeFloat32:
		r.p++
		b, err := r.take(4 << (code - codeFloat32))
		if err != nil {
			return nil, false, err
		}
		if code == codeFloat32 {
			return strconv.AppendFloat(scratch, float64(math.Float32frombits(binary.BigEndian.Uint32(b))), 'g', -1, 32), true, nil
		}
		return strconv.AppendFloat(scratch, math.Float64frombits(binary.BigEndian.Uint64(b)), 'g', -1, 64), true, nil
	}
	return nil, false, r.errorf("%s where text is expected", typeName(code))
}
