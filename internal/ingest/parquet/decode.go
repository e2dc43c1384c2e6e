// Package parquet decodes Parquet files.
//
// Nothing in a body is trusted. Positions and sizes in the footer are checked against the body's
// size, an allocator bounds memory, and ingest.Validate checks batches before their values are
// read. Panics of arrow-go on broken data are recovered and become base.Invalid errors.
//
// arrow-go reads the fields of structs (and so of maps) on its own goroutines, where a panic cannot
// be recovered. So columns with structs are read twice. First each of their leaves is read alone,
// on this goroutine, which triggers every possible failure. Then the column is read as a whole.
package parquet

import (
	"bytes"
	"context"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ingest"
)

// MaxBatchRows is the maximum number of rows in a batch. A row group of a part (one of Scoter's own
// Parquet files) has as many rows.
const MaxBatchRows = 122_880

// Decode returns the rows of a Parquet file as batches of natural types (see ingest.Natural), of at
// most MaxBatchRows rows each. A file without rows has one empty batch. The caller releases the
// batches.
//
// limit is the maximum size in bytes of the decoded rows. The memory for decoding itself has two
// bounds, of which the smaller one applies. The first is three times limit. The second is eight
// times the size of the body, but at least 1 GiB. Errors are base.Invalid or base.TooLarge.
func Decode(body []byte, limit int64) (batches []arrow.RecordBatch, err error) {
	var d decoder
	defer func() {
		if p := ingest.Recovered(recover(), "Parquet"); p != nil {
			err = p
		}
		if err == nil {
			// After a panic, arrow-go's readers cannot be released. The garbage collector frees
			// them.
			d.release()
		} else {
			for _, b := range batches {
				b.Release()
			}
			batches = nil
		}
	}()
	d.bound = ingest.NewBoundedAllocator(min(max(1<<30, 8*int64(len(body))), 3*limit))
	d.natural = ingest.NewBudget(limit)
	if err := d.open(bytes.NewReader(body), int64(len(body)), limit); err != nil {
		return nil, err
	}
	if err := d.columns(); err != nil {
		return nil, err
	}
	for rows := int64(0); rows < d.rows || len(batches) == 0; {
		batch, err := d.batch(min(d.rows-rows, MaxBatchRows))
		if err != nil {
			return batches, base.Wrap(err, "Parquet: rows from %d on", rows+1)
		}
		batches = append(batches, batch)
		rows += batch.NumRows()
	}
	return batches, nil
}

// Bounds limit what the function Each reads in one step: the number of rows, and the size of these
// rows in bytes. If rows are wide, the limit of bytes is reached first.
type Bounds struct{ Rows, Bytes int64 }

// perGroup is the maximum number of bytes of memory for reading one row group.
const perGroup = 4 << 30

// Each calls f for the rows of a Parquet file of any size, in batches like those of Decode. total
// is the number of rows in the file. If the file has no rows, f gets an empty batch. f may retain
// the batch.
//
// Each uses memory for one batch, and for at most one row group as it is stored. Errors are those
// of f, base.Invalid and base.TooLarge.
func Each(src Input, size int64, bounds Bounds, f func(rec arrow.RecordBatch, total int64) error) (err error) {
	defer func() {
		if p := ingest.Recovered(recover(), "Parquet"); p != nil {
			err = p
		}
	}()
	whole := decoder{bound: ingest.NewBoundedAllocator(perGroup)}
	if err := whole.open(src, size, math.MaxInt64/8); err != nil {
		return err
	}
	first := int64(0)
	for _, group := range whole.groups {
		d := decoder{bound: ingest.NewBoundedAllocator(perGroup), checked: whole.checked, plain: whole.plain, groups: []int{group}}
		if d.checked, err = openFile(src, whole.checked.ParquetReader().MetaData(), d.bound); err != nil {
			return err
		}
		if err := d.group(group, bounds, func(rec arrow.RecordBatch) error { return f(rec, whole.rows) }); err != nil {
			return base.Wrap(err, "Parquet: row group %d, which begins at row %d", group, first+1)
		}
		first += d.rows
	}
	if whole.rows > 0 {
		return nil
	}
	whole.natural = ingest.NewBudget(bounds.Bytes)
	if err := whole.columns(); err != nil {
		return err
	}
	rec, err := whole.batch(0)
	if err != nil {
		return err
	}
	defer rec.Release()
	return f(rec, 0)
}

