package http

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/tests/binary"
)

func TestARequestWithAKeyIsAppliedOnce(t *testing.T) {
	dir := t.TempDir()
	s := binary.Serve(t, dir)
	key := []string{"Idempotency-Key", "k1"}
	first := rows(t, s, "t", ndjson, `{"a":1}`, key...).must(t, 200)
	again := rows(t, s, "t", ndjson, `{"a":1}`, key...).must(t, 200)
	if again.body != first.body {
		t.Errorf("answered %s, then %s", first.body, again.body)
	}
	rows(t, s, "t", ndjson, `{"a":2}`, key...).refused(t, 409, "conflict", "k1")
	rows(t, s, "elsewhere", ndjson, `{"a":1}`, key...).refused(t, 409, "conflict", "k1")
	rows(t, s, "t", ndjson, `{"a":"x"}`, "Idempotency-Key", "k2").must(t, 400)
	// a failed request frees its key
	rows(t, s, "t", ndjson, `{"a":2}`, "Idempotency-Key", "k2").must(t, 200)
	rows(t, s, "t", ndjson, `{"a":3}`, "Idempotency-Key", strings.Repeat("k", 1000)).refused(t, 400, "invalid", "key")
	post(t, s, "/write", "text/plain", "m v=1 1000\nm v=2", "Idempotency-Key", "k3").must(t, 204)
	s.Kill()

	s = binary.Serve(t, dir)
	if after := rows(t, s, "t", ndjson, `{"a":1}`, key...).must(t, 200); after.body != first.body {
		t.Errorf("answered %s, and after a crash %s", first.body, after.body)
	}
	rows(t, s, "t", ndjson, `{"a":2}`, key...).refused(t, 409, "conflict")
	post(t, s, "/write", "text/plain", "m v=1 1000\nm v=2", "Idempotency-Key", "k3").must(t, 204)
	equal(t, s, "SELECT * FROM t ORDER BY a", "[[1],[2]]")
	equal(t, s, "SELECT count(*) FROM m", "[[2]]")
}

func TestAKeySentManyTimesAtOnceIsAppliedOnce(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	answers := make([]answer, 16)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = rows(t, s, "t", ndjson, `{"a":1}`, "Idempotency-Key", "same") })
	}
	all.Wait()
	for _, a := range answers {
		if a.status != 200 || a.body != answers[0].body {
			t.Errorf("%d %s, another %s", a.status, a.body, answers[0].body)
		}
	}
	equal(t, s, "SELECT count(*) FROM t", "[[1]]")
}

func TestAPartialWriteWithAKeyIsAppliedOnce(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	post(t, s, "/write", "text/plain", "m v=1i 1000").must(t, 204)
	body := "m v=2i 2000\nm v=2.5 3000\nn v=1 4000\nm v=4i 5000"
	for range 2 {
		a := post(t, s, "/write", "text/plain", body, "Idempotency-Key", "p").must(t, 400)
		if !strings.Contains(a.body, "partial write") {
			t.Error(a.body)
		}
	}
	equal(t, s, "SELECT v FROM m ORDER BY time", "[[1],[2],[4]]")
	equal(t, s, "SELECT v FROM n", "[[1]]")
}

// TestAPartialWriteIsNotRepeatedInPieces checks that repeating a partial write does not store the
// accepted points again, even if the refused points fit now.
func TestAPartialWriteIsNotRepeatedInPieces(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE m (time TIMESTAMPTZ, v INTEGER)").must(t, 200)
	sql(t, s, "CREATE TABLE k (host VARCHAR PRIMARY KEY, time TIMESTAMPTZ, v BIGINT)").must(t, 200)
	body := "m v=1 1000\nm v=2 2000\nm v=2.5 3000\nm v=4 4000\nn v=1 4000"
	mixed := "m v=6i 6000\nm v=6.5 7000"
	dropped := func(body, key string, n int) {
		t.Helper()
		a := post(t, s, "/write", "text/plain", body, "Idempotency-Key", key).must(t, 400)
		if want := fmt.Sprintf("dropped=%d", n); !strings.Contains(a.body, "partial write") || !strings.Contains(a.body, want) {
			t.Errorf("%s, want %s", a.body, want)
		}
	}
	dropped(body, "p", 1)
	dropped("k,host=a v=1i 1000\nk,host=b v=2.5 1000\nn v=2 5000\nm v=5i 5000", "q", 1)
	dropped(mixed, "r", 1)
	sql(t, s, "ALTER TABLE m ALTER v TYPE DOUBLE").must(t, 200)
	dropped(body, "p", 1)
	dropped(mixed, "r", 1)
	equal(t, s, "SELECT v FROM m ORDER BY time", "[[1],[2],[4],[5],[6]]")
	equal(t, s, "SELECT v FROM n ORDER BY time", "[[1],[2]]")
	equal(t, s, "SELECT host, v FROM k", `[["a",1]]`)
	// A key that cannot be stored must not lead to a write without it.
	a := post(t, s, "/write", "text/plain", "n v=7 6000", "Idempotency-Key", strings.Repeat("x", 300)).must(t, 400)
	if !strings.Contains(a.body, "idempotency key of 300 bytes") {
		t.Error(a.body)
	}
	equal(t, s, "SELECT count(*) FROM n", "[[2]]")
}

