package part

import (
	"context"
	"errors"
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// fileOf returns a file that Write wrote.
func fileOf(fsys vfs.FS, path string, w Written) *blocks.File {
	return blocks.New(fsys, path, path, w.Bytes, w.Checksum, w.Blocks)
}

func tableOf(columns ...schema.Column) schema.Table {
	for i := range columns {
		columns[i].ID = base.ColumnID(2*i + 1)
	}
	return schema.Table{ID: 7, Database: "d", Schema: "main", Name: "t", Version: 3, NextColumnID: base.ColumnID(2*len(columns) + 1), Columns: columns}
}

// everyType has a column of every storage type, NULLs allowed in all but the first.
func everyType(t testing.TB) schema.Table {
	t.Helper()
	columns := []schema.Column{{Name: "required", Type: schema.Of(schema.BigInt), NotNull: true}}
	for _, text := range []string{
		"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "FLOAT", "DOUBLE",
		"DECIMAL(4,1)", "DECIMAL(9,2)", "DECIMAL(18,3)", "DECIMAL(38,10)", "VARCHAR", "BLOB", "UUID", "DATE", "TIME", "TIMESTAMP_S", "TIMESTAMP",
		"TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "JSON", "ENUM('a', 'b')", "INTEGER[]", "VARCHAR[][]", "DOUBLE[3]",
		"STRUCT(a INTEGER, b VARCHAR)", "STRUCT(s STRUCT(x DOUBLE[], y BOOLEAN))", "MAP(VARCHAR, INTEGER)", "MAP(INTEGER, STRUCT(k DECIMAL(18,3)[]))",
		"STRUCT(u UUID, t TIMESTAMP WITH TIME ZONE)[]",
	} {
		typ, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, schema.Column{Name: fmt.Sprintf("c %d.%s", len(columns), text), Type: typ})
	}
	return tableOf(columns...)
}

