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

// Retyping is a change of a column's type that no reader could make of the stored values: all parts
// of the table are written anew, with the new type, and one edit of the catalog puts them, and the
// new version of the schema, in the place of what is there. Until then nothing is changed, so a
// crash leaves the table as it was.
//
// Writing the parts takes a while, in which rows come and change. So it goes in rounds: each is of
// the parts that came since the last one, and of those of which rows got new values. When few rows
// are left, the last round keeps everybody out. The caller closes the retyping.
type Retyping struct {
	engine  *Engine
	next    schema.Table
	rounds  []*Rewrite
	taken   map[base.SourceID]bool // the parts of the rounds
	release func()                 // lets others in; nil before the last round
}

// heldRowsAtMost is how many rows may be left to write while others are kept out, and maxRounds
// after how many rounds more may be.
const (
	heldRowsAtMost = 1 << 18
	maxRounds      = 8
)

// Retype begins a Retyping into the next version of a table. A table that has another version by
// now is ErrChanged.
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

// Round flushes the table, and returns it with the parts alone that are to be written. What was
// written of the stale ones before is of no use. last says that nothing comes after them: then
// Publish is next.
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

// keepOut has others wait who change rows of the table, or append some.
func (r *Retyping) keepOut(ctx context.Context) error {
	unpin, err := r.engine.Pin(ctx, AppendOptions{}, r.next.ID)
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

// left returns how many rows of the table are to be written.
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

// staleLocked returns those of the parts of all rounds that are gone, or of which rows got new
// values since their round began. Deleted rows are none: they are carried over.
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

// begin begins to write those parts that no round has yet, or that are stale. Its snapshot shows no
// others.
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

// Close gives the retyping up, or ends it after Publish.
func (r *Retyping) Close() {
	for _, round := range r.rounds {
		round.Close()
	}
	if r.release != nil {
		r.release()
	}
}

// Publish makes the new version of the schema visible and durable, with the new parts, and move
// says where each of the rows went. more says that a load brought parts since the last round:
// another round is to follow. If a part was merged meanwhile it is a Conflict, and ErrChanged if
// something else was changed: then nothing of what was written is of use.
func (r *Retyping) Publish(ctx context.Context, parts []catalog.Part, move patch.Move) (more bool, err error) {
	// Expressions that came between the rounds made all parts stale, so the last round's snapshot
	// tells which are in the values.
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
