package part

import (
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// picked returns some rows of an array.
func picked(t *testing.T, a arrow.Array, rows []uint32) arrow.Array {
	t.Helper()
	parts := []arrow.Array{array.NewSlice(a, 0, 0)}
	for _, r := range rows {
		parts = append(parts, array.NewSlice(a, int64(r), int64(r)+1))
	}
	out, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func someRows(rng *rand.Rand, n int) []uint32 {
	rows := make([]uint32, rng.IntN(20))
	for i := range rows {
		rows[i] = uint32(rng.IntN(n))
	}
	if rng.IntN(3) == 0 {
		rows = append(rows, 0, uint32(n-1), uint32(n-1))
	}
	slices.Sort(rows)
	return rows
}

func TestRowsThatAreTakenAreThoseOfTheChunk(t *testing.T) {
	// In the file, HUGEINT and INTERVAL are texts; DECIMAL of more than 18 digits and UUID are
	// bytes of a fixed size.
	others := []string{"BOOLEAN", "DECIMAL(38,10)", "UUID"}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, profile := range []Profile{Fast, Best} {
		table := everyType(t)
		slices.Reverse(table.Columns)
		fsys := vfs.NewCrashable()
		some := randomBatch(table, 700, 5)
		if _, err := WriteBatches(fsys, "/p", table, slices.Repeat([]arrow.RecordBatch{some, dictionaries(some, 5)}, 100), Options{Profile: profile}); err != nil {
			t.Fatal(err)
		}
		for i, c := range table.Columns {
			for range 5 {
				rows := someRows(rng, RowGroupRows)
				got, err := TakeRows(blocks.Unchecked(fsys, "/p"), table, 0, c.ID, rows)
				if err != nil {
					t.Fatalf("column %s: %v", c.Name, err)
				}
				if got == nil {
					if _, nested := c.Type.Arrow().(arrow.NestedType); !nested && !slices.Contains(others, c.Type.String()) {
						t.Errorf("column %s is not taken", c.Name)
					}
					continue
				}
				within := make([]uint32, len(rows))
				for k, row := range rows {
					within[k] = row % 700
				}
				if want := picked(t, some.Column(i), within); !array.Equal(got, want) {
					t.Fatalf("column %s, rows %d:\n got %v\nwant %v", c.Name, rows, got, want)
				}
			}
		}
		for name, f := range map[string]func() (arrow.Array, error){
			"a row group that is not there": func() (arrow.Array, error) {
				return TakeRows(blocks.Unchecked(fsys, "/p"), table, 2, table.Columns[0].ID, nil)
			},
			"a column that is not there": func() (arrow.Array, error) { return TakeRows(blocks.Unchecked(fsys, "/p"), table, 0, 999, nil) },
			"rows that do not ascend": func() (arrow.Array, error) {
				return TakeRows(blocks.Unchecked(fsys, "/p"), table, 0, table.Columns[0].ID, []uint32{2, 1})
			},
			"a row that is not there": func() (arrow.Array, error) {
				return TakeRows(blocks.Unchecked(fsys, "/p"), table, 0, table.Columns[len(table.Columns)-1].ID, []uint32{1, RowGroupRows})
			},
		} {
			if _, err := f(); base.KindOf(err) != base.Internal {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Texts and numbers in all forms that a chunk may have: with one page and with several, with and
// without a dictionary, compression and NULLs.
func TestRowsAreTakenFromAnyPage(t *testing.T) {
	const rows = RowGroupRows
	rng := rand.New(rand.NewPCG(2, 2))
	texts := map[string]func(i int) string{
		"few":          func(i int) string { return []string{"", "north", "south-west"}[rng.IntN(3)] },
		"long":         func(i int) string { return strings.Repeat("what is said twice ", 1+i%3) + fmt.Sprint(rng.IntN(1000)) },
		"not packed":   func(i int) string { return fmt.Sprintf("%016x", rng.Uint64()) },
		"of 900 bytes": func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 900) },
	}
	nulls := map[string]func(i int) bool{
		"no":               func(int) bool { return false },
		"a third":          func(int) bool { return rng.IntN(3) == 0 },
		"about one":        func(int) bool { return rng.IntN(rows) == 0 },
		"all but one":      func(i int) bool { return i != 17 },
		"all":              func(int) bool { return true },
		"the first half":   func(i int) bool { return i < rows/2 },
		"every other 5000": func(i int) bool { return i/5000%2 == 0 },
	}
	for name, value := range texts {
		for which, null := range nulls {
			for _, profile := range []Profile{Fast, Best} {
				t.Run(fmt.Sprintf("%s, %s NULL, %d", name, which, profile), func(t *testing.T) {
					table := schema.Table{ID: 1, Version: 1, Columns: []schema.Column{
						{ID: 1, Name: "s", Type: schema.Of(schema.Varchar)}, {ID: 2, Name: "n", Type: schema.Of(schema.BigInt)}, {ID: 3, Name: "d", Type: schema.Of(schema.Double)}}}
					b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
					for i := range rows {
						if null(i) {
							for _, f := range b.Fields() {
								f.AppendNull()
							}
							continue
						}
						text := value(i)
						b.Field(0).(*array.StringBuilder).Append(text)
						b.Field(1).(*array.Int64Builder).Append(int64(len(text))*1e9 + int64(i))
						b.Field(2).(*array.Float64Builder).Append(float64(len(text)) / 4)
					}
					rec := b.NewRecordBatch()
					fsys := vfs.NewCrashable()
					if _, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{rec}, Options{Profile: profile}); err != nil {
						t.Fatal(err)
					}
					for range 20 {
						at := someRows(rng, rows)
						for i, c := range table.Columns {
							got, err := TakeRows(blocks.Unchecked(fsys, "/p"), table, 0, c.ID, at)
							if err != nil {
								t.Fatal(err)
							}
							if want := picked(t, rec.Column(i), at); !array.Equal(got, want) {
								t.Fatalf("column %s, rows %d:\n got %v\nwant %v", c.Name, at, got, want)
							}
						}
					}
				})
			}
		}
	}
}

func TestDamagedPagesAreCorrupt(t *testing.T) {
	table := everyType(t)
	fsys := vfs.NewCrashable()
	if _, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{randomBatch(table, 700, 5)}, Options{Profile: Best}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	refused := 0
	damagedCopies(t, fsys, "/p", rng, func(path string) {
		for range 5 {
			c := table.Columns[rng.IntN(len(table.Columns))]
			if _, err := TakeRows(blocks.Unchecked(fsys, path), table, 0, c.ID, []uint32{0, 350, 699}); err != nil {
				if base.KindOf(err) != base.Corrupt {
					t.Fatalf("column %s: %v", c.Name, err)
				}
				refused++
			}
		}
	})
	if refused == 0 {
		t.Error("no damage was seen")
	}
}
