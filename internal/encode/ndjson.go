package encode

import "github.com/apache/arrow-go/v18/arrow"

// ndjsonEncoder writes each row as a JSON object on a line of its own. Repeated column names get a
// suffix, see uniqueNames.
type ndjsonEncoder struct {
	out   *out
	cells []cell
	// prefixes are the texts before the values of a row: `{"a":`, `,"b":` and so on.
	prefixes []string
}

func newNDJSONEncoder(schema *arrow.Schema, o *out) (*ndjsonEncoder, error) {
	cells, err := newCells(schema, jsonStyle)
	e := &ndjsonEncoder{out: o, cells: cells}
	for i, name := range uniqueNames(schema) {
		before := byte(',')
		if i == 0 {
			before = '{'
		}
		e.prefixes = append(e.prefixes, string(append(appendJSONString([]byte{before}, []byte(name)), ':')))
	}
	return e, err
}

func (e *ndjsonEncoder) begin() error { return nil }

func (e *ndjsonEncoder) batch(rec arrow.RecordBatch) error {
	for j, c := range e.cells {
		c.bind(rec.Column(j))
	}
	return e.out.rows(int(rec.NumRows()), func(b []byte, i int) []byte {
		if len(e.cells) == 0 {
			b = append(b, '{')
		}
		for j, c := range e.cells {
			b = append(b, e.prefixes[j]...)
			b = c.append(b, i)
		}
		return append(b, '}', '\n')
	})
}

func (e *ndjsonEncoder) end(tail) error { return nil }

func (e *ndjsonEncoder) fail(err error) {
	b := append(e.out.buf, `{"$error":`...)
	e.out.buf = append(appendError(b, err), '}', '\n')
}

func (e *ndjsonEncoder) release() {}
