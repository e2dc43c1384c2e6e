package part

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

const (
	createdBy = "scoter"
	// footerKey is the key of the file's metadata under which the part is described (see
	// description).
	footerKey = "scoter"
	magic     = "PAR1"
)

// Write writes one part and publishes it atomically at path, in an existing folder. The function
// next returns the rows in order, batch by batch, and then io.EOF. The batches must conform to the
// table and have its storage types. VARCHAR columns may also have the type dictionary<uint32,
// utf8>. Write releases each batch. It holds one row group and one more batch in memory. If there
// are no rows, the error is Invalid and no file is left.
func Write(fsys vfs.FS, path string, table schema.Table, next func() (arrow.RecordBatch, error), opts Options) (Written, error) {
	var written Written
	err := vfs.WriteFile(fsys, path, func(out io.Writer) (err error) {
		w, err := newWriter(out, table, opts)
		if err != nil {
			return err
		}
		defer w.release()
		for {
			batch, err := next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			err = w.add(batch)
			batch.Release()
			if err != nil {
				return err
			}
		}
		written, err = w.finish()
		return err
	})
	if err != nil {
		return Written{}, base.Wrap(err, "part of table %s", table.QualifiedName())
	}
	return written, nil
}

// WriteBatches writes a part, like Write, from batches in memory. The caller still owns the
// batches.
func WriteBatches(fsys vfs.FS, path string, table schema.Table, batches []arrow.RecordBatch, opts Options) (Written, error) {
	i := 0
	return Write(fsys, path, table, func() (arrow.RecordBatch, error) {
		if i == len(batches) {
			return nil, io.EOF
		}
		i++
		batches[i-1].Retain()
		return batches[i-1], nil
	}, opts)
}

// sink is the file to which a part is written. It counts the written bytes and computes their
// checksums. It also stores the first write error, because arrow-go does not return all errors.
type sink struct {
	out  io.Writer
	hash blocks.Hash
	err  error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.out.Write(p)
	_, _ = s.hash.Write(p[:n])
	s.err = err
	return n, err
}

// Tell returns the number of bytes that were written so far.
func (s *sink) Tell() int64 { return s.hash.Bytes() }

// writer writes one part file. It collects batches into row groups, and writes a group leaf by leaf
// (a leaf is a Parquet column without children; see chunk). The encoding and compression of a leaf
// are chosen in the first row group in which the leaf has values. arrow-go compresses pages, and
// writes page headers and the footer. This package chooses encodings and codecs, and computes the
// statistics of the footer.
type writer struct {
	sink  sink
	table schema.Table
	arrow *arrow.Schema
	opts  Options
	// pending has the rows that are not in a row group yet. They may be more than one row group.
	pending []arrow.RecordBatch
	rows    int64 // number of rows in pending
	bytes   int64 // size of the values in pending, in bytes
	// file collects the footer. It is nil until the first row group is written.
	file *metadata.FileMetaDataBuilder
	// pages writes pages to the file. It is nil until the first leaf is written.
	pages  file.PageWriter
	leaves []leafPath
	// storage says how each leaf (Parquet column without children) is stored. An element is nil
	// until the leaf has values.
	storage []*storage
	total   Written
	// chunks[g][l] has the footer data of the column chunk of leaf l (a Parquet column without
	// children) in row group g.
	chunks [][]chunkFooter
}

// chunkFooter has facts about a column chunk for the footer. arrow-go does not compute them itself.
type chunkFooter struct {
	codec    compress.Compression
	encoding parquet.Encoding
	// statistics describes the values of the chunk. It is nil for a leaf inside a nested column.
	statistics *metadata.EncodedStatistics
}

func newWriter(out io.Writer, table schema.Table, opts Options) (*writer, error) {
	w := &writer{table: table, arrow: table.Arrow(), opts: opts}
	w.sink.out = out
	w.total.Stats = make(map[base.ColumnID]schema.ColumnStats, len(table.Columns))
	for i, f := range w.arrow.Fields() {
		var err error
		if w.leaves, err = appendLeaves(w.leaves, i, f); err != nil {
			return nil, base.Wrap(err, "column %q", f.Name)
		}
	}
	w.storage = make([]*storage, len(w.leaves))
	return w, nil
}

