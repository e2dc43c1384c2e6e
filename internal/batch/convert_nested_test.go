package batch

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// TestConformOfSlicesOfStructs takes slices from and to every row: of their NULLs, and those of their fields, arrow has bitmaps that begin and
// end anywhere in a byte.
func TestConformOfSlicesOfStructs(t *testing.T) {
	typ, err := schema.Parse("STRUCT(x INTEGER)")
	if err != nil {
		t.Fatal(err)
	}
	table, err := schema.New(schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{{Name: "s", Type: typ}}})
	if err != nil {
		t.Fatal(err)
	}
	table.ID = base.TableID(1)
	const rows = 30
	b := array.NewStructBuilder(memory.DefaultAllocator, arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}))
	for i := range rows {
		if b.Append(i%7 != 3); i%7 != 3 && i%5 != 1 {
			b.FieldBuilder(0).(*array.Int32Builder).Append(int32(i))
		} else {
			b.FieldBuilder(0).AppendNull()
		}
	}
	whole := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: b.Type(), Nullable: true}}, nil), []arrow.Array{b.NewArray()}, rows)
	for from := range rows {
		for to := from + 1; to <= rows; to++ {
			slice := whole.NewSlice(int64(from), int64(to))
			got, err := Conform(slice, table, ConformOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range to - from {
				if got, want := got.Column(0).ValueStr(i), whole.Column(0).ValueStr(from+i); got != want {
					t.Fatalf("rows %d to %d: row %d is %s, want %s", from, to, i, got, want)
				}
			}
		}
	}
}
