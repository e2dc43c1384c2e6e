package parquet

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/klauspost/compress/zstd"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

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

func write(t testing.TB, codec compress.Compression, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(batches[0].Schema(), &b, parquet.NewWriterProperties(parquet.WithCompression(codec)), pqarrow.DefaultWriterProps())
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

var codecs = []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Zstd, compress.Codecs.Lz4Raw}

var (
	text   = arrow.BinaryTypes.String
	int64s = arrow.PrimitiveTypes.Int64
)

func sample(t testing.TB) arrow.RecordBatch {
	return fromJSON(t, int64s, `[1, null, 3]`, text, `["x", "", null]`, arrow.ListOf(int64s), `[[1], null, []]`,
		arrow.StructOf(arrow.Field{Name: "f", Type: text, Nullable: true}, arrow.Field{Name: "g", Type: arrow.ListOf(int64s), Nullable: true}),
		`[{"f": "y", "g": [1, 2]}, null, {"f": null, "g": []}]`,
		ingest.TimestampUS, `["1970-01-01T00:00:01Z", null, null]`, &arrow.Decimal128Type{Precision: 20, Scale: 2}, `["1.50", null, "-3.00"]`,
		arrow.MapOf(text, int64s), `[[{"key": "k", "value": 1}], null, []]`, arrow.FixedWidthTypes.Boolean, `[true, null, false]`)
}

const sampleText = `: a int64 [1 (null) 3] b utf8 [x  (null)] c list<element: int64, nullable> [[1] (null) []] ` +
	`d struct<f: utf8 nullable, g: list<element: int64, nullable> nullable> [{"f":"y","g":[1,2]} (null) {"f":null,"g":[]}] ` +
	`e us [1970-01-01T00:00:01Z (null) (null)] f decimal(20, 2) [1.5 (null) -3] ` +
	`g map<utf8, int64, items_nullable> [[{"key":"k","value":1}] (null) []] h bool [true (null) false]`

// limit is more than the rows of any test take.
const limit = 1 << 30

func TestRowsThatGrowTooLarge(t *testing.T) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	for range 2_000_000 {
		b.Append(1)
	}
	column := b.NewArray()
	defer column.Release()
	body := write(t, compress.Codecs.Zstd, array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{column}, 2_000_000))
	if len(body) > 1<<20 {
		t.Fatalf("%d bytes are no small body", len(body))
	}
	if _, err := Decode(body, 4<<20); base.KindOf(err) != base.TooLarge {
		t.Errorf("16 MB of rows where 4 MiB are taken: %v", err)
	}
	got, err := Decode(body, 16<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range got {
		rec.Release()
	}
}

func TestDecode(t *testing.T) {
	for _, codec := range codecs {
		got, err := Decode(write(t, codec, sample(t)), limit)
		if err != nil || len(got) != 1 {
			t.Errorf("%v: %d batches, %v", codec, len(got), err)
			continue
		}
		text := ingesttest.Show(ingest.Rows{Batch: got[0]})
		if text = strings.ReplaceAll(text, "item:", "element:"); text != sampleText {
			t.Errorf("%v:\n got %s\nwant %s", codec, text, sampleText)
		}
	}
}

func TestBatchesHaveAtMostARowGroupsRows(t *testing.T) {
	numbers := array.NewInt64Builder(memory.DefaultAllocator)
	const n = 2*MaxBatchRows + 7
	for i := range n {
		numbers.Append(int64(i))
	}
	column := numbers.NewArray()
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: int64s}}, nil), []arrow.Array{column}, n)
	got, err := Decode(write(t, compress.Codecs.Zstd, batch.NewSlice(0, 1000), batch.NewSlice(1000, n)), limit)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d batches, %v", len(got), err)
	}
	next := int64(0)
	for _, b := range got {
		if b.NumRows() > MaxBatchRows {
			t.Errorf("a batch of %d rows", b.NumRows())
		}
		for _, v := range b.Column(0).(*array.Int64).Int64Values() {
			if v != next {
				t.Fatalf("row %d is %d", next, v)
			}
			next++
		}
	}
	if next != n {
		t.Errorf("%d rows of %d", next, n)
	}
}

func TestAFileWithoutRowsIsAnEmptyBatch(t *testing.T) {
	for _, batch := range []arrow.RecordBatch{sample(t).NewSlice(0, 0)} {
		got, err := Decode(write(t, compress.Codecs.Snappy, batch), limit)
		if err != nil || len(got) != 1 || got[0].NumRows() != 0 || got[0].NumCols() != batch.NumCols() {
			t.Errorf("%v, %v", got, err)
		}
	}
}

func TestTornFilesAreRefused(t *testing.T) {
	body := write(t, compress.Codecs.Snappy, sample(t))
	for n := range body {
		if got, err := Decode(body[:n], limit); base.KindOf(err) != base.Invalid || got != nil {
			t.Fatalf("%d of %d bytes: %v", n, len(body), err)
		}
	}
}

func TestInvalidTextIsRefused(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.Append("a\xff")
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: text}}, nil), []arrow.Array{b.NewArray()}, 1)
	if _, err := Decode(write(t, compress.Codecs.Snappy, batch), limit); base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), `column "a": row 1 is not valid UTF-8`) {
		t.Error(err)
	}
}

func TestCodecsDecodeNoMoreThanThePagesSize(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for codec, packed := range map[compress.Compression][]byte{
		compress.Codecs.Zstd:   w.EncodeAll(make([]byte, 1<<24), nil),
		compress.Codecs.Snappy: {0xff, 0xff, 0xff, 0xff, 0x0f, 0},
	} {
		c, err := compress.GetCodec(codec)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: decoded", codec)
				}
			}()
			c.Decode(make([]byte, 100), packed)
		}()
	}
}

// TestFlippedBytes damages files at random. The decoder must not panic, and must not return a batch
// that Validate refuses.
func TestFlippedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, codec := range codecs {
		body := write(t, codec, sample(t))
		for range 400 {
			b := bytes.Clone(body)
			for range 1 + r.IntN(3) {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
			check(t, b)
		}
	}
}

func check(t *testing.T, body []byte) {
	t.Helper()
	batches, err := Decode(body, limit)
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
		b.Release()
	}
}

func FuzzDecode(f *testing.F) {
	for _, codec := range codecs {
		f.Add(write(f, codec, sample(f)))
	}
	f.Fuzz(check)
}

// TestWhatAFileSaysOfBytesIsHeeded decodes a file of DuckDB's COPY ... TO, with columns whose types
// Parquet stores as marked bytes.
func TestWhatAFileSaysOfBytesIsHeeded(t *testing.T) {
	body, err := os.ReadFile("testdata/duckdb.parquet")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(body, limit)
	if err != nil || len(got) != 1 {
		t.Fatalf("%d batches, %v", len(got), err)
	}
	const want = `: u extension<arrow.uuid> [12345678-1234-1234-1234-123456789012 (null)] j extension<arrow.json[storage_type=utf8]> [{"a": 1} null] ` +
		`ul list<item: extension<arrow.uuid>, nullable> [["00000000-0000-0000-0000-000000000001",null] (null)] ` +
		`sj struct<j: extension<arrow.json[storage_type=utf8]> nullable, n: int32 nullable> [{"j":[1],"n":1} (null)] ` +
		`iv month_day_nano_interval [{"months":1,"days":2,"nanoseconds":3500000000} (null)] ` +
		`m map<utf8, month_day_nano_interval, items_nullable> [[{"key":"k","value":{"months":0,"days":1,"nanoseconds":0}}] (null)]`
	if text := ingesttest.Show(ingest.Rows{Batch: got[0]}); text != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
}
