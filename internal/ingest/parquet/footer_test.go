package parquet

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

// withArrowSchema returns a file with the given bytes as its Arrow schema.
func withArrowSchema(t *testing.T, schema []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	batch := fromJSON(t, int64s, `[1]`)
	w, err := pqarrow.NewFileWriter(batch.Schema(), &b, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AppendKeyValueMetadata(arrowSchemaKey, base64.StdEncoding.EncodeToString(schema)); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// schemaMessage returns an IPC message of a schema that declares a body. Its top level has two
// structs. Each struct has two structs, and so on, and all have the same name.
func schemaMessage(levels int, name string, bodySize int64) []byte {
	const structType, headerSchema = 13, 1
	b := flatbuffers.NewBuilder(1024)
	shared := b.CreateString(name)
	b.StartObject(0)
	empty := b.EndObject()
	fields := flatbuffers.UOffsetT(0)
	for range levels {
		b.StartObject(7)
		b.PrependUOffsetTSlot(0, shared, 0)
		b.PrependByteSlot(2, structType, 0)
		b.PrependUOffsetTSlot(3, empty, 0)
		b.PrependUOffsetTSlot(5, fields, 0)
		field := b.EndObject()
		b.StartVector(4, 2, 4)
		b.PrependUOffsetT(field)
		b.PrependUOffsetT(field)
		fields = b.EndVector(2)
	}
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fields, 0)
	schema := b.EndObject()
	b.StartObject(5)
	b.PrependByteSlot(1, headerSchema, 0)
	b.PrependUOffsetTSlot(2, schema, 0)
	b.PrependInt64Slot(3, bodySize, 0)
	b.Finish(b.EndObject())
	message := binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(b.FinishedBytes())))
	return append(message, b.FinishedBytes()...)
}

func TestWhatTheFooterSaysOfArrowsTypesIsChecked(t *testing.T) {
	f := func(schema []byte, kind base.Kind, want string) {
		t.Helper()
		if _, err := Decode(withArrowSchema(t, schema), limit); base.KindOf(err) != kind || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Decode(withArrowSchema(t, schemaMessage(1, "a", 0)), limit); err != nil {
		t.Error(err)
	}
	f(nil, base.Invalid, "ARROW:schema")
	f(schemaMessage(1, "a", 1<<42), base.Invalid, "ends in the middle of a message's body")
	f(schemaMessage(50, "a", 0), base.TooLarge, "more than 10000 columns")
	f(schemaMessage(12, strings.Repeat("a", 1<<20), 0), base.TooLarge, "names and metadata")
	f(binary.LittleEndian.AppendUint32(nil, 1<<31-1), base.Invalid, "ends in the middle of a message")
}

func TestWhatTheFooterSaysOfArrowsTypesIsHeeded(t *testing.T) {
	batch := fromJSON(t, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}, `["1970-01-01T00:00:01Z", null]`,
		arrow.BinaryTypes.LargeString, `["x", null]`, ingest.TextDictionary, `["p", "p"]`, arrow.FixedSizeListOf(2, int64s), `[[1, 2], [3, 4]]`)
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(batch.Schema(), &b, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b.Bytes(), limit)
	if err != nil {
		t.Fatal(err)
	}
	const want = `: a us [1970-01-01T00:00:01Z (null)] b utf8 [x (null)] c utf8 [p p] d fixed_size_list<element: int64, nullable>[2] [[1,2] [3,4]]`
	if text := strings.ReplaceAll(ingesttest.Show(ingest.Rows{Batch: got[0]}), "item:", "element:"); text != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}

}

// withFooter returns a file of rows with a changed footer.
func withFooter(t *testing.T, batch arrow.RecordBatch, change func(*metadata.FileMetaData)) []byte {
	t.Helper()
	body := write(t, compress.Codecs.Uncompressed, batch)
	f, err := file.NewParquetReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	change(f.MetaData())
	size := int(binary.LittleEndian.Uint32(body[len(body)-8:]))
	b := bytes.NewBuffer(bytes.Clone(body[:len(body)-8-size]))
	n, err := f.MetaData().WriteTo(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.LittleEndian.AppendUint32(b.Bytes(), uint32(n)), "PAR1"...)
}

