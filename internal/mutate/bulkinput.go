package mutate

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// ChunkLoads writes the rows of a bulkInput as parts.
type ChunkLoads interface {
	Load(ctx context.Context, t schema.Table, o engine.LoadOptions) (*engine.Load, error)
	ChunkBytes() int64
}

// bulkInput collects the rows of a statement for a table with a primary key. If all rows fit into
// one chunk (Store.ChunkBytes), they stay in memory and go through the log. Otherwise bulkInput
// writes each full chunk as parts. If rows of a chunk have the same key, only one of them is
// retained.
type bulkInput struct {
	ctx         context.Context
	loads       ChunkLoads
	table       schema.Table
	sentColumns []schema.Column // the columns that the sender gave; the others have their defaults
	policy      conflictAction
	// duplicateError is the error for two rows of the statement that have the same key. It is nil
	// if one of the two rows may replace the other.
	duplicateError *base.Error
	// keepFirst says that of two rows with the same key the first one is used, even if the field
	// policy says otherwise.
	keepFirst bool
	// the name of a NOT NULL column without a value, or empty; see withoutMissingNotNull
	missingNotNull string
	// tooLarge, if not nil, says that all rows must be in memory together. It is the error if they
	// do not fit into one chunk.
	tooLarge error

	reservation *engine.Reservation
	rows        []arrow.RecordBatch // the rows of the current chunk
	reserved    []func()
	bytes       int64

	load *engine.Load // writes the parts; nil until the rows exceed one chunk
}

// add appends a batch of rows, which must conform to the table. It retains the batch.
func (in *bulkInput) add(rec arrow.RecordBatch) error {
	if in.bytes >= in.loads.ChunkBytes() {
		if err := in.writeChunk(); err != nil {
			return err
		}
	}
	bytes := batch.Bytes(rec)
	taken := in.bytes
	if in.tooLarge != nil {
		taken = 0 // the rows in memory must stay there, because no chunk may be written as parts
	}
	release, err := in.reservation.ReserveOrSpill(in.ctx, bytes, taken, in.writeChunk)
	if err != nil {
		return err
	}
	rec.Retain()
	in.rows, in.reserved, in.bytes = append(in.rows, rec), append(in.reserved, release), in.bytes+bytes
	return nil
}

// addLarge appends a batch of any size to the bulkInput. It splits a batch that is larger than a
// chunk, and calls add.
func (in *bulkInput) addLarge(rec arrow.RecordBatch) error {
	pieces := min(batch.Bytes(rec)/in.loads.ChunkBytes()+1, max(rec.NumRows(), 1))
	for i := range pieces {
		piece := rec.NewSlice(i*rec.NumRows()/pieces, (i+1)*rec.NumRows()/pieces)
		err := in.add(piece)
		piece.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// writeChunk writes the rows of the current chunk as parts.
func (in *bulkInput) writeChunk() (err error) {
	if in.tooLarge != nil {
		return in.tooLarge
	}
	// The NOT NULL column missingNotNull has no value, and a part cannot have NULL there. At this
	// point it is not known which rows are new, and which only change existing rows. So this is an
	// error.
	if in.missingNotNull != "" {
		return errMissingNotNull(in.table, in.missingNotNull)
	}
	if in.load == nil {
		if in.load, err = in.loads.Load(in.ctx, in.table, engine.LoadOptions{}); err != nil {
			return err
		}
	}
	a, err := in.incoming(in.sentColumns)
	if err != nil {
		return err
	}
	defer a.release()
	reserved := in.reserved
	in.reserved = nil
	in.releaseRows()
	return in.load.Write(in.ctx, a.rows, func() {
		for _, release := range reserved {
			release()
		}
	})
}

// incoming returns the rows of the current chunk as incoming rows. The argument given has the
// columns that these rows set in existing rows.
func (in *bulkInput) incoming(given []schema.Column) (*incomingRows, error) {
	// The chunk is full, or there are no more rows. So the rest of the memory reservation is
	// released.
	in.reservation.Close()
	rows := in.rows
	if len(rows) == 0 {
		rows = []arrow.RecordBatch{emptyRows(in.table)}
	}
	order := in.policy
	if in.keepFirst {
		order = skipRow
	}
	a, err := newIncoming(in.table, rows, in.sentColumns, given, order)
	if err == nil {
		a.missingNotNull = in.missingNotNull
	}
	if err == nil && in.duplicateError != nil && int(a.rows.NumRows()) < batch.Rows(rows) {
		a.release()
		return nil, in.duplicateError
	}
	return a, err
}

func (in *bulkInput) releaseRows() {
	for _, rec := range in.rows {
		rec.Release()
	}
	for _, release := range in.reserved {
		release()
	}
	in.rows, in.reserved, in.bytes = nil, nil, 0
}

// close releases the rows, and removes the parts that were not committed.
func (in *bulkInput) close() error {
	in.reservation.Close()
	in.releaseRows()
	if in.load == nil {
		return nil
	}
	return in.load.Abort()
}

// closeInto calls close and joins its error to *err. Callers defer it.
func (in *bulkInput) closeInto(err *error) { *err = errors.Join(*err, in.close()) }
