package sqlquery

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Rows is a result that is being read. The caller must close it.
type Rows interface {
	Schema() *arrow.Schema
	// Next returns the next batch, or io.EOF at the end. The caller releases the batch.
	Next(ctx context.Context) (arrow.RecordBatch, error)
	Close()
}

// Found is the result of a query that finds rows of a table. It has the addresses of the rows.
type Found interface {
	Rows
	// Snapshot returns the snapshot in which the rows were found. It is valid until Close.
	Snapshot() *snapshot.Snapshot
	// ReadDependencies returns the tables and columns that decide which rows the query returns.
	ReadDependencies() []engine.ReadDependency
}

// Each calls f with every batch of a result, until the end or an error.
func Each(ctx context.Context, rows Rows, f func(arrow.RecordBatch) error) error {
	for {
		rec, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = f(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
}

// Discard reads a result to its end and drops its rows.
func Discard(ctx context.Context, rows Rows) error {
	return Each(ctx, rows, func(arrow.RecordBatch) error { return nil })
}

// Buffered is a whole result of a query, read into memory. It implements Rows.
type Buffered struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	bytes   int64 // the size of all batches
}

// NewBuffered returns a result with one batch. The result releases the batch.
func NewBuffered(rec arrow.RecordBatch) *Buffered {
	return &Buffered{schema: rec.Schema(), batches: []arrow.RecordBatch{rec}, bytes: batch.Bytes(rec)}
}

// Append reads rows to its end, and appends its batches to the result, which gets the columns of
// rows. If the result has more than limit bytes, Append returns the error tooLarge. After an error
// the result is empty.
func (b *Buffered) Append(ctx context.Context, rows Rows, limit int64, tooLarge error) error {
	b.schema = rows.Schema()
	err := Each(ctx, rows, func(rec arrow.RecordBatch) error {
		if b.bytes += batch.Bytes(rec); b.bytes > limit {
			return tooLarge
		}
		rec.Retain()
		b.batches = append(b.batches, rec)
		return nil
	})
	if err != nil {
		b.Close()
	}
	return err
}

// Schema returns the columns of the result.
func (b *Buffered) Schema() *arrow.Schema { return b.schema }

// Next returns the next batch, or io.EOF at the end. The caller releases the batch.
func (b *Buffered) Next(context.Context) (arrow.RecordBatch, error) {
	if len(b.batches) == 0 {
		return nil, io.EOF
	}
	rec := b.batches[0]
	b.batches = b.batches[1:]
	return rec, nil
}

// Close releases the batches that were not read.
func (b *Buffered) Close() {
	for _, rec := range b.batches {
		rec.Release()
	}
	b.batches = nil
}