func TestRowsThatAreOnlyAnnouncedAreRefused(t *testing.T) {
	pair := arrow.StructOf(arrow.Field{Name: "x", Type: int64s, Nullable: true})
	lists := arrow.ListOf(pair)
	f := func(rows, limit int64, withColumns bool, dt arrow.DataType, values string, kind base.Kind, want string) {
		t.Helper()
		body := withFooter(t, fromJSON(t, dt, values), func(meta *metadata.FileMetaData) {
			meta.NumRows, meta.RowGroups[0].NumRows = rows, rows
			if !withColumns {
				none := int32(0)
				elements := meta.FileMetaData.Schema[:1]
				elements[0].NumChildren, meta.FileMetaData.Schema, meta.RowGroups[0].Columns = &none, elements, nil
			}
		})
		if _, err := Decode(body, limit); base.KindOf(err) != kind || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f(1<<38, 1<<40, false, int64s, `[1]`, base.Invalid, "rows without columns")
	f(1<<60, 1<<20, true, int64s, `[1]`, base.TooLarge, "more than 8388608 rows")
	f(1<<38, 1<<40, true, int64s, `[1]`, base.Invalid, "1 values where 122880 rows are")
	f(1<<38, 1<<40, true, pair, `[{"x": 1}]`, base.Invalid, "1 rows from 1 on where 122880 are announced")
	f(1<<38, 1<<40, true, lists, `[[{"x": 1}, {"x": 2}], []]`, base.Invalid, "2 rows from 1 on where 122880 are announced")
	f(3, 1<<20, true, lists, `[[{"x": 1}, {"x": 2}], []]`, base.Invalid, "2 rows from 1 on where 3 are announced")
}

func TestTreesOfColumnsAreChecked(t *testing.T) {
	f := func(children int32, groups int, kind base.Kind, want string) {
		t.Helper()
		body := withFooter(t, fromJSON(t, int64s, `[1]`), func(meta *metadata.FileMetaData) {
			elements := meta.FileMetaData.Schema
			elements[0].NumChildren = &children
			meta.FileMetaData.Schema = append(slices.Repeat(elements[:1], groups), elements[1:]...)
		})
		if _, err := Decode(body, limit); base.KindOf(err) != kind || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f(1<<31-1, 1, base.Invalid, "a group of 2147483647 columns, in a schema of 2 elements")
	f(-1, 1, base.Invalid, "a group of -1 columns")
	f(2, 1, base.Invalid, "a group of 2 columns")
	f(1, 200, base.TooLarge, "nested deeper than 64")
}

func TestListsOfStructsOverSeveralRowGroups(t *testing.T) {
	const n = MaxBatchRows + 80_000
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.StructOf(arrow.Field{Name: "x", Type: int64s, Nullable: true}))
	values := 0
	for i := range n {
		if i%7 == 0 {
			b.AppendNull()
			continue
		}
		b.Append(true)
		for range i % 4 {
			s := b.ValueBuilder().(*array.StructBuilder)
			s.Append(true)
			s.FieldBuilder(0).(*array.Int64Builder).Append(int64(values))
			values++
		}
	}
	a := b.NewArray()
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, n)
	var body []arrow.RecordBatch
	for i := int64(0); i < n; i += 50_000 {
		body = append(body, batch.NewSlice(i, min(n, i+50_000)))
	}
	got, err := Decode(write(t, compress.Codecs.Snappy, body...), limit)
	if err != nil || len(got) != 2 || got[0].NumRows()+got[1].NumRows() != n {
		t.Fatalf("%d batches, %v", len(got), err)
	}
	if sum := got[0].Column(0).(*array.List).ListValues().Len() + got[1].Column(0).(*array.List).ListValues().Len(); sum != values {
		t.Errorf("%d values of %d", sum, values)
	}
}
