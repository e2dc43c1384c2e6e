package part

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	parquetschema "github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// open opens a part with arrow-go, and calls the function do with the reader and with what the
// footer says about the part. Errors and panics of arrow-go become Corrupt errors.
func open(f *blocks.File, do func(*file.Reader, summary) error) error {
	return openFile(f, func(f io.ReaderAt, size int64) error {
		r, err := file.NewParquetReader(io.NewSectionReader(f, 0, size))
		if err != nil {
			return err
		}
		footer, err := describe(r)
		if err != nil {
			return err
		}
		return do(r, footer)
	})
}

// openFile opens the file of a part, and calls the function do with the file and its size in bytes.
func openFile(f *blocks.File, do func(f io.ReaderAt, size int64) error) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return named(f, parse(func() error { return do(r, r.Size()) }))
}

// named adds the file's name to an error. An error that describes damage has the name already, and
// is returned unchanged.
func named(f *blocks.File, err error) error {
	var damage *blocks.Damage
	if errors.As(err, &damage) {
		return err
	}
	return base.Wrap(err, "%s", f.Name())
}

// parse calls the function do, and turns a panic of do into an error. It is for functions that read
// bytes with a library which panics if the bytes are damaged.
func parse(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = base.Errorf(base.Corrupt, "not a readable Parquet file: %v", r)
		}
	}()
	err = do()
	var known *base.Error
	if err != nil && !errors.As(err, &known) {
		return base.Errorf(base.Corrupt, "not a readable Parquet file: %w", err)
	}
	return err
}

func describe(r *file.Reader) (summary, error) {
	var d description
	meta := r.MetaData()
	text := meta.KeyValueMetadata().FindValue(footerKey)
	if text == nil {
		return summary{}, base.Errorf(base.Corrupt, "a Parquet file, but not a part of Scoter: its metadata has no %q", footerKey)
	}
	if err := json.Unmarshal([]byte(*text), &d); err != nil {
		return summary{}, base.Errorf(base.Corrupt, "metadata %q: %w", footerKey, err)
	}
	footer := summary{Table: d.Table, SchemaVersion: d.SchemaVersion, Rows: meta.NumRows, RowGroups: len(meta.RowGroups), Stats: d.Stats}
	root := meta.Schema.Root()
	for i := range root.NumFields() {
		footer.Columns = append(footer.Columns, summaryColumn{ID: base.ColumnID(root.Field(i).FieldID()), Name: root.Field(i).Name()})
	}
	rows := int64(0)
	for i := range footer.RowGroups {
		rows += meta.RowGroup(i).NumRows()
	}
	if rows != footer.Rows {
		return summary{}, base.Errorf(base.Corrupt, "footer counts %d rows, its row groups %d", footer.Rows, rows)
	}
	return footer, nil
}

// Read calls the function rows with each batch of a part, in order. The argument table is the
// part's schema version, and values have its storage types. A batch is valid only during the call.
//
// arrow-go panics on damaged pages, partly in goroutines of its own, where the panic cannot be
// recovered. So it must never get a damaged page: blocks are verified before it gets their bytes.
func Read(f *blocks.File, table schema.Table, rows func(arrow.RecordBatch) error) error {
	return read(f, table, false, BatchSize{RowGroupRows, GroupBytes}, rows)
}

// ReadDictionaries calls the function rows with each batch of a part, like Read, with two
// differences. The argument most limits the size of the batches. And VARCHAR columns that the file
// stores with a dictionary have the type dictionary<uint32, utf8>, which is much faster than plain
// texts.
func ReadDictionaries(f *blocks.File, table schema.Table, most BatchSize, rows func(arrow.RecordBatch) error) error {
	return read(f, table, true, most, rows)
}

func read(f *blocks.File, table schema.Table, dictionaries bool, most BatchSize, rows func(arrow.RecordBatch) error) error {
	batchRows, err := most.of(f, table, dictionaries)
	if err != nil {
		return err
	}
	return open(f, func(r *file.Reader, footer summary) error {
		if err := matches(footer, table); err != nil {
			return err
		}
		props := pqarrow.ArrowReadProperties{BatchSize: batchRows}
		if dictionaries {
			if err := askForDictionaries(&props, r); err != nil {
				return err
			}
		}
		fr, err := pqarrow.NewFileReader(r, props, memory.DefaultAllocator)
		if err != nil {
			return err
		}
		batches, err := fr.GetRecordReader(context.Background(), nil, nil)
		if err != nil {
			return err
		}
		defer batches.Release()
		want := table.Arrow()
		for batches.Next() {
			if err := relabeled(batches.RecordBatch(), want, rows); err != nil {
				return err
			}
		}
		if err := batches.Err(); err != nil && err != io.EOF {
			return err
		}
		return nil
	})
}

// askForDictionaries tells the reader r to return a text column as dictionaries if the column's
// first chunk has a dictionary. If a later chunk has none, the reader builds one.
func askForDictionaries(props *pqarrow.ArrowReadProperties, r *file.Reader) error {
	meta := r.MetaData()
	if len(meta.RowGroups) == 0 {
		return nil
	}
	for i := range meta.Schema.NumColumns() {
		chunk, err := meta.RowGroup(0).ColumnChunk(i)
		if err != nil {
			return err
		}
		c := meta.Schema.Column(i)
		_, isText := c.LogicalType().(parquetschema.StringLogicalType)
		props.SetReadDict(i, isText && len(c.ColumnPath()) == 1 && chunk.HasDictionaryPage())
	}
	return nil
}