// TestNamesOfCSVFindTheirColumns checks that names in CSV are matched without regard to case. Text
// is parsed as the column's type.
func TestNamesOfCSVFindTheirColumns(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE p (version VARCHAR, N INT)").must(t, 200)
	rows(t, s, "p", csv, "Version,n\n1.10,1\n").must(t, 200)
	equal(t, s, "SELECT version, n FROM p", `[["1.10",1]]`)
}

// TestCSVIsReadLikeOtherFormats checks that CSV is parsed by the columns of the table.
func TestCSVIsReadLikeOtherFormats(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE t (id INTEGER, ts TIMESTAMP, tz TIMESTAMPTZ, n BIGINT, d DATE)").must(t, 200)
	rows(t, s, "t", csv, "id,ts\n1,2026-01-31T12:00:00Z\n2,2026-01-31T12:00:00+02:00\n").refused(t, 400, "invalid", `row 2, column "ts": "2026-01-31T12:00:00+02:00" has a UTC offset`)
	rows(t, s, "t", csv, "id,n\n1,2.5\n").refused(t, 400, "invalid", `row 1, column "n": "2.5" is not a value of type BIGINT`)
	rows(t, s, "t", csv, "id,n,d\n1,2.5,\n2,3,far\n").refused(t, 400, "invalid", `row 2 (line 3), column "d": "far" is not a value of type DATE`)
	rows(t, s, "t", csv, "id,ts,tz,n,d\n1,2026-01-31T12:00:00Z,2026-01-31T12:00:00+02:00,2.0,infinity\n2,2026-01-31,infinity,9007199254740993.0,-0044-03-15\n3,,,1e3,2026-01-31T00:00:00\n").must(t, 200)
	equal(t, s, "SELECT ts, tz, n::VARCHAR, d FROM t ORDER BY id", `[["2026-01-31T12:00:00","2026-01-31T10:00:00Z","2","infinity"],["2026-01-31T00:00:00","infinity","9007199254740993","-000044-03-15"],[null,null,"1000","2026-01-31"]]`)

	narrow := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.PrimitiveTypes.Int32}, {Name: "f", Type: arrow.PrimitiveTypes.Float32}}, nil)
	rows(t, s, "w", arrowStream, stream(t, narrow, record(t, narrow, `[{"a":1,"b":1,"f":0.5}]`))).must(t, 200)
	rows(t, s, "w", csv, "a,b,f\n3000000000,2,1\n,2.5,1e300\n").must(t, 200)
	equal(t, s, "SELECT column_type FROM (DESCRIBE w)", `[["BIGINT"],["DOUBLE"],["DOUBLE"]]`)
	equal(t, s, "SELECT * FROM w ORDER BY b", `[[1,1,0.5],[3000000000,2,1],[null,2.5,1e+300]]`)
}

func TestAsyncRowsAreVisibleAtOnceAndSurviveACleanStop(t *testing.T) {
	dir := t.TempDir()
	s := binary.Serve(t, dir, "--sync-interval", "1h")
	a := post(t, s, "/api/v1/tables/default/t/rows?durability=async", ndjson, `{"a":1}`).must(t, 200)
	if !strings.Contains(a.body, `"durable":false`) {
		t.Error(a.body)
	}
	equal(t, s, "SELECT * FROM t", "[[1]]")
	if code := s.Stop(t); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log())
	}
	equal(t, binary.Serve(t, dir), "SELECT * FROM t", "[[1]]")
}

