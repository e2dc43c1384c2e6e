package incoming

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
)

// ChunkLoads writes the rows of a Bulk as parts.
type ChunkLoads interface {
	Load(ctx context.Context, t schema.Table, o engine.LoadOptions) (*engine.Load, error)
	ChunkBytes() int64
}

// Bulk collects the rows of a statement for a table with a primary key. If all rows fit into
// one chunk (Store.ChunkBytes), they stay in memory and go through the log. Otherwise Bulk
// writes each full chunk as parts. If rows of a chunk have the same key, only one of them is
// retained.
type Bulk struct {
	Ctx         context.Context
	Loads       ChunkLoads
	Table       schema.Table
	SentColumns []schema.Column // the columns that the sender gave; the others have their defaults
	Policy      Policy
	// DuplicateError is the error for two rows of the statement that have the same key. It is nil
	// if one of the two rows may replace the other.
	DuplicateError *base.Error
	// KeepFirst says that of two rows with the same key the first one is used, even if the field
	// policy says otherwise.
	KeepFirst bool
	// the name of a NOT NULL column without a value, or empty; see WithoutMissingNotNull
	MissingNotNull string
	// TooLarge, if not nil, says that all rows must be in memory together. It is the error if they
	// do not fit into one chunk.
	TooLarge error

	Reservation *engine.Reservation
	rows        []arrow.RecordBatch // the rows of the current chunk
	reserved    []func()
	bytes       int64

	Load *engine.Load // writes the parts; nil until the rows exceed one chunk
}

// Add appends a batch of rows, which must conform to the table. It retains the batch.
func (in *Bulk) Add(rec arrow.RecordBatch) error {
	if in.bytes >= in.Loads.ChunkBytes() {
		if err := in.WriteChunk(); err != nil {
			return err
		}
	}
	bytes := batch.Bytes(rec)
	taken := in.bytes
	if in.TooLarge != nil {
		taken = 0 // the rows in memory must stay there, because no chunk may be written as parts
	}
	release, err := in.Reservation.ReserveOrSpill(in.Ctx, bytes, taken, in.WriteChunk)
	if err != nil {
		return err
	}
	rec.Retain()
	in.rows, in.reserved, in.bytes = append(in.rows, rec), append(in.reserved, release), in.bytes+bytes
	return nil
}

// AddLarge appends a batch of any size to the Bulk. It splits a batch that is larger than a
// chunk, and calls add.
func (in *Bulk) AddLarge(rec arrow.RecordBatch) error {
	pieces := min(batch.Bytes(rec)/in.Loads.ChunkBytes()+1, max(rec.NumRows(), 1))
	for i := range pieces {
		piece := rec.NewSlice(i*rec.NumRows()/pieces, (i+1)*rec.NumRows()/pieces)
		err := in.Add(piece)
		piece.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteChunk writes the rows of the current chunk as parts.
func (in *Bulk) WriteChunk() (err error) {
	if in.TooLarge != nil {
		return in.TooLarge
	}
	// The NOT NULL column MissingNotNull has no value, and a part cannot have NULL there. At this
	// point it is not known which rows are new, and which only change existing rows. So this is an
	// error.
	if in.MissingNotNull != "" {
		return ErrMissingNotNull(in.Table, in.MissingNotNull)
	}
	if in.Load == nil {
		if in.Load, err = in.Loads.Load(in.Ctx, in.Table, engine.LoadOptions{}); err != nil {
			return err
		}
	}
	a, err := in.Incoming(in.SentColumns)
	if err != nil {
		return err
	}
	defer a.Release()
	reserved := in.reserved
	in.reserved = nil
	in.releaseRows()
	return in.Load.Write(in.Ctx, a.Rows, func() {
		for _, release := range reserved {
			release()
		}
	})
}

// Incoming returns the rows of the current chunk as incoming rows. The argument given has the
// columns that these rows set in existing rows.
func (in *Bulk) Incoming(given []schema.Column) (*Rows, error) {
	// The chunk is full, or there are no more rows. So the rest of the memory reservation is
	// released.
	in.Reservation.Close()
	rows := in.rows
	if len(rows) == 0 {
		rows = []arrow.RecordBatch{emptyRows(in.Table)}
	}
	order := in.Policy
	if in.KeepFirst {
		order = SkipRow
	}
	a, err := New(in.Table, rows, in.SentColumns, given, order)
	if err == nil {
		a.MissingNotNull = in.MissingNotNull
	}
	if err == nil && in.DuplicateError != nil && int(a.Rows.NumRows()) < batch.Rows(rows) {
		a.Release()
		return nil, in.DuplicateError
	}
	return a, err
}

func (in *Bulk) releaseRows() {
	for _, rec := range in.rows {
		rec.Release()
	}
	for _, release := range in.reserved {
		release()
	}
	in.rows, in.reserved, in.bytes = nil, nil, 0
}

// close releases the rows, and removes the parts that were not committed.
func (in *Bulk) close() error {
	in.Reservation.Close()
	in.releaseRows()
	if in.Load == nil {
		return nil
	}
	return in.Load.Abort()
}

// CloseInto calls close and joins its error to *err. Callers defer it.
func (in *Bulk) CloseInto(err *error) { *err = errors.Join(*err, in.close()) }
