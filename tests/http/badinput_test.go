package http

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/tests/binary"
)

func zstandard(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func gzipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text)) // writes to memory
	_ = w.Close()
	return out.String()
}

// state returns everything that a refused write could have changed: the tables, their columns and
// rows.
func state(t *testing.T, s *binary.Server) string {
	t.Helper()
	return fmt.Sprint(s.Rows(t, "SELECT table_name, rows, definition FROM scoter.tables ORDER BY ALL"), s.Rows(t, "SELECT * FROM typed ORDER BY ALL"))
}

// TestBadInputIsRefusedAndLeavesNothingBehind checks the status and the error document, that
// nothing was stored, and that the server continues.
func TestBadInputIsRefusedAndLeavesNothingBehind(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, `CREATE TABLE typed (i BIGINT, d DATE, ts TIMESTAMP, tz TIMESTAMPTZ, ns TIMESTAMP_NS, dec DECIMAL(5,2), u UUID,
		bo BOOLEAN, tm TIME, iv INTERVAL, l INTEGER[], st STRUCT(a INTEGER), s VARCHAR)`).must(t, 200)
	rows(t, s, "typed", ndjson, `{"i":1,"d":"2024-02-29","dec":12.5,"s":"ok"}`).must(t, 200)

	ints := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	whole := stream(t, ints, record(t, ints, `[{"i":1},{"i":2}]`), record(t, ints, `[{"i":3}]`))
	twice := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	binaryText := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	good := `{"i":7}` + "\n"

	for _, c := range []struct {
		name, contentType, body string
		status                  int
		kind, contains          string
	}{
		{"text in an integer", ndjson, good + `{"i":"seven"}`, 400, "invalid", `row 2`},
		{"a fraction in an integer", ndjson, good + `{"i":1.5}`, 400, "invalid", `row 2, column "i": "1.5"`},
		{"a boolean in a date", ndjson, `{"d":true}`, 400, "invalid", `column "d"`},
		{"an object in an integer", ndjson, `{"i":{"a":1}}`, 400, "invalid", `column "i"`},
		{"an integer in a list", ndjson, `{"l":5}`, 400, "invalid", `column "l"`},
		{"text in a list of integers", ndjson, `{"l":[1,"x"]}`, 400, "invalid", "l"},
		{"NaN, which JSON does not have", ndjson, good + `{"i":NaN}`, 400, "invalid", "N"},
		{"NaN in an integer", csv, "i\n1\nNaN", 400, "invalid", "NaN"},
		{"a day that is not there", ndjson, good + `{"d":"2023-02-29"}`, 400, "invalid", `"2023-02-29"`},
		{"a date out of range", ndjson, good + `{"d":"99999999-01-01"}`, 400, "invalid", `"99999999-01-01"`},
		{"a timestamp out of range", ndjson, `{"ts":"294300-01-01T00:00:00"}`, 400, "invalid", `column "ts"`},
		{"a zoned timestamp out of range", ndjson, `{"tz":"294300-01-01T00:00:00Z"}`, 400, "invalid", `column "tz"`},
		{"nanoseconds out of range", ndjson, `{"ns":"2500-01-01T00:00:00"}`, 400, "invalid", `column "ns"`},
		{"a time out of range", ndjson, `{"tm":"25:00:00"}`, 400, "invalid", `column "tm"`},
		{"an interval that is none", ndjson, `{"iv":"soon"}`, 400, "invalid", `column "iv"`},
		{"too many digits before the point", ndjson, `{"dec":1234.5}`, 400, "invalid", `column "dec"`},
		{"too many digits after the point", ndjson, `{"dec":1.234}`, 400, "invalid", `column "dec"`},
		{"no UUID", ndjson, `{"u":"zz"}`, 400, "invalid", `column "u"`},
		{"no boolean", ndjson, `{"bo":"maybe"}`, 400, "invalid", `column "bo"`},
		{"a column twice in JSON", ndjson, `{"i":1,"i":2}`, 400, "invalid", "twice"},
		{"a column twice in CSV", csv, "i,i\n1,2", 400, "invalid", "twice"},
		{"a column twice in Arrow", arrowStream, stream(t, twice, record(t, twice, `[]`)), 400, "invalid", "twice"},
		{"a row too short", csv, "i,s\n1", 400, "invalid", "line 2"},
		{"a quote not closed", csv, "i,s\n1,\"x", 400, "invalid", ""},
		{"invalid UTF-8 in JSON", ndjson, good + "{\"s\":\"\xff\xfe\"}", 400, "invalid", "UTF-8"},
		{"invalid UTF-8 in CSV", csv, "s\n\xff\xfe", 400, "invalid", "UTF-8"},
		{"invalid UTF-8 in Arrow", arrowStream, strings.Replace(stream(t, binaryText, record(t, binaryText, `[{"s":"abcdefgh"}]`)), "abcdefgh", "abcd\xff\xfegh", 1), 400, "invalid", "UTF-8"},
		{"JSON that ends early", ndjson, good + `{"i":`, 400, "invalid", "row 2"},
		{"garbage after JSON", ndjson, good + `x`, 400, "invalid", ""},
		{"no object", ndjson, good + `5`, 400, "invalid", ""},
		{"an Arrow stream torn in a batch", arrowStream, whole[:len(whole)-60], 400, "invalid", ""},
		{"an Arrow stream torn in its schema", arrowStream, whole[:20], 400, "invalid", ""},
		{"garbage as Arrow", arrowStream, "garbage, garbage, garbage", 400, "invalid", "Arrow"},
		{"garbage as Parquet", parquet, "PAR1garbagePAR1", 400, "invalid", "Parquet"},
		{"garbage as MessagePack", msgpack, "\xc1\xc1", 400, "invalid", ""},
		{"MessagePack that ends early", msgpack, "\x81\xa1i\xcd\x01", 400, "invalid", ""},
		{"gzip that ends early", ndjson, gzipped(strings.Repeat(good, 1000))[:30], 400, "invalid", "gzip"},
		{"gzip that ends before its checksum", ndjson, gzipped(good)[:len(gzipped(good))-8], 400, "invalid", "gzip"},
		{"gzip of which a second member is cut", ndjson, gzipped(good) + gzipped(good)[:20], 400, "invalid", "gzip"},
		{"zstd that ends early", ndjson, zstandard(t, strings.Repeat(good, 1000))[:20], 400, "invalid", "zstd"},
		{"zstd that ends before its checksum", ndjson, zstandard(t, good)[:len(zstandard(t, good))-4], 400, "invalid", "zstd"},
		{"a gzip bomb", ndjson, gzipped(strings.Repeat(" ", 80<<20)), 413, "too_large", ""},
		{"an unknown format", "text/plain", good, 400, "invalid", "text/plain"},
		{"no format", "", good, 400, "invalid", "Content-Type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := state(t, s)
			rows(t, s, "typed", c.contentType, c.body).refused(t, c.status, c.kind, c.contains)
			if after := state(t, s); after != before {
				t.Errorf("something was applied:\nbefore %s\nafter  %s", before, after)
			}
		})
	}

	t.Run("an unknown encoding", func(t *testing.T) {
		rows(t, s, "typed", ndjson, good, "Content-Encoding", "br").refused(t, 400, "invalid", "br")
	})
	t.Run("names", func(t *testing.T) {
		for _, path := range []string{"/api/v1/tables/default/%00/rows", "/api/v1/tables/default/x.%ff/rows"} {
			if a := post(t, s, path, ndjson, good); a.status != 400 {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		}
	})
	t.Run("options", func(t *testing.T) {
		post(t, s, "/api/v1/tables/default/typed/rows?mode=sideways", ndjson, good).refused(t, 400, "invalid", "sideways")
		post(t, s, "/api/v1/tables/default/typed/rows?durability=maybe", ndjson, good).refused(t, 400, "invalid", "maybe")
		post(t, s, "/api/v1/tables/default/typed/rows?delimiter=ab", csv, "i\n1").refused(t, 400, "invalid", "delimiter")
		post(t, s, "/api/v1/tables/default/typed/rows?delimiter=;", csv, "i;n\n1;2").refused(t, 400, "invalid", "semicolon")
		post(t, s, "/api/v1/tables/default/typed/rows?mode=delete;key=i", csv, "i\n1").refused(t, 400, "invalid", "query")
		post(t, s, "/api/v1/tables/default/separated/rows?delimiter=%3B", csv, "a;b\n1;2").must(t, 200)
		equal(t, s, "SELECT a, b FROM separated", "[[1,2]]")
		sql(t, s, "DROP TABLE separated").must(t, 200)
		post(t, s, "/query", "application/x-www-form-urlencoded", "q=CREATE+DATABASE+%22a%zz%22").must(t, 400)
		post(t, s, "/query", "application/x-www-form-urlencoded", "").must(t, 400)
		post(t, s, "/query", "application/x-www-form-urlencoded", "q="+strings.Repeat("x", 100_000)).must(t, 400)
		post(t, s, "/query", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nSHOW DATABASES\r\n--b--\r\n").must(t, 400)
		post(t, s, "/write?precision=fortnights", "text/plain", "m v=1").must(t, 400)
	})
	equal(t, s, "SELECT count(*) FROM typed", "[[1]]")
	send(t, s, "GET", "/readyz", "").must(t, 200)
}

func TestEmptyBodiesAndBatchesAddNothing(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	schema := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	none := record(t, schema, `[]`)
	for contentType, body := range map[string]string{
		ndjson: "", csv: "i\n", arrowStream: stream(t, schema, none, record(t, schema, `[{"i":1}]`), none), "application/json": "[]",
	} {
		rows(t, s, "e", contentType, body).must(t, 200)
	}
	rows(t, s, "e", arrowStream, stream(t, schema, none)).must(t, 200)
	rows(t, s, "e", arrowStream, stream(t, schema)).must(t, 200)
	equal(t, s, "SELECT * FROM e", "[[1]]")
}

func TestFloatsKeepTheirStrangeValues(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	rows(t, s, "f", csv, "x,v\n1,NaN\n2,-0.0\n3,inf\n4,-Infinity\n5,5e-324\n").must(t, 200)
	rows(t, s, "f", ndjson, `{"x":6,"v":-0.0}`).must(t, 200)
	equal(t, s, "SELECT v, isnan(v), 1/v < 0 FROM f ORDER BY x", `[["NaN",true,false],[-0,false,true],["Infinity",false,false],["-Infinity",false,false],[5e-324,false,false],[-0,false,true]]`)
}

func TestFiveThousandColumns(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	var object, header, values strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&object, `,"c%d":%d`, i, i)
		fmt.Fprintf(&header, ",c%d", i)
		fmt.Fprintf(&values, ",%d", i)
	}
	rows(t, s, "wide", ndjson, "{"+object.String()[1:]+"}").must(t, 200)
	rows(t, s, "wide", csv, header.String()[1:]+"\n"+values.String()[1:]).must(t, 200)
	equal(t, s, "SELECT count(*), sum(c0), sum(c4999) FROM wide", "[[2,0,9998]]")
	if got := s.Rows(t, "SELECT * FROM wide"); len(got) != 2 || len(got[0]) != 5000 {
		t.Errorf("%d rows", len(got))
	}
	var all strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&all, `,"x%d":1`, i)
	}
	rows(t, s, "wider", ndjson, "{"+all.String()[1:]+"}").refused(t, 413, "too_large", "columns")
}

