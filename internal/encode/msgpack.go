package encode

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// messagePackVersion is the version of Scoter's MessagePack layout of results, which
// docs/format/msgpack.md describes.
const messagePackVersion = 1

// messagePackEncoder writes a sequence of MessagePack objects. Each batch is one object, in which
// the values are column by column:
//
//	{"version": 1, "columns": [{"name": "a", "type": "BIGINT"}]}
//	{"rows": 2, "data": [[1, 2]]}
//	{"row_count": 2, "elapsed_ms": 1.234}
type messagePackEncoder struct {
	out    *out
	schema *arrow.Schema
	cells  []cell
}

func newMessagePackEncoder(schema *arrow.Schema, o *out) (*messagePackEncoder, error) {
	e := &messagePackEncoder{out: o, schema: schema, cells: make([]cell, schema.NumFields())}
	for i, f := range schema.Fields() {
		var err error
		if e.cells[i], err = newPackCell(f, 0); err != nil {
			return nil, base.Wrap(err, "column %q", f.Name)
		}
	}
	return e, nil
}

func (e *messagePackEncoder) begin() error {
	b := packMap(e.out.buf, 2)
	b = packInt(packString(b, "version"), messagePackVersion)
	b = packArray(packString(b, "columns"), e.schema.NumFields())
	for _, f := range e.schema.Fields() {
		unit := unitName(f)
		members := 2
		if unit != "" {
			members = 3
		}
		b = packMap(b, members)
		b = packText(packString(b, "name"), []byte(f.Name))
		b = packText(packString(b, "type"), []byte(typeName(f)))
		if unit != "" {
			b = packString(packString(b, "unit"), unit)
		}
	}
	e.out.buf = b
	return nil
}

// unitName returns the unit of times and dates that are sent as integers. It is "" for other types.
func unitName(field arrow.Field) string {
	dt, m := resolve(field)
	if m != plain {
		return ""
	}
	switch dt := dt.(type) {
	case *arrow.TimestampType:
		return dt.Unit.String()
	case *arrow.Time32Type:
		return dt.Unit.String()
	case *arrow.Time64Type:
		return dt.Unit.String()
	case *arrow.Date32Type:
		return "d"
	case *arrow.Date64Type:
		return "ms"
	}
	return ""
}

// columnAppender is implemented by some cells (a cell writes the values of one column, row by row).
// It appends the values of all rows of the column in one call, which is faster.
type columnAppender interface {
	appendAll(dst []byte, rows int) []byte
}

func (e *messagePackEncoder) batch(rec arrow.RecordBatch) error {
	rows := int(rec.NumRows())
	b := packMap(e.out.buf, 2)
	b = packInt(packString(b, "rows"), int64(rows))
	e.out.buf = packArray(packString(b, "data"), len(e.cells))
	return e.out.rows(len(e.cells), func(b []byte, j int) []byte {
		c := e.cells[j]
		c.bind(rec.Column(j))
		b = packArray(b, rows)
		if fast, ok := c.(columnAppender); ok {
			return fast.appendAll(b, rows)
		}
		for i := range rows {
			b = c.append(b, i)
		}
		return b
	})
}

func (e *messagePackEncoder) end(t tail) error {
	members := 1
	for _, present := range []bool{t.truncated, t.rowsRead >= 0, t.timed} {
		if present {
			members++
		}
	}
	b := packMap(e.out.buf, members)
	b = packInt(packString(b, "row_count"), t.rows)
	if t.truncated {
		b = append(packString(b, "truncated"), packTrue)
	}
	if t.rowsRead >= 0 {
		b = packInt(packString(b, "rows_read"), t.rowsRead)
	}
	if t.timed {
		b = packFloat64(packString(b, "elapsed_ms"), milliseconds(t))
	}
	e.out.buf = b
	return nil
}

// fail appends an object with the error. The output before it is complete, because each batch is
// written as a whole.
func (e *messagePackEncoder) fail(err error) {
	kind, message, hint := describe(err)
	members := 2
	if hint != "" {
		members = 3
	}
	b := packMap(packString(packMap(e.out.buf, 1), "error"), members)
	b = packText(packString(b, "kind"), []byte(kind))
	b = packText(packString(b, "message"), []byte(message))
	if hint != "" {
		b = packText(packString(b, "hint"), []byte(hint))
	}
	e.out.buf = b
}

func (e *messagePackEncoder) release() {}

// These are the first bytes of MessagePack values. The first byte says which type a value has.
const (
	packNil     = 0xc0
	packFalse   = 0xc2
	packTrue    = 0xc3
	packFloat32 = 0xca
	packDouble  = 0xcb
)

func packMap(dst []byte, n int) []byte { return packHeader(dst, n, 0x80, 16, 0, 0xde) }

func packArray(dst []byte, n int) []byte { return packHeader(dst, n, 0x90, 16, 0, 0xdc) }

func packBinary(dst, b []byte) []byte {
	return append(packHeader(dst, len(b), 0, 0, 0xc4, 0xc5), b...)
}

// packString appends s as a MessagePack string. s must be valid UTF-8.
func packString(dst []byte, s string) []byte {
	return append(packHeader(dst, len(s), 0xa0, 32, 0xd9, 0xda), s...)
}

// packText appends any bytes as a MessagePack string. Invalid UTF-8 is replaced.
func packText(dst, s []byte) []byte {
	if !isASCII(s) {
		s = appendValid(nil, s)
	}
	return append(packHeader(dst, len(s), 0xa0, 32, 0xd9, 0xda), s...)
}

// packHeader appends the type code and the length n of a MessagePack value, in the shortest form:
//   - If n is less than fixed, one byte has both: fix plus n.
//   - Otherwise n follows the code. After the code len8 it takes 1 byte, after len16 2 bytes, and
//     after len16+1 4 bytes. len8 is 0 if the type has no code for lengths of 1 byte.
func packHeader(dst []byte, n int, fix byte, fixed int, len8, len16 byte) []byte {
	switch {
	case n < fixed:
		return append(dst, fix|byte(n))
	case n <= math.MaxUint8 && len8 != 0:
		return append(dst, len8, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, len16), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, len16+1), uint32(n))
}

// packInt appends an integer in as few bytes as possible.
func packInt(dst []byte, v int64) []byte {
	switch {
	case v >= 0:
		return packUint(dst, uint64(v))
	case v >= -32:
		return append(dst, byte(v))
	case v >= math.MinInt8:
		return append(dst, 0xd0, byte(v))
	case v >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(dst, 0xd1), uint16(v))
	case v >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(dst, 0xd2), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xd3), uint64(v))
}

func packUint(dst []byte, v uint64) []byte {
	switch {
	case v < 128:
		return append(dst, byte(v))
	case v <= math.MaxUint8:
		return append(dst, 0xcc, byte(v))
	case v <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, 0xcd), uint16(v))
	case v <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, 0xce), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xcf), v)
}

func packFloat64(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, packDouble), math.Float64bits(v))
}

// isASCII reports whether all bytes of s are ASCII. Any slice of such a string is valid UTF-8.
func isASCII(s []byte) bool {
	for ; len(s) >= 8; s = s[8:] {
		if binary.LittleEndian.Uint64(s)&highBits != 0 {
			return false
		}
	}
	for _, c := range s {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
