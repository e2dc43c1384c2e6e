package batch

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/schema"
)

var storedTypes = append([]string{"VARCHAR[]", "MAP(VARCHAR, BIGINT)", "STRUCT(a BIGINT, b STRUCT(c VARCHAR[], d UUID))", "BIGINT[][]", "HUGEINT"}, sortableTypes...)

// sameValue compares the logical values of two cells, whatever their layout.
func sameValue(a arrow.Array, i int, b arrow.Array, j int) bool {
	if a.IsNull(i) || b.IsNull(j) {
		return a.IsNull(i) == b.IsNull(j)
	}
	return a.ValueStr(i) == b.ValueStr(j)
}

func TestTakeGathersRowsOfAllTypesAcrossBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for round := range 200 {
		recs, _ := randomBatches(t, r, storedTypes, 1+r.IntN(5), 50)
		refs := rowRefs(recs)
		var ordinals []uint32
		if len(refs) > 0 {
			for range r.IntN(100) {
				ordinals = append(ordinals, uint32(r.IntN(len(refs))))
			}
			if r.IntN(4) == 0 { // a run of consecutive rows
				ordinals = ordinals[:0]
				for o := r.IntN(len(refs)); o < len(refs) && r.IntN(20) > 0; o++ {
					ordinals = append(ordinals, uint32(o))
				}
			}
		}
		got, err := Take(recs, ordinals)
		if err != nil {
			t.Fatal(err)
		}
		if int(got.NumRows()) != len(ordinals) {
			t.Fatalf("%d rows, want %d", got.NumRows(), len(ordinals))
		}
		for c := range storedTypes {
			for i, o := range ordinals {
				from := refs[o]
				if !sameValue(got.Column(c), i, recs[from.rec].Column(c), from.row) {
					t.Fatalf("round %d, %s, row %d: got %s, want %s", round, storedTypes[c], i, got.Column(c).ValueStr(i), recs[from.rec].Column(c).ValueStr(from.row))
				}
			}
		}
	}
}

func TestConcatKeepsAllRowsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		recs, _ := randomBatches(t, r, storedTypes, 1+r.IntN(5), 30)
		got, err := Concat(recs)
		if err != nil {
			t.Fatal(err)
		}
		for c := range storedTypes {
			for i, from := range rowRefs(recs) {
				if !sameValue(got.Column(c), i, recs[from.rec].Column(c), from.row) {
					t.Fatalf("%s, row %d", storedTypes[c], i)
				}
			}
		}
	}
}

func TestTakenDictionaryHoldsOnlyValuesInUse(t *testing.T) {
	recs, _ := metricBatches(20_000, 50)
	got, err := Take(recs, []uint32{0, 15_000, 0})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Column(0).(*array.Dictionary).Dictionary().Len(); n > 2 {
		t.Errorf("%d values for two rows", n)
	}
}

func TestTakeRefusesRowsAndBatchesThatDoNotFit(t *testing.T) {
	recs, _ := metricBatches(10, 2)
	other, _ := randomBatches(t, rand.New(rand.NewPCG(1, 1)), []string{"BIGINT"}, 1, 5)
	if _, err := Take(recs, []uint32{3, 10}); err == nil {
		t.Error("a row beyond the last")
	}
	if _, err := Take(append(recs, other...), []uint32{0}); err == nil {
		t.Error("batches of two tables")
	}
	if _, err := Take(nil, nil); err == nil {
		t.Error("no batches")
	}
}

func TestBytesCountsSharedBuffersOnce(t *testing.T) {
	recs, table := metricBatches(1000, 2)
	rec := recs[0]
	whole := Bytes(rec)
	if part := Bytes(rec.NewSlice(0, 1)); part != whole {
		t.Errorf("a slice keeps %d bytes alive, not %d", whole, part)
	}
	columns := []arrow.Array{rec.Column(2), rec.Column(2)}
	table.Columns = []schema.Column{table.Columns[2], table.Columns[3]}
	if got := Bytes(newRecord(table, columns, 1000)); got > 8*1024 {
		t.Errorf("one shared column counts %d bytes", got)
	}
}

