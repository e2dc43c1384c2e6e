package merge

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// sliceInput returns an input of a merge that reads batches in memory.
func sliceInput(table schema.Table, batches []arrow.RecordBatch) *input {
	rows := int64(batch.Rows(batches))
	return &input{
		part: &catalog.Part{Rows: rows}, now: table, written: table, left: rows, stop: func() {},
		pull: func() (arrow.RecordBatch, error, bool) {
			if len(batches) == 0 {
				return nil, nil, false
			}
			b := batches[0]
			batches = batches[1:]
			b.Retain()
			return b, nil, true
		},
	}
}

// keyedTable has three columns with few distinct values, two of which are the sort key, and one
// that identifies rows.
func keyedTable(t *testing.T, key ...schema.SortField) schema.Table {
	table, err := schema.New(schema.Table{Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{
		{Name: "a", Type: schema.Of(schema.Integer)}, {Name: "b", Type: schema.Of(schema.Varchar)},
		{Name: "c", Type: schema.Of(schema.Double)}, {Name: "id", Type: schema.Of(schema.BigInt)},
	}, SortKey: key})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func randomRows(r *rand.Rand, n int, firstID int64) arrow.RecordBatch {
	a := array.NewInt32Builder(memory.DefaultAllocator)
	b := array.NewStringBuilder(memory.DefaultAllocator)
	c := array.NewFloat64Builder(memory.DefaultAllocator)
	id := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range n {
		if v := r.IntN(6); v == 5 {
			a.AppendNull()
		} else {
			a.Append(int32(v))
		}
		if v := r.IntN(4); v == 3 {
			b.AppendNull()
		} else {
			b.Append(fmt.Sprintf("text-that-is-long-%d", v))
		}
		c.Append(float64(r.IntN(3)))
		id.Append(firstID + int64(i))
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "c", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	return array.NewRecordBatch(s, []arrow.Array{a.NewArray(), b.NewArray(), c.NewArray(), id.NewArray()}, int64(n))
}

// TestInterleaveIsAStableMerge checks that the result equals a stable sort of the rows of all
// inputs, wherever their batches end.
func TestInterleaveIsAStableMerge(t *testing.T) {
	keys := map[string][]schema.SortField{
		"one":        {{Column: 1}},
		"two":        {{Column: 2}, {Column: 1, Descending: true}},
		"nullsFirst": {{Column: 1, NullsFirst: true}, {Column: 3}},
		"none":       nil,
	}
	for name, key := range keys {
		t.Run(name, func(t *testing.T) {
			table := keyedTable(t, key...)
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, 7))
				// rows per input; many seeds with few rows cover more cases than the reverse
				most := 40
				if seed%10 == 0 {
					most = 12_000
				}
				var inputs []*input
				var all []arrow.RecordBatch
				for range 1 + r.IntN(6) {
					rows := randomRows(r, r.IntN(most), int64(batch.Rows(all)))
					order, err := batch.Sort([]arrow.RecordBatch{rows}, table)
					must(t, err)
					sorted, err := batch.Take([]arrow.RecordBatch{rows}, order)
					must(t, err)
					all = append(all, sorted)
					inputs = append(inputs, sliceInput(table, split(sorted, 1+r.IntN(most/2))))
				}
				order, err := batch.Sort(all, table)
				must(t, err)
				want, err := batch.Take(all, order)
				must(t, err)

				in := newInterleave(inputs, table, func() error { return nil })
				var got []int64
				for {
					rec, err := in.next()
					if err == io.EOF {
						break
					}
					must(t, err)
					got = append(got, rec.Column(3).(*array.Int64).Int64Values()...)
				}
				in.close()
				if ids := want.Column(3).(*array.Int64).Int64Values(); !slices.Equal(got, ids) {
					t.Fatalf("seed %d: got rows %v, want %v", seed, got, ids)
				}
			}
		})
	}
}

// split divides a batch into slices of at most rowsEach rows.
func split(rec arrow.RecordBatch, rowsEach int) []arrow.RecordBatch {
	var slices []arrow.RecordBatch
	for from := int64(0); from < rec.NumRows(); from += int64(max(1, rowsEach)) {
		slices = append(slices, rec.NewSlice(from, min(rec.NumRows(), from+int64(max(1, rowsEach)))))
	}
	return slices
}

// TestInterleaveLoadsOneBatchPerSource checks that at most one batch of each input is loaded at a
// time.
func TestInterleaveLoadsOneBatchPerSource(t *testing.T) {
	table := keyedTable(t, schema.SortField{Column: 4})
	r := rand.New(rand.NewPCG(1, 1))
	loaded := 0
	var inputs []*input
	for i := range 4 {
		s := sliceInput(table, split(randomRows(r, 1000, int64(i*1000)), 10))
		pull := s.pull
		s.pull = func() (arrow.RecordBatch, error, bool) {
			loaded += 10
			return pull()
		}
		inputs = append(inputs, s)
	}
	in := newInterleave(inputs, table, func() error { return nil })
	defer in.close()
	given := 0
	for {
		rec, err := in.next()
		if err == io.EOF {
			break
		}
		must(t, err)
		given += int(rec.NumRows())
		if ahead := loaded - given; ahead > 40 {
			t.Fatalf("%d rows are loaded and not given", ahead)
		}
	}
	if given != 4000 {
		t.Fatalf("%d rows", given)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
