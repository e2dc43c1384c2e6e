package encode

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// CSVOptions are the dialect of CSV. The zero value is RFC 4180 with a header, commas and
// newlines (LF, as DuckDB, PostgreSQL and Unix tools write and every reader takes).
type CSVOptions struct {
	// Delimiter separates fields; 0 is a comma. It is an ASCII character that is not a quote, a
	// line end, a space, a letter, a digit or one of +-.: since numbers and times are never quoted.
	Delimiter byte
	// NoHeader leaves out the line of column names.
	NoHeader bool
	// CRLF ends lines with \r\n.
	CRLF bool
	// Null is the text of NULL, written without quotes. Values that equal it are quoted, so that a
	// reader can tell; the default is nothing, and "" is then the empty string. A result of one
	// column wants another text, because readers skip empty lines.
	Null string
}

type csvEncoder struct {
	out     *out
	schema  *arrow.Schema
	columns []csvColumn
	opt     CSVOptions
	lineEnd string
}

type csvColumn struct {
	cell
	// quoted says that values may need quotes: neither numbers nor times do.
	quoted bool
}

func newCSVEncoder(schema *arrow.Schema, o *out, opt CSVOptions) (*csvEncoder, error) {
	if opt.Delimiter == 0 {
		opt.Delimiter = ','
	}
	if d := opt.Delimiter; d >= 0x80 || isLetterOrDigit(d) || strings.IndexByte("\"\r\n +-.:", d) >= 0 {
		return nil, base.Errorf(base.Invalid, "CSV delimiter %q is not possible", d).
			WithHint("use a comma, a semicolon, a tab or a bar")
	}
	if strings.ContainsAny(opt.Null, "\"\r\n"+string(rune(opt.Delimiter))) {
		return nil, base.Errorf(base.Invalid, "CSV text for NULL %q contains a quote, a delimiter or a line end", opt.Null)
	}
	cells, err := newCells(schema, csvStyle)
	if err != nil {
		return nil, err
	}
	e := &csvEncoder{out: o, schema: schema, opt: opt, lineEnd: "\n"}
	if opt.CRLF {
		e.lineEnd = "\r\n"
	}
	for i, c := range cells {
		// A null text such as "0" could be any value's text.
		quoted := opt.Null != "" || !neverQuoted(schema.Field(i), opt.Delimiter)
		e.columns = append(e.columns, csvColumn{cell: c, quoted: quoted})
	}
	return e, nil
}

func isLetterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// neverQuoted reports whether the texts of a type have only letters, digits and the characters
// that a delimiter cannot be. They are not empty either.
func neverQuoted(field arrow.Field, delimiter byte) bool {
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
	if e.opt.NoHeader {
		return nil
	}
	b := e.out.buf
	for i, f := range e.schema.Fields() {
		if i > 0 {
			b = append(b, e.opt.Delimiter)
		}
		start := len(b)
		b = appendValid(b, []byte(f.Name))
		b = e.quote(b, start)
	}
	e.out.buf = append(b, e.lineEnd...)
	return nil
}

func (e *csvEncoder) batch(rec arrow.RecordBatch) error {
	for j := range e.columns {
		e.columns[j].bind(rec.Column(j))
	}
	b := e.out.buf
	for i := range int(rec.NumRows()) {
		for j := range e.columns {
			c := &e.columns[j]
			if j > 0 {
				b = append(b, e.opt.Delimiter)
			}
			if c.isNull(i) {
				b = append(b, e.opt.Null...)
				continue
			}
			start := len(b)
			b = c.append(b, i)
			if c.quoted {
				b = e.quote(b, start)
			}
		}
		b = append(b, e.lineEnd...)
		if len(b) >= flushAt {
			e.out.buf = b
			if err := e.out.flush(); err != nil {
				return err
			}
			b = e.out.buf
		}
	}
	e.out.buf = b
	return nil
}

// quote puts dst[start:] into quotes if a reader needs them.
func (e *csvEncoder) quote(dst []byte, start int) []byte {
	field := dst[start:]
	if !e.needsQuote(field) && string(field) != e.opt.Null {
		return dst
	}
	quotes := bytes.Count(field, []byte{'"'})
	from, to := len(dst), len(dst)+quotes+2
	for range quotes + 2 {
		dst = append(dst, 0)
	}
	// from the back, so that nothing is overwritten before it is moved
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

// needsQuote reports whether the field has a quote, a delimiter or a line end, or spaces
// around it, which some readers trim.
func (e *csvEncoder) needsQuote(field []byte) bool {
	if len(field) == 0 {
		return true
	}
	if field[0] == ' ' || field[len(field)-1] == ' ' {
		return true
	}
	delimiter := everyByte * uint64(e.opt.Delimiter)
	for ; len(field) >= 8; field = field[8:] {
		w := binary.LittleEndian.Uint64(field)
		if hasByte(w^everyByte*'"')|hasByte(w^delimiter)|hasByte(w^everyByte*'\n')|hasByte(w^everyByte*'\r') != 0 {
			return true
		}
	}
	for _, c := range field {
		if c == '"' || c == e.opt.Delimiter || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}

// hasByte returns a word with a high bit set if a byte of w is 0.
func hasByte(w uint64) uint64 { return (w - everyByte) &^ w & highBits }

func (e *csvEncoder) end(tail) error { return nil }
func (e *csvEncoder) fail(error)     {}
func (e *csvEncoder) release()       {}
