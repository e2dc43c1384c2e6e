package ndjson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
	"github.com/scoterdb/scoter/internal/schema"
)

func TestDecode(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		batch, err := Decode([]byte(body), Options{})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			return
		}
		defer batch.Release()
		if err := ingest.Validate(batch); err != nil {
			t.Error(err)
		}
		if got := ingesttest.Show(ingest.Rows{Batch: batch}); got != strings.TrimRight(": "+want, " ") {
			t.Errorf("%s:\n got %s\nwant : %s", body, got, want)
		}
	}
	f(`{"a":1,"b":"x"}`+"\n"+`{"b":"y","a":2}`+"\r\n", "a int64 [1 2] b utf8 [x y]")
	f(`[{"a":1},{"b":true}]`, "a int64 [1 (null)] b bool [(null) true]")
	f(`{"a":1}{"a":2} {"a":3}`, "a int64 [1 2 3]")
	f("\ufeff"+`{"a":1}`, "a int64 [1]")
	f(" \n[ ] \n", "")
	f("", "")
	f(`{"a":1}{"a":2.5}{"a":1e3}{"a":-0}`, "a float64 [1 2.5 1000 -0]")
	f(`{"a":9223372036854775807}{"a":18446744073709551615}`, "a uint64 [9223372036854775807 18446744073709551615]")
	f(`{"a":100000000000000000000}`, "a float64 [1e+20]")
	f(`{"a":null}{"a":null}`, "a null [(null) (null)]")
	f(`{"a":null}{"a":1}`, "a int64 [(null) 1]")
	f(`{"a":"2026-01-31T00:00:00Z"}`, "a utf8 [2026-01-31T00:00:00Z]")
	f(`{"a":"q\"\\\/\n\u00fc\ud83d\ude00","\u0062":1}`, "a utf8 [q\"\\/\nü😀] b int64 [1]")
	f(`{"a":[1,null,2]}{"a":[]}{"a":null}`, "a list<item: int64, nullable> [[1,null,2] [] (null)]")
	f(`{"a":[]}`, "a list<item: null, nullable> [[]]")
	f(`{"a":{"b":1}}{"a":{"c":["x"]}}{"a":{}}`, `a struct<b: int64 nullable, c: list<item: utf8, nullable> nullable> [{"b":1,"c":null} {"b":null,"c":["x"]} {"b":null,"c":null}]`)
	f(`{"a":[{"b":1},{"b":2.5}]}`, `a list<item: struct<b: float64 nullable>, nullable> [[{"b":1},{"b":2.5}]]`)
	f(`{}`, "")
}

