package intern

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// TestATableNumbersValuesAsAMapDoes adds values in random order and repeatedly. Their lengths are
// around those at which a slot stores values differently, and values differ in one byte at any
// position.
func TestATableNumbersValuesAsAMapDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var values []string
	for length := range 40 {
		same := strings.Repeat("a", length)
		values = append(values, same, strings.Repeat("\x00", length))
		for at := range length {
			for _, other := range []string{"b", "\x00", "\xff"} {
				values = append(values, same[:at]+other+same[at+1:])
			}
		}
	}
	for i := range 20_000 {
		values = append(values, fmt.Sprint(i), fmt.Sprintf("a long value with number %d in it", i))
	}
	var table Table
	want := map[string]uint32{}
	for range 4 * len(values) {
		v := values[r.IntN(len(values))]
		index, known := want[v]
		if found, ok := table.Find([]byte(v)); ok != known || ok && found != index {
			t.Fatalf("%q: found %d %v, not %d %v", v, found, ok, index, known)
		}
		if !known {
			index = uint32(len(want))
			want[v] = index
		}
		if got := table.IndexText(v); got != index {
			t.Fatalf("%q: index %d, not %d", v, got, index)
		}
	}
	texts := array.NewStringData(table.Texts())
	bytes := 0
	for v, index := range want {
		bytes += len(v)
		if got := string(table.Value(index)); got != v || texts.Value(int(index)) != v {
			t.Fatalf("value %d is %q and %q, not %q", index, got, texts.Value(int(index)), v)
		}
	}
	if table.Len() != len(want) || texts.Len() != len(want) || table.Bytes() != bytes {
		t.Fatalf("%d values of %d bytes, %d texts; not %d of %d", table.Len(), table.Bytes(), texts.Len(), len(want), bytes)
	}
}

func TestAnEmptyTable(t *testing.T) {
	var table Table
	if _, ok := table.Find(nil); ok || table.Len() != 0 || table.Bytes() != 0 {
		t.Fatal("an empty table has something")
	}
	if texts := array.NewStringData(table.Texts()); texts.Len() != 0 {
		t.Fatalf("%d texts", texts.Len())
	}
	if i := table.Index(nil); i != 0 || table.Len() != 1 || len(table.Value(0)) != 0 {
		t.Fatal("the empty value is no value")
	}
}
