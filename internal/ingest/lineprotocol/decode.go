// Package lineprotocol decodes InfluxDB's line protocol, as versions 1 and 2 write
// it:
//
//	measurement[,tag=value...] field=value[,field=value...] [timestamp]
//
// A measurement becomes a table with a string column per tag, then a column per
// field, then "time". Field values are floating-point numbers (1.5), integers (1i),
// unsigned integers (1u), booleans (t, T, true, True, TRUE and their opposites) and
// "strings", which may span lines. Backslashes escape commas, spaces and, except
// in a measurement, equals signs; in strings quotes and backslashes; any other
// backslash stands for itself. Empty lines and lines that begin with # mean nothing.
// Lines end with LF or CR LF.
//
// A bad line is rejected and does not harm the others: InfluxDB's partial write. Bad
// is what does not parse, and
//   - a field whose type differs from the one that an earlier line of the body gave
//     it: the earlier type stays (so v=1i, v=2.5 keeps 1 and rejects the second)
//   - a tag or a field twice, a tag and a field of one name, here or in an earlier line.
//     Names that differ in case alone are one, also those of measurements, as tables have it:
//     the first spelling counts
//   - a tag or a field named "time", an empty name or tag value
//   - NaN and infinities, numbers out of range, timestamps out of range.
//
// Times out of range are those that InfluxDB refuses, and, in coarser units, those that no
// TIMESTAMPTZ holds.
//
// Times are timestamp[us, UTC], or timestamp[ns, UTC] for a measurement with a time
// that is not a whole microsecond. Lines without a timestamp get Options.Now.
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
)

// Options of Decode.
type Options struct {
	Now       time.Time        // the time of lines that have none
	Precision ingest.Precision // the unit of timestamps; Auto is nanoseconds, InfluxDB's default
}

// MaxErrors is how many rejected lines a Result describes.
const MaxErrors = 100

// Result is what a body holds.
type Result struct {
	Rows     []ingest.Rows // one per measurement with accepted lines, in order of appearance
	Lines    []Lines       // of each of Rows
	Rejected int           // number of lines rejected
	Errors   []LineError   // the first MaxErrors of them
}

// LineError is why a line was rejected.
type LineError struct {
	Line     int    // from 1: where the line begins
	Text     string // the line, cut to 256 bytes
	Reason   string // in InfluxDB's words where it has some
	Conflict bool   // it parses, but contradicts an earlier line
}

// Lines says which lines the rows of a measurement come from.
type Lines struct {
	runs       []lineRun
	rows, skip int
}

// lineRun are rows of lines that follow one another, up to the next run.
type lineRun struct{ row, line int32 }

// Of returns the number of a row's line, from 1.
func (l Lines) Of(row int) int {
	row += l.rows
	i, found := slices.BinarySearchFunc(l.runs, row, func(r lineRun, row int) int { return cmp.Compare(int(r.row), row) })
	if !found {
		i--
	}
	return int(l.runs[i].line) + row - int(l.runs[i].row) - l.skip
}

// Without returns the lines of rows without some in front, of a body without some lines in front.
func (l Lines) Without(rows, lines int) Lines {
	l.rows, l.skip = l.rows+rows, l.skip+lines
	return l
}

// Decode returns the rows of a body. Rejected lines are no error; an error is
// base.TooLarge: more than the limits of package ingest allow.
func Decode(body []byte, opts Options) (Result, error) {
	if opts.Precision == ingest.Auto {
		opts.Precision = ingest.Nanosecond
	}
	d := decoder{src: body, opts: opts, checkText: !utf8.Valid(body), padding: ingest.NewPadding()}
	if err := d.lines(); err != nil {
		return Result{}, err
	}
	result := Result{Rejected: d.rejected, Errors: d.errors}
	for _, m := range d.order {
		if m.table.Rows() == 0 {
			continue
		}
		rows, err := m.finish(opts)
		if err != nil {
			ingest.Release(result.Rows)
			return Result{}, base.Wrap(err, "table %q", m.table.Name)
		}
		result.Rows, result.Lines = append(result.Rows, rows), append(result.Lines, m.lines)
	}
	return result, nil
}

// decoder walks over the lines. A line is parsed completely into values before any
// of it reaches a column, so a rejected line leaves nothing behind but perhaps a
// column without values, which finish leaves out.
type decoder struct {
	src       []byte
	opts      Options
	checkText bool // the body is not valid UTF-8: check each line

	number   int // of the line, from 1
	rejected int
	errors   []LineError

	last   *measurement // of the previous line
	byName map[string]*measurement
	folded map[string]*measurement
	order  []*measurement

	padding *ingest.Padding

	values   []value // of the current line: the first filled ones
	filled   int
	newlines int    // in the current line's strings
	scratch  []byte // unescaped text of the current line
}

// measurement is a table in the making. tags and fields are the columns of the
// latest line in its order: the next line most often has the same, and then a
// column is found by one comparison.
type measurement struct {
	raw     []byte // its name as the latest line writes it, with escapes
	table   *ingest.Table
	columns map[string]*column // by every name that came
	folded  map[string]*column // by folded name
	lines   Lines              // of the rows
	next    int                // line, if its row goes on with the last of lines
	tags    []*column
	fields  []*column
	time    *ingest.Column
	room    int // rows that the columns have room for
}

type column struct {
	*ingest.Column
	raw  []byte // its name as the latest line writes it, with escapes
	role role
	seen int // number of the latest line that names it
}

// role is what a column's first accepted line made of it.
type role uint8

const (
	unused role = iota
	tag
	field
)

var roleNames = [...]string{tag: "tag", field: "field"}

// value is a tag's or field's value of the current line.
type value struct {
	column *column
	role   role
	kind   ingest.Kind
	flag   bool
	number uint64 // int64, uint64 or bits of a float64
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
	if len(d.errors) == MaxErrors {
		return
	}
	const limit = 256
	line = bytes.TrimRight(line, "\r\n")
	text := strings.ToValidUTF8(string(line[:min(len(line), limit)]), "\uFFFD")
	d.errors = append(d.errors, LineError{Line: d.number, Text: text, Reason: why.text, Conflict: why.conflict})
}

// skip returns where the line after the one at p begins. A string field that is not
// closed reaches to the body's end, as in InfluxDB.
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

// commit appends the parsed line to its measurement.
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

// reserve makes room for as many rows as the measurement will have if it goes on as
// it did: rows so far, within done of the body's size bytes. So columns are copied
// to grow once or twice, and end up hardly larger than they need to be. Columns that
// the latest line does not have are left alone: each of a line's columns takes at least
// four bytes of it, so what is reserved here is bounded by the body's size.
func (m *measurement) reserve(rows, size, done int) {
	const first = 64
	m.room = max(first, int(float64(rows)*float64(size)/float64(done)*1.02), rows+rows/8)
	for _, c := range m.table.Columns() {
		if c.Rows() == rows {
			c.Reserve(m.room)
		}
	}
}

// finish orders the columns - tags, fields, time - and returns the rows.
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