func TestCreateFalseMakesNothing(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const path = "/api/v1/tables/default/t/rows?create=false"
	post(t, s, path, ndjson, `{"a":1}`).refused(t, 404, "not_found", "t")
	post(t, s, "/api/v1/tables/nowhere/t/rows?create=false", ndjson, `{"a":1}`).refused(t, 404, "not_found", "nowhere")
	sql(t, s, "CREATE TABLE t (a INTEGER)").must(t, 200)
	post(t, s, path, ndjson, `{"a":1}`).must(t, 200)
	post(t, s, path, ndjson, `{"a":1,"b":2}`).refused(t, 400, "invalid", "b")
	post(t, s, path, ndjson, `{"a":1.5}`).refused(t, 400, "invalid", "a")
	equal(t, s, "SELECT * FROM t", "[[1]]")
	equal(t, s, "SELECT database_name FROM scoter.databases", `[["default"]]`)
	for _, no := range []string{"False", "0", "no"} {
		post(t, s, "/api/v1/tables/default/new/rows?create="+no, ndjson, `{"a":1}`).refused(t, 400, "invalid", "create", no)
	}
	post(t, s, "/api/v1/tables/default/new/rows?create=true", ndjson, `{"a":1}`).must(t, 200)
}

func TestTablesGrowWithWhatIsWritten(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	rows(t, s, "t", ndjson, `{"a":1}`).must(t, 200)
	rows(t, s, "t", ndjson, `{"a":2,"b":"new","n":null}`).must(t, 200)
	rows(t, s, "t", ndjson, `{"B":"other case","c":{"x":1}}`).must(t, 200)
	equal(t, s, "SELECT a, b, c.x FROM t ORDER BY a", `[[1,null,null],[2,"new",null],[null,"other case",1]]`)

	// A type becomes wider only if all existing values stay the same.
	narrow := arrow.NewSchema([]arrow.Field{{Name: "small", Type: arrow.PrimitiveTypes.Int32}, {Name: "big", Type: arrow.PrimitiveTypes.Int64}, {Name: "f", Type: arrow.PrimitiveTypes.Float32}}, nil)
	rows(t, s, "w", arrowStream, stream(t, narrow, record(t, narrow, `[{"small":1,"big":9007199254740993,"f":0.5}]`))).must(t, 200)
	rows(t, s, "w", ndjson, `{"small":1.5}`).must(t, 200)
	rows(t, s, "w", ndjson, `{"big":1.5}`).refused(t, 400, "invalid", `column "big"`)
	rows(t, s, "w", ndjson, `{"small":"x"}`).refused(t, 400, "invalid", `column "small"`)
	rows(t, s, "w", ndjson, `{"f":1e300}`).must(t, 200)
	equal(t, s, "SELECT small FROM w ORDER BY ALL", "[[1],[1.5],[null]]")
	equal(t, s, "SELECT column_type FROM (DESCRIBE w)", `[["DOUBLE"],["BIGINT"],["DOUBLE"]]`)

	// Declared types do not change.
	sql(t, s, "CREATE TABLE declared (n INTEGER, kind ENUM('a', 'b'))").must(t, 200)
	rows(t, s, "declared", ndjson, `{"n":2.0,"kind":"a"}`).must(t, 200)
	p := rows(t, s, "declared", ndjson, `{"n":1.5}`).refused(t, 400, "invalid", `column "n": "1.5" is not exact in type INTEGER`)
	if !strings.Contains(p.Hint, "TYPE DOUBLE") {
		t.Errorf("hint %q", p.Hint)
	}
	rows(t, s, "declared", ndjson, `{"kind":"c"}`).refused(t, 400, "invalid", `column "kind"`)
	sql(t, s, "ALTER TABLE declared ALTER COLUMN n TYPE DOUBLE").must(t, 200)
	rows(t, s, "declared", ndjson, `{"n":1.5,"came":1}`).must(t, 200)
	equal(t, s, "SELECT column_type FROM (DESCRIBE declared)", `[["DOUBLE"],["ENUM('a', 'b')"],["BIGINT"]]`)

	post(t, s, "/api/v1/tables/other/sch.t/rows", ndjson, `{"a":1}`).must(t, 200)
	equal(t, s, "SELECT * FROM other.sch.t", "[[1]]")
}