func TestTheTablesTypesSayHowValuesAreRead(t *testing.T) {
	types := []schema.Field{{Name: "n", Type: schema.Of(schema.BigInt)}, {Name: "J", Type: schema.Of(schema.JSON)},
		{Name: "m", Type: schema.MapOf(schema.Of(schema.Varchar), schema.Of(schema.JSON))},
		{Name: "s", Type: schema.StructOf(schema.Field{Name: "m", Type: schema.MapOf(schema.Of(schema.Integer), schema.ListOf(schema.Of(schema.BigInt)))}, schema.Field{Name: "x", Type: schema.Of(schema.Double)})},
		{Name: "l", Type: schema.ListOf(schema.Of(schema.JSON))}, {Name: "date", Type: schema.Of(schema.Varchar)}}
	f := func(body, want string) {
		t.Helper()
		batch, err := Decode([]byte(body), Options{Types: types, Moments: true})
		if err != nil {
			t.Errorf("%s: %v", body, err)
			return
		}
		defer batch.Release()
		if err := ingest.Validate(batch); err != nil {
			t.Error(err)
		}
		if got := ingesttest.Show(ingest.Rows{Batch: batch}); got != ": "+want {
			t.Errorf("%s:\n got %s\nwant : %s", body, got, want)
		}
	}
	f(`{"j":{"a": 1}}{"j":[1, 2.50]}{"j":12345678901234567890}{"j":true}{"j":null}{"j":"{\"text\":1}"}`,
		`j utf8 [{"a":1} [1,2.50] 12345678901234567890 true (null) {"text":1}]`)
	f(`{"m":{"a":{"x":1},"b":[]}}{"m":{}}{"m":null}{"m":[{"key":"c","value":{"y": null}}]}`,
		`m list<item: struct<key: utf8 nullable, value: utf8 nullable>, nullable> [[{"key":"a","value":"{\"x\":1}"},{"key":"b","value":"[]"}] [] (null) [{"key":"c","value":"{\"y\":null}"}]]`)
	f(`{"s":{"x":1,"m":{"7":[8]}}}`, `s struct<x: int64 nullable, m: list<item: struct<key: utf8 nullable, value: list<item: int64, nullable> nullable>, nullable> nullable> [{"m":[{"key":"7","value":[8]}],"x":1}]`)
	f(`{"l":[{"a":1},5,"\"t\""]}`, `l list<item: utf8, nullable> [["{\"a\":1}","5","\"t\""]]`)
	f(`{"other":{"b": 1}}`, `other struct<b: int64 nullable> [{"b":1}]`)

	natural := func(values, want string) {
		t.Helper()
		batch, err := Decode([]byte(values), Options{Types: types, Moments: true})
		if err != nil {
			t.Fatal(err)
		}
		defer batch.Release()
		if got, _ := batch.Schema().Field(0).Metadata.GetValue(schema.NaturalKey); got != want || batch.Schema().Field(0).Type.ID() != arrow.DICTIONARY && batch.Schema().Field(0).Type.ID() != arrow.STRING {
			t.Errorf("%s: %q, want %q", values, got, want)
		}
	}
	natural(`{"t":"2026-01-31T00:00:00Z"}{"t":null}{"t":"2026-01-31 00:00:00.5+02:00"}`, "TIMESTAMP WITH TIME ZONE")
	natural(`{"t":"2026-01-31T00:00:00"}`, "TIMESTAMP")
	natural(`{"t":"2026-01-31T00:00:00.000000001"}`, "TIMESTAMP_NS")
	natural(`{"t":"2026-01-31"}`, "DATE")
	natural(`{"t":"2026-01-31"}{"t":"2026-01-31T00:00:00"}`, "")
	natural(`{"t":"2026-01-31T00:00:00Z"}{"t":"never"}`, "")
	natural(`{"t":"2026-01-31T00:00:00.000000001Z"}`, "")
	natural(`{"t":""}`, "")
	natural(`{"date":"2026-01-31"}`, "")
}

