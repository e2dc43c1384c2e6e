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
// Writing the parts takes a while, and meanwhile rows arrive and change. So it works in rounds.
// Each round rewrites the parts that were added since the last one, and again the parts whose rows
// got new values. When few rows are left, the last round makes all writers of the table wait. The
// caller closes the Retyping.
type Retyping struct {
	engine *Engine
	next   schema.Table
	rounds []*Rewrite
	taken  map[base.SourceID]bool // ids of all parts that were rewritten so far
	// Releases the table lock and the hold of the last round; nil before it.
	release func()
}

// heldRowsAtMost is the greatest number of rows that the last round may write while writers wait.
// But after maxRounds rounds, the next one is the last, however many rows are left.
const (
	heldRowsAtMost = 1 << 18
	maxRounds      = 8
)

// Retype begins to change a table to its next schema version. If the table does not have the
// version before that any more, the error is ErrChanged.
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
	return &Retyping{engine: e, next: next, taken: map[base.SourceID]bool{}}, nil
}

// Round flushes the table's rows, and returns a snapshot of the table that has only the parts to be
// rewritten in this round. stale has parts of earlier rounds that changed since: the caller
// discards what it wrote for them. If last is true, the caller calls Publish after writing the
// parts.
func (r *Retyping) Round(ctx context.Context) (t *snapshot.Table, stale []base.SourceID, last bool, err error) {
	if r.release == nil {
		rows, err := r.left()
		if err == nil && (rows <= heldRowsAtMost || len(r.rounds) >= maxRounds) {
			err = r.keepOut(ctx)
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

// keepOut makes all other writers of the table wait: it takes the table lock, and holds appends.
func (r *Retyping) keepOut(ctx context.Context) error {
	unpin, err := r.engine.Pin(ctx, nil, r.next.ID)
	if err != nil {
		return err
	}
	release, err := r.engine.holdAppends(ctx, r.next.ID)
	if err != nil {
		unpin()
		return err
	}
	r.release = func() { release(); unpin() }
	return nil
}

// left returns the number of rows that the next round would have to write.
func (r *Retyping) left() (rows int64, err error) {
	e := r.engine
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.tableLocked(r.next.ID)
	if err != nil {
		return 0, err
	}
	for _, resident := range t.current.residents {
		rows += resident.mem.View().Rows
	}
	stale := r.staleLocked(t)
	for _, p := range t.current.parts {
		if !r.taken[p.ID] || slices.Contains(stale, p.ID) {
			rows += p.Rows
		}
	}
	return rows, nil
}

// staleLocked returns the parts of earlier rounds that were removed, or whose rows got new values,
// since their round began. Deletions do not make a part stale, because Publish carries them over to
// the new parts.
func (r *Retyping) staleLocked(t *table) (stale []base.SourceID) {
	for _, round := range r.rounds {
		expressed := slices.ContainsFunc(t.expressions, func(x *storedExpression) bool { return x.Seq > round.Snapshot.Seq })
		for source, set := range round.moving.changes {
			if expressed || set.PatchedRows() > 0 || !t.current.lists(source) {
				stale = append(stale, source)
			}
		}
	}
	return stale
}

// begin begins a round. Its Rewrite has the parts that are new, and those that are stale.
func (r *Retyping) begin() (round *Rewrite, stale []base.SourceID, err error) {
	e := r.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.tableLocked(r.next.ID)
	if err != nil {
		return nil, nil, err
	}
	stale = r.staleLocked(t)
	for _, source := range stale {
		delete(r.taken, source)
		for _, old := range r.rounds {
			delete(old.moving.changes, source)
		}
	}
	round = &Rewrite{Snapshot: e.storedLocked(t), engine: e, table: r.next.ID}
	shown := round.Table()
	var parts []*catalog.Part
	for _, p := range shown.Parts {
		if !r.taken[p.ID] {
			r.taken[p.ID] = true
			parts, round.sources = append(parts, p), append(round.sources, p.ID)
		}
	}
	shown.Parts = parts
	round.moving = t.beginMove(round.sources...)
	return round, stale, nil
}

// Close ends the Retyping. If Publish did not succeed, nothing is changed.
func (r *Retyping) Close() {
	for _, round := range r.rounds {
		round.Close()
	}
	if r.release != nil {
		r.release()
	}
}

// Publish makes the new schema version and all new parts visible and durable. move is the remap of
// all rows. If more is true, nothing was published: a load has added parts since the last round,
// and another round must follow. If a part was merged meanwhile the error is Conflict, and if
// something else changed it is ErrChanged. After these errors none of the new parts can be used.
func (r *Retyping) Publish(ctx context.Context, parts []catalog.Part, move patch.Move) (more bool, err error) {
	// An expression update between two rounds makes all parts stale. So the new parts have exactly
	// those expression updates applied that the last round's snapshot has.
	all := &Rewrite{Snapshot: r.rounds[len(r.rounds)-1].Snapshot, engine: r.engine, table: r.next.ID, next: &r.next, sources: slices.Sorted(maps.Keys(r.taken))}
	all.check = func(edit *catalog.Edit) error {
		t := r.engine.tables[r.next.ID]
		switch v := t.current; {
		case v.schema.Version+1 != r.next.Version:
			return ErrChanged
		case len(v.residents) > 0, len(v.parts) > len(all.sources):
			return errMoved
		}
		all.moving = &moving{changes: map[base.SourceID]*patch.Set{}}
		for _, round := range r.rounds {
			maps.Copy(all.moving.changes, round.moving.changes)
		}
		for _, set := range all.moving.changes {
			if set.PatchedRows() > 0 {
				return base.Errorf(base.Internal, "rows of part %d were changed while everybody is kept out", set.Source)
			}
		}
		edit.PutTables = []catalog.Table{{Schema: r.next, TruncatedSeq: t.truncatedSeq, Created: t.created}}
		return nil
	}
	all.note = func(t *table, _ *catalog.Edit) { t.note(written{seq: r.engine.seq, all: true}) }
	err = all.Publish(ctx, parts, move)
	return errors.Is(err, errMoved), err
}