// TestTwoGigabytes sends a body that is too large. If the request has its size, it is refused
// before the body is sent. Otherwise it is refused after the allowed size.
func TestTwoGigabytes(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for _, path := range []string{"/api/v1/tables/default/big/rows", "/write", "/api/v1/write/msgpack", "/api/v1/sql"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 2147483648\r\n\r\n", path, ndjson)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 413 {
			t.Errorf("%s: %s", path, resp.Status)
		}
		resp.Body.Close()
		conn.Close()

		sent := &endless{}
		req, _ := http.NewRequest("POST", s.URL+path, io.LimitReader(sent, 2<<30))
		req.ContentLength = -1
		req.Header.Set("Content-Type", ndjson)
		resp, err = http.DefaultClient.Do(req)
		if err == nil {
			if resp.StatusCode != 413 {
				t.Errorf("%s, chunked: %s", path, resp.Status)
			}
			resp.Body.Close()
		}
		if sent.n > 256<<20 {
			t.Errorf("%s took %d bytes", path, sent.n)
		}
	}
	equal(t, s, "SELECT count(*) FROM scoter.tables", "[[0]]")
}

// endless is a stream of blanks. It counts how many were read.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.n += int64(len(p))
	return len(p), nil
}

// TestATornRequestIsNotTakenForAWholeOne sends a part of a body and closes the connection. The part
// is well-formed, but must not be stored.
func TestATornRequestIsNotTakenForAWholeOne(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	line := `{"i":1}` + "\n"
	for _, head := range []string{
		"Content-Length: 1000\r\n\r\n" + line,
		fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(line), line),
		fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", 2*len(line), line),
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/v1/tables/default/torn/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\n%s", ndjson, head)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		// If there is an answer, the server has finished the request.
		answer, err := io.ReadAll(conn)
		if err == nil && bytes.HasPrefix(answer, []byte("HTTP/1.1 2")) {
			t.Errorf("taken: %s", answer)
		}
		conn.Close()
	}
	equal(t, s, "SELECT count(*) FROM scoter.tables", "[[0]]")
}

