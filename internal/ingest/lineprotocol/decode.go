// Package lineprotocol decodes InfluxDB's line protocol, as versions 1 and 2 write it:
//
//	measurement[,tag=value...] field=value[,field=value...] [timestamp]
//
// A measurement becomes a table with a string column per tag, then a column per field, then "time".
// Field values are floating-point numbers (1.5), integers (1i), unsigned integers (1u), booleans
// (t, T, true, True, TRUE and their opposites) and "strings", which may span lines.
//
// A backslash escapes commas, spaces and, except in a measurement, equals signs. In strings it
// escapes quotes and backslashes. Any other backslash is literal. Empty lines and lines that begin
// with # are ignored. Lines end with LF or CR LF.
//
// A bad line is rejected, and the other lines are accepted: this is InfluxDB's partial write. A
// line is bad if it does not parse, or for one of these reasons:
//   - A field has another type than in an earlier line of the body. The earlier type wins: of v=1i
//     and v=2.5, the second line is rejected.
//   - A tag or a field is given twice, or one name is both a tag and a field, in this line or an
//     earlier one. Names of tags, fields and measurements are compared without case, as in tables.
//     The first spelling is used.
//   - A tag or a field is named "time", or a name or a tag value is empty.
//   - A number is NaN, infinite or out of range, or a timestamp is out of range. A timestamp in
//     nanoseconds must be in InfluxDB's range, and a timestamp in another unit in the range of
//     TIMESTAMPTZ.
//
// Times are timestamp[us, UTC]. If a time of the measurement is not a whole microsecond, they are
// timestamp[ns, UTC]. Lines without a timestamp get Options.Now.
package lineprotocol

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

// Options are the options of Decode.
type Options struct {
	Now       time.Time        // the time of lines without a timestamp
	Precision ingest.Precision // the unit of timestamps; Auto is nanoseconds, InfluxDB's default
}

// lines has the line numbers of the rows of a measurement.
type lines struct {
	runs []lineRun
	// rows is the number of rows that were removed from the start of the measurement, and skip is
	// the number of lines that were removed from the start of the body (see the method without).
	rows, skip int
}

// lineRun is a run of rows from consecutive lines. Its field row is the number of the first row of
// the run, and its field line is the number of the line with that row. The run ends where the next
// one begins.
type lineRun struct{ row, line int32 }

// Of returns the number of the line that the given row came from. Lines are counted from 1, and
// rows from 0.
func (l lines) Of(row int) int {
	row += l.rows
	i, found := slices.BinarySearchFunc(l.runs, row, func(r lineRun, row int) int { return cmp.Compare(int(r.row), row) })
	if !found {
		i--
	}
	return int(l.runs[i].line) + row - int(l.runs[i].row) - l.skip
}

// without returns the line numbers for the rows that remain after a removal. The argument rows is
// the number of rows that are removed from the start of the measurement. The argument first is the
// number of lines that are removed from the start of the body.
func (l lines) without(rows, first int) lines {
	l.rows, l.skip = l.rows+rows, l.skip+first
	return l
}

// Decode decodes the lines of a body. Rejected lines are listed in the result, and are not an
// error. The error is base.TooLarge if the body exceeds the limits of package ingest.
func Decode(body []byte, opts Options) (wire.Tables, error) {
	if opts.Precision == ingest.Auto {
		opts.Precision = ingest.Nanosecond
	}
	d := decoder{src: body, opts: opts, checkText: !utf8.Valid(body), padding: ingest.NewPadding()}
	if err := d.lines(); err != nil {
		return wire.Tables{}, err
	}
	result := wire.Tables{Rejected: d.rejected, Errors: d.errors}
	for _, m := range d.order {
		if m.table.Rows() == 0 {
			continue
		}
		rows, err := m.finish(opts)
		if err != nil {
			ingest.Release(result.Rows)
			return wire.Tables{}, base.Wrap(err, "table %q", m.table.Name)
		}
		result.Rows, result.Lines = append(result.Rows, rows), append(result.Lines, m.lines)
	}
	return result, nil
}

// decoder reads the lines of a body. It parses a whole line into values before it appends any of
// them to columns. So a rejected line leaves nothing behind except perhaps a column without values,
// which finish leaves out.
type decoder struct {
	src       []byte
	opts      Options
	checkText bool // whether each line must be checked, because the body is not valid UTF-8

	number   int // number of the current line, from 1
	rejected int
	errors   []wire.LineError

	last   *measurement // measurement of the previous line
	byName map[string]*measurement
	folded map[string]*measurement
	order  []*measurement

	padding *ingest.Padding

	values   []value // values of the current line are values[:filled]
	filled   int
	newlines int    // number of line ends in strings of the current line
	scratch  []byte // buffer for texts of the current line, without their escapes
}

// measurement builds one table. tags and fields are the columns of the latest line, in its order.
// The next line usually has the same columns, and then one comparison finds each of them.
type measurement struct {
	raw     []byte // name as the latest line spells it, with escapes
	table   *ingest.Table
	columns map[string]*column // the columns, by each spelling of their names in the lines so far
	folded  map[string]*column // the columns, by name in lower case (schema.Fold)
	lines   lines              // line numbers of the rows
	// next is a line number. If the next row is from this line, the last run of lines continues.
	next   int
	tags   []*column
	fields []*column
	time   *ingest.Column
	room   int // number of rows for which the columns have memory
}

