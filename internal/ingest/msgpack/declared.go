package msgpack

import (
	"math"
	"math/big"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

// declares reports whether a decoder of MessagePack must know the declared type k of a column. It
// must if MessagePack alone does not say enough to decode the values correctly.
func declares(k schema.Kind) bool {
	switch k {
	case schema.Map, schema.JSON, schema.Varchar, schema.HugeInt, schema.UHugeInt, schema.Decimal:
		return true
	}
	return false
}

// typeOf returns the declared type of the field with the given name. It returns nil if there is no
// such field, or if its values can be decoded without the type.
func typeOf(fields []schema.Field, name []byte) *schema.Type {
	return ifDeclared(ingest.TypeNamed(fields, name))
}

func ifDeclared(t *schema.Type) *schema.Type {
	if t != nil && ingest.HasKind(*t, declares) {
		return t
	}
	return nil
}

// elementOf returns the declared type of the elements of the list type t. For a MAP, these are its
// entries.
func elementOf(t *schema.Type) *schema.Type {
	switch {
	case t == nil:
		return nil
	case t.Kind == schema.Map:
		entry := ingest.EntryOf(*t)
		return &entry
	}
	return ifDeclared(t.Elem)
}

func fieldOf(t *schema.Type, name []byte) *schema.Type {
	if t == nil {
		return nil
	}
	return typeOf(t.Fields, name)
}

// declared decodes the next value if the declared type t needs special decoding. If not, it returns
// false, and the method value decodes it. code is the type byte of the value.
func (r *reader) declared(c *ingest.Column, row int, t *schema.Type, code byte) (taken bool, err error) {
	switch t.Kind {
	case schema.Map:
		if isMap(code) {
			return true, r.entries(c, row, t)
		}
	case schema.JSON:
		if code == codeNil || isString(code) {
			// If this method returns false, the method value decodes the NULL or string. A string
			// that is valid JSON text is stored as that JSON.
			return false, nil
		}
		return true, r.asJSON(c, row)
	case schema.Varchar:
		switch {
		case code == codeNil || isString(code) || code >= codeBin8 && code <= codeBin32:
			return false, nil
		case isInt(code) || code == codeFloat32 || code == codeFloat64:
			text, _, err := r.text(nil)
			if err != nil {
				return true, err
			}
			return true, c.SetString(row, text)
		}
		return true, r.asJSON(c, row)
	case schema.HugeInt, schema.UHugeInt, schema.Decimal:
		// Numbers of more than 64 bits are sent as text. In a column that may have such numbers,
		// all numbers are stored as text.
		if !isInt(code) && code != codeFloat32 && code != codeFloat64 {
			return false, nil
		}
		at := r.p
		text, _, err := r.text(nil)
		if err != nil {
			return true, err
		}
		if f, whole := r.whole(at, code); whole && t.Kind != schema.Decimal {
			text = big.NewFloat(f).Append(nil, 'f', 0)
		}
		return true, c.SetString(row, text)
	}
	return false, nil
}

// asJSON sets the given row of column c to the next value, as JSON text.
func (r *reader) asJSON(c *ingest.Column, row int) error {
	text, err := r.json(nil)
	if err != nil {
		return base.Wrap(err, "row %d, column %s", c.Row(row)+1, ingest.Quote([]byte(c.Name())))
	}
	return c.SetString(row, text)
}

// whole reads the floating-point number at the given position of the body, and reports whether it
// is a whole number. ok is false if the value is not a floating-point number.
func (r *reader) whole(at int, code byte) (f float64, ok bool) {
	if isInt(code) {
		return 0, false
	}
	f = floatAt(r.src[at:])
	return f, f == math.Trunc(f) && !math.IsInf(f, 0)
}

// entries decodes a map into the given row of column c, as a list of its entries. Entries are
// structs of key and value. Keys may have any type.
func (r *reader) entries(c *ingest.Column, row int, t *schema.Type) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.leave()
	n, err := r.mapHeader()
	if err != nil {
		return err
	}
	element, err := c.BeginList(row)
	if err != nil {
		return err
	}
	for range n {
		at := element.Rows()
		if err := element.BeginStruct(at); err != nil {
			return err
		}
		for i, part := range [...]struct {
			name string
			t    *schema.Type
		}{{"key", ifDeclared(t.Key)}, {"value", ifDeclared(t.Elem)}} {
			field, err := element.Field(i, []byte(part.name))
			if err != nil {
				return err
			}
			if err := r.value(field, at, part.t); err != nil {
				return err
			}
		}
		element.EndStruct()
	}
	return c.EndList()
}

// json appends the next value to b as JSON text. It returns an error if JSON cannot express the
// value.
func (r *reader) json(b []byte) ([]byte, error) {
	code, err := r.code()
	if err != nil {
		return b, err
	}
	switch {
	case code == codeNil:
		r.p++
		return append(b, "null"...), nil
	case isString(code):
		text, err := r.str()
		if err != nil {
			return b, err
		}
		quoted, err := jsontext.AppendQuote(b, text)
		if err != nil {
			return b, r.errorf("text is not valid UTF-8: %s", ingest.Quote(text))
		}
		return quoted, nil
	case code == codeFloat32 || code == codeFloat64:
		at := r.p
		text, _, err := r.text(nil)
		if err != nil {
			return b, err
		}
		if f := floatAt(r.src[at:]); math.IsNaN(f) || math.IsInf(f, 0) {
			return b, r.errorf("%s is not a number in JSON", text)
		}
		return append(b, text...), nil
	case isInt(code) || code == codeFalse || code == codeTrue:
		text, _, err := r.text(nil)
		return append(b, text...), err
	case isArray(code):
		return r.jsonList(b)
	case isMap(code):
		return r.jsonObject(b)
	}
	return b, r.errorf("%s where JSON is expected", typeName(code))
}

func (r *reader) jsonList(b []byte) ([]byte, error) {
	if err := r.enter(); err != nil {
		return b, err
	}
	defer r.leave()
	n, err := r.arrayHeader()
	if err != nil {
		return b, err
	}
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = r.json(b); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func (r *reader) jsonObject(b []byte) ([]byte, error) {
	if err := r.enter(); err != nil {
		return b, err
	}
	defer r.leave()
	n, err := r.mapHeader()
	if err != nil {
		return b, err
	}
	b = append(b, '{')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if code, err := r.code(); err == nil && !isString(code) {
			return b, r.errorf("%s as a key of JSON", typeName(code))
		}
		if b, err = r.json(b); err != nil {
			return b, err
		}
		if b, err = r.json(append(b, ':')); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}
