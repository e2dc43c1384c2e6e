package encode

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/vmihailenco/msgpack/v5"
)

// valueCase is one column with the expected values of its rows in each format.
type valueCase struct {
	name    string
	array   func(t testing.TB) arrow.Array
	sqlType string   // schema.TypeKey, if any
	json    []string // per row
	csv     []string // per row, after parsing; nil: as in json, with NULL as nothing
	pack    []any    // per row; nil: the parsed json
}

func fromJSON(dt arrow.DataType, text string) func(testing.TB) arrow.Array {
	return func(t testing.TB) arrow.Array { return arrayOf(t, dt, text) }
}

// fixedBytes makes a fixed-size binary array, of an extension type if ext is not nil.
func fixedBytes(ext arrow.ExtensionType, width int, rows ...[]byte) func(testing.TB) arrow.Array {
	return func(testing.TB) arrow.Array {
		b := array.NewFixedSizeBinaryBuilder(memory.DefaultAllocator, &arrow.FixedSizeBinaryType{ByteWidth: width})
		for _, row := range rows {
			if row == nil {
				b.AppendNull()
			} else {
				b.Append(row)
			}
		}
		if ext == nil {
			return b.NewArray()
		}
		return array.NewExtensionArrayWithStorage(ext, b.NewArray())
	}
}

// bytesArray makes a binary or string array from raw bytes, which JSON could not represent.
func bytesArray(dt arrow.BinaryDataType, ext arrow.ExtensionType, rows ...string) func(testing.TB) arrow.Array {
	return func(testing.TB) arrow.Array {
		b := array.NewBinaryBuilder(memory.DefaultAllocator, dt)
		for _, row := range rows {
			if row == "NULL" {
				b.AppendNull()
			} else {
				b.Append([]byte(row))
			}
		}
		if ext == nil {
			return b.NewArray()
		}
		return array.NewExtensionArrayWithStorage(ext, b.NewArray())
	}
}

func floats(values ...float64) func(testing.TB) arrow.Array {
	return func(testing.TB) arrow.Array {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.AppendValues(values, nil)
		return b.NewArray()
	}
}

func int64s(dt arrow.DataType, values ...int64) func(testing.TB) arrow.Array {
	return func(testing.TB) arrow.Array {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.AppendValues(values, nil)
		b.AppendNull()
		data := b.NewArray().Data()
		return array.MakeFromData(array.NewData(dt, data.Len(), data.Buffers(), nil, data.NullN(), 0))
	}
}

func decimals(precision, scale int32, unscaled ...string) func(testing.TB) arrow.Array {
	return func(t testing.TB) arrow.Array {
		b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: precision, Scale: scale})
		for _, s := range unscaled {
			v, ok := new(big.Int).SetString(s, 10)
			if !ok {
				t.Fatalf("%q is no number", s)
			}
			b.Append(decimal128.FromBigInt(v))
		}
		b.AppendNull()
		return b.NewArray()
	}
}

