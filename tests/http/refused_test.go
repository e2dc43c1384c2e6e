package http

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/tests/binary"
)

// everything selects everything except rows that a request can leave behind.
const everything = "SELECT table_catalog, table_schema, table_name, column_name, data_type FROM information_schema.columns WHERE table_schema <> 'scoter' ORDER BY ALL"

// TestARefusedRequestChangesNoTable refuses requests in all formats and modes, for different
// reasons.
func TestARefusedRequestChangesNoTable(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for _, table := range []string{
		"k (k BIGINT PRIMARY KEY, v INTEGER)",
		"checked (k BIGINT PRIMARY KEY, v INTEGER, w INTEGER, CHECK (v < 100))",
		"sorted (k BIGINT PRIMARY KEY, v INTEGER NOT NULL) SORTED BY (v)",
		"plain (v INTEGER NOT NULL, w VARCHAR CHECK (w <> 'bad'))",
		"versions (k BIGINT PRIMARY KEY, v INTEGER, ver BIGINT) WITH (version = 'ver')",
		"unseen (k BIGINT PRIMARY KEY, v INTEGER) WITH (upsert = 'merge-on-read')",
	} {
		sql(t, s, "CREATE TABLE "+table).must(t, 200)
	}
	rows(t, s, "checked", ndjson, `{"k":1,"v":5}`).must(t, 200)
	rows(t, s, "came", ndjson, `{"n":1}`).must(t, 200)
	before := sql(t, s, everything).must(t, 200).body
	wide := func(sets int) string { // this many sets of columns
		var b strings.Builder
		for i := range sets {
			fmt.Fprintf(&b, `{"k":%d,"c%d":1}`+"\n", i, i)
		}
		return b.String()
	}
	columns := arrow.NewSchema([]arrow.Field{{Name: "zzz", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	one := record(t, columns, `[{"zzz":1}]`)
	for _, c := range []struct{ name, path, contentType, body string }{
		{"no key", "k/rows", ndjson, `{"zzz":1}`},
		{"no key, upsert", "k/rows?mode=upsert", ndjson, `{"zzz":1}`},
		{"no key, update", "k/rows?mode=update", ndjson, `{"zzz":1}`},
		{"no key, delete", "k/rows?mode=delete", ndjson, `{"zzz":1}`},
		{"no key, as an array", "k/rows", "application/json", `[{"zzz":1}]`},
		{"no key, CSV", "k/rows", csv, "zzz\n1\n"},
		{"no key, Arrow", "k/rows", arrowStream, stream(t, columns, one)},
		{"no key, MessagePack", "k/rows", msgpack, packed([]any{pairs{"zzz", 1}})},
		{"NULL as key", "k/rows", ndjson, `{"k":null,"zzz":1}`},
		{"a key that some lack", "k/rows", ndjson, `{"k":1,"zzz":1}` + "\n" + `{"zzz":2}`},
		{"a type", "k/rows", ndjson, `{"k":1,"v":"x","zzz":1}`},
		{"a type behind a new column", "k/rows", ndjson, `{"k":1,"zzz":1}` + "\n" + `{"k":2,"v":"x"}`},
		{"sets of columns", "k/rows", ndjson, wide(300)},
		{"sets of columns of a new table", "newkeyed/rows?mode=upsert&key=k", ndjson, wide(300)},
		{"a key that a new table lacks", "newkeyed/rows?mode=upsert&key=id", ndjson, `{"k":1}`},
		{"a NULL in the key of a new table", "newkeyed/rows?mode=upsert&key=k", ndjson, `{"k":1}` + "\n" + `{"k":null}`},
		{"a list as key of a new table", "newkeyed/rows?mode=upsert&key=k", ndjson, `{"k":[1]}`},
		{"a check", "plain/rows", ndjson, `{"v":1,"w":"bad","zzz":1}`},
		{"a check of the row that is there", "checked/rows", ndjson, `{"k":1,"v":500,"zzz":1}`},
		{"a check, some columns", "checked/rows?mode=upsert", ndjson, `{"k":7,"v":500,"zzz":1}`},
		{"a check, another key", "checked/rows?mode=upsert&key=w", ndjson, `{"w":1,"k":2,"v":500,"zzz":1}`},
		{"NOT NULL", "plain/rows", ndjson, `{"zzz":1}`},
		{"NOT NULL, some rows", "plain/rows", ndjson, `{"v":1,"zzz":1}` + "\n" + `{"zzz":2}`},
		{"NOT NULL of a column that sorts", "sorted/rows", ndjson, `{"k":1,"zzz":1}`},
		{"rows that move", "sorted/rows", ndjson, `{"k":1,"v":1,"zzz":1}` + "\n" + `{"k":2,"v":3}`},
		{"rows of versions", "versions/rows", ndjson, `{"k":1,"zzz":1}` + "\n" + `{"k":2,"v":3}`},
		{"rows unseen", "unseen/rows", ndjson, `{"zzz":1}`},
		{"a second name", "k/rows", ndjson, `{"k":1,"zzz":1,"ZZZ":2}`},
		{"names of a new table", "newtable/rows", ndjson, `{"a":1,"A":2}`},
		{"a key by other columns", "plain/rows?mode=upsert&key=nothing", ndjson, `{"v":1,"zzz":1}`},
		{"a wider column and a bad one", "came/rows", ndjson, `{"n":1.5,"m":{"a":[]}}` + "\n" + `{"n":"x"}`},
		{"no mode like it", "newtable/rows?mode=nothing", ndjson, `{"a":1}`},
		{"a new database", "newtable/rows?mode=upsert&key=zz", ndjson, `{"a":1}`},
	} {
		database := "default"
		if c.name == "a new database" {
			database = "elsewhere"
		}
		if a := post(t, s, "/api/v1/tables/"+database+"/"+c.path, c.contentType, c.body); a.status != 400 && a.status != 409 {
			t.Errorf("%s: %d %s", c.name, a.status, a.body)
		}
		if after := sql(t, s, everything).must(t, 200).body; withoutTime(after) != withoutTime(before) {
			t.Fatalf("%s: tables were\n%s\nand are\n%s", c.name, before, after)
		}
	}
	equal(t, s, "SELECT count(*) FROM information_schema.schemata WHERE catalog_name = 'elsewhere'", "[[0]]")
	// All of it is accepted after it was corrected.
	rows(t, s, "k", ndjson, `{"k":1,"zzz":1}`).must(t, 200)
	rows(t, s, "checked", ndjson, `{"k":1,"v":50,"zzz":1}`).must(t, 200)
	equal(t, s, "SELECT k, v, zzz FROM checked", "[[1,50,1]]")
	equal(t, s, "SELECT k, v, zzz FROM k", "[[1,null,1]]")
}

// withoutTime cuts off the duration of a response.
func withoutTime(body string) string {
	before, _, _ := strings.Cut(body, `"row_count"`)
	return before
}

// TestAWholeNumberThatCameFirstMayHaveAFractionLater also checks that no stored number changes.
func TestAWholeNumberThatCameFirstMayHaveAFractionLater(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	rows(t, s, "t", ndjson, `{"k":1}`+"\n"+`{"k":9007199254740992}`).must(t, 200)
	rows(t, s, "t", ndjson, `{"k":1.5,"more":1}`).must(t, 200)
	rows(t, s, "t", ndjson, `{"k":-3}`).must(t, 200)
	equal(t, s, "SELECT k FROM t ORDER BY k", "[[-3],[1],[1.5],[9007199254740992]]")
	equal(t, s, "SELECT DISTINCT typeof(k) FROM t", `[["DOUBLE"]]`)
	rows(t, s, "t", ndjson, `{"k":9007199254740993}`).refused(t, 400, "invalid", "9007199254740993")

	rows(t, s, "large", ndjson, `{"k":9007199254740993}`).must(t, 200)
	rows(t, s, "large", ndjson, `{"k":1.5,"zzz":1}`).refused(t, 400, "invalid", "1.5")
	// and no column zzz
	equal(t, s, "SELECT COLUMNS(*)::VARCHAR FROM large", `[["9007199254740993"]]`)
	// an explicit change gives the result of a cast
	sql(t, s, "ALTER TABLE large ALTER k TYPE DOUBLE").must(t, 200)
	equal(t, s, "SELECT k::DECIMAL(20,0)::VARCHAR FROM large", `[["9007199254740992"]]`)

	sql(t, s, "CREATE TABLE declared (id INTEGER PRIMARY KEY, k BIGINT)").must(t, 200)
	rows(t, s, "declared", ndjson, `{"id":1,"k":5}`).must(t, 200)
	rows(t, s, "declared", ndjson, `{"id":2,"k":1.5}`).refused(t, 400, "invalid", "1.5")
	sql(t, s, "ALTER TABLE declared ALTER k TYPE DOUBLE").must(t, 200)
	rows(t, s, "declared", ndjson, `{"id":2,"k":1.5}`).must(t, 200)
	equal(t, s, "SELECT id, k FROM declared ORDER BY id", "[[1,5],[2,1.5]]")

	post(t, s, "/api/v1/tables/default/keyed/rows?mode=upsert&key=id", ndjson, `{"id":1,"k":1}`+"\n"+`{"id":2,"k":2}`).must(t, 200)
	post(t, s, "/api/v1/tables/default/keyed/rows?mode=upsert", ndjson, `{"id":2,"k":2.5}`+"\n"+`{"id":3,"k":3}`).must(t, 200)
	equal(t, s, "SELECT id, k FROM keyed ORDER BY id", "[[1,1],[2,2.5],[3,3]]")
	// Line protocol has its own types: an integer field stays an integer.
	post(t, s, "/write", "text/plain", "m v=1i 1000").must(t, 204)
	points(t, s, "m v=1.5 2000\nm v=2i 3000", "line 1: ")
	equal(t, s, "SELECT v, typeof(v) FROM m ORDER BY v", `[[1,"BIGINT"],[2,"BIGINT"]]`)
}
