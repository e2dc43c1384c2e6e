package stream

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest/ndjson"
)

// jsonDecoder gathers messages, each one JSON object, and decodes them together, since
// a column's type follows from all of its values.
type jsonDecoder struct {
	text     bytes.Buffer
	messages int64
}

func (d *jsonDecoder) Append(msg []byte) error {
	if object := bytes.TrimLeft(msg, " \t\r\n"); len(object) == 0 || object[0] != '{' {
		return base.Errorf(base.Invalid, "the message is no JSON object")
	}
	// Duplicate names are the decoder's to find.
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

func (d *jsonDecoder) FinishWithMessages() (arrow.RecordBatch, []int32, error) {
	defer d.Reset()
	rec, err := ndjson.Decode(d.text.Bytes(), ndjson.Options{})
	if err != nil {
		return nil, nil, err
	}
	if rec.NumRows() != d.messages {
		rec.Release()
		return nil, nil, base.Errorf(base.Internal, "%d rows of %d JSON objects", rec.NumRows(), d.messages)
	}
	return rec, nil, nil
}

// mayHaveEmpty reports whether {} is somewhere in valid JSON, also as text.
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

// withoutEmpty returns objects, in valid JSON, with null for each empty one inside of them: of which type such a one is, only others tell, and
// what becomes of it must not depend on which are in its batch.
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

func (d *jsonDecoder) Reset() {
	d.text.Reset()
	d.messages = 0
}