func littleEndian(text string) []byte {
	v, _ := new(big.Int).SetString(text, 10)
	if v.Sign() < 0 {
		v.Add(v, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	b := v.FillBytes(make([]byte, 16))
	for i := range 8 {
		b[i], b[15-i] = b[15-i], b[i]
	}
	return b
}

func opaque(storage arrow.DataType, name string) *extensions.OpaqueType {
	return extensions.NewOpaqueType(storage, name, "DuckDB")
}

var (
	fixed16 = &arrow.FixedSizeBinaryType{ByteWidth: 16}
	fixed8  = &arrow.FixedSizeBinaryType{ByteWidth: 8}
)

func timestamps(unit arrow.TimeUnit, zone string) arrow.DataType {
	return &arrow.TimestampType{Unit: unit, TimeZone: zone}
}

var valueCases = []valueCase{
	{name: "BOOLEAN", array: fromJSON(arrow.FixedWidthTypes.Boolean, `[true,null,false]`), json: []string{"true", "null", "false"}},
	{name: "bool8", array: func(t testing.TB) arrow.Array {
		return array.NewExtensionArrayWithStorage(extensions.NewBool8Type(), arrayOf(t, arrow.PrimitiveTypes.Int8, `[1,null,0]`))
	}, json: []string{"true", "null", "false"}},
	{name: "TINYINT", array: fromJSON(arrow.PrimitiveTypes.Int8, `[-128,null,127]`), json: []string{"-128", "null", "127"}},
	{name: "SMALLINT", array: fromJSON(arrow.PrimitiveTypes.Int16, `[-32768,null,32767]`), json: []string{"-32768", "null", "32767"}},
	{name: "INTEGER", array: fromJSON(arrow.PrimitiveTypes.Int32, `[-2147483648,null,-33]`), json: []string{"-2147483648", "null", "-33"}},
	{name: "BIGINT", array: int64s(arrow.PrimitiveTypes.Int64, math.MinInt64, math.MaxInt64, 9007199254740993, 0),
		json: []string{"-9223372036854775808", "9223372036854775807", "9007199254740993", "0", "null"}},
	{name: "UTINYINT", array: fromJSON(arrow.PrimitiveTypes.Uint8, `[0,null,255]`), json: []string{"0", "null", "255"}},
	{name: "USMALLINT", array: fromJSON(arrow.PrimitiveTypes.Uint16, `[0,null,65535]`), json: []string{"0", "null", "65535"}},
	{name: "UINTEGER", array: fromJSON(arrow.PrimitiveTypes.Uint32, `[0,null,4294967295]`), json: []string{"0", "null", "4294967295"}},
	{name: "UBIGINT", array: fromJSON(arrow.PrimitiveTypes.Uint64, `[0,null,18446744073709551615]`), json: []string{"0", "null", "18446744073709551615"}},
	{name: "DOUBLE", array: floats(1, -0.5, 0.1, math.Copysign(0, -1), 1e15, 1e300, 1e-7, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64),
		json: []string{"1.0", "-0.5", "0.1", "-0.0", "1e+15", "1e+300", "1e-07", `"NaN"`, `"Infinity"`, `"-Infinity"`, "5e-324"},
		csv:  []string{"1.0", "-0.5", "0.1", "-0.0", "1e+15", "1e+300", "1e-07", "NaN", "Infinity", "-Infinity", "5e-324"},
		pack: []any{1.0, -0.5, 0.1, math.Copysign(0, -1), 1e15, 1e300, 1e-7, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64}},
	{name: "FLOAT", array: fromJSON(arrow.PrimitiveTypes.Float32, `[0.1,null,16777216,-33554436,1e11,1e14,1e15]`),
		json: []string{"0.1", "null", "16777216.0", "-33554436.0", "100000000000.0", "100000000000000.0", "1000000000000000.0"},
		pack: []any{float32(0.1), nil, float32(16777216), float32(-33554436), float32(1e11), float32(1e14), float32(1e15)}},
	{name: "half", array: fromJSON(arrow.FixedWidthTypes.Float16, `[0.5,null,2]`), json: []string{"0.5", "null", "2.0"}, pack: []any{float32(0.5), nil, float32(2)}},
	{name: "DECIMAL", array: decimals(38, 2, "0", "-5", "150", "99999999999999999", "100000000000000000000000000000"),
		json: []string{"0.00", "-0.05", "1.50", `"999999999999999.99"`, "1000000000000000000000000000.00", "null"},
		csv:  []string{"0.00", "-0.05", "1.50", "999999999999999.99", "1000000000000000000000000000.00", ""},
		pack: []any{0.0, -0.05, 1.5, "999999999999999.99", 1e27, nil}},
	{name: "DECIMAL of small scale", array: decimals(4, 4, "1", "-9999"), json: []string{"0.0001", "-0.9999", "null"}},
	{name: "decimal64", array: fromJSON(&arrow.Decimal64Type{Precision: 18, Scale: 3}, `["1.500","-999999999999999.999",null]`),
		json: []string{"1.500", `"-999999999999999.999"`, "null"}, csv: []string{"1.500", "-999999999999999.999", ""}},
	{name: "decimal256", array: fromJSON(&arrow.Decimal256Type{Precision: 76, Scale: 1}, `["1.5","-1000000000000000000000000000000000000000000000000000000000.1",null]`),
		json: []string{"1.5", `"-1000000000000000000000000000000000000000000000000000000000.1"`, "null"},
		csv:  []string{"1.5", "-1000000000000000000000000000000000000000000000000000000000.1", ""},
		pack: []any{"1.5", "-1000000000000000000000000000000000000000000000000000000000.1", nil}},
	{name: "HUGEINT", array: fixedBytes(opaque(fixed16, "hugeint"), 16, littleEndian("1"), littleEndian("-1"), littleEndian("9007199254740993"),
		littleEndian("-170141183460469231731687303715884105728"), nil),
		json: []string{"1", "-1", `"9007199254740993"`, `"-170141183460469231731687303715884105728"`, "null"},
		csv:  []string{"1", "-1", "9007199254740993", "-170141183460469231731687303715884105728", ""},
		pack: []any{int64(1), int64(-1), int64(9007199254740993), "-170141183460469231731687303715884105728", nil}},
	{name: "HUGEINT as decimal", array: decimals(38, 0, "9007199254740992", "-99999999999999999999999999999999999999"), sqlType: "HUGEINT",
		json: []string{"9007199254740992", `"-99999999999999999999999999999999999999"`, "null"},
		csv:  []string{"9007199254740992", "-99999999999999999999999999999999999999", ""}},
	{name: "UHUGEINT", array: fixedBytes(opaque(fixed16, "uhugeint"), 16, littleEndian("-1"), nil),
		json: []string{`"340282366920938463463374607431768211455"`, "null"}, csv: []string{"340282366920938463463374607431768211455", ""}},
	{name: "BIGNUM", array: bytesArray(arrow.BinaryTypes.Binary, opaque(arrow.BinaryTypes.Binary, "bignum"), "\x80\x00\x01\x05", "\x7f\xff\xfe\xfa", "NULL"),
		json: []string{`"5"`, `"-5"`, "null"}},
	{name: "BIT", array: bytesArray(arrow.BinaryTypes.Binary, opaque(arrow.BinaryTypes.Binary, "bit"), "\x03\xf5", "\x00\x80\x01", "NULL"),
		json: []string{`"10101"`, `"1000000000000001"`, "null"}},
	{name: "VARCHAR", array: bytesArray(arrow.BinaryTypes.String, nil, "", "plain text", "NULL", "a,b", "say \"hi\"", "line\nend\r", "tab\tnull\x00\x1f", "\\", "größe 日本 🦆", "\u2028\u2029\u0085", " padded ", "bad\xff\xfeutf8", "123456789012345678901234567890ü"),
		json: []string{`""`, `"plain text"`, "null", `"a,b"`, `"say \"hi\""`, `"line\nend\r"`, `"tab\tnull\u0000\u001f"`, `"\\"`, `"größe 日本 🦆"`, `"\u2028\u2029\u0085"`, `" padded "`, `"bad` + "\uFFFD\uFFFD" + `utf8"`, `"123456789012345678901234567890ü"`},
		csv:  []string{"", "plain text", "", "a,b", "say \"hi\"", "line\nend\r", "tab\tnull\x00\x1f", "\\", "größe 日本 🦆", "\u2028\u2029\u0085", " padded ", "bad\uFFFD\uFFFDutf8", "123456789012345678901234567890ü"}},
	{name: "large string", array: bytesArray(arrow.BinaryTypes.LargeString, nil, "a", "NULL", "é"), json: []string{`"a"`, "null", `"é"`}},
	{name: "string view", array: fromJSON(arrow.BinaryTypes.StringView, `["short",null,"a string that is longer than the twelve inlined bytes","\"q\""]`),
		json: []string{`"short"`, "null", `"a string that is longer than the twelve inlined bytes"`, `"\"q\""`}},
	{name: "JSON", array: bytesArray(arrow.BinaryTypes.String, jsonType(), `{"a": [1,`+"\n"+`2]}`, "not json", "NULL", `"text"`),
		json: []string{`{"a": [1,2]}`, `"not json"`, "null", `"text"`},
		csv:  []string{"{\"a\": [1,\n2]}", "not json", "", `"text"`}, pack: []any{"{\"a\": [1,\n2]}", "not json", nil, `"text"`}},
	{name: "BLOB", array: bytesArray(arrow.BinaryTypes.Binary, nil, "", "\x00\xff", "NULL", "abc"), json: []string{`""`, `"AP8="`, "null", `"YWJj"`},
		pack: []any{[]byte{}, []byte{0, 0xff}, nil, []byte("abc")}},
	{name: "binary view", array: fromJSON(arrow.BinaryTypes.BinaryView, `["YWJj",null]`), json: []string{`"YWJj"`, "null"}, pack: []any{[]byte("abc"), nil}},
	{name: "UUID", array: fixedBytes(extensions.NewUUIDType(), 16, []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"), nil),
		json: []string{`"00112233-4455-6677-8899-aabbccddeeff"`, "null"}},
	{name: "DATE", array: fromJSON(arrow.PrimitiveTypes.Int32, `[0,19791,-719528,-719529,2932896,2932897,2147483647,-2147483647,null]`), sqlType: "",
		json: []string{"0", "19791", "-719528", "-719529", "2932896", "2932897", "2147483647", "-2147483647", "null"}},
	{name: "DATE of days", array: func(t testing.TB) arrow.Array {
		data := arrayOf(t, arrow.PrimitiveTypes.Int32, `[0,19791,-719528,-719529,2932896,2932897,2147483647,-2147483647,null]`).Data()
		return array.MakeFromData(array.NewData(arrow.FixedWidthTypes.Date32, data.Len(), data.Buffers(), nil, data.NullN(), 0))
	}, json: []string{`"1970-01-01"`, `"2024-03-09"`, `"0000-01-01"`, `"-000001-12-31"`, `"9999-12-31"`, `"+010000-01-01"`, `"infinity"`, `"-infinity"`, "null"},
		pack: []any{int64(0), int64(19791), int64(-719528), int64(-719529), int64(2932896), int64(2932897), int64(math.MaxInt32), int64(-math.MaxInt32), nil}},
	{name: "DATE in ms", array: int64s(arrow.FixedWidthTypes.Date64, 0, -86400000), json: []string{`"1970-01-01"`, `"1969-12-31"`, "null"},
		pack: []any{int64(0), int64(-86400000), nil}},
	{name: "TIMESTAMP", array: int64s(timestamps(arrow.Microsecond, ""), 0, 1_709_978_400_000_000, 1_709_978_400_500_000, 1_709_978_400_000_001, -1, math.MaxInt64, -math.MaxInt64),
		json: []string{`"1970-01-01T00:00:00"`, `"2024-03-09T10:00:00"`, `"2024-03-09T10:00:00.500"`, `"2024-03-09T10:00:00.000001"`, `"1969-12-31T23:59:59.999999"`, `"infinity"`, `"-infinity"`, "null"},
		pack: []any{int64(0), int64(1_709_978_400_000_000), int64(1_709_978_400_500_000), int64(1_709_978_400_000_001), int64(-1), int64(math.MaxInt64), int64(-math.MaxInt64), nil}},
	{name: "TIMESTAMPTZ", array: int64s(timestamps(arrow.Microsecond, "Europe/Berlin"), 1_709_978_400_000_000), json: []string{`"2024-03-09T10:00:00Z"`, "null"},
		pack: []any{int64(1_709_978_400_000_000), nil}},
	{name: "TIMESTAMP_S", array: int64s(timestamps(arrow.Second, ""), 1_709_978_400, math.MaxInt64, -math.MaxInt64, -1), json: []string{`"2024-03-09T10:00:00"`, `"infinity"`, `"-infinity"`, `"1969-12-31T23:59:59"`, "null"},
		pack: []any{int64(1_709_978_400), int64(math.MaxInt64), int64(-math.MaxInt64), int64(-1), nil}},
	{name: "TIMESTAMP_MS", array: int64s(timestamps(arrow.Millisecond, ""), 1_709_978_400_001), json: []string{`"2024-03-09T10:00:00.001"`, "null"}, pack: []any{int64(1_709_978_400_001), nil}},
	{name: "TIMESTAMP_NS", array: int64s(timestamps(arrow.Nanosecond, ""), 1_709_978_400_000_000_001, -1), json: []string{`"2024-03-09T10:00:00.000000001"`, `"1969-12-31T23:59:59.999999999"`, "null"},
		pack: []any{int64(1_709_978_400_000_000_001), int64(-1), nil}},
	{name: "TIME", array: int64s(arrow.FixedWidthTypes.Time64us, 0, 86_399_999_999, 86_400_000_000), json: []string{`"00:00:00"`, `"23:59:59.999999"`, `"24:00:00"`, "null"},
		pack: []any{int64(0), int64(86_399_999_999), int64(86_400_000_000), nil}},
	{name: "TIME_NS", array: int64s(arrow.FixedWidthTypes.Time64ns, 1), json: []string{`"00:00:00.000000001"`, "null"}, pack: []any{int64(1), nil}},
	{name: "time32", array: fromJSON(arrow.FixedWidthTypes.Time32ms, `["00:00:01.5",null]`), json: []string{`"00:00:01.500"`, "null"}, pack: []any{int64(1500), nil}},
	{name: "TIMETZ", array: fixedBytes(opaque(fixed8, "time_tz"), 8, timeTZBits(3_600_000_000, 3600), timeTZBits(1, -19800), nil),
		json: []string{`"01:00:00+01:00"`, `"00:00:00.000001-05:30"`, "null"}},
	{name: "INTERVAL", array: func(testing.TB) arrow.Array {
		b := array.NewMonthDayNanoIntervalBuilder(memory.DefaultAllocator)
		b.Append(arrow.MonthDayNanoInterval{Months: 14, Days: 3, Nanoseconds: 14_706_500_000_000})
		b.Append(arrow.MonthDayNanoInterval{})
		b.Append(arrow.MonthDayNanoInterval{Months: -1, Nanoseconds: -500_000_000})
		b.AppendNull()
		b.Append(arrow.MonthDayNanoInterval{Days: 1})
		return b.NewArray()
	}, json: []string{`"P1Y2M3DT4H5M6.5S"`, `"PT0S"`, `"P-1MT-0.5S"`, "null", `"P1D"`},
		csv:  []string{"1 year 2 months 3 days 04:05:06.5", "00:00:00", "-1 month -00:00:00.5", "", "1 day"},
		pack: []any{"P1Y2M3DT4H5M6.5S", "PT0S", "P-1MT-0.5S", nil, "P1D"}},
	{name: "duration", array: int64s(arrow.FixedWidthTypes.Duration_s, 90, math.MaxInt64), json: []string{`"PT1M30S"`, `"P106751991167300DT15H30M7S"`, "null"},
		csv: []string{"00:01:30", "106751991167300 days 15:30:07", ""}, pack: []any{"PT1M30S", "P106751991167300DT15H30M7S", nil}},
	{name: "NULL", array: fromJSON(arrow.Null, `[null,null]`), json: []string{"null", "null"}},
	{name: "ENUM", array: fromJSON(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}, `["b",null,"a \"x\"","b"]`), sqlType: "ENUM('b', 'a')",
		json: []string{`"b"`, "null", `"a \"x\""`, `"b"`}},
	{name: "ENUM with more values than rows", array: func(t testing.TB) arrow.Array {
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String},
			arrayOf(t, arrow.PrimitiveTypes.Uint32, `[2,null,3]`), arrayOf(t, arrow.BinaryTypes.String, `["a","b","c",null,"e"]`))
	}, json: []string{`"c"`, "null", "null"}},
	{name: "LIST", array: fromJSON(arrow.ListOf(arrow.PrimitiveTypes.Int64), `[[1,null,3],null,[],[9007199254740993]]`), json: []string{"[1,null,3]", "null", "[]", "[9007199254740993]"}},
	{name: "list of strings", array: fromJSON(arrow.LargeListOf(arrow.BinaryTypes.String), `[["a","\"",null],null]`), json: []string{`["a","\"",null]`, "null"}},
	{name: "list view", array: fromJSON(arrow.ListViewOf(arrow.PrimitiveTypes.Int32), `[[1],null,[2,3]]`), json: []string{`[1]`, "null", "[2,3]"}},
	{name: "ARRAY", array: fromJSON(arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), `[[1,2],null,[3,null]]`), json: []string{"[1,2]", "null", "[3,null]"}},
	{name: "STRUCT", array: fromJSON(arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		arrow.Field{Name: "b \"q\"", Type: timestamps(arrow.Microsecond, "UTC"), Nullable: true}), `[{"a":1,"b \"q\"":"2024-03-09T10:00:00Z"},null,{"a":null,"b \"q\"":null}]`),
		json: []string{`{"a":1,"b \"q\"":"2024-03-09T10:00:00Z"}`, "null", `{"a":null,"b \"q\"":null}`},
		pack: []any{map[string]any{"a": int64(1), "b \"q\"": int64(1_709_978_400_000_000)}, nil, map[string]any{"a": nil, "b \"q\"": nil}}},
	{name: "ROW", array: func(t testing.TB) arrow.Array {
		st := arrow.StructOf(arrow.Field{Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true})
		data := array.NewData(st, 2, []*memory.Buffer{nil}, []arrow.ArrayData{arrayOf(t, arrow.PrimitiveTypes.Int32, `[1,null]`).Data(), arrayOf(t, arrow.BinaryTypes.String, `["a","b"]`).Data()}, 0, 0)
		return array.MakeFromData(data)
	}, json: []string{`[1,"a"]`, `[null,"b"]`}},
	{name: "MAP with string keys", array: fromJSON(arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), `[[{"key":"a","value":1},{"key":"b","value":null}],null,[]]`),
		json: []string{`{"a":1,"b":null}`, "null", "{}"}},
	{name: "MAP", array: fromJSON(arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), `[[{"key":1,"value":"x"},{"key":2,"value":null}],null,[]]`),
		json: []string{`[{"key":1,"value":"x"},{"key":2,"value":null}]`, "null", "[]"}},
	{name: "nested", array: fromJSON(arrow.ListOf(arrow.StructOf(
		arrow.Field{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
		arrow.Field{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int64)), Nullable: true})),
		`[[{"l":[1,2],"m":[{"key":"a","value":[1,null]}]},null,{"l":null,"m":null}],null,[],[{"l":[],"m":[]}],[{"l":[null,5],"m":[{"key":"b","value":null},{"key":"c","value":[3,4]}]}]]`),
		json: []string{`[{"l":[1,2],"m":{"a":[1,null]}},null,{"l":null,"m":null}]`, "null", "[]", `[{"l":[],"m":{}}]`, `[{"l":[null,5],"m":{"b":null,"c":[3,4]}}]`}},
	{name: "struct of enum and view", array: fromJSON(arrow.StructOf(
		arrow.Field{Name: "e", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		arrow.Field{Name: "d", Type: arrow.BinaryTypes.StringView, Nullable: true}), `[{"e":"x","d":"text"},null,{"e":null,"d":null}]`),
		json: []string{`{"e":"x","d":"text"}`, "null", `{"e":null,"d":null}`}},
	{name: "sparse UNION", array: sparseUnion, json: []string{`{"num":1}`, `{"str":"x"}`, "null", `{"num":4}`, `{"str":"y"}`}},
	{name: "dense UNION", array: denseUnion, json: []string{`{"num":1}`, `{"str":"x"}`, "null", `{"num":4}`, `{"str":"y"}`}},
	{name: "run-end encoded", array: func(t testing.TB) arrow.Array {
		return array.NewRunEndEncodedArray(arrayOf(t, arrow.PrimitiveTypes.Int32, `[2,3,5]`), arrayOf(t, arrow.BinaryTypes.String, `["a",null,"b"]`), 5, 0)
	}, json: []string{`"a"`, `"a"`, "null", `"b"`, `"b"`}},
}

