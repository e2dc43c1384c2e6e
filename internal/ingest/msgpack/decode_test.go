package msgpack

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	mp "github.com/scoterdb/scoter/bench/load/msgpackrows"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
	"github.com/scoterdb/scoter/internal/schema"
)

var now = time.Unix(1_800_000_000, 123_456_789)

// pairs is a map whose keys stay in order. pack writes it like a Go map.
type pairs []any

type raw []byte

func pack(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return mp.AppendNil(b)
	case bool:
		return mp.AppendBool(b, v)
	case int:
		return mp.AppendInt(b, int64(v))
	case uint64:
		return mp.AppendUint(b, v)
	case float64:
		return mp.AppendFloat(b, v)
	case float32:
		return mp.AppendFloat32(b, v)
	case string:
		return mp.AppendString(b, v)
	case []byte:
		return mp.AppendBinary(b, v)
	case time.Time:
		return mp.AppendTimestamp(b, v.Unix(), uint32(v.Nanosecond()))
	case raw:
		return append(b, v...)
	case []any:
		b = mp.AppendArray(b, len(v))
		for _, e := range v {
			b = pack(b, e)
		}
		return b
	case pairs:
		b = mp.AppendMap(b, len(v)/2)
		for _, e := range v {
			b = pack(b, e)
		}
		return b
	}
	panic("unknown type")
}

type list = []any

// columns is a columnar item of table t.
func columns(p ...any) pairs { return pairs{"m", "t", "columns", pairs(p)} }

