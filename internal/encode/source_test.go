package encode

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// sliceInput returns batches from memory, and then err, or io.EOF if err is nil.
type sliceInput struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	err     error
}

func newInput(batches ...arrow.RecordBatch) *sliceInput {
	return &sliceInput{schema: batches[0].Schema(), batches: batches}
}

func (s *sliceInput) Schema() *arrow.Schema { return s.schema }

func (s *sliceInput) Next(context.Context) (arrow.RecordBatch, error) {
	if len(s.batches) == 0 {
		if s.err != nil {
			return nil, s.err
		}
		return nil, io.EOF
	}
	rec := s.batches[0]
	s.batches = s.batches[1:]
	rec.Retain()
	return rec, nil
}

// arrayOf parses an array from JSON.
func arrayOf(t testing.TB, dt arrow.DataType, text string) arrow.Array {
	t.Helper()
	arr, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(text))
	if err != nil {
		t.Fatalf("array of %s from %s: %v", dt, text, err)
	}
	return arr
}

// batchOf makes a batch of fields and arrays.
func batchOf(fields []arrow.Field, columns ...arrow.Array) arrow.RecordBatch {
	rows := int64(0)
	if len(columns) > 0 {
		rows = int64(columns[0].Len())
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rows)
}

// oneColumn makes a batch of one column named v.
func oneColumn(arr arrow.Array) arrow.RecordBatch {
	return batchOf([]arrow.Field{{Name: "v", Type: arr.DataType(), Nullable: true}}, arr)
}

// written encodes batches and returns the bytes.
func written(t testing.TB, f Format, opt Options, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	stats, err := Write(context.Background(), &b, f, newInput(batches...), opt)
	if err != nil {
		t.Fatalf("write %s: %v", f, err)
	}
	if stats.Bytes != int64(b.Len()) {
		t.Fatalf("stats say %d bytes, written were %d", stats.Bytes, b.Len())
	}
	return b.Bytes()
}
