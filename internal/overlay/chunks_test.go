package overlay

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
)

// TestSingleValuesAreThoseOfThePart reads values of three column chunks in turn until all of them
// count as requested often. The cache has space for none of them, for one, and for all.
func TestSingleValuesAreThoseOfThePart(t *testing.T) {
	f := newFixture(t)
	p := newPatchedTable(f, newTable(t, schema.Of(schema.BigInt), schema.Of(schema.Varchar)), 3)
	const rows = 2*part.RowGroupRows + 1000
	p.addPart(10, rows)
	column, row := p.now.Schema.Columns[0], []uint32{3, part.RowGroupRows + 500, rows - 1}
	take := func(x *chunks, row uint32) string {
		values, err := x.take(p.now.Parts[0], p.now.Schema, column, []uint32{row})
		if err != nil {
			t.Fatal(err)
		}
		return values.(*array.Int64).String()
	}
	var want []string
	for _, r := range row {
		want = append(want, take(newChunks(f.overlay.file, ledger.NewAccount("columns", 0)), r))
	}
	for _, most := range []int64{0, 8*part.RowGroupRows + 8*part.RowGroupRows/2, 1 << 30} {
		x := newChunks(f.overlay.file, ledger.NewAccount("columns", most))
		for range 2*seldom + 3 {
			for i, r := range row {
				if got := take(x, r); got != want[i] {
					t.Fatalf("room for %d bytes: row %d is %s, expected %s", most, r, got, want[i])
				}
				if x.used.Len() > 1 && x.memory.Excess() > 0 {
					t.Fatalf("%d bytes of %d chunks are kept, there is room for %d", x.memory.Used(), x.used.Len(), most)
				}
			}
		}
		whole := 0
		for _, c := range x.all {
			if c.values != nil {
				whole++
			}
		}
		if most == 1<<30 && whole != len(row) {
			t.Errorf("%d of %d chunks are kept, though there is room", whole, len(row))
		}
	}
}
