package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/encode"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/metrics"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/spool"
)

// TestAChangeIsAnsweredAsMadeWhenItsTimeIsOver checks the response to a change whose time runs out
// between the commit and the response.
func TestAChangeIsAnsweredAsMadeWhenItsTimeIsOver(t *testing.T) {
	s := &Server{metrics: metrics.New(metrics.Watched{}, slog.New(slog.DiscardHandler))}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	options := encode.Options{Elapsed: func() time.Duration { return 0 }}
	for _, changes := range []bool{true, false} {
		w := httptest.NewRecorder()
		answer := &session.Answer{Rows: newNumbers(42), Verb: "INSERT", Changes: changes, Counts: engine.Counts{Inserted: 1}}
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

// TestAResultThatBreaksOffIsIncomplete checks, for every format, that a client can detect a result
// that ends early. Formats that can express an error must do so.
func TestAResultThatBreaksOffIsIncomplete(t *testing.T) {
	s := &Server{metrics: metrics.New(metrics.Watched{}, slog.New(slog.DiscardHandler)), log: slog.New(slog.DiscardHandler)}
	handler := compress()(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		format, err := encode.FormatNamed(r.URL.Query().Get("format"))
		if err == nil {
			err = s.stream(r.Context(), w, &session.Answer{Rows: newBreaking(80)}, format, encode.Options{})
		}
		t.Errorf("%s ends as if it were whole: %v", r.URL, err)
	}))
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(handler)
		server.EnableHTTP2 = http2
		server.StartTLS()
		defer server.Close()
		for _, format := range []encode.Format{encode.JSON, encode.NDJSON, encode.CSV, encode.Arrow, encode.Parquet, encode.MessagePack} {
			for _, packing := range []string{"identity", "gzip"} {
				req, err := http.NewRequest("POST", server.URL+"?format="+format.String(), nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Accept-Encoding", packing)
				resp, err := server.Client().Do(req)
				if err != nil {
					t.Errorf("%s, %s: %v", format, packing, err)
					continue
				}
				text, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err == nil || resp.StatusCode != 200 || (resp.ProtoMajor == 2) != http2 {
					t.Errorf("%s, %s: status %d of %s ends after %d bytes as if it were whole", format, packing, resp.StatusCode, resp.Proto, len(text))
				}
				if resp.Header.Get("Content-Encoding") == "gzip" {
					r, err := gzip.NewReader(bytes.NewReader(text))
					if err != nil {
						t.Fatal(err)
					}
					if text, err = io.ReadAll(r); err == nil {
						t.Errorf("%s: what is packed ends as if it were whole", format)
					}
				}
				says := format == encode.JSON || format == encode.NDJSON || format == encode.MessagePack
				if bytes.Contains(text, []byte("no further")) != says || format == encode.JSON && !json.Valid(text) {
					t.Errorf("%s, %s: ... %q", format, packing, text[max(0, len(text)-100):])
				}
			}
		}
	}
}

// TestAQueryEndsBeforeItsSlowReader checks that a result whose reader takes nothing for a second is
// spooled, up to a maximum size.
func TestAQueryEndsBeforeItsSlowReader(t *testing.T) {
	const batches = 400
	// space is the space for all results. Each result may use an eighth of it.
	for _, space := range []int64{8 << 20, 800 << 20} {
		synctest.Test(t, func(t *testing.T) {
			s := &Server{metrics: metrics.New(metrics.Watched{}, slog.New(slog.DiscardHandler)), log: slog.New(slog.DiscardHandler), results: spool.NewSpace(t.TempDir(), space)}
			client, conn := net.Pipe()
			defer client.Close()
			defer conn.Close()
			rows, ended := newBreaking(batches), make(chan struct{})
			go func() {
				defer close(ended)
				// The panic is http.ErrAbortHandler, because the result ends early.
				defer func() { _ = recover() }()
				_ = s.stream(t.Context(), connection{httptest.NewRecorder(), conn}, &session.Answer{Rows: rows}, encode.NDJSON, encode.Options{})
			}()
			time.Sleep(2 * time.Second)
			spooled := s.results.Used()
			if whole := space > 100<<20; whole != (rows.left == 0) || spooled == 0 || spooled > space {
				t.Errorf("%d bytes are kept, %d batches are left", spooled, rows.left)
			}
			time.Sleep(resultPause - 3*time.Second)
			var text bytes.Buffer
			go func() { <-ended; conn.Close() }()
			if _, err := io.Copy(&text, client); err != nil {
				t.Error(err)
			}
			lines := strings.Count(text.String(), "\n")
			want, reason := (batches-rows.left)*2048, "too slowly"
			if rows.left == 0 {
				reason = "no further"
			}
			if last := text.String()[max(0, text.Len()-300):]; lines < want || lines > want+2 || !strings.Contains(last, reason) {
				t.Errorf("%d lines of %d come, and at last %q", lines, want, last)
			}
			if n := s.results.Used(); n != 0 {
				t.Errorf("%d bytes are left", n)
			}
		})
	}
}

// breaking is a result that ends with an error.
type breaking struct {
	numbers
	random *rand.Rand
	left   int // the number of batches left
}

func newBreaking(batches int) *breaking {
	return &breaking{random: rand.New(rand.NewPCG(1, 2)), left: batches}
}

func (r *breaking) Next(context.Context) (arrow.RecordBatch, error) {
	if r.left == 0 {
		return nil, base.Errorf(base.Invalid, "no further")
	}
	r.left--
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for range 2048 {
		b.Append(r.random.Int64())
	}
	return array.NewRecordBatch(r.Schema(), []arrow.Array{b.NewArray()}, 2048), nil
}

// numbers is a result of one column and one batch. It ends when its context ends, as results of
// DuckDB do.
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
