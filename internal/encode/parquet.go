package encode

import (
	"cmp"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/scoterdb/scoter/internal/base"
)

const (
	// maxRowGroupRows is the maximum number of rows of a row group. DuckDB's row groups have the
	// same size.
	maxRowGroupRows = 122_880
	// maxRowGroupBytes is the maximum size in bytes of the values of a row group. It is needed
	// because a row group is in memory until it is complete. The size is that of the values before
	// they are encoded: the encoded size is not known, because each column may have a page of up to
	// 1 MB that is not encoded yet.
	maxRowGroupBytes = 128 << 20
	// dictionaryBytes is the size in bytes of a column's dictionary above which the Parquet writer
	// stops using it and writes plain values. With the library's default of 1 MB, all doubles of a
	// row group would fit into the dictionary, so the writer would hash every random double.
	dictionaryBytes = 128 << 10
)

// uuidType is the Arrow type that the Parquet writer stores as Parquet's logical type UUID.
var uuidType = extensions.NewUUIDType()

func wrapUUID(arr arrow.Array) (arrow.Array, error) {
	return array.NewExtensionArrayWithStorage(uuidType, unwrap(arr)), nil
}

// parquetEncoder writes a Parquet file with arrow-go's Parquet writer, the only one in Go that
// accepts Arrow arrays. Parquet lacks some types: HUGEINT and UHUGEINT become DECIMAL(38,0), or an
// error if a value does not fit. INTERVAL, TIMETZ, BIT, BIGNUM and UNION become text. Repeated
// column names get a suffix (see uniqueNames).
type parquetEncoder struct {
	out      *out
	convert  converted
	writer   *pqarrow.FileWriter
	maxBytes int64
	bytes    int64 // bytes is the size in bytes of the values in the current row group.
}

func newParquetEncoder(schema *arrow.Schema, o *out, opt Options) (*parquetEncoder, error) {
	fields := append([]arrow.Field(nil), schema.Fields()...)
	for i, name := range uniqueNames(schema) {
		fields[i].Name = name
	}
	c, err := newConverted(arrow.NewSchema(fields, nil), target{parquet: true})
	if err != nil {
		return nil, err
	}
	options := []parquet.WriterProperty{
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithDictionaryPageSizeLimit(dictionaryBytes),
		parquet.WithMaxRowGroupLength(cmp.Or(opt.rowGroupRows, maxRowGroupRows)),
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithCreatedBy("scoter"),
	}
	for _, f := range c.schema.Fields() {
		// Timestamps are delta-encoded without a dictionary, because times rarely repeat, and
		// neighbouring times are close. The library identifies a column by its path of names,
		// joined with dots. So this is not done for a column with a dot in its name: its path may
		// be that of a field inside another column, of another type.
		if f.Type.ID() == arrow.TIMESTAMP && !strings.Contains(f.Name, ".") {
			options = append(options, parquet.WithDictionaryFor(f.Name, false), parquet.WithEncodingFor(f.Name, parquet.Encodings.DeltaBinaryPacked))
		}
	}
	writer, err := pqarrow.NewFileWriter(c.schema, o, parquet.NewWriterProperties(options...), pqarrow.NewArrowWriterProperties())
	if err != nil {
		return nil, base.Wrap(err, "begin Parquet file")
	}
	return &parquetEncoder{out: o, convert: c, writer: writer, maxBytes: cmp.Or(opt.rowGroupBytes, maxRowGroupBytes)}, nil
}

func (e *parquetEncoder) begin() error { return nil }

func (e *parquetEncoder) batch(rec arrow.RecordBatch) error {
	rec, err := e.convert.batch(rec)
	if err != nil {
		return err
	}
	defer rec.Release()
	if rec, err = owned(rec); err != nil {
		return err
	}
	defer rec.Release()
	return e.wrap(e.write(rec), "write Parquet rows")
}

// write adds the rows of a batch to the current row group. If they do not fit, it begins another
// row group.
func (e *parquetEncoder) write(rec arrow.RecordBatch) error {
	size := batchSize(rec)
	if e.bytes > 0 && e.bytes+size > e.maxBytes {
		if err := e.writer.NewBufferedRowGroupChecked(); err != nil {
			return err
		}
		e.bytes = 0
	}
	if err := e.writer.WriteBuffered(rec); err != nil {
		return err
	}
	rows, err := e.writer.RowGroupNumRows()
	if int64(rows) <= rec.NumRows() {
		e.bytes = 0 // the row group was full, and the library began another one
	}
	e.bytes += size
	return err
}

// owned returns a copy of the batch whose texts are in Go's memory. The Parquet library refers to
// the smallest and the largest text of a row group until the row group ends, but the memory of a
// batch is freed earlier.
func owned(rec arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, column := range columns {
			if column != nil {
				column.Release()
			}
		}
	}()
	for i, column := range rec.Columns() {
		if !hasBytes(column.DataType()) {
			column.Retain()
			columns[i] = column
			continue
		}
		var err error
		if columns[i], err = array.Concatenate([]arrow.Array{column}, memory.NewGoAllocator()); err != nil {
			return nil, base.Errorf(base.Internal, "copy column %q: %w", rec.ColumnName(i), err)
		}
	}
	return array.NewRecordBatch(rec.Schema(), columns, rec.NumRows()), nil
}

// hasBytes reports whether values of a type contain strings or bytes, also inside of a nested type.
func hasBytes(t arrow.DataType) bool {
	switch t := t.(type) {
	case arrow.BinaryDataType, *arrow.FixedSizeBinaryType:
		return true
	case arrow.ExtensionType:
		return hasBytes(t.StorageType())
	case *arrow.DictionaryType:
		return hasBytes(t.ValueType)
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if hasBytes(f.Type) {
				return true
			}
		}
	}
	return false
}

func (e *parquetEncoder) end(tail) error {
	return e.wrap(e.writer.Close(), "close Parquet file")
}

// wrap adds to an error of the Parquet library what the encoder was doing. If writing the output
// failed, it returns the error of the output instead, because the library drops such errors when it
// ends a row group.
func (e *parquetEncoder) wrap(err error, doing string) error {
	if e.out.err != nil {
		return e.out.err
	}
	return base.Wrap(err, "%s", doing)
}

// fail writes nothing: without the footer, no reader opens the file.
func (e *parquetEncoder) fail(error) {}

func (e *parquetEncoder) release() {}
