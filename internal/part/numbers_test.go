package part

import (
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// numberKinds are the types that Numbers reads, with their least and greatest value.
var numberKinds = map[schema.Kind]NumberBounds{
	schema.TinyInt: {math.MinInt8, math.MaxInt8}, schema.SmallInt: {math.MinInt16, math.MaxInt16}, schema.Integer: {math.MinInt32, math.MaxInt32},
	schema.BigInt: {math.MinInt64, math.MaxInt64}, schema.UTinyInt: {0, math.MaxUint8}, schema.USmallInt: {0, math.MaxUint16}, schema.UInteger: {0, math.MaxUint32},
}

// numberShapes make values within bounds that are stored as deltas, as a dictionary, and plain.
var numberShapes = map[string]func(rng *rand.Rand, b NumberBounds, i int) int64{
	"ascending": func(_ *rand.Rand, b NumberBounds, i int) int64 { return min(b.Max-1, b.Min+int64(i/3)) },
	"repeated": func(rng *rand.Rand, b NumberBounds, _ int) int64 {
		return []int64{b.Min, b.Max, 7, 8, 100}[rng.IntN(5)]
	},
	"one": func(_ *rand.Rand, b NumberBounds, _ int) int64 { return b.Max },
	"any": func(rng *rand.Rand, b NumberBounds, _ int) int64 {
		if b.Min == math.MinInt64 {
			return int64(rng.Uint64())
		}
		return b.Min + rng.Int64N(b.Max-b.Min+1)
	},
}

func valuesOf(n Integers) (out []int64) {
	for i := range n.Len() {
		out = append(out, n.At(i))
	}
	return out
}

func TestNumbersAreReadAsTheyWereWritten(t *testing.T) {
	const rows = RowGroupRows + 5001
	var stored []string
	for kind, bounds := range numberKinds {
		for shape, value := range numberShapes {
			for _, optional := range []bool{true, false} {
				for _, profile := range []Profile{Fast, Best} {
					t.Run(fmt.Sprintf("%s %s %t %d", kind, shape, optional, profile), func(t *testing.T) {
						rng := rand.New(rand.NewPCG(1, 2))
						table := schema.Table{ID: 1, Version: 1, Columns: []schema.Column{{ID: 3, Name: "s", Type: schema.Of(schema.Varchar)}, {ID: 1, Name: "n", Type: schema.Of(kind), NotNull: !optional}}}
						b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
						want := make([]int64, rows)
						for i := range want {
							want[i] = value(rng, bounds, i)
							if err := b.Field(1).AppendValueFromString(strconv.FormatInt(want[i], 10)); err != nil {
								t.Fatal(err)
							}
							b.Field(0).(*array.StringBuilder).Append("x")
						}
						fsys := vfs.NewCrashable()
						if _, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{b.NewRecordBatch()}, Options{Profile: profile}); err != nil {
							t.Fatal(err)
						}
						n, ok, err := OpenNumbers(blocks.Unchecked(fsys, "/p"), table, []base.ColumnID{1})
						if err != nil || !ok {
							t.Fatal(ok, err)
						}
						if err := open(blocks.Unchecked(fsys, "/p"), func(r *file.Reader, _ summary) error {
							chunk, err := r.MetaData().RowGroup(0).ColumnChunk(1)
							stored = append(stored, fmt.Sprint(chunk.Encodings()[0], chunk.Compression()))
							return err
						}); err != nil {
							t.Fatal(err)
						}
						for g, want := range [][]int64{want[:RowGroupRows], want[RowGroupRows:]} {
							got, err := n.Read(g)
							if err != nil || !slices.Equal(valuesOf(got[0]), want) || got[0].Ascending != slices.IsSorted(want) {
								t.Fatalf("group %d: other values, %v", g, err)
							}
							if is := n.Groups[g].Bounds[0]; is != (NumberBounds{slices.Min(want), slices.Max(want)}) || n.Groups[g].Rows != len(want) {
								t.Errorf("group %d: %+v", g, n.Groups[g])
							}
							for _, value := range []int64{want[0], want[len(want)/2], want[len(want)-1], want[0] + 1} {
								var rows []uint32
								for i, v := range want {
									if v == value {
										rows = append(rows, uint32(i))
									}
								}
								if found, err := n.Find(g, []int64{value}); err != nil || !slices.Equal(found, rows) {
									t.Errorf("group %d: %d rows with %d, want %d, %v", g, len(found), value, len(rows), err)
								}
							}
						}
					})
				}
			}
		}
	}
	for _, want := range []string{"DELTA_BINARY_PACKED UNCOMPRESSED", "RLE_DICTIONARY UNCOMPRESSED", "PLAIN UNCOMPRESSED"} {
		if !slices.Contains(stored, want) {
			slices.Sort(stored)
			t.Errorf("none is stored as %s: %v", want, slices.Compact(stored))
		}
	}
}

