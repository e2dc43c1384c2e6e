package batch

import (
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func textArray(values ...string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func doubleArray(values ...float64) arrow.Array {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func TestKeyHashesAreEqualWhereValuesAre(t *testing.T) {
	f := func(want []int, columns ...arrow.Array) {
		t.Helper()
		hashes, err := KeyHashes(columns)
		if err != nil {
			t.Fatal(err)
		}
		for i := range hashes {
			for j := range hashes {
				if (hashes[i] == hashes[j]) != (want[i] == want[j]) {
					t.Errorf("rows %d and %d: %v, %v", i, j, hashes[i], hashes[j])
				}
			}
		}
	}
	f([]int{1, 2, 1, 3}, textArray("a", "b", "a", ""))
	// The boundary between two values matters.
	f([]int{1, 2, 3, 1}, textArray("a", "ab", "", "a"), textArray("bc", "c", "abc", "bc"))
	f([]int{1, 1, 2, 2, 3}, doubleArray(0, math.Copysign(0, -1), math.NaN(), -math.NaN(), 1))
	f([]int{1, 2}, doubleArray(1, 2))
}

func TestKeyHashesOfADictionaryAreThoseOfItsText(t *testing.T) {
	b := array.NewDictionaryBuilder(memory.DefaultAllocator, textDictionary).(*array.BinaryDictionaryBuilder)
	for _, s := range []string{"x", "y", "x"} {
		if err := b.AppendString(s); err != nil {
			t.Fatal(err)
		}
	}
	coded, err := KeyHashes([]arrow.Array{b.NewArray()})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := KeyHashes([]arrow.Array{textArray("x", "y", "x")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range plain {
		if coded[i] != plain[i] {
			t.Errorf("row %d: %v as a code, %v as text", i, coded[i], plain[i])
		}
	}
}

func BenchmarkKeyHashes(b *testing.B) {
	const rows = 2048
	k, n := array.NewInt64Builder(memory.DefaultAllocator), array.NewInt32Builder(memory.DefaultAllocator)
	for i := range rows {
		k.Append(int64(i / 4))
		n.Append(int32(i % 4))
	}
	columns := []arrow.Array{k.NewArray(), n.NewArray()}
	for b.Loop() {
		if _, err := KeyHashes(columns); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
