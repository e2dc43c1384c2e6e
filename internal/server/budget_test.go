package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/schema"
)

func TestTheGateAdmitsInOrderAndGivesUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failing error
		g := newBudget(memoryOf(10, 0), func() error { return failing })
		if err := g.reserve(t.Context(), 0, 8); err != nil {
			t.Fatal(err)
		}
		if err := g.reserve(t.Context(), 0, 3); base.KindOf(err) != base.Unavailable {
			t.Error(err)
		}
		failing = base.Errorf(base.StorageFull, "the disk is full")
		if err := g.reserve(t.Context(), 0, 3); base.KindOf(err) != base.StorageFull {
			t.Error(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := g.reserve(gone, 0, 3); base.KindOf(err) != base.Canceled {
			t.Error(err)
		}
		admitted := make(chan error)
		go func() { admitted <- g.reserve(t.Context(), 0, 10) }()
		synctest.Wait()
		g.memory.Release(8)
		if err := <-admitted; err != nil {
			t.Error(err)
		}
		g.memory.Release(10)
		if g.memory.Used() != 0 {
			t.Errorf("%d bytes are left", g.memory.Used())
		}
	})
}

// TestRequestsThatWaitForTablesHoldAHalf checks that requests that wait for locked tables hold at
// most half of the gate's memory, except for a single larger request.
func TestRequestsThatWaitForTablesHoldAHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newBudget(memoryOf(16, 0), func() error { return nil })
		large, err := g.beginTableWait(t.Context(), 14)
		if err != nil || !g.tableWaitsFull() {
			t.Fatalf("%v, crowded: %v", err, g.tableWaitsFull())
		}
		began := time.Now()
		_, err = g.beginTableWait(t.Context(), 1)
		if took := time.Since(began); base.KindOf(err) != base.Unavailable || took != tableWaitTimeout {
			t.Errorf("beside it: %v after %v", err, took)
		}
		large()
		small, err := g.beginTableWait(t.Context(), 3)
		if err != nil || g.tableWaitsFull() {
			t.Errorf("%v, crowded: %v", err, g.tableWaitsFull())
		}
		waited := make(chan error)
		go func() {
			over, err := g.beginTableWait(t.Context(), 6)
			if err == nil {
				over()
			}
			waited <- err
		}()
		time.Sleep(tableWaitTimeout / 2)
		small()
		if err := <-waited; err != nil {
			t.Errorf("one that fits a moment later: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		over, err := g.beginTableWait(t.Context(), 8)
		if err != nil {
			t.Fatal(err)
		}
		defer over()
		if _, err := g.beginTableWait(gone, 1); base.KindOf(err) != base.Canceled {
			t.Errorf("of a client that is gone: %v", err)
		}
	})
}

