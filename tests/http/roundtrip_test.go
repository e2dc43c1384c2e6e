package http

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/scoterdb/scoter/tests/binary"
)

const manyTypes = `CREATE TABLE many AS SELECT 9223372036854775807 AS i, 18446744073709551615::UBIGINT AS u, 17::HUGEINT AS h, 1.50::DECIMAL(4,2) AS d,
	12345678901234567890.123456789::DECIMAL(38,9) AS d2, 'nan'::DOUBLE AS f, 0.1::FLOAT AS f2, true AS b, TIMESTAMP '2024-01-01 00:00:00.123456' AS ts,
	TIMESTAMPTZ '2024-01-01 00:00:00+02' AS tz, DATE '2024-02-29' AS dt, TIME '12:34:56.789' AS tm, '2024-01-01'::TIMESTAMP_S AS tsec, '12:00:00+02'::TIMETZ AS tt,
	INTERVAL '1 month 2 days 3.5 seconds' AS iv, {'a': 1, 'b': [1, 2, NULL]} AS s, MAP {'x': 1, 'y': 2} AS m, [[1], []] AS l, array_value(1, 2)::INTEGER[2] AS a,
	'a'::ENUM('a', 'b') AS e, UUID '12345678-1234-1234-1234-123456789012' AS id, '101'::BIT AS bt, '{"a":[1,null]}'::JSON AS j, 'é' AS t`

// TestResultsCanBeWrittenBack writes a query's result into the same table and into a new one. The
// values must be the same.
func TestResultsCanBeWrittenBack(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, manyTypes).must(t, 200)
	for format, c := range map[string]struct {
		contentType string
		types       string // the types of a new table, where they differ
	}{
		"arrow":   {arrowStream, `[["bt","BIT","VARCHAR"],["e","ENUM('a', 'b')","VARCHAR"],["h","HUGEINT","DECIMAL(38,0)"],["tt","TIME WITH TIME ZONE","VARCHAR"]]`},
		"parquet": {parquet, `[["a","INTEGER[2]","INTEGER[]"],["bt","BIT","VARCHAR"],["e","ENUM('a', 'b')","VARCHAR"],["h","HUGEINT","DECIMAL(38,0)"],["iv","INTERVAL","VARCHAR"],["tsec","TIMESTAMP_S","TIMESTAMP_MS"],["tt","TIME WITH TIME ZONE","VARCHAR"]]`},
		"ndjson":  {ndjson, ""},
	} {
		body := post(t, s, "/api/v1/sql?format="+format, "text/plain", "SELECT * FROM many LIMIT 1").must(t, 200).body
		rows(t, s, "many", c.contentType, body).must(t, 200)
		equal(t, s, "SELECT count(DISTINCT many::VARCHAR) FROM many", "[[1]]")
		rows(t, s, "made_"+format, c.contentType, body).must(t, 200)
		if c.types != "" {
			equal(t, s, fmt.Sprintf(`SELECT a.column_name, a.data_type, b.data_type FROM scoter.columns a JOIN scoter.columns b ON a.column_name = b.column_name
				WHERE a.table_name = 'many' AND b.table_name = 'made_%s' AND a.data_type <> b.data_type ORDER BY 1`, format), c.types)
		}
	}
	equal(t, s, "SELECT count(*) FROM many", "[[4]]")
	equal(t, s, `SELECT column_name, data_type FROM scoter.columns WHERE table_name = 'made_ndjson' AND column_name IN ('ts', 'tz', 'dt', 'tm') ORDER BY 1`,
		`[["dt","DATE"],["tm","VARCHAR"],["ts","TIMESTAMP"],["tz","TIMESTAMP WITH TIME ZONE"]]`)
}

// TestSumsAreNumbersInArrow checks sums of integers, which are HUGEINT. Arrow does not have this
// type.
func TestSumsAreNumbersInArrow(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const query = "SELECT sum(x) AS s, [sum(x)] AS l, md5_number('a') AS u, '12:00:00+02'::TIMETZ AS t FROM (VALUES (9223372036854775807), (NULL), (1)) v(x)"
	a := post(t, s, "/api/v1/sql?format=arrow", "text/plain", query).must(t, 200)
	r, err := ipc.NewReader(strings.NewReader(a.body))
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	rec := r.RecordBatch()
	if got := rec.Column(0).(*array.Decimal128).Value(0).BigInt().String(); got != "9223372036854775808" {
		t.Error(got)
	}
	for i, want := range []string{"9223372036854775808", `["9223372036854775808"]`, "129134844867590561315626153795017621772", "12:00:00+02:00"} {
		if got := rec.Column(i).ValueStr(0); got != want || rec.Column(i).DataType().ID() == arrow.EXTENSION {
			t.Errorf("column %d: %s %s, want %s", i, rec.Column(i).DataType(), got, want)
		}
	}
}

