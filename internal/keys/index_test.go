package keys

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/batch"
)

func numbers(values ...int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func hashes(t *testing.T, columns ...arrow.Array) []batch.KeyHash {
	t.Helper()
	out, err := batch.KeyHashes(columns)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnIndexFindsEveryRowOfAKey(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 1000, 20_000} {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i / 2) // two rows per key
		}
		of := hashes(t, numbers(values...))
		x := NewIndex(of)
		for i, h := range of {
			var found []uint32
			x.Find(h, func(ordinal uint32) bool {
				found = append(found, ordinal)
				return false
			})
			slices.Sort(found)
			want := []uint32{uint32(i) &^ 1, uint32(i) | 1}
			if i == n-1 && n%2 == 1 {
				want = want[:1]
			}
			if !slices.Equal(found, want) {
				t.Fatalf("%d rows, row %d: %v, want %v", n, i, found, want)
			}
		}
		for _, h := range hashes(t, numbers(-1, int64(n))) {
			x.Find(h, func(ordinal uint32) bool {
				t.Fatalf("%d rows: row %d for a key that is not there", n, ordinal)
				return true
			})
		}
	}
}

func TestAnIndexStopsWhenTold(t *testing.T) {
	of := hashes(t, numbers(5, 5, 5))
	calls := 0
	NewIndex(of).Find(of[0], func(uint32) bool {
		calls++
		return calls == 2
	})
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
}
