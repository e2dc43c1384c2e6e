// Package ndjson decodes rows in JSON: a sequence of objects, usually one per line (NDJSON), or one
// array of objects. Each object is a row, and its members are the columns.
//
// Types, in addition to the rules of package ingest:
//   - A number without a point and an exponent is decoded as an exact integer, or is an error. All
//     other numbers, and -0, are decoded as the nearest float64, as in other JSON readers.
//   - An integer that does not fit into 64 bits becomes float64 if float64 holds it exactly.
//     Otherwise it must be sent as a string. The engine converts strings to the column's type, as
//     it does for times and all other types that JSON lacks.
//   - In a DECIMAL column, and in a column of 128-bit integers, numbers are decoded as text. They
//     may also be sent as strings. In other integer columns, 2.0 is an integer.
//   - Arrays become lists, and objects become structs. In a MAP column, an object becomes the list
//     of its entries.
//   - In a JSON or VARCHAR column, every value except a string stays JSON text.
//
// JSON is parsed strictly (RFC 8259): no comments, no trailing commas, UTF-8 only, no surrogate
// halves. A name that occurs twice in an object is an error, because either choice would lose a
// value.
package ndjson

import (
	"bytes"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	// jsontext is the JSON tokenizer that is planned for encoding/json. It is strict, knows exact
	// positions, and reads tokens without building values.
	"github.com/go-json-experiment/json/jsontext"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// Options say what the JSON decoder must know in addition to the bytes of a body. The zero value is
// valid.
type Options struct {
	// Types are the known columns of the target table, with their types.
	Types []schema.Field
	// Moments makes Decode mark text columns whose values are all dates or times in ISO 8601, so
	// that new columns of the table get such a type. Columns with a declared type are not marked.
	// The mark is in the metadata of the column's Arrow field, under the key schema.NaturalKey.
	Moments bool
}

// Decode returns the rows of a JSON body as one batch. Errors are base.Invalid or base.TooLarge,
// and have the position in the body, in bytes.
func Decode(body []byte, o Options) (arrow.RecordBatch, error) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	d := decoder{
		// The tokenizer need not look for duplicate names, for which it would build a set of names.
		// A column itself returns an error if one of its rows is set a second time.
		in:    jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true)),
		table: ingest.NewTable("", ingest.NewPadding()),
		types: ingest.Declared(o.Types, declares),
	}
	err := d.rows()
	if err != nil {
		return nil, d.located(err)
	}
	rec, err := d.table.Finish(nil)
	if err != nil || !o.Moments {
		return rec, err
	}
	return withMoments(rec, o.Types), nil
}

type decoder struct {
	in      *jsontext.Decoder
	table   *ingest.Table
	types   []schema.Field // the columns whose declared type is needed to decode their values
	members []member       // the columns of the previous row, in its order
	depth   int
	scratch []byte
}

// located returns err with the current position in the body added. It converts an error of the JSON
// tokenizer to a base.Error that names the row.
func (d *decoder) located(err error) error {
	var own *base.Error
	if errors.As(err, &own) {
		return own.At(int(d.in.InputOffset()) + 1)
	}
	row := d.table.Rows() + 1
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntax):
		where := ""
		if syntax.JSONPointer != "" {
			where = " at " + ingest.Quote([]byte(syntax.JSONPointer))
		}
		return base.Errorf(base.Invalid, "row %d%s: JSON: %w", row, where, syntax.Err).At(int(syntax.ByteOffset) + 1)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return base.Errorf(base.Invalid, "row %d: the body ends in the middle of a JSON value", row).At(int(d.in.InputOffset()) + 1)
	}
	return base.Errorf(base.Invalid, "row %d: JSON: %w", row, err).At(int(d.in.InputOffset()) + 1)
}

func (d *decoder) rows() error {
	array := d.in.PeekKind() == '['
	if array {
		if _, err := d.in.ReadToken(); err != nil {
			return err
		}
	}
	for {
		switch kind := d.in.PeekKind(); {
		case kind == '{':
			if err := d.row(); err != nil {
				return err
			}
		case kind == ']' && array:
			if _, err := d.in.ReadToken(); err != nil {
				return err
			}
			return d.end()
		default:
			_, err := d.in.ReadToken()
			switch {
			case err == io.EOF && !array:
				return nil
			case err != nil:
				return err
			}
			return base.Errorf(base.Invalid, "row %d: %s where an object is expected", d.table.Rows()+1, kindName(kind))
		}
	}
}

// end returns an error if anything follows the array of rows.
func (d *decoder) end() error {
	_, err := d.in.ReadToken()
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return base.Errorf(base.Invalid, "JSON: unexpected data after the array of rows")
}

func (d *decoder) row() error {
	if _, err := d.in.ReadToken(); err != nil { // the opening brace
		return err
	}
	row := d.table.Rows()
	for i := 0; d.in.PeekKind() != '}'; i++ {
		name, err := d.text()
		if err != nil {
			return err
		}
		c, err := d.table.Column(i, name)
		if err != nil {
			return base.Wrap(err, "row %d", row+1)
		}
		if err := d.value(c, row, d.typeOf(i, c, name)); err != nil {
			return err
		}
	}
	if _, err := d.in.ReadToken(); err != nil { // the closing brace
		return err
	}
	return d.table.Grow(1)
}

