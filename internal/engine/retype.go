package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Retyping changes the type of a column by rewriting all parts of the table with the new type. It
// is used if readers could not convert the stored values. One edit of the catalog replaces the
// parts and the schema version. Nothing changes before that edit, so a crash leaves the table as it
// was.
//
// Writing the parts takes a while, and meanwhile rows are added and changed. So the work is done in
// rounds. Each round rewrites the parts that were added since the round before, and again the parts
// whose rows got new values. When few rows are left, the last round makes all writers of the table
// wait. The caller closes the Retyping.
type Retyping struct {
	engine *Engine
	next   schema.Table
	rounds []*Rewrite
	parts  map[base.RowsetID]bool // ids of all parts that were rewritten in any round so far
	// release releases what the last round takes: the table lock, and the hold that makes appends
	// wait. It is nil before the last round.
	release func()
}

// maxLockedRows is the maximum number of rows that the last round may write while writers wait.
// But after maxRounds rounds, the next round is the last, however many rows are left.
const (
	maxLockedRows = 1 << 18
	maxRounds     = 8
)

// Retype begins to change a table to a new schema version (the argument next), in which a column
// has another type. If the table does not have the version directly before it, the error is
// ErrChanged.
func (e *Engine) Retype(next schema.Table) (*Retyping, error) {
	if err := e.writable(); err != nil {
		return nil, err
	}
	now, err := e.Table(next.ID)
	if err != nil {
		return nil, err
	}
	if now.Version+1 != next.Version {
		return nil, ErrChanged
	}
	return &Retyping{engine: e, next: next, parts: map[base.RowsetID]bool{}}, nil
}

// Round begins the next round of rewriting parts. It flushes the table's rows, and returns a
// snapshot of the table that has only the parts to be rewritten in this round. The result stale has
// the parts of earlier rounds that changed since then: the caller discards what it wrote for them.
// If the result last is true, the caller calls Publish after writing the parts.
func (r *Retyping) Round(ctx context.Context) (t *snapshot.Table, stale []base.RowsetID, last bool, err error) {
	if r.release == nil {
		rows, err := r.remainingRows()
		if err == nil && (rows <= maxLockedRows || len(r.rounds) >= maxRounds) {
			err = r.lockOut(ctx)
		}
		if err != nil {
			return nil, nil, false, err
		}
	}
	if err := r.engine.Flush(ctx); err != nil {
		return nil, nil, false, err
	}
	round, stale, err := r.begin()
	if err != nil {
		return nil, nil, false, err
	}
	r.rounds = append(r.rounds, round)
	return round.Table(), stale, r.release != nil, nil
}

// lockOut makes all other writers of the table wait: it takes the exclusive table lock, and makes
// appends wait.
func (r *Retyping) lockOut(ctx context.Context) error {
	unlock, err := r.engine.LockTables(ctx, nil, r.next.ID)
	if err != nil {
		return err
	}
	release, err := r.engine.holdAppends(ctx, r.next.ID)
	if err != nil {
		unlock()
		return err
	}
	r.release = func() { release(); unlock() }
	return nil
}

// remainingRows returns the number of rows that the next round has to write.
func (r *Retyping) remainingRows() (rows int64, err error) {
	e := r.engine
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.tableLocked(r.next.ID)
	if err != nil {
		return 0, err
	}
	for _, resident := range t.current.memtables {
		rows += resident.mem.View().Rows
	}
	stale := r.staleLocked(t)
	for _, p := range t.current.parts {
		if !r.parts[p.ID] || slices.Contains(stale, p.ID) {
			rows += p.Rows
		}
	}
	return rows, nil
}

// staleLocked returns the parts of earlier rounds that must be rewritten again: they were removed,
// or their rows got new values, after their round began. Deletions do not make a part stale,
// because Publish carries deletions over to the new parts. The caller must hold mu.
func (r *Retyping) staleLocked(t *table) (stale []base.RowsetID) {
	for _, round := range r.rounds {
		expressed := slices.ContainsFunc(t.expressions, func(x *storedExpression) bool { return x.Seq > round.Snapshot.Seq })
		for rowset, set := range round.recorder.changes {
			if expressed || set.PatchedRows() > 0 || !t.current.hasPart(rowset) {
				stale = append(stale, rowset)
			}
		}
	}
	return stale
}

// begin starts a round of rewriting parts. The returned Rewrite has the parts that were added since
// the last round, and the stale ones (those that must be rewritten again).
func (r *Retyping) begin() (round *Rewrite, stale []base.RowsetID, err error) {
	e := r.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.tableLocked(r.next.ID)
	if err != nil {
		return nil, nil, err
	}
	stale = r.staleLocked(t)
	for _, rowset := range stale {
		delete(r.parts, rowset)
		for _, old := range r.rounds {
			delete(old.recorder.changes, rowset)
		}
	}
	round = &Rewrite{Snapshot: e.storedLocked(t), engine: e, table: r.next.ID}
	shown := round.Table()
	var parts []*catalog.Part
	for _, p := range shown.Parts {
		if !r.parts[p.ID] {
			r.parts[p.ID] = true
			parts, round.rowsets = append(parts, p), append(round.rowsets, p.ID)
		}
	}
	shown.Parts = parts
	round.recorder = t.beginRecording(round.rowsets...)
	return round, stale, nil
}

// Close ends the Retyping. If Publish did not succeed, the table stays unchanged.
func (r *Retyping) Close() {
	for _, round := range r.rounds {
		round.Close()
	}
	if r.release != nil {
		r.release()
	}
}

// Publish makes the new schema version and all new parts visible and durable. remap has the new
// addresses of all rows. If the result more is true, nothing was published: a load has added parts
// since the last round, and another round must follow. If a part was merged meanwhile, the error is
// Conflict. If something else changed, the error is ErrChanged. After these errors none of the new
// parts can be used.
func (r *Retyping) Publish(ctx context.Context, parts []catalog.Part, remap patch.Remap) (more bool, err error) {
	// Use the snapshot of the last round. The rows of the new parts were computed with exactly the
	// expression updates (UPDATEs that are stored as SQL) of that snapshot: an expression update
	// between two rounds makes all parts stale.
	all := &Rewrite{Snapshot: r.rounds[len(r.rounds)-1].Snapshot, engine: r.engine, table: r.next.ID, next: &r.next, rowsets: slices.Sorted(maps.Keys(r.parts))}
	all.check = func(edit *catalog.Edit) error {
		t := r.engine.tables[r.next.ID]
		switch v := t.current; {
		case v.schema.Version+1 != r.next.Version:
			return ErrChanged
		case len(v.memtables) > 0, len(v.parts) > len(all.rowsets):
			return errRemapped
		}
		all.recorder = &changeRecorder{changes: map[base.RowsetID]*patch.Set{}}
		for _, round := range r.rounds {
			maps.Copy(all.recorder.changes, round.recorder.changes)
		}
		for _, set := range all.recorder.changes {
			if set.PatchedRows() > 0 {
				return base.Errorf(base.Internal, "rows of part %d were changed while the table was locked", set.Rowset)
			}
		}
		edit.PutTables = []catalog.Table{{Schema: r.next, TruncatedSeq: t.truncatedSeq, Created: t.created}}
		return nil
	}
	all.record = func(t *table, _ *catalog.Edit) { t.addWriteSet(writeSet{seq: r.engine.seq, allColumns: true}) }
	err = all.Publish(ctx, parts, remap)
	return errors.Is(err, errRemapped), err
}
