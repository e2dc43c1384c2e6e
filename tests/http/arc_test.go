package http

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/scoterdb/scoter/tests/binary"
)

// Each test of this file covers a mistake of another database: it answered with a 2xx status, but
// stored other data than the client had sent.

const arcPath = "/api/v1/write/msgpack"

// pairs is a map that is written as alternating keys and values, so that their order is fixed.
type pairs []any

func packed(v any) string {
	switch v := v.(type) {
	case nil:
		return "\xc0"
	case int:
		out := []byte{0xd3}
		for shift := 56; shift >= 0; shift -= 8 {
			out = append(out, byte(int64(v)>>shift))
		}
		return string(out)
	case string:
		return "\xd9" + string(rune(len(v))) + v
	case []any:
		out := string([]byte{0xdc, byte(len(v) >> 8), byte(len(v))})
		for _, x := range v {
			out += packed(x)
		}
		return out
	case pairs:
		out := string([]byte{0xde, byte(len(v) >> 9), byte(len(v) / 2)})
		for _, x := range v {
			out += packed(x)
		}
		return out
	}
	panic(fmt.Sprintf("no %T", v))
}

func columnar(table string, columns ...any) string {
	return packed(pairs{"m", table, "columns", pairs(columns)})
}

func TestAFractionAfterAnInteger(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	a := post(t, s, "/write", "text/plain", "m v=1i 1000\nm v=2.5 2000").must(t, 400)
	if !strings.Contains(a.body, "field type conflict") || !strings.Contains(a.body, "dropped=1") {
		t.Error(a.body)
	}
	equal(t, s, "SELECT v FROM m", "[[1]]") // not 2
	// The stored type decides, not the first line. Valid lines next to a refused one are stored.
	a = post(t, s, "/write", "text/plain", "m v=2.5 2000\nm v=3i 3000\nnew\\ one v=1i\nother v=1 4000\nbad\nm v=\"x\" 5000\nnew\\ one v=2.5").must(t, 400)
	for _, want := range []string{"line 1: field type conflict", "line 5: ", "line 6: field type conflict", "line 7: field type conflict", "dropped=4"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%q is not in %s", want, a.body)
		}
	}
	equal(t, s, "SELECT v FROM m ORDER BY time", "[[1],[3]]")
	equal(t, s, `SELECT v FROM "new one"`, "[[1]]")
	a = post(t, s, "/write", "text/plain", "m v=2.5 2000\nother v=1 4000").must(t, 400)
	if !strings.Contains(a.body, "partial write") {
		t.Error(a.body)
	}
	equal(t, s, "SELECT v FROM m ORDER BY time", "[[1],[3]]")
	equal(t, s, "SELECT v FROM other", "[[1],[1]]")
}

// TestAnErrorHasAShortHeader checks that the header stays short for any message, because proxies
// refuse headers of many kilobytes.
func TestAnErrorHasAShortHeader(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	post(t, s, "/write", "text/plain", "größe v=1 1000").must(t, 204)
	a := post(t, s, "/write", "text/plain", strings.Repeat("größe v=\"text\" 2000\n", 100)).must(t, 400)
	if len(a.body) < 10_000 || !strings.Contains(a.body, "dropped=100") {
		t.Error(a.body)
	}
	if h := a.header.Get("X-Influxdb-Error"); len(h) > 1024 || len(h) < 1000 || !strings.HasPrefix(h, "partial write: ") || !utf8.ValidString(h) {
		t.Errorf("%d bytes: %s", len(h), h)
	}
}

func TestGarbageLinesAreNamed(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	a := post(t, s, "/write", "text/plain", "m v=1 1000\n\nthis is garbage\nm v=2 2000\nm v=3 notatime").must(t, 400)
	for _, want := range []string{"partial write", "line 3", "line 5", "dropped=2"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%q is not in %s", want, a.body)
		}
	}
	equal(t, s, "SELECT v FROM m ORDER BY time", "[[1],[2]]") // and no row with the current time
	if a := post(t, s, "/write", "text/plain", "garbage").must(t, 400); !strings.Contains(a.body, "unable to parse") {
		t.Error(a.body)
	}
}

