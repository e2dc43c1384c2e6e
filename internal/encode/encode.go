package encode

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// Source is a result that is being produced. Only one goroutine uses it.
type Source interface {
	// Schema returns the columns of the result. It may be called before Next, and always returns
	// the same schema.
	Schema() *arrow.Schema
	// Next returns the next batch, or io.EOF after the last one. The caller releases it. A batch
	// may be empty, and its columns may be slices of larger arrays.
	Next(ctx context.Context) (arrow.RecordBatch, error)
}

// Options are the settings of a request for all formats. The zero value is the default.
type Options struct {
	// MaxRows limits the number of rows; 0 means no limit. If rows were cut, Stats.Truncated and
	// the end of JSON and MessagePack say so.
	MaxRows int64
	// Elapsed, if not nil, is called after the last row. It returns the time since the request
	// began, which is written as "elapsed_ms".
	Elapsed func() time.Duration
	// RowsRead, if not nil, is called after the last row. It returns the number of rows that the
	// query scanned, which is written as "rows_read". A negative number means unknown, and is not
	// written.
	RowsRead func() int64

	// Sizes that tests make smaller; 0 means the usual size.
	batchRows     int   // for Arrow
	rowGroupRows  int64 // for Parquet
	rowGroupBytes int64
}

// Stats describes the output of one Write.
type Stats struct {
	Rows      int64 // rows that were encoded
	Bytes     int64 // bytes that the writer accepted
	Truncated bool  // the result had more rows than MaxRows
}

// encoder encodes one result in one format. The order of calls is: begin, batch any number of
// times, end or fail, release.
type encoder interface {
	begin() error
	// batch encodes a batch of at least one row. If it uses the batch later, it must retain it.
	batch(rec arrow.RecordBatch) error
	end(t tail) error
	// fail writes to the output that the result ends early because of err, if the format can
	// express that.
	fail(err error)
	// release releases everything that the encoder retains.
	release()
}

// tail is the information about a result that some formats write after the last row.
type tail struct {
	rows      int64
	rowsRead  int64 // negative if unknown
	elapsed   time.Duration
	timed     bool
	truncated bool
}

// Write encodes the result src in the format f, and writes it to w. It reads src to its end, unless
// an error or MaxRows stops it earlier. It does not close w. Errors preserve their kind. If ctx has
// ended the error is base.Canceled or base.Timeout. A value that the format cannot represent is
// base.Invalid. The package comment says what clients see of an error.
func Write(ctx context.Context, w io.Writer, f Format, src Source, opt Options) (Stats, error) {
	o := newOut(w)
	defer o.free()
	t, err := write(ctx, o, f, src, opt)
	return Stats{Rows: t.rows, Bytes: o.written, Truncated: t.truncated}, base.Wrap(err, "encode %s result", f)
}

// write does what Write does, with a given output buffer. arrow-go's encoders report errors by
// panics, which write converts to errors.
func write(ctx context.Context, o *out, f Format, src Source, opt Options) (t tail, err error) {
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
		// The buffered rows are written before the error: even if the writer refuses them, it may
		// accept the error.
		_ = o.flush()
		if o.err == nil || o.refused {
			o.err = nil
			enc.fail(err)
			_ = o.flush() // err is returned, not an error of writing it
		}
	}
	return t, err
}

// pump passes the batches of a result to the encoder.
func pump(ctx context.Context, enc encoder, src Source, opt Options) (tail, error) {
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

// encode passes one batch to the encoder, cut to the rows that maxRows still allows, and releases
// the batch.
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