func TestNumbersKeepTheDigitsThatTheTablesTypesHave(t *testing.T) {
	of := func(text string) schema.Type {
		parsed, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	types := []schema.Field{{Name: "d", Type: of("DECIMAL(18,4)")}, {Name: "h", Type: of("HUGEINT")}, {Name: "N", Type: of("BIGINT")}, {Name: "u", Type: of("UBIGINT")},
		{Name: "l", Type: of("DECIMAL(18,4)[]")}, {Name: "s", Type: of("STRUCT(x DOUBLE, n BIGINT)")}, {Name: "m", Type: of("MAP(HUGEINT, BIGINT)")}}
	f := func(body, want string) {
		t.Helper()
		got := ""
		batch, err := Decode([]byte(body), Options{Types: types, Moments: true})
		if err != nil {
			got = ": " + err.Error()
		} else {
			defer batch.Release()
			if err := ingest.Validate(batch); err != nil {
				t.Error(err)
			}
			got = ingesttest.Show(ingest.Rows{Batch: batch})
		}
		if got != ": "+want {
			t.Errorf("%s:\n got %s\nwant : %s", body, got, want)
		}
	}
	f(`{"d":12345678901234.5678}{"d":"12345678901234.5679"}{"d":-7}{"d":null}{"d":1.5e3}`, `d utf8 [12345678901234.5678 12345678901234.5679 -7 (null) 1.5e3]`)
	f(`{"h":1}{"h":"170141183460469231731687303715884105727"}{"h":12345678901234567890123}`, `h utf8 [1 170141183460469231731687303715884105727 12345678901234567890123]`)
	f(`{"n":9007199254740993.0}{"n":9007199254740995}{"n":-0}{"n":-0.0}{"n":1e3}`, `n int64 [9007199254740993 9007199254740995 0 0 1000]`)
	f(`{"u":1.8446744073709551615e19}{"u":2.0}`, `u uint64 [18446744073709551615 2]`)
	f(`{"n":2.5}{"n":2}{"n":1e100}`, `n float64 [2.5 2 1e+100]`)
	f(`{"n":1}{"n":9007199254740993.5}`, `row 2, column "n": "9007199254740993.5" is not exact in type BIGINT`)
	f(`{"n":1.00000000000000000001}`, `row 1, column "n": "1.00000000000000000001" is not exact in type BIGINT`)
	f(`{"n":1e999}`, `row 1, column "n": number "1e999" is out of range`)
	f(`{"l":[0.1,12345678901234.5678]}`, `l list<item: utf8, nullable> [["0.1","12345678901234.5678"]]`)
	f(`{"s":{"x":1.0,"n":9007199254740993.0}}`, `s struct<x: float64 nullable, n: int64 nullable> [{"n":9007199254740993,"x":1}]`)
	f(`{"m":{"1":9007199254740993.0}}{"m":[{"key":12345678901234567890123,"value":1e0}]}`,
		`m list<item: struct<key: utf8 nullable, value: int64 nullable>, nullable> [[{"key":"1","value":9007199254740993}] [{"key":"12345678901234567890123","value":1}]]`)
	f(`{"n":1.0,"d":1}{"d":2,"n":3.0}{"d":"x","other":2.0,"n":5.0}`, `n int64 [1 3 5] d utf8 [1 2 x] other float64 [(null) (null) 2]`)
}

func TestDecodeRefuses(t *testing.T) {
	f := func(body, want string, position int) {
		t.Helper()
		batch, err := Decode([]byte(body), Options{})
		if err == nil {
			t.Errorf("%s: accepted: %s", body, ingesttest.Show(ingest.Rows{Batch: batch}))
			return
		}
		if k := base.KindOf(err); k != base.Invalid && k != base.TooLarge {
			t.Errorf("%s: kind %v", body, k)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", body, err, want)
		}
		if e, ok := err.(*base.Error); !ok || position > 0 && e.Position != position {
			t.Errorf("%s: position %d, want %d", body, e.Position, position)
		}
	}
	f(`{"a":1}`+"\n"+`{"a":"x"}`, `row 2, column "a": a string in a column that holds an integer`, 0)
	f(`{"a":1,"a":2}`, `row 1, column "a": the column is given twice`, 0)
	f(`{"a":{"b":1,"b":2}}`, `row 1, column "a.b": the column is given twice`, 0)
	f(`{"a":9007199254740993}{"a":2.5}`, `row 1, column "a": integer 9007199254740993`, 0)
	f(`{"a":100000000000000000001}`, `row 1, column "a": integer "100000000000000000001" does not fit`, 0)
	f(`{"a":1e999}`, `out of range`, 0)
	f(`{"a":1}`+"\n"+`{"a":01}`, "row 2", 15)
	f(`{"a":1`, "row 1", 0)
	f(`{"a":1},{"a":2}`, "row 2", 8)
	f(`[{"a":1}`, "row 2", 0)
	f(`[{"a":1},]`, "row 2", 0)
	f(`[{"a":1}] x`, "JSON", 0)
	f(`[{"a":1}] {}`, "unexpected data after", 0)
	f(`[{"a":1}] []`, "unexpected data after", 0)
	f(`1`, "a number where an object is expected", 0)
	f(`[[1]]`, "an array where an object is expected", 0)
	f(`{"a":NaN}`, "row 1", 0)
	f(`{"a":`+"\"\xff\"}", "invalid UTF-8", 0)
	f(`{"a":"\ud800"}`, "row 1", 0)
	f(`{"":1}`, "name is empty", 0)
	f(`{"a\u0000b":1}`, "NUL", 0)
	f(`{"a":{}}`, "only empty objects", 0)
	f(`{"a":[1,"x"]}`, `column "a[]"`, 0)
	f(`{"a":[1,2]}{"a":[3,"x"]}`, `row 2, column "a[]": a string in a column that holds an integer`, 0)
	f(`{"a":[1,2]}{"a":[]}{"b":1}{"a":null}{"a":[1e999]}`, `row 5, column "a[]": number "1e999" is out of range`, 0)
	f(`{"a":[1,2]}{"a":[]}{"a":[3]}{"a":["x"]}`, `row 4, column "a[]"`, 0)
	f(`{"a":[[1,2],[3]]}{"a":[[4],[5,{}]]}`, `row 2, column "a[][]"`, 0)
	f(`{"a":[{"b":1},{"b":2}]}{"a":[{"b":[true]}]}`, `row 2, column "a[].b"`, 0)
	f(`{"a":[1,2]}{"a":[3,9007199254740993]}{"a":[4,2.5]}`, `row 2, column "a[]": integer 9007199254740993 has no exact floating-point value, which row 3 needs`, 0)
	f(`{"s":{"l":[1,2]}}{"s":{"l":[3]}}{"s":{"l":["x"]}}`, `row 3, column "s.l[]"`, 0)
	f(`{"a":`+strings.Repeat("[", 65)+strings.Repeat("]", 65)+`}`, "nested deeper than 64", 0)
	f(strings.Repeat(`{"a":`, 20_000), "nested deeper than 64", 0)
}

func TestEveryPrefixIsAllRowsOrAnError(t *testing.T) {
	body := `[{"a":1,"b":{"c":[1,2]}},{"a":2.5}]`
	for n := 1; n < len(body); n++ {
		if _, err := Decode([]byte(body[:n]), Options{}); base.KindOf(err) != base.Invalid || err == nil {
			t.Errorf("%s: %v", body[:n], err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type row struct {
		I *int64   `json:"i"`
		F *float64 `json:"f"`
		S *string  `json:"s"`
		B *bool    `json:"b"`
		L []int    `json:"l"`
	}
	var body, want []string
	for range 500 {
		i, f, b := r.Int64()-r.Int64(), r.NormFloat64(), r.IntN(2) == 0
		s := string([]rune{rune(r.IntN(0xd000)), rune(r.IntN(128))})
		v := row{I: &i, F: &f, S: &s, B: &b, L: []int{1, r.IntN(9)}[:r.IntN(3)]}
		if r.IntN(3) == 0 {
			v.I, v.S = nil, nil
		}
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		body, want = append(body, string(line)), append(want, string(line))
	}
	batch, err := Decode([]byte(strings.Join(body, "\n")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	for n, line := range want {
		got := map[string]any{}
		for i, f := range batch.Schema().Fields() {
			got[f.Name] = batch.Column(i).GetOneForMarshal(n)
		}
		a, _ := json.Marshal(got)
		var x, y map[string]any
		if json.Unmarshal(a, &x) != nil || json.Unmarshal([]byte(line), &y) != nil || fmt.Sprint(x) != fmt.Sprint(y) {
			t.Fatalf("row %d: %s, want %s", n+1, a, line)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x"}` + "\n" + `{"b":"y\u00e4","a":2.5e3}`))
	f.Add([]byte(`[{"a":[1,null,{"b":true}]},{"a":null,"c":{}}]`))
	f.Add([]byte(`{"a":18446744073709551615}{"a":-0}{"a":1e400}`))
	f.Add([]byte(`{"d":12345678901234.5678,"n":2.0}{"n":1e19,"d":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		batch, err := Decode(body, Options{Moments: true, Types: []schema.Field{{Name: "a", Type: schema.ListOf(schema.Of(schema.JSON))}, {Name: "c", Type: schema.MapOf(schema.Of(schema.Varchar), schema.Of(schema.BigInt))},
			{Name: "d", Type: schema.Type{Kind: schema.Decimal, Width: 18, Scale: 4}}, {Name: "n", Type: schema.Of(schema.BigInt)}}})
		if err != nil {
			if k := base.KindOf(err); k != base.Invalid && k != base.TooLarge {
				t.Fatal(err)
			}
			return
		}
		if err := ingest.Validate(batch); err != nil {
			t.Fatal(err)
		}
		if len(body) > 0 && json.Valid(body) && body[0] == '[' && batch.NumRows() == 0 && len(strings.TrimSpace(string(body[1:]))) > 1 {
			t.Fatal("rows were lost")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	const n = 10_000
	r := rand.New(rand.NewPCG(1, 2))
	var body []byte
	for i := range n {
		body = fmt.Appendf(body, `{"time":"2026-01-31T00:00:%02d.%06dZ","host":"host-%02d.example","region":"region-%d","user":%.4f,"system":%.4f,"idle":%.4f}`+"\n",
			i%60, i, r.IntN(100), r.IntN(10), 100*r.Float64(), 100*r.Float64(), 100*r.Float64())
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		batch, err := Decode(body, Options{})
		if err != nil {
			b.Fatal(err)
		}
		batch.Release()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())*1e6/float64(b.N)/n, "ms/Mrow")
}
