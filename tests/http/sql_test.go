package http

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/scoterdb/scoter/tests/binary"
)

func TestStatementsParametersAndLimits(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE t (a BIGINT); INSERT INTO t VALUES (1), (2); SELECT sum(a) FROM t").must(t, 200)
	p := sql(t, s, "INSERT INTO t VALUES (3);\nINSERT INTO nope VALUES (1);\nINSERT INTO t VALUES (4)").refused(t, 404, "not_found", "statement 2 of 3", "nope")
	if p.Position != 0 && p.Position < 27 {
		t.Errorf("position %d is not in the second statement", p.Position)
	}
	// the statements before it stay committed
	equal(t, s, "SELECT a FROM t ORDER BY a", "[[1],[2],[3]]")

	ask := func(body string) answer { return post(t, s, "/api/v1/sql", "application/json", body) }
	for body, want := range map[string]string{
		`{"sql":"SELECT $1 + 1, $2, $3","params":[9007199254740993,"it's",null]}`:     `9007199254740994,"it's",null`,
		`{"sql":"SELECT $b, $a","params":{"a":1.5,"b":true}}`:                         `true,1.5`,
		`{"sql":"SELECT count(*) FROM t WHERE a > ?","params":[1]}`:                   `2`,
		`{"sql":"SELECT ?::DECIMAL(30,2)","params":["1234567890123456789012345.67"]}`: `"1234567890123456789012345.67"`,
		`{"sql":"SELECT ?","params":[18446744073709551615]}`:                          `18446744073709551615`,
		`{"sql":"SELECT a FROM x","database":"other"}`:                                ``,
	} {
		if want == "" {
			ask(body).refused(t, 404, "not_found", "other")
			continue
		}
		if a := ask(body); a.status != 200 || !strings.Contains(a.body, "\n["+want+"]") {
			t.Errorf("%s: %d %s, want %s", body, a.status, a.body, want)
		}
	}
	for body, contains := range map[string]string{
		`{"sql":"SELECT 1","parms":[]}`:             "parms",
		`{"sql":"SELECT 1"} {"sql":"SELECT 2"}`:     "more than one",
		`{"sql":"SELECT ?","params":[[1]]}`:         "parameter 1",
		`{"sql":"SELECT ?","params":5}`:             "params",
		`{"sql":"SELECT ?","params":[]}`:            "",
		`{"sql":"SELECT ?","params":[1,2]}`:         "",
		`{"sql":"SELECT 1","max_rows":-1}`:          "max_rows",
		`{"sql":"SELECT 1; SELECT ?","params":[1]}`: "parameters",
		`{"sql":5}`: "JSON",
		`{`:         "JSON",
		`{"sql":"INSERT INTO t VALUES ($1)","params":["a\ud83d"]}`: `at "/params/0": invalid surrogate pair`,
		`{"sql":"SELECT 'a\ud83d'"}`:                               `at "/sql": invalid surrogate pair`,
		"{\"sql\":\"SELECT ?\",\"params\":[\"\xff\"]}":             "invalid UTF-8",
		"{\"sql\":\"SELECT '\xff'\"}":                              "invalid UTF-8",
		`{"sql":"SELECT $a","params":{"a":1,"a":2}}`:               "duplicate",
		`{"sql":"SELECT 1","sql":"SELECT 2"}`:                      "duplicate",
	} {
		ask(body).refused(t, 400, "invalid", contains)
	}

	post(t, s, "/api/v1/sql?timeout_ms=50", "text/plain", "SELECT count(*) FROM range(1000000000000) r WHERE hash(range) = 1").refused(t, 408, "timeout")
	a := post(t, s, "/api/v1/sql?max_rows=3", "text/plain", "FROM range(1000000)").must(t, 200)
	if !strings.Contains(a.body, `"row_count":3,"truncated":true`) {
		t.Error(a.body)
	}
	for _, query := range []string{"timeout_ms=soon", "max_rows=-1", "format=xml"} {
		post(t, s, "/api/v1/sql?"+query, "text/plain", "SELECT 1").refused(t, 400, "invalid")
	}

	send(t, s, "GET", "/api/v1/sql?q=SELECT+sum(a)+FROM+t", "").must(t, 200)
	send(t, s, "GET", "/api/v1/sql?q=DELETE+FROM+t", "").refused(t, 403, "forbidden")
	send(t, s, "HEAD", "/api/v1/sql?q=SELECT+1", "").must(t, 200)
	send(t, s, "HEAD", "/api/v1/sql?q=CREATE+TABLE+made+(a+BIGINT)", "").must(t, 403)
	send(t, s, "HEAD", "/query?q=CREATE+DATABASE+made", "").must(t, 403)
	equal(t, s, "SELECT table_name FROM information_schema.tables WHERE table_name = 'made'", "[]")
	equal(t, s, "SELECT count(*) FROM t", "[[3]]")
}