func TestMembersOfUnionsAreWhatColumnsAre(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const query = `SELECT union_value(b := true) AS b, union_value(h := 5::HUGEINT) AS h, union_value(u := '00112233-4455-6677-8899-aabbccddeeff'::UUID) AS u,
		union_value(j := '[1]'::JSON) AS j, union_value(t := '12:00:00+02'::TIMETZ) AS t, union_value(l := [false, NULL]) AS l, [union_value(b := false)] AS n`
	const want = `{"b":{"b":true},"h":{"h":5},"u":{"u":"00112233-4455-6677-8899-aabbccddeeff"},"j":{"j":[1]},"t":{"t":"12:00:00+02:00"},"l":{"l":[false,null]},"n":[{"b":false}]}` + "\n"
	if a := post(t, s, "/api/v1/sql?format=ndjson", "text/plain", query).must(t, 200); a.body != want {
		t.Errorf("got %s", a.body)
	}
	a := post(t, s, "/api/v1/sql?format=arrow", "text/plain", query).must(t, 200)
	r, err := ipc.NewReader(strings.NewReader(a.body))
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	for i, member := range []arrow.Type{arrow.BOOL, arrow.DECIMAL128, arrow.FIXED_SIZE_BINARY, arrow.STRING, arrow.STRING, arrow.LIST} {
		if got := r.Schema().Field(i).Type.(arrow.UnionType).Fields()[0].Type; got.ID() != member {
			t.Errorf("column %d: a member of %s", i, got)
		}
	}
	file := post(t, s, "/api/v1/sql?format=parquet", "text/plain", query).must(t, 200)
	rows(t, s, "unions", parquet, file.body).must(t, 200)
	equal(t, s, "SELECT b, h, u, t FROM unions", `[["{\"b\":true}","{\"h\":5}","{\"u\":\"00112233-4455-6677-8899-aabbccddeeff\"}","{\"t\":\"12:00:00+02:00\"}"]]`)
}

func TestAnErrorBeforeTheFirstByteIsADocument(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const query = "SELECT 170141183460469231731687303715884105727::HUGEINT AS h"
	post(t, s, "/api/v1/sql?format=parquet", "text/plain", query).refused(t, 400, "invalid", `column "h"`, "more than 38 digits")
	post(t, s, "/api/v1/sql", "text/plain", "SELECT 1 <> error('a < b')").refused(t, 400, "invalid", "a < b")
	if a := sql(t, s, "SELECT error('a < b')"); !strings.Contains(a.body, "a < b") {
		t.Error(a.body)
	}
}

func TestJSONAndMapsStayWhatTheyAre(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE t (n INTEGER, j JSON, m MAP(VARCHAR, DOUBLE), s STRUCT(j JSON))").must(t, 200)
	rows(t, s, "t", ndjson, `{"n":1,"j":{"a": 1},"m":{"x":1,"y":null},"s":{"j":[{"b":1}]}}
{"n":2,"j":{"b":2},"m":{},"s":{"j":{"c":1.50}}}
{"n":3,"j":12345678901234567890123}
{"n":4,"j":"\"text\"","m":[{"key":"z","value":2}]}`).must(t, 200)
	a := post(t, s, "/api/v1/sql?format=ndjson", "text/plain", "FROM t ORDER BY n").must(t, 200)
	const want = `{"n":1,"j":{"a":1},"m":{"x":1.0,"y":null},"s":{"j":[{"b":1}]}}
{"n":2,"j":{"b":2},"m":{},"s":{"j":{"c":1.50}}}
{"n":3,"j":12345678901234567890123,"m":null,"s":null}
{"n":4,"j":"text","m":{"z":2.0},"s":null}
`
	if a.body != want {
		t.Errorf("got %s", a.body)
	}
	rows(t, s, "t", ndjson, `{"m":{"x":"far"}}`).refused(t, 400, "invalid", `row 1, column "m"`, "far")
}

