package batch

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/schema"
)

// naiveCompare orders two rows of one column by the rules that Sort documents.
func naiveCompare(a arrow.Array, i int, b arrow.Array, j int, f schema.SortField) int {
	if a.IsNull(i) || b.IsNull(j) {
		switch {
		case a.IsNull(i) && b.IsNull(j):
			return 0
		case a.IsNull(i) == f.NullsFirst:
			return -1
		}
		return 1
	}
	c := 0
	switch a := a.(type) {
	case *array.Float64:
		x, y := a.Value(i), b.(*array.Float64).Value(j)
		switch {
		case x < y, x == x && y != y:
			c = -1
		case x > y, x != x && y == y:
			c = 1
		}
	case *array.Decimal128:
		c = a.Value(i).Cmp(b.(*array.Decimal128).Value(j))
	case *array.Int64:
		c = compare(a.Value(i), b.(*array.Int64).Value(j))
	case *array.Uint64:
		c = compare(a.Value(i), b.(*array.Uint64).Value(j))
	case *array.Timestamp:
		c = compare(a.Value(i), b.(*array.Timestamp).Value(j))
	case *array.Boolean:
		c = compare(a.ValueStr(i), b.ValueStr(j))
	case *extensions.UUIDArray:
		x, y := a.Value(i), b.(*extensions.UUIDArray).Value(j)
		c = bytes.Compare(x[:], y[:])
	default:
		c = compare(text(a, i), text(b, j))
	}
	if f.Descending {
		return -c
	}
	return c
}

func compare[T int64 | uint64 | string | arrow.Timestamp](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func text(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.Dictionary:
		return a.Dictionary().(*array.String).Value(a.GetValueIndex(i))
	case *array.Binary:
		return string(a.Value(i))
	}
	return a.(*array.String).Value(i)
}

// randomColumn makes n random values of a storage type, some of them NULL.
func randomColumn(r *rand.Rand, t schema.Type, dictionary bool, n int) arrow.Array {
	var dt arrow.DataType = t.Arrow()
	if dictionary {
		dt = textDictionary
	}
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	nulls := r.IntN(3) * 10
	span := int64(1) << r.IntN(63)
	for range n {
		if r.IntN(100) < nulls {
			b.AppendNull()
			continue
		}
		appendRandom(r, b, span)
	}
	return b.NewArray()
}

