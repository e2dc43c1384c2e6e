package encode

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
)

// Source is a result that is being produced. It is used by one goroutine.
type Source interface {
	// Schema returns the result's columns; it is valid from the start and does not change.
	Schema() *arrow.Schema
	// Next returns the next batch, io.EOF after the last one. The caller releases it.
	// A batch may be empty; columns may be slices of larger arrays.
	Next(ctx context.Context) (arrow.RecordBatch, error)
}

// Options are what a request can ask of a format. The zero value is the default of each.
type Options struct {
	// MaxRows cuts the result after this many rows; 0 is no limit. Stats.Truncated and the
	// tail of JSON and MessagePack say when it did.
	MaxRows int64
	// Elapsed, if set, is asked at the end for the time since the request began: "elapsed_ms".
	Elapsed func() time.Duration
	// RowsRead, if set, is asked at the end for the rows that the query scanned: "rows_read".
	// A negative answer means unknown and is left out.
	RowsRead func() int64

	// Sizes that tests make smaller; 0 is the usual one.
	batchRows     int   // of Arrow
	rowGroupRows  int64 // of Parquet
	rowGroupBytes int64
}

// Stats is what a Write did.
type Stats struct {
	Rows      int64 // rows encoded
	Bytes     int64 // bytes that the writer accepted
	Truncated bool  // MaxRows cut the result
}

// encoder is one format at work on one result. Calls: begin, batch any number of times, then end
// or fail, then release.
type encoder interface {
	begin() error
	// batch encodes a batch of at least one row. It does not keep it without Retain.
	batch(rec arrow.RecordBatch) error
	end(t tail) error
	// fail writes into the stream, if the format can, that it ends early because of err.
	fail(err error)
	// release drops what the encoder retains.
	release()
}

// tail is what formats with a tail say after the last row.
type tail struct {
	rows      int64
	rowsRead  int64 // negative: unknown
	elapsed   time.Duration
	timed     bool
	truncated bool
}

// Write encodes a result. It reads src to its end, unless an error or MaxRows ends it
// earlier, and does not close w. Errors keep their kind; an ended context is Canceled or Timeout.
// A value that the format cannot hold is Invalid. See the package comment for what a client
// sees of an error.
func Write(ctx context.Context, w io.Writer, f Format, src Source, opt Options) (Stats, error) {
	o := newOut(w)
	defer o.free()
	t, err := write(ctx, o, f, src, opt)
	return Stats{Rows: t.rows, Bytes: o.written, Truncated: t.truncated}, base.Wrap(err, "encode %s result", f)
}

// write is Write into a buffer. A panic is an error: that is how arrow-go's encoders report one.
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
		_ = o.flush() // rows by themselves: a writer may have room for the reason where it has none for them
		if o.err == nil || o.refused {
			o.err = nil
			enc.fail(err)
			_ = o.flush() // the error that ended the result is the one to report
		}
	}
	return t, err
}

// pump moves batches from the source to the encoder.
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

// encode hands one batch on, cut to what maxRows leaves, and releases it.
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

// newEncoder returns the encoder of a format for a schema.
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
