package part

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// sequences are functions that return the n-th number of a column. Encodings treat the sequences
// differently.
var sequences = []func(r *rand.Rand, n int) int64{
	func(*rand.Rand, int) int64 { return 7 },
	func(_ *rand.Rand, n int) int64 { return int64(n) },
	func(r *rand.Rand, n int) int64 { return int64(n) * r.Int64N(1000) },
	func(r *rand.Rand, _ int) int64 { return r.Int64N(3) },
	func(r *rand.Rand, n int) int64 { return int64(n / (1 + r.IntN(40))) },
	func(r *rand.Rand, n int) int64 { return int64(n / 29 % 5) },
	func(r *rand.Rand, _ int) int64 { return r.Int64N(2000) << r.IntN(50) },
	func(r *rand.Rand, _ int) int64 { return int64(r.Uint64()) },
	func(r *rand.Rand, _ int) int64 { return []int64{math.MinInt64, math.MaxInt64, 0}[r.IntN(3)] },
}

// tableOfTypes returns a table with a column of each of some types.
func tableOfTypes(t *testing.T, types []string) schema.Table {
	t.Helper()
	var columns []schema.Column
	for i, text := range types {
		typ, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, schema.Column{Name: fmt.Sprint("c", i), Type: typ})
	}
	return tableOf(columns...)
}

// TestEncodingsOfManyPagesComeBack writes columns with several pages and row groups, with numbers
// of every sequence, with and without NULLs, and reads them back.
func TestEncodingsOfManyPagesComeBack(t *testing.T) {
	types := []string{"INTEGER", "BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "SMALLINT", "DECIMAL(9,2)", "DECIMAL(38,2)", "INTEGER[]", "STRUCT(a BIGINT, b VARCHAR[])", "VARCHAR[][]"}
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 7))
		table := tableOfTypes(t, types)
		rows := []int{1, 7, 8, 9, 1000, 129}[r.IntN(6)]
		if seed%12 == 0 {
			rows = RowGroupRows + 77
		}
		var batches []arrow.RecordBatch
		for range 2 {
			var arrays []arrow.Array
			for _, f := range table.Arrow().Fields() {
				b := array.NewBuilder(memory.DefaultAllocator, f.Type)
				next, nulls := sequences[r.IntN(len(sequences))], []int{0, 0, 2, 1000}[r.IntN(4)]
				for n := range rows {
					if nulls > 0 && r.IntN(nulls) == 0 {
						b.AppendNull()
					} else {
						appendNumber(b, r, next, n)
					}
				}
				arrays = append(arrays, b.NewArray())
			}
			batches = append(batches, array.NewRecordBatch(table.Arrow(), arrays, int64(rows)))
		}
		fsys := vfs.NewCrashable()
		written, err := WriteBatches(fsys, "/p", table, batches, Options{Profile: Profile(seed % 2)})
		if err != nil {
			t.Fatal(err)
		}
		most := []int64{10, 1000, 50_000}[r.IntN(3)]
		for how, read := range map[string]func(rows func(arrow.RecordBatch) error) error{
			"whole row groups": func(rows func(arrow.RecordBatch) error) error { return Read(fileOf(fsys, "/p", written), table, rows) },
			fmt.Sprintf("dictionaries of at most %d rows", most): func(rows func(arrow.RecordBatch) error) error {
				return ReadDictionaries(fileOf(fsys, "/p", written), table, BatchSize{most, GroupBytes}, func(b arrow.RecordBatch) error {
					if b.NumRows() > most {
						t.Errorf("seed %d: %d rows at once, at most %d were asked for", seed, b.NumRows(), most)
					}
					return rows(b)
				})
			},
		} {
			var got []arrow.RecordBatch
			if err := read(func(b arrow.RecordBatch) error {
				b.Retain()
				got = append(got, b)
				return nil
			}); err != nil {
				t.Fatal("seed", seed, how, err)
			}
			for i, text := range types {
				if a, b := whole(t, batches, i), whole(t, got, i); !array.Equal(a, b) {
					t.Errorf("seed %d, %s: %s differs", seed, how, text)
				}
			}
		}
	}
}