func appendRandom(r *rand.Rand, b array.Builder, span int64) {
	word := func() string {
		words := []string{"", "a", "a\x00", "ab", "server-1", "server-10", "server-100000", "server-100001", "server-1\xc3\xa9"}
		if r.IntN(2) == 0 {
			return words[r.IntN(len(words))]
		}
		return fmt.Sprintf("prefix-that-is-long-%d", r.Int64N(span))
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append([]int64{r.Int64N(span), -r.Int64N(span), math.MinInt64, math.MaxInt64}[r.IntN(2+2*r.IntN(2))])
	case *array.Uint64Builder:
		b.Append(r.Uint64N(uint64(span)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(1_700_000_000_000_000 + r.Int64N(span)))
	case *array.Float64Builder:
		b.Append([]float64{r.NormFloat64(), 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(6)])
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.Decimal128Builder:
		b.Append(decimal128.New(r.Int64N(5)-2, r.Uint64()))
	case *array.StringBuilder:
		b.Append(word())
	case *array.BinaryBuilder:
		b.AppendString(word())
	case *extensions.UUIDBuilder:
		var u [16]byte
		u[0], u[15] = byte(r.IntN(3)), byte(r.IntN(256))
		b.Append(u)
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(word()); err != nil {
			panic(err)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range r.IntN(4) {
			appendRandom(r, b.ValueBuilder(), span)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range r.IntN(4) {
			appendRandom(r, b.KeyBuilder(), span)
			appendRandom(r, b.ItemBuilder(), span)
		}
	case *array.StructBuilder:
		b.Append(true)
		for f := range b.NumField() {
			if r.IntN(4) == 0 {
				b.FieldBuilder(f).AppendNull()
			} else {
				appendRandom(r, b.FieldBuilder(f), span)
			}
		}
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

var sortableTypes = []string{"BIGINT", "UBIGINT", "TIMESTAMP", "DOUBLE", "BOOLEAN", "DECIMAL(38,2)", "VARCHAR", "BLOB", "UUID"}

// randomBatches makes batches of a table with the given types. Some are slices at an offset, some
// are empty, and VARCHAR columns are plain or dictionaries.
func randomBatches(t *testing.T, r *rand.Rand, types []string, batches, rows int) ([]arrow.RecordBatch, schema.Table) {
	t.Helper()
	table := schema.Table{Database: "d", Schema: "main", Name: "t"}
	for i, text := range types {
		parsed, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		table.Columns = append(table.Columns, schema.Column{Name: fmt.Sprintf("c%d", i), Type: parsed})
	}
	table, err := schema.New(table)
	if err != nil {
		t.Fatal(err)
	}
	mixed := r.IntN(3)
	var recs []arrow.RecordBatch
	for range batches {
		n := r.IntN(rows + 1)
		front, back := r.IntN(4), r.IntN(4)
		columns := make([]arrow.Array, len(types))
		for i, c := range table.Columns {
			dictionary := c.Type.Kind == schema.Varchar && (mixed == 0 || mixed == 1 && r.IntN(2) == 0)
			columns[i] = randomColumn(r, c.Type, dictionary, front+n+back)
		}
		rec := newRecord(table, columns, front+n+back)
		recs = append(recs, rec.NewSlice(int64(front), int64(front+n)))
	}
	return recs, table
}

type rowRef struct{ rec, row int }

func rowRefs(recs []arrow.RecordBatch) []rowRef {
	var refs []rowRef
	for i, rec := range recs {
		for j := range int(rec.NumRows()) {
			refs = append(refs, rowRef{i, j})
		}
	}
	return refs
}

func TestSortAgreesWithAComparisonSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		types := make([]string, 1+r.IntN(3))
		for i := range types {
			types[i] = sortableTypes[r.IntN(len(sortableTypes))]
		}
		recs, table := randomBatches(t, r, types, r.IntN(5), 1<<r.IntN(10))
		for _, c := range table.Columns {
			table.SortKey = append(table.SortKey, schema.SortField{Column: c.ID, Descending: r.IntN(2) == 0, NullsFirst: r.IntN(3) == 0})
		}
		got, err := Sort(recs, table)
		if err != nil {
			t.Fatal(err)
		}
		refs := rowRefs(recs)
		want := make([]uint32, len(refs))
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			for k, f := range table.SortKey {
				x, y := refs[a], refs[b]
				if c := naiveCompare(recs[x.rec].Column(k), x.row, recs[y.rec].Column(k), y.row, f); c != 0 {
					return c
				}
			}
			return 0
		})
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: sort by %v %+v:\n got %v\nwant %v", round, types, table.SortKey, got, want)
		}
	}
}

// TestSortOfManyRowsIsStable sorts buckets above every threshold. They are split by the top digit,
// by bytes, by comparison and by insertion.
func TestSortOfManyRowsIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, span := range []uint64{3, 1000, 1 << 20, 1 << 40, math.MaxUint64} {
		items := make([]item, 200_000)
		for i := range items {
			items[i] = item{key: r.Uint64N(span), ordinal: uint32(i)}
		}
		want := slices.Clone(items)
		slices.SortStableFunc(want, compareItems)
		radixSort(items, make([]item, len(items)))
		if !slices.Equal(items, want) {
			t.Fatalf("span %d", span)
		}
	}
}

func TestSortWithoutKeyKeepsTheOrder(t *testing.T) {
	recs, table := randomBatches(t, rand.New(rand.NewPCG(5, 6)), []string{"BIGINT"}, 3, 10)
	got, err := Sort(recs, table)
	if err != nil || !slices.IsSorted(got) || len(got) != Rows(recs) {
		t.Fatal(got, err)
	}
}

