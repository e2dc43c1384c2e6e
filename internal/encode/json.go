package encode

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// jsonEncoder writes one document:
//
//	{"columns":[{"name":"a","type":"BIGINT"}],
//	"rows":[
//	[1],
//	[2]],
//	"row_count":2,"rows_read":10,"elapsed_ms":1.234}
//
// "truncated":true follows row_count if MaxRows cut the result. If the result ended early, "error"
// replaces everything after the rows.
type jsonEncoder struct {
	out    *out
	schema *arrow.Schema
	cells  []cell
	rows   bool // whether a row was written
}

func newJSONEncoder(schema *arrow.Schema, o *out) (*jsonEncoder, error) {
	cells, err := newCells(schema, jsonStyle)
	return &jsonEncoder{out: o, schema: schema, cells: cells}, err
}

func (e *jsonEncoder) begin() error {
	b := append(e.out.buf, `{"columns":[`...)
	for i, f := range e.schema.Fields() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSONString(append(b, `{"name":`...), []byte(f.Name))
		b = appendJSONString(append(b, `,"type":`...), []byte(typeName(f)))
		b = append(b, '}')
	}
	e.out.buf = append(b, "],\n\"rows\":["...)
	return nil
}

func (e *jsonEncoder) batch(rec arrow.RecordBatch) error {
	for j, c := range e.cells {
		c.bind(rec.Column(j))
	}
	return e.out.rows(int(rec.NumRows()), func(b []byte, i int) []byte {
		if e.rows {
			b = append(b, ',')
		}
		e.rows = true
		b = append(b, '\n', '[')
		for j, c := range e.cells {
			if j > 0 {
				b = append(b, ',')
			}
			b = c.append(b, i)
		}
		return append(b, ']')
	})
}

func (e *jsonEncoder) end(t tail) error {
	b := append(e.out.buf, "],\n\"row_count\":"...)
	b = strconv.AppendInt(b, t.rows, 10)
	if t.truncated {
		b = append(b, `,"truncated":true`...)
	}
	if t.rowsRead >= 0 {
		b = strconv.AppendInt(append(b, `,"rows_read":`...), t.rowsRead, 10)
	}
	if t.timed {
		b = append(b, `,"elapsed_ms":`...)
		b = strconv.AppendFloat(b, milliseconds(t), 'f', 3, 64)
	}
	e.out.buf = append(b, '}', '\n')
	return nil
}

// milliseconds returns the elapsed time of a result in milliseconds.
func milliseconds(t tail) float64 { return float64(t.elapsed.Microseconds()) / 1000 }

func (e *jsonEncoder) fail(err error) {
	b := append(e.out.buf, "],\n\"error\":"...)
	e.out.buf = append(appendError(b, err), '}', '\n')
}

func (e *jsonEncoder) release() {}

// appendError appends an error as a JSON object, with the members that HTTP error responses have.
func appendError(dst []byte, err error) []byte {
	kind, message, hint := describe(err)
	dst = appendJSONString(append(dst, `{"kind":`...), []byte(kind))
	dst = appendJSONString(append(dst, `,"message":`...), []byte(message))
	if hint != "" {
		dst = appendJSONString(append(dst, `,"hint":`...), []byte(hint))
	}
	return append(dst, '}')
}

// describe returns the parts of an error that clients see.
func describe(err error) (kind, message, hint string) {
	wrapped := base.Wrap(err, "result ends early").(*base.Error)
	return wrapped.Kind.String(), wrapped.Message, wrapped.Hint
}
