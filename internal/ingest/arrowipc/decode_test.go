package arrowipc

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

// largest is the limit of memory for rows.
const largest = 1 << 30

// fromJSON returns a batch of one column per pair of type and values.
func fromJSON(t testing.TB, columns ...any) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for i := 0; i < len(columns); i += 2 {
		dt := columns[i].(arrow.DataType)
		a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(columns[i+1].(string)))
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, arrow.Field{Name: string(rune('a' + i/2)), Type: dt, Nullable: true})
		arrays = append(arrays, a)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

func stream(t testing.TB, opts []ipc.Option, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append(opts, ipc.WithSchema(batches[0].Schema()))...)
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func fileOf(t testing.TB, opts []ipc.Option, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append(opts, ipc.WithSchema(batches[0].Schema()))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var compressions = map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}

var (
	text   = arrow.BinaryTypes.String
	int64s = arrow.PrimitiveTypes.Int64
)

func sample(t testing.TB) arrow.RecordBatch {
	return fromJSON(t, int64s, `[1, null, 3]`, text, `["x", "", null]`, ingest.TextDictionary, `["p", "q", "p"]`,
		arrow.ListOf(int64s), `[[1], null, []]`, arrow.StructOf(arrow.Field{Name: "f", Type: text, Nullable: true}), `[{"f": "y"}, null, {"f": null}]`,
		arrow.FixedWidthTypes.Boolean, `[true, false, null]`, arrow.Null, `[null, null, null]`)
}

const sampleText = `: a int64 [1 (null) 3] b utf8 [x  (null)] c utf8 [p q p] d list<item: int64, nullable> [[1] (null) []] ` +
	`e struct<f: utf8 nullable> [{"f":"y"} (null) {"f":null}] f bool [true false (null)] g null [(null) (null) (null)]`

func TestDecodeStreamsAndFiles(t *testing.T) {
	batch := sample(t)
	for name, opts := range compressions {
		for kind, body := range map[string][]byte{"stream": stream(t, opts, batch, batch), "file": fileOf(t, opts, batch, batch)} {
			got, err := Decode(body, 0, largest)
			if err != nil || len(got) != 2 {
				t.Errorf("%s %s: %d batches, %v", name, kind, len(got), err)
				continue
			}
			for _, b := range got {
				if err := ingest.Validate(b); err != nil {
					t.Error(err)
				}
				if text := ingesttest.Show(ingest.Rows{Batch: b}); text != sampleText {
					t.Errorf("%s %s:\n got %s\nwant %s", name, kind, text, sampleText)
				}
			}
		}
	}
}

