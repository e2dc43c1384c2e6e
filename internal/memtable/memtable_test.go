package memtable

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/mapped"
	"github.com/scoterdb/scoter/internal/schema"
)

// testTable is a table with a column for every memory layout.
var testTable = schema.Table{
	ID: 7, Database: "d", Schema: "main", Name: "t", Version: 3, NextColumnID: 20,
	Columns: []schema.Column{
		{ID: 1, Name: "b", Type: schema.Of(schema.Boolean)},
		{ID: 2, Name: "i", Type: schema.Of(schema.BigInt)},
		{ID: 3, Name: "s", Type: schema.Of(schema.Varchar)},
		{ID: 4, Name: "d", Type: schema.DecimalOf(38, 3)},
		{ID: 5, Name: "u", Type: schema.Of(schema.UUID)},
		{ID: 6, Name: "l", Type: schema.ListOf(schema.Of(schema.Varchar))},
		{ID: 7, Name: "st", Type: schema.StructOf(schema.Field{Name: "x", Type: schema.Of(schema.SmallInt)}, schema.Field{Name: "y", Type: schema.ListOf(schema.Of(schema.Boolean))})},
		{ID: 8, Name: "m", Type: schema.MapOf(schema.Of(schema.Varchar), schema.Of(schema.Double))},
		{ID: 9, Name: "bl", Type: schema.Of(schema.Blob)},
		{ID: 10, Name: "k", Type: schema.Of(schema.Varchar)}, // a dictionary
	},
}

func newPool() *Pool {
	return NewPool(PoolOptions{ChunkBytes: 2 << 20, Poison: true})
}

// randomBatch returns random rows as text (one JSON value per column) and as a batch. Columns have
// NULLs with the given probability. With dict, the last column is a dictionary of a few values.
func randomBatch(t *testing.T, r *rand.Rand, first, n int, nulls float64, dict bool) arrow.RecordBatch {
	t.Helper()
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		id := first + i
		cell := func(text string) string {
			if r.Float64() < nulls {
				return "null"
			}
			return text
		}
		fmt.Fprintf(&b, `{"b":%s,"i":%d,"s":%s,"d":%s,"u":%s,"l":%s,"st":%s,"m":%s,"bl":%s}`,
			cell(fmt.Sprint(id%3 == 0)), id, cell(fmt.Sprintf(`"text %d%s"`, id, strings.Repeat("x", id%40))),
			cell(fmt.Sprintf(`"%d.5"`, id)), cell(fmt.Sprintf(`"00000000-0000-0000-0000-%012d"`, id)),
			cell([]string{`[]`, `["a"]`, fmt.Sprintf(`["p%d",null,"q"]`, id)}[id%3]),
			cell(fmt.Sprintf(`{"x":%s,"y":[true,%s]}`, cell(fmt.Sprint(id%1000)), cell("false"))),
			cell([]string{`[]`, fmt.Sprintf(`[{"key":"k%d","value":%d.25}]`, id, id)}[id%2]),
			cell(`"AAEC"`))
	}
	b.WriteByte(']')
	fields := testTable.Arrow().Fields()
	plain := arrow.NewSchema(fields[:len(fields)-1], nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, plain, strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	last := fields[len(fields)-1]
	var keys arrow.Array
	if dict {
		last.Type = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
		kb := array.NewDictionaryBuilder(memory.DefaultAllocator, last.Type.(*arrow.DictionaryType)).(*array.BinaryDictionaryBuilder)
		for i := range n {
			if r.Float64() < nulls {
				kb.AppendNull()
			} else if err := kb.AppendString(fmt.Sprintf("key %d", (first+i)%5)); err != nil {
				t.Fatal(err)
			}
		}
		keys = kb.NewArray()
	} else {
		kb := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range n {
			kb.Append(fmt.Sprintf("key %d", (first+i)%5))
		}
		keys = kb.NewArray()
	}
	return array.NewRecordBatch(arrow.NewSchema(append(fields[:len(fields)-1:len(fields)-1], last), nil), append(record.Columns(), keys), int64(n))
}

// rowsOf prints every row as text.
func rowsOf(record arrow.RecordBatch) []string {
	out := make([]string, record.NumRows())
	for i := range out {
		var b strings.Builder
		for _, c := range record.Columns() {
			b.WriteString(c.ValueStr(i) + "|")
		}
		out[i] = b.String()
	}
	return out
}

func rowsOfView(v View) []string {
	var all []string
	for _, b := range v.Batches {
		if int(b.FirstOrdinal) != len(all) {
			panic(fmt.Sprintf("batch starts at ordinal %d, %d rows before it", b.FirstOrdinal, len(all)))
		}
		all = append(all, rowsOf(b.Record)...)
	}
	return all
}