func (w *writer) release() {
	for _, b := range w.pending {
		b.Release()
	}
	w.pending = nil
}

// add adds a batch of rows, and writes all row groups that are full.
func (w *writer) add(batch arrow.RecordBatch) error {
	if err := w.check(batch); err != nil {
		return err
	}
	if batch.NumRows() == 0 {
		return nil
	}
	batch.Retain()
	w.pending = append(w.pending, batch)
	w.rows += batch.NumRows()
	w.bytes += valueBytes(batch)
	for w.rows > 0 && (w.rows >= RowGroupRows || w.bytes >= GroupBytes) {
		if err := w.writeGroup(w.groupRows()); err != nil {
			return err
		}
	}
	return nil
}

// groupRows returns how many of the pending rows to put into the next row group. These are as many
// as the size limit allows. If possible, the number is a multiple of the rows that DuckDB reads at
// a time.
func (w *writer) groupRows() int64 {
	most := min(w.rows, RowGroupRows)
	if w.bytes <= GroupBytes {
		return most
	}
	rows, left := int64(0), int64(GroupBytes)
	for _, b := range w.pending {
		size := valueBytes(b)
		if size > left {
			rows += rowsWithin(b, left)
			break
		}
		rows, left = rows+b.NumRows(), left-size
	}
	rows = max(1, min(rows, most))
	if rows < w.rows && rows >= vectorRows {
		rows -= rows % vectorRows
	}
	return rows
}

// check returns an error if a batch does not have the columns and types of the table. A column of
// another type would be written incorrectly.
func (w *writer) check(batch arrow.RecordBatch) error {
	if int(batch.NumCols()) != len(w.table.Columns) {
		return base.Errorf(base.Internal, "batch has %d columns, table version %d has %d", batch.NumCols(), w.table.Version, len(w.table.Columns))
	}
	for i, field := range w.arrow.Fields() {
		a := batch.Column(i)
		if !arrow.TypeEqual(a.DataType(), field.Type) && !(isDictionary(a) && field.Type.ID() == arrow.STRING) {
			return base.Errorf(base.Internal, "column %q is %s in the batch and %s in the table", field.Name, a.DataType(), field.Type)
		}
		if !field.Nullable && a.NullN() > 0 {
			return base.Errorf(base.Internal, "column %q is NOT NULL and has %d NULLs in a batch", field.Name, a.NullN())
		}
	}
	return nil
}

// take removes the next rows from the pending ones. It returns them as slices of the batches, which
// the caller releases.
func (w *writer) take(rows int64) []arrow.RecordBatch {
	var group []arrow.RecordBatch
	defer func() {
		if w.rows == 0 {
			w.bytes = 0
			return
		}
		for _, b := range group {
			w.bytes -= valueBytes(b)
		}
	}()
	w.rows -= rows
	for rows > 0 {
		first := w.pending[0]
		if first.NumRows() <= rows {
			rows -= first.NumRows()
			group = append(group, first)
			w.pending = w.pending[1:]
			continue
		}
		group = append(group, first.NewSlice(0, rows))
		w.pending[0] = first.NewSlice(rows, first.NumRows())
		first.Release()
		rows = 0
	}
	return group
}

