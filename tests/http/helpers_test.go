package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/tests/binary"
)

const (
	ndjson      = "application/x-ndjson"
	csv         = "text/csv"
	arrowStream = "application/vnd.apache.arrow.stream"
	parquet     = "application/vnd.apache.parquet"
	msgpack     = "application/msgpack"
)

// answer is a response whose body was read.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request. header has names and values in turn.
func send(t testing.TB, s *binary.Server, method, path, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, s.Log())
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

func post(t testing.TB, s *binary.Server, path, contentType, body string, header ...string) answer {
	t.Helper()
	return send(t, s, http.MethodPost, path, body, append([]string{"Content-Type", contentType}, header...)...)
}

// rows adds rows to a table of the default database.
func rows(t testing.TB, s *binary.Server, table, contentType, body string, header ...string) answer {
	t.Helper()
	return post(t, s, "/api/v1/tables/default/"+table+"/rows", contentType, body, header...)
}

func sql(t testing.TB, s *binary.Server, text string) answer {
	t.Helper()
	return post(t, s, "/api/v1/sql", "text/plain", text)
}

// must checks the status of a response.
func (a answer) must(t testing.TB, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// problem is the error in a response.
type problem struct {
	Kind, Message, Hint string
	Position            int
}

// refused checks that a response is an error document with a status, a kind, and a message that
// contains all of the texts.
func (a answer) refused(t testing.TB, status int, kind string, contains ...string) problem {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d: %s", a.status, status, a.body)
	}
	var document struct{ Error *problem }
	d := json.NewDecoder(strings.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&document); err != nil || document.Error == nil {
		t.Errorf("no error document: %v: %s", err, a.body)
		return problem{}
	}
	p := *document.Error
	if p.Kind != kind {
		t.Errorf("kind %q, want %q: %s", p.Kind, kind, p.Message)
	}
	for _, text := range contains {
		if !strings.Contains(p.Message, text) {
			t.Errorf("message %q lacks %q", p.Message, text)
		}
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("an error of type %q", got)
	}
	return p
}

// equal compares the rows of a query, written as JSON.
func equal(t testing.TB, s *binary.Server, query, want string) {
	t.Helper()
	got, err := json.Marshal(s.Rows(t, query))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s:\n got %s\nwant %s", query, got, want)
	}
}

// stream encodes records as an Arrow stream.
func stream(t testing.TB, schema *arrow.Schema, records ...arrow.RecordBatch) string {
	t.Helper()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// record makes a record batch from JSON rows.
func record(t testing.TB, schema *arrow.Schema, text string) arrow.RecordBatch {
	t.Helper()
	r, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noise returns text that does not compress and needs no escapes in JSON.
func noise(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	out := make([]byte, n)
	for i := range out {
		out[i] = letters[rand.IntN(len(letters))]
	}
	return string(out)
}

// stall begins a request with a body of the given size, and sends all of it except the last byte.
func stall(t testing.TB, s *binary.Server, size int) (leave func()) {
	t.Helper()
	conn := dial(t, s)
	fmt.Fprintf(conn, "POST /api/v1/tables/default/t/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", ndjson, size, strings.Repeat(" ", size-1))
	return func() { conn.Close() }
}

func dial(t testing.TB, s *binary.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// waitFor waits until a condition is true.
func waitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
