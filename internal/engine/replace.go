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
// nothing of it goes through the log. Its rows are in parts already, and the catalog transaction
// that lists the parts also deletes the rows that they replace. So no row that it deletes may be
// only in the log.
//
// Therefore the caller locks the table and flushes before it looks for rows to replace. No other
// statement can change the table then, later flushes have no rows of it, and remaps of merges are
// followed. Superseded rows of a table that merges on read are deleted before.

// ChunkBytes is the size of the rows that a load buffers before it writes them as parts. Fewer rows
// are appended through the log.
func (e *Engine) ChunkBytes() int64 { return min(loadChunkBytes, e.settings.MemoryBytes/8) }

// Write writes a batch of rows as parts, in the background. The rows conform to the table, and the
// parts have no other rows. Write retains the batch. It calls release when the memory is not needed
// any more.
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

// Parts writes all buffered rows as parts. It returns all parts of the load, in the order in which
// their rows arrived. Until the commit, only the caller knows these parts.
func (l *Load) Parts(ctx context.Context) ([]*catalog.Part, error) {
	l.room.Close() // there are no more rows, or none soon
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

// CommitOver is Commit for a load into a table with a primary key. One edit makes the rows of the
// load visible and durable, and deletes the rows in deleted. These are rows of the snapshot, or
// rows of the load's own parts. The caller holds the exclusive table lock, and took the snapshot
// under the lock, after a Flush. counts is what Result.Counts will be.
//
// If the table was truncated, or its schema changed, since the snapshot, the error is ErrChanged.
// After any error the caller still owns the load, and calls CommitOver again or Abort.
func (l *Load) CommitOver(ctx context.Context, s *snapshot.Snapshot, deleted map[base.SourceID]*roaring.Bitmap, counts Counts, o AppendOptions) (Result, error) {
	if _, err := l.Parts(ctx); err != nil {
		return Result{}, err
	}
	e, t := l.engine, s.Tables[l.table.ID]
	if err := checkSettled(t); err != nil || len(t.Losers) > 0 {
		return Result{}, errors.Join(err, base.Errorf(base.Internal, "load over rows of table %s, of which some are losers", l.table.QualifiedName()))
	}
	own := map[base.SourceID]*roaring.Bitmap{}
	tc := &tableChange{id: l.table.ID, version: l.table.Version, deleted: map[base.SourceID]*roaring.Bitmap{}, all: true, brings: true}
	bytes := int64(changeOverhead)
	for _, p := range l.parts {
		own[p.ID] = deleted[p.ID]
	}
	for source, rows := range deleted {
		rows.RunOptimize()
		bytes += int64(rows.GetSizeInBytes())
		if _, mine := own[source]; mine || rows.IsEmpty() {
			continue
		}
		if err := checkRows(t, source, rows.Maximum()); err != nil {
			return Result{}, err
		}
		tc.deleted[source] = rows
	}
	if err := e.checkPatchMemory(bytes); err != nil {
		return Result{}, err
	}
	return e.Once(ctx, o, func(o AppendOptions) (Result, error) {
		for range maxAttempts {
			if err := e.readdress(tc); err != nil {
				return Result{}, err
			}
			result, err := l.publishOver(ctx, s, tc, own, counts, o)
			if err != errMoved {
				return result, base.Wrap(err, "load table %s", l.table.QualifiedName())
			}
		}
		return Result{}, ErrChanged
	})
}

// publishOver runs the one edit of CommitOver. own has the deleted rows of the load's own parts.
func (l *Load) publishOver(ctx context.Context, s *snapshot.Snapshot, tc *tableChange, own map[base.SourceID]*roaring.Bitmap, counts Counts, o AppendOptions) (Result, error) {
	e := l.engine
	var sets map[base.SourceID]*patch.Set
	var edit *catalog.Edit
	var stored []partChanges
	result := Result{Counts: counts}
	err := e.change(ctx, func() (*catalog.Edit, error) {
		if err := e.checkChanges(&changeSet{seq: s.Seq, pinned: true, tables: []*tableChange{tc}}, newAhead()); err != nil {
			return nil, err
		}
		t := e.tables[tc.id]
		if t.truncatedSeq >= s.Seq {
			return nil, ErrChanged
		}
		edit, sets, stored = &catalog.Edit{}, map[base.SourceID]*patch.Set{}, nil
		result.Seq = e.seq + 1
		remove := func(source base.SourceID, set *patch.Set, rows *roaring.Bitmap) (err error) {
			if set == nil {
				set = patch.New(source)
			}
			if sets[source], err = set.With(result.Seq, rows); err != nil {
				return err
			}
			stored = append(stored, partChanges{table: tc.id, part: source})
			return e.putChanges(edit, &stored[len(stored)-1], sets[source])
		}
		for source, rows := range tc.deleted {
			if err := remove(source, t.patches[source], rows); err != nil {
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
		e.garbage.taken(e, l.parts)
		t := e.tables[tc.id]
		v := t.current
		parts := append(v.parts[:len(v.parts):len(v.parts)], l.parts...)
		old := t.installLocked(e.newVersionLocked(v.schema, parts, v.residents))
		for _, m := range t.moving {
			if err := m.add(committed{tc.id, result.Seq, e.now(), tc.deleted, nil, nil}); err != nil {
				// This is a defect: rewrites that run at the moment could make deleted rows visible
				// again.
				e.stop(err)
			}
		}
		e.changesStored(stored)
		e.patchLocked(t, sets)
		if t.settling != nil {
			t.settling.raise(result.Seq)
		}
		t.insertedSeq = result.Seq
		t.note(written{seq: result.Seq, rows: tc.touched, all: true, brought: true, anyKey: true})
		e.forgetLocked()
		e.keyPut(o, edit, result)
		return []*version{old}
	})
	if err != nil {
		return Result{}, err
	}
	l.parts = nil
	e.notifyPartsAdded()
	return result, nil
}