func TestNumbersOfOtherColumnsAndOfDamagedFilesAreRefused(t *testing.T) {
	table := everyType(t)
	fsys := vfs.NewCrashable()
	if _, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{randomBatch(table, 700, 5)}, Options{Profile: Best}); err != nil {
		t.Fatal(err)
	}
	for _, c := range table.Columns {
		if _, ok, err := OpenNumbers(blocks.Unchecked(fsys, "/p"), table, []base.ColumnID{c.ID}); ok != c.NotNull || err != nil {
			t.Errorf("column %s with NULLs or of another type: %t %v", c.Name, ok, err)
		}
	}
	if _, _, err := OpenNumbers(blocks.Unchecked(fsys, "/p"), table, []base.ColumnID{999}); base.KindOf(err) != base.Internal {
		t.Errorf("a column that is not there: %v", err)
	}

	table = schema.Table{ID: 1, Version: 1, Columns: []schema.Column{{ID: 1, Name: "a", Type: schema.Of(schema.BigInt)}, {ID: 2, Name: "b", Type: schema.Of(schema.Integer)}}}
	b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		b.Field(0).(*array.Int64Builder).Append(int64(i) * 1000)
		b.Field(1).(*array.Int32Builder).Append([]int32{5, 1 << 30, -9}[rng.IntN(3)])
	}
	if _, err := WriteBatches(fsys, "/q", table, []arrow.RecordBatch{b.NewRecordBatch()}, Options{Profile: Fast}); err != nil {
		t.Fatal(err)
	}
	n, ok, err := OpenNumbers(blocks.Unchecked(fsys, "/q"), table, []base.ColumnID{2, 1})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, row := range []uint32{17, 2999} {
		got, err := n.Read(0)
		if err != nil {
			t.Fatal(err)
		}
		b := got[0].At(int(row))
		if found, err := n.Find(0, []int64{b, int64(row) * 1000}); err != nil || !slices.Equal(found, []uint32{row}) {
			t.Errorf("row %d: found %d, %v", row, found, err)
		}
		if found, err := n.Find(0, []int64{b + 1, int64(row) * 1000}); err != nil || len(found) > 0 {
			t.Errorf("row %d: found %d, %v", row, found, err)
		}
	}
	if got, err := n.Read(0); err != nil || len(got) != 2 || got[1].At(2999) != 2_999_000 || got[0].At(0)*got[0].At(1) == 0 {
		t.Errorf("%v", err)
	}
	damagedCopies(t, fsys, "/q", rng, func(path string) { // no damage may end the process
		other := *n
		other.file = blocks.Unchecked(fsys, path)
		if _, err := other.Read(0); err != nil && base.KindOf(err) != base.Corrupt {
			t.Errorf("%v", err)
		}
		if _, err := other.Find(0, []int64{5, 2_000_000}); err != nil && base.KindOf(err) != base.Corrupt {
			t.Errorf("%v", err)
		}
		if _, _, err := OpenNumbers(blocks.Unchecked(fsys, path), table, []base.ColumnID{2, 1}); err != nil && base.KindOf(err) != base.Corrupt {
			t.Errorf("%v", err)
		}
	})
}

// damagedCopies calls f with 3,000 copies of a file in which up to four bytes differ.
func damagedCopies(t *testing.T, fsys vfs.FS, path string, rng *rand.Rand, f func(path string)) {
	t.Helper()
	intact, err := vfs.ReadFile(fsys, path, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		damaged := slices.Clone(intact)
		for range 1 + rng.IntN(4) {
			damaged[rng.IntN(len(damaged))] ^= byte(1 + rng.IntN(255))
		}
		if err := vfs.WriteFile(fsys, "/damaged", func(w io.Writer) error {
			_, err := w.Write(damaged)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		f("/damaged")
	}
}

// TestDeltasThatAreLeftOut checks that values after skipped ones are the same as when all are
// unpacked, for all widths of deltas.
func TestDeltasThatAreLeftOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for width := range 65 {
		for _, n := range []int{1, 2, 33, 40, 500} {
			values := []int64{int64(rng.Uint64())}
			for range n - 1 {
				delta := uint64(0)
				if width > 0 {
					delta = rng.Uint64() >> (64 - width)
					if rng.IntN(8) == 0 {
						delta = 1<<width - 1
					}
				}
				values = append(values, values[len(values)-1]+int64(delta))
			}
			packed := appendDeltas(nil, values)
			for range 5 {
				want := rng.IntN(n)
				d, err := deltasOf(packed, n)
				if err != nil {
					t.Fatal(err)
				}
				at := d.pass(func(passed int, last int64) bool {
					if last != values[passed-1] {
						t.Fatalf("%d bits: value %d of %d is %d, want %d", width, passed-1, n, last, values[passed-1])
					}
					return want < passed
				})
				if got := d.next(); got[want-at] != values[want] {
					t.Fatalf("%d bits: value %d of %d is %d, want %d", width, want, n, got[want-at], values[want])
				}
			}
		}
	}
}