func TestNumbersInJSONKeepTheDigitsOfTheirColumns(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE exact (d DECIMAL(18,4), h HUGEINT, n BIGINT, l DECIMAL(18,4)[])").must(t, 200)
	rows(t, s, "exact", ndjson, `{"d":12345678901234.5678,"h":170141183460469231731687303715884105727,"n":9007199254740993.0,"l":[12345678901234.5678]}
		{"d":1,"h":2.0,"n":3,"l":["0.5"]}`).must(t, 200)
	equal(t, s, "SELECT columns(*)::VARCHAR FROM exact ORDER BY n", `[["1.0000","2","3","[0.5000]"],["12345678901234.5678","170141183460469231731687303715884105727","9007199254740993","[12345678901234.5678]"]]`)
	for i := range 2 { // in either order
		body := post(t, s, "/api/v1/sql?format=ndjson", "text/plain", fmt.Sprintf("SELECT DISTINCT * FROM exact ORDER BY n %s", []string{"ASC", "DESC"}[i])).must(t, 200).body
		rows(t, s, "exact", ndjson, body).must(t, 200)
	}
	equal(t, s, "SELECT count(*), count(DISTINCT exact::VARCHAR) FROM exact", "[[6,2]]")
	rows(t, s, "exact", ndjson, `{"n":9007199254740993.5}`).must(t, 400)
}

func TestTimesInJSONAreTimes(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE declared (t VARCHAR)").must(t, 200)
	for _, table := range []string{"made", "declared"} {
		rows(t, s, table, ndjson, "{\"t\":\"2024-01-01T12:00:00Z\"}\n{\"t\":\"2024-01-01T12:00:00+01:00\"}").must(t, 200)
	}
	equal(t, s, "SELECT t::VARCHAR FROM declared ORDER BY ALL", `[["2024-01-01T12:00:00+01:00"],["2024-01-01T12:00:00Z"]]`)
	equal(t, s, "SELECT count(*), typeof(any_value(t)) FROM made WHERE t < now() - INTERVAL 1 DAY AND t > '2024-01-01 11:30:00+00'", `[[1,"TIMESTAMP WITH TIME ZONE"]]`)
	rows(t, s, "made", ndjson, `{"t":"soon"}`).refused(t, 400, "invalid", `"soon" is not a value of type TIMESTAMP WITH TIME ZONE`)
	rows(t, s, "made", ndjson, `{"u":"2024-01-01"}`).must(t, 200)
	equal(t, s, "SELECT data_type FROM scoter.columns WHERE table_name = 'made' ORDER BY position", `[["TIMESTAMP WITH TIME ZONE"],["DATE"]]`)
}

func TestParametersKeepTheirDigits(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	f := func(param, want string) {
		t.Helper()
		a := post(t, s, "/api/v1/sql?format=csv", "application/json", fmt.Sprintf(`{"sql": "SELECT $1 AS v, typeof($1) AS t", "params": [%s]}`, param)).must(t, 200)
		if got := strings.TrimPrefix(a.body, "v,t\n"); got != want+"\n" {
			t.Errorf("%s: %s", param, got)
		}
	}
	f("9007199254740993", "9007199254740993,BIGINT")
	f("18446744073709551615", "18446744073709551615,UBIGINT")
	f("123456789012345678901234567890", "123456789012345678901234567890,HUGEINT")
	f("-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728,HUGEINT")
	f("1.5", "1.5,DOUBLE")
	for _, param := range []string{"170141183460469231731687303715884105728", "-170141183460469231731687303715884105729", "1e400"} {
		post(t, s, "/api/v1/sql", "application/json", fmt.Sprintf(`{"sql": "SELECT $1", "params": [%s]}`, param)).refused(t, 400, "invalid", "parameter 1", param)
	}
	post(t, s, "/api/v1/sql", "application/json", `{"sql": "SELECT $1", "params": [1, 2]}`).refused(t, 400, "invalid", "2 given, 1 needed")
}

