package http

import (
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// points writes lines into the default database. It checks that exactly the given lines are
// refused, each with its number.
func points(t *testing.T, s *binary.Server, lines string, refused ...string) {
	t.Helper()
	a := post(t, s, "/write", "text/plain", lines)
	if len(refused) == 0 {
		a.must(t, 204)
		return
	}
	a.must(t, 400)
	if !strings.Contains(a.body, "partial write") {
		t.Error(a.body)
	}
	for _, want := range refused {
		if !strings.Contains(a.body, want) {
			t.Errorf("%s\nlacks %q", a.body, want)
		}
	}
	// each line is in the error and in the message
	if n := strings.Count(a.body, "line ") / 2; n != len(refused) {
		t.Errorf("%d lines are refused, want %d: %s", n, len(refused), a.body)
	}
}

// TestAPartialWriteStoresEachPointOnce checks partial writes for different kinds of tables.
func TestAPartialWriteStoresEachPointOnce(t *testing.T) {
	for name, table := range map[string]string{
		"key":           "CREATE TABLE keyed (k BIGINT PRIMARY KEY, x VARCHAR, v DOUBLE)",
		"check":         "CREATE TABLE keyed (k BIGINT PRIMARY KEY, x VARCHAR, v DOUBLE, CHECK (v < 100))",
		"version":       "CREATE TABLE keyed (k BIGINT PRIMARY KEY, x VARCHAR, v DOUBLE, ver BIGINT) WITH (version = 'ver')",
		"merge on read": "CREATE TABLE keyed (k BIGINT PRIMARY KEY, x VARCHAR, v DOUBLE) WITH (upsert = 'merge-on-read')",
		"sorted":        "CREATE TABLE keyed (k BIGINT PRIMARY KEY, x VARCHAR, v DOUBLE) SORTED BY (x)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := binary.Serve(t, t.TempDir())
			sql(t, s, table).must(t, 200)
			points(t, s, "plain v=1 1000\nkeyed,x=1 v=1 1000\nplain v=2 2000", "line 2: ")
			points(t, s, "plain v=3 3000\nkeyed,x=1 v=1 1000\nkeyed k=1i,v=2 2000\nplain v=4 4000\nkeyed k=2i 1000", "line 2: ")
			points(t, s, "plain v=5 5000\nkeyed k=3i,v=1 1000\nkeyed k=4i,x=\"a\" 2000\nkeyed v=7 1000\nplain v=\"6\" 6000\nplain v=7 7000", "line 4: ", "line 5: ")
			equal(t, s, "SELECT v FROM plain ORDER BY v", "[[1],[2],[3],[4],[5],[7]]")
			equal(t, s, "SELECT k, v FROM keyed ORDER BY k", "[[1,2],[2,null],[3,1],[4,null]]")
		})
	}
}

// TestAPartialWriteWithAKeyIsRepeatedWithoutHarm repeats a partial write, also if a part of it has
// its own idempotency key.
func TestAPartialWriteWithAKeyIsRepeatedWithoutHarm(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE keyed (k BIGINT PRIMARY KEY, x VARCHAR, v DOUBLE, CHECK (v < 100))").must(t, 200)
	lines := "plain v=1 1000\nkeyed,x=1 v=1 1000\nkeyed k=1i,v=2 2000\nplain v=2 2000\nkeyed,x=a k=2i 1000"
	for range 3 {
		a := post(t, s, "/write", "text/plain", lines, "Idempotency-Key", "p").must(t, 400)
		if !strings.Contains(a.body, "line 2: ") || !strings.Contains(a.body, "dropped=1") {
			t.Error(a.body)
		}
		// the repetition must not undo this
		sql(t, s, "UPDATE keyed SET v = 5 WHERE k = 1").must(t, 200)
	}
	equal(t, s, "SELECT v FROM plain ORDER BY v", "[[1],[2]]")
	equal(t, s, "SELECT k, v FROM keyed ORDER BY k", "[[1,5],[2,null]]")
}