// TestNobodyWaitsInACircle checks that requests that hold memory and need more are served before
// requests that hold none. A request is refused at once if only requests that wait for its own
// memory could release what it needs.
func TestNobodyWaitsInACircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newBudget(memoryOf(10, 0), func() error { return nil })
		for _, n := range []int64{4, 4, 2} {
			if err := g.reserve(t.Context(), 0, n); err != nil {
				t.Fatal(err)
			}
		}
		newcomer, first := make(chan error, 1), make(chan error, 1)
		go func() { newcomer <- g.reserve(t.Context(), 0, 1) }()
		synctest.Wait()
		// Another request holds 2 bytes and will release them.
		go func() { first <- g.reserve(t.Context(), 4, 3) }()
		synctest.Wait()
		began := time.Now()
		if err := g.reserve(t.Context(), 4, 3); base.KindOf(err) != base.Unavailable || time.Since(began) != 0 {
			t.Errorf("who needs what the first holds, which needs what this one holds: %v after %v", err, time.Since(began))
		}
		second := make(chan error, 1)
		go func() { second <- g.reserve(t.Context(), 4, 2) }()
		synctest.Wait()
		g.memory.Release(2)
		synctest.Wait()
		if len(first) != 0 || len(second) != 1 || len(newcomer) != 0 {
			t.Errorf("served: %d, %d, %d", len(first), len(second), len(newcomer))
		}
		g.memory.Release(6)
		synctest.Wait()
		if len(first) != 1 || len(newcomer) != 1 || g.memory.Used() != 8 {
			t.Errorf("served: %d, %d; %d bytes are used", len(first), len(newcomer), g.memory.Used())
		}
		for _, err := range []error{<-first, <-second, <-newcomer} {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func TestABodyGivesBackAllItTook(t *testing.T) {
	s := &Server{settings: config.Default(), memory: memoryOf(2<<20, 4<<20)}
	s.settings.MaxBody = 1 << 20
	s.budget = newBudget(s.memory, func() error { return nil })
	f := func(body io.Reader, length int64, want base.Kind, ok bool) {
		t.Helper()
		r := httptest.NewRequest("POST", "/", body)
		r.ContentLength = length
		b, err := s.readBody(httptest.NewRecorder(), r, s.budget, nil)
		if ok != (err == nil) || err != nil && base.KindOf(err) != want {
			t.Errorf("%v", err)
		}
		if b != nil {
			if s.budget.memory.Used() == 0 {
				t.Error("nothing is accounted")
			}
			b.Close()
			b.Close()
		}
		if n := s.budget.memory.Used(); n != 0 {
			t.Errorf("%d bytes are left", n)
		}
	}
	text := strings.Repeat("x", 300_000)
	f(strings.NewReader(text), int64(len(text)), 0, true)
	f(strings.NewReader(text), -1, 0, true)
	f(strings.NewReader(text+text+text+text), -1, base.TooLarge, false)
	f(strings.NewReader(""), 2<<20, base.TooLarge, false)
	f(io.MultiReader(strings.NewReader(text), broken{}), -1, base.Canceled, false)
	f(io.MultiReader(strings.NewReader(text), broken{}), 1<<20, base.Canceled, false)
	f(strings.NewReader("\x1f\x8b\x08broken"), -1, base.Invalid, false)
}

// TestRowsOfSmallBodiesAreCounted checks that the memory of rows is counted. If rows leave out
// columns, the rows in memory are larger than their body.
func TestRowsOfSmallBodiesAreCounted(t *testing.T) {
	s := &Server{settings: config.Default(), memory: memoryOf(2<<20, 4<<20)}
	s.settings.MaxBody = 1 << 20
	s.budget = newBudget(s.memory, func() error { return nil })
	for rows, want := range map[int]int64{1: 12, 100_000: 800_000, 200_000: 0} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", 100)))
		b, err := s.readBody(httptest.NewRecorder(), r, s.budget, nil)
		if err != nil {
			t.Fatal(err)
		}
		builder := array.NewInt64Builder(memory.DefaultAllocator)
		builder.AppendEmptyValues(rows)
		column := builder.NewArray()
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{column}, int64(rows))
		if err := b.reserveDecoded(t.Context(), rec); (err == nil) != (want > 0) || err != nil && base.KindOf(err) != base.TooLarge {
			t.Errorf("%d rows: %v", rows, err)
		}
		if n := s.budget.memory.Used(); n < want || n > want*5/4 {
			t.Errorf("%d rows hold %d bytes, about %d are expected", rows, n, want)
		}
		b.Close()
	}
}

