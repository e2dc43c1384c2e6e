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

// intake collects the rows of a statement for a table with a primary key. If all rows fit into one
// chunk, they stay in memory and go through the log. Otherwise intake writes each full chunk as
// parts. If rows of a chunk have the same key, only one of them is retained.
type intake struct {
	*Mutator
	ctx    context.Context
	table  schema.Table
	sent   []schema.Column // the columns that the sender gave; the others have their defaults
	policy conflict
	// The error if two rows have the same key; nil if one of them may replace the other.
	twice *base.Error
	// If two rows have the same key the first one is used, whatever the policy says.
	first bool
	unset string // a NOT NULL column without a value, or empty; see withoutUnset
	// whole says that all rows are needed in memory together. More than one chunk is then an error.
	whole bool

	room     *engine.Room
	rows     []arrow.RecordBatch // the rows of the current chunk
	reserved []func()
	bytes    int64

	staged *engine.Load // nil until the rows exceed one chunk
}

// add appends a batch of rows, which must conform to the table. It retains the batch.
func (in *intake) add(rec arrow.RecordBatch) error {
	if in.bytes >= in.store.ChunkBytes() {
		if err := in.stage(); err != nil {
			return err
		}
	}
	bytes := batch.Bytes(rec)
	taken := in.bytes
	if in.whole {
		taken = 0 // no chunk may be written as parts, which would free its memory
	}
	release, err := in.room.NeedBeside(in.ctx, bytes, taken, in.stage)
	if err != nil {
		return err
	}
	rec.Retain()
	in.rows, in.reserved, in.bytes = append(in.rows, rec), append(in.reserved, release), in.bytes+bytes
	return nil
}

// take does what add does for a batch of any size, also one larger than a chunk.
func (in *intake) take(rec arrow.RecordBatch) error {
	pieces := min(batch.Bytes(rec)/in.store.ChunkBytes()+1, max(rec.NumRows(), 1))
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

// stage writes the rows of the current chunk as parts.
func (in *intake) stage() (err error) {
	if in.whole {
		return in.errReturning()
	}
	// A part cannot have NULL in this NOT NULL column. It is not known yet which rows are new and
	// which only change existing rows.
	if in.unset != "" {
		return errUnset(in.table, in.unset)
	}
	if in.staged == nil {
		if in.staged, err = in.store.Load(in.ctx, in.table, engine.LoadOptions{}); err != nil {
			return err
		}
	}
	a, err := in.arrivals(in.sent)
	if err != nil {
		return err
	}
	defer a.release()
	reserved := in.reserved
	in.reserved = nil
	in.releaseRows()
	return in.staged.Write(in.ctx, a.rows, func() {
		for _, release := range reserved {
			release()
		}
	})
}

// arrivals returns the rows of the current chunk as incoming rows. given are the columns that they
// set in existing rows.
func (in *intake) arrivals(given []schema.Column) (*arrivals, error) {
	// The rest of the reservation is released: the chunk is full, or there are no more rows.
	in.room.Close()
	rows := in.rows
	if len(rows) == 0 {
		rows = []arrow.RecordBatch{emptyRows(in.table)}
	}
	order := in.policy
	if in.first {
		order = keepRow
	}
	a, err := arrive(in.table, rows, in.sent, given, order)
	if err == nil {
		a.unset = in.unset
	}
	if err == nil && in.twice != nil && int(a.rows.NumRows()) < batch.Rows(rows) {
		a.release()
		return nil, in.twice
	}
	return a, err
}

func (in *intake) releaseRows() {
	for _, rec := range in.rows {
		rec.Release()
	}
	for _, release := range in.reserved {
		release()
	}
	in.rows, in.reserved, in.bytes = nil, nil, 0
}

// close releases the rows, and removes the parts that were not committed.
func (in *intake) close() error {
	in.room.Close()
	in.releaseRows()
	if in.staged == nil {
		return nil
	}
	return in.staged.Abort()
}

// closing calls close and joins its error to *err. It is for use with defer.
func (in *intake) closing(err *error) { *err = errors.Join(*err, in.close()) }