func TestStatementsMayBeCompressedAndLarge(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--max-body", "1MiB")
	long := "SELECT length('" + strings.Repeat("x", 300_000) + "') AS n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(long))
	_ = w.Close()
	for _, body := range []string{long, packed.String()} {
		if a := post(t, s, "/api/v1/sql?format=csv", "text/plain", body).must(t, 200); a.body != "n\n300000\n" {
			t.Error(a.body)
		}
	}
	post(t, s, "/api/v1/sql", "text/plain", packed.String(), "Content-Encoding", "gzip").must(t, 200)
	post(t, s, "/api/v1/sql", "text/plain", strings.Repeat(" ", 1<<20)+"SELECT 1").refused(t, 413, "too_large")
}

// TestDeclaredColumnsTakeWhateverJSONComes checks that a JSON column accepts any value, and that a
// VARCHAR column accepts any value as text, also in one request.
func TestDeclaredColumnsTakeWhateverJSONComes(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE j (id INTEGER, d JSON)").must(t, 200)
	sql(t, s, "CREATE TABLE v (id INTEGER, d VARCHAR, l VARCHAR[])").must(t, 200)
	const values = `{"id":1,"d":1}
{"id":2,"d":"x"}
{"id":3,"d":{"a":[1, "b"]}}
{"id":4,"d":[1,{"c":null}]}
{"id":5,"d":true}
{"id":6,"d":null}
{"id":7,"d":1.50}
{"id":8,"d":"{\"k\": 1}"}
{"id":9,"d":"say \"hi\""}`
	rows(t, s, "j", ndjson, values).must(t, 200)
	rows(t, s, "v", ndjson, values).must(t, 200)
	equal(t, s, "SELECT id, d::VARCHAR FROM j WHERE d::VARCHAR IS NOT NULL ORDER BY id",
		`[[1,"1"],[2,"\"x\""],[3,"{\"a\":[1,\"b\"]}"],[4,"[1,{\"c\":null}]"],[5,"true"],[7,"1.50"],[8,"{\"k\": 1}"],[9,"\"say \\\"hi\\\"\""]]`)
	equal(t, s, "SELECT id, d->>'$.k' FROM j WHERE id = 8", `[[8,"1"]]`)
	equal(t, s, "SELECT id, d FROM v ORDER BY id",
		`[[1,"1"],[2,"x"],[3,"{\"a\":[1,\"b\"]}"],[4,"[1,{\"c\":null}]"],[5,"true"],[6,null],[7,"1.50"],[8,"{\"k\": 1}"],[9,"say \"hi\""]]`)
	rows(t, s, "v", ndjson, `{"id":10,"l":[1,"x",true,null,{"a":1}]}`).must(t, 200)
	equal(t, s, "SELECT l FROM v WHERE id = 10", `[[["1","x","true",null,"{\"a\":1}"]]]`)
	rows(t, s, "j", csv, "id,d\n11,plain\n12,7\n").must(t, 200)
	equal(t, s, "SELECT id, d::VARCHAR FROM j WHERE id > 10 ORDER BY id", `[[11,"\"plain\""],[12,"7"]]`)
	rows(t, s, "j", msgpack, packed([]any{pairs{"id", 13, "d", "text"}, pairs{"id", 14, "d", []any{1, "b"}}})).must(t, 200)
	rows(t, s, "v", msgpack, packed([]any{pairs{"id", 13, "d", 5}, pairs{"id", 14, "d", "b"}, pairs{"id", 15, "d", []any{1, "b"}}})).must(t, 200)
	equal(t, s, "SELECT id, d::VARCHAR FROM j WHERE id > 12 ORDER BY id", `[[13,"\"text\""],[14,"[1,\"b\"]"]]`)
	equal(t, s, "SELECT id, d FROM v WHERE id > 12 ORDER BY id", `[[13,"5"],[14,"b"],[15,"[1,\"b\"]"]]`)
	// A text column that rows created is an ordinary VARCHAR. Without the column, no type fits both
	// values.
	rows(t, s, "came", ndjson, `{"status":"ok"}`).must(t, 200)
	rows(t, s, "came", ndjson, `{"status":200}`+"\n"+`{"status":"200 OK"}`).must(t, 200)
	equal(t, s, "SELECT status FROM came ORDER BY status", `[["200"],["200 OK"],["ok"]]`)
	rows(t, s, "new", ndjson, `{"status":200}`+"\n"+`{"status":"200 OK"}`).refused(t, 400, "invalid", "status")
}