// TestWritersThatArriveFasterThanTheDiskTakesAreToldToWait has clients that hold the memory for
// writes, because they do not send the end of their bodies. The next client gets 503 and
// Retry-After. After the others are gone, it is served.
func TestWritersThatArriveFasterThanTheDiskTakesAreToldToWait(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--write-memory", "4MiB", "--max-body", "1MiB")
	var slow []func()
	for range 2 {
		slow = append(slow, stall(t, s, 1<<19-1))
	}
	waitFor(t, "two bodies to hold the memory", func() bool {
		return strings.Contains(send(t, s, "GET", "/api/v1/status", "").body, `"request_memory":2097152`)
	})
	a := rows(t, s, "t", ndjson, `{"text":"`+noise(100_000)+`"}`)
	a.refused(t, 503, "unavailable", "memory")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if a := post(t, s, "/write", "text/plain", "m t=\""+noise(100_000)+"\""); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("line protocol: %d %s", a.status, a.body)
	}
	for _, leave := range slow {
		leave()
	}
	rows(t, s, "t", ndjson, `{"text":"`+noise(100_000)+`"}`).must(t, 200)
	equal(t, s, "SELECT count(*) FROM t", "[[1]]")
}

// TestManyWritersOnLittleMemory checks that every acknowledged row is stored.
func TestManyWritersOnLittleMemory(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--write-memory", "2MiB", "--max-body", "512KiB", "--flush-bytes", "512KiB")
	const writers, each = 16, 8
	taken := make([]int, writers)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for range each {
				a := rows(t, s, "t", ndjson, fmt.Sprintf(`{"w":%d,"text":"%s"}`, w, noise(300_000)))
				switch a.status {
				case http.StatusOK:
					taken[w]++
				case http.StatusServiceUnavailable:
				default:
					t.Errorf("%d %s", a.status, a.body)
				}
			}
		})
	}
	all.Wait()
	total := 0
	for _, n := range taken {
		total += n
	}
	equal(t, s, "SELECT count(*) FROM t", fmt.Sprintf("[[%d]]", total))
	if total == 0 {
		t.Error("nobody was served")
	}
}

func TestRowsMeetTheChecksOfTheirTable(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE c (a INTEGER CHECK (a > 0), b INTEGER DEFAULT 7, CHECK (a < b))").must(t, 200)
	rows(t, s, "c", ndjson, `{"a":1}`).must(t, 200)
	rows(t, s, "c", ndjson, "{\"a\":1}\n{\"a\":null,\"b\":1}\n{\"a\":-1,\"b\":1}").refused(t, 400, "invalid", "row 3 violates a check of table default.main.c", "a > 0")
	rows(t, s, "c", ndjson, `{"a":8}`).refused(t, 400, "invalid", "row 1 violates", "a < b")
	post(t, s, "/api/v1/write/msgpack", msgpack, "\x82\xa1m\xa1c\xa7columns\x81\xa1a\x91\xff").refused(t, 400, "invalid", "violates")
	post(t, s, "/write", "text/plain", "c a=-1i,b=5i").must(t, 400)
	equal(t, s, "SELECT a, b FROM c", "[[1,7]]")

	sql(t, s, "CREATE TABLE k (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER DEFAULT 0, CHECK (a < b))").must(t, 200)
	rows(t, s, "k", ndjson, `{"id":1,"a":1,"b":5}`).must(t, 200)
	rows(t, s, "k", ndjson, `{"id":1,"a":6,"b":5}`).refused(t, 400, "invalid", "violates")
	rows(t, s, "k", ndjson, `{"id":1,"a":4}`).must(t, 200) // b is 5
	rows(t, s, "k", ndjson, `{"id":1,"a":5}`).refused(t, 400, "invalid", "violates")
	rows(t, s, "k", ndjson, `{"id":2,"a":4}`).refused(t, 400, "invalid", "violates")
	post(t, s, "/api/v1/tables/default/k/rows?mode=update", ndjson, `{"id":1,"b":3}`).refused(t, 400, "invalid", "violates")
	equal(t, s, "SELECT * FROM k", "[[1,4,5]]")
}

func TestEachRowHasItsOwnDefault(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE d (id UUID PRIMARY KEY DEFAULT uuid(), made TIMESTAMPTZ DEFAULT now(), kind VARCHAR DEFAULT 'new', n BIGINT)").must(t, 200)
	const n = 5000 // more rows than DuckDB returns in one chunk
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, "{\"n\":%d}\n", i)
	}
	rows(t, s, "d", ndjson, body.String()).must(t, 200)
	equal(t, s, "SELECT count(*), count(DISTINCT id), count(DISTINCT made), count(DISTINCT n), any_value(kind) FROM d", fmt.Sprintf(`[[%d,%[1]d,1,%[1]d,"new"]]`, n))
}
