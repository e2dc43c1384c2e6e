package engine

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
)

// moving collects what is changed of rows while they are written anew, and says where they are afterwards.
type moving struct {
	changes map[base.SourceID]*patch.Set // by old source: what is not in the new files
}

// moved is a move that took place, for changes computed before it.
type moved struct {
	seq  base.Seq // no snapshot from here on names the old source
	move patch.Move
}

// moves are all tables' moves that took place, oldest first. They are kept for changes that were computed before them, as long as there is a snapshot of any
// table from before: a query that somebody reads slowly, say. So they are bounded: of one that is dropped before, changes are
// ErrChanged. Who pins a table, as for another attempt, has those that came since.
type moves struct {
	kept  []keptMove // ascending by seq
	bytes int64
}

// keptMove is one of them, which its table has in moved.
type keptMove struct {
	table   *table
	sources []base.SourceID
	seq     base.Seq
	bytes   int64
}

// movesBytes bounds the memory of moves, but for the last one, and that of those which are kept for losers.
func (e *Engine) movesBytes() int64 { return e.settings.MemoryBytes / 4 }

// add keeps a move of a table, and drops the oldest ones over the limit that no pin is from before.
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

// drop forgets those moves for which it is asked to.
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

// forget drops those that no snapshot is older than. It is asked at every commit, mostly in vain.
func (m *moves) forget(oldest base.Seq) {
	if len(m.kept) == 0 || m.kept[0].seq > oldest {
		return
	}
	m.drop(func(k keptMove) bool { return k.seq <= oldest })
}

// forgetTable drops those of a table.
func (m *moves) forgetTable(t *table) {
	m.drop(func(k keptMove) bool { return k.table == t })
}

// beginMove begins to collect for sources. Under mu.
func (t *table) beginMove(sources ...base.SourceID) *moving {
	m := &moving{changes: map[base.SourceID]*patch.Set{}}
	for _, source := range sources {
		m.changes[source] = patch.New(source)
	}
	t.moving = append(t.moving, m)
	return m
}

// endMove ends collecting. Under mu.
func (t *table) endMove(m *moving) {
	t.moving = slices.DeleteFunc(t.moving, func(other *moving) bool { return other == m })
}

// add takes in a change, as far as it is of the moving rows. Under mu.
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

// settled is what a move leaves for its successors.
type settled struct {
	move   patch.Move
	sets   map[base.SourceID]*patch.Set // of the new sources; nil for the old ones
	stored []partChanges
}

// settleMove puts what was changed of rows while they were written anew into the edit that makes their new parts
// known. In the committer, where nothing changes any more. If the edit fails, or this does, what is stored may have left files, for
// discardPatches.
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

// showMoveLocked makes a move known after the new parts are.
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

// forgetLocked drops what was kept for snapshots that are gone.
func (e *Engine) forgetLocked() {
	oldest := e.live.oldest()
	e.moves.forget(oldest)
	for _, t := range e.tables {
		t.forget(oldest)
	}
}
