package ndjson

import (
	"bytes"
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/ingest/framing"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/option"
	"github.com/scoterdb/scoter/internal/schema"
)

// opened is the format JSON with the options of one source's FORMAT clause. It makes the decoders
// of the source's messages.
type opened struct {
	framing.Framing
	// types are the columns that the option types declares. The decoded rows have these columns
	// even if no message has them.
	types []schema.Field
	keys  bool // whether the messages are the keys of Kafka records
}

func openMessages(o wire.MessageOptions) (wire.Messages, error) {
	m := opened{keys: o.Keys, Framing: framing.ReadFraming(o.Set, false)}
	m.types = option.Parsed(o.Set, "types", nil, parseTypes)
	if m.keys && len(m.types) > 0 {
		m.types = []schema.Field{{Name: wire.KeyColumn, Type: schema.StructOf(m.types...)}}
	}
	return m, o.End()
}

// parseTypes parses the value of the option types: a list of columns and their types, written as in
// CREATE TABLE.
func parseTypes(text string) ([]schema.Field, error) {
	all, err := schema.Parse("STRUCT(" + text + ")")
	if err != nil {
		return nil, err
	}
	if all.Kind != schema.Struct {
		return nil, base.Errorf(base.Invalid, "write it as the columns of a table: id BIGINT, tags VARCHAR[]")
	}
	return all.Fields, nil
}

func (opened) Known() bool { return false }

// Split splits the value of a record into a key, which identifies the schema, and the message. The
// key is always empty, because JSON is decoded without a schema.
func (m opened) Split(value []byte) (key, msg []byte, err error) {
	_, msg, err = m.Framing.Split(value)
	return nil, msg, err
}

func (m opened) Decoders(context.Context, []byte, [][]wire.Column) ([]wire.MessageDecoder, error) {
	d := &messageDecoder{types: m.types}
	if m.keys {
		return []wire.MessageDecoder{keyDecoder{d}}, nil
	}
	return []wire.MessageDecoder{d}, nil
}

// messageDecoder collects the messages of a batch, and then decodes all of them together. Each
// message is one JSON object. The type of a column is inferred from all values of the batch.
type messageDecoder struct {
	text     bytes.Buffer // the messages, each followed by a line end
	messages int64
	types    []schema.Field // the columns that the option types declares
}

// keyDecoder decodes keys that are JSON values of any kind, not only objects.
type keyDecoder struct{ *messageDecoder }

func (d keyDecoder) Append(key []byte) error {
	if !jsontext.Value(key).IsValid(jsontext.AllowDuplicateNames(true)) {
		return base.Errorf(base.Invalid, "it is not JSON")
	}
	return d.messageDecoder.Append([]byte(`{"` + wire.KeyColumn + `":` + string(key) + `}`))
}

func (d *messageDecoder) Append(msg []byte) error {
	if object := bytes.TrimLeft(msg, " \t\r\n"); len(object) == 0 || object[0] != '{' {
		return base.Errorf(base.Invalid, "the message is not a JSON object")
	}
	// Do not check for duplicate names here. Decode reports them later.
	if !jsontext.Value(msg).IsValid(jsontext.AllowDuplicateNames(true)) {
		in := jsontext.NewDecoder(bytes.NewReader(msg), jsontext.AllowDuplicateNames(true))
		_, err := in.ReadValue()
		if err == nil {
			_, err = in.ReadToken()
		}
		return base.Errorf(base.Invalid, "JSON: %w", err)
	}
	if mayHaveEmpty(msg) {
		msg = withoutEmpty(msg)
	}
	d.text.Write(msg)
	d.text.WriteByte('\n')
	d.messages++
	return nil
}

func (d *messageDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	defer d.Reset()
	rec, err := Decode(d.text.Bytes(), Options{Types: d.types})
	if err != nil {
		return nil, nil, err
	}
	if len(d.types) > 0 && rec.NumRows() > 0 {
		plain := rec
		rec, err = withTypes(plain, d.types)
		plain.Release()
		if err != nil {
			return nil, nil, err
		}
	}
	if rec.NumRows() != d.messages {
		rec.Release()
		return nil, nil, base.Errorf(base.Internal, "%d rows of %d JSON objects", rec.NumRows(), d.messages)
	}
	return rec, nil, nil
}

// withTypes returns rec with the columns in types converted to their declared types. If rec lacks
// such a column, withTypes adds it, filled with NULL.
func withTypes(rec arrow.RecordBatch, types []schema.Field) (arrow.RecordBatch, error) {
	fields, columns := slices.Clone(rec.Schema().Fields()), slices.Clone(rec.Columns())
	for _, t := range types {
		at := slices.IndexFunc(fields, func(f arrow.Field) bool { return schema.Fold(f.Name) == schema.Fold(t.Name) })
		if at < 0 {
			at = len(fields)
			fields, columns = append(fields, arrow.Field{Name: t.Name, Nullable: true}), append(columns, array.NewNull(int(rec.NumRows())))
		}
		typed, err := batch.Convert(columns[at], t.Type)
		if err != nil {
			return nil, base.Wrap(err, "column %q of the declared type %s", t.Name, t.Type)
		}
		defer typed.Release()
		columns[at], fields[at].Type = typed, typed.DataType()
	}
	md := rec.Schema().Metadata()
	return array.NewRecordBatch(arrow.NewSchema(fields, &md), columns, rec.NumRows()), nil
}

// mayHaveEmpty reports whether a valid JSON text may contain an empty object. It also returns true
// if the text only contains {} inside a string.
func mayHaveEmpty(text []byte) bool {
	for {
		end := bytes.IndexByte(text, '}')
		if end < 0 {
			return false
		}
		if before := bytes.TrimRight(text[:end], " \t\r\n"); len(before) > 0 && before[len(before)-1] == '{' {
			return true
		}
		text = text[end+1:]
	}
}

// withoutEmpty returns a valid JSON text with each empty object inside its top-level objects
// replaced by null. An empty object does not tell which fields a struct has. The decoder could only
// take the fields from other messages, and then the result would depend on which messages are in
// the same batch.
func withoutEmpty(text []byte) (out []byte) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			out = append(out, c)
			i++
			c = text[i]
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '}':
			depth--
		case c == '{':
			rest := bytes.TrimLeft(text[i+1:], " \t\r\n")
			if depth > 0 && rest[0] == '}' {
				out = append(out, "null"...)
				i = len(text) - len(rest)
				continue
			}
			depth++
		}
		out = append(out, c)
	}
	return out
}

func (d *messageDecoder) Reset() {
	d.text.Reset()
	d.messages = 0
}