// group calls f with the rows of one row group, in batches.
func (d *decoder) group(group int, bounds Bounds, f func(arrow.RecordBatch) error) error {
	meta := d.checked.ParquetReader().MetaData().RowGroup(group)
	d.rows = meta.NumRows()
	if err := d.columns(); err != nil {
		return err
	}
	defer d.release()
	width := max(meta.TotalByteSize()/max(d.rows, 1), 1)
	at := min(bounds.Rows, max(bounds.Bytes/width, 1))
	for rows := int64(0); rows < d.rows; rows += at {
		d.natural = ingest.NewBudget(perGroup)
		rec, err := d.batch(min(d.rows-rows, at))
		if err != nil {
			return base.Wrap(err, "rows from %d of it on", rows+1)
		}
		err = f(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

type decoder struct {
	bound *ingest.BoundedAllocator
	// natural limits the memory for converting columns to the types that decoders return.
	natural *ingest.Budget
	rows    int64
	// checked is the reader that takes its memory from the limited allocator in the field bound. It
	// reads columns without structs. The method check reads with it, too.
	checked *pqarrow.FileReader
	// plain is the reader for columns that contain structs. It has no memory limit, so the method
	// check first checks such a column.
	plain   *pqarrow.FileReader
	groups  []int // groups are the numbers of the row groups to read.
	fields  []arrow.Field
	readers []*pqarrow.ColumnReader
	// said has one element per column of the file. An element is nil if the column's Arrow type
	// says everything. Otherwise the file gives the column a type that says more (such as UUID or
	// JSON), and the element is the file's description of the column.
	said []*pqarrow.SchemaField
}

func (d *decoder) release() {
	for _, r := range d.readers {
		r.Release()
	}
}

func invalid(err error) error { return base.Errorf(base.Invalid, "Parquet: %w", err) }

// Input is the data of a Parquet file.
type Input = parquet.ReaderAtSeeker

func (d *decoder) open(src Input, size, limit int64) error {
	meta, err := readFooter(src, size)
	if err != nil {
		return err
	}
	if d.checked, err = openFile(src, meta, d.bound); err != nil {
		return err
	}
	if d.plain, err = openFile(src, meta, memory.DefaultAllocator); err != nil {
		return err
	}
	f := d.checked.ParquetReader()
	most := 8 * limit // the narrowest type is boolean, with eight values per byte
	for g := range f.NumRowGroups() {
		group := meta.RowGroup(g)
		if group.NumRows() < 0 || group.NumColumns() != meta.Schema.NumColumns() {
			return base.Errorf(base.Invalid, "Parquet: row group %d of %d rows and %d columns", g, group.NumRows(), group.NumColumns())
		}
		if group.NumRows() > most-d.rows {
			return base.Errorf(base.TooLarge, "Parquet: more than %d rows", most).WithHint("send the rows in several requests")
		}
		d.rows += group.NumRows()
		d.groups = append(d.groups, g)
		for c := range group.NumColumns() {
			chunk, err := group.ColumnChunk(c)
			if err != nil {
				return invalid(err)
			}
			start := chunk.DataPageOffset()
			if at := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && at > 0 && at < start {
				start = at
			}
			if n := chunk.TotalCompressedSize(); start < 0 || n < 0 || start > size || n > size-start {
				return base.Errorf(base.Invalid, "Parquet: column %d of row group %d lies at %d, %d bytes, in a body of %d", c, g, start, n, size)
			}
		}
	}
	if d.rows != f.NumRows() {
		return base.Errorf(base.Invalid, "Parquet: %d rows in the row groups, %d in the footer", d.rows, f.NumRows())
	}
	if meta.Schema.NumColumns() == 0 && d.rows > 0 {
		return base.Errorf(base.Invalid, "Parquet: %d rows without columns", d.rows)
	}
	return nil
}

func openFile(src Input, meta *metadata.FileMetaData, alloc memory.Allocator) (*pqarrow.FileReader, error) {
	f, err := file.NewParquetReader(src, file.WithMetadata(meta), file.WithReadProps(parquet.NewReaderProperties(alloc)))
	if err != nil {
		return nil, invalid(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: MaxBatchRows}, alloc)
	if err != nil {
		return nil, invalid(err)
	}
	return r, nil
}

// columns opens a reader for each column of the file.
func (d *decoder) columns() error {
	for i := range d.checked.Manifest.Fields {
		f := &d.checked.Manifest.Fields[i]
		if depth(f) > ingest.MaxNesting {
			return base.Errorf(base.TooLarge, "Parquet: column %q is nested deeper than %d", f.Field.Name, ingest.MaxNesting)
		}
		from := d.checked
		if hasStruct(f) {
			if err := d.check(f); err != nil {
				return base.Wrap(err, "Parquet: column %q", f.Field.Name)
			}
			from = d.plain
		}
		leaves := make(map[int]bool)
		for _, leaf := range leavesOf(f, nil) {
			leaves[leaf.ColIndex] = true
		}
		r, err := from.GetFieldReader(context.Background(), i, leaves, d.groups)
		if err != nil && len(d.groups) > 0 {
			return invalid(err)
		}
		if r != nil {
			d.readers = append(d.readers, r)
		}
		d.fields = append(d.fields, *f.Field)
		if !d.saysMore(f) {
			f = nil
		}
		d.said = append(d.said, f)
	}
	return nil
}

func depth(f *pqarrow.SchemaField) int {
	deepest := 0
	for i := range f.Children {
		deepest = max(deepest, depth(&f.Children[i]))
	}
	return deepest + 1
}

func hasStruct(f *pqarrow.SchemaField) bool {
	return f.Field.Type.ID() == arrow.STRUCT || slices.ContainsFunc(f.Children, func(c pqarrow.SchemaField) bool { return hasStruct(&c) })
}

func leavesOf(f *pqarrow.SchemaField, to []*pqarrow.SchemaField) []*pqarrow.SchemaField {
	if len(f.Children) == 0 {
		return append(to, f)
	}
	for i := range f.Children {
		to = leavesOf(&f.Children[i], to)
	}
	return to
}

// check reads all leaves (columns without children) of a column, one by one, and counts their
// memory. It finds all failures that reading the column could have.
func (d *decoder) check(f *pqarrow.SchemaField) error {
	for _, leaf := range leavesOf(f, nil) {
		if err := d.checkLeaf(leaf); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) checkLeaf(leaf *pqarrow.SchemaField) error {
	if len(d.groups) == 0 {
		return nil
	}
	alone := *d.checked
	manifest := *alone.Manifest
	manifest.Fields = []pqarrow.SchemaField{*leaf} // the leaf is read as if it were a column
	alone.Manifest = &manifest
	r, err := alone.GetFieldReader(context.Background(), 0, map[int]bool{leaf.ColIndex: true}, d.groups)
	if err != nil {
		return invalid(err)
	}
	for rows := int64(0); rows < d.rows; rows += MaxBatchRows {
		want := min(d.rows-rows, MaxBatchRows)
		values, err := r.NextBatch(want)
		if err != nil {
			return invalid(err)
		}
		got := int64(values.Len())
		for _, chunk := range values.Chunks() {
			d.bound.Take(int(chunk.Data().SizeInBytes()))
		}
		values.Release()
		if leaf.LevelInfo.RepLevel > 0 { // inside of a list, a row may have any number of values
			levels, err := r.GetRepLevels()
			if err != nil {
				return invalid(err)
			}
			got = 0
			for _, level := range levels {
				if level == 0 {
					got++
				}
			}
		}
		if got != want { // the number of rows in a footer is not trusted
			return base.Errorf(base.Invalid, "Parquet: %d rows from %d on where %d are announced", got, rows+1, want)
		}
	}
	r.Release()
	return nil
}

// batch returns the next rows of the file as a batch. The argument rows is their number.
func (d *decoder) batch(rows int64) (arrow.RecordBatch, error) {
	arrays := make([]arrow.Array, 0, len(d.fields))
	defer func() {
		for _, a := range arrays {
			a.Release()
		}
	}()
	fields := slices.Clone(d.fields)
	for i := range fields {
		a, err := d.next(i, rows)
		if err != nil {
			return nil, base.Wrap(err, "column %q", fields[i].Name)
		}
		if d.said[i] != nil {
			plain := a
			a = d.as(d.said[i], plain)
			plain.Release()
		}
		arrays = append(arrays, a)
		fields[i].Type = a.DataType()
	}
	batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, rows)
	defer batch.Release()
	return ingest.Natural(batch, d.natural)
}

// next returns the values of column i in the next rows.
func (d *decoder) next(i int, rows int64) (arrow.Array, error) {
	if rows == 0 {
		b := array.NewBuilder(memory.DefaultAllocator, d.fields[i].Type)
		defer b.Release()
		return b.NewArray(), nil
	}
	values, err := d.readers[i].NextBatch(rows)
	if err != nil && err != io.EOF {
		return nil, base.Errorf(base.Invalid, "%w", err)
	}
	defer values.Release()
	if int64(values.Len()) != rows {
		return nil, base.Errorf(base.Invalid, "%d values where %d rows are", values.Len(), rows)
	}
	if chunks := values.Chunks(); len(chunks) == 1 {
		chunks[0].Retain()
		return chunks[0], nil
	}
	a, err := array.Concatenate(values.Chunks(), d.bound)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "%w", err)
	}
	return a, nil
}