// text reads a JSON string and returns its text without quotes and escapes. The text is valid until
// the next string is read.
func (d *decoder) text() ([]byte, error) {
	raw, err := d.in.ReadValue()
	if err != nil {
		return nil, err
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	d.scratch, err = jsontext.AppendUnquote(d.scratch[:0], raw)
	return d.scratch, err
}

// value decodes the next JSON value into the given row of column c. t is the declared type of the
// column. It is nil if the value can be decoded without the type.
func (d *decoder) value(c *ingest.Column, row int, t *schema.Type) error {
	kind := d.in.PeekKind()
	if t != nil && (t.Kind == schema.JSON || t.Kind == schema.Varchar) && kind != 'n' && kind != '"' {
		return d.raw(c, row)
	}
	switch kind {
	case 'n':
		if _, err := d.in.ReadToken(); err != nil {
			return err
		}
		return c.SetNull(row)
	case 't', 'f':
		token, err := d.in.ReadToken()
		if err != nil {
			return err
		}
		return c.SetBool(row, token.Bool())
	case '"':
		text, err := d.text()
		if err != nil {
			return err
		}
		return c.SetString(row, text)
	case '0':
		raw, err := d.in.ReadValue()
		if err != nil {
			return err
		}
		return number(c, row, raw, t)
	case '[':
		return d.list(c, row, t)
	case '{':
		if t != nil && t.Kind == schema.Map {
			return d.entries(c, row, t)
		}
		return d.object(c, row, t)
	}
	// This is not the start of a value. Reading the token returns the tokenizer's error.
	if _, err := d.in.ReadToken(); err != nil {
		return err
	}
	return base.Errorf(base.Invalid, "JSON: a value is missing")
}

func (d *decoder) enter() error {
	if d.depth++; d.depth > ingest.MaxNesting {
		return base.Errorf(base.TooLarge, "row %d: values are nested deeper than %d", d.table.Rows()+1, ingest.MaxNesting)
	}
	_, err := d.in.ReadToken()
	return err
}

func (d *decoder) leave() error {
	d.depth--
	_, err := d.in.ReadToken()
	return err
}

// raw sets the given row of column c to the JSON text of the next value, which must not be a
// string. Strings are stored without this method, as their content. In a JSON column, the content
// of a string is taken as JSON text if it is valid JSON.
func (d *decoder) raw(c *ingest.Column, row int) error {
	value, err := d.in.ReadValue()
	if err != nil {
		return err
	}
	value = value.Clone()
	if err := value.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	return c.SetString(row, value)
}

// entries decodes a JSON object for a MAP column, into the given row of column c. The result is a
// list of the object's members. Each element of the list is a struct with the fields key and value.
func (d *decoder) entries(c *ingest.Column, row int, t *schema.Type) error {
	if err := d.enter(); err != nil {
		return err
	}
	element, err := c.BeginList(row)
	if err != nil {
		return err
	}
	for d.in.PeekKind() != '}' {
		name, err := d.text()
		if err != nil {
			return err
		}
		at := element.Rows()
		if err := element.BeginStruct(at); err != nil {
			return err
		}
		key, err := element.Field(0, []byte("key"))
		if err != nil {
			return err
		}
		if err := key.SetString(at, name); err != nil {
			return err
		}
		value, err := element.Field(1, []byte("value"))
		if err != nil {
			return err
		}
		if err := d.value(value, at, t.Elem); err != nil {
			return err
		}
		element.EndStruct()
	}
	if err := d.leave(); err != nil {
		return err
	}
	return c.EndList()
}

func (d *decoder) list(c *ingest.Column, row int, t *schema.Type) error {
	if err := d.enter(); err != nil {
		return err
	}
	element, err := c.BeginList(row)
	if err != nil {
		return err
	}
	var of *schema.Type
	if t != nil {
		of = t.Elem
	}
	if t != nil && t.Kind == schema.Map {
		entry := ingest.EntryOf(*t)
		of = &entry
	}
	for d.in.PeekKind() != ']' {
		if err := d.value(element, element.Rows(), of); err != nil {
			return err
		}
	}
	if err := d.leave(); err != nil {
		return err
	}
	return c.EndList()
}

func (d *decoder) object(c *ingest.Column, row int, t *schema.Type) error {
	if err := d.enter(); err != nil {
		return err
	}
	if err := c.BeginStruct(row); err != nil {
		return err
	}
	var types []schema.Field
	if t != nil {
		types = t.Fields
	}
	for i := 0; d.in.PeekKind() != '}'; i++ {
		name, err := d.text()
		if err != nil {
			return err
		}
		field, err := c.Field(i, name)
		if err != nil {
			return base.Wrap(err, "row %d", d.table.Rows()+1)
		}
		if err := d.value(field, row, ingest.TypeNamed(types, name)); err != nil {
			return err
		}
	}
	c.EndStruct()
	return d.leave()
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	}
	return "something else"
}
