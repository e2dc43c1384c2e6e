package batch

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// TestConformOfSlicesOfStructs converts slices between all rows. So the bitmaps of the NULLs, and
// those of the fields' NULLs, begin and end anywhere in a byte.
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

// TestNullIsNoEntryOfAMap has a list of pairs with a NULL pair, whose fields have arbitrary values.
func TestNullIsNoEntryOfAMap(t *testing.T) {
	typ, err := schema.Parse("MAP(VARCHAR, INTEGER)")
	if err != nil {
		t.Fatal(err)
	}
	table, err := schema.New(schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{{Name: "m", Type: typ}}})
	if err != nil {
		t.Fatal(err)
	}
	table.ID = base.TableID(1)
	keys, values := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt32Builder(memory.DefaultAllocator)
	pair := arrow.StructOf(arrow.Field{Name: "key", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Int32, Nullable: true})
	for there, nulls := range map[byte]int{0b111: 0, 0b101: 1} {
		keys.AppendValues([]string{"a", "b", "c"}, nil)
		values.AppendValues([]int32{1, 2, 3}, nil)
		pairs := array.NewData(pair, 3, []*memory.Buffer{memory.NewBufferBytes([]byte{there})}, []arrow.ArrayData{keys.NewArray().Data(), values.NewArray().Data()}, nulls, 0)
		lists := array.NewData(arrow.ListOf(pair), 2, []*memory.Buffer{nil, memory.NewBufferBytes(asBytes([]int32{0, 1, 3}))}, []arrow.ArrayData{pairs}, 0, 0)
		column := array.MakeFromData(lists)
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "m", Type: column.DataType(), Nullable: true}}, nil), []arrow.Array{column}, 2)
		_, err = Conform(rec, table, ConformOptions{})
		if nulls == 0 && err != nil {
			t.Error(err)
		}
		if nulls > 0 && (base.KindOf(err) != base.Invalid || !strings.Contains(err.Error(), "row 2, column \"m\": NULL is a key of a MAP")) {
			t.Errorf("a pair that is NULL: %v", err)
		}
	}
}
