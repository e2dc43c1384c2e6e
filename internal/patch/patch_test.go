package patch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// model is what a set is compared with: the newest value of each column and row as text, and the
// deleted rows.
type model struct {
	table   schema.Table
	values  map[base.ColumnID]map[uint32]string
	deleted map[uint32]bool
}

func testTable(t *testing.T) schema.Table {
	t.Helper()
	table, err := schema.New(schema.Table{ID: 1, Database: "d", Schema: "main", Name: "t", Columns: []schema.Column{
		{Name: "a", Type: schema.Of(schema.Integer)},
		{Name: "b", Type: schema.Of(schema.Varchar)},
		{Name: "c", Type: schema.ListOf(schema.Of(schema.Double))},
		{Name: "d", Type: schema.DecimalOf(12, 2)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// valuesOf makes an array of a storage type from texts; "" is NULL.
func valuesOf(t *testing.T, dt arrow.DataType, texts []string) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	for _, text := range texts {
		if text == "" {
			b.AppendNull()
		} else if err := b.AppendValueFromString(text); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewArray()
}

func randomText(r *rand.Rand, id base.ColumnID) string {
	if r.IntN(8) == 0 {
		return ""
	}
	switch id {
	case 2:
		return fmt.Sprintf("text %d", r.IntN(50))
	case 3:
		return fmt.Sprintf("[%d,%d]", r.IntN(9), r.IntN(9))
	}
	return fmt.Sprint(r.IntN(1000))
}

const partRows = 400

func (m *model) randomLayer(t *testing.T, r *rand.Rand, seq base.Seq, most int) Layer {
	rows := map[uint32]bool{}
	for range 1 + r.IntN(most) {
		rows[uint32(r.IntN(partRows))] = true
	}
	l := Layer{Rowset: 7, Seq: seq, Version: m.table.Version, Ordinals: slices.Sorted(maps.Keys(rows))}
	var fields []arrow.Field
	var arrays []arrow.Array
	for len(l.Columns) == 0 {
		for _, c := range m.table.Columns {
			if r.IntN(2) == 0 {
				continue
			}
			texts := make([]string, len(l.Ordinals))
			for i, o := range l.Ordinals {
				texts[i] = randomText(r, c.ID)
				if m.values[c.ID] == nil {
					m.values[c.ID] = map[uint32]string{}
				}
				m.values[c.ID][o] = texts[i]
			}
			l.Columns = append(l.Columns, c.ID)
			fields = append(fields, c.Arrow())
			arrays = append(arrays, valuesOf(t, c.Type.Arrow(), texts))
		}
	}
	l.Values = newRecord(fields, arrays)
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	return l
}

func (m *model) randomDeletions(r *rand.Rand) *roaring.Bitmap {
	if r.IntN(3) > 0 {
		return nil
	}
	b := roaring.New()
	for range r.IntN(4) {
		o := uint32(r.IntN(partRows))
		b.Add(o)
		m.deleted[o] = true
	}
	return b
}

func text(t *testing.T, a arrow.Array, i int) string {
	if a.IsNull(i) {
		return ""
	}
	return a.ValueStr(i)
}

// check compares a set with the model.
func (m *model) check(t *testing.T, s *Set) {
	t.Helper()
	if got := s.DeletedRows(); got != int64(len(m.deleted)) {
		t.Fatalf("%d deleted rows, want %d", got, len(m.deleted))
	}
	for o := range m.deleted {
		if !s.Deleted.Contains(o) {
			t.Fatalf("row %d is not deleted", o)
		}
	}
	patched := map[uint32]bool{}
	for _, c := range m.table.Columns {
		got, err := s.Column(c)
		if err != nil {
			t.Fatal(err)
		}
		want := m.values[c.ID]
		if got == nil {
			if len(want) > 0 {
				t.Fatalf("column %s is missing", c.Name)
			}
			continue
		}
		if !arrow.TypeEqual(got.Values.DataType(), c.Type.Arrow()) {
			t.Fatalf("column %s has type %s", c.Name, got.Values.DataType())
		}
		if !slices.Equal(got.Ordinals, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("column %s: rows %v", c.Name, got.Ordinals)
		}
		wanted := make([]string, len(got.Ordinals))
		for i, o := range got.Ordinals {
			patched[o] = true
			wanted[i] = want[o]
		}
		expect := valuesOf(t, c.Type.Arrow(), wanted)
		for i := range wanted {
			if text(t, got.Values, i) != text(t, expect, i) {
				t.Fatalf("column %s row %d: %q, want %q", c.Name, got.Ordinals[i], text(t, got.Values, i), wanted[i])
			}
		}
		if again, _ := s.Column(c); again != got {
			t.Fatal("a column is folded twice")
		}
		m.checkOver(t, s, c)
	}
	if got := s.Patched().ToArray(); !slices.Equal(got, slices.Sorted(maps.Keys(patched))) {
		t.Fatalf("patched rows %v", got)
	}
}

// checkOver compares the result of Over, for rows that were all NULL, with the model.
func (m *model) checkOver(t *testing.T, s *Set, c schema.Column) {
	t.Helper()
	last := slices.Max(slices.Collect(maps.Keys(m.values[c.ID])))
	var rows []uint32
	for row := uint32(0); row <= last+1; row += 2 {
		rows = append(rows, row)
	}
	got, err := s.Over(c, rows, valuesOf(t, c.Type.Arrow(), make([]string, len(rows))))
	if err != nil {
		t.Fatal(err)
	}
	wanted := make([]string, len(rows))
	for i, row := range rows {
		wanted[i] = m.values[c.ID][row]
	}
	expect := valuesOf(t, c.Type.Arrow(), wanted)
	for i, row := range rows {
		if text(t, got, i) != text(t, expect, i) {
			t.Fatalf("column %s row %d over what was written: %q, want %q", c.Name, row, text(t, got, i), wanted[i])
		}
	}
}

func newModel(table schema.Table) *model {
	return &model{table: table, values: map[base.ColumnID]map[uint32]string{}, deleted: map[uint32]bool{}}
}

func TestASetHoldsTheNewestValueOfEachRow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		m, s := newModel(testTable(t)), New(7)
		older := s
		for seq := range base.Seq(1 + r.IntN(80)) {
			most := []int{1, 3, 40, 300}[r.IntN(4)]
			l, deleted := m.randomLayer(t, r, seq+1, most), m.randomDeletions(r)
			next, err := s.With(seq+1, deleted, l)
			if err != nil {
				t.Fatal(err)
			}
			older, s = s, next
			if r.IntN(10) == 0 {
				m.check(t, s)
			}
		}
		m.check(t, s)
		// Writing a set and reading it back gives an equal set.
		layers, err := s.Layers()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range layers {
			if err := l.Check(); err != nil {
				t.Fatal(err)
			}
		}
		again, err := New(7).With(s.Seq, s.Deleted, layers...)
		if err != nil {
			t.Fatal(err)
		}
		m.check(t, again)
		joined, err := older.Join(s)
		if err != nil {
			t.Fatal(err)
		}
		m.check(t, joined)
		if s.Bytes() <= 0 || again.Seq != s.Seq {
			t.Fatalf("%d bytes, seq %d of %d", s.Bytes(), again.Seq, s.Seq)
		}
	}
}

func TestApplyAndLiveGiveTheRowsAsTheyAre(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	table := testTable(t)
	for _, dictionary := range []bool{false, true} {
		m, s := newModel(table), New(7)
		was := map[base.ColumnID][]string{}
		columns := make([]arrow.Array, len(table.Columns))
		fields := table.Arrow().Fields()
		for i, c := range table.Columns {
			for range partRows {
				was[c.ID] = append(was[c.ID], randomText(r, c.ID))
			}
			dt := c.Type.Arrow()
			if dictionary && c.Type.Kind == schema.Varchar {
				dt = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
				fields[i].Type = dt
			}
			columns[i] = valuesOf(t, dt, was[c.ID])
		}
		whole := newRecord(fields, columns)
		for seq := range base.Seq(30) {
			l, deleted := m.randomLayer(t, r, seq+1, 20), m.randomDeletions(r)
			var err error
			if s, err = s.With(seq+1, deleted, l); err != nil {
				t.Fatal(err)
			}
		}
		for from := int64(0); from < partRows; {
			to := min(partRows, from+1+r.Int64N(90))
			got, err := s.Apply(whole.NewSlice(from, to), table, uint32(from))
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range table.Columns {
				want := slices.Clone(was[c.ID][from:to])
				for o, v := range m.values[c.ID] {
					if int64(o) >= from && int64(o) < to {
						want[int64(o)-from] = v
					}
				}
				expect := valuesOf(t, c.Type.Arrow(), want)
				for k := range want {
					if text(t, got.Column(i), k) != text(t, expect, k) {
						t.Fatalf("column %s row %d: %q, want %q", c.Name, from+int64(k), text(t, got.Column(i), k), want[k])
					}
				}
			}
			live, all := s.Live(uint32(from), int(to-from))
			var want []uint32
			for o := from; o < to; o++ {
				if !m.deleted[uint32(o)] {
					want = append(want, uint32(o-from))
				}
			}
			if all != (len(want) == int(to-from)) || !all && !slices.Equal(live, want) {
				t.Fatalf("rows %d to %d: live %v (all: %v), want %v", from, to, live, all, want)
			}
			from = to
		}
	}
}

// TestApplyCostsWhatTheRowsTake applies the texts of many changed rows to a batch of only a few of
// them.
func TestApplyCostsWhatTheRowsTake(t *testing.T) {
	const changed, few = 50_000, 10
	table := testTable(t)
	table.Columns = table.Columns[1:2]
	c := table.Columns[0]
	l := Layer{Rowset: 7, Seq: 1, Version: table.Version, Columns: []base.ColumnID{c.ID}}
	texts := make([]string, changed)
	for i := range texts {
		texts[i] = fmt.Sprintf("a text of row %d, which no other row has", i)
		l.Ordinals = append(l.Ordinals, uint32(i))
	}
	l.Values = newRecord([]arrow.Field{c.Arrow()}, []arrow.Array{valuesOf(t, c.Type.Arrow(), texts)})
	s, err := New(7).With(1, nil, l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Column(c); err != nil {
		t.Fatal(err)
	}
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	rec := newRecord([]arrow.Field{{Name: c.Name, Type: dictionary, Nullable: true}}, []arrow.Array{valuesOf(t, dictionary, make([]string, few))})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := s.Apply(rec, table, changed/2)
	runtime.ReadMemStats(&after)
	if err != nil || text(t, got.Column(0), few-1) != texts[changed/2+few-1] {
		t.Fatal(got, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > changed {
		t.Errorf("%d bytes for %d rows", n, few)
	}
}

func TestValuesFollowTheirColumnsType(t *testing.T) {
	table := testTable(t)
	m, s := newModel(table), New(7)
	r := rand.New(rand.NewPCG(5, 6))
	for seq := range base.Seq(60) {
		if seq == 20 || seq == 40 {
			to := map[base.Seq]schema.Kind{20: schema.BigInt, 40: schema.HugeInt}[seq]
			var err error
			if m.table, err = m.table.ChangeType("a", schema.Of(to)); err != nil {
				t.Fatal(err)
			}
		}
		l := m.randomLayer(t, r, seq+1, 10)
		var err error
		if s, err = s.With(seq+1, nil, l); err != nil {
			t.Fatal(err)
		}
	}
	m.check(t, s)
	layers, err := s.Layers()
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(7).With(s.Seq, nil, layers...)
	if err != nil {
		t.Fatal(err)
	}
	m.check(t, again)
	if s.Version() != m.table.Version {
		t.Fatalf("version %d, want %d", s.Version(), m.table.Version)
	}
}

// A date that is out of range for TIMESTAMP may have been replaced or deleted before the column's
// type was changed to it.
func TestValuesThatAreReplacedOrDeletedNeedNoPlaceInTheColumnsType(t *testing.T) {
	date := schema.Column{ID: 1, Name: "d", Type: schema.Of(schema.Date)}
	layer := func(seq base.Seq, typ schema.Type, value string, rows ...uint32) Layer {
		values := valuesOf(t, typ.Arrow(), slices.Repeat([]string{value}, len(rows)))
		return Layer{Rowset: 7, Seq: seq, Version: uint32(seq), Columns: []base.ColumnID{1}, Ordinals: rows, Values: newRecord([]arrow.Field{fieldOf(1, typ.Arrow())}, []arrow.Array{values})}
	}
	b := array.NewDate32Builder(memory.DefaultAllocator)
	b.AppendValues([]arrow.Date32{110_000_000, 110_000_000, 110_000_000}, nil) // in the year 303144
	first := layer(1, date.Type, "", 3, 5, 8)
	first.Values = newRecord([]arrow.Field{fieldOf(1, date.Type.Arrow())}, []arrow.Array{b.NewArray()})
	s, err := New(7).With(1, nil, first, layer(2, date.Type, "1970-01-02", 5))
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.With(3, roaring.BitmapOf(8), layer(3, schema.Of(schema.Timestamp), "1970-01-03", 3)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Column(schema.Column{ID: 1, Name: "d", Type: schema.Of(schema.Timestamp)})
	if err != nil {
		t.Fatal(err)
	}
	if want := valuesOf(t, schema.Of(schema.Timestamp).Arrow(), []string{"1970-01-03", "1970-01-02"}); !slices.Equal(got.Ordinals, []uint32{3, 5}) || !array.Equal(got.Values, want) {
		t.Errorf("rows %v: %v", got.Ordinals, got.Values)
	}
	if s, err = s.With(4, nil, first); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Column(schema.Column{ID: 1, Name: "d", Type: schema.Of(schema.Timestamp)}); err == nil {
		t.Errorf("a value that is no TIMESTAMP: %v", got.Values)
	}
}

// TestManySmallChangesStayFew checks that the number of runs grows with the logarithm of the number
// of changes.
func TestManySmallChangesStayFew(t *testing.T) {
	s := New(7)
	dt := arrow.PrimitiveTypes.Int32
	for i := range uint32(5000) {
		l := Layer{Rowset: 7, Seq: base.Seq(i + 1), Version: 1, Columns: []base.ColumnID{1}, Ordinals: []uint32{i * 7919 % 100_000},
			Values: newRecord([]arrow.Field{{Name: "a", Type: dt}}, []arrow.Array{valuesOf(t, dt, []string{fmt.Sprint(i)})})}
		var err error
		if s, err = s.With(l.Seq, nil, l); err != nil {
			t.Fatal(err)
		}
		if n := len(s.chains[0].runs); n > 4*foldFanout {
			t.Fatalf("%d runs after %d changes", n, i+1)
		}
	}
	if n := s.Patched().GetCardinality(); n != 5000 {
		t.Fatalf("%d rows", n)
	}
}

func BenchmarkSingleRowChange(b *testing.B) {
	var fields []arrow.Field
	var arrays []arrow.Array
	var columns []base.ColumnID
	for i := range 7 {
		builder := array.NewStringBuilder(memory.DefaultAllocator)
		builder.Append("a value of some length")
		columns = append(columns, base.ColumnID(i+1))
		fields = append(fields, fieldOf(columns[i], arrow.BinaryTypes.String))
		arrays = append(arrays, builder.NewArray())
	}
	values := newRecord(fields, arrays)
	s := New(7)
	b.ReportAllocs()
	for i := range b.N {
		var err error
		s, err = s.With(base.Seq(i+1), nil, Layer{Rowset: 7, Seq: base.Seq(i + 1), Version: 1, Columns: columns, Ordinals: []uint32{uint32(i*7919) % 6_000_000}, Values: values})
		if err != nil {
			b.Fatal(err)
		}
	}
	_ = batch.Bytes(values)
}
