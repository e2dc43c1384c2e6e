package part

import (
	"context"
	"github.com/scoterdb/scoter/internal/blocks"
	"io"
	"math/rand/v2"
	"slices"
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
	err := openPlaces(blocks.Unchecked(fsys, "/p"), table, func(f io.ReaderAt, p *places) error {
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

// TestPagesBeginWhereDuckDBReads writes batches of odd sizes. Whatever these sizes are, the number
// of rows of a page must be a multiple of the rows that DuckDB reads at once, and a page must have
// about pageBytes bytes. If values are too large for that, a page is limited only by bytes.
func TestPagesBeginWhereDuckDBReads(t *testing.T) {
	const atOnce = 2048 // rows that DuckDB reads at once
	const wide = 3000   // bytes of a text; a page holds fewer than atOnce of these
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

// TestPagesOfLargeValuesAfterSmallOnesAreBounded begins a page with many short texts.
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

// dictionaryOf returns a batch of one column of texts: a dictionary's values in the order of the
// codes.
func dictionaryOf(values []string, codes []uint32) arrow.RecordBatch {
	texts, indices := array.NewStringBuilder(memory.DefaultAllocator), array.NewUint32Builder(memory.DefaultAllocator)
	texts.AppendValues(values, nil)
	indices.AppendValues(codes, nil)
	column := array.NewDictionaryArray(textDictionary, indices.NewArray(), texts.NewArray())
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "text", Type: textDictionary, Nullable: true}}, nil), []arrow.Array{column}, int64(len(codes)))
}

// unequal returns one large value and many short ones. It also returns codes in which each short
// value occurs once, and the large one the given number of times, beginning with row at.
func unequal(large, short, times, at int) (values []string, codes []uint32) {
	values = []string{strings.Repeat("x", large)}
	for i := range short {
		values = append(values, strconv.Itoa(10_000_000+i))
		codes = append(codes, uint32(1+i))
	}
	return values, slices.Insert(codes, at, make([]uint32, times)...)
}

// TestPagesOfUnequalTextsAreBounded writes a dictionary that is too large to be a dictionary in the
// file. It has short texts and a large one that many rows have, at several positions of a page.
func TestPagesOfUnequalTextsAreBounded(t *testing.T) {
	table := tableOf(schema.Column{Name: "text", Type: schema.Of(schema.Varchar)})
	for _, at := range []int{0, 100, 2048, 5000} {
		fsys := vfs.NewCrashable()
		values, codes := unequal(64<<10, 5000, 300, at)
		rec := dictionaryOf(values, codes)
		written, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{rec}, Options{Profile: Fast})
		if err != nil {
			t.Fatal(err)
		}
		pages := pagesOf(t, fsys, table, 0)
		for i, p := range pages {
			if p.unpacked > pageBytes*9/4 {
				t.Errorf("large ones from row %d: page %d has %d bytes", at, i, p.unpacked)
			}
		}
		if len(pages) > 2*300*(64<<10)/pageBytes {
			t.Errorf("large ones from row %d: %d pages", at, len(pages))
		}
		for i, row := range readAll(t, fsys, "/p", table, written) {
			if row != values[codes[i]]+"|" {
				t.Fatalf("row %d is another", i)
			}
		}
	}
}

// TestRowGroupsAreBoundedByBytes writes large rows, with and without a dictionary. No row group may
// have more of them than may be read at once.
func TestRowGroupsAreBoundedByBytes(t *testing.T) {
	const wide, atOnce, batches = 20_000, 1000, 32
	table := tableOf(schema.Column{Name: "id", Type: schema.Of(schema.BigInt)}, schema.Column{Name: "text", Type: schema.Of(schema.Varchar)})
	ids, texts := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	indices := array.NewUint32Builder(memory.DefaultAllocator)
	for i := range atOnce {
		ids.Append(int64(i))
		texts.Append(strconv.Itoa(i) + strings.Repeat(".", wide))
		indices.Append(uint32(i))
	}
	number, text := ids.NewArray(), texts.NewArray()
	for name, text := range map[string]arrow.Array{"texts": text, "dictionary": array.NewDictionaryArray(textDictionary, indices.NewArray(), text)} {
		fields := []arrow.Field{table.Arrow().Field(0), {Name: "text", Type: text.DataType(), Nullable: true}}
		rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{number, text}, atOnce)
		fsys := vfs.NewCrashable()
		written, err := WriteBatches(fsys, "/p", table, slices.Repeat([]arrow.RecordBatch{rec}, batches), Options{})
		if err != nil {
			t.Fatal(err)
		}
		groups, err := Groups(blocks.Unchecked(fsys, "/p"), table)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for i, n := range groups {
			if rows += n; n*wide > GroupBytes+wide*atOnce || i < len(groups)-1 && (n*wide < GroupBytes-wide*vectorRows || n%vectorRows != 0) {
				t.Errorf("%s: row group %d of %d rows", name, i, n)
			}
		}
		if len(groups) < 2 || rows != atOnce*batches {
			t.Errorf("%s: row groups of %d rows", name, groups)
		}
		if err := Verify(context.Background(), fileOf(fsys, "/p", written), table, written); err != nil {
			t.Error(name, err)
		}
		const bytes = 4 << 20
		rows = 0
		err = ReadDictionaries(fileOf(fsys, "/p", written), table, BatchSize{RowGroupRows, bytes}, func(rec arrow.RecordBatch) error {
			if rows += int(rec.NumRows()); name == "texts" && rec.NumRows()*wide > bytes {
				t.Errorf("%d rows at once", rec.NumRows())
			}
			return nil
		})
		if err != nil || rows != atOnce*batches {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
	}
}