func TestForeignTypesBecomeNatural(t *testing.T) {
	f := func(from arrow.DataType, values, want string) {
		t.Helper()
		got, err := Decode(stream(t, nil, fromJSON(t, from, values)), 0, largest)
		if err != nil {
			t.Errorf("%v: %v", from, err)
			return
		}
		if text := ingesttest.Show(ingest.Rows{Batch: got[0]}); text != ": a "+want {
			t.Errorf("%v:\n got %s\nwant : a %s", from, text, want)
		}
	}
	f(arrow.BinaryTypes.LargeString, `["x", null, "yy"]`, "utf8 [x (null) yy]")
	f(arrow.BinaryTypes.StringView, `["x", null, "a string of more than twelve bytes"]`, "utf8 [x (null) a string of more than twelve bytes]")
	f(arrow.LargeListOf(arrow.BinaryTypes.LargeString), `[["x"], null, []]`, `list<item: utf8, nullable> [["x"] (null) []]`)
	f(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}, `["x", null, "x"]`, "utf8 [x (null) x]")
	f(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: int64s}, `[7, null, 7]`, "int64 [7 (null) 7]")
	f(&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"}, `["1970-01-01T00:00:01Z"]`, "us [1970-01-01T00:00:01Z]")
	f(&arrow.TimestampType{Unit: arrow.Nanosecond}, `["1970-01-01T00:00:01.000000001"]`, "timestamp[ns] [1970-01-01T00:00:01.000000001]")
	f(arrow.FixedWidthTypes.Time32s, `["00:00:01", null]`, "time64[us] [00:00:01.000000 (null)]")
	f(&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["AAE="]`, "binary [AAE=]")
	f(arrow.FixedWidthTypes.Float16, `[1.5, null]`, "float32 [1.5 (null)]")
	f(arrow.MapOf(arrow.BinaryTypes.LargeString, int64s), `[[{"key": "x", "value": 1}]]`, `map<utf8, int64, items_nullable> [[{"key":"x","value":1}]]`)
	f(arrow.FixedSizeListOf(2, int64s), `[[1, 2], null]`, "fixed_size_list<item: int64, nullable>[2] [[1,2] (null)]")
	f(arrow.FixedWidthTypes.Duration_s, `[1, null]`, "duration[s] [1s (null)]")
	f(arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months": 1, "days": -2, "nanoseconds": 3000}]`, `month_day_nano_interval [{"months":1,"days":-2,"nanoseconds":3000}]`)
	f(extensions.NewUUIDType(), `["12345678-1234-1234-1234-123456789012", null]`, "extension<arrow.uuid> [12345678-1234-1234-1234-123456789012 (null)]")
	large, _ := extensions.NewJSONType(arrow.BinaryTypes.LargeString)
	f(large, `["{\"x\":1}", null]`, `extension<arrow.json[storage_type=utf8]> [{"x":1} null]`)
	f(extensions.NewBool8Type(), `[true, null]`, "int8 [1 (null)]")
	for _, refused := range []struct {
		dt     arrow.DataType
		values string
	}{
		{arrow.FixedWidthTypes.Time64ns, `["00:00:00.000000001"]`},
		{arrow.StructOf(), `[{}]`},
	} {
		if _, err := Decode(stream(t, nil, fromJSON(t, refused.dt, refused.values)), 0, largest); base.KindOf(err) != base.Invalid {
			t.Errorf("%v: %v", refused.dt, err)
		}
	}
}

func TestTornBodiesAreRefused(t *testing.T) {
	batch := sample(t)
	for name, body := range map[string][]byte{"stream": stream(t, nil, batch, batch), "file": fileOf(t, nil, batch)} {
		for n := range body {
			if got, err := Decode(body[:n], 0, largest); base.KindOf(err) != base.Invalid || got != nil {
				t.Fatalf("%s of %d bytes cut to %d: %v", name, len(body), n, err)
			}
		}
		if _, err := Decode(append(bytes.Clone(body), 0), 0, largest); base.KindOf(err) != base.Invalid {
			t.Errorf("%s followed by a byte: %v", name, err)
		}
	}
}

func TestHugeLengthsAreRefusedBeforeAnythingIsAllocated(t *testing.T) {
	for _, body := range [][]byte{
		binary.LittleEndian.AppendUint32(nil, 0x7fffffff),
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	} {
		if _, err := Decode(body, 0, largest); base.KindOf(err) != base.Invalid {
			t.Errorf("%x: %v", body, err)
		}
	}
	zeros := array.NewInt64Builder(memory.DefaultAllocator)
	zeros.AppendValues(make([]int64, 1<<16), nil)
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: int64s}}, nil), []arrow.Array{zeros.NewArray()}, 1<<16)
	for name, opts := range compressions {
		_, err := Decode(stream(t, opts, batch), 1<<16, largest)
		if want := name != "plain"; want != (base.KindOf(err) == base.TooLarge) || !want && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSharedMetadataIsBounded checks the limit for metadata. arrow-go copies the text of each pair,
// even if all pairs of a message are the same.
func TestSharedMetadataIsBounded(t *testing.T) {
	const headerTypes = 3 // schema, dictionary, batch
	for header := byte(1); header <= headerTypes; header++ {
		b := flatbuffers.NewBuilder(4 << 20)
		value := b.CreateString(strings.Repeat("x", 1<<20))
		b.StartObject(2)
		b.PrependUOffsetTSlot(1, value, 0)
		pair := b.EndObject()
		const pairs = 10_000
		b.StartVector(4, pairs, 4)
		for range pairs {
			b.PrependUOffsetT(pair)
		}
		metadata := b.EndVector(pairs)
		b.StartObject(0)
		empty := b.EndObject()
		b.StartObject(5)
		b.PrependByteSlot(1, header, 0)
		b.PrependUOffsetTSlot(2, empty, 0)
		b.PrependUOffsetTSlot(4, metadata, 0)
		b.Finish(b.EndObject())
		body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(b.FinishedBytes()))), b.FinishedBytes()...)
		if _, err := Decode(body, 0, largest); base.KindOf(err) != base.TooLarge || !strings.Contains(err.Error(), "names and metadata") {
			t.Errorf("header %d: %v", header, err)
		}
	}
}