func TestFormats(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const query = "SELECT 1 AS a, 'x,y' AS b UNION ALL SELECT 2, NULL ORDER BY a"
	for _, c := range []struct{ name, mediaType, begins string }{
		{"json", "application/json", `{"columns":[{"name":"a","type":"INTEGER"}`},
		{"ndjson", "application/x-ndjson", "{\"a\":1,\"b\":\"x,y\"}\n{\"a\":2,\"b\":null}\n"},
		{"csv", "text/csv", "a,b\n1,\"x,y\"\n2,"},
		{"arrow", "application/vnd.apache.arrow.stream", "\xff\xff\xff\xff"},
		{"parquet", "application/vnd.apache.parquet", "PAR1"},
		{"msgpack", "application/msgpack", ""},
		{"table", "text/plain", ""},
	} {
		byName := post(t, s, "/api/v1/sql?format="+c.name, "text/plain", query).must(t, 200)
		byType := post(t, s, "/api/v1/sql", "text/plain", query, "Accept", c.mediaType).must(t, 200)
		for _, a := range []answer{byName, byType} {
			if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, c.mediaType) {
				t.Errorf("%s: Content-Type %q", c.name, got)
			}
			// The lines of CSV may end with CRLF, as in RFC 4180.
			if !strings.HasPrefix(strings.ReplaceAll(a.body, "\r\n", "\n"), c.begins) {
				t.Errorf("%s: %q", c.name, a.body)
			}
		}
	}
	for accept, want := range map[string]string{
		"*/*": "application/json", "text/html,application/xhtml+xml,*/*;q=0.8": "application/json",
		"text/csv;q=0.5, application/x-ndjson;q=0.9": "application/x-ndjson",
	} {
		if got := post(t, s, "/api/v1/sql", "text/plain", query, "Accept", accept).header.Get("Content-Type"); got != want {
			t.Errorf("%s: %s", accept, got)
		}
	}
	post(t, s, "/api/v1/sql", "text/plain", query, "Accept", "image/png").refused(t, 400, "invalid", "image/png")

	// An error is a JSON document, whatever the format of the result is.
	post(t, s, "/api/v1/sql?format=arrow", "text/plain", "SELECT nope").refused(t, 400, "invalid", "nope")
}

func TestTextIsCompressedForClientsThatAskForIt(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const query = "SELECT range AS a, 'the same text' AS b FROM range(10000)"
	plain := post(t, s, "/api/v1/sql?format=csv", "text/plain", query, "Accept-Encoding", "identity").must(t, 200)
	packed := post(t, s, "/api/v1/sql?format=csv", "text/plain", query, "Accept-Encoding", "gzip").must(t, 200)
	if packed.header.Get("Content-Encoding") != "gzip" || len(packed.body) > len(plain.body)/4 {
		t.Errorf("%q, %d bytes of %d", packed.header.Get("Content-Encoding"), len(packed.body), len(plain.body))
	}
	// Go's client decompresses a response by itself if it added the header itself.
	if a := post(t, s, "/api/v1/sql?format=csv", "text/plain", query); a.body != plain.body {
		t.Error("unpacked, it is something else")
	}
	for _, q := range []string{"?format=arrow", "?format=csv&max_rows=3"} {
		if a := post(t, s, "/api/v1/sql"+q, "text/plain", query, "Accept-Encoding", "gzip"); a.header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", q)
		}
	}
}

// TestAResultThatBreaksOffIsNotTakenForAWholeOne uses an error that occurs after the header was
// sent.
func TestAResultThatBreaksOffIsNotTakenForAWholeOne(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const query = "SELECT CASE WHEN range > 3000000 THEN error('no further') ELSE range END AS v FROM range(6000000)"
	for _, format := range []string{"json", "ndjson", "csv", "arrow", "parquet", "msgpack"} {
		for _, encoding := range []string{"identity", "gzip"} {
			req, _ := http.NewRequest("POST", s.URL+"/api/v1/sql?format="+format, strings.NewReader(query))
			req.Header.Set("Accept-Encoding", encoding)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Errorf("%s: %v", format, err)
				continue
			}
			var body bytes.Buffer
			_, err = io.Copy(&body, resp.Body)
			resp.Body.Close()
			said := bytes.Contains(body.Bytes(), []byte("no further")) || bytes.Contains(body.Bytes(), []byte("did not keep the reason"))
			if resp.StatusCode == 200 && err == nil {
				t.Errorf("%s, %s, ends after %d bytes as if it were whole: ... %q", format, encoding, body.Len(), body.Bytes()[max(0, body.Len()-200):])
			}
			if says := format == "json" || format == "ndjson" || format == "msgpack"; says && !said && resp.Header.Get("Content-Encoding") == "" {
				t.Errorf("%s does not say why it ends: ... %q", format, body.Bytes()[max(0, body.Len()-200):])
			}
		}
		// For HTTP/1.0 clients only the way in which the connection ends shows the error.
		conn := dial(t, s)
		fmt.Fprintf(conn, "POST /api/v1/sql?format=%s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s", format, len(query), query)
		if text, err := io.ReadAll(conn); err == nil || !bytes.HasPrefix(text, []byte("HTTP/1.0 200 ")) {
			t.Errorf("%s, HTTP/1.0, ends after %d bytes as if it were whole: %.100q", format, len(text), text)
		}
	}
}

