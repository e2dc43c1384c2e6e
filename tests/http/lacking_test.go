package http

import (
	"net/http"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestPointsWithoutATagOfTheKeyHaveItsDefault sends points of which some lack a tag of the key.
// Such a point gets the tag's default, and may then have the same key as another point.
func TestPointsWithoutATagOfTheKeyHaveItsDefault(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for _, options := range []string{"", " WITH (upsert = 'merge-on-read')"} {
		sql(t, s, "CREATE OR REPLACE TABLE k (h VARCHAR DEFAULT 'none', time TIMESTAMPTZ, used DOUBLE, free DOUBLE, PRIMARY KEY (h, time))"+options).must(t, http.StatusOK)
		lines := func(all ...string) {
			t.Helper()
			post(t, s, "/write?precision=s", "text/plain", strings.Join(all, "\n")).must(t, http.StatusNoContent)
		}
		lines("k used=1 1", "k,h=a used=2 1")
		equal(t, s, "SELECT h, used FROM k ORDER BY h", `[["a",2],["none",1]]`)
		// one key, in the order of the points
		lines("k used=5 1", "k,h=none used=6 1", "k used=7 1")
		equal(t, s, "SELECT h, used FROM k ORDER BY h", `[["a",2],["none",7]]`)
		lines("k,h=none used=1 2", "k used=2 2", "k,h=none free=3 2", "k,h=a used=4 2", "k used=5 3")
		equal(t, s, "SELECT h, epoch(time)::BIGINT, used, free FROM k WHERE epoch(time) > 1 ORDER BY ALL", `[["a",2,4,null],["none",2,2,3],["none",3,5,null]]`)
	}
	// Without a default, these points are refused by name and the others are stored.
	sql(t, s, "CREATE TABLE strict (h VARCHAR, time TIMESTAMPTZ, used DOUBLE, PRIMARY KEY (h, time))").must(t, http.StatusOK)
	got := post(t, s, "/write?precision=s", "text/plain", "strict used=1 1\nstrict,h=a used=2 1\nstrict used=3 2").must(t, http.StatusBadRequest)
	if !strings.Contains(got.body, "dropped=2") {
		t.Error(got.body)
	}
	equal(t, s, "SELECT h, used FROM strict", `[["a",2]]`)
}

// TestRowsThatLackANewColumnDoNotOverwrite sends rows of which some lack a column that other rows
// add to the table. The result is the same as if the table had had the column, so repeating the
// request has the same effect.
func TestRowsThatLackANewColumnDoNotOverwrite(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	path := "/api/v1/tables/default/p/rows"
	for _, upsert := range []string{"merge-on-write", "merge-on-read"} {
		create := func(columns, options string) {
			t.Helper()
			sql(t, s, "CREATE OR REPLACE TABLE p (id INTEGER PRIMARY KEY, "+columns+") WITH (upsert = '"+upsert+"'"+options+")").must(t, http.StatusOK)
		}
		create("name VARCHAR", "")
		for range 2 {
			post(t, s, path, ndjson, `{"id":1,"x":5}`+"\n"+`{"id":1,"name":"Ada"}`+"\n"+`{"id":2,"name":"B","x":null}`).refused(t, http.StatusBadRequest, "invalid", "lack the column", "x")
		}
		for range 2 {
			post(t, s, path, ndjson, `{"id":1,"name":"A","x":5}`+"\n"+`{"id":1,"name":"Ada"}`).must(t, http.StatusOK)
			equal(t, s, "SELECT * FROM p", `[[1,"Ada",5]]`)
		}
		for columns, options := range map[string]string{"v INTEGER CHECK (v > 0)": "", "v INTEGER": ", version = 'v'"} {
			create(columns, options)
			for range 2 {
				post(t, s, path, ndjson, `{"id":1,"v":1,"x":5}`+"\n"+`{"id":1,"v":2}`).refused(t, http.StatusBadRequest, "invalid", "lack the column", "x")
			}
			equal(t, s, "SELECT * FROM p", `[]`)
			post(t, s, path, ndjson, `{"id":1,"v":1,"x":5}`+"\n"+`{"id":1,"v":2,"x":6}`).must(t, http.StatusOK)
			equal(t, s, "SELECT * FROM p", `[[1,2,6]]`)
		}
	}
}