func TestRowsWithoutBytesAreBounded(t *testing.T) {
	nulls := array.NewNull(1 << 30)
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}}, nil), []arrow.Array{nulls}, 1<<30)
	if _, err := Decode(stream(t, nil, batch), 0, largest); base.KindOf(err) != base.TooLarge {
		t.Error(err)
	}
}

func TestBrokenArraysAreRefused(t *testing.T) {
	// f decodes a stream whose buffers are damaged: offsets, indices or text.
	f := func(dt arrow.DataType, values string, damage func(d *array.Data)) {
		t.Helper()
		batch := fromJSON(t, dt, values)
		damage(batch.Column(0).Data().(*array.Data))
		if got, err := Decode(stream(t, nil, batch), 0, largest); base.KindOf(err) != base.Invalid || err == nil {
			t.Errorf("%v: %v, %v", dt, got, err)
		}
	}
	f(text, `["ab", "cd"]`, func(d *array.Data) { d.Buffers()[2].Bytes()[1] = 0xff })
	f(text, `["ab", "cd"]`, func(d *array.Data) { copy(d.Buffers()[2].Bytes(), "aüb") })
	f(ingest.TextDictionary, `["ab", "cd"]`, func(d *array.Data) { d.Buffers()[1].Bytes()[0] = 9 })
	f(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}, `["ab", "cd"]`, func(d *array.Data) { d.Buffers()[1].Bytes()[0] = 0xff })
}

func TestSeveralColumnsOfOneNameAreRefused(t *testing.T) {
	a := fromJSON(t, int64s, `[1]`).Column(0)
	fields := []arrow.Field{{Name: "a", Type: int64s}, {Name: "a", Type: int64s}}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{a, a}, 1)
	if _, err := Decode(stream(t, nil, batch), 0, largest); base.KindOf(err) != base.Invalid {
		t.Error(err)
	}
}

// TestFlippedBytes damages streams at random. The decoder must not panic, and must not return a
// batch that Validate refuses.
func TestFlippedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	batch := sample(t)
	for _, opts := range compressions {
		for _, body := range [][]byte{stream(t, opts, batch), fileOf(t, opts, batch)} {
			for range 1500 {
				b := bytes.Clone(body)
				for range 1 + r.IntN(3) {
					b[r.IntN(len(b))] = byte(r.IntN(256))
				}
				check(t, b)
			}
		}
	}
}

func check(t *testing.T, body []byte) {
	t.Helper()
	batches, err := Decode(body, 1<<20, largest)
	if err != nil {
		if k := base.KindOf(err); k != base.Invalid && k != base.TooLarge || batches != nil {
			t.Fatal(err)
		}
		return
	}
	for _, b := range batches {
		if err := ingest.Validate(b); err != nil {
			t.Fatal(err)
		}
		if b.NumRows() < 100 {
			ingesttest.Show(ingest.Rows{Batch: b}) // reads every value
		}
		b.Release()
	}
}

func FuzzDecode(f *testing.F) {
	batch := sample(f)
	for _, opts := range compressions {
		f.Add(stream(f, opts, batch))
		f.Add(fileOf(f, opts, batch))
		f.Add(polars(f, "lz4"))
	}
	f.Add(stream(f, nil, fromJSON(f, arrow.BinaryTypes.StringView, `["x", null, "a string of more than twelve bytes"]`)))
	f.Add(stream(f, nil, fromJSON(f, arrow.MapOf(text, int64s), `[[{"key": "x", "value": 1}]]`)))
	f.Fuzz(check)
}

func BenchmarkDecode(b *testing.B) {
	const n = 122_880
	values := array.NewFloat64Builder(memory.DefaultAllocator)
	values.AppendValues(make([]float64, n), nil)
	column := values.NewArray()
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Float64}, {Name: "b", Type: arrow.PrimitiveTypes.Float64}}
	body := stream(b, nil, array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{column, column}, n))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		batches, err := Decode(body, 0, largest)
		if err != nil {
			b.Fatal(err)
		}
		batches[0].Release()
	}
}