// matches compares the columns in a part's footer with those of the schema version with which the
// part was written (table). If they differ, it returns an error.
func matches(footer summary, table schema.Table) error {
	if footer.Table != table.ID || footer.SchemaVersion != table.Version || len(footer.Columns) != len(table.Columns) {
		return base.Errorf(base.Corrupt, "file has table %d version %d with %d columns, expected table %d version %d with %d",
			footer.Table, footer.SchemaVersion, len(footer.Columns), table.ID, table.Version, len(table.Columns))
	}
	for i, c := range table.Columns {
		if footer.Columns[i] != (summaryColumn{ID: c.ID, Name: c.Name}) {
			return base.Errorf(base.Corrupt, "column %d of the file is %d %q, expected %d %q", i, footer.Columns[i].ID, footer.Columns[i].Name, c.ID, c.Name)
		}
	}
	return nil
}

// relabeled makes a copy of a batch with exactly the types of the schema want, and calls the
// function rows with the copy. It is needed because Parquet stores neither extension types nor the
// names of list elements, so the batch that was read does not have them.
func relabeled(batch arrow.RecordBatch, want *arrow.Schema, rows func(arrow.RecordBatch) error) error {
	columns := make([]arrow.Array, batch.NumCols())
	fields := want.Fields()
	for i := range columns {
		if d, ok := batch.Column(i).(*array.Dictionary); ok && fields[i].Type.ID() == arrow.STRING {
			fields[i].Type = textDictionary
			data := array.NewDataWithDictionary(textDictionary, d.Len(), d.Data().Buffers(), d.NullN(), d.Data().Offset(), d.Dictionary().Data().(*array.Data))
			columns[i] = array.MakeFromData(data)
			data.Release()
			defer columns[i].Release()
			continue
		}
		data, err := relabel(batch.Column(i).Data(), want.Field(i).Type)
		if err != nil {
			return base.Wrap(err, "column %q", want.Field(i).Name)
		}
		columns[i] = array.MakeFromData(data)
		data.Release()
		defer columns[i].Release()
	}
	b := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, batch.NumRows())
	defer b.Release()
	return rows(b)
}

var textDictionary = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}

func relabel(data arrow.ArrayData, want arrow.DataType) (*array.Data, error) {
	got := data.DataType()
	if ext, ok := got.(arrow.ExtensionType); ok {
		got = ext.StorageType()
	}
	layout := want
	if ext, ok := want.(arrow.ExtensionType); ok {
		layout = ext.StorageType()
	}
	if got.ID() != layout.ID() {
		return nil, base.Errorf(base.Corrupt, "file has type %s, expected %s", got, want)
	}
	var children []arrow.DataType
	switch t := layout.(type) {
	case *arrow.MapType:
		children = []arrow.DataType{t.Elem()}
	case *arrow.ListType:
		children = []arrow.DataType{t.Elem()}
	case *arrow.StructType:
		for _, f := range t.Fields() {
			children = append(children, f.Type)
		}
	default:
		if !arrow.TypeEqual(got, layout) {
			return nil, base.Errorf(base.Corrupt, "file has type %s, expected %s", got, want)
		}
	}
	if len(children) != len(data.Children()) {
		return nil, base.Errorf(base.Corrupt, "file has type %s, expected %s", got, want)
	}
	relabeledChildren := make([]arrow.ArrayData, len(children))
	for i, child := range children {
		d, err := relabel(data.Children()[i], child)
		if err != nil {
			return nil, err
		}
		defer d.Release()
		relabeledChildren[i] = d
	}
	return array.NewData(want, data.Len(), data.Buffers(), relabeledChildren, data.NullN(), data.Offset()), nil
}

// Verify reads a whole part and compares it with the result that Write returned. It compares the
// length and checksums of the file, the number of rows, and statistics that it computes again from
// the values. If something differs, the error is Corrupt.
func Verify(ctx context.Context, f *blocks.File, table schema.Table, want Written) error {
	if err := f.Verify(ctx, nil); err != nil {
		return err
	}
	found := Written{Stats: map[base.ColumnID]schema.ColumnStats{}}
	err := Read(f, table, func(batch arrow.RecordBatch) error {
		for i, c := range table.Columns {
			found.Stats[c.ID] = mergeStats(found.Stats[c.ID], found.Rows, arrayStats(batch.Column(i)), batch.NumRows())
		}
		found.Rows += batch.NumRows()
		return nil
	})
	if err != nil {
		return err
	}
	if found.Rows != want.Rows {
		return base.Errorf(base.Corrupt, "%s: %d rows, expected %d", f.Name(), found.Rows, want.Rows)
	}
	for _, c := range table.Columns {
		if s, w := storedStats(found.Stats[c.ID]), want.Stats[c.ID]; !sameStats(s, w) {
			return base.Errorf(base.Corrupt, "%s: column %q: min %s, max %s, nulls %d, expected min %s, max %s, nulls %d",
				f.Name(), c.Name, s.Min, s.Max, s.Nulls, w.Min, w.Max, w.Nulls)
		}
	}
	return nil
}

// sameStats reports whether statistics that were computed again equal the stored ones. Earlier
// versions of Scoter left out long texts in the statistics of each batch, before they merged these
// statistics. So in their parts the least and greatest text may be missing although they are short
// enough. sameStats does not count that as a difference.
func sameStats(found, stored schema.ColumnStats) bool {
	if _, text := found.Min.Text(); text && stored.Min.IsNull() && stored.Max.IsNull() {
		return found.Nulls == stored.Nulls
	}
	// The bounds are compared as text, because NaN is not equal to itself.
	return found.Nulls == stored.Nulls && found.Min.String() == stored.Min.String() && found.Max.String() == stored.Max.String()
}
