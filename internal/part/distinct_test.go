package part

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestNumbersGetADictionaryWhereFewDiffer writes three row groups of doubles: two with few distinct
// values, and one with only distinct values. The values that are read back are equal bit by bit,
// including NaN and negative zero.
func TestNumbersGetADictionaryWhereFewDiffer(t *testing.T) {
	table := tableOf(schema.Column{Name: "x", Type: schema.Of(schema.Double)})
	r := rand.New(rand.NewPCG(1, 2))
	few := append([]float64{math.Copysign(0, -1), 0, math.NaN(), math.Float64frombits(0x7ff8000000000123), math.Inf(1)}, make([]float64, 5000)...)
	for i := range 5000 {
		few[5+i] = float64(i) / 100
	}
	var values []float64
	for range 2 * RowGroupRows {
		values = append(values, few[r.IntN(len(few))])
	}
	for range RowGroupRows {
		values = append(values, r.Float64())
	}
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	batch := array.NewRecordBatch(table.Arrow(), []arrow.Array{b.NewArray()}, int64(len(values)))
	for _, profile := range []Profile{Fast, Best} {
		path := filepath.Join(t.TempDir(), "p")
		written, err := WriteBatches(vfs.OS, path, table, []arrow.RecordBatch{batch}, Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		f, err := file.OpenParquetFile(path, false)
		if err != nil {
			t.Fatal(err)
		}
		for group := range 3 {
			chunk, err := f.MetaData().RowGroup(group).ColumnChunk(0)
			if err != nil {
				t.Fatal(err)
			}
			want := group < 2
			if got := slices.Contains(chunk.Encodings(), parquet.Encodings.RLEDict); got != want || chunk.HasDictionaryPage() != want {
				t.Errorf("profile %d, row group %d: a dictionary: %v, %v", profile, group, got, chunk.HasDictionaryPage())
			}
			if codec := chunk.Compression(); codec != compress.Codecs.Uncompressed {
				t.Errorf("profile %d, row group %d: %s, which does not pay", profile, group, codec)
			}
			if perValue := float64(chunk.TotalCompressedSize()) / RowGroupRows; want && perValue > 2.1 {
				t.Errorf("profile %d, row group %d: %.2f bytes a value, 13 bits and the dictionary expected", profile, group, perValue)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		at := 0
		if err := Read(fileOf(vfs.OS, path, written), table, func(b arrow.RecordBatch) error {
			for _, v := range b.Column(0).(*array.Float64).Float64Values() {
				if math.Float64bits(v) != math.Float64bits(values[at]) {
					t.Fatalf("profile %d: value %d is %v, not %v", profile, at, v, values[at])
				}
				at++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if at != len(values) {
			t.Errorf("profile %d: %d values", profile, at)
		}
	}
}

func TestHowManyDifferIsEstimatedFromASample(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, among := range []int{1, 10, 1000, 10_000, 20_000} {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for range sampleRuns * sampleRunLength {
			b.Append(r.Int64N(int64(among)))
		}
		s := countDistinct([]arrow.Array{b.NewArray()}, 8)
		if got, ok := s.among(1e9); !ok || got < 0.9*float64(among) || got > 1.1*float64(among) {
			t.Errorf("of %d: %.0f, %v", among, got, ok)
		}
		if got, _ := s.among(float64(among)); got > 0.7*float64(among)+1 {
			t.Errorf("of %d draws from as many %.0f are said to differ; about 63%% do", among, got)
		}
	}
	all := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range 4096 {
		all.Append(int64(i))
	}
	if got, ok := countDistinct([]arrow.Array{all.NewArray()}, 8).among(1e6); ok {
		t.Errorf("%.0f, of values that never repeat", got)
	}
}

// TestTextsWithNULLsAreReadAcrossRowGroups writes texts, a third of them NULL, in row groups whose
// dictionaries have different orders. It reads them in batches that span row groups: each row has
// the text with which it was written.
func TestTextsWithNULLsAreReadAcrossRowGroups(t *testing.T) {
	table := tableOf(schema.Column{Name: "x", Type: schema.Of(schema.Varchar)})
	r := rand.New(rand.NewPCG(3, 4))
	const rows = 2*RowGroupRows + 100
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for range rows {
		if r.IntN(3) == 0 {
			b.AppendNull()
		} else {
			b.Append(fmt.Sprint("text ", r.IntN(5)))
		}
	}
	want := b.NewStringArray()
	batch := array.NewRecordBatch(table.Arrow(), []arrow.Array{want}, rows)
	for _, profile := range []Profile{Fast, Best} {
		path := filepath.Join(t.TempDir(), "p")
		written, err := WriteBatches(vfs.OS, path, table, []arrow.RecordBatch{batch}, Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		if written.Bytes > rows {
			t.Errorf("profile %d: %d bytes for %d rows of one of five texts: no dictionary", profile, written.Bytes, rows)
		}
		at := 0
		if err := ReadDictionaries(fileOf(vfs.OS, path, written), table, BatchSize{1000, GroupBytes}, func(b arrow.RecordBatch) error {
			d, ok := b.Column(0).(*array.Dictionary)
			if !ok {
				t.Fatalf("profile %d: %s", profile, b.Column(0).DataType())
			}
			values := d.Dictionary().(*array.String)
			for i := range d.Len() {
				if d.IsNull(i) != want.IsNull(at) || d.IsValid(i) && values.Value(d.GetValueIndex(i)) != want.Value(at) {
					t.Fatalf("profile %d: row %d is not %s", profile, at, want.ValueStr(at))
				}
				at++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if at != rows {
			t.Fatalf("profile %d: %d rows of %d", profile, at, rows)
		}
	}
}