// TestTextsThatAreWrittenOutAreCounted checks that a dictionary column counts with the size that it
// has without a dictionary, if the column of the table does not store dictionaries.
func TestTextsThatAreWrittenOutAreCounted(t *testing.T) {
	const rows, size = 1000, 1 << 10
	indices, values := array.NewUint32Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	indices.AppendNull()
	indices.AppendValues(make([]uint32, rows), nil)
	values.Append(strings.Repeat("x", size))
	column := array.NewDictionaryArray(ingest.TextDictionary, indices.NewArray(), values.NewArray())
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "A", Type: column.DataType()}}, nil), []arrow.Array{column}, rows+1)
	for kind, want := range map[schema.Kind]int64{schema.Blob: rows * size, schema.BigInt: rows * size, schema.Varchar: 0, schema.JSON: 0} {
		types := []schema.Field{{Name: "b"}, {Name: "a", Type: schema.Type{Kind: kind}}}
		b := &body{largest: 2 * want}
		if err := b.checkUnpacked(types, []arrow.RecordBatch{rec, rec}); err != nil {
			t.Errorf("%v: %v", kind, err)
		}
		if b.largest--; want == 0 {
			continue
		}
		if err := b.checkUnpacked(types, []arrow.RecordBatch{rec, rec}); base.KindOf(err) != base.TooLarge {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// broken is the rest of a body whose client has disconnected.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.Join(io.ErrUnexpectedEOF) }

// connection is a connection whose client neither sends nor receives anything. It supports
// deadlines, as connections of net/http do.
type connection struct {
	*httptest.ResponseRecorder
	net.Conn
}

func (c connection) Write(p []byte) (int, error) { return c.Conn.Write(p) }

func TestAClientThatDoesNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{settings: config.Default(), memory: memoryOf(1<<20, 256<<20)}
		s.settings.MaxBody = 64 << 20
		s.budget = newBudget(s.memory, func() error { return nil })
		client, conn := net.Pipe()
		defer client.Close()
		defer conn.Close()
		w := connection{httptest.NewRecorder(), conn}
		for _, length := range []int64{1, 65_000, 64 << 20, -1} {
			// The client makes pauses of this length between two bytes.
			for _, pause := range []time.Duration{time.Hour, 20 * time.Second, time.Millisecond} {
				r := httptest.NewRequest("POST", "/", conn)
				r.ContentLength = length
				began, stop := time.Now(), make(chan struct{})
				go func() {
					for {
						select {
						case <-stop:
							return
						case <-time.After(pause):
						}
						_ = client.SetWriteDeadline(time.Now().Add(time.Second))
						_, _ = client.Write([]byte("x"))
					}
				}()
				_, err := s.readBody(w, r, s.budget, nil)
				close(stop)
				synctest.Wait()
				if took := time.Since(began); base.KindOf(err) != base.Timeout || took < idleTimeout || took > idleTimeout+time.Second {
					t.Errorf("a body of %d bytes that comes at a byte in %v: %v after %v", length, pause, err, took)
				}
				if n := s.budget.memory.Used(); n != 0 {
					t.Errorf("%d bytes are left", n)
				}
			}
		}
		for _, length := range []int64{1, -1} {
			r := httptest.NewRequest("POST", "/", conn)
			r.ContentLength = length
			if _, _, err := s.statementBody(w, r); base.KindOf(err) != base.Timeout {
				t.Errorf("a statement of %d bytes that does not come: %v", length, err)
			}
		}
		for pause, until := range map[time.Duration]time.Duration{time.Minute: time.Hour, time.Hour: time.Minute} {
			began := time.Now()
			answer := &deadlineWriter{Writer: w, connection: http.NewResponseController(w), idleTimeout: pause, until: began.Add(until)}
			go func() { // the client takes some bytes
				time.Sleep(30 * time.Second)
				_, _ = io.ReadFull(client, make([]byte, deadlineBytes))
			}()
			want := min(until, 30*time.Second+pause)
			n, err := answer.Write(make([]byte, 10*deadlineBytes))
			if took := time.Since(began); n != deadlineBytes || !errors.Is(err, os.ErrDeadlineExceeded) || took != want {
				t.Errorf("a result of which some is taken: %d bytes, %v after %v, want %v", n, err, took, want)
			}
		}
		answer := &deadlineWriter{Writer: w, connection: http.NewResponseController(w), idleTimeout: pause}
		if _, err := answer.Write([]byte("a backup")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("what nobody takes of a backup: %v", err)
		}
		answer.done()
		go func() { _, _ = io.ReadFull(client, make([]byte, 1)) }()
		if _, err := conn.Write([]byte("x")); err != nil {
			t.Errorf("the connection afterwards: %v", err)
		}
	})
}