func jsonType() arrow.ExtensionType {
	t, err := extensions.NewJSONType(arrow.BinaryTypes.String)
	if err != nil {
		panic(err)
	}
	return t
}

func timeTZBits(micros uint64, offset int) []byte {
	v := micros<<24 | uint64(16*3600-1-offset)
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return b
}

var unionFields = []arrow.Field{{Name: "num", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "str", Type: arrow.BinaryTypes.String, Nullable: true}}

func sparseUnion(t testing.TB) arrow.Array {
	codes := arrayOf(t, arrow.PrimitiveTypes.Int8, `[0,1,0,0,1]`)
	u, err := array.NewSparseUnionFromArraysWithFields(codes, []arrow.Array{
		arrayOf(t, arrow.PrimitiveTypes.Int32, `[1,null,null,4,null]`), arrayOf(t, arrow.BinaryTypes.String, `[null,"x",null,null,"y"]`)}, []string{"num", "str"})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func denseUnion(t testing.TB) arrow.Array {
	codes := arrayOf(t, arrow.PrimitiveTypes.Int8, `[0,1,0,0,1]`)
	offsets := arrayOf(t, arrow.PrimitiveTypes.Int32, `[0,0,1,2,1]`)
	u, err := array.NewDenseUnionFromArraysWithFields(codes, offsets, []arrow.Array{
		arrayOf(t, arrow.PrimitiveTypes.Int32, `[1,null,4]`), arrayOf(t, arrow.BinaryTypes.String, `["x","y"]`)}, []string{"num", "str"})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (c valueCase) batch(t testing.TB) arrow.RecordBatch {
	arr := c.array(t)
	f := arrow.Field{Name: "v", Type: arr.DataType(), Nullable: true}
	if c.sqlType != "" {
		f.Metadata = arrow.NewMetadata([]string{schema.TypeKey}, []string{c.sqlType})
	}
	return batchOf([]arrow.Field{f}, arr)
}

// jsonRows parses a JSON answer and returns the raw values of its only column.
func jsonRows(t testing.TB, document []byte) []string {
	t.Helper()
	var answer struct {
		Rows     [][]json.RawMessage `json:"rows"`
		RowCount int                 `json:"row_count"`
	}
	if err := json.Unmarshal(document, &answer); err != nil {
		t.Fatalf("invalid JSON: %v\n%s", err, document)
	}
	if answer.RowCount != len(answer.Rows) {
		t.Fatalf("row_count %d, rows %d", answer.RowCount, len(answer.Rows))
	}
	rows := []string{}
	for _, row := range answer.Rows {
		rows = append(rows, string(row[0]))
	}
	return rows
}

// csvRows parses CSV with a header of one column and returns its rows. Go's reader skips a line of
// a NULL because it is empty. The empty string is quoted.
func csvRows(t testing.TB, text []byte) []string {
	t.Helper()
	if _, err := csv.NewReader(bytes.NewReader(text)).ReadAll(); err != nil {
		t.Fatalf("invalid CSV: %v\n%s", err, text)
	}
	rows := []string{}
	for quoted, rest := false, string(text); rest != ""; {
		end := 0
		for ; rest[end] != '\n' || quoted; end++ {
			quoted = quoted != (rest[end] == '"')
		}
		row := rest[:end]
		switch rest = rest[end+1:]; {
		case row == "":
			row = "<null>"
		case row[0] == '"':
			row = strings.ReplaceAll(row[1:len(row)-1], `""`, `"`)
		}
		rows = append(rows, row)
	}
	return rows[1:]
}

// packRows decodes MessagePack and returns the values of the only column.
func packRows(t testing.TB, b []byte) []any {
	t.Helper()
	objects := unpack(t, b)
	rows := []any{}
	for _, o := range objects[1 : len(objects)-1] {
		rows = append(rows, o["data"].([]any)[0].([]any)...)
	}
	if got := loose(objects[len(objects)-1]["row_count"]); got != int64(len(rows)) {
		t.Fatalf("row_count %v, rows %d", got, len(rows))
	}
	return rows
}

func unpack(t testing.TB, b []byte) []map[string]any {
	t.Helper()
	d := msgpack.NewDecoder(bytes.NewReader(b))
	var objects []map[string]any
	for {
		v, err := d.DecodeInterface()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("invalid MessagePack: %v", err)
		}
		objects = append(objects, v.(map[string]any))
	}
}

// packedJSON converts expected JSON text to the value that a MessagePack decoder returns.
func packedJSON(t testing.TB, text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return looseNumbers(v)
}

func looseNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = looseNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = looseNumbers(v[k])
		}
	}
	return v
}

