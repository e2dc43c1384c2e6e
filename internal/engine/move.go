package engine

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
)

// moving records the changes that are committed to the rows of some rowsets while these rowsets are
// being rewritten. The new files do not have these changes.
type moving struct {
	changes map[base.SourceID]*patch.Set // the recorded changes, by the id of the old rowset
}

// moved is the remap of a rowset that was replaced: it gives the new addresses of its rows. A
// change whose snapshot has the old rowset needs it.
type moved struct {
	// seq is the number of the edit that replaced the rowset. Snapshots from this edit on do not
	// have the old rowset.
	seq  base.Seq
	move patch.Move
}

// moves has the retained remaps of all tables, oldest first. A remap gives the new row addresses of
// a rowset that was replaced. Changes need it if their snapshot was taken before the replacement.
// So a remap is retained while a snapshot of any table from before it is held. Such a snapshot may
// be held for long, for example by a query whose result is read slowly. So the memory of remaps is
// bounded, and the oldest are dropped. A change that needs a dropped remap gets the error
// ErrChanged. Remaps since a table was locked are not dropped, so a statement that runs again under
// the table lock succeeds.
type moves struct {
	kept  []keptMove // the retained remaps, by ascending sequence number of the edit
	bytes int64
}

// keptMove describes one retained remap. The remap itself is in table.moved.
type keptMove struct {
	table   *table
	sources []base.SourceID
	seq     base.Seq
	bytes   int64
}

// movesBytes is the limit of the memory of retained remaps, in bytes. The newest remap is retained
// even if it alone exceeds the limit. The remaps that are retained for the dedup states of tables
// have the same limit, separately.
func (e *Engine) movesBytes() int64 { return e.settings.MemoryBytes / 4 }

// add retains the remap move of the rowsets sources of a table, which were replaced by the edit
// seq. If the memory of all remaps exceeds limit, it drops the oldest ones, except those since a
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

// drop drops the retained remaps for which the function drop returns true.
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

// forget drops the remaps that no change can need any more: those that are not newer than the
// oldest held snapshot. It is called at every commit, and usually there are none.
func (m *moves) forget(oldest base.Seq) {
	if len(m.kept) == 0 || m.kept[0].seq > oldest {
		return
	}
	m.drop(func(k keptMove) bool { return k.seq <= oldest })
}

// forgetTable drops all retained remaps of a table.
func (m *moves) forgetTable(t *table) {
	m.drop(func(k keptMove) bool { return k.table == t })
}

// beginMove begins to record the changes that are committed to the rows of the given rowsets. A
// flush or rewrite calls it. The caller holds mu.
func (t *table) beginMove(sources ...base.SourceID) *moving {
	m := &moving{changes: map[base.SourceID]*patch.Set{}}
	for _, source := range sources {
		m.changes[source] = patch.New(source)
	}
	t.moving = append(t.moving, m)
	return m
}

// endMove ends the recording of changes by m. The caller holds mu.
func (t *table) endMove(m *moving) {
	t.moving = slices.DeleteFunc(t.moving, func(other *moving) bool { return other == m })
}

// add records the part of a committed change that is about rowsets which are being rewritten. The
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

// settled is the result of settleMove: the changes that were committed during a rewrite, carried
// over to the new rowsets.
type settled struct {
	move patch.Move
	// sets has the patches and deletions of each new rowset, and nil for each old rowset, by rowset
	// id.
	sets   map[base.SourceID]*patch.Set
	stored []partChanges
}

// settleMove is called at the end of a flush or rewrite. It carries the changes that were committed
// meanwhile over to the new rowsets, and adds them to the edit that lists the new parts. It runs in
// the committer, so no more changes can be committed before that edit. If settleMove or the edit
// fails, files of settled.stored may exist, and the caller removes them with discardPatches.
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

// showMoveLocked makes the result of settleMove visible: it retains the remap of the replaced
// rowsets, and sets the patches of the new rowsets. The new parts must be in the table's current
// version already. The caller must hold mu.
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

// forgetLocked drops the remaps and write sets that no held snapshot needs any more. The caller
// must hold mu.
func (e *Engine) forgetLocked() {
	oldest := e.live.oldest()
	e.moves.forget(oldest)
	for _, t := range e.tables {
		t.forget(oldest)
	}
}
