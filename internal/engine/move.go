package engine

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
)

// moving records the changes that are made to rows while their rowsets are rewritten.
type moving struct {
	changes map[base.SourceID]*patch.Set // by old rowset: changes that the new files do not have
}

// moved is a remap that took place. Changes that were computed before it use it.
type moved struct {
	seq  base.Seq // snapshots from this edit on do not have the old rowset
	move patch.Move
}

// moves are the remaps of all tables that took place, oldest first. A remap is retained for changes
// that were computed before it, while a snapshot of any table from before it is held. Such a
// snapshot may be held for long, for example by a query whose result is read slowly. So the memory
// of remaps is bounded. If a remap is dropped early, changes that need it are ErrChanged. Remaps
// since a table was locked are not dropped, so a statement that runs again under the table lock
// succeeds.
type moves struct {
	kept  []keptMove // ascending by seq
	bytes int64
}

// keptMove is an element of moves. table.moved has the remap itself.
type keptMove struct {
	table   *table
	sources []base.SourceID
	seq     base.Seq
	bytes   int64
}

// movesBytes bounds the memory of retained remaps, except for the newest one. It also bounds,
// separately, the remaps that are retained for superseded rows.
func (e *Engine) movesBytes() int64 { return e.settings.MemoryBytes / 4 }

// add retains a remap of a table. Over the limit it drops the oldest remaps, except those since a
// table lock was taken.
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

// drop drops the remaps for which the function returns true.
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

// forget drops the remaps that are not newer than the oldest snapshot. It is called at every
// commit, and usually finds nothing.
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

// beginMove begins to record changes of the rowsets. The caller holds mu.
func (t *table) beginMove(sources ...base.SourceID) *moving {
	m := &moving{changes: map[base.SourceID]*patch.Set{}}
	for _, source := range sources {
		m.changes[source] = patch.New(source)
	}
	t.moving = append(t.moving, m)
	return m
}

// endMove ends the recording. The caller holds mu.
func (t *table) endMove(m *moving) {
	t.moving = slices.DeleteFunc(t.moving, func(other *moving) bool { return other == m })
}

// add records the part of a change that is about the moving rowsets. The caller holds mu.
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

// settled is the result of settleMove: what a remap leaves for the new rowsets.
type settled struct {
	move   patch.Move
	sets   map[base.SourceID]*patch.Set // of the new rowsets; nil for the old ones
	stored []partChanges
}

// settleMove adds the changes that were made during a rewrite to the edit that lists the new parts.
// It runs in the committer, so no further changes can be made. If settleMove or the edit fails,
// files of settled.stored may exist, for discardPatches.
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

// showMoveLocked makes a remap known, after the new parts are in the current version.
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

// forgetLocked drops what was retained for snapshots that are released.
func (e *Engine) forgetLocked() {
	oldest := e.live.oldest()
	e.moves.forget(oldest)
	for _, t := range e.tables {
		t.forget(oldest)
	}
}