// loose widens decoded numbers, because the type of an encoded integer depends on its magnitude.
func loose(v any) any {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int()
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if r.Uint() <= math.MaxInt64 {
			return int64(r.Uint())
		}
		return r.Uint()
	case reflect.Float32, reflect.Float64:
		return r.Float()
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = loose(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = loose(v[k])
		}
	}
	return v
}

func sameValue(a, b any) bool {
	a, b = loose(a), loose(b)
	if x, ok := a.(float64); ok {
		if y, ok := b.(float64); ok {
			return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
		}
	}
	return reflect.DeepEqual(a, b)
}

func TestValuesAsJSON(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			got := jsonRows(t, written(t, JSON, Options{}, c.batch(t)))
			if !reflect.DeepEqual(got, c.json) {
				t.Errorf("got  %q\nwant %q", got, c.json)
			}
		})
	}
}

func TestValuesAsNDJSONAreThoseOfJSON(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			lines := strings.Split(strings.TrimSuffix(string(written(t, NDJSON, Options{}, c.batch(t))), "\n"), "\n")
			for i, line := range lines {
				if want := `{"v":` + c.json[i] + `}`; line != want {
					t.Errorf("line %d: got %s, want %s", i, line, want)
				}
			}
		})
	}
}

func TestValuesAsCSV(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			// A text for NULL prevents the reader from skipping the lines of NULLs.
			got := csvRows(t, written(t, CSV, Options{}, c.batch(t)))
			for i := range c.json {
				var want string
				switch {
				case c.json[i] == "null":
					want = "<null>"
				case c.csv != nil:
					want = c.csv[i]
				case c.json[i][0] == '"':
					if err := json.Unmarshal([]byte(c.json[i]), &want); err != nil {
						t.Fatal(err)
					}
				default:
					want = c.json[i]
				}
				if got[i] != want {
					t.Errorf("row %d: got %q, want %q", i, got[i], want)
				}
			}
		})
	}
}

