// Package csv decodes comma-separated values: a header line with the column names, then one line
// per row (RFC 4180).
//
// Lines end with LF or CR LF. A CR that does not end a line must be in quotes. This detects files
// whose lines end with CR alone, which would otherwise be read as a single line. A quoted value may
// contain delimiters and line ends, which are preserved, and doubled quotes. Blank lines are
// skipped, but in a body with a single column a blank line is a value.
//
// An unquoted value equal to the null text is NULL. A quoted value is never NULL.
//
// A column has the requested type. Without one, its type is inferred from all its values:
//   - int64, uint64, float64 or boolean (true, false)
//   - date32
//   - timestamp[us] with zone UTC if every value has a zone, and timestamp[us] or [ns] without
//     zone if no value has one
//   - utf8 otherwise
//
// A type is inferred only if no information is lost. So 007, +1 and numbers of more than 17 digits
// with a point are text, and so are all mixes except integers with floating-point numbers.
package csv

import (
	"bytes"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// Options are the options of Decode. In the zero value, the delimiter is a comma, the quote is ",
// and the null text is empty.
type Options struct {
	Delimiter byte   // Delimiter is the byte between two values; 0 means a comma.
	Quote     byte   // Quote is the byte around quoted values; 0 means a double quote.
	NullText  string // NullText is the text that means NULL if it is not in quotes.

	// Types are the known types of columns, usually those of the target table. The key is the
	// column's name as schema.Fold returns it (in lower case).
	//
	// Integers, float32, float64, bool, utf8, date32 and timestamps are decoded as such, and any
	// value that does not fit is an error. A timestamp without a zone is in UTC. In two cases the
	// column becomes utf8: if its type is another one, or if it has a value that the engine may be
	// able to convert, such as 2.0 for an integer or a value for a wider type. The types of all
	// other columns are inferred from their values.
	Types map[string]arrow.DataType
}

// Decode returns the rows of a CSV body. Errors are base.Invalid or base.TooLarge, and name the
// line.
func Decode(body []byte, opts Options) (arrow.RecordBatch, error) {
	if opts.Delimiter == 0 {
		opts.Delimiter = ','
	}
	if opts.Quote == 0 {
		opts.Quote = '"'
	}
	if opts.Delimiter == opts.Quote || bytes.IndexByte([]byte{opts.Delimiter, opts.Quote}, '\n') >= 0 ||
		bytes.IndexByte([]byte{opts.Delimiter, opts.Quote}, '\r') >= 0 || opts.Delimiter >= utf8.RuneSelf || opts.Quote >= utf8.RuneSelf {
		return nil, base.Errorf(base.Invalid, "CSV with delimiter %q and quote %q: they must be different ASCII characters, not line ends", opts.Delimiter, opts.Quote)
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	d := decoder{body: body, opts: opts, checkText: !utf8.Valid(body)}
	if err := d.header(); err != nil {
		return nil, err
	}
	types, err := d.infer()
	if err != nil {
		return nil, err
	}
	rec, err := d.build(types)
	if rec == nil && err == nil {
		rec, err = d.build(types)
	}
	return rec, err
}

type decoder struct {
	body []byte
	opts Options
	// checkText says that the body is not valid UTF-8, so that each value must be checked.
	checkText bool
	names     []string
}

// header reads the header line of the body, which has the names of the columns.
func (d *decoder) header() error {
	s := newScanner(d.body, d.opts)
	fields, err := s.record(false)
	switch {
	case err != nil:
		return err
	case fields == nil:
		return base.Errorf(base.Invalid, "CSV without a header line")
	}
	seen := make(map[string]bool)
	for _, f := range fields {
		name := string(f.text)
		if err := ingest.CheckName("column", name); err != nil {
			return base.Wrap(err, "line %d, value %d", s.line, len(d.names)+1)
		}
		if seen[name] {
			return base.Errorf(base.Invalid, "line %d: column %q is given twice", s.line, name)
		}
		seen[name] = true
		d.names = append(d.names, name)
	}
	return nil
}

// each calls f for every row after the header, with the row's number, its line number and its
// values.
func (d *decoder) each(f func(row, line int, fields []field) error) error {
	s := newScanner(d.body, d.opts)
	if _, err := s.record(false); err != nil {
		return err
	}
	for row := 0; ; row++ {
		fields, err := s.record(len(d.names) == 1)
		if err != nil || fields == nil {
			return err
		}
		if len(fields) != len(d.names) {
			return base.Errorf(base.Invalid, "line %d: %d values where the header names %d columns", s.line, len(fields), len(d.names))
		}
		if d.checkText {
			for i, v := range fields {
				if !utf8.Valid(v.text) {
					return base.Errorf(base.Invalid, "row %d (line %d), column %q: text is not valid UTF-8: %s", row+1, s.line, d.names[i], ingest.Quote(v.text))
				}
			}
		}
		if err := f(row, s.line, fields); err != nil {
			return err
		}
	}
}

func (d *decoder) isNull(f field) bool { return !f.quoted && string(f.text) == d.opts.NullText }

// infer returns the type of each column: the known type, or else the type that follows from the
// values. It reads the body once, unless all types are known.
func (d *decoder) infer() ([]arrow.DataType, error) {
	types := make([]arrow.DataType, len(d.names))
	unknown := false
	for i, name := range d.names {
		if t := d.opts.Types[schema.Fold(name)]; t != nil && t.ID() != arrow.NULL {
			types[i] = t
		}
		unknown = unknown || types[i] == nil
	}
	if !unknown {
		return types, nil
	}
	found := make([]inference, len(d.names))
	err := d.each(func(_, _ int, fields []field) error {
		for i, f := range fields {
			if types[i] == nil && !d.isNull(f) {
				found[i].add(f.text)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range types {
		if types[i] == nil {
			types[i] = found[i].dataType()
		}
	}
	return types, nil
}

// build decodes the body into columns of the given types. If the engine must convert a value of a
// column, all values of the column must be text. Then build sets the column's element of types to
// text, and returns nil without an error. The caller then calls build again.
func (d *decoder) build(types []arrow.DataType) (arrow.RecordBatch, error) {
	strings := ingest.NewTable("", ingest.NewPadding())
	columns := make([]*appender, len(types))
	defer func() {
		for _, c := range columns {
			if c != nil && c.builder != nil {
				c.builder.Release()
			}
		}
	}()
	for i, t := range types {
		var err error
		columns[i], err = newAppender(t, func() (*ingest.Column, error) {
			return strings.Column(i, []byte(d.names[i]))
		})
		if err != nil {
			return nil, err
		}
	}
	again := false
	err := d.each(func(row, line int, fields []field) error {
		for i, f := range fields {
			if err := d.append(columns[i], row, f); err != nil {
				return err
			}
			if c := columns[i]; c.parse == nil || c.refused || c.builder.Len() == row+1 {
				continue
			}
			if d.opts.Types[schema.Fold(d.names[i])] == types[i] && readable(f.text, types[i]) {
				columns[i].refused, again = true, true
				continue
			}
			return base.Errorf(base.Invalid, "row %d (line %d), column %q: %s is not a value of type %s", row+1, line, d.names[i], ingest.Quote(f.text), sqlName(types[i]))
		}
		return strings.Grow(1)
	})
	if err != nil {
		return nil, err
	}
	if again {
		for i, c := range columns {
			if c.refused {
				types[i] = arrow.BinaryTypes.String
			}
		}
		return nil, nil
	}
	return d.assemble(columns, strings)
}

// append appends the value f to its column. If the text is not a value of the column's type, it
// adds no row to the column's builder. The caller notices that by the builder's number of rows.
func (d *decoder) append(c *appender, row int, f field) error {
	switch null := d.isNull(f); {
	case c.strings != nil && null:
		return c.strings.SetNull(row)
	case c.strings != nil:
		return c.strings.SetString(row, f.text)
	case c.refused:
	case null:
		c.builder.AppendNull()
	default:
		c.parse(f.text)
	}
	return nil
}

// assemble makes one batch of the columns that builders made and of the columns of text.
func (d *decoder) assemble(columns []*appender, strings *ingest.Table) (arrow.RecordBatch, error) {
	texts, err := strings.Finish(nil)
	if err != nil {
		return nil, err
	}
	defer texts.Release()
	fields := make([]arrow.Field, len(columns))
	arrays := make([]arrow.Array, len(columns))
	next := 0
	for i, c := range columns {
		if c.builder != nil {
			arrays[i] = c.builder.NewArray()
		} else {
			arrays[i] = texts.Column(next)
			arrays[i].Retain()
			next++
		}
		fields[i] = arrow.Field{Name: d.names[i], Type: arrays[i].DataType(), Nullable: true}
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(strings.Rows()))
	for _, a := range arrays {
		a.Release()
	}
	return batch, nil
}

// sqlName returns the SQL name of an Arrow type, for error messages.
func sqlName(dt arrow.DataType) string {
	if t, err := schema.FromArrow(dt, arrow.Metadata{}); err == nil {
		return t.String()
	}
	return dt.String()
}