// fill appends a random value, or NULL in every fourth row where the type allows it.
func fill(b array.Builder, r *rand.Rand, nullable bool) {
	if nullable && r.IntN(4) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.ListBuilder:
		b.Append(true)
		for range r.IntN(4) {
			fill(b.ValueBuilder(), r, true)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range r.IntN(3) {
			fill(b.KeyBuilder(), r, false)
			fill(b.ItemBuilder(), r, true)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			fill(b.FieldBuilder(i), r, true)
		}
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.StringBuilder:
		b.Append([]string{"", "a", "größer", "日本", strings.Repeat("long", 10)}[r.IntN(5)])
	case *array.BinaryBuilder:
		b.Append([]byte{byte(r.IntN(256)), 0, 255}[:r.IntN(4)])
	case *array.Float32Builder:
		b.Append([]float32{0, float32(math.Copysign(0, -1)), 1.5, float32(math.Inf(1)), -3}[r.IntN(5)])
	case *array.Float64Builder:
		b.Append([]float64{0, math.Copysign(0, -1), 1.5, math.Inf(-1), r.NormFloat64()}[r.IntN(5)])
	case *array.Decimal128Builder:
		text := fmt.Sprint(r.IntN(2000) - 1000)
		if err := b.AppendValueFromString(text); err != nil {
			// The scale leaves fewer digits.
			if err := b.AppendValueFromString("1"); err != nil {
				panic(err)
			}
		}
	case *array.Date32Builder:
		b.Append(arrow.Date32(r.IntN(40000) - 20000))
	case *array.Time64Builder:
		b.Append(arrow.Time64(r.Int64N(86_400_000_000)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(r.Int64N(4e15) - 2e15))
	default:
		text := fmt.Sprint(r.IntN(100))
		if b.Type().ID() == arrow.EXTENSION {
			text = fmt.Sprintf("%08x-0000-4000-8000-%012x", r.Uint32(), r.Uint32())
		}
		if err := b.AppendValueFromString(text); err != nil {
			panic(err)
		}
	}
}

func randomBatch(table schema.Table, rows int, seed uint64) arrow.RecordBatch {
	r := rand.New(rand.NewPCG(seed, 0))
	b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
	defer b.Release()
	for i := range table.Columns {
		for range rows {
			fill(b.Field(i), r, !table.Columns[i].NotNull)
		}
	}
	return b.NewRecordBatch()
}

// dictionaries returns the batch with its VARCHAR columns dictionary-encoded. The dictionaries have
// unused values and another order.
func dictionaries(batch arrow.RecordBatch, seed uint64) arrow.RecordBatch {
	r := rand.New(rand.NewPCG(seed, 1))
	columns := make([]arrow.Array, batch.NumCols())
	fields := append([]arrow.Field(nil), batch.Schema().Fields()...)
	for i := range columns {
		columns[i] = batch.Column(i)
		text, ok := columns[i].(*array.String)
		if !ok {
			continue
		}
		values := array.NewStringBuilder(memory.DefaultAllocator)
		codes := map[string]uint32{}
		add := func(s string) {
			if _, known := codes[s]; !known {
				codes[s] = uint32(len(codes))
				values.Append(s)
			}
		}
		add(fmt.Sprint("~unused", seed))
		for _, j := range r.Perm(text.Len()) {
			if text.IsValid(j) {
				add(text.Value(j))
			}
		}
		indices := array.NewUint32Builder(memory.DefaultAllocator)
		for j := range text.Len() {
			if text.IsNull(j) {
				indices.AppendNull()
			} else {
				indices.Append(codes[text.Value(j)])
			}
		}
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
		columns[i] = array.NewDictionaryArray(typ, indices.NewArray(), values.NewArray())
		fields[i].Type = typ
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, batch.NumRows())
}

// readAll returns the rows of a part as text, one text per row.
func readAll(t testing.TB, fsys vfs.FS, path string, table schema.Table, written Written) []string {
	t.Helper()
	var rows []string
	err := Read(fileOf(fsys, path, written), table, func(b arrow.RecordBatch) error {
		rows = append(rows, texts(b)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func texts(b arrow.RecordBatch) []string {
	rows := make([]string, b.NumRows())
	for i := range rows {
		for j := range int(b.NumCols()) {
			rows[i] += b.Column(j).ValueStr(i) + "|"
		}
	}
	return rows
}

func TestEveryTypeComesBack(t *testing.T) {
	table := everyType(t)
	for _, profile := range []Profile{Fast, Best} {
		for _, asDictionary := range []bool{false, true} {
			fsys := vfs.NewCrashable()
			var batches []arrow.RecordBatch
			var want []string
			for seed := range uint64(3) {
				b := randomBatch(table, 700, seed)
				want = append(want, texts(b.NewSlice(100, 650))...)
				if asDictionary && seed != 1 {
					b = dictionaries(b, seed)
				}
				// so that there are offsets everywhere
				batches = append(batches, b.NewSlice(100, 650))
			}
			written, err := WriteBatches(fsys, "/p", table, batches, Options{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			if written.Rows != int64(len(want)) {
				t.Fatalf("%d rows", written.Rows)
			}
			got := readAll(t, fsys, "/p", table, written)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("row %d is\n%s\nwant\n%s", i, got[i], want[i])
				}
			}
			if err := Verify(context.Background(), fileOf(fsys, "/p", written), table, written); err != nil {
				t.Fatal(err)
			}
			footer, err := summaryOf(fsys, "/p")
			if err != nil {
				t.Fatal(err)
			}
			if footer.Rows != written.Rows || footer.Table != 7 || footer.SchemaVersion != 3 || footer.Columns[1].ID != 3 {
				t.Fatalf("%+v", footer)
			}
			for id, s := range written.Stats {
				if !sameStats(footer.Stats[id], s) {
					t.Errorf("column %d: %+v, footer says %+v", id, s, footer.Stats[id])
				}
			}
		}
	}
}

// summaryOf returns a part's description of itself.
func summaryOf(fsys vfs.FS, path string) (s summary, err error) {
	err = open(blocks.Unchecked(fsys, path), func(_ *file.Reader, found summary) error {
		s = found
		return nil
	})
	return s, err
}

func TestRowGroupsAreFullWhateverTheBatches(t *testing.T) {
	table := tableOf(schema.Column{Name: "i", Type: schema.Of(schema.BigInt)}, schema.Column{Name: "s", Type: schema.Of(schema.Varchar)})
	fsys := vfs.NewCrashable()
	const total = 2*RowGroupRows + 5
	at := 0
	r := rand.New(rand.NewPCG(1, 1))
	written, err := Write(fsys, "/p", table, func() (arrow.RecordBatch, error) {
		if at == total {
			return nil, io.EOF
		}
		b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
		for range min(r.IntN(100_000), total-at) {
			b.Field(0).(*array.Int64Builder).Append(int64(at))
			b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(at % 100))
			at++
		}
		batch := b.NewRecordBatch()
		if r.IntN(2) == 0 {
			return dictionaries(batch, uint64(at)), nil
		}
		return batch, nil
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	footer, err := summaryOf(fsys, "/p")
	if err != nil || footer.RowGroups != 3 || footer.Rows != total || written.Rows != total {
		t.Fatalf("%+v, %v", footer, err)
	}
	for i, row := range readAll(t, fsys, "/p", table, written) {
		if want := fmt.Sprintf("%d|%d|", i, i%100); row != want {
			t.Fatalf("row %d is %s", i, row)
		}
	}
	if s := written.Stats[1]; s.Min != schema.IntValue(0) || s.Max != schema.IntValue(total-1) || s.Nulls != 0 {
		t.Fatalf("%+v", s)
	}
	if s := written.Stats[3]; s.Min != schema.StringValue("0") || s.Max != schema.StringValue("99") {
		t.Fatalf("%+v", s)
	}
}

func TestStatsOfEdgeCases(t *testing.T) {
	table := tableOf(schema.Column{Name: "d", Type: schema.Of(schema.Double)}, schema.Column{Name: "s", Type: schema.Of(schema.Varchar)})
	build := func(numbers []float64, strs []string) arrow.RecordBatch {
		b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
		for i := range numbers {
			b.Field(0).(*array.Float64Builder).Append(numbers[i])
			if strs[i] == "NULL" {
				b.Field(1).AppendNull()
			} else {
				b.Field(1).(*array.StringBuilder).Append(strs[i])
			}
		}
		return b.NewRecordBatch()
	}
	long := strings.Repeat("x", maxBoundBytes+1)
	for _, c := range []struct {
		numbers          []float64
		strs             []string
		dmin, dmax, smin string
		smax             string
		nulls            int64
	}{
		{[]float64{1, math.NaN()}, []string{"NULL", "NULL"}, "f1", "fNaN", "", "", 2},
		{[]float64{math.NaN()}, []string{""}, "fNaN", "fNaN", "s", "s", 0},
		{[]float64{math.Inf(-1), math.Copysign(0, -1)}, []string{"b", "NULL"}, "f-Inf", "f0", "sb", "sb", 1},
		{[]float64{1, 2}, []string{"a", long}, "f1", "f2", "", "", 0},
	} {
		fsys := vfs.NewCrashable()
		batch := build(c.numbers, c.strs)
		for _, b := range []arrow.RecordBatch{batch, dictionaries(batch, 1)} {
			w, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{b}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			d, s := w.Stats[1], w.Stats[3]
			got := fmt.Sprintf("%s %s %s %s %d", d.Min, d.Max, s.Min, s.Max, s.Nulls)
			if want := fmt.Sprintf("%s %s %s %s %d", c.dmin, c.dmax, c.smin, c.smax, c.nulls); got != want {
				t.Errorf("%v %q: got %s, want %s", c.numbers, c.strs, got, want)
			}
			if err := Verify(context.Background(), fileOf(fsys, "/p", w), table, w); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestStatsDoNotDependOnBatches writes texts that are too long for a bound, between others, in
// batches of their own. A part must also be valid if it was written by an earlier version of
// Scoter, which left out the bounds of such batches.
func TestStatsDoNotDependOnBatches(t *testing.T) {
	table := tableOf(schema.Column{Name: "s", Type: schema.Of(schema.Varchar)})
	var batches []arrow.RecordBatch
	for _, texts := range [][]string{{"a", "z"}, {strings.Repeat("m", maxBoundBytes+1)}} {
		b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
		b.Field(0).(*array.StringBuilder).AppendValues(texts, nil)
		batches = append(batches, b.NewRecordBatch())
	}
	fsys := vfs.NewCrashable()
	w, err := WriteBatches(fsys, "/p", table, batches, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := w.Stats[1]; s.Min != schema.StringValue("a") || s.Max != schema.StringValue("z") {
		t.Errorf("min %s, max %s", s.Min, s.Max)
	}
	if err := Verify(context.Background(), fileOf(fsys, "/p", w), table, w); err != nil {
		t.Error(err)
	}
	w.Stats[1] = schema.ColumnStats{}
	if err := Verify(context.Background(), fileOf(fsys, "/p", w), table, w); err != nil {
		t.Error("without bounds:", err)
	}
	w.Stats[1] = schema.ColumnStats{Min: schema.StringValue("a"), Max: schema.StringValue("y")}
	if err := Verify(context.Background(), fileOf(fsys, "/p", w), table, w); base.KindOf(err) != base.Corrupt {
		t.Error("with wrong bounds:", err)
	}
}

func TestNothingToWriteLeavesNoFile(t *testing.T) {
	table := everyType(t)
	fsys := vfs.NewCrashable()
	for _, batches := range [][]arrow.RecordBatch{nil, {randomBatch(table, 0, 1)}} {
		_, err := WriteBatches(fsys, "/p", table, batches, Options{})
		if base.KindOf(err) != base.Invalid {
			t.Fatalf("got %v", err)
		}
		if names, _ := fsys.List("/"); len(names) > 0 {
			t.Fatalf("left %q", names)
		}
	}
}

func TestBatchesThatDoNotFitTheTableAreRefused(t *testing.T) {
	table := everyType(t)
	other := everyType(t)
	other.Columns[2].Type, other.Columns[0].NotNull = schema.Of(schema.Varchar), false
	nulls := everyType(t)
	nulls.Columns[0].NotNull = false
	for name, b := range map[string]arrow.RecordBatch{"type": randomBatch(other, 5, 1), "null": randomBatch(nulls, 50, 1)} {
		_, err := WriteBatches(vfs.NewCrashable(), "/p", table, []arrow.RecordBatch{b}, Options{})
		if base.KindOf(err) != base.Internal || !strings.Contains(err.Error(), "column") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryFailingOperationIsReported(t *testing.T) {
	table := everyType(t)
	batch := randomBatch(table, 200, 1)
	for k := 0; ; k++ {
		disk := vfs.NewCrashable()
		failing := vfs.Failing(disk, vfs.OnIndex(k, nil))
		_, err := WriteBatches(failing, "/p", table, []arrow.RecordBatch{batch}, Options{})
		if failing.Ops() <= k {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		if err == nil {
			t.Fatalf("operation %d failed unnoticed", k)
		}
	}
}

func TestSourceErrorLeavesNoFile(t *testing.T) {
	fsys := vfs.NewCrashable()
	broken := errors.New("broken")
	_, err := Write(fsys, "/p", everyType(t), func() (arrow.RecordBatch, error) { return nil, broken }, Options{})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if names, _ := fsys.List("/"); len(names) > 0 {
		t.Fatalf("left %q", names)
	}
}

func TestDamageIsCorrupt(t *testing.T) {
	table := everyType(t)
	fsys := vfs.NewCrashable()
	written, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{randomBatch(table, 100, 1)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenReadWrite("/p")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		offset := r.Int64N(written.Bytes)
		old := make([]byte, 1)
		if _, err := f.ReadAt(old, offset); err != nil {
			t.Fatal(err)
		}
		f.WriteAt([]byte{old[0] ^ byte(1+r.IntN(255))}, offset)
		if err := Verify(context.Background(), fileOf(fsys, "/p", written), table, written); base.KindOf(err) != base.Corrupt {
			t.Fatalf("byte %d: %v", offset, err)
		}
		// The footer has no checksum of its own. A damaged footer may be read as a different
		// footer, but nothing may panic.
		_, _ = summaryOf(fsys, "/p")
		f.WriteAt(old, offset)
	}
	for _, size := range []int64{0, 3, 8, written.Bytes / 2, written.Bytes - 1} {
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if _, err := summaryOf(fsys, "/p"); base.KindOf(err) != base.Corrupt {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
}

func TestInspectPrintsColumnsAndRowGroups(t *testing.T) {
	table := tableOf(schema.Column{Name: "i", Type: schema.Of(schema.Integer), NotNull: true})
	fsys := vfs.NewCrashable()
	b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
	b.Field(0).(*array.Int32Builder).AppendValues([]int32{3, 1, 2}, nil)
	if _, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{b.NewRecordBatch()}, Options{}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Inspect(fsys, "/p", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"part of table 7 version 3: 3 rows in 1 row groups", `column 1 "i": min i1, max i3, nulls 0`, "INT32"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestWhatTheFirstRowGroupDidNotShowIsWrittenToo(t *testing.T) {
	table := tableOf(schema.Column{Name: "i", Type: schema.Of(schema.BigInt)}, schema.Column{Name: "u", Type: schema.Of(schema.UInteger)},
		schema.Column{Name: "s", Type: schema.Of(schema.Varchar)}, schema.Column{Name: "d", Type: schema.Of(schema.Double)})
	for _, profile := range []Profile{Fast, Best} {
		for _, asDictionary := range []bool{false, true} {
			var batches []arrow.RecordBatch
			var want []string
			for group := range 2 {
				b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
				for i := range RowGroupRows {
					n := int64(i)
					if group == 1 {
						n = []int64{math.MinInt64, math.MaxInt64, 0, -1, 1}[i%5] ^ int64(i)
					}
					b.Field(0).(*array.Int64Builder).Append(n)
					b.Field(1).(*array.Uint32Builder).Append(uint32(n))
					if group == 0 {
						b.Field(2).(*array.StringBuilder).Append(fmt.Sprint(i % 3))
						b.Field(3).(*array.Float64Builder).Append(float64(i % 3))
					} else {
						b.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("a longer text, never twice the same: %d", i))
						b.Field(3).(*array.Float64Builder).Append(math.Sqrt(float64(i)))
					}
				}
				batch := b.NewRecordBatch()
				want = append(want, texts(batch)...)
				if asDictionary {
					batch = dictionaries(batch, uint64(group))
				}
				batches = append(batches, batch)
			}
			fsys := vfs.NewCrashable()
			written, err := WriteBatches(fsys, "/p", table, batches, Options{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			if err := Verify(context.Background(), fileOf(fsys, "/p", written), table, written); err != nil {
				t.Fatal(err)
			}
			for i, row := range readAll(t, fsys, "/p", table, written) {
				if row != want[i] {
					t.Fatalf("row %d is %s, want %s", i, row, want[i])
				}
			}
			if profile == Best {
				var out strings.Builder
				if err := Inspect(fsys, "/p", &out); err != nil {
					t.Fatal(err)
				}
				for _, encoding := range []string{"DELTA_BINARY_PACKED", "RLE_DICTIONARY"} {
					if !strings.Contains(out.String(), encoding) {
						t.Errorf("%s was not tried:\n%s", encoding, out.String())
					}
				}
			}
		}
	}
}

func TestPathsThatCollideStayApart(t *testing.T) {
	table := tableOf(
		schema.Column{Name: "a.b", Type: schema.Of(schema.Varchar)},
		schema.Column{Name: "a", Type: schema.StructOf(schema.Field{Name: "b", Type: schema.Of(schema.BigInt)})},
	)
	batch := randomBatch(table, 5000, 1)
	want := texts(batch)
	fsys := vfs.NewCrashable()
	written, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{dictionaries(batch, 1)}, Options{Profile: Best})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range readAll(t, fsys, "/p", table, written) {
		if row != want[i] {
			t.Fatalf("row %d is %s, want %s", i, row, want[i])
		}
	}
}

func TestNullInADictionaryIsNull(t *testing.T) {
	table := tableOf(schema.Column{Name: "s", Type: schema.Of(schema.Varchar)})
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	values := array.NewStringBuilder(memory.DefaultAllocator)
	values.AppendValues([]string{"x", ""}, []bool{true, false})
	codes := array.NewUint32Builder(memory.DefaultAllocator)
	codes.AppendValues([]uint32{1, 0, 1, 0}, []bool{true, true, true, false})
	column := array.NewDictionaryArray(typ, codes.NewArray(), values.NewArray())
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: typ, Nullable: true}}, nil), []arrow.Array{column}, 4)
	fsys := vfs.NewCrashable()
	written, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{batch}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, fsys, "/p", table, written); fmt.Sprint(got) != "[(null)| x| (null)| (null)|]" || written.Stats[1].Nulls != 3 {
		t.Fatalf("%v, %+v", got, written.Stats[1])
	}
}

func TestBrokenBuffersAreAnErrorAndNoCrash(t *testing.T) {
	table := tableOf(schema.Column{Name: "s", Type: schema.Of(schema.Varchar)})
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}
	codes := array.NewUint32Builder(memory.DefaultAllocator)
	codes.Append(9) // not in the dictionary
	column := array.NewDictionaryArray(typ, codes.NewArray(), array.NewStringBuilder(memory.DefaultAllocator).NewArray())
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: typ, Nullable: true}}, nil), []arrow.Array{column}, 1)
	if _, err := WriteBatches(vfs.NewCrashable(), "/p", table, []arrow.RecordBatch{batch}, Options{}); base.KindOf(err) != base.Internal || err == nil {
		t.Fatal(err)
	}
}