func TestValuesAsMessagePack(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			got := packRows(t, written(t, MessagePack, Options{}, c.batch(t)))
			for i := range c.json {
				var want any
				if c.pack != nil {
					want = c.pack[i]
				} else {
					want = packedJSON(t, c.json[i])
				}
				if !sameValue(got[i], want) {
					t.Errorf("row %d: got %T %v, want %T %v", i, got[i], got[i], want, want)
				}
			}
		})
	}
}

// TestSlicesPrintTheirOwnRows covers arrays and validity bitmaps with an offset.
func TestSlicesPrintTheirOwnRows(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			rec := c.batch(t)
			n := rec.NumRows()
			packed := packRows(t, written(t, MessagePack, Options{}, rec))
			for from := range n {
				for to := from + 1; to <= n; to++ {
					slice := rec.NewSlice(from, to)
					if got := jsonRows(t, written(t, JSON, Options{}, slice)); !reflect.DeepEqual(got, c.json[from:to]) {
						t.Errorf("rows %d to %d as JSON: got %q, want %q", from, to, got, c.json[from:to])
					}
					got := packRows(t, written(t, MessagePack, Options{}, slice))
					for i := range got {
						if !sameValue(got[i], packed[int(from)+i]) {
							t.Errorf("rows %d to %d as MessagePack: got %v, want %v", from, to, got, packed[from:to])
						}
					}
				}
			}
		})
	}
}

func TestManySmallBatchesAreOneResult(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			rec := c.batch(t)
			var batches []arrow.RecordBatch
			for i := range rec.NumRows() {
				batches = append(batches, rec.NewSlice(i, i+1), rec.NewSlice(i, i))
			}
			if got := jsonRows(t, written(t, JSON, Options{}, batches...)); !reflect.DeepEqual(got, c.json) {
				t.Errorf("got %q, want %q", got, c.json)
			}
			if got := packRows(t, written(t, MessagePack, Options{}, batches...)); len(got) != len(c.json) {
				t.Errorf("got %d values, want %d", len(got), len(c.json))
			}
		})
	}
}

// TestDatesAreThoseOfTheTimePackage compares with an independent calendar.
func TestDatesAreThoseOfTheTimePackage(t *testing.T) {
	for days := int64(-800_000); days < 3_000_000; days += 37 {
		want := time.Unix(days*secondsPerDay, 0).UTC()
		year, month, day := civil(days)
		if year != int64(want.Year()) || month != uint32(want.Month()) || day != uint32(want.Day()) {
			t.Fatalf("day %d: got %d-%d-%d, want %s", days, year, month, day, want)
		}
	}
}