func mustCopy(t *testing.T, p *Pool, record arrow.RecordBatch) *Rows {
	t.Helper()
	return mustCopyAs(t, p, testTable, record)
}

func mustCopyAs(t *testing.T, p *Pool, table schema.Table, record arrow.RecordBatch) *Rows {
	t.Helper()
	plan, err := NewPlan(table, record)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Fill(plan)
	if err != nil {
		t.Fatal(err)
	}
	if rows.Bytes() != plan.Bytes() {
		t.Fatalf("planned %d bytes, took %d", plan.Bytes(), rows.Bytes())
	}
	return rows
}

func sameRows(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("row %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestCopyKeepsEveryTypeAtEverySlice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := newPool()
	for _, nulls := range []float64{0, 0.3, 1} {
		for _, dict := range []bool{false, true} {
			whole := randomBatch(t, r, 0, 50, nulls, dict)
			want := rowsOf(whole)
			for _, cut := range [][2]int{{0, 50}, {0, 0}, {1, 2}, {7, 33}, {8, 50}, {49, 50}} {
				rows := mustCopy(t, p, whole.NewSlice(int64(cut[0]), int64(cut[1])))
				sameRows(t, rowsOf(rows.Record()), want[cut[0]:cut[1]])
				for _, c := range rows.Record().Columns() {
					if c.Data().Offset() != 0 {
						t.Fatalf("offset %d in a copy", c.Data().Offset())
					}
				}
				rows.Release()
			}
		}
	}
	if p.Bytes() != 0 {
		t.Fatalf("%d bytes in use after all releases", p.Bytes())
	}
}

func TestADictionaryIsUsedOnlyIfItPays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	p := newPool()
	last := len(testTable.Columns) - 1
	for n, want := range map[int]arrow.Type{50: arrow.DICTIONARY, 10: arrow.DICTIONARY, 9: arrow.STRING, 1: arrow.STRING} {
		rows := mustCopy(t, p, randomBatch(t, r, 0, n, 0, true))
		if got := rows.Record().Column(last).DataType().ID(); got != want {
			t.Errorf("%d rows of 5 values: %s, want %s", n, got, want)
		}
		rows.Release()
	}
}

func TestViewsStayAsTakenWhileSmallBatchesJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := newPool()
	m := New(p, 42, testTable)
	var want []string
	var views []View
	var appended int64
	for i := range 1500 {
		n := 1
		switch {
		case i%97 == 0:
			n = 40
		case i == 700:
			n = 5000
		}
		record := randomBatch(t, r, len(want), n, 0.2, i%2 == 0)
		want = append(want, rowsOf(record)...)
		rows := mustCopy(t, p, record)
		appended += rows.Bytes()
		if err := m.Append(rows); err != nil {
			t.Fatal(err)
		}
		if got := m.View().Rows; i > 0 && got != views[len(views)-1].Rows {
			t.Fatal("rows visible before Publish")
		}
		m.Publish()
		v := m.View()
		if v.Rows != int64(len(want)) || len(v.Batches) > 100 {
			t.Fatalf("%d rows in %d batches, want %d rows in at most 100", v.Rows, len(v.Batches), len(want))
		}
		views = append(views, v)
	}
	for i, v := range views {
		if i%50 == 0 || i == len(views)-1 {
			sameRows(t, rowsOfView(v), want[:v.Rows])
		}
	}
	if m.Bytes() > JoinFactor*appended || m.Bytes() != p.Bytes() {
		t.Fatalf("%d bytes for %d appended, pool says %d", m.Bytes(), appended, p.Bytes())
	}
	m.Release()
	if p.Bytes() != 0 {
		t.Fatalf("%d bytes in use after the last release", p.Bytes())
	}
}

