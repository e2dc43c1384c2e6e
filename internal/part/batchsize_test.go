package part

import (
	"fmt"
	"github.com/scoterdb/scoter/internal/blocks"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// TestBatchesAreBoundedByWhatTheyTakeInMemory reads columns whose size in the file is a fraction of
// their size in memory.
func TestBatchesAreBoundedByWhatTheyTakeInMemory(t *testing.T) {
	const rows, numbers, wide, listed = 20_000, 8, 1000, 2
	for name, c := range map[string]struct {
		columns []schema.Column
		fill    func(b *array.RecordBuilder, row int)
		bytes   int64 // of a row in memory
	}{
		"numbers": {
			slices.Repeat([]schema.Column{{Name: "n", Type: schema.Of(schema.BigInt)}}, numbers),
			func(b *array.RecordBuilder, row int) {
				for i := range numbers {
					b.Field(i).(*array.Int64Builder).Append(int64(row % 4))
				}
			}, 8 * numbers,
		},
		"texts in lists": {
			[]schema.Column{{Name: "l", Type: schema.ListOf(schema.Of(schema.Varchar))}},
			func(b *array.RecordBuilder, row int) {
				list := b.Field(0).(*array.ListBuilder)
				list.Append(true)
				for i := range listed {
					list.ValueBuilder().(*array.StringBuilder).Append(strings.Repeat(fmt.Sprint((row+i)%10), wide))
				}
			}, listed * wide,
		},
	} {
		for i := range c.columns {
			c.columns[i].Name += fmt.Sprint(i)
		}
		table := tableOf(c.columns...)
		b := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
		for row := range rows {
			c.fill(b, row)
		}
		fsys := vfs.NewCrashable()
		written, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{b.NewRecordBatch()}, Options{Profile: Best})
		if err != nil {
			t.Fatal(err)
		}
		if 10*written.Bytes > rows*c.bytes {
			t.Fatalf("%s: %d bytes in the file", name, written.Bytes)
		}
		const most = 1000
		got := int64(0)
		err = ReadDictionaries(fileOf(fsys, "/p", written), table, BatchSize{RowGroupRows, most * c.bytes}, func(rec arrow.RecordBatch) error {
			if got += rec.NumRows(); rec.NumRows() > most*11/10 {
				t.Errorf("%s: %d rows at once", name, rec.NumRows())
			}
			return nil
		})
		if err != nil || got != rows {
			t.Errorf("%s: %d rows, %v", name, got, err)
		}
	}
}

// TestBatchesOfLargeTextsThatRepeatAreNoLargerThanRowGroups has texts that take hardly any space in
// the file. Their size in memory follows from the size of the row groups.
func TestBatchesOfLargeTextsThatRepeatAreNoLargerThanRowGroups(t *testing.T) {
	table := tableOf(schema.Column{Name: "text", Type: schema.Of(schema.Varchar)})
	values, codes := unequal(100_000, 5000, 20_000, 0)
	fsys := vfs.NewCrashable()
	if _, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{dictionaryOf(values, append(codes, codes[20_000:]...))}, Options{}); err != nil {
		t.Fatal(err)
	}
	size := BatchSize{RowGroupRows, GroupBytes}
	if rows, err := size.of(blocks.Unchecked(fsys, "/p"), table, false); err != nil || rows*100_000 > GroupBytes {
		t.Errorf("%d rows, %v", rows, err)
	}
	if rows, err := size.of(blocks.Unchecked(fsys, "/p"), table, true); err != nil || rows != int64(len(codes))+5000 {
		t.Errorf("%d rows as dictionaries, %v", rows, err)
	}
}
