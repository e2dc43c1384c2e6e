package csv

import (
	"bytes"
	stdcsv "encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

func TestDecode(t *testing.T) {
	f := func(body string, opts Options, want string) {
		t.Helper()
		batch, err := Decode([]byte(body), opts)
		if err != nil {
			t.Errorf("%q: %v", body, err)
			return
		}
		defer batch.Release()
		if err := ingest.Validate(batch); err != nil {
			t.Error(err)
		}
		if got := ingesttest.Show(ingest.Rows{Batch: batch}); got != ": "+want {
			t.Errorf("%q:\n got %s\nwant : %s", body, got, want)
		}
	}
	// column decodes a column of the given values, one per line.
	column := func(values, want string) {
		t.Helper()
		f("x,c\n0,"+strings.ReplaceAll(values, " ", "\n0,"), Options{}, "x int64 ["+strings.TrimSpace(strings.Repeat("0 ", len(strings.Fields(values))))+"] c "+want)
	}
	f("a,b\n1,x\n2,y", Options{}, "a int64 [1 2] b utf8 [x y]")
	f("\ufeffa,b\r\n1,x\r\n\r\n2,y\r\n", Options{}, "a int64 [1 2] b utf8 [x y]")
	f("a,b\n", Options{}, "a null [] b null []")
	f("a,b\n,\"\"\nx,", Options{}, "a utf8 [(null) x] b utf8 [ (null)]")
	f("a\n1\n\n2\n", Options{}, "a int64 [1 (null) 2]")
	f("a,b\n\"x, \"\"y\"\"\r\nz\",1\n", Options{}, "a utf8 [x, \"y\"\r\nz] b int64 [1]")
	f("a;b\n'x;''y';1\n", Options{Delimiter: ';', Quote: '\''}, "a utf8 [x;'y] b int64 [1]")
	f("a\tb\nNULL\tNULL\n1\t\"NULL\"\n", Options{Delimiter: '\t', NullText: "NULL"}, "a int64 [(null) 1] b utf8 [(null) NULL]")
	f("a,b\n,1\n", Options{NullText: "-"}, "a utf8 [] b int64 [1]")
	column("1 -2 9223372036854775807", "int64 [1 -2 9223372036854775807]")
	column("1 18446744073709551615", "uint64 [1 18446744073709551615]")
	column("-1 18446744073709551615", "utf8 [-1 18446744073709551615]")
	column("18446744073709551616", "utf8 [18446744073709551616]")
	column("1 2.5 -0 1e3 NaN -inf", "float64 [1 2.5 -0 1000 NaN -Inf]")
	column("NaN inf", "utf8 [NaN inf]")
	column("9007199254740993 2.5", "utf8 [9007199254740993 2.5]")
	column("2.5 9007199254740993", "utf8 [2.5 9007199254740993]")
	column("0.00012345678901234567", "float64 [0.00012345678901234567]")
	column("0.123456789012345678", "utf8 [0.123456789012345678]")
	column("007 1", "utf8 [007 1]")
	column("+1", "utf8 [+1]")
	column("0x10 1_000", "utf8 [0x10 1_000]")
	column("true FALSE", "bool [true false]")
	column("true 1", "utf8 [true 1]")
	column("2026-01-31 1969-12-31", "date32 [2026-01-31 1969-12-31]")
	column("2026-02-30", "utf8 [2026-02-30]")
	column("2026-01-31T23:59:59.5 1969-12-31T00:00", "timestamp[us] [2026-01-31T23:59:59.5 1969-12-31T00:00:00]")
	column("2026-01-31T23:59:59Z 2026-01-31T23:59:59+01:00", "us [2026-01-31T23:59:59Z 2026-01-31T22:59:59Z]")
	column("2026-01-31T23:59:59.000000001Z", "utf8 [2026-01-31T23:59:59.000000001Z]")
	column("2026-01-31T23:59:59.000000001", "timestamp[ns] [2026-01-31T23:59:59.000000001]")
	column("2026-01-31T23:59:59Z 2026-01-31T23:59:59", "utf8 [2026-01-31T23:59:59Z 2026-01-31T23:59:59]")
	types := map[string]arrow.DataType{"a": arrow.PrimitiveTypes.Int8, "b": arrow.BinaryTypes.String, "c": arrow.PrimitiveTypes.Float32,
		"d": &arrow.Decimal128Type{Precision: 5, Scale: 2}, "e": &arrow.TimestampType{Unit: arrow.Millisecond}, "f": arrow.PrimitiveTypes.Date32}
	f("a,b,c,d,e,f,g\n-128,007,1.5,1.50,2026-01-31T00:00:00.001,2026-01-31,7\n,,,,,,", Options{Types: types},
		"a int8 [-128 (null)] b utf8 [007 (null)] c float32 [1.5 (null)] d utf8 [1.50 (null)] e timestamp[ms] [2026-01-31T00:00:00.001 (null)] f date32 [2026-01-31 (null)] g int64 [7 (null)]")
}

// TestWhatTheEngineMayReadIsLeftToIt checks that a column is text if it has a value that only the
// engine can check.
func TestWhatTheEngineMayReadIsLeftToIt(t *testing.T) {
	utc := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	for _, c := range []struct {
		of           arrow.DataType
		values, want string
	}{
		{arrow.PrimitiveTypes.Int8, "1 128", "utf8 [1 128]"},
		{arrow.PrimitiveTypes.Int64, "1 - 2.0", "utf8 [1 (null) 2.0]"},
		{arrow.PrimitiveTypes.Int64, "1.5 1 2 2.5", "utf8 [1.5 1 2 2.5]"},
		{arrow.PrimitiveTypes.Uint64, "-1", "utf8 [-1]"},
		{arrow.PrimitiveTypes.Float32, "1 1e300", "utf8 [1 1e300]"},
		{arrow.FixedWidthTypes.Date32, "2026-01-31 -0044-03-15 infinity", "utf8 [2026-01-31 -0044-03-15 infinity]"},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, "2026-01-31T12:00:00 2026-01-31T12:00:00+02:00", "utf8 [2026-01-31T12:00:00 2026-01-31T12:00:00+02:00]"},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, "2026-01-31T12:00:00Z 2026-01-31T12:00:00+00", "timestamp[us] [2026-01-31T12:00:00 2026-01-31T12:00:00]"},
		{utc, "2026-01-31T12:00:00+02:00", "us [2026-01-31T10:00:00Z]"},
		{utc, "2026-01-31T12:00:00.000000001Z", "utf8 [2026-01-31T12:00:00.000000001Z]"},
	} {
		values := strings.Fields(c.values)
		body := "x,c\n0," + strings.Join(values, "\n0,")
		batch, err := Decode([]byte(body), Options{NullText: "-", Types: map[string]arrow.DataType{"c": c.of}})
		if err != nil {
			t.Errorf("%s: %v", c.values, err)
			continue
		}
		want := ": x int64 [" + strings.TrimSpace(strings.Repeat("0 ", len(values))) + "] c " + c.want
		if got := ingesttest.Show(ingest.Rows{Batch: batch}); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.values, got, want)
		}
		batch.Release()
	}
}

