package engine

import (
	"context"
	"errors"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// How a load replaces rows of a table with a primary key. It is a change like those of Commit, but
// nothing of it goes through the log. Its rows are in parts already. The catalog transaction that
// lists these parts also deletes the rows that they replace. So a row that the transaction deletes
// must be in a part, and not only in the log.
//
// Therefore the caller locks the table and flushes before it looks for rows to replace. While the
// table is locked, no other statement can change it, and later flushes have no rows of it. If
// merges replace parts meanwhile, the row addresses are carried over. In a table that merges on
// read, superseded rows are deleted before the load replaces rows.

// ChunkBytes is the size in bytes of a chunk: the rows that a load buffers before it writes them as
// parts. If a load has fewer rows, it appends them through the log.
func (e *Engine) ChunkBytes() int64 { return min(loadChunkBytes, e.memory.Rows.Limit()/8) }

// Write writes a batch of rows as parts, in the background. The rows must conform to the table. The
// parts have only these rows. Write retains the batch, and calls the function release when the
// batch's memory is not needed any more.
func (l *Load) Write(ctx context.Context, rec arrow.RecordBatch, release func()) error {
	if rec.NumRows() == 0 {
		release()
		return nil
	}
	rec.Retain()
	l.chunk, l.release = append(l.chunk, rec), append(l.release, release)
	l.rows += rec.NumRows()
	return l.spill(ctx)
}

// Parts writes all buffered rows as parts, and returns all parts of the load, in the order in which
// their rows arrived. Before the commit no reader sees these parts.
func (l *Load) Parts(ctx context.Context) ([]*catalog.Part, error) {
	l.reservation.Close() // no more rows will be added, or none soon
	if len(l.chunk) > 0 {
		if err := l.spill(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.writers.Wait(); err != nil {
		return nil, err
	}
	parts := make([]*catalog.Part, len(l.parts))
	for i, p := range l.parts {
		parts[i] = &p.Part
	}
	return parts, nil
}

// CommitReplacing commits a load into a table with a primary key. One edit makes the rows of the
// load visible and durable, and deletes the rows in the argument deleted. These are rows of the
// snapshot s, or rows of the load itself that newer rows of the same key replace. The caller must
// hold the exclusive table lock. It must have taken the snapshot under that lock, after a Flush.
// The argument counts becomes Result.Counts.
//
// If the table was truncated, or its schema changed, since the snapshot, the error is ErrChanged.
// After any error the caller still owns the load, and calls CommitReplacing again or Abort.
func (l *Load) CommitReplacing(ctx context.Context, s *snapshot.Snapshot, deleted map[base.RowsetID]*roaring.Bitmap, counts Counts, o AppendOptions) (Result, error) {
	if _, err := l.Parts(ctx); err != nil {
		return Result{}, err
	}
	e, t := l.engine, s.Tables[l.table.ID]
	if err := checkDeduplicated(t); err != nil || len(t.Superseded) > 0 {
		return Result{}, errors.Join(err, base.Errorf(base.Internal, "load over rows of table %s, some of which are superseded", l.table.QualifiedName()))
	}
	own := map[base.RowsetID]*roaring.Bitmap{}
	tc := &tableChange{id: l.table.ID, version: l.table.Version, deleted: map[base.RowsetID]*roaring.Bitmap{}, allColumns: true, inserts: true}
	bytes := int64(changeOverhead)
	for _, p := range l.parts {
		own[p.ID] = deleted[p.ID]
	}
	for rowset, rows := range deleted {
		rows.RunOptimize()
		bytes += int64(rows.GetSizeInBytes())
		if _, mine := own[rowset]; mine || rows.IsEmpty() {
			continue
		}
		if err := checkRows(t, rowset, rows.Maximum()); err != nil {
			return Result{}, err
		}
		tc.deleted[rowset] = rows
	}
	if err := e.checkPatchMemory(bytes); err != nil {
		return Result{}, err
	}
	return e.RunOnce(ctx, o, func(o AppendOptions) (Result, error) {
		for range maxAttempts {
			if err := e.remapAddresses(tc); err != nil {
				return Result{}, err
			}
			result, err := l.publishReplacing(ctx, s, tc, own, counts, o)
			if err != errRemapped {
				return result, base.Wrap(err, "load table %s", l.table.QualifiedName())
			}
		}
		return Result{}, ErrChanged
	})
}

// publishReplacing writes the one catalog edit of CommitReplacing. The edit lists the load's new
// parts, and deletes the rows that they replace. The argument own has the rows to be deleted in the
// new parts themselves: the load may have several rows of one key.
func (l *Load) publishReplacing(ctx context.Context, s *snapshot.Snapshot, tc *tableChange, own map[base.RowsetID]*roaring.Bitmap, counts Counts, o AppendOptions) (Result, error) {
	e := l.engine
	var sets map[base.RowsetID]*patch.Set
	var edit *catalog.Edit
	var stored []partChanges
	result := Result{Counts: counts}
	err := e.change(ctx, func() (*catalog.Edit, error) {
		if err := e.checkChanges(&changeSet{seq: s.Seq, exclusive: true, tables: []*tableChange{tc}}, newPendingWrites()); err != nil {
			return nil, err
		}
		t := e.tables[tc.id]
		if t.truncatedSeq >= s.Seq {
			return nil, ErrChanged
		}
		edit, sets, stored = &catalog.Edit{}, map[base.RowsetID]*patch.Set{}, nil
		result.Seq = e.seq + 1
		remove := func(rowset base.RowsetID, set *patch.Set, rows *roaring.Bitmap) (err error) {
			if set == nil {
				set = patch.New(rowset)
			}
			if sets[rowset], err = set.With(result.Seq, rows); err != nil {
				return err
			}
			stored = append(stored, partChanges{table: tc.id, part: rowset})
			return e.putChanges(edit, &stored[len(stored)-1], sets[rowset])
		}
		for rowset, rows := range tc.deleted {
			if err := remove(rowset, t.patches[rowset], rows); err != nil {
				return nil, err
			}
		}
		for _, p := range l.parts {
			p.MinSeq, p.MaxSeq, p.Applied = result.Seq, result.Seq, result.Seq
			edit.AddParts = append(edit.AddParts, p.Part)
			if rows := own[p.ID]; rows != nil && !rows.IsEmpty() {
				if err := remove(p.ID, nil, rows); err != nil {
					return nil, err
				}
			}
		}
		e.putKey(o, edit, result)
		return edit, e.syncBefore()
	}, func() []*version {
		e.garbage.markListed(e, l.parts)
		t := e.tables[tc.id]
		v := t.current
		parts := append(v.parts[:len(v.parts):len(v.parts)], l.parts...)
		old := t.installLocked(e.newVersionLocked(v.schema, parts, v.memtables))
		for _, m := range t.recorders {
			if err := m.add(committedChange{tc.id, result.Seq, e.now(), tc.deleted, nil, nil}); err != nil {
				// An error here is a defect of Scoter. The engine stops, because flushes or merges
				// that are running did not get the deletions, and could make deleted rows visible
				// again.
				e.stop(err)
			}
		}
		e.changesStored(stored)
		e.patchLocked(t, sets)
		if t.dedup != nil {
			t.dedup.raiseDeduped(result.Seq)
		}
		t.insertedSeq = result.Seq
		t.addWriteSet(writeSet{seq: result.Seq, rows: tc.touched, allColumns: true, inserted: true, anyKey: true})
		e.dropUnneededLocked()
		e.keyStored(o, edit, result)
		return []*version{old}
	})
	if err != nil {
		return Result{}, err
	}
	l.parts = nil
	e.notifyPartsAdded()
	return result, nil
}
