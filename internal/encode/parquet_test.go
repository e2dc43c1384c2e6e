package encode

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// poisoning is an allocator that overwrites memory when it is freed, as C may do.
type poisoning struct{ memory.Allocator }

func (p poisoning) Free(b []byte) {
	for i := range b {
		b[i] = 0xee
	}
	p.Allocator.Free(b)
}

// textInput returns batches of text that nothing else retains.
type textInput struct {
	schema  *arrow.Schema
	batches int
}

func (s *textInput) Schema() *arrow.Schema { return s.schema }

func (s *textInput) Next(context.Context) (arrow.RecordBatch, error) {
	if s.batches == 0 {
		return nil, io.EOF
	}
	s.batches--
	b := array.NewRecordBuilder(poisoning{memory.NewGoAllocator()}, s.schema)
	defer b.Release()
	for i := range 2048 {
		text := fmt.Sprintf("%04d of %03d, a text that is not short", (i*7919)%2048, s.batches)
		b.Field(0).(*array.StringBuilder).Append(text)
		list := b.Field(1).(*array.ListBuilder)
		list.Append(true)
		list.ValueBuilder().(*array.BinaryBuilder).AppendString(text)
		id := b.Field(2).(*extensions.UUIDBuilder)
		id.AppendBytes([16]byte([]byte(text)[:16]))
	}
	return b.NewRecordBatch(), nil
}

// TestParquetTakesAColumnNamedLikeAField checks a column whose name is the path of another column's
// field, because the encoding of timestamp columns is set by name.
func TestParquetTakesAColumnNamedLikeAField(t *testing.T) {
	text := arrow.StructOf(arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true})
	rec := batchOf([]arrow.Field{{Name: "a", Type: text, Nullable: true}, {Name: "a.b", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true}},
		arrayOf(t, text, `[{"b":"x"},{"b":"y"}]`), arrayOf(t, arrow.FixedWidthTypes.Timestamp_us, `["2024-03-09T10:00:00Z",null]`))
	want := string(written(t, NDJSON, Options{}, rec))
	if got := string(written(t, NDJSON, Options{}, parquetBatches(t, written(t, Parquet, Options{}, rec))...)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestStatisticsOfTextsOutliveTheirBatches checks the smallest and the largest text of a row group,
// to which the library refers until the row group ends.
func TestStatisticsOfTextsOutliveTheirBatches(t *testing.T) {
	src := &textInput{batches: 100, schema: arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String}, {Name: "list", Type: arrow.ListOf(arrow.BinaryTypes.Binary)}, {Name: "id", Type: uuidType},
	}, nil)}
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, Parquet, src, Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := file.NewParquetReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for g := range r.NumRowGroups() {
		for column := range 3 {
			chunk, err := r.MetaData().RowGroup(g).ColumnChunk(column)
			if err != nil {
				t.Fatal(err)
			}
			stats, err := chunk.Statistics()
			if err != nil || stats == nil || !stats.HasMinMax() {
				t.Fatalf("row group %d column %d: no statistics, %v", g, column, err)
			}
			least, most := string(stats.EncodeMin()), string(stats.EncodeMax())
			if least[:5] != "0000 " || most[:5] != "2047 " {
				t.Errorf("row group %d column %d: from %q to %q", g, column, least, most)
			}
		}
	}
}
