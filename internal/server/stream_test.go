package server

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/mutate"
	"github.com/scoterdb/scoter/internal/session"
)

// TestAChangeIsAnsweredAsMadeWhenItsTimeIsOver between commit and answer.
func TestAChangeIsAnsweredAsMadeWhenItsTimeIsOver(t *testing.T) {
	s := &Server{metrics: newMetrics()}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	options := encode.Options{Elapsed: func() time.Duration { return 0 }}
	for _, changes := range []bool{true, false} {
		w := httptest.NewRecorder()
		answer := &session.Answer{Rows: newNumbers(42), Verb: "INSERT", Changes: changes, Counts: mutate.Counts{Inserted: 1}}
		err := s.stream(over, w, answer, encode.NDJSON, options)
		if !changes {
			if base.KindOf(err) != base.Canceled {
				t.Errorf("a query whose time is over: %v", err)
			}
			continue
		}
		if err != nil || w.Code != 200 || strings.TrimSpace(w.Body.String()) != `{"a":42}` || w.Header().Get("Scoter-Inserted") != "1" {
			t.Errorf("%v %d %s %v", err, w.Code, w.Body, w.Header())
		}
	}
}

// numbers is a result of one column and one batch; it heeds its context as results of DuckDB do.
type numbers struct{ rest []arrow.RecordBatch }

func newNumbers(n int64) *numbers {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.Append(n)
	return &numbers{[]arrow.RecordBatch{array.NewRecordBatch(new(numbers).Schema(), []arrow.Array{b.NewArray()}, 1)}}
}

func (r *numbers) Schema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
}

func (r *numbers) Next(ctx context.Context) (arrow.RecordBatch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(r.rest) == 0 {
		return nil, io.EOF
	}
	rec := r.rest[0]
	r.rest = r.rest[1:]
	return rec, nil
}

func (r *numbers) Close() {}