func TestDecodeRefuses(t *testing.T) {
	f := func(body string, opts Options, want string) {
		t.Helper()
		batch, err := Decode([]byte(body), opts)
		if err == nil {
			t.Errorf("%q: accepted: %s", body, ingesttest.Show(ingest.Rows{Batch: batch}))
			return
		}
		if k := base.KindOf(err); k != base.Invalid && k != base.TooLarge {
			t.Errorf("%q: kind %v", body, k)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", body, err, want)
		}
	}
	of := func(t arrow.DataType) Options { return Options{Types: map[string]arrow.DataType{"a": t}} }
	f("", Options{}, "without a header")
	f("a,b\n1,2\n3\n", Options{}, "line 3: 1 values where the header names 2 columns")
	f("a,b\n\"1\n\",2\n1,2,3\n", Options{}, "line 4: 3 values")
	f("a,a\n", Options{}, `column "a" is given twice`)
	f("a,\n", Options{}, "line 1, value 2: column name is empty")
	f("a,b\r1,2\r3,4\r", Options{}, "line 1: a carriage return that no line feed follows")
	f("\ufeffa\r1\r", Options{}, "line 1: a carriage return that no line feed follows")
	f("a\n1\r2\n", Options{}, "line 2: a carriage return")
	f("\"a\"\r\"1\"\r", Options{}, "line 1: expected a delimiter after a quoted value")
	f("a\n\"x", Options{}, "line 2: a quoted value is not closed")
	f("a\n\"x\"y", Options{}, "line 2: expected a delimiter after a quoted value")
	f("a\nx\"y", Options{}, "line 2: a quote inside")
	f("a,b\n1,\xff\n", Options{}, `row 1 (line 2), column "b": text is not valid UTF-8`)
	f("a\n1\nx28\n", of(arrow.PrimitiveTypes.Int8), `row 2 (line 3), column "a": "x28" is not a value of type TINYINT`)
	f("a\n1\n\"\"\n", of(arrow.PrimitiveTypes.Int8), `row 2 (line 3), column "a": "" is not a value of type TINYINT`)
	f("a\n1 year\n", of(arrow.PrimitiveTypes.Int64), `"1 year" is not a value of type BIGINT`)
	f("a\nnever\n", of(arrow.FixedWidthTypes.Date32), `"never" is not a value of type DATE`)
	f("a\n0x1p4\n", of(arrow.PrimitiveTypes.Float64), `"0x1p4" is not`)
	f("a\nyes\n", of(arrow.FixedWidthTypes.Boolean), `"yes" is not`)
	f("a\nnow\n", of(&arrow.TimestampType{Unit: arrow.Second}), "is not a value of type TIMESTAMP_S")
	f("a\n", Options{Delimiter: '"'}, "must be different")
	f("a\n", Options{Delimiter: '\n'}, "must be different")
	f(strings.Repeat("x,", ingest.MaxColumns)+"y\n", Options{}, "more than 10000 values")
}