// writeGroup writes the next row group, which has the given number of rows. It turns a panic into
// an error, because arrow-go's encoders panic on errors, and batches with invalid buffers cause
// panics.
func (w *writer) writeGroup(rows int64) (err error) {
	group := w.take(rows)
	defer func() {
		if r := recover(); r != nil {
			err = base.Errorf(base.Internal, "encode row group %d: %v", len(w.chunks), r)
		}
		for _, b := range group {
			b.Release()
		}
	}()
	columns := make([]column, len(w.table.Columns))
	for i := range columns {
		chunks := make([]arrow.Array, len(group))
		for j, b := range group {
			chunks[j] = b.Column(i)
		}
		columns[i] = newColumn(chunks)
		defer columns[i].release()
	}
	if w.file == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	out, ordinal := w.file.AppendRowGroup(), int16(len(w.chunks))
	out.SetNumRows(int(rows))
	chunks := make([]chunkFooter, len(w.leaves))
	for i, leaf := range w.leaves {
		c := columns[leaf.column]
		described := out.NextColumnChunk()
		var err error
		chunks[i].codec, chunks[i].encoding, err = w.writeChunk(c, i, described, ordinal)
		if err = errors.Join(err, w.sink.err); err != nil {
			return base.Wrap(err, "column %q", w.table.Columns[leaf.column].Name)
		}
		if leaf.first {
			id, stats := w.table.Columns[leaf.column].ID, c.stats()
			w.total.Stats[id] = mergeStats(w.total.Stats[id], w.total.Rows, stats, rows)
			if len(leaf.path) == 0 {
				chunks[i].statistics = chunkStatistics(storedStats(stats), described.Descr())
			}
		}
	}
	w.chunks = append(w.chunks, chunks)
	w.total.Rows += rows
	return out.Finish(0, ordinal)
}

// writeChunk writes the column chunk of one leaf (a Parquet column without children) in a row
// group. It returns the codec of its pages and the encoding of its values.
func (w *writer) writeChunk(c column, leaf int, described *metadata.ColumnChunkMetaDataBuilder, group int16) (codec compress.Compression, kind parquet.Encoding, err error) {
	if w.storage[leaf] == nil && c.hasValues(w.leaves[leaf]) {
		chosen := choose(w.leaves[leaf], c, w.opts.Profile)
		w.storage[leaf] = &chosen
	}
	how := plainly
	if w.storage[leaf] != nil {
		how = *w.storage[leaf]
	}
	pieces, d := c.leaf(described.Descr(), w.leaves[leaf], how)
	defer pieces.release()
	// The dictionary is too large in this row group. So choose a storage without a dictionary, also
	// for the next row groups.
	if how.dictionary && d.values == 0 && c.dictionary == nil && pieces.present() > 0 {
		how = chooseAgain(w.leaves[leaf], c, w.opts.Profile)
		w.storage[leaf] = &how
	}
	codec = how.codec
	if d.values > 0 {
		codec = how.dictionaryCodec
	}
	if w.pages == nil {
		w.pages, err = file.NewPageWriter(&w.sink, codec, zstdLevel, described, group, int16(leaf), memory.DefaultAllocator, false, nil, nil)
	} else {
		err = w.pages.Reset(&w.sink, codec, zstdLevel, described, group, int16(leaf), nil, nil)
	}
	if err != nil {
		return codec, kind, err
	}
	to := newChunk(w.pages, described.Descr(), how)
	if d.values > 0 {
		if err := to.useDictionary(d); err != nil {
			return codec, kind, err
		}
	}
	for _, s := range pieces {
		if err := to.add(s); err != nil {
			return codec, kind, err
		}
	}
	return codec, to.kind, to.close()
}

// begin writes the start of the file. It is called before the first row group is written.
func (w *writer) begin() (err error) {
	props := parquet.NewWriterProperties(
		parquet.WithVersion(parquet.V2_LATEST), parquet.WithCreatedBy(createdBy),
		parquet.WithDictionaryDefault(false), parquet.WithStats(false),
		parquet.WithStoreDecimalAsInteger(true), parquet.WithSortingColumns(w.sortingColumns()),
	)
	fields := make([]arrow.Field, w.arrow.NumFields())
	for i, f := range w.arrow.Fields() {
		f.Metadata = arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{strconv.FormatUint(uint64(w.table.Columns[i].ID), 10)})
		fields[i] = f
	}
	root, err := pqarrow.ToParquet(arrow.NewSchema(fields, nil), props, pqarrow.DefaultWriterProps())
	if err != nil {
		return base.Errorf(base.Internal, "Parquet schema: %w", err)
	}
	if root.NumColumns() != len(w.leaves) {
		return base.Errorf(base.Internal, "Parquet schema has %d columns, the table has %d leaves", root.NumColumns(), len(w.leaves))
	}
	w.file = metadata.NewFileMetadataBuilder(root, props, metadata.NewKeyValueMetadata())
	_, err = w.sink.Write([]byte(magic))
	return err
}

