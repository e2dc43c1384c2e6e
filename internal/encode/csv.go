package encode

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
)

// csvEncoder writes CSV as in RFC 4180, with a header. Lines end with LF, as DuckDB, PostgreSQL and
// Unix tools write them and every reader accepts. NULL is an empty field without quotes, and the
// empty string is "".
type csvEncoder struct {
	out     *out
	schema  *arrow.Schema
	columns []csvColumn
}

type csvColumn struct {
	cell
	// quoted says that values of the column may need quotes. It is false for numbers and times.
	quoted bool
}

func newCSVEncoder(schema *arrow.Schema, o *out) (*csvEncoder, error) {
	cells, err := newCells(schema, csvStyle)
	e := &csvEncoder{out: o, schema: schema}
	for i, c := range cells {
		e.columns = append(e.columns, csvColumn{cell: c, quoted: !neverQuoted(schema.Field(i))})
	}
	return e, err
}

// neverQuoted reports whether values of a field never need quotes in CSV. That holds for types
// whose texts are not empty, and consist only of letters, digits, signs, points and colons.
func neverQuoted(field arrow.Field) bool {
	dt, m := resolve(field)
	switch m {
	case hugeint, uhugeint, bool8:
		return true
	case plain:
	default:
		return false
	}
	switch id := dt.ID(); {
	case arrow.IsInteger(id), arrow.IsFloating(id), arrow.IsDecimal(id):
		return true
	case id == arrow.BOOL, id == arrow.DATE32, id == arrow.DATE64, id == arrow.TIME32, id == arrow.TIME64, id == arrow.TIMESTAMP:
		return true
	}
	return false
}

func (e *csvEncoder) begin() error {
	b := e.out.buf
	for i, f := range e.schema.Fields() {
		if i > 0 {
			b = append(b, ',')
		}
		start := len(b)
		b = appendValid(b, []byte(f.Name))
		b = quote(b, start)
	}
	e.out.buf = append(b, '\n')
	return nil
}

func (e *csvEncoder) batch(rec arrow.RecordBatch) error {
	for j := range e.columns {
		e.columns[j].bind(rec.Column(j))
	}
	return e.out.rows(int(rec.NumRows()), func(b []byte, i int) []byte {
		for j := range e.columns {
			c := &e.columns[j]
			if j > 0 {
				b = append(b, ',')
			}
			if c.isNull(i) {
				continue
			}
			start := len(b)
			b = c.append(b, i)
			if c.quoted {
				b = quote(b, start)
			}
		}
		return append(b, '\n')
	})
}

// quote puts the CSV field dst[start:] in quotes, and doubles the quotes in it, if a CSV reader
// needs that. It returns dst, which may have grown.
func quote(dst []byte, start int) []byte {
	field := dst[start:]
	if !needsQuote(field) {
		return dst
	}
	quotes := bytes.Count(field, []byte{'"'})
	from, to := len(dst), len(dst)+quotes+2
	for range quotes + 2 {
		dst = append(dst, 0)
	}
	// Bytes are moved from the back, so that no byte is overwritten before it is moved.
	dst[to-1] = '"'
	for to--; from > start; {
		from--
		to--
		dst[to] = dst[from]
		if dst[from] == '"' {
			to--
			dst[to] = '"'
		}
	}
	dst[start] = '"'
	return dst
}

// needsQuote reports whether a CSV field must be in quotes. That is so if the field is empty, or
// contains a quote, a comma or a line end. It is also so if the field begins or ends with a space,
// because some readers trim spaces.
func needsQuote(field []byte) bool {
	if len(field) == 0 {
		return true
	}
	if field[0] == ' ' || field[len(field)-1] == ' ' {
		return true
	}
	for ; len(field) >= 8; field = field[8:] {
		w := binary.LittleEndian.Uint64(field)
		if hasByte(w^everyByte*'"')|hasByte(w^everyByte*',')|hasByte(w^everyByte*'\n')|hasByte(w^everyByte*'\r') != 0 {
			return true
		}
	}
	for _, c := range field {
		if c == '"' || c == ',' || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}

// hasByte returns a word that is not 0 if one of the eight bytes of w is 0.
func hasByte(w uint64) uint64 { return (w - everyByte) &^ w & highBits }

func (e *csvEncoder) end(tail) error { return nil }
func (e *csvEncoder) fail(error)     {}
func (e *csvEncoder) release()       {}