type column struct {
	*ingest.Column
	raw  []byte // name as the latest line spells it, with escapes
	role role
	seen int // number of the latest line with this column
}

// role says whether a column is a tag or a field. The first accepted line with the column decides.
type role uint8

const (
	unused role = iota
	tag
	field
)

var roleNames = [...]string{tag: "tag", field: "field"}

// value is the value of a tag or a field in the current line.
type value struct {
	column *column
	role   role
	kind   ingest.Kind
	flag   bool
	number uint64 // the number as an int64, a uint64, or the bits of a float64
	text   []byte
}

func (d *decoder) lines() error {
	d.byName, d.folded = map[string]*measurement{}, map[string]*measurement{}
	for p := 0; p < len(d.src); {
		d.number++
		start := p
		for p < len(d.src) && (d.src[p] == ' ' || d.src[p] == '\t' || d.src[p] == '\r') {
			p++
		}
		switch {
		case p == len(d.src):
			return nil
		case d.src[p] == '\n':
			p++
			continue
		case d.src[p] == '#':
			if p = bytes.IndexByte(d.src[start:], '\n') + start + 1; p == start {
				return nil
			}
			continue
		}
		end, reason, err := d.line(p)
		if err != nil {
			return err
		}
		if reason.text != "" {
			end = d.skip(p)
			d.reject(d.src[p:end], reason)
			d.newlines = bytes.Count(d.src[p:end-1], []byte{'\n'})
		}
		d.number += d.newlines
		p = end
	}
	return nil
}

func (d *decoder) reject(line []byte, why reason) {
	d.rejected++
	if len(d.errors) == wire.MaxErrors {
		return
	}
	const limit = 256
	line = bytes.TrimRight(line, "\r\n")
	text := strings.ToValidUTF8(string(line[:min(len(line), limit)]), "\uFFFD")
	d.errors = append(d.errors, wire.LineError{Line: d.number, Text: text, Reason: why.text, Conflict: why.conflict})
}

// skip returns the start of the line after the one at p. A string that is not closed extends to the
// end of the body, as in InfluxDB.
func (d *decoder) skip(p int) int {
	src := d.src
	inFields := false
	for ; p < len(src); p++ {
		switch src[p] {
		case '\n':
			return p + 1
		case '\\':
			if p+1 < len(src) && src[p+1] != '\n' {
				p++
			}
		case ' ':
			inFields = true
		case '=':
			if inFields && p+1 < len(src) && src[p+1] == '"' {
				end, _, ok := stringEnd(src, p+2)
				if !ok {
					return len(src)
				}
				p = end
			}
		}
	}
	return p
}

// commit appends the values of the parsed line to the columns of its measurement.
func (d *decoder) commit(m *measurement, next int, timed bool, at int64) error {
	row := m.table.Rows()
	if row == m.room {
		m.reserve(row, len(d.src), next)
	}
	for i := range d.values[:d.filled] {
		v := &d.values[i]
		c := v.column
		var err error
		switch v.kind {
		case ingest.Float:
			err = c.SetFloat(row, floatOf(v.number))
		case ingest.String:
			err = c.SetString(row, v.text)
		case ingest.Int:
			err = c.SetInt(row, int64(v.number))
		case ingest.Uint:
			err = c.SetUnsigned(row, v.number)
		default:
			err = c.SetBool(row, v.flag)
		}
		if err != nil {
			return base.Wrap(err, "table %q", m.table.Name)
		}
		c.role = v.role
	}
	if timed {
		if err := m.time.SetInt(row, at); err != nil {
			return base.Wrap(err, "table %q", m.table.Name)
		}
	}
	if d.number != m.next {
		m.lines.runs = append(m.lines.runs, lineRun{int32(row), int32(d.number)})
	}
	m.next = d.number + 1
	return m.table.Grow(1)
}

// reserve allocates memory for as many rows as the measurement will have if the rest of the body is
// like its start. The argument size is the size of the body in bytes. The argument done is the size
// of the part that was read, which had the given number of rows. So columns grow only once or
// twice, and are hardly larger than necessary in the end.
//
// Only the columns of the latest line are grown. Each of them takes at least four bytes of the
// line, so the reserved memory is bounded by the body's size.
func (m *measurement) reserve(rows, size, done int) {
	const first = 64
	m.room = max(first, int(float64(rows)*float64(size)/float64(done)*1.02), rows+rows/8)
	for _, c := range m.table.Columns() {
		if c.Rows() == rows {
			c.Reserve(m.room)
		}
	}
}

// finish orders the columns (tags, fields, time) and returns the rows.
func (m *measurement) finish(opts Options) (ingest.Rows, error) {
	if err := m.time.ToTime(opts.Precision); err != nil {
		return ingest.Rows{}, err
	}
	if err := m.time.FillTime(m.table.Rows(), opts.Now); err != nil {
		return ingest.Rows{}, err
	}
	var tags []int
	var order []*ingest.Column
	for _, role := range []role{tag, field} {
		for _, c := range m.table.Columns() {
			if own := m.columns[c.Name()]; own != nil && own.role == role {
				if role == tag {
					tags = append(tags, len(order))
				}
				order = append(order, c)
			}
		}
	}
	batch, err := m.table.Finish(slices.Concat(order, []*ingest.Column{m.time}))
	if err != nil {
		return ingest.Rows{}, err
	}
	return ingest.Rows{Table: m.table.Name, Batch: batch, Tags: tags}, nil
}