// sortingColumns returns the sort key of the table in arrow-go's type for the footer.
func (w *writer) sortingColumns() []parquet.SortingColumn {
	var all []parquet.SortingColumn
	for _, key := range w.table.SortKey {
		for i, leaf := range w.leaves {
			if len(leaf.path) == 0 && w.table.Columns[leaf.column].ID == key.Column {
				all = append(all, parquet.SortingColumn{ColumnIdx: int32(i), Descending: key.Descending, NullsFirst: key.NullsFirst})
			}
		}
	}
	return all
}

// description is what a part says about itself in the file's metadata. It is stored as JSON under
// the key footerKey.
type description struct {
	Table         base.TableID                         `json:"table"`
	SchemaVersion uint32                               `json:"schema_version"`
	Stats         map[base.ColumnID]schema.ColumnStats `json:"stats"`
}

// finish writes the remaining rows and the footer of the file.
func (w *writer) finish() (Written, error) {
	if w.rows > 0 {
		if err := w.writeGroup(w.rows); err != nil {
			return Written{}, err
		}
	}
	if w.total.Rows == 0 {
		return Written{}, base.Errorf(base.Invalid, "a part without rows")
	}
	for id, s := range w.total.Stats {
		w.total.Stats[id] = storedStats(s)
	}
	text, err := json.Marshal(description{Table: w.table.ID, SchemaVersion: w.table.Version, Stats: w.total.Stats})
	if err != nil {
		return Written{}, base.Errorf(base.Internal, "describe part: %w", err)
	}
	if err := w.file.AppendKeyValueMetadata(footerKey, string(text)); err != nil {
		return Written{}, base.Errorf(base.Internal, "describe part: %w", err)
	}
	footer, err := w.file.Finish()
	if err != nil {
		return Written{}, base.Errorf(base.Internal, "footer: %w", err)
	}
	if footer.NumRows != w.total.Rows || len(footer.RowGroups) != len(w.chunks) {
		return Written{}, base.Errorf(base.Internal, "footer has %d rows in %d groups, but %d in %d were written",
			footer.NumRows, len(footer.RowGroups), w.total.Rows, len(w.chunks))
	}
	for g, chunks := range w.chunks {
		for i, c := range chunks {
			about := footer.RowGroups[g].Columns[i].MetaData
			setNumber(&about.Codec, c.codec)
			// The footer lists all encodings of a chunk. The first entry is the encoding of the
			// values. The others are those of the dictionary and of levels.
			setNumber(&about.Encodings[0], c.encoding)
			if c.statistics != nil {
				about.Statistics = c.statistics.ToThrift()
			}
		}
	}
	if err := w.writeFooter(footer); err != nil {
		return Written{}, base.Wrap(err, "footer")
	}
	w.total.Bytes, w.total.Checksum, w.total.Blocks = w.sink.hash.Bytes(), w.sink.hash.Checksum(), w.sink.hash.Sums()
	return w.total, nil
}

// setNumber sets a codec or an encoding in arrow-go's structs for the footer. It is generic because
// arrow-go does not export the types of these fields.
func setNumber[T, V ~int64](to *T, value V) { *to = T(value) }

func (w *writer) writeFooter(footer *metadata.FileMetaData) error {
	n, err := footer.WriteTo(&w.sink, nil)
	if err != nil {
		return err
	}
	_, err = w.sink.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), magic...))
	return errors.Join(err, w.sink.err)
}
