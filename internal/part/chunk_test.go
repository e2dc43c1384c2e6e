package part

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// pagesOf returns the data pages of a leaf in the first row group of a part.
func pagesOf(t *testing.T, fsys vfs.FS, table schema.Table, leaf int) (all []page) {
	t.Helper()
	err := openPlaces(fsys, "/p", table, func(f io.ReaderAt, p *places) error {
		pages, err := openPages(f, p.groups[0].chunks[leaf], true)
		if err != nil {
			return err
		}
		defer pages.close()
		for {
			switch h, err := pages.header(); {
			case err == io.EOF:
				return nil
			case err != nil:
				return err
			case h.kind == dataPage:
				all = append(all, h)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPagesBeginWhereDuckDBReads writes batches of odd sizes: whatever those are, a page holds a multiple of the rows that DuckDB reads at once,
// and about as many bytes as it is to hold; one of values that are too large for that only the bytes.
func TestPagesBeginWhereDuckDBReads(t *testing.T) {
	const atOnce = 2048 // rows that DuckDB reads
	const wide = 3000   // bytes of a text of which a page holds fewer
	table := tableOf(
		schema.Column{Name: "number", Type: schema.Of(schema.Double)}, schema.Column{Name: "text", Type: schema.Of(schema.Varchar)},
		schema.Column{Name: "wide", Type: schema.Of(schema.Varchar)}, schema.Column{Name: "list", Type: schema.ListOf(schema.Of(schema.Double))})
	rng := rand.New(rand.NewPCG(1, 1))
	builder := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
	var batches []arrow.RecordBatch
	for rows := 0; rows < 40_000; {
		n := 1 + rng.IntN(7000)
		rows += n
		for range n {
			number := builder.Field(0).(*array.Float64Builder)
			if rng.IntN(5) == 0 {
				number.AppendNull()
			} else {
				number.Append(rng.Float64())
			}
			text := func(bytes int) string { return strconv.Itoa(rng.Int()) + strings.Repeat("x", bytes) }
			builder.Field(1).(*array.StringBuilder).Append(text(rng.IntN(50)))
			builder.Field(2).(*array.StringBuilder).Append(text(wide))
			list := builder.Field(3).(*array.ListBuilder)
			list.Append(true)
			for range rng.IntN(9) {
				list.ValueBuilder().(*array.Float64Builder).Append(rng.Float64())
			}
		}
		batches = append(batches, builder.NewRecordBatch())
	}
	fsys := vfs.NewCrashable()
	if _, err := WriteBatches(fsys, "/p", table, batches, Options{Profile: Fast}); err != nil {
		t.Fatal(err)
	}
	for leaf, name := range []string{"number", "text", "wide", "list"} {
		pages := pagesOf(t, fsys, table, leaf)
		if len(pages) < 2 {
			t.Fatalf("column %s: %d pages", name, len(pages))
		}
		for i, p := range pages[:len(pages)-1] {
			if leaf < 2 && p.values%atOnce != 0 {
				t.Errorf("column %s: page %d has %d values", name, i, p.values)
			}
			if p.unpacked < pageBytes/2 || p.unpacked > pageBytes*5/4 {
				t.Errorf("column %s: page %d has %d bytes", name, i, p.unpacked)
			}
		}
	}
}

// TestPagesOfLargeValuesAfterSmallOnesAreBounded begins a page with texts of which many take little room.
func TestPagesOfLargeValuesAfterSmallOnesAreBounded(t *testing.T) {
	table := tableOf(schema.Column{Name: "text", Type: schema.Of(schema.Varchar)})
	rng := rand.New(rand.NewPCG(1, 1))
	batchOf := func(rows, bytes int) arrow.RecordBatch {
		builder := array.NewRecordBuilder(memory.DefaultAllocator, table.Arrow())
		for range rows {
			builder.Field(0).(*array.StringBuilder).Append(strconv.Itoa(rng.IntN(1<<20)) + strings.Repeat("x", bytes))
		}
		return builder.NewRecordBatch()
	}
	fsys := vfs.NewCrashable()
	if _, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{batchOf(14_000, 0), batchOf(4000, 3000)}, Options{Profile: Fast}); err != nil {
		t.Fatal(err)
	}
	for i, p := range pagesOf(t, fsys, table, 0) {
		if p.unpacked > pageBytes*9/4 {
			t.Errorf("page %d has %d bytes", i, p.unpacked)
		}
	}
}
