package batch

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// decoded makes a batch as a decoder returns it, with one column per (name, Arrow type, JSON
// array).
func decoded(t *testing.T, columns ...any) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for i := 0; i < len(columns); i += 3 {
		a, ok := columns[i+2].(arrow.Array)
		if !ok {
			var err error
			a, _, err = array.FromJSON(allocator, columns[i+1].(arrow.DataType), strings.NewReader(columns[i+2].(string)))
			if err != nil {
				t.Fatal(err)
			}
		}
		fields = append(fields, arrow.Field{Name: columns[i].(string), Type: a.DataType(), Nullable: true})
		arrays = append(arrays, a)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

func tableOf(t *testing.T, columns ...schema.Column) schema.Table {
	t.Helper()
	table, err := schema.New(schema.Table{Database: "d", Schema: "main", Name: "t", Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func typeOf(t *testing.T, text string) schema.Type {
	t.Helper()
	parsed, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

var (
	i8, i32, i64, u64 = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64
	f32, f64          = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	utf8Type          = arrow.BinaryTypes.String
	tsNS              = &arrow.TimestampType{Unit: arrow.Nanosecond}
	tsUTC             = arrow.FixedWidthTypes.Timestamp_us
	dec52             = &arrow.Decimal128Type{Precision: 5, Scale: 2}
)

func TestConformConvertsWhatIsExact(t *testing.T) {
	// f converts the whole column. The result must be want, which lists array.ValueStr of each row.
	// If want begins with !, the conversion must fail with the rest of want.
	f := func(from arrow.DataType, values, to, want string) {
		t.Helper()
		table := tableOf(t, schema.Column{Name: "c", Type: typeOf(t, to)})
		rec := decoded(t, "C", from, values)
		got, err := Conform(rec, table, ConformOptions{FirstRow: 10})
		text := ""
		if err != nil {
			text = "!" + strings.TrimPrefix(err.Error(), `table d.main.t: `)
			if base.KindOf(err) != base.Invalid {
				t.Errorf("kind %s: %v", base.KindOf(err), err)
			}
		} else {
			c := got.Column(0)
			if !arrow.TypeEqual(c.DataType(), table.Columns[0].Type.Arrow()) && !isTextDictionary(c.DataType()) {
				t.Errorf("%s -> %s: stored as %s", from, to, c.DataType())
			}
			var all []string
			for i := range c.Len() {
				all = append(all, c.ValueStr(i))
			}
			text = strings.Join(all, " ")
		}
		if text != want {
			t.Errorf("%s %s -> %s:\n got %s\nwant %s", from, values, to, text, want)
		}
	}
	f(i64, "[1, null, -128]", "TINYINT", "1 (null) -128")
	f(i64, "[1, 128]", "TINYINT", `!row 12, column "c": "128" does not fit in type TINYINT`)
	f(i64, "[-1]", "UBIGINT", `!row 11, column "c": "-1" does not fit in type UBIGINT`)
	f(u64, "[9223372036854775808]", "BIGINT", `!row 11, column "c": "9223372036854775808" does not fit in type BIGINT`)
	f(u64, "[18446744073709551615]", "HUGEINT", "18446744073709551615")
	f(f64, "[3, -4]", "INTEGER", "3 -4")
	f(f64, "[3.5]", "INTEGER", `!row 11, column "c": "3.5" is not exact in type INTEGER`)
	f(f64, "[9223372036854775808]", "BIGINT", `!row 11, column "c": "9.223372036854776e+18" is not exact in type BIGINT`)
	f(f64, "[18446744073709549568]", "UBIGINT", "18446744073709549568")
	f(i64, "[9007199254740992]", "DOUBLE", "9.007199254740992e+15")
	f(i64, "[9007199254740993]", "DOUBLE", `!row 11, column "c": "9007199254740993" is not exact in type DOUBLE`)
	f(i64, "[9223372036854775807]", "DOUBLE", `!row 11, column "c": "9223372036854775807" is not exact in type DOUBLE`)
	f(f64, "[0.1]", "FLOAT", "0.1")
	f(f64, "[1e300]", "FLOAT", `!row 11, column "c": "1e+300" does not fit in type FLOAT`)
	f(f32, "[0.5]", "DOUBLE", "0.5")
	f(f64, "[19.99, 2]", "DECIMAL(10,2)", "19.99 2")
	f(f64, "[19.999]", "DECIMAL(10,2)", `!row 11, column "c": "19.999" is not exact in type DECIMAL(10,2)`)
	f(i64, "[1000]", "DECIMAL(5,2)", `!row 11, column "c": "1000" is not exact in type DECIMAL(5,2)`)
	f(dec52, `["1.50"]`, "DECIMAL(4,1)", "1.5")
	f(dec52, `["1.50"]`, "DOUBLE", "1.5")
	f(dec52, `["7.00"]`, "INTEGER", "7")
	f(utf8Type, `["1.5", "-3e2", " 7 "]`, "DECIMAL(6,2)", "1.5 -300 7")
	f(utf8Type, `["1.5", "x"]`, "DOUBLE", `!row 12, column "c": "x" is not a value of type DOUBLE`)
	f(utf8Type, `["0x10"]`, "DOUBLE", `!row 11, column "c": "0x10" is not a value of type DOUBLE`)
	f(utf8Type, `["12", "-5"]`, "SMALLINT", "12 -5")
	f(utf8Type, `["2.0", "-1.5e3", " +0.00 ", "120e-1"]`, "SMALLINT", "2 -1500 0 12")
	f(utf8Type, `["9007199254740993.0", "9.223372036854775807E18"]`, "BIGINT", "9007199254740993 9223372036854775807")
	f(utf8Type, `["18446744073709551615.00", "1e1"]`, "UBIGINT", "18446744073709551615 10")
	f(utf8Type, `["1.5"]`, "BIGINT", `!row 11, column "c": "1.5" is not a value of type BIGINT`)
	f(utf8Type, `["1e3000"]`, "BIGINT", `!row 11, column "c": "1e3000" is not a value of type BIGINT`)
	f(utf8Type, `["1.", "1e38", "-12345678901234567890123.0"]`, "HUGEINT", "1 100000000000000000000000000000000000000 -12345678901234567890123")
	f(utf8Type, `["0.1"]`, "HUGEINT", `!row 11, column "c": "0.1" is not a value of type HUGEINT`)
	f(utf8Type, `["true", "F", "1"]`, "BOOLEAN", "true false true")
	f(i64, "[0, 1]", "BOOLEAN", "false true")
	f(i64, "[2]", "BOOLEAN", `!row 11, column "c": "2" does not fit in type BOOLEAN`)
	f(arrow.FixedWidthTypes.Boolean, "[true]", "INTEGER", `!row 11, column "c": "true" (BOOLEAN) is not convertible to INTEGER`)
	f(i64, "[5]", "VARCHAR", "5")
	f(utf8Type, `["-170141183460469231731687303715884105728", "007"]`, "HUGEINT", "-170141183460469231731687303715884105728 7")
	f(utf8Type, `["170141183460469231731687303715884105728"]`, "HUGEINT", `!row 11, column "c": "170141183460469231731687303715884105728" is not a value of type HUGEINT`)
	f(utf8Type, `["a", "b"]`, "ENUM('a', 'b')", "a b")
	f(utf8Type, `["a", "c"]`, "ENUM('a', 'b')", `!row 12, column "c": "c" is not a value of the ENUM`)
	f(utf8Type, `["{\"a\": 1}", "x"]`, "JSON", `{"a": 1} "x"`)
	f(utf8Type, `["NaN", "-Infinity", "{\"a\": [nan, -inf, \"Infinity\"]}", "nan", "{\"a\": 1nan}", "[Infinit]"]`, "JSON",
		`NaN -Infinity {"a": [nan, -inf, "Infinity"]} "nan" "{\"a\": 1nan}" "[Infinit]"`)
	f(utf8Type, `["\"\\ud800\""]`, "JSON", `"\"\\ud800\""`)
	f(arrow.StructOf(arrow.Field{Name: "a", Type: i64, Nullable: true}), `[{"a": 1}]`, "JSON", `{"a":1}`)
	f(utf8Type, `["010", "2"]`, "BIT", `!row 12, column "c": "2" is not a value of type BIT`)
	f(utf8Type, `["7F0E1D2C-3b4a-5968-8776-655443322110"]`, "UUID", "7f0e1d2c-3b4a-5968-8776-655443322110")
	f(utf8Type, `["7F0E"]`, "UUID", `!row 11, column "c": "7F0E" is not a value of type UUID`)
	f(utf8Type, `["2024-03-09T10:00:00.5+02:00", "2024-03-09", null]`, "TIMESTAMPTZ", "2024-03-09T08:00:00.5Z 2024-03-09T00:00:00Z (null)")
	f(utf8Type, `["2024-03-09 10:00:00,896", "2024-03-09"]`, "TIMESTAMP", "2024-03-09T10:00:00.896 2024-03-09T00:00:00")
	f(utf8Type, `["2024-03-09T10:00:00,5+16:00", "2024-03-09 10:00-23:59"]`, "TIMESTAMPTZ", "2024-03-08T18:00:00.5Z 2024-03-10T09:59:00Z")
	f(utf8Type, `["2024-03-09T10:00:00+24:00"]`, "TIMESTAMPTZ", `!row 11, column "c": "2024-03-09T10:00:00+24:00" is not a value of type TIMESTAMP WITH TIME ZONE`)
	f(utf8Type, `["12:00:00-16"]`, "TIMETZ", `!row 11, column "c": "12:00:00-16" is not a value of type TIME WITH TIME ZONE`)
	f(utf8Type, `["2024-03-09T10:00:00.0000001"]`, "TIMESTAMP", `!row 11, column "c": "2024-03-09T10:00:00.0000001" is not exact in type TIMESTAMP`)
	f(utf8Type, `["2024-02-30"]`, "DATE", `!row 11, column "c": "2024-02-30" is not a value of type DATE`)
	f(utf8Type, `["2024-02-29"]`, "DATE", "2024-02-29")
	f(utf8Type, `["23:59:59.5", "24:00"]`, "TIME", "23:59:59.500000 00:00:00.000000")
	f(tsNS, `["2024-03-09 10:00:00.000001000"]`, "TIMESTAMP", "2024-03-09T10:00:00.000001")
	f(tsNS, `["2024-03-09 10:00:00.000001001"]`, "TIMESTAMP", `!row 11, column "c": "2024-03-09T10:00:00.000001001" is not exact in type TIMESTAMP`)
	f(tsUTC, `["2024-03-09 10:00:00Z"]`, "TIMESTAMP", "2024-03-09T10:00:00")
	f(tsUTC, `["2024-03-09 10:00:00.5Z"]`, "TIMESTAMP_S", `!row 11, column "c": "2024-03-09T10:00:00.5Z" is not exact in type TIMESTAMP_S`)
	f(tsUTC, `["2024-03-09 00:00:00Z"]`, "DATE", "2024-03-09")
	f(arrow.FixedWidthTypes.Date32, `["2024-03-09"]`, "TIMESTAMP", "2024-03-09T00:00:00")
	f(utf8Type, `["14 months -3 days 1:02:03.5", "5 weeks"]`, "INTERVAL", "1 year 2 months -3 days 01:02:03.5 35 days")
	f(utf8Type, `["P1Y2M3DT4H5M6.5S", "PT0S", "P-1MT-0.5S", "P2W", "PT0.000001S"]`, "INTERVAL", "1 year 2 months 3 days 04:05:06.5 00:00:00 -1 month -00:00:00.5 14 days 00:00:00.000001")
	for _, wrong := range []string{"P", "PT", "P1", "P1H", "PT1D", "P1D2M", "P1DT", "P1.5D", "PT1.0000001S", "PT.5S", "P1D1D", "P9999999999999D", "P1 D", "PP1D"} {
		f(utf8Type, `["`+wrong+`"]`, "INTERVAL", `!row 11, column "c": "`+wrong+`" is not a value of type INTERVAL`)
	}
	f(utf8Type, `["1 mons 2 days 5 microseconds", "1 c 2 yrs 1 quarter", "3 hrs 2 mins 1 sec 4 ms 5 us"]`, "INTERVAL", "1 month 2 days 00:00:00.000005 102 years 3 months 03:02:01.004005")
	f(utf8Type, `["9223372036854775807 microseconds"]`, "INTERVAL", "9223372036854775807 microseconds")
	f(utf8Type, `["12:00:00+0230", "01:02"]`, "TIMETZ", "12:00:00+02:30 01:02:00+00")
	f(utf8Type, `["ab"]`, "BLOB", "YWI=")
	f(arrow.Null, "[null, null]", "INTEGER[]", "(null) (null)")
	f(arrow.ListOf(i64), "[[1, null], null, [], [3]]", "TINYINT[]", "[1,null] (null) [] [3]")
	f(arrow.ListOf(i64), "[[1], [2, 300]]", "TINYINT[]", `!row 12, column "c": "300" does not fit in type TINYINT (in a list)`)
	f(arrow.ListOf(i64), "[[1, 2], [3]]", "INTEGER[2]", `!row 12, column "c": "[3]" has 1 elements where type INTEGER[2] wants 2`)
	f(arrow.FixedSizeListOf(2, i64), "[[1, 2], null, [3, 4]]", "HUGEINT[]", `["1","2"] (null) ["3","4"]`)
	f(arrow.MapOf(utf8Type, i64), `[[{"key": "a", "value": 1}], null]`, "MAP(VARCHAR, TINYINT)", `[{"key":"a","value":1}] (null)`)
	entry := arrow.StructOf(arrow.Field{Name: "Value", Type: i64, Nullable: true}, arrow.Field{Name: "key", Type: utf8Type, Nullable: true})
	f(arrow.ListOf(entry), `[[{"key": "a", "Value": 1}, {"key": "b", "Value": null}], null, [], [{"key": "2", "Value": 3}]]`,
		"MAP(VARCHAR, TINYINT)", `[{"key":"a","value":1},{"key":"b","value":null}] (null) [] [{"key":"2","value":3}]`)
	f(arrow.ListOf(entry), `[[{"key": "7", "Value": 1}]]`, "MAP(INTEGER, VARCHAR)", `[{"key":7,"value":"1"}]`)
	f(arrow.ListOf(entry), `[[{"key": "a", "Value": 1}], [{"key": "a", "Value": 300}]]`, "MAP(VARCHAR, TINYINT)", `!row 12, column "c": "300" does not fit in type TINYINT (in a list)`)
	f(arrow.ListOf(entry), `[[{"key": null, "Value": 1}]]`, "MAP(VARCHAR, TINYINT)", `!row 11, column "c": NULL is a key of a MAP (in a list)`)
	f(arrow.ListOf(arrow.Null), `[[], null]`, "MAP(VARCHAR, TINYINT)", `[] (null)`)
	f(arrow.ListOf(i64), `[[1]]`, "MAP(VARCHAR, TINYINT)", `!row 11, column "c": "[1]" (BIGINT[]) is not convertible to MAP(VARCHAR, TINYINT)`)
	f(arrow.StructOf(arrow.Field{Name: "B", Type: utf8Type, Nullable: true}, arrow.Field{Name: "gone", Type: i64, Nullable: true}),
		`[{"B": "1", "gone": null}, null]`, "STRUCT(a VARCHAR, b INTEGER)", `{"a":null,"b":1} (null)`)
	f(arrow.StructOf(arrow.Field{Name: "x", Type: i64, Nullable: true}), `[{"x": 1}]`, "STRUCT(a VARCHAR)", `!row 11, column "c": "x" is not a field of STRUCT(a VARCHAR)`)
	f(i64, "[1]", "INTEGER[]", `!row 11, column "c": "1" (BIGINT) is not convertible to INTEGER[]`)
	f(utf8Type, `["`+strings.Repeat("y", 500)+`"]`, "INTEGER", `!row 11, column "c": "`+strings.Repeat("y", 80)+`"... (500 bytes) is not a value of type INTEGER`)
}

func TestConformMatchesColumnsByName(t *testing.T) {
	table := tableOf(t, schema.Column{Name: "Host", Type: schema.Of(schema.Varchar), NotNull: true}, schema.Column{Name: "n", Type: schema.Of(schema.Integer)},
		schema.Column{Name: "when", Type: schema.Of(schema.Timestamp)})
	rec := decoded(t, "N", i32, "[1, 2]", "unknown", arrow.Null, "[null, null]", "HOST", utf8Type, `["a", "b"]`)
	got, err := Conform(rec, table, ConformOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Schema().Equal(table.Arrow()) {
		t.Errorf("schema %s", got.Schema())
	}
	if got.Column(2).NullN() != 2 || got.Column(1).Data() != rec.Column(0).Data() {
		t.Error("a missing column is not NULL, or a fitting one was copied")
	}

	f := func(rec arrow.RecordBatch, options ConformOptions, want string) {
		t.Helper()
		if _, err := Conform(rec, table, options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f(decoded(t, "n", i32, "[1]"), ConformOptions{}, `column "Host" is NOT NULL, has no default, and is missing`)
	f(decoded(t, "host", utf8Type, `["a", null]`), ConformOptions{}, `row 2, column "Host": NULL in a column that is NOT NULL`)
	f(decoded(t, "host", utf8Type, `["a"]`, "x", i64, "[1]"), ConformOptions{}, `has no column "x"`)
	f(decoded(t, "host", utf8Type, `["a"]`, "Host", utf8Type, `["b"]`), ConformOptions{}, `column "Host" occurs twice`)

	defaults := map[base.ColumnID]arrow.Array{1: decoded(t, "d", utf8Type, `["none"]`).Column(0), 2: decoded(t, "d", i64, "[7]").Column(0)}
	got, err = Conform(decoded(t, "when", arrow.Null, "[null, null]"), table, ConformOptions{Defaults: defaults})
	if err != nil || got.Column(0).ValueStr(1) != "none" || got.Column(1).ValueStr(1) != "7" {
		t.Errorf("defaults: %v %v", got, err)
	}
	defaults[2] = decoded(t, "d", utf8Type, `["x"]`).Column(0)
	f(decoded(t, "host", utf8Type, `["a"]`), ConformOptions{Defaults: defaults}, "default")
}

func dictionaryOf(values string, t *testing.T, index arrow.DataType, indices string) arrow.Array {
	t.Helper()
	dt := &arrow.DictionaryType{IndexType: index, ValueType: utf8Type}
	dict := decoded(t, "d", utf8Type, values).Column(0)
	return array.NewDictionaryArray(dt, decoded(t, "i", index, indices).Column(0), dict)
}

func TestConformKeepsDictionariesOfText(t *testing.T) {
	text := tableOf(t, schema.Column{Name: "c", Type: schema.Of(schema.Varchar)})
	d := dictionaryOf(`["a", "b"]`, t, arrow.PrimitiveTypes.Uint32, "[1, 0, null]")
	got, err := Conform(decoded(t, "c", nil, d), text, ConformOptions{})
	if err != nil || got.Column(0).Data() != d.Data() {
		t.Errorf("a fitting dictionary was copied: %v", err)
	}
	got, err = Conform(decoded(t, "c", nil, dictionaryOf(`["a", "b"]`, t, i8, "[1, 0, null]")), text, ConformOptions{})
	if err != nil || !isTextDictionary(got.Column(0).DataType()) || fmt.Sprint(got.Column(0)) == "" || got.Column(0).ValueStr(0) != "b" || got.Column(0).NullN() != 1 {
		t.Errorf("other indices: %v %v", got, err)
	}
	got, err = Conform(decoded(t, "c", nil, dictionaryOf(`["a", null]`, t, i8, "[1, 0]")), text, ConformOptions{})
	if err != nil || got.Column(0).ValueStr(1) != "a" || !got.Column(0).IsNull(0) {
		t.Errorf("a NULL in the dictionary: %v %v", got, err)
	}
	number := tableOf(t, schema.Column{Name: "c", Type: schema.Of(schema.Integer)})
	got, err = Conform(decoded(t, "c", nil, dictionaryOf(`["5", "x"]`, t, i8, "[0, 0]")), number, ConformOptions{})
	if err != nil || got.Column(0).ValueStr(1) != "5" {
		t.Errorf("numbers in a dictionary of text: %v %v", got, err)
	}
	enum := tableOf(t, schema.Column{Name: "c", Type: schema.EnumOf("a")})
	if _, err = Conform(decoded(t, "c", nil, dictionaryOf(`["a", "unused"]`, t, i8, "[0]")), enum, ConformOptions{}); err != nil {
		t.Error(err)
	}
	if _, err = Conform(decoded(t, "c", nil, dictionaryOf(`["a", "b"]`, t, i8, "[0, 1]")), enum, ConformOptions{}); err == nil || !strings.Contains(err.Error(), "row 2") {
		t.Error(err)
	}
	nested := tableOf(t, schema.Column{Name: "c", Type: typeOf(t, "VARCHAR[]")})
	list := array.NewData(arrow.ListOf(d.DataType()), 1, decoded(t, "l", arrow.ListOf(i64), "[[1, 2, 3]]").Column(0).Data().Buffers(), []arrow.ArrayData{d.Data()}, 0, 0)
	got, err = Conform(decoded(t, "c", nil, array.MakeFromData(list)), nested, ConformOptions{})
	if err != nil || got.Column(0).ValueStr(0) != `["b","a",null]` {
		t.Errorf("a nested dictionary: %v %v", got, err)
	}
}

func TestConformLeavesNULLsOfStoredRows(t *testing.T) {
	table := schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{
		{ID: 1, Name: "a", Type: schema.Of(schema.BigInt), NotNull: true}, {ID: 2, Name: "b", Type: schema.Of(schema.Varchar), NotNull: true}}}
	b := array.NewInt32Builder(allocator)
	b.AppendValues([]int32{1, 2}, []bool{true, false})
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, nil), []arrow.Array{b.NewArray()}, 2)
	if _, err := Conform(rec, table, ConformOptions{}); err == nil {
		t.Error("NULLs of rows that come went unnoticed")
	}
	got, err := Conform(rec, table, ConformOptions{AllowNull: true})
	if err != nil {
		t.Fatal(err)
	}
	if a := got.Column(0).(*array.Int64); a.Value(0) != 1 || !a.IsNull(1) || got.Column(1).NullN() != 2 {
		t.Errorf("%v", got)
	}
}

func TestConformRefusesTextThatIsNotUTF8(t *testing.T) {
	table := tableOf(t, schema.Column{Name: "c", Type: schema.Of(schema.Varchar)})
	for _, values := range [][]string{{"ok", "\xff"}, {"a\xc3", "\xa9b"}, {"long enough text \xf0", ""}} {
		b := array.NewStringBuilder(allocator)
		b.AppendValues(values, nil)
		if _, err := Conform(decoded(t, "c", nil, b.NewArray()), table, ConformOptions{}); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%q: %v", values, err)
		}
	}
	b := array.NewStringBuilder(allocator)
	b.AppendValues([]string{"", "ü", "日本", ""}, nil)
	if _, err := Conform(decoded(t, "c", nil, b.NewArray()), table, ConformOptions{}); err != nil {
		t.Error(err)
	}
}

// TestConformOfSlices: a slice at an offset is converted like a copy of it, also in a nested
// column.
func TestConformOfSlices(t *testing.T) {
	rec := decoded(t, "a", i64, "[9, null, 1, 2, 9]", "b", utf8Type, `["x", "1", null, "2", "x"]`,
		"c", arrow.ListOf(i64), "[[9, 999], null, [1, 2], [3], [999]]",
		"s", arrow.StructOf(arrow.Field{Name: "f", Type: i64, Nullable: true}), `[{"f": 999}, null, {"f": 1}, {"f": null}, {"f": 999}]`,
		"m", arrow.MapOf(utf8Type, i64), `[[{"key": "k", "value": 999}], [], null, [{"key": "l", "value": 5}], null]`)
	table := tableOf(t, schema.Column{Name: "a", Type: schema.Of(schema.TinyInt)}, schema.Column{Name: "b", Type: schema.Of(schema.Integer)},
		schema.Column{Name: "c", Type: typeOf(t, "TINYINT[]")}, schema.Column{Name: "s", Type: typeOf(t, "STRUCT(f TINYINT)")},
		schema.Column{Name: "m", Type: typeOf(t, "MAP(VARCHAR, TINYINT)")})
	got, err := Conform(rec.NewSlice(1, 4), table, ConformOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"(null)", "1", "2"}, {"1", "(null)", "2"}, {"(null)", "[1,2]", "[3]"}, {"(null)", `{"f":1}`, `{"f":null}`}, {"[]", "(null)", `[{"key":"l","value":5}]`}}
	for c := range want {
		for i := range want[c] {
			if s := got.Column(c).ValueStr(i); s != want[c][i] {
				t.Errorf("column %d row %d: got %s, want %s", c, i, s, want[c][i])
			}
		}
	}
}

func TestConformKeepsInfinities(t *testing.T) {
	b := array.NewTimestampBuilder(allocator, tsNS)
	b.AppendValues([]arrow.Timestamp{math.MaxInt64, -math.MaxInt64}, nil)
	table := tableOf(t, schema.Column{Name: "c", Type: schema.Of(schema.TimestampS)})
	got, err := Conform(decoded(t, "c", nil, b.NewArray()), table, ConformOptions{})
	if err != nil || got.Column(0).(*array.Timestamp).Value(0) != math.MaxInt64 || got.Column(0).(*array.Timestamp).Value(1) != -math.MaxInt64 {
		t.Error(got, err)
	}
}

func TestEvolveAddsAndWidensOnlyWhatIsNeeded(t *testing.T) {
	table := tableOf(t, schema.Column{Name: "n", Type: schema.Of(schema.Integer), Inferred: true},
		schema.Column{Name: "s", Type: typeOf(t, "STRUCT(a INTEGER)"), Inferred: true}, schema.Column{Name: "declared", Type: schema.Of(schema.Integer)})
	f := func(want string, rec arrow.RecordBatch) {
		t.Helper()
		next, changed, err := Evolve(rec, table, nil)
		got := ""
		switch {
		case err != nil:
			got = "!" + err.Error()
		case changed:
			var all []string
			for _, c := range next.Columns {
				all = append(all, c.Name+" "+c.Type.String())
			}
			got = strings.Join(all, ", ")
			if next.Version != table.Version+1 {
				t.Errorf("version %d", next.Version)
			}
			if _, err := Conform(rec, next, ConformOptions{}); err != nil {
				t.Errorf("the batch does not fit the table it asked for: %v", err)
			}
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f("", decoded(t, "n", i64, "[1]"))
	f("", decoded(t, "N", f64, "[2]", "new", arrow.Null, "[null]"))
	f(`n BIGINT, s STRUCT(a INTEGER), declared INTEGER`, decoded(t, "N", i64, "[3000000000]"))
	f(`n DOUBLE, s STRUCT(a INTEGER), declared INTEGER`, decoded(t, "n", f64, "[1.5]"))
	f(`n BIGINT, s STRUCT(a INTEGER), declared INTEGER`, decoded(t, "n", utf8Type, `["3000000000", null, "2.0"]`))
	f(`n DOUBLE, s STRUCT(a INTEGER), declared INTEGER`, decoded(t, "n", utf8Type, `["3000000000", "2.5"]`))
	f(`n DOUBLE, s STRUCT(a INTEGER), declared INTEGER`, decoded(t, "n", nil, dictionaryOf(`["2.5", "1e300"]`, t, arrow.PrimitiveTypes.Uint32, "[0, 1]")))
	f(`!table d.main.t: row 2, column "n": "2.5" is not a value of type INTEGER`, decoded(t, "n", utf8Type, `["5", "2.5", "9007199254740993"]`))
	f(`!table d.main.t: row 1, column "n": "9223372036854775807.0" is not a value of type INTEGER`, decoded(t, "n", utf8Type, `["9223372036854775807.0", "2.5"]`))
	f(`!table d.main.t: row 2, column "declared": "2.5" is not a value of type INTEGER`, decoded(t, "declared", utf8Type, `["5", "2.5"]`))
	f(`n INTEGER, s STRUCT(a INTEGER), declared INTEGER, x VARCHAR, Y BOOLEAN`, decoded(t, "x", utf8Type, `["a"]`, "Y", arrow.FixedWidthTypes.Boolean, "[null]"))
	f(`n INTEGER, s STRUCT(a INTEGER, b VARCHAR), declared INTEGER`, decoded(t, "s", arrow.StructOf(arrow.Field{Name: "b", Type: utf8Type, Nullable: true}), `[{"b": "x"}]`))
	f("", decoded(t, "declared", f64, "[2]"))
	f(`!table d.main.t: row 1, column "declared": "1.5" is not exact in type INTEGER`, decoded(t, "declared", f64, "[1.5]"))
	f(`!table d.main.t: row 1, column "n": "abc" is not a value of type INTEGER`, decoded(t, "n", utf8Type, `["abc"]`))
	f(`!table d.main.t: new column "l": nothing but NULLs inside: its type is unknown`, decoded(t, "l", arrow.ListOf(arrow.Null), "[[null]]"))
}

func TestEvolveWidensDecimalsForTexts(t *testing.T) {
	for texts, want := range map[string]string{`["1234567", "0.5"]`: "DECIMAL(9,2)", `["0.0005"]`: "DECIMAL(7,4)", `["1e37"]`: "", `["x"]`: "", `["1e-39"]`: ""} {
		table := tableOf(t, schema.Column{Name: "d", Type: typeOf(t, "DECIMAL(5,2)"), Inferred: true})
		next, _, err := Evolve(decoded(t, "d", utf8Type, texts), table, nil)
		if got := next.Columns; want == "" && err == nil || want != "" && (err != nil || got[0].Type.String() != want) {
			t.Errorf("%s: %v %v, want %s", texts, got, err, want)
		}
	}
}

func TestInferTableFindsTheSortKey(t *testing.T) {
	host := dictionaryOf(`["a"]`, t, arrow.PrimitiveTypes.Uint32, "[0]")
	rec := decoded(t, "v", f64, "[1]", "time", tsUTC, `["2024-01-01T00:00:00Z"]`, "host", nil, host, "empty", arrow.Null, "[null]", "id", utf8Type, `["x"]`)
	f := func(want string, tags ...string) {
		t.Helper()
		table, err := InferTable("db", "main", "t", rec, tags, InferOptions{})
		if err != nil {
			if want != "!" {
				t.Error(err)
			}
			return
		}
		text := table.String()
		if i := strings.Index(text, "SORTED BY"); text[max(i, 0):] != want {
			t.Errorf("got %s", text)
		}
		if len(table.Columns) != 4 || table.Columns[1].Type.Kind != schema.TimestampTZ {
			t.Errorf("columns %v", table.Columns)
		}
	}
	f(`SORTED BY ("host", "time")`)
	f(`SORTED BY ("id", "time")`, "ID", "id", "time")
	f("!", "nope")
}

func BenchmarkConform(b *testing.B) {
	recs, table := metricBatches(10_000, 1000)
	narrow := table
	narrow.Columns = append([]schema.Column(nil), table.Columns...)
	narrow.Columns[4].Type = schema.Of(schema.Integer)
	for name, t := range map[string]schema.Table{"fits": table, "one-column-narrows": narrow} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Conform(recs[0], t, ConformOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzConformText: every text is converted or is an error, and a stored value is converted to
// itself.
func FuzzConformText(f *testing.F) {
	types := []string{"BOOLEAN", "INTEGER", "UBIGINT", "HUGEINT", "DOUBLE", "DECIMAL(20,5)", "UUID", "DATE", "TIME", "TIMETZ", "TIMESTAMP", "TIMESTAMP_NS", "INTERVAL", "BIT", "JSON"}
	for _, seed := range []string{"1", "-1.5e3", "2024-03-09 10:11:12.5+02:30", "1 year -2 days 03:04:05.6", "12:00:00-08", `{"a": "\ud83e\udd86"}`, "infinity"} {
		for i := range types {
			f.Add(byte(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, text string) {
		declared := typeOf(t, types[int(kind)%len(types)])
		b := array.NewStringBuilder(allocator)
		b.Append(text)
		got, fault := convert(b.NewArray(), declared, true)
		if fault != nil {
			return
		}
		again, fault := convert(got, declared, true)
		if fault != nil || again.ValueStr(0) != got.ValueStr(0) {
			t.Fatalf("%s %q is stored as %s, and that as %v %v", declared, text, got.ValueStr(0), again, fault)
		}
	})
}

func TestScalesThatNobodyCanPrintAreRefused(t *testing.T) {
	of := func(scale int32) arrow.Array {
		b := array.NewDecimal128Builder(allocator, &arrow.Decimal128Type{Precision: 38, Scale: scale})
		b.AppendNull()
		b.Append(decimal128.FromI64(15))
		return b.NewArray()
	}
	wide := array.NewDecimal256Builder(allocator, &arrow.Decimal256Type{Precision: 60, Scale: 80})
	wide.Append(decimal256.FromI64(15))
	for _, a := range []arrow.Array{of(40), of(-40), of(math.MaxInt32), of(math.MinInt32), wide.NewArray()} {
		for _, column := range []string{"BIGINT", "UINTEGER", "HUGEINT", "DOUBLE", "DECIMAL(38,0)", "VARCHAR", "JSON", "DATE"} {
			table := tableOf(t, schema.Column{Name: "a", Type: typeOf(t, column)})
			if _, err := Conform(decoded(t, "a", a.DataType(), a), table, ConformOptions{}); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "scale") {
				t.Errorf("%v to %s: %v", a.DataType(), column, err)
			}
		}
	}
	if read := integerText(of(math.MaxInt32)); read != nil {
		if _, ok := read(1); ok {
			t.Error("15 / 10^2147483647 is no integer")
		}
	}
}
