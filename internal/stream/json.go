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

func (d *jsonDecoder) Reset() {
	d.text.Reset()
	d.messages = 0
}