func TestBadSQL(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE t (a INTEGER)").must(t, 200)
	for _, c := range []struct {
		text     string
		status   int
		kind     string
		position int
	}{
		{"SELECT * FRM t", 400, "invalid", 14},
		{"SELECT 1;\n  SELECT 1 +", 400, "invalid", 23},
		{"SELECT nope FROM t", 400, "invalid", 8},
		{"SELECT * FROM nope", 404, "not_found", 15},
		{"SELECT * FROM nope.main.t", 404, "not_found", 15},
		{"INSERT INTO nope.main.t VALUES (1)", 404, "not_found", 0},
		{"INSERT INTO t VALUES ('x')", 400, "invalid", 0},
		{"CREATE TABLE t (a INTEGER)", 409, "conflict", 0},
		{"", 400, "invalid", 0},
		{" ; ;", 400, "invalid", 0},
		{"SELECT 'not closed", 400, "invalid", 0},
		{"SELECT '\xff'", 400, "invalid", 0},
		{strings.Repeat("(", 100_000), 400, "invalid", 0},
		{"SELECT * FROM read_csv('/etc/passwd')", 403, "forbidden", 15},
		{"SELECT * FROM '/etc/passwd'", 403, "forbidden", 15},
		{"SELECT * FROM read_text('/etc/passwd')", 403, "forbidden", 15},
		{"SELECT * FROM glob('/*')", 403, "forbidden", 15},
		{"INSERT INTO t SELECT 1 FROM read_csv('/etc/passwd')", 403, "forbidden", 0},
		{"CREATE TABLE p AS SELECT * FROM read_csv('/etc/passwd')", 403, "forbidden", 0},
		{"CREATE VIEW p AS SELECT * FROM read_csv('/etc/passwd')", 403, "forbidden", 0},
		{"COPY t TO '/tmp/x.csv'", 403, "forbidden", 1},
		{"COPY t FROM '/etc/passwd'", 403, "forbidden", 1},
		{"EXPORT DATABASE '/tmp/x'", 403, "forbidden", 1},
		{"ATTACH '/tmp/x.db'", 403, "forbidden", 1},
		{"INSTALL httpfs", 403, "forbidden", 1},
		{"LOAD httpfs", 403, "forbidden", 1},
		{"SET memory_limit = '1TB'", 403, "forbidden", 1},
		{"PRAGMA database_list", 403, "forbidden", 1},
	} {
		p := sql(t, s, c.text).refused(t, c.status, c.kind)
		if c.position != 0 && p.Position != c.position {
			t.Errorf("%.40q: position %d, want %d: %s", c.text, p.Position, c.position, p.Message)
		}
		if t.Failed() {
			t.Fatalf("at %.60q", c.text)
		}
	}
	for _, text := range []string{"SELECT * FROM t", "SELECT 1", "SHOW TABLES", "CREATE TABLE new (a INTEGER)"} {
		post(t, s, "/api/v1/sql?database=nope", "text/plain", text).refused(t, 404, "not_found", "nope")
	}
	equal(t, s, "SELECT count(*) FROM scoter.tables", "[[1]]")
	equal(t, s, "SELECT count(*) FROM t", "[[0]]")
	long := post(t, s, "/api/v1/sql", "application/json", `{"sql": "SELECT $1", "params": [`+strings.Repeat("1", 5_000_000)+`]}`).refused(t, 400, "invalid", "HUGEINT")
	if len(long.Message) > 1000 {
		t.Errorf("a message of %d bytes", len(long.Message))
	}
	post(t, s, "/api/v1/sql", "application/json", `{"sql": "SELECT $1::VARCHAR AS v", "params": [-170141183460469231731687303715884105727]}`).must(t, 200)
}