// TestRoundTrip decodes random records and compares them with what encoding/csv reads.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var want [][]string
	for range 2000 {
		record := make([]string, 3)
		for i := range record {
			for range r.IntN(6) {
				record[i] += string([]rune("ab,\"\n ü1.")[r.IntN(9)])
			}
		}
		record[0] = "t" + record[0]
		want = append(want, record)
	}
	var b bytes.Buffer
	w := stdcsv.NewWriter(&b)
	if err := w.Write([]string{"a", "b", "c"}); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteAll(want); err != nil {
		t.Fatal(err)
	}
	batch, err := Decode(b.Bytes(), Options{NullText: "no value is this"})
	if err != nil {
		t.Fatal(err)
	}
	defer batch.Release()
	if int(batch.NumRows()) != len(want) {
		t.Fatalf("%d rows of %d", batch.NumRows(), len(want))
	}
	for row, record := range want {
		for i, v := range record {
			if got := batch.Column(i).ValueStr(row); got != v {
				t.Fatalf("row %d, column %d: %q, want %q", row+1, i, got, v)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("a,b\n1,x\n2,\"y\"\"\n\"\n"))
	f.Add([]byte("a,b,c,d\r\n1,2.5,true,2026-01-31\r\n,NaN,,2026-01-31T00:00:00Z\r\n"))
	f.Add([]byte("a\n\n18446744073709551615\n-0"))
	types := map[string]arrow.DataType{"a": arrow.PrimitiveTypes.Int16, "b": arrow.PrimitiveTypes.Float64, "d": arrow.PrimitiveTypes.Date32}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, opts := range []Options{{}, {Types: types, Delimiter: ';', NullText: "x"}} {
			batch, err := Decode(body, opts)
			if err != nil {
				if k := base.KindOf(err); k != base.Invalid && k != base.TooLarge {
					t.Fatal(err)
				}
				continue
			}
			if err := ingest.Validate(batch); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	const n = 10_000
	r := rand.New(rand.NewPCG(1, 2))
	body := []byte("time,host,region,user,system,idle\n")
	for i := range n {
		body = fmt.Appendf(body, "2026-01-31T00:00:%02d.%06dZ,host-%02d.example,region-%d,%.4f,%.4f,%.4f\n",
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
