package parquet

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
	"github.com/scoterdb/scoter/internal/ingest/ingesttest"
)

// TestINT96IsATimestampOfNanoseconds checks that the type does not depend on whether values have
// nanoseconds.
func TestINT96IsATimestampOfNanoseconds(t *testing.T) {
	for values, want := range map[string]string{
		`["2026-01-31T12:00:00.000000001Z", null]`: "[2026-01-31T12:00:00.000000001 (null)]",
		`["1677-09-22T00:00:00Z", null]`:           "[1677-09-22T00:00:00 (null)]",
	} {
		a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.FixedWidthTypes.Timestamp_ns, strings.NewReader(values))
		if err != nil {
			t.Fatal(err)
		}
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "t", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
		var b bytes.Buffer
		w, err := pqarrow.NewFileWriter(rec.Schema(), &b, nil, pqarrow.NewArrowWriterProperties(pqarrow.WithDeprecatedInt96Timestamps(true)))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b.Bytes(), 1<<30)
		if err != nil {
			t.Errorf("%s: %v", values, err)
			continue
		}
		if text := ingesttest.Show(ingest.Rows{Batch: got[0]}); text != ": t timestamp[ns] "+want {
			t.Errorf("%s: %s, want %s", values, text, want)
		}
	}
}

// TestINT96OutOfRangeIsNamed checks the error for a time that INT96 can represent and 64-bit
// nanoseconds cannot.
func TestINT96OutOfRangeIsNamed(t *testing.T) {
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{schema.NewInt96Node("t", parquet.Repetitions.Required, -1)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	rows, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	column, err := rows.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	var far parquet.Int96
	far[11] = 0x7f // Julian day 2130706432
	if _, err := column.(*file.Int96ColumnChunkWriter).WriteBatch([]parquet.Int96{{}, far}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(b.Bytes(), 1<<30); base.KindOf(err) != base.Invalid || err == nil || !strings.Contains(err.Error(), `column "t"`) {
		t.Error(err)
	}
}