// TestRowGroupsOfUnequalTextsAreBoundedByBytes writes dictionaries with few large texts that many
// rows have, and dictionaries with many large texts that few rows have. It also writes rows that
// begin or end with large texts.
func TestRowGroupsOfUnequalTextsAreBoundedByBytes(t *testing.T) {
	table := tableOf(schema.Column{Name: "text", Type: schema.Of(schema.Varchar)})
	const large, short, times = 100_000, 5000, 6000
	// 880 different large texts; the other rows have an empty one.
	messages, seldom := []string{""}, make([]uint32, RowGroupRows)
	for i := range 880 {
		messages, seldom[i] = append(messages, strings.Repeat(strconv.Itoa(100+i), 2000)), uint32(1+i)
	}
	values, first := unequal(large, short, times, 0)
	_, last := unequal(large, short, times, short)
	// short ones twice: repeated texts become a dictionary in the file, too
	first, last = append(first, first[times:]...), append(last[:short:short], last...)
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	for range short {
		texts.Append("short")
	}
	before := array.NewRecordBatch(table.Arrow(), []arrow.Array{texts.NewArray()}, short)
	for name, c := range map[string]struct {
		batches     []arrow.RecordBatch
		least, most int // row groups
	}{
		"most are small":     {[]arrow.RecordBatch{dictionaryOf(messages, seldom)}, 1, 1},
		"large ones first":   {[]arrow.RecordBatch{dictionaryOf(values, first)}, 3, 4},
		"large ones last":    {[]arrow.RecordBatch{dictionaryOf(values, last)}, 3, 4},
		"in between batches": {[]arrow.RecordBatch{before, dictionaryOf(values, first), before}, 3, 4},
	} {
		fsys := vfs.NewCrashable()
		if _, err := WriteBatches(fsys, "/p", table, c.batches, Options{}); err != nil {
			t.Fatal(err)
		}
		groups, err := Groups(blocks.Unchecked(fsys, "/p"), table)
		if err != nil {
			t.Fatal(err)
		}
		if len(groups) < c.least || len(groups) > c.most {
			t.Errorf("%s: row groups of %d rows", name, groups)
		}
		var sizes []int // size of all rows' values by row group
		for _, b := range c.batches {
			for i := range int(b.NumRows()) {
				n := len("short")
				if d, is := b.Column(0).(*array.Dictionary); is {
					n = len(d.Dictionary().(*array.String).Value(d.GetValueIndex(i)))
				}
				sizes = append(sizes, n)
			}
		}
		for i, rows := range groups {
			bytes := 0
			for _, n := range sizes[:rows] {
				bytes += n
			}
			if sizes = sizes[rows:]; bytes > GroupBytes {
				t.Errorf("%s: row group %d has %d bytes", name, i, bytes)
			}
		}
	}
}

// TestADictionaryWithoutValuesIsWritten writes NULLs in the form that Arrow allows for them: codes
// of an empty dictionary without offsets.
func TestADictionaryWithoutValuesIsWritten(t *testing.T) {
	table := tableOf(schema.Column{Name: "text", Type: schema.Of(schema.Varchar)})
	texts := array.NewStringData(array.NewData(arrow.BinaryTypes.String, 0, []*memory.Buffer{nil, memory.NewBufferBytes(nil), nil}, nil, 0, 0))
	codes := array.NewUint32Builder(memory.DefaultAllocator)
	codes.AppendNulls(3)
	text := array.NewDictionaryArray(textDictionary, codes.NewArray(), texts)
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "text", Type: text.DataType(), Nullable: true}}, nil), []arrow.Array{text}, 3)
	fsys := vfs.NewCrashable()
	written, err := WriteBatches(fsys, "/p", table, []arrow.RecordBatch{rec}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(context.Background(), fileOf(fsys, "/p", written), table, written); err != nil {
		t.Error(err)
	}
}