func TestUnitsOfTimeAreNotMixedUp(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const seconds, millis = 1_700_000_000, 1_700_000_000_000
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{seconds, millis}, "v", []any{1, 2})).refused(t, 400, "invalid", "unit")
	// ms of 1970, or s of 1972
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{86_400_000}, "v", []any{1})).refused(t, 400, "invalid", "unit")
	equal(t, s, "SELECT count(*) FROM scoter.tables", "[[0]]")
	post(t, s, arcPath+"?precision=ms", msgpack, columnar("m", "time", []any{86_400_000}, "v", []any{1})).must(t, 204)
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{seconds}, "v", []any{2})).must(t, 204)
	equal(t, s, "SELECT time, v FROM m ORDER BY v", `[["1970-01-02T00:00:00Z",1],["2023-11-14T22:13:20Z",2]]`)
}

func TestABadItemOfABatchRefusesTheBatch(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	good := pairs{"m", "a", "columns", pairs{"v", []any{1}}}
	for _, bad := range []any{
		5, pairs{"m", "b"}, pairs{"m", "b", "columns", pairs{"v", []any{1}, "w", []any{1, 2}}}, pairs{"columns", pairs{"v", []any{1}}},
		pairs{"m", "a", "columns", pairs{"v", []any{"text"}}},
	} {
		for _, body := range []string{packed([]any{good, bad}), packed(pairs{"batch", []any{good, bad}})} {
			post(t, s, arcPath, msgpack, body).refused(t, 400, "invalid")
		}
	}
	equal(t, s, "SELECT count(*) FROM scoter.tables", "[[0]]")
	// The other rows of a request with a type conflict must not be stored.
	post(t, s, arcPath, msgpack, columnar("late", "v", []any{1})).must(t, 204)
	post(t, s, arcPath, msgpack, packed([]any{good, pairs{"m", "late", "columns", pairs{"v", []any{"text"}}}})).refused(t, 400, "invalid", "late")
	equal(t, s, "SELECT coalesce(sum(rows), 0) FROM scoter.tables WHERE table_name = 'a'", "[[0]]")
	equal(t, s, "SELECT v FROM late", "[[1]]")
}

func TestNanosecondsAreStored(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sent := "SELECT string_agg(epoch_ns(time) + coalesce(time_nanos, 0), ' ' ORDER BY v) FROM "
	post(t, s, "/write", "text/plain", "m v=1 1700000000000000001\nm v=2 1700000000000000002").must(t, 204)
	equal(t, s, sent+"m", `[["1700000000000000001 1700000000000000002"]]`)
	// Nanoseconds are kept whatever the first batch had, and before 1970.
	post(t, s, "/write?precision=s", "text/plain", "late v=1 1700000000").must(t, 204)
	post(t, s, "/write", "text/plain", "late v=2 1700000000000000002\nlate v=3 -1\nlate v=4 1700000000000001000").must(t, 204)
	post(t, s, arcPath, msgpack, columnar("late", "time", []any{1_700_000_000_000_000_007}, "v", []any{5})).must(t, 204)
	equal(t, s, sent+"late", `[["1700000000000000000 1700000000000000002 -1 1700000000000001000 1700000000000000007"]]`)
	equal(t, s, "SELECT typeof(any_value(time)), count(*) FROM late WHERE time > '2023-11-14 22:13:20Z'::TIMESTAMPTZ - INTERVAL 1 HOUR", `[["TIMESTAMP WITH TIME ZONE",4]]`)
	equal(t, s, "SELECT count(*) FROM late WHERE time > now() - INTERVAL 1 HOUR", "[[0]]")
	// If the table's time is TIMESTAMP_NS, the nanoseconds are stored in it.
	sql(t, s, "CREATE TABLE fine (v DOUBLE, time TIMESTAMP_NS)").must(t, 200)
	// one type conflict
	post(t, s, "/write", "text/plain", "fine v=1i 1700000000000000001\nfine v=2 1700000000000000002\nfine v=3 1700000000000000003").must(t, 400)
	equal(t, s, "SELECT max(time)::VARCHAR, count(*) FROM fine", `[["2023-11-14 22:13:20.000000003",2]]`)
	// A client may not write the column that has the nanoseconds.
	post(t, s, "/write", "text/plain", "own time_nanos=1 1700000000000000001").must(t, 400)
}

