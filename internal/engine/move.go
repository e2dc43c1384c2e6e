package engine

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
)

// moving records the changes that are committed to rows while their rowsets are being rewritten.
// The new files do not have these changes.
type moving struct {
	changes map[base.SourceID]*patch.Set // the recorded changes, by id of the old rowset
}

// moved is a remap of a rowset that was replaced. Changes that were computed before need it.
type moved struct {
	seq  base.Seq // edit of the remap: snapshots from this edit on do not have the old rowset
	move patch.Move
}

// moves has the retained remaps of all tables, oldest first. A remap is needed by changes that were
// computed before it. So it is retained while a snapshot of any table from before it is held. Such
// a snapshot may be held for long, for example by a query whose result is read slowly, so the
// memory of remaps is bounded. If a remap that a change needs was dropped, the change is
// ErrChanged. Remaps since a table was locked are not dropped, so a statement that runs again under
// the table lock succeeds.
type moves struct {
	kept  []keptMove // ascending by seq
	bytes int64
}

// keptMove is an element of moves. The remap itself is in table.moved.
type keptMove struct {
	table   *table
	sources []base.SourceID
	seq     base.Seq
	bytes   int64
}

// movesBytes is the limit of the memory of retained remaps; the newest one is retained even beyond
// it. The remaps that are retained for superseded rows have the same limit, separately.
func (e *Engine) movesBytes() int64 { return e.settings.MemoryBytes / 4 }

// add retains a remap of rowsets (sources) of a table, made by edit seq. If the memory of all
// remaps exceeds limit, it drops the oldest ones, except those since a table lock was taken.
func (m *moves) add(t *table, sources []base.SourceID, seq base.Seq, move patch.Move, limit int64) {
	if t.moved == nil {
		t.moved = map[base.SourceID]moved{}
	}
	for _, source := range sources {
		t.moved[source] = moved{seq, move}
	}
	bytes := move.Bytes()
	m.kept, m.bytes = append(m.kept, keptMove{t, sources, seq, bytes}), m.bytes+bytes
	last := len(m.kept) - 1
	i := -1
	m.drop(func(k keptMove) bool {
		i++
		return i < last && m.bytes > limit && (k.table.pinnedSeq == 0 || k.seq <= k.table.pinnedSeq)
	})
}

// drop drops those remaps for which the function returns true.
func (m *moves) drop(drop func(keptMove) bool) {
	m.kept = slices.DeleteFunc(m.kept, func(k keptMove) bool {
		if !drop(k) {
			return false
		}
		for _, source := range k.sources {
			delete(k.table.moved, source)
		}
		m.bytes -= k.bytes
		return true
	})
}

// forget drops the remaps up to the oldest held snapshot, which nobody can need. It is called at
// every commit, and usually finds nothing.
func (m *moves) forget(oldest base.Seq) {
	if len(m.kept) == 0 || m.kept[0].seq > oldest {
		return
	}
	m.drop(func(k keptMove) bool { return k.seq <= oldest })
}

// forgetTable drops the remaps of a table.
func (m *moves) forgetTable(t *table) {
	m.drop(func(k keptMove) bool { return k.table == t })
}

// beginMove begins to record changes of the rowsets, for a flush or rewrite. The caller holds mu.
func (t *table) beginMove(sources ...base.SourceID) *moving {
	m := &moving{changes: map[base.SourceID]*patch.Set{}}
	for _, source := range sources {
		m.changes[source] = patch.New(source)
	}
	t.moving = append(t.moving, m)
	return m
}

// endMove ends the recording of m. The caller holds mu.
func (t *table) endMove(m *moving) {
	t.moving = slices.DeleteFunc(t.moving, func(other *moving) bool { return other == m })
}

// add records a committed change, as far as it is about the rowsets that are being rewritten. The
// caller holds mu.
func (m *moving) add(c committed) error {
	updated := bySource(c.updated)
	for source, set := range m.changes {
		if c.deleted[source] == nil && len(updated[source]) == 0 {
			continue
		}
		next, err := set.With(c.seq, c.deleted[source], updated[source]...)
		if err != nil {
			return err
		}
		m.changes[source] = next
	}
	return nil
}

// settled is what settleMove returns: the changes that were committed during a rewrite, carried
// over to the new rowsets.
type settled struct {
	move patch.Move
	// By rowset id: the changes of new rowsets, and nil for each old rowset.
	sets   map[base.SourceID]*patch.Set
	stored []partChanges
}

// settleMove ends a rewrite: it carries the changes that were committed during the rewrite over to
// the new rowsets, and adds them to the edit that lists the new parts. It runs in the committer, so
// no more changes can be committed. If settleMove or the edit fails, files of settled.stored may
// exist, and the caller removes them with discardPatches.
func (e *Engine) settleMove(edit *catalog.Edit, t *table, m *moving, move patch.Move) (*settled, error) {
	s := &settled{move: move, sets: map[base.SourceID]*patch.Set{}}
	for _, set := range m.changes {
		if set.Empty() {
			continue
		}
		if err := patch.MoveSet(move, set, s.sets); err != nil {
			return s, base.Wrap(err, "move changes of source %d", set.Source)
		}
	}
	for part, set := range s.sets {
		patches, err := e.encodePatches(t.history, set, settledInlineBytes)
		c := partChanges{table: t.id, part: part, patches: patches}
		if err == nil {
			err = e.putChanges(edit, &c, set)
		}
		s.stored = append(s.stored, c)
		if err != nil {
			return s, err
		}
	}
	for source := range m.changes {
		s.sets[source] = nil
	}
	return s, nil
}

// showMoveLocked publishes the result of settleMove: it retains the remap, and sets the patches of
// the new rowsets. The new parts must be in the current version already.
func (e *Engine) showMoveLocked(t *table, s *settled) {
	var sources []base.SourceID
	for source, set := range s.sets {
		if set != nil {
			continue
		}
		sources = append(sources, source)
	}
	e.moves.add(t, sources, e.seq+1, s.move, e.movesBytes())
	e.relocatedLocked(t.settling, sources, s.move)
	e.patchLocked(t, s.sets)
}

// forgetLocked drops remaps and write sets that were retained for snapshots which have been
// released.
func (e *Engine) forgetLocked() {
	oldest := e.live.oldest()
	e.moves.forget(oldest)
	for _, t := range e.tables {
		t.forget(oldest)
	}
}