// metricBatches makes batches as a metrics client sends them: 10,000 rows in time order, six
// columns.
func metricBatches(rows, hosts int) ([]arrow.RecordBatch, schema.Table) {
	table, err := schema.New(schema.Table{Database: "d", Schema: "main", Name: "cpu", Columns: []schema.Column{
		{Name: "host", Type: schema.Of(schema.Varchar)}, {Name: "time", Type: schema.Of(schema.TimestampTZ)},
		{Name: "user", Type: schema.Of(schema.Double)}, {Name: "system", Type: schema.Of(schema.Double)},
		{Name: "count", Type: schema.Of(schema.BigInt)}, {Name: "region", Type: schema.Of(schema.Varchar)}},
		SortKey: []schema.SortField{{Column: 1}, {Column: 2}}})
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	var recs []arrow.RecordBatch
	for from := 0; from < rows; from += 10_000 {
		n := min(10_000, rows-from)
		host, region := dictionaryBuilder(), dictionaryBuilder()
		when := array.NewTimestampBuilder(memory.DefaultAllocator, arrow.FixedWidthTypes.Timestamp_us.(*arrow.TimestampType))
		user, system := array.NewFloat64Builder(memory.DefaultAllocator), array.NewFloat64Builder(memory.DefaultAllocator)
		count := array.NewInt64Builder(memory.DefaultAllocator)
		for i := range n {
			h := r.IntN(hosts)
			_ = host.AppendString(fmt.Sprintf("host-%05d", h))
			_ = region.AppendString(fmt.Sprintf("region-%d", h%12))
			when.Append(arrow.Timestamp(1_700_000_000_000_000 + int64(from+i)*100 + r.Int64N(5_000)))
			user.Append(r.Float64())
			system.Append(r.Float64())
			count.Append(int64(i))
		}
		recs = append(recs, newRecord(table, []arrow.Array{host.NewArray(), when.NewArray(), user.NewArray(), system.NewArray(), count.NewArray(), region.NewArray()}, n))
	}
	return recs, table
}

func dictionaryBuilder() *array.BinaryDictionaryBuilder {
	return array.NewDictionaryBuilder(memory.DefaultAllocator, textDictionary).(*array.BinaryDictionaryBuilder)
}

func BenchmarkSort(b *testing.B) {
	for _, hosts := range []int{100, 4000} {
		recs, table := metricBatches(1_000_000, hosts)
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			for b.Loop() {
				if _, err := Sort(recs, table); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("hosts=%d/plain", hosts), func(b *testing.B) {
			plain := decodeAll(b, recs, table)
			for b.Loop() {
				if _, err := Sort(plain, table); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	recs, table := metricBatches(1_000_000, 4000)
	b.Run("time-only", func(b *testing.B) {
		table.SortKey = table.SortKey[1:]
		for b.Loop() {
			if _, err := Sort(recs, table); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func decodeAll(b *testing.B, recs []arrow.RecordBatch, table schema.Table) []arrow.RecordBatch {
	out := make([]arrow.RecordBatch, len(recs))
	for i, rec := range recs {
		columns := slices.Clone(rec.Columns())
		for c := range columns {
			if d, ok := columns[c].(*array.Dictionary); ok {
				plain, err := decodeDictionary(d)
				if err != nil {
					b.Fatal(err)
				}
				columns[c] = plain
			}
		}
		out[i] = newRecord(table, columns, int(rec.NumRows()))
	}
	return out
}

func BenchmarkTake(b *testing.B) {
	recs, table := metricBatches(1_000_000, 4000)
	order, err := Sort(recs, table)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("dictionary", func(b *testing.B) {
		for b.Loop() {
			if _, err := Take(recs, order); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		plain := decodeAll(b, recs, table)
		for b.Loop() {
			if _, err := Take(plain, order); err != nil {
				b.Fatal(err)
			}
		}
	})
}