func TestAColumnOfNullsDoesNotBecomeText(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{1_700_000_000}, "v", []any{nil}, "w", []any{1})).must(t, 204)
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{1_700_000_001}, "v", []any{7}, "w", []any{1})).must(t, 204)
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{1_700_000_002}, "v", []any{nil}, "w", []any{nil})).must(t, 204)
	equal(t, s, "SELECT sum(v), sum(w), count(*) FROM m", "[[7,2,3]]")
	// One text among numbers is refused, because it would change the type of the column for all
	// clients.
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{1_700_000_003}, "v", []any{"seven"}, "w", []any{1})).refused(t, 400, "invalid", `"v"`)
	post(t, s, arcPath, msgpack, columnar("m", "time", []any{1_700_000_003}, "v", []any{nil, "seven", 7}, "w", []any{1, 1, 1})).must(t, 400)
	equal(t, s, "SELECT sum(v), sum(w), count(*) FROM m", "[[7,2,3]]")
}

// TestRowsAreVisibleWithTheAcknowledgement checks that rows are visible at once, with times in
// different hours.
func TestRowsAreVisibleWithTheAcknowledgement(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--flush-age", "1h")
	for i := range 20 {
		post(t, s, "/write?precision=s", "text/plain", fmt.Sprintf("m v=%d %d", i, 1_700_000_000+3600*i)).must(t, 204)
		equal(t, s, fmt.Sprintf("SELECT count(*) FROM m WHERE time >= to_timestamp(%d)", 1_700_000_000+3600*i), "[[1]]")
	}
}

func TestColumnsComeInOneOrder(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for range 5 {
		post(t, s, arcPath, msgpack, columnar("m", "z", []any{1}, "a", []any{2}, "k", []any{3})).must(t, 204)
		post(t, s, arcPath, msgpack, columnar("m", "k", []any{3}, "z", []any{1}, "a", []any{2})).must(t, 204)
	}
	equal(t, s, "SELECT * EXCLUDE (time) FROM m GROUP BY ALL", "[[1,2,3]]")
}

func TestColumnsMayHaveNamesOfStatements(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	rows(t, s, "t", ndjson, `{"load":1,"set":2,"copy":3,"call":4,"time":5,"order":6}`).must(t, 200)
	equal(t, s, `SELECT load, "set", copy, call, time, "order" FROM t`, "[[1,2,3,4,5,6]]")
}

func TestTheReadingRoleCannotWriteInDisguise(t *testing.T) {
	s := withTokens(t)
	for _, text := range []string{
		"CREATE OR REPLACE TABLE x AS SELECT 1", "CREATE TEMP TABLE x AS SELECT 1", "CREATE VIEW x AS SELECT 1", "CREATE MACRO x() AS 1", "CREATE SCHEMA x",
		"WITH a AS (SELECT 1) INSERT INTO x SELECT * FROM a", "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1", "SELECT 1; CREATE SEQUENCE x",
		"FROM (INSERT INTO x VALUES (1) RETURNING *)", "/* SELECT */ DROP SCHEMA main",
	} {
		a := post(t, s, "/api/v1/sql", "text/plain", text, "Authorization", "Bearer reader")
		if a.status != 403 && a.status != 400 {
			t.Errorf("%s: %d %s", text, a.status, a.body)
		}
	}
	a := post(t, s, "/api/v1/sql", "text/plain", "SELECT count(*) FROM scoter.tables", "Authorization", "Bearer reader").must(t, 200)
	if !strings.Contains(a.body, "[0]") {
		t.Error(a.body)
	}
}