func whole(t *testing.T, batches []arrow.RecordBatch, column int) arrow.Array {
	t.Helper()
	var chunks []arrow.Array
	for _, b := range batches {
		chunks = append(chunks, undictionary(b.Column(column)))
	}
	a, err := array.Concatenate(chunks, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// undictionary returns a column without its dictionary, if it has one.
func undictionary(a arrow.Array) arrow.Array {
	d, ok := a.(*array.Dictionary)
	if !ok {
		return a
	}
	values, b := d.Dictionary().(*array.String), array.NewStringBuilder(memory.DefaultAllocator)
	for i := range d.Len() {
		if d.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(values.Value(d.GetValueIndex(i)))
		}
	}
	return b.NewArray()
}

// appendNumber appends a value that represents a number.
func appendNumber(to array.Builder, r *rand.Rand, next func(*rand.Rand, int) int64, n int) {
	v := next(r, n)
	switch b := to.(type) {
	case *array.BooleanBuilder:
		b.Append(v&1 == 0)
	case *array.StringBuilder:
		b.Append(fmt.Sprint("text ", v))
	case *array.Float64Builder:
		b.Append(float64(v) / 3)
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(v)
	case *array.ListBuilder:
		b.Append(true)
		for i := range r.IntN(3) {
			appendNumber(b.ValueBuilder(), r, next, n+i)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			if r.IntN(5) == 0 {
				b.FieldBuilder(i).AppendNull()
			} else {
				appendNumber(b.FieldBuilder(i), r, next, n)
			}
		}
	default:
		if err := to.AppendValueFromString(map[bool]string{true: "1.5", false: "-2.25"}[v&1 == 0]); err != nil {
			to.AppendNull()
		}
	}
}

func TestZstdIsForWhatItMakesMuchSmallerThanLZ4(t *testing.T) {
	words := strings.Fields("quickly final requests above the carefully ironic deposits sleep furiously packages even accounts blithely regular pending express instructions")
	for want, value := range map[compress.Compression]func(rng *rand.Rand) string{
		compress.Codecs.Lz4Raw: func(rng *rand.Rand) string { // like comments
			text := ""
			for range 5 {
				text += words[rng.IntN(len(words))] + " "
			}
			return text
		},
		// nothing repeats, but letters need few bits
		compress.Codecs.Zstd: func(rng *rand.Rand) string {
			return strconv.FormatUint(1e18+rng.Uint64N(1e18), 10)
		},
		compress.Codecs.Uncompressed: func(rng *rand.Rand) string {
			text := make([]rune, 20)
			for i := range text {
				text[i] = rune(rng.IntN(0x800))
			}
			return string(text)
		},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for range 20_000 {
			b.Append(value(rng))
		}
		c := newColumn([]arrow.Array{b.NewArray()})
		if how := choose(leafPath{typ: arrow.BinaryTypes.String}, c, Best); how.codec != want || how.dictionary {
			t.Errorf("%s is stored as %+v", want, how)
		}
		if how := choose(leafPath{typ: arrow.BinaryTypes.String}, c, Fast); how.codec == compress.Codecs.Zstd {
			t.Errorf("%s is stored as %+v in a hurry", want, how)
		}
	}
}

// TestRowGroupsWithoutValuesDecideNothing writes row groups that have only NULLs before, between
// and after other row groups. The columns are flat and nested, with and without dictionaries. The
// other row groups must be stored as if these were not there, and the footer must say how.
func TestRowGroupsWithoutValuesDecideNothing(t *testing.T) {
	types := []string{"VARCHAR", "BIGINT", "DOUBLE", "VARCHAR[]", "STRUCT(a BIGINT, b VARCHAR)"}
	table := tableOfTypes(t, types)
	group := func(values bool) arrow.RecordBatch {
		r := rand.New(rand.NewPCG(1, 2))
		var arrays []arrow.Array
		for i, f := range table.Arrow().Fields() {
			b := array.NewBuilder(memory.DefaultAllocator, f.Type)
			for n := range RowGroupRows {
				switch {
				case !values:
					b.AppendNull()
				case i == 1:
					b.(*array.Int64Builder).Append(1e12 + int64(n))
				default:
					appendNumber(b, r, func(r *rand.Rand, _ int) int64 { return r.Int64N(4) }, n)
				}
			}
			arrays = append(arrays, b.NewArray())
		}
		return array.NewRecordBatch(table.Arrow(), arrays, RowGroupRows)
	}
	some, none := group(true), group(false)
	stored := func(profile Profile, batches ...arrow.RecordBatch) (groups [][]string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "p")
		written, err := WriteBatches(vfs.OS, path, table, batches, Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		var got []arrow.RecordBatch
		if err := Read(fileOf(vfs.OS, path, written), table, func(b arrow.RecordBatch) error {
			b.Retain()
			got = append(got, b)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for i := range table.Columns {
			if a, b := whole(t, batches, i), whole(t, got, i); !array.Equal(a, b) {
				t.Errorf("%s differs", types[i])
			}
		}
		f, err := file.OpenParquetFile(path, false)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for g := range f.NumRowGroups() {
			var how []string
			for i := range f.MetaData().Schema.NumColumns() {
				chunk, err := f.MetaData().RowGroup(g).ColumnChunk(i)
				if err != nil {
					t.Fatal(err)
				}
				how = append(how, fmt.Sprint(chunk.Encodings(), chunk.HasDictionaryPage(), chunk.Compression()))
			}
			groups = append(groups, how)
		}
		return groups
	}
	for _, profile := range []Profile{Fast, Best} {
		want := stored(profile, some)[0]
		if !strings.Contains(want[0], "RLE_DICT") || !strings.Contains(want[1], "DELTA_BINARY_PACKED") || !strings.Contains(want[3], "RLE_DICT") {
			t.Fatalf("stored as %q", want)
		}
		coded := dictionaries(some, 1)
		for _, c := range []struct {
			want    []string
			batches []arrow.RecordBatch
		}{
			{want, []arrow.RecordBatch{none, some}}, {want, []arrow.RecordBatch{some, none, some}}, {want, []arrow.RecordBatch{none, none, some, none, some}},
			{stored(profile, coded)[0], []arrow.RecordBatch{dictionaries(none, 2), coded, dictionaries(none, 3), some}},
		} {
			for g, how := range stored(profile, c.batches...) {
				if c.batches[g].Column(0).NullN() == 0 && !slices.Equal(how, c.want) {
					t.Errorf("profile %d, row group %d of %d: stored as %q, want %q", profile, g, len(c.batches), how, c.want)
				}
			}
		}
	}
}