func TestRun(t *testing.T) {
	recs := []arrow.RecordBatch{ints(t, 3), ints(t, 0), ints(t, 4)}
	for _, test := range []struct {
		ordinals []uint32
		want     int
	}{
		{nil, 0}, {[]uint32{0}, 1}, {[]uint32{0, 1, 2, 3}, 3}, {[]uint32{1, 2, 3}, 2}, {[]uint32{3, 4, 5, 6}, 4},
		{[]uint32{4, 3}, 1}, {[]uint32{3, 4, 6}, 2}, {[]uint32{2, 3}, 1}, {[]uint32{7}, 0},
	} {
		if got := Run(recs, test.ordinals); got != test.want {
			t.Errorf("%v: %d, want %d", test.ordinals, got, test.want)
		}
	}
}

func ints(t *testing.T, n int) arrow.RecordBatch {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range n {
		b.Append(int64(i))
	}
	a := b.NewArray()
	r := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType()}}, nil), []arrow.Array{a}, int64(n))
	t.Cleanup(r.Release)
	return r
}

// TestTakeOfPlainAndDictionaryText takes rows of plain text and of dictionaries. Text that repeats
// stays a dictionary, and only the taken rows are unpacked.
func TestTakeOfPlainAndDictionaryText(t *testing.T) {
	const rows = 60_000
	long := strings.Repeat("long ", 10_000)
	values, plain, codes := array.NewStringBuilder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator), array.NewUint32Builder(memory.DefaultAllocator)
	values.AppendValues([]string{long, "short"}, nil)
	for i := range rows {
		if i%3 == 1 {
			codes.AppendNull()
		} else {
			codes.Append(uint32(i % 2))
		}
	}
	plain.AppendValues([]string{"plain", long}, nil)
	plain.AppendNull()
	record := func(a arrow.Array) arrow.RecordBatch {
		return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
	}
	recs := []arrow.RecordBatch{record(plain.NewArray()), record(array.NewDictionaryArray(textDictionary, codes.NewArray(), values.NewArray()))}
	want := func(o uint32) string {
		switch o -= 3; {
		case int32(o) < 0:
			return []string{"plain", long, array.NullValueStr}[o+3]
		case o%3 == 1:
			return array.NullValueStr
		}
		return []string{long, "short"}[o%2]
	}
	all := make([]uint32, rows+3)
	for i := range all {
		all[i] = uint32(len(all) - 1 - i)
	}
	for _, test := range []struct {
		ordinals   []uint32
		dictionary bool
	}{{all, true}, {[]uint32{1, 0, 2, 5, 4}, false}, {[]uint32{9, 0, 4, 3, 2}, true}, {[]uint32{2, 4}, false}} {
		got, err := Take(recs, test.ordinals)
		if err != nil {
			t.Fatal(err)
		}
		if isDictionary(got.Column(0)) != test.dictionary || isTextDictionary(got.Schema().Field(0).Type) != test.dictionary {
			t.Errorf("%d rows are %s", len(test.ordinals), got.Column(0).DataType())
		}
		for i, o := range test.ordinals {
			if v := got.Column(0).ValueStr(i); v != want(o) {
				t.Fatalf("row %d is %.20q, not %.20q", o, v, want(o))
			}
		}
	}
}

func TestTakeFirstTakesWhatFits(t *testing.T) {
	const large = 1 << 30
	offsets := []int32{0, 1, 2, large, large + large/2}
	text := array.NewStringData(array.NewData(arrow.BinaryTypes.String, 4, []*memory.Buffer{nil, memory.NewBufferBytes(asBytes(offsets)), memory.NewBufferBytes(make([]byte, large+large/2))}, nil, 0, 0))
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{text}, 4)
	for _, test := range []struct {
		ordinals []uint32
		most     int
		want     int
	}{{[]uint32{0, 1, 2, 2, 3}, 5, 2}, {[]uint32{1, 0, 1}, 5, 3}, {[]uint32{1, 0, 1}, 2, 2}} {
		got, n, err := TakeFirst([]arrow.RecordBatch{rec}, test.ordinals, test.most)
		if err != nil || n != test.want || got.NumRows() != int64(n) {
			t.Errorf("%v: %d rows, %v", test.ordinals, n, err)
		}
	}
}
