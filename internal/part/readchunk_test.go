package part

import (
	"github.com/scoterdb/scoter/internal/blocks"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

func TestAChunkIsItsRowsOfTheColumn(t *testing.T) {
	table := everyType(t)
	// nested columns come first: they have several columns in the file, which must be counted for
	// the columns after them
	slices.Reverse(table.Columns)
	fsys := vfs.NewCrashable()
	some := randomBatch(table, 700, 5)
	group := slices.Repeat([]arrow.RecordBatch{some, dictionaries(some, 5)}, 100)
	if _, err := WriteBatches(fsys, "/p", table, group, Options{Profile: Best}); err != nil {
		t.Fatal(err)
	}
	for i, c := range table.Columns {
		whole, err := array.Concatenate(slices.Repeat([]arrow.Array{some.Column(i)}, 200), memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		for group, want := range []arrow.Array{array.NewSlice(whole, 0, RowGroupRows), array.NewSlice(whole, RowGroupRows, 140_000)} {
			got, err := ReadChunk(blocks.Unchecked(fsys, "/p"), table, group, c.ID)
			if _, nested := c.Type.Arrow().(arrow.NestedType); nested {
				if base.KindOf(err) != base.Internal {
					t.Errorf("column %s: %v", c.Name, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("column %s: %v", c.Name, err)
			}
			if !array.Equal(got, want) {
				t.Errorf("column %s, group %d: other values", c.Name, group)
			}
		}
	}
	if _, err := ReadChunk(blocks.Unchecked(fsys, "/p"), table, 2, table.Columns[0].ID); base.KindOf(err) != base.Internal {
		t.Errorf("a row group that is not there: %v", err)
	}
	if _, err := ReadChunk(blocks.Unchecked(fsys, "/p"), table, 0, 999); base.KindOf(err) != base.Internal {
		t.Errorf("a column that is not there: %v", err)
	}
}
