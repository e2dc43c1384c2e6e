package server

import (
	"bytes"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// noTables is a store without tables.
type noTables struct{ Store }

func (noTables) Lookup(string, string, string) (schema.Table, error) {
	return schema.Table{}, base.Errorf(base.NotFound, "no table")
}

// TestRowsAreCountedBeforeTheyAreDecoded checks that memory is reserved for rows before they are
// decoded. A few bytes of Parquet or compressed Arrow may contain any number of rows.
func TestRowsAreCountedBeforeTheyAreDecoded(t *testing.T) {
	const rows, size = 100_000, 8 * 100_000
	builder := array.NewInt64Builder(memory.DefaultAllocator)
	builder.AppendEmptyValues(rows)
	column := builder.NewArray()
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{column}, rows)
	var inParquet, inArrow bytes.Buffer
	table := array.NewTableFromRecords(rec.Schema(), []arrow.RecordBatch{rec})
	if err := pqarrow.WriteTable(table, &inParquet, rows, nil, pqarrow.DefaultWriterProps()); err != nil {
		t.Fatal(err)
	}
	w := ipc.NewWriter(&inArrow, ipc.WithSchema(rec.Schema()), ipc.WithZstd())
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := &Server{settings: config.Default(), memory: memoryOf(2<<20, 4<<20), store: noTables{}}
	s.settings.MaxBody = 1 << 20
	s.budget = newBudget(s.memory, func() error { return nil })
	s.budget.waiting = time.Millisecond
	for contentType, text := range map[string][]byte{"application/vnd.apache.parquet": inParquet.Bytes(), "application/vnd.apache.arrow.stream": inArrow.Bytes()} {
		for _, busy := range []bool{true, false} {
			// The rest is not enough for the body and its rows.
			others := s.budget.memory.Limit() - size
			if !busy {
				others -= size / 4
			}
			if err := s.budget.reserve(t.Context(), 0, others); err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("POST", "/", bytes.NewReader(text))
			r.Header.Set("Content-Type", contentType)
			b, err := s.readBody(httptest.NewRecorder(), r, s.budget, nil)
			if err != nil {
				t.Fatal(err)
			}
			batches, err := s.decodeTable(r, engine.TableName{}, b)
			if busy != (base.KindOf(err) == base.Unavailable) || !busy && err != nil {
				t.Errorf("%s of %d bytes, busy %v: %v", contentType, len(text), busy, err)
			}
			if err == nil {
				if n := s.budget.memory.Used() - others; n < size || n > size*5/4 {
					t.Errorf("%s: %d rows hold %d bytes when they are decoded", contentType, rows, n)
				}
				if err := b.reserveDecoded(t.Context(), batches...); err != nil {
					t.Error(err)
				}
				if n := s.budget.memory.Used() - others; n < size || n > size*5/4 {
					t.Errorf("%s: %d rows hold %d bytes", contentType, rows, n)
				}
			}
			b.Close()
			if n := s.budget.memory.Used(); n != others {
				t.Errorf("%d bytes are left", n-others)
			}
			s.budget.memory.Release(others)
		}
	}
}
