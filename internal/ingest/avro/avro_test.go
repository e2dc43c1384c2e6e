package avro

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	hamba "github.com/hamba/avro/v2"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
	"github.com/scoterdb/scoter/internal/ingest/wire"
)

func planned(t testing.TB, text string, o Options) *Plan {
	t.Helper()
	p, err := NewPlan(parsed(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func long(v int64) string { return string(binary.AppendVarint(nil, v)) }

func TestLogicalTypes(t *testing.T) {
	for _, test := range []struct{ schema, message, want string }{
		{`{"type":"int","logicalType":"date"}`, long(19000), "date32 [2022-01-08]"},
		{`{"type":"int","logicalType":"time-millis"}`, long(3_600_001), "time64[us] [01:00:00.001000]"},
		{`{"type":"long","logicalType":"time-micros"}`, long(1), "time64[us] [00:00:00.000001]"},
		{`{"type":"long","logicalType":"timestamp-millis"}`, long(-1), "us [1969-12-31T23:59:59.999Z]"},
		{`{"type":"long","logicalType":"timestamp-micros"}`, long(1), "us [1970-01-01T00:00:00.000001Z]"},
		{`{"type":"long","logicalType":"timestamp-nanos"}`, long(1), "ns [1970-01-01T00:00:00.000000001Z]"},
		{`{"type":"long","logicalType":"local-timestamp-millis"}`, long(1), "timestamp[us] [1970-01-01T00:00:00.001]"},
		{`{"type":"long","logicalType":"local-timestamp-micros"}`, long(1), "timestamp[us] [1970-01-01T00:00:00.000001]"},
		{`{"type":"long","logicalType":"local-timestamp-nanos"}`, long(1), "timestamp[ns] [1970-01-01T00:00:00.000000001]"},
		{`{"type":"bytes","logicalType":"decimal","precision":5,"scale":2}`, long(2) + "\xfb\x2e", "decimal(5, 2) [-12.34]"},
		{`{"type":"bytes","logicalType":"decimal","precision":38}`, long(18) + strings.Repeat("\x00", 18), "decimal(38, 0) [0]"},
		{`{"type":"fixed","name":"d","size":4,"logicalType":"decimal","precision":9,"scale":9}`, "\x00\x00\x00\x01", "decimal(9, 9) [1e-09]"},
		{`{"type":"string","logicalType":"uuid"}`, long(36) + "00112233-4455-6677-8899-aabbccddeeff", "extension<arrow.uuid> [00112233-4455-6677-8899-aabbccddeeff]"},
		{`{"type":"fixed","name":"u","size":16,"logicalType":"uuid"}`, "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", "extension<arrow.uuid> [00112233-4455-6677-8899-aabbccddeeff]"},
		{`{"type":"fixed","name":"d","size":12,"logicalType":"duration"}`, "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00", `month_day_nano_interval [{"months":1,"days":2,"nanoseconds":3000000}]`},
		{`{"type":"long","logicalType":"unheard-of"}`, long(1), "int64 [1]"},
		{`["null",{"type":"enum","name":"e","symbols":["A","B"]}]`, long(1) + long(1), "utf8 [B]"},
		{`["null",{"type":"enum","name":"e","symbols":["A","B"]}]`, long(0), "utf8 [(null)]"},
		{`{"type":"record","name":"e","fields":[{"name":"x","type":{"type":"record","name":"empty","fields":[]}},{"name":"n","type":"null"}]}`, "", "bool [true]"},
	} {
		d := planned(t, test.schema, Options{}).NewDecoder()
		if err := d.Append([]byte(test.message)); err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		batch := d.Finish()
		if err := ingest.Validate(batch); err != nil {
			t.Errorf("%s: %v", test.schema, err)
		}
		if got := strings.TrimSpace(ingesttest.Show(ingest.Rows{Batch: batch})); !strings.HasSuffix(got, " "+test.want) {
			t.Errorf("%s: %s, want %s", test.schema, got, test.want)
		}
		batch.Release()
	}
}

func TestMessagesThatAreNone(t *testing.T) {
	for _, test := range []struct{ schema, message, want string }{
		{`"boolean"`, "\x02", "boolean"},
		{`"int"`, long(1 << 31), "32 bits"},
		{`"long"`, strings.Repeat("\xff", 10) + "\x01", "64 bits"},
		{`"long"`, "\x80", "ends"},
		{`"long"`, "\x00\x00", "more bytes after its value"},
		{`"string"`, long(1) + "\xff", "UTF-8"},
		{`"string"`, long(-1), "ends"},
		{`"bytes"`, long(math.MaxInt64), "ends"},
		{`{"type":"int","logicalType":"time-millis"}`, long(86_400_000), "time of day"},
		{`{"type":"long","logicalType":"time-micros"}`, long(-1), "time of day"},
		{`{"type":"long","logicalType":"timestamp-millis"}`, long(math.MaxInt64), "milliseconds"},
		{`{"type":"bytes","logicalType":"decimal","precision":2}`, long(1) + "\x64", "digits"},
		{`{"type":"bytes","logicalType":"decimal","precision":38}`, long(17) + "\x01" + strings.Repeat("\x00", 16), "digits"},
		{`{"type":"string","logicalType":"uuid"}`, long(3) + "abc", "UUID"},
		{`{"type":"fixed","name":"d","size":12,"logicalType":"duration"}`, strings.Repeat("\xff", 12), "months"},
		{`{"type":"enum","name":"e","symbols":["A"]}`, long(1), "symbol"},
		{`["null","int"]`, long(2), "branch"},
		{`["null","int"]`, long(-1), "branch"},
		{`{"type":"map","values":"int"}`, long(2) + long(1) + "k" + long(1) + long(1) + "k" + long(2) + long(0), "twice"},
		{`{"type":"array","items":"int"}`, long(math.MaxInt64), "elements"},
		{`{"type":"array","items":"int"}`, long(math.MinInt64), "elements"},
		{`{"type":"array","items":{"type":"record","name":"r","fields":[]}}`, long(1 << 40), "elements"},
	} {
		d := planned(t, test.schema, Options{}).NewDecoder()
		err := d.Append([]byte(test.message))
		if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v, want %s", test.schema, hex.EncodeToString([]byte(test.message)), err, test.want)
		}
		if d.Rows() != 0 {
			t.Errorf("%s: a message that is none makes a row", test.schema)
		}
	}
	d := planned(t, `{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"b","type":{"type":"record","name":"s","fields":[{"name":"c","type":"string"}]}}]}`, Options{}).NewDecoder()
	if err := d.Append([]byte(long(1) + long(5) + "x")); err == nil || !strings.Contains(err.Error(), "byte 2, field b.c:") {
		t.Error(err)
	}
}

// TestManyKeys makes a map with more entries than are compared one by one.
func TestManyKeys(t *testing.T) {
	for _, keys := range []int{manyKeys, manyKeys + 1, 100} {
		for _, twice := range []int{-1, 0, keys / 2, keys - 1} {
			d := planned(t, `{"type":"map","values":"int"}`, Options{}).NewDecoder()
			var b []byte
			for i := range keys {
				b = append(text(append(b, long(1)...), string(rune('a'+i))), long(1)...)
			}
			if twice >= 0 {
				b = append(text(append(b, long(1)...), string(rune('a'+twice))), long(1)...)
			}
			for range 2 { // keys of one message must not be remembered for the next
				if err := d.Append(append(b, 0)); (err == nil) != (twice < 0) {
					t.Errorf("%d keys, %d twice: %v", keys, twice, err)
				}
			}
		}
	}
}

func TestSchemasThatMakeNoColumns(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"record","name":"list","fields":[{"name":"next","type":["null","list"]}]}`:        "contains itself",
		`{"type":"record","name":"a","fields":[{"name":"b","type":{"type":"array","items":"a"}}]}`: "contains itself",
		`{"type":"bytes","logicalType":"decimal","precision":39}`:                                  "39 digits",
		`{"type":"record","name":"r","fields":[]}`:                                                 "without fields",
		`{"type":"array","items":"null"}`:                                                          "nulls",
		`{"type":"map","values":["null"]}`:                                                         "nulls",
		`{"type":"fixed","name":"f","size":2000000}`:                                               "fixed",
		strings.Repeat(`{"type":"array","items":`, 70) + `"int"` + strings.Repeat(`}`, 70):         "deep",
	} {
		s, err := Parse(text)
		if err == nil {
			_, err = NewPlan(s, Options{})
		}
		if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := Parse(`{"type":"record"`); base.KindOf(err) != base.Invalid {
		t.Error(err)
	}
	// Using the same type twice, side by side, is not recursion.
	planned(t, `{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"fixed","name":"f","size":2}},{"name":"b","type":"f"}]}`, Options{})
}

func TestReferences(t *testing.T) {
	s, err := Parse(`{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"price","type":"shop.Money"}]}`,
		`{"type":"enum","name":"Currency","namespace":"shop","symbols":["USD"]}`,
		`{"type":"record","name":"Money","namespace":"shop","fields":[{"name":"cents","type":"long"},{"name":"currency","type":"Currency"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Schema().Field(0).Type.String(); got != "struct<cents: int64 nullable, currency: utf8 nullable>" {
		t.Error(got)
	}
}

// TestFull fills a batch. Append returns wire.ErrFull for a message that does not fit. The message
// then fits into the next batch.
func TestFull(t *testing.T) {
	d := planned(t, `{"type":"array","items":"long"}`, Options{Memory: 1 << 10}).NewDecoder()
	message := []byte(long(20) + strings.Repeat(long(7), 20) + long(0))
	taken := 0
	for {
		err := d.Append(message)
		if errors.Is(err, wire.ErrFull) {
			break
		}
		if err != nil || taken > 100 {
			t.Fatal(taken, err)
		}
		taken++
	}
	batch := d.Finish()
	if taken == 0 || int(batch.NumRows()) != taken {
		t.Errorf("%d rows of %d", batch.NumRows(), taken)
	}
	batch.Release()
	if err := d.Append(message); err != nil {
		t.Error("after Finish:", err)
	}
	huge := []byte(long(1000) + strings.Repeat(long(7), 1000) + long(0))
	if err := d.Append(huge); !errors.Is(err, wire.ErrFull) {
		t.Error(err)
	}
	d.Reset()
	if err := d.Append(huge); errors.Is(err, wire.ErrFull) || base.KindOf(err) != base.TooLarge {
		t.Error("a message that no batch holds:", err)
	}
}

const benchSchema = `{"type":"record","name":"e","fields":[{"name":"id","type":"long"},{"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}},
{"name":"user","type":"int"},{"name":"name","type":"string"},{"name":"country","type":["null","string"]},{"name":"price","type":"double"},
{"name":"kind","type":{"type":"enum","name":"k","symbols":["A","B","C"]}},{"name":"tags","type":{"type":"array","items":"string"}},{"name":"ok","type":"boolean"},{"name":"n","type":"int"}]}`

// BenchmarkDecode compares with hamba, which decodes to Go values and not to columns.
func BenchmarkDecode(b *testing.B) {
	s := parsed(b, benchSchema)
	r := &random{rng: rand.New(rand.NewPCG(1, 1))}
	messages := make([][]byte, 1000)
	for i := range messages {
		messages[i] = r.message(nil, s.schema)
	}
	b.Run("columns", func(b *testing.B) {
		d := planned(b, benchSchema, Options{}).NewDecoder()
		for i := range b.N {
			if err := d.Append(messages[i%len(messages)]); err != nil {
				b.Fatal(err)
			}
			if d.Rows() == 122_880 {
				d.Finish().Release()
			}
		}
	})
	b.Run("hamba", func(b *testing.B) {
		for i := range b.N {
			var v any
			if err := hamba.Unmarshal(s.schema, messages[i%len(messages)], &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
