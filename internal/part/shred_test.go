package part

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// nested generates nested values. At some depths they have NULLs and empty lists, and at others
// not, so that all combinations of levels occur.
type nested struct {
	rng          *rand.Rand
	nulls, empty uint64 // one bit for each depth
}

func (n *nested) value(t arrow.DataType, depth int) any {
	if n.nulls>>depth&1 != 0 && n.rng.IntN(3) == 0 {
		return nil
	}
	size := func() int {
		if n.empty>>depth&1 != 0 {
			return n.rng.IntN(3)
		}
		return 1 + n.rng.IntN(3)
	}
	switch t := t.(type) {
	case *arrow.StructType:
		v := map[string]any{}
		for _, f := range t.Fields() {
			v[f.Name] = n.value(f.Type, depth+1)
		}
		return v
	case *arrow.MapType:
		v := []any{}
		for i := range size() {
			v = append(v, map[string]any{"key": fmt.Sprint("k", i), "value": n.value(t.ItemType(), depth+1)})
		}
		return v
	case *arrow.ListType:
		v := []any{}
		for range size() {
			v = append(v, n.value(t.Elem(), depth+1))
		}
		return v
	case *arrow.StringType:
		return fmt.Sprint("text ", n.rng.IntN(100))
	}
	return n.rng.IntN(100)
}

// hide makes some rows NULL without changing their children.
func hide(a arrow.Array, rng *rand.Rand) arrow.Array {
	bitmap := make([]byte, (a.Len()+7)/8)
	nulls := 0
	for i := range a.Len() {
		if a.IsValid(i) && rng.IntN(3) != 0 {
			bitmap[i/8] |= 1 << (i % 8)
		} else {
			nulls++
		}
	}
	d := a.Data()
	buffers := append([]*memory.Buffer{memory.NewBufferBytes(bitmap)}, d.Buffers()[1:]...)
	return array.MakeFromData(array.NewData(d.DataType(), d.Len(), buffers, d.Children(), nulls, 0))
}

func TestNestedColumnsComeBack(t *testing.T) {
	var columns []schema.Column
	for _, text := range []string{
		"STRUCT(a INTEGER, s STRUCT(x INTEGER[], y VARCHAR), z VARCHAR)[]", "MAP(VARCHAR, STRUCT(l VARCHAR[], n INTEGER))",
		"INTEGER[][]", "STRUCT(d STRUCT(c VARCHAR, n INTEGER), l STRUCT(p INTEGER, q INTEGER)[], e VARCHAR)", "VARCHAR[]",
	} {
		typ, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, schema.Column{Name: fmt.Sprint("c", len(columns)), Type: typ})
	}
	table := tableOf(columns...)
	for seed := range uint64(64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := &nested{rng: rng, nulls: rng.Uint64() & rng.Uint64(), empty: rng.Uint64()}
		var batches []arrow.RecordBatch
		var want []string
		for range 1 + rng.IntN(3) {
			rows := 20 + rng.IntN(50)
			var arrays []arrow.Array
			for _, f := range table.Arrow().Fields() {
				var values []any
				for range rows {
					values = append(values, n.value(f.Type, 0))
				}
				text, err := json.Marshal(values)
				if err != nil {
					t.Fatal(err)
				}
				a, _, err := array.FromJSON(memory.DefaultAllocator, f.Type, strings.NewReader(string(text)))
				if err != nil {
					t.Fatal(err)
				}
				if seed%4 == 0 {
					a = hide(a, rng)
				}
				arrays = append(arrays, a)
			}
			b := array.NewRecordBatch(table.Arrow(), arrays, int64(rows))
			if from := int64(rng.IntN(10)); seed%3 == 0 {
				b = b.NewSlice(from, from+10)
			}
			batches = append(batches, b)
			want = append(want, texts(b)...)
		}
		fsys := vfs.NewCrashable()
		written, err := WriteBatches(fsys, "/p", table, batches, Options{Profile: Profile(seed % 2)})
		if err != nil {
			t.Fatal(err)
		}
		got := readAll(t, fsys, "/p", table, written)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d, row %d is\n%s\nwant\n%s", seed, i, got[i], want[i])
			}
		}
	}
}