// TestTimesThatRowsLackAreGiven checks that rows without a time get one. The batch must not be
// marked as lacking times, because tables with a primary key refuse such batches.
func TestTimesThatRowsLackAreGiven(t *testing.T) {
	at := 1_700_000_000
	for _, items := range []list{
		{pairs{"m", "t", "t", at, "fields", pairs{"v", 1}}, pairs{"m", "t", "fields", pairs{"v", 2}}},
		{pairs{"m", "t", "fields", pairs{"v", 1}}, pairs{"m", "t", "t", at, "fields", pairs{"v", 2}}},
		{pairs{"m", "t", "fields", pairs{"v", 1}}},
	} {
		rows, err := Decode(pack(nil, items), Options{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		f, _ := rows[0].Batch.Schema().FieldsByName("time")
		if n, lacking := f[0].Metadata.GetValue(schema.LackingKey); lacking || rows[0].Batch.Column(rows[0].Batch.Schema().FieldIndices("time")[0]).NullN() > 0 {
			t.Errorf("%v: %s rows lack a time", items, n)
		}
		ingest.Release(rows)
	}
}

func TestDecode(t *testing.T) {
	const nowText = "2027-01-15T08:00:00.123456Z"
	at := 1_700_000_000
	f := func(name string, body any, want string) {
		t.Helper()
		rows, err := Decode(pack(nil, body), Options{Now: now})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		for _, r := range rows {
			if err := ingest.Validate(r.Batch); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := ingesttest.Show(rows...); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		ingest.Release(rows)
	}

	f("columnar", columns("time", list{at, at + 1}, "v", list{1.5, 2.5}, "s", list{"a", "b"}),
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:21Z] v float64 [1.5 2.5] s utf8 [a b]")
	f("columns before the name", pairs{"columns", pairs{"time", list{at}}, "m", "t"}, "t: time us [2023-11-14T22:13:20Z]")
	f("no time", columns("v", list{1, 2}), "t: v int64 [1 2] time us ["+nowText+" "+nowText+"]")
	f("nil time", columns("time", list{nil, at}), "t: time us ["+nowText+" 2023-11-14T22:13:20Z]")
	f("integers turn floating-point", columns("time", list{at, at, at}, "v", list{1, 2.5, 3}),
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] v float64 [1 2.5 3]")
	f("unsigned", pairs{"m", "t", "t", at, "fields", pairs{"v", uint64(math.MaxUint64)}}, "t: time us [2023-11-14T22:13:20Z] v uint64 [18446744073709551615]")
	f("unsigned after signed", columns("time", list{at, at}, "v", list{1, uint64(math.MaxUint64)}),
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] v uint64 [1 18446744073709551615]")
	f("all nil", columns("time", list{at}, "v", list{nil}), "t: time us [2023-11-14T22:13:20Z] v null [(null)]")
	f("nils and booleans", columns("time", list{at, at, at}, "v", list{nil, true, nil}),
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] v bool [(null) true (null)]")
	f("special floats", columns("time", list{at, at, at}, "v", list{math.NaN(), math.Inf(-1), math.Copysign(0, -1)}),
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] v float64 [NaN -Inf -0]")
	f("float32, binary", columns("time", list{at}, "v", list{float32(1.5)}, "b", list{[]byte{0xff}}),
		"t: time us [2023-11-14T22:13:20Z] v float64 [1.5] b binary [/w==]")
	f("timestamp extension", columns("time", list{time.Unix(1, 1000)}), "t: time us [1970-01-01T00:00:01.000001Z]")
	f("short timestamp extension", columns("time", list{raw{0xd6, 0xff, 0, 0, 0, 7}}), "t: time us [1970-01-01T00:00:07Z]")
	f("nanoseconds survive", columns("time", list{time.Unix(1, 1001), time.Unix(2, 0)}),
		"t: time ns [1970-01-01T00:00:01.000001001Z 1970-01-01T00:00:02Z]")
	f("integer nanoseconds survive", columns("time", list{at*1e9 + 1, at * 1e9}),
		"t: time ns [2023-11-14T22:13:20.000000001Z 2023-11-14T22:13:20Z]")
	f("whole microseconds in nanoseconds", columns("time", list{at*1e9 + 1000}), "t: time us [2023-11-14T22:13:20.000001Z]")
	f("milliseconds", columns("time", list{at*1e3 + 1, 0}), "t: time us [2023-11-14T22:13:20.001Z 1970-01-01T00:00:00Z]")
	f("microseconds", columns("time", list{at*1e6 + 1}), "t: time us [2023-11-14T22:13:20.000001Z]")
	f("whole floating-point time", columns("time", list{float64(at)}), "t: time us [2023-11-14T22:13:20Z]")
	f("time as text", columns("time", list{"2023-11-14T22:13:20.5+01:00"}), "t: time us [2023-11-14T21:13:20.5Z]")
	f("lists", columns("time", list{at, at}, "v", list{list{1, 2}, list{}}),
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] v list<item: int64, nullable> [[1,2] []]")
	f("structs", columns("time", list{at, at}, "v", list{pairs{"a", 1}, pairs{"b", "x"}}),
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] v struct<a: int64 nullable, b: utf8 nullable> "+
			`[{"a":1,"b":null} {"a":null,"b":"x"}]`)
	f("row", pairs{"m", "cpu", "t", at, "h", "h1", "fields", pairs{"v", 1.5}, "tags", pairs{"region", "eu", "rack", 7}},
		"cpu: time us [2023-11-14T22:13:20Z] #host utf8 [h1] v float64 [1.5] #region utf8 [eu] #rack utf8 [7]")
	f("row without time, with compact fields", pairs{"m", 7, "h", 3, "f", list{1, "x"}},
		"measurement_7: #host utf8 [host_3] field_0 int64 [1] field_1 utf8 [x] time us ["+nowText+"]")
	f("batch of rows and columns, several tables", pairs{"batch", list{
		pairs{"m", "a", "t", at, "fields", pairs{"x", 1}},
		pairs{"m", "b", "t", at, "fields", pairs{"x", 1}},
		columns("time", list{at}),
		pairs{"m", "a", "t", at, "fields", pairs{"y", 2}},
		pairs{"m", "a", "columns", pairs{"x", list{3, 4}, "time", list{at, at}}},
	}},
		"a: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z 2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] x int64 [1 (null) 3 4] y int64 [(null) 2 (null) (null)]\n"+
			"b: time us [2023-11-14T22:13:20Z] x int64 [1]\n"+
			"t: time us [2023-11-14T22:13:20Z]")
	f("array of items", list{columns("time", list{at}, "v", list{1}), columns("time", list{at}, "v", list{2.5})},
		"t: time us [2023-11-14T22:13:20Z 2023-11-14T22:13:20Z] v float64 [1 2.5]")
	f("tag keys", pairs{"m", "t", "tag_keys", list{"h"}, "columns", pairs{"time", list{at}, "h", list{"x"}}},
		"t: time us [2023-11-14T22:13:20Z] #h utf8 [x]")
	f("no items", list{}, "")
}

func TestDecodeRefuses(t *testing.T) {
	at := 1_700_000_000
	deep := any(1)
	for range 100 {
		deep = list{deep}
	}
	f := func(name string, body any, want string) {
		t.Helper()
		rows, err := Decode(pack(nil, body), Options{Now: now})
		if err == nil {
			t.Errorf("%s: accepted: %s", name, ingesttest.Show(rows...))
			return
		}
		if kind := base.KindOf(err); kind != base.Invalid && kind != base.TooLarge {
			t.Errorf("%s: kind %v", name, kind)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", name, err, want)
		}
	}
	f("mixed units", columns("time", list{at, at * 1000}), `row 2, column "time": time 1700000000000 has a different unit than 1700000000 in row 1`)
	f("mixed units between items", list{columns("time", list{at}), columns("time", list{at * 1000})}, "has a different unit")
	f("milliseconds of early 1970", columns("time", list{5_000_000_000}), `row 1, column "time": the unit of time 5000000000 is ambiguous`)
	f("time with a fraction", columns("time", list{1.5}), "not a whole number")
	f("time that is no time", columns("time", list{"soon"}), `row 1, column "time": "soon" is not a time`)
	f("time that is a boolean", columns("time", list{true}), `column "time" holds a boolean`)
	f("string among integers", columns("time", list{at, at}, "v", list{1, "x"}), `table "t": row 2, column "v": a string in a column that holds an integer`)
	f("integer that no float64 equals", columns("time", list{at, at}, "v", list{1<<53 + 1, 2.5}), `row 1, column "v": integer 9007199254740993`)
	f("integer that no float64 equals, later", columns("time", list{at, at}, "v", list{2.5, 1<<53 + 1}), `row 2, column "v"`)
	f("negative and above int64", columns("time", list{at, at}, "v", list{-1, uint64(math.MaxUint64)}), `row 2, column "v"`)
	f("lengths differ", columns("time", list{at}, "v", list{1, 2}), `column "v" has 2 values, column "time" has 1`)
	f("invalid UTF-8", columns("time", list{at}, "s", list{"a\xff"}), `row 1, column "s": text is not valid UTF-8`)
	f("column twice", columns("v", list{1}, "v", list{2}), `column "v"`)
	f("field and tag of one name", pairs{"m", "t", "fields", pairs{"v", 1}, "tags", pairs{"v", "x"}}, "given twice")
	f("empty column name", columns("", list{1}), "name is empty")
	f("long column name", columns(strings.Repeat("x", 257), list{1}), "longer than 256")
	f("bad item in an array", list{columns("v", list{1}), 7}, "an integer where a map is expected")
	f("bad item in a batch", pairs{"batch", list{columns("v", list{1}), pairs{"m", "t"}}}, "none of")
	f("unknown key", pairs{"m", "t", "colums", pairs{}}, `key "colums"`)
	f("no table", pairs{"columns", pairs{"v", list{1}}}, `no "m"`)
	f("column without array", columns("v", 1), "an integer where an array is expected")
	f("too deep", columns("v", list{deep}), "nested deeper")
	f("empty objects", columns("time", list{at}, "v", list{pairs{}}), "only empty objects")
	f("unknown extension", columns("v", list{raw{0xd4, 5, 0}}), "extension type 5")
	f("reserved byte", columns("v", list{raw{0xc1}}), "0xc1 begins no value")
	f("huge array", pairs{"m", "t", "columns", pairs{"v", raw{0xdd, 0xff, 0xff, 0xff, 0xff}}}, "the body ends")
	f("moment out of range", columns("time", list{time.Unix(math.MaxInt64, 0)}), "out of range")
	f("nanoseconds beyond their range", columns("time", list{time.Unix(1, 1), time.Unix(1e12, 0)}), "out of the range of nanoseconds")

	var many []byte
	many = mp.AppendMap(many, 2)
	many = mp.AppendString(mp.AppendString(many, "m"), "t")
	many = mp.AppendMap(mp.AppendString(many, "columns"), ingest.MaxColumns+1)
	for i := range ingest.MaxColumns + 1 {
		many = mp.AppendInt(mp.AppendArray(mp.AppendString(many, strconv.Itoa(i)), 1), 1)
	}
	f("too many columns", raw(many), "more than 10000 columns")

	var sparse []byte
	for i := range 40_000 {
		sparse = pack(sparse, pairs{"m", "t", "fields", pairs{strconv.Itoa(i % 9_000), 1}})
	}
	f("sparse rows", raw(sparse), "rows leave out more")

	sparse = nil
	for i := range 40_000 { // 2 million NULLs in each table
		sparse = pack(sparse, pairs{"m", "t" + strconv.Itoa(i/2_000), "fields", pairs{strconv.Itoa(i % 1_000), 1}})
	}
	f("sparse rows of many tables", raw(sparse), "rows leave out more")
}

func TestEveryPrefixOfABodyIsRefused(t *testing.T) {
	body := pack(nil, list{
		columns("time", list{1_700_000_000, 1_700_000_001}, "s", list{"a", strings.Repeat("b", 40)}, "f", list{1.5, nil}, "b", list{[]byte{1}, nil}),
		pairs{"m", "u", "t", time.Unix(1, 0), "fields", pairs{"l", list{1, -40000, 300}, "o", pairs{"x", true}}},
	})
	if _, err := Decode(body, Options{Now: now}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(body); n++ {
		if _, err := Decode(body[:n], Options{Now: now}); base.KindOf(err) != base.Invalid {
			t.Fatalf("prefix of %d bytes: %v", n, err)
		}
	}
}

func TestPrecisionOverridesMagnitude(t *testing.T) {
	rows, err := Decode(pack(nil, columns("time", list{5_000_000_000, 1})), Options{Now: now, Precision: ingest.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer ingest.Release(rows)
	if got, want := ingesttest.Show(rows...), "t: time us [1970-02-27T20:53:20Z 1970-01-01T00:00:00.001Z]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := Decode(pack(nil, columns("time", list{math.MaxInt64})), Options{Precision: ingest.Second}); base.KindOf(err) != base.Invalid {
		t.Errorf("overflow: %v", err)
	}
}

func TestRepeatedStringsBecomeADictionary(t *testing.T) {
	var same, distinct list
	for i := range 2000 {
		same = append(same, "host-"+strconv.Itoa(i%10))
		distinct = append(distinct, "a rather long value "+strconv.Itoa(i))
	}
	rows, err := Decode(pack(nil, columns("same", same, "distinct", distinct)), Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer ingest.Release(rows)
	b := rows[0].Batch
	if d, ok := b.Column(0).(*array.Dictionary); !ok || d.Dictionary().Len() != 10 {
		t.Errorf("repeated strings are %v", b.Column(0).DataType())
	}
	if b.Column(1).DataType().ID() != arrow.STRING {
		t.Errorf("distinct strings are %v", b.Column(1).DataType())
	}
	for i := range 2000 {
		if b.Column(0).ValueStr(i) != same[i] || b.Column(1).ValueStr(i) != distinct[i] {
			t.Fatalf("row %d is %s, %s", i, b.Column(0).ValueStr(i), b.Column(1).ValueStr(i))
		}
	}
}

func TestDecodeTable(t *testing.T) {
	f := func(body []byte, want string) {
		t.Helper()
		batch, err := DecodeTable(body, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer batch.Release()
		if got := ingesttest.Show(ingest.Rows{Batch: batch}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(pack(nil, list{pairs{"time", 1, "m", "x"}, pairs{"m", "y"}}), ": time int64 [1 (null)] m utf8 [x y]")
	f(pack(pack(nil, pairs{"a", 1}), pairs{"a", 2}), ": a int64 [1 2]")
	f(pack(nil, pairs{"columns", pairs{"a", list{1, 2}}}), ": a int64 [1 2]")
	if _, err := DecodeTable(pack(nil, list{pairs{"a", 1, "a", 2}}), nil); base.KindOf(err) != base.Invalid {
		t.Errorf("a column given twice: %v", err)
	}
}

// declaredTypes has a column of each type whose values need the declared type.
var declaredTypes = func() []schema.Field {
	var fields []schema.Field
	for name, typ := range map[string]string{"m": "MAP(INTEGER, VARCHAR)", "n": "MAP(VARCHAR, MAP(BLOB, HUGEINT))", "j": "JSON", "h": "HUGEINT", "u": "UHUGEINT",
		"d": "DECIMAL(38,2)", "l": "MAP(INTEGER, BOOLEAN)[]", "s": "STRUCT(j JSON, i INTEGER)", "i": "INTEGER"} {
		t, err := schema.Parse(typ)
		if err != nil {
			panic(err)
		}
		fields = append(fields, schema.Field{Name: name, Type: t})
	}
	return fields
}()

func TestDeclaredTypesDecideHowValuesAreRead(t *testing.T) {
	f := func(column string, values list, want string) {
		t.Helper()
		body := pack(nil, pairs{"columns", pairs{column, values}})
		var rows []byte
		for _, v := range values {
			rows = pack(rows, pairs{column, v})
		}
		for _, body := range [][]byte{body, rows} {
			batch, err := DecodeTable(body, declaredTypes)
			if err != nil {
				if !strings.HasPrefix(want, "!") || !strings.Contains(err.Error(), want[1:]) || strings.Contains(err.Error(), "table") {
					t.Errorf("%s %v: %v", column, values, err)
				}
				continue
			}
			if got := ingesttest.Show(ingest.Rows{Batch: batch}); got != want {
				t.Errorf("%s:\n got %s\nwant %s", column, got, want)
			}
			batch.Release()
		}
	}
	f("m", list{pairs{1, "a", -2, nil}, pairs{}, nil}, `: m list<item: struct<key: int64 nullable, value: utf8 nullable>, nullable> [[{"key":1,"value":"a"},{"key":-2,"value":null}] [] (null)]`)
	f("m", list{pairs{"1", "a"}, list{pairs{"key", "2", "value", "b"}}}, `: m list<item: struct<key: utf8 nullable, value: utf8 nullable>, nullable> [[{"key":"1","value":"a"}] [{"key":"2","value":"b"}]]`)
	f("M", list{pairs{1, "a"}}, `: M list<item: struct<key: int64 nullable, value: utf8 nullable>, nullable> [[{"key":1,"value":"a"}]]`)
	f("n", list{pairs{"x", pairs{[]byte{1}, 1, []byte{2}, "170141183460469231731687303715884105727"}}},
		`: n list<item: struct<key: utf8 nullable, value: list<item: struct<key: binary nullable, value: utf8 nullable>, nullable> nullable>, nullable> [[{"key":"x","value":[{"key":"AQ==","value":"1"},{"key":"Ag==","value":"170141183460469231731687303715884105727"}]}]]`)
	f("l", list{list{pairs{1, true}, nil}}, `: l list<item: list<item: struct<key: int64 nullable, value: bool nullable>, nullable>, nullable> [[[{"key":1,"value":true}],null]]`)
	f("j", list{pairs{"a", list{1, nil, 2.5, true, "q\""}}, 7, `{"x": 1}`, list{}, nil, false}, `: j utf8 [{"a":[1,null,2.5,true,"q\""]} 7 {"x": 1} [] (null) false]`)
	f("s", list{pairs{"j", pairs{"a", 1}, "i", 2}}, `: s struct<j: utf8 nullable, i: int64 nullable> [{"i":2,"j":"{\"a\":1}"}]`)
	f("h", list{1, "-170141183460469231731687303715884105728", uint64(math.MaxUint64), 1e20}, `: h utf8 [1 -170141183460469231731687303715884105728 18446744073709551615 100000000000000000000]`)
	f("d", list{1, 2.5, "3.25", -4}, `: d utf8 [1 2.5 3.25 -4]`)

	f("i", list{pairs{1, 2}}, "!row 1, column \"i\": an integer as a key, which only a MAP has")
	f("i", list{1, "a"}, "!row 2, column \"i\": a string in a column that holds an integer before")
	f("j", list{1, pairs{1, 2}}, "!row 2, column \"j\": msgpack: an integer as a key of JSON")
	f("j", list{math.NaN()}, "!NaN is not a number in JSON")
	f("j", list{[]byte{1}}, "!binary where JSON is expected")
	f("m", list{pairs{1, "a", "x", "b"}}, "!a string in a column that holds an integer before")
}

func FuzzDecode(f *testing.F) {
	at := 1_700_000_000
	f.Add(pack(nil, columns("time", list{at, at}, "v", list{1, 2.5}, "s", list{"a", nil})))
	f.Add(pack(nil, list{pairs{"m", "t", "t", at, "h", "x", "fields", pairs{"v", list{1}}, "tags", pairs{"r", 1}}}))
	f.Add(pack(nil, pairs{"batch", list{columns("v", list{pairs{"a", 1}, pairs{"b", list{}}}), columns("v", list{nil})}}))
	f.Add(pack(nil, pairs{"columns", pairs{"m", list{pairs{1, "x"}}, "j", list{list{1, pairs{"a", nil}}}, "h", list{1.5}, "l", list{list{pairs{2, true}}}}}))
	f.Add(pack(nil, columns("time", list{time.Unix(1, 1)}, "u", list{uint64(math.MaxUint64)}, "b", list{[]byte("x")})))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, err := Decode(body, Options{Now: now})
		for _, r := range rows {
			if err := ingest.Validate(r.Batch); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil && rows != nil {
			t.Fatal("rows and an error")
		}
		if err != nil && base.KindOf(err) != base.Invalid && base.KindOf(err) != base.TooLarge {
			t.Fatal(err)
		}
		for _, types := range [][]schema.Field{nil, declaredTypes} {
			batch, err := DecodeTable(body, types)
			if err != nil {
				continue
			}
			if err := ingest.Validate(batch); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestIntegersOfEveryWidth(t *testing.T) {
	var want []int64
	for bit := range 64 {
		for _, d := range []int64{-1, 0, 1} {
			want = append(want, int64(1)<<bit+d, -(int64(1)<<bit + d))
		}
	}
	for _, wide := range []bool{false, true} {
		b := mp.AppendMap(nil, 1)
		b = mp.AppendMap(mp.AppendString(b, "columns"), 1)
		b = mp.AppendArray(mp.AppendString(b, "v"), len(want))
		for i, v := range want {
			if wide && i%2 == 0 {
				b = mp.AppendInt64(b, v)
			} else {
				b = mp.AppendInt(b, v)
			}
		}
		batch, err := DecodeTable(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			if got := batch.Column(0).(*array.Int64).Value(i); got != v {
				t.Errorf("%d became %d", v, got)
			}
		}
		batch.Release()
	}
}

func TestStringsOfEveryLength(t *testing.T) {
	lengths := []int{0, 1, 15, 16, 17, 31, 32, 255, 256, 65535, 65536}
	b := mp.AppendArray(nil, len(lengths))
	for _, n := range lengths {
		b = mp.AppendMap(b, 2)
		b = mp.AppendString(mp.AppendString(b, "s"), strings.Repeat("x", n))
		b = mp.AppendBinary(mp.AppendString(b, "b"), make([]byte, n))
	}
	batch, err := DecodeTable(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	for i, n := range lengths {
		if s, v := batch.Column(0).ValueStr(i), batch.Column(1).(*array.Binary).Value(i); len(s) != n || len(v) != n {
			t.Errorf("%d bytes became %d and %d", n, len(s), len(v))
		}
	}
}