func TestTimesAtTheEndsCostNoOtherPoints(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	points(t, s, "m v=1 1\nm v=2 9223372036854775807\nm v=3 -9223372036854775807\nm v=4 9223372036854775806\nm v=5 -9223372036854775806\nm v=6 -9223372036854775808\nm v=7 99999999999999999999",
		"line 2: bad timestamp: out of range", "line 3: bad timestamp: out of range", "line 6: bad timestamp: out of range", "line 7: bad timestamp: out of range")
	equal(t, s, "SELECT v, (epoch_us(time)::HUGEINT * 1000 + coalesce(time_nanos, 0))::VARCHAR FROM m ORDER BY v",
		`[[1,"1"],[4,"9223372036854775806"],[5,"-9223372036854775806"]]`)
	a := post(t, s, "/write?precision=us", "text/plain", "u v=1 1\nu v=2 9223372036854775807\nu v=3 -9223372036854775807\nu v=4 9223372036854775806\nu v=5 -9223372022400000000").must(t, 400)
	if !strings.Contains(a.body, "line 2: bad") || !strings.Contains(a.body, "line 3: bad") || !strings.Contains(a.body, "dropped=2") {
		t.Error(a.body)
	}
	equal(t, s, "SELECT v FROM u WHERE isfinite(time) ORDER BY v", "[[1],[4],[5]]")
}

func TestAFieldNamedAsNanosecondsCostsNoOtherPoints(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	points(t, s, "n time_nanos=5i 1000\nn v=1 2000")
	points(t, s, "m time_nanos=5i 1000\nm v=1 1001\nm v=2 2000\nm v=3,time_nanos=1i 2001", "line 1: ", "line 4: ")
	equal(t, s, "SELECT v, time_nanos FROM m ORDER BY v", "[[1,1],[2,0]]")
}

func TestNamesThatDifferInCaseAreOne(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	points(t, s, "m,Host=a Temp=1 1000\nM,host=b temp=2 2000\nm,host=c TEMP=\"x\" 3000\nm,host=d Temp=1,temp=2 4000\nm,Time=x v=1 5000\nother v=1 1000",
		"line 3: field type conflict", "line 4: duplicate field", "line 5: ")
	equal(t, s, "SELECT Host, Temp FROM m ORDER BY time", `[["a",1],["b",2]]`)
	equal(t, s, "SELECT v FROM other", "[[1]]")
}

func TestPointsForAViewCostNoOthers(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE VIEW w AS SELECT 1 AS a").must(t, 200)
	points(t, s, "m v=1 1000\nw v=2 1000\nm v=2 2000\nW v=3 1000", `line 2: \"w\" is a view`, `line 4: \"w\" is a view`)
	equal(t, s, "SELECT v FROM m ORDER BY v", "[[1],[2]]")
}

// TestRefusedPointsLeaveNoColumns checks that columns which only refused points have are not added.
func TestRefusedPointsLeaveNoColumns(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE keyed (k BIGINT PRIMARY KEY, v DOUBLE)").must(t, 200)
	sql(t, s, "CREATE TABLE strict (v INTEGER NOT NULL, time TIMESTAMPTZ)").must(t, 200)
	points(t, s, "keyed k=1i,v=1 1000\nkeyed v=2,lost=1 2000\nstrict v=1i 1000\nstrict lost=2 1000\nonly bad= 5\nstrict v=3i,more=4 2000", "line 2: ", "line 4: ", "line 5: ")
	equal(t, s, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'main' ORDER BY ALL",
		`[["keyed","k"],["keyed","time"],["keyed","v"],["strict","more"],["strict","time"],["strict","v"]]`)
	points(t, s, "strict lost=2 1000\nstrict lost=3,other=4 1000", "line 1: ", "line 2: ")
	equal(t, s, "SELECT count(*) FROM information_schema.columns WHERE column_name IN ('lost', 'other')", "[[0]]")
}
