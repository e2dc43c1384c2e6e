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

// intake takes the rows of a statement for a keyed table. Few are kept, to go through the log; of more than a chunk
// it makes parts as they come, each without two rows of one key.
type intake struct {
	*Mutator
	ctx    context.Context
	table  schema.Table
	sent   []schema.Column // by the sender; the others have their defaults
	policy conflict
	twice  *base.Error // what two rows of one key are; nil if one of them holds
	first  bool        // of two rows of one key the first holds, whatever the policy
	unset  string      // a column that is NOT NULL, for which the rows have no value; empty if there is none. See withoutUnset
	// whole says that all rows are needed together: there may be no more than a chunk.
	whole bool

	room     *engine.Room
	rows     []arrow.RecordBatch // of the chunk
	reserved []func()
	bytes    int64

	staged *engine.Load // nil until there is more than one chunk
}

// add takes rows that conform to the table; the batch is retained.
func (in *intake) add(rec arrow.RecordBatch) error {
	if in.bytes >= in.store.ChunkBytes() {
		if err := in.stage(); err != nil {
			return err
		}
	}
	bytes := batch.Bytes(rec)
	taken := in.bytes
	if in.whole {
		taken = 0 // that can be staged
	}
	release, err := in.room.NeedBeside(in.ctx, bytes, taken, in.stage)
	if err != nil {
		return err
	}
	rec.Retain()
	in.rows, in.reserved, in.bytes = append(in.rows, rec), append(in.reserved, release), in.bytes+bytes
	return nil
}

// take is add for rows that may be many at once.
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

// stage writes the chunk as parts.
func (in *intake) stage() (err error) {
	if in.whole {
		return in.errReturning()
	}
	if in.unset != "" { // a part has no NULL there, and which rows are new is not known yet
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

// arrivals returns the rows of the chunk, of which a row that is there takes some columns.
func (in *intake) arrivals(given []schema.Column) (*arrivals, error) {
	in.room.Close() // what is left: the chunk is full, or there are no more rows
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

// close gives up what was taken and not committed.
func (in *intake) close() error {
	in.room.Close()
	in.releaseRows()
	if in.staged == nil {
		return nil
	}
	return in.staged.Abort()
}

// closing joins the error of close to another.
func (in *intake) closing(err *error) { *err = errors.Join(*err, in.close()) }