// TestAQueryEndsWhenItsClientGoes checks scoter.queries.
func TestAQueryEndsWhenItsClientGoes(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	running := func() int {
		return int(s.Rows(t, "SELECT count(*) FROM scoter.queries WHERE sql LIKE '%needle%' AND sql NOT LIKE '%scoter.queries%'")[0][0].(float64))
	}
	for _, query := range []string{
		// before the first row
		"/* needle */ SELECT count(*) FROM range(1000000000000) r WHERE hash(range) = 1",
		// while rows are sent
		"/* needle */ SELECT * FROM range(1000000000000)",
	} {
		conn := dial(t, s)
		fmt.Fprintf(conn, "POST /api/v1/sql?format=csv HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(query), query)
		waitFor(t, "the query to run", func() bool { return running() == 1 })
		conn.Close()
		waitFor(t, "the query to end", func() bool { return running() == 0 })
	}
}

// TestAClientThatReadsNothingIsLeft checks that its query ends, because the query holds resources
// that writers wait for.
func TestAClientThatReadsNothingIsLeft(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--query-timeout", "1s")
	running := func() bool {
		return strings.Contains(send(t, s, "GET", "/metrics", "").must(t, 200).body, "\nscoter_queries_running 1\n")
	}
	ask := func(conn net.Conn, query string) {
		fmt.Fprintf(conn, "POST /api/v1/sql?format=csv HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(query), query)
	}
	patient := dial(t, s)
	r := bufio.NewReader(patient)
	answered := func() {
		t.Helper()
		ask(patient, "SELECT 42")
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "42") {
			t.Errorf("%q %v", text, err)
		}
	}
	answered()
	began := time.Now()
	ask(dial(t, s), "SELECT hash(range), hash(-range) FROM range(1000000000)")
	waitFor(t, "the query to run", running)
	waitFor(t, "the query to end", func() bool { return !running() })
	if took := time.Since(began); took < time.Second {
		t.Errorf("it ended after %s: nobody waited for its client", took)
	}
	time.Sleep(time.Until(began.Add(5 * time.Second))) // after the time of the first answer
	answered()
}

// TestALargeResultIsStreamed uses a response that is much larger than the query memory.
func TestALargeResultIsStreamed(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--query-memory", "64MiB")
	resp, err := http.Post(s.URL+"/api/v1/sql?format=arrow", "text/plain", strings.NewReader("SELECT range AS a, range * 2 AS b FROM range(20000000)"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r, err := ipc.NewReader(bufio.NewReaderSize(resp.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		n += r.RecordBatch().NumRows()
	}
	if r.Err() != nil || n != 20_000_000 {
		t.Errorf("%d rows, %v", n, r.Err())
	}
}

func TestCountsOfStatementsWithoutAResult(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE t (a INTEGER)").must(t, 200)
	a := sql(t, s, "INSERT INTO t VALUES (1), (2)").must(t, 200)
	var counts struct{ Inserted, Updated, Deleted int }
	if err := json.Unmarshal([]byte(a.body), &counts); err != nil || counts.Inserted != 2 {
		t.Errorf("%v %s", err, a.body)
	}
	a = post(t, s, "/api/v1/sql?format=csv", "text/plain", "INSERT INTO t VALUES (3) RETURNING a").must(t, 200)
	if a.header.Get("Scoter-Inserted") != "1" || !strings.HasSuffix(strings.TrimSpace(a.body), "3") {
		t.Errorf("%v %s", a.header, a.body)
	}
	// If a committed change returns a value that cannot be sent, the change has not failed.
	sql(t, s, "CREATE TABLE h (x HUGEINT)").must(t, 200)
	const most = "170141183460469231731687303715884105727"
	a = post(t, s, "/api/v1/sql?format=parquet", "text/plain", "INSERT INTO h VALUES ("+most+") RETURNING x")
	if a.header.Get("Scoter-Inserted") != "1" || !strings.Contains(a.body, `"inserted":1`) {
		t.Errorf("%v %s", a.header, a.body)
	}
	var told struct{ Error problem }
	if err := json.Unmarshal([]byte(a.must(t, 200).body), &told); err != nil || told.Error.Kind != "invalid" {
		t.Errorf("%v %s", err, a.body)
	}
	equal(t, s, "SELECT count(*) FROM h", "[[1]]")
	post(t, s, "/api/v1/sql?format=parquet", "text/plain", "SELECT x FROM h").refused(t, 400, "invalid")

	a = sql(t, s, "DELETE FROM t WHERE a > 3 RETURNING a").must(t, 200)
	if a.header.Get("Scoter-Deleted") != "0" || a.header.Get("Scoter-Inserted") != "0" {
		t.Errorf("%v %s", a.header, a.body)
	}
	if a = sql(t, s, "SELECT 1").must(t, 200); a.header.Get("Scoter-Deleted") != "" {
		t.Errorf("%v", a.header)
	}
}
