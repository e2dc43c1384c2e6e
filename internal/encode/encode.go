package encode

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// Input is a result that is being produced, such as the rows of a running query. Only one
// goroutine uses it.
type Input interface {
	// Schema returns the columns of the result. It always returns the same schema, and may be
	// called before Next.
	Schema() *arrow.Schema
	// Next returns the next batch, or io.EOF after the last one. The caller releases it. A batch
	// may be empty, and its columns may be slices of larger arrays.
	Next(ctx context.Context) (arrow.RecordBatch, error)
}

// Options are the settings for encoding a result that do not depend on the format. The zero value
// is the default.
type Options struct {
	// MaxRows limits the number of rows; 0 means no limit. If a result has more rows,
	// Stats.Truncated is set. JSON and MessagePack also say so at the end of the output.
	MaxRows int64
	// Elapsed, if not nil, is called after the last row. It returns the time since the request
	// began, which is written as "elapsed_ms".
	Elapsed func() time.Duration
	// RowsRead, if not nil, is called after the last row. It returns the number of rows that the
	// query scanned, which is written as "rows_read". A negative number means unknown, and is not
	// written.
	RowsRead func() int64

	// batchRows, rowGroupRows and rowGroupBytes are limits that tests make smaller. 0 means the
	// usual limit.
	batchRows     int   // maximum number of rows in a batch of Arrow
	rowGroupRows  int64 // maximum number of rows in a row group of Parquet
	rowGroupBytes int64
}

// Stats describes the output of one Write.
type Stats struct {
	Rows  int64 // Rows is the number of rows that were encoded.
	Bytes int64 // Bytes is the number of bytes that the writer accepted.
	// Truncated says that the result had more rows than Options.MaxRows, and the rest was cut.
	Truncated bool
}

// encoder encodes one result in one format. The order of calls is: begin once, batch any number of
// times, end or fail, release.
type encoder interface {
	begin() error
	// batch encodes a batch of at least one row. If the encoder needs the batch after the call, it
	// must retain it.
	batch(rec arrow.RecordBatch) error
	end(t tail) error
	// fail tells the client, in the output, that the result ended early because of err. It writes
	// nothing if the format has no way to say that.
	fail(err error)
	// release frees all batches and buffers that the encoder still holds.
	release()
}

// tail is the information about a result that some formats write after the last row.
type tail struct {
	rows int64
	// rowsRead is the number of rows that the query scanned. A negative number means unknown.
	rowsRead  int64
	elapsed   time.Duration
	timed     bool
	truncated bool
}

// Write encodes the result src in format f, and writes it to w. It reads src to its end, unless an
// error or Options.MaxRows stops it earlier. It does not close w.
//
// Errors of src and w keep their kind. If ctx has ended, the error is base.Canceled or
// base.Timeout. For a value that the format cannot represent, it is base.Invalid. The package
// comment says what clients see of an error.
func Write(ctx context.Context, w io.Writer, f Format, src Input, opt Options) (Stats, error) {
	o := newOut(w)
	defer o.free()
	t, err := write(ctx, o, f, src, opt)
	return Stats{Rows: t.rows, Bytes: o.written, Truncated: t.truncated}, base.Wrap(err, "encode %s result", f)
}

// write does what Write does, but takes the output buffer as an argument. arrow-go's encoders
// report errors by panics, which write converts to errors.
func write(ctx context.Context, o *out, f Format, src Input, opt Options) (t tail, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = base.Errorf(base.Internal, "panic: %v", p)
		}
	}()
	enc, err := newEncoder(f, src.Schema(), o, opt)
	if err != nil {
		return t, err
	}
	defer enc.release()
	if err = enc.begin(); err == nil {
		t, err = pump(ctx, enc, src, opt)
	}
	if err == nil {
		if err = enc.end(t); err == nil {
			err = o.flush()
		}
	}
	if err != nil && o.written > 0 {
		// Write the buffered rows first, and then the error. Even if the writer refuses these rows,
		// it may accept the error.
		_ = o.flush()
		if o.err == nil || o.refused {
			o.err = nil
			enc.fail(err)
			_ = o.flush() // ignore an error of writing err: the caller gets err
		}
	}
	return t, err
}

// pump passes the batches of a result to the encoder.
func pump(ctx context.Context, enc encoder, src Input, opt Options) (tail, error) {
	t := tail{rowsRead: -1}
	for !t.truncated {
		if ctx.Err() != nil {
			return t, context.Cause(ctx)
		}
		rec, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return t, err
		}
		if err := t.encode(enc, rec, src.Schema(), opt.MaxRows); err != nil {
			return t, err
		}
	}
	if opt.Elapsed != nil {
		t.elapsed, t.timed = opt.Elapsed(), true
	}
	if opt.RowsRead != nil {
		t.rowsRead = opt.RowsRead()
	}
	return t, nil
}

// encode cuts a batch to the number of rows that maxRows still allows, passes it to the encoder,
// and releases it.
func (t *tail) encode(enc encoder, rec arrow.RecordBatch, schema *arrow.Schema, maxRows int64) error {
	defer func() { rec.Release() }()
	if int(rec.NumCols()) != schema.NumFields() {
		return base.Errorf(base.Internal, "batch has %d columns, its schema %d", rec.NumCols(), schema.NumFields())
	}
	for i, column := range rec.Columns() {
		if want := schema.Field(i).Type; !arrow.TypeEqual(column.DataType(), want) {
			return base.Errorf(base.Internal, "column %q of a batch is %s, its schema says %s", schema.Field(i).Name, column.DataType(), want)
		}
	}
	if left := maxRows - t.rows; maxRows > 0 && rec.NumRows() > left {
		t.truncated = true
		cut := rec.NewSlice(0, left)
		rec.Release()
		rec = cut
	}
	if rec.NumRows() == 0 {
		return nil
	}
	t.rows += rec.NumRows()
	return enc.batch(rec)
}

// newEncoder returns an encoder for a result with this schema.
func newEncoder(f Format, schema *arrow.Schema, o *out, opt Options) (encoder, error) {
	switch f {
	case JSON:
		return newJSONEncoder(schema, o)
	case NDJSON:
		return newNDJSONEncoder(schema, o)
	case CSV:
		return newCSVEncoder(schema, o)
	case Arrow:
		return newArrowEncoder(schema, o, opt)
	case Parquet:
		return newParquetEncoder(schema, o, opt)
	case MessagePack:
		return newMessagePackEncoder(schema, o)
	case Table:
		if isPlan(schema) {
			return newPlanEncoder(schema, o)
		}
		return newTableEncoder(schema, o)
	}
	return nil, base.Errorf(base.Internal, "no encoder for format %d", uint8(f))
}