// TestJoiningKeepsItsBoundsForEveryPattern appends batches in patterns of sizes: the worst known
// patterns, and random ones. Neither the memory nor the number of batches may exceed its limit.
func TestJoiningKeepsItsBoundsForEveryPattern(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	p := newPool()
	table := schema.Table{ID: 1, Database: "d", Schema: "main", Name: "n", Version: 1, NextColumnID: 2,
		Columns: []schema.Column{{ID: 1, Name: "i", Type: schema.Of(schema.BigInt)}}}
	for name, size := range map[string]func(i int) int{
		"single rows":         func(int) int { return 1 },
		"sixteenth is larger": func(i int) int { return 1 + i%16/15*15 },
		"large among small":   func(i int) int { return 1 + i%40/39*5000 },
		"falling":             func(i int) int { return 1 << (12 - i%13) },
		"rising":              func(i int) int { return 1 << (i % 13) },
		"random":              func(int) int { return 1 << r.IntN(13) },
	} {
		m := New(p, 1, table)
		appended, done, rows := int64(0), 0, 0
		for i := range 3000 {
			b := array.NewInt64Builder(memory.DefaultAllocator)
			n := size(i)
			for range n {
				b.Append(int64(rows))
				rows++
			}
			if n >= joinBelowRows {
				done++
			}
			copied := mustCopyAs(t, p, table, array.NewRecordBatch(table.Arrow(), []arrow.Array{b.NewArray()}, int64(n)))
			appended += copied.Bytes()
			if err := m.Append(copied); err != nil {
				t.Fatal(err)
			}
			if limit := 45 + 2*done + rows/joinBelowRows + 1; len(m.batches) > limit {
				t.Fatalf("%s: %d batches for %d rows, limit %d", name, len(m.batches), rows, limit)
			}
			if m.Bytes() > JoinFactor*appended {
				t.Fatalf("%s: %d bytes for %d appended", name, m.Bytes(), appended)
			}
		}
		m.Publish()
		next := int64(0)
		for _, b := range m.View().Batches {
			for _, x := range b.Record.Column(0).(*array.Int64).Int64Values() {
				if x != next || int64(b.FirstOrdinal) > next {
					t.Fatalf("%s: value %d at row %d", name, x, next)
				}
				next++
			}
		}
		if next != int64(rows) {
			t.Fatalf("%s: %d rows, want %d", name, next, rows)
		}
		m.Release()
	}
}

func TestMemoryIsFreedByTheLastReferenceAndReused(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	p := newPool()
	var before int64
	for round := range 5 {
		m := New(p, base.RowsetID(round+1), testTable)
		for i := range 20 {
			if err := m.Append(mustCopy(t, p, randomBatch(t, r, i*100, 100, 0, false))); err != nil {
				t.Fatal(err)
			}
		}
		m.Publish()
		m.Retain()
		v := m.View()
		m.Release()
		want := v.Batches[0].Record.Column(1).(*array.Int64).Value(0)
		if want != 0 {
			t.Fatalf("first value is %d", want)
		}
		values := v.Batches[0].Record.Column(1).(*array.Int64)
		m.Release()
		if got := values.Value(0); got == 0 {
			t.Fatal("the memory of a released memtable still reads as rows")
		}
		if round == 0 {
			before = mapped.Shared.Bytes()
		} else if held := mapped.Shared.Bytes(); held > before+2*2<<20 {
			t.Fatalf("round %d holds %d bytes, the first %d: chunks are not reused", round, held, before)
		}
	}
	p.Close()
}

func TestRowsOfAnotherVersionAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	p := newPool()
	older := testTable
	older.Version--
	rows := mustCopyAs(t, p, older, randomBatch(t, r, 0, 3, 0, false))
	if err := New(p, 1, testTable).Append(rows); base.KindOf(err) != base.Internal {
		t.Fatalf("error %v", err)
	}
	rows.Release()
}

func TestReadersSeeWholePrefixesWhileRowsArrive(t *testing.T) {
	p := newPool()
	table := schema.Table{ID: 1, Database: "d", Schema: "main", Name: "n", Version: 1, NextColumnID: 2,
		Columns: []schema.Column{{ID: 1, Name: "i", Type: schema.Of(schema.BigInt)}}}
	m := New(p, 1, table)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				v := m.View()
				next := int64(0)
				for _, b := range v.Batches {
					for _, x := range b.Record.Column(0).(*array.Int64).Int64Values() {
						if x != next {
							t.Errorf("value %d at row %d", x, next)
							return
						}
						next++
					}
				}
				if next != v.Rows {
					t.Errorf("%d rows read of %d", next, v.Rows)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 3000 {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.Append(int64(i))
		rows := mustCopyAs(t, p, table, array.NewRecordBatch(table.Arrow(), []arrow.Array{b.NewArray()}, 1))
		if err := m.Append(rows); err != nil {
			t.Fatal(err)
		}
		m.Publish()
	}
	close(done)
	readers.Wait()
	m.Release()
}

// The counted size of a block with a chunk of its own is almost the size of the chunk.
func TestALargeBlockTakesWhatIsCounted(t *testing.T) {
	// so large that the block does not fit into memory that other tests have put back
	p := NewPool(PoolOptions{ChunkBytes: 64 << 20})
	defer p.Close()
	b, err := p.alloc(32<<20 + 1)
	if err != nil {
		t.Fatal(err)
	}
	if held := len(b.chunk.mem); int64(held) > p.Bytes()*9/8 {
		t.Errorf("%d bytes are held for %d", held, p.Bytes())
	}
	p.release(b)
}
