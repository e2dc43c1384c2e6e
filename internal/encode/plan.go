package encode

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"
)

// planEncoder writes the result of EXPLAIN for a terminal. A plan is a drawing of many lines, which
// does not fit into a column of a table.
type planEncoder struct {
	out   *out
	plans cell
}

// isPlan reports whether a result is the output of EXPLAIN.
func isPlan(schema *arrow.Schema) bool {
	return schema.NumFields() == 2 && schema.Field(0).Name == "explain_key" && schema.Field(1).Name == "explain_value"
}

func newPlanEncoder(schema *arrow.Schema, o *out) (*planEncoder, error) {
	cells, err := newCells(schema, tableStyle)
	if err != nil {
		return nil, err
	}
	return &planEncoder{o, cells[1]}, nil
}

func (e *planEncoder) begin() error { return nil }

func (e *planEncoder) batch(rec arrow.RecordBatch) error {
	e.plans.bind(rec.Column(1))
	var plan []byte
	for i := range int(rec.NumRows()) {
		if plan = append(plan[:0], "NULL"...); !e.plans.isNull(i) {
			plan = e.plans.append(plan[:0], i)
		}
		for line := range bytes.Lines(plan) {
			e.out.buf = append(appendPrintable(e.out.buf, bytes.TrimSuffix(line, []byte("\n"))), '\n')
		}
	}
	return nil
}

func (e *planEncoder) end(tail) error { return nil }
func (e *planEncoder) fail(error)     {}
func (e *planEncoder) release()       {}
