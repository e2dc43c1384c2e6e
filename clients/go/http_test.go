package scoter

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// answering returns a database handle on a server whose responses the function answer writes.
func answering(t *testing.T, answer http.HandlerFunc) *sql.DB {
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	db := OpenHTTP(server.URL, HTTPOptions{})
	t.Cleanup(func() { db.Close() })
	return db
}

func TestAnAnswerThatFailsOnTheWayIsAnError(t *testing.T) {
	const rows = "{\"n\":1}\n{\"n\":2}\n"
	number := func(d *scDecoder) int64 { return scGet(d, scInt[int64]) }
	for _, c := range []struct {
		name, rest string
		broken     bool
		check      func(error) bool
	}{
		{"whole", "", false, func(err error) bool { return err == nil }},
		{"failed", `{"$error":{"kind":"canceled","message":"time is over","hint":"ask for less"}}` + "\n", false, func(err error) bool {
			var e *ScoterError
			return errors.As(err, &e) && *e == ScoterError{"canceled", "time is over", "ask for less"}
		}},
		{"broken off between rows", "", true, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"broken off in a row", `{"n"`, true, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	} {
		db := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, rows+c.rest)
			w.(http.Flusher).Flush()
			if c.broken {
				panic(http.ErrAbortHandler)
			}
		})
		got, err := scAll(context.Background(), newScHTTP(db), "", "SELECT", nil, number)
		if len(got) != 2 || !c.check(err) {
			t.Errorf("%s: %v %v", c.name, got, err)
		}
	}
	failed := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"$error":{"kind":"memory","message":"none left"}}`)
	})
	var e *ScoterError
	if _, err := scAll(context.Background(), newScHTTP(failed), "", "SELECT", nil, number); !errors.As(err, &e) || e.Kind != "memory" {
		t.Error(err)
	}
	column := answering(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"$error":5}`) })
	if got, err := scAll(context.Background(), newScHTTP(column), "", "SELECT", nil, number); err != nil || len(got) != 1 || got[0] != 5 {
		t.Error("a column of that name:", got, err)
	}
}

func TestEveryErrorOfABulkWriteTellsWhatIsStored(t *testing.T) {
	requests := 0
	db := answering(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if requests++; requests == 2 {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, `{"inserted":2,"updated":0,"deleted":0}`)
	})
	bulk := scHTTPRows[string]{name: "b", path: "t/rows", columns: []string{"x"}, pack: func(c []scPack, r string) { scPackText(&c[0], r) }}
	half := strings.Repeat("x", scHTTPPortion/2)
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = scHTTPBulk(context.Background(), newScHTTP(one{conn}), bulk, RowsOf(half, half, half, half))
	if err == nil || !strings.Contains(err.Error(), "rows are counted from row 3") {
		t.Errorf("%.300v", err)
	}
	failure := errors.New("no more rows")
	_, err = scHTTPBulk(context.Background(), newScHTTP(db), bulk, func(yield func(string, error) bool) {
		for range 2 {
			if !yield(half, nil) {
				return
			}
		}
		yield("", failure)
	})
	if !errors.Is(err, failure) || !strings.Contains(err.Error(), "rows are counted from row 3") {
		t.Errorf("%.300v", err)
	}
}
