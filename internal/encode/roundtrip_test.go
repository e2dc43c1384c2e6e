package encode

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/scoterdb/scoter/internal/base"
)

// streamBatches reads an Arrow stream.
func streamBatches(t testing.TB, b []byte) []arrow.RecordBatch {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var out []arrow.RecordBatch
	for r.Next() {
		rec := r.RecordBatch()
		rec.Retain()
		out = append(out, rec)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return out
}

// parquetBatches reads a Parquet file.
func parquetBatches(t testing.TB, b []byte) []arrow.RecordBatch {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if table.NumRows() != f.NumRows() {
		t.Fatalf("file has %d rows, read were %d", f.NumRows(), table.NumRows())
	}
	tr := array.NewTableReader(table, 1<<20)
	var out []arrow.RecordBatch
	for tr.Next() {
		rec := tr.RecordBatch()
		rec.Retain()
		out = append(out, rec)
	}
	return out
}

// pieces cuts a batch into slices whose arrays have offsets.
func pieces(rec arrow.RecordBatch, rows int64) []arrow.RecordBatch {
	var out []arrow.RecordBatch
	for from := int64(0); from < rec.NumRows(); from += rows {
		out = append(out, rec.NewSlice(from, min(from+rows, rec.NumRows())))
	}
	return out
}

// TestArrowStreamHoldsTheSameValues writes every type in one batch and in slices, with every way of
// gathering, and compares the values that a reader gets.
func TestArrowStreamHoldsTheSameValues(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "run-end encoded" {
				t.Skip("arrow-go reads slices of run-end encoded arrays wrongly; DuckDB does not send them")
			}
			rec := c.batch(t)
			for _, batchRows := range []int{0, 1, 2} {
				for rows := int64(1); rows <= rec.NumRows(); rows++ {
					got := streamBatches(t, written(t, Arrow, Options{batchRows: batchRows}, pieces(rec, rows)...))
					if values := jsonRows(t, written(t, JSON, Options{}, got...)); !reflect.DeepEqual(values, c.json) {
						t.Errorf("gathered to %d, in pieces of %d: got %q, want %q", batchRows, rows, values, c.json)
					}
				}
			}
		})
	}
}

// TestParquetHoldsTheSameValues compares the text of the values that a Parquet reader gets. Types
// that Parquet lacks are text.
func TestParquetHoldsTheSameValues(t *testing.T) {
	for _, c := range valueCases {
		t.Run(c.name, func(t *testing.T) {
			rec := c.batch(t)
			if strings.Contains(c.name, "HUGEINT") && c.name != "HUGEINT as decimal" {
				rec = rec.NewSlice(0, 3%rec.NumRows())
				if c.name == "UHUGEINT" {
					t.Skip("its values do not fit; see the next test")
				}
			}
			if c.name == "JSON" {
				// arrow-go reads the JSON logical type as binary
				want := []string{`"eyJhIjogWzEsCjJdfQ=="`, `"bm90IGpzb24="`, "null", `"InRleHQi"`}
				if got := jsonRows(t, written(t, JSON, Options{}, parquetBatches(t, written(t, Parquet, Options{}, rec))...)); !reflect.DeepEqual(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
				return
			}
			want := csvRows(t, written(t, CSV, Options{}, rec))
			for _, rows := range []int64{1, 2, rec.NumRows()} {
				got := parquetBatches(t, written(t, Parquet, Options{rowGroupRows: 2}, pieces(rec, rows)...))
				values := csvRows(t, written(t, CSV, Options{}, got...))
				if !reflect.DeepEqual(values, want) {
					t.Errorf("in pieces of %d: got %q, want %q", rows, values, want)
				}
			}
		})
	}
}

func TestParquetRefusesAHugeintOfMoreThan38Digits(t *testing.T) {
	rec := oneColumn(fixedBytes(opaque(fixed16, "uhugeint"), 16, littleEndian("-1"))(t))
	var b bytes.Buffer
	_, err := Write(context.Background(), &b, Parquet, newInput(rec), Options{})
	if base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), `column "v"`) || !strings.Contains(err.Error(), "340282366920938463463374607431768211455") {
		t.Errorf("got %v", err)
	}
}

func TestParquetRowGroupsAreOfTheWantedSize(t *testing.T) {
	batches := benchBatches(2, 4) // 8,192 rows
	b := written(t, Parquet, Options{rowGroupRows: 5000}, batches...)
	f, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRowGroups() != 2 || f.RowGroup(0).NumRows() != 5000 || f.NumRows() != 8192 {
		t.Errorf("%d row groups, first %d rows, all %d", f.NumRowGroups(), f.RowGroup(0).NumRows(), f.NumRows())
	}
}

// TestParquetRowGroupsAreBounded checks that row groups are bounded, whatever the width of rows is.
func TestParquetRowGroupsAreBounded(t *testing.T) {
	batches := benchBatches(2, 40) // about 100 KB each
	size := batchSize(batches[0])
	for _, opt := range []Options{{rowGroupBytes: 4 * size}, {rowGroupBytes: 1}, {rowGroupBytes: 7 * size, rowGroupRows: 5 * chunkRows / 2}} {
		b := written(t, Parquet, opt, batches...)
		f, err := file.NewParquetReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if f.NumRows() != 40*chunkRows {
			t.Errorf("%+v: %d rows", opt, f.NumRows())
		}
		for g := range f.NumRowGroups() {
			// A batch is not split. So a row group has at least one whole batch, even if that is
			// larger than the bound.
			if rows := f.RowGroup(g).NumRows(); rows == 0 || rows > max(opt.rowGroupBytes/size, 1)*chunkRows || opt.rowGroupRows > 0 && rows > opt.rowGroupRows {
				t.Errorf("%+v: row group %d has %d rows", opt, g, rows)
			}
		}
		if opt.rowGroupRows > 0 && f.NumRowGroups() != 16 {
			t.Errorf("%+v: %d row groups", opt, f.NumRowGroups())
		}
	}
}

func TestArrowGathersSmallBatches(t *testing.T) {
	batches := benchBatches(2, 64)
	got := streamBatches(t, written(t, Arrow, Options{}, batches...))
	if len(got) != len(batches)/32 || got[0].NumRows() != 65_536 {
		t.Errorf("%d batches, first %d rows", len(got), got[0].NumRows())
	}
	if got := streamBatches(t, written(t, Arrow, Options{batchRows: 1}, batches...)); len(got) != len(batches) {
		t.Errorf("not gathered: %d batches", len(got))
	}
}

// TestArrowUnifiesDictionaries covers batches with different dictionaries, gathered or not, and an
// index type that is too small for their union.
func TestArrowUnifiesDictionaries(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}
	var batches []arrow.RecordBatch
	var want []string
	for i := range 5 {
		var texts []string
		for j := range 100 {
			text := fmt.Sprintf("%q", fmt.Sprint("value ", i*80+j))
			texts = append(texts, text)
		}
		want = append(want, texts...)
		batches = append(batches, oneColumn(arrayOf(t, dt, "["+strings.Join(texts, ",")+"]")))
	}
	for _, batchRows := range []int{0, 1, 200} {
		got := streamBatches(t, written(t, Arrow, Options{batchRows: batchRows}, batches...))
		var values []string
		for _, rec := range got {
			values = append(values, jsonRows(t, written(t, JSON, Options{}, rec))...)
		}
		if !reflect.DeepEqual(values, want) {
			t.Errorf("gathered to %d: %d values of %d, or others", batchRows, len(values), len(want))
		}
	}
}
