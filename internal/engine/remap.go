package engine

import (
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
)

// changeRecorder records the changes that are committed to the rows of some rowsets while these
// rowsets are being rewritten. The new files do not have these changes.
type changeRecorder struct {
	changes map[base.RowsetID]*patch.Set // the recorded changes, by the id of the old rowset
}

// remapped is the remap of a rowset that was replaced: it gives the new addresses of its rows. A
// change whose snapshot has the old rowset needs it.
type remapped struct {
	// seq is the number of the edit that replaced the rowset. Snapshots with this number or a
	// greater one do not have the old rowset.
	seq   base.Seq
	remap patch.Remap
}

// remaps has the retained remaps of all tables, oldest first. A remap gives the new row addresses
// of a rowset that was replaced. Changes need it if their snapshot was taken before the
// replacement. So a remap is retained as long as any snapshot is held that was taken before the
// replacement. Such a snapshot may be held for long, for example by a query whose result is read
// slowly. So the memory of remaps is bounded, and the oldest are dropped. A change that needs a
// dropped remap gets the error ErrChanged. Remaps that were made since a table was locked are not
// dropped, so a statement that runs again under the table lock succeeds.
type remaps struct {
	retained []retainedRemap // the retained remaps, by ascending seq
	bytes    int64
}

// retainedRemap describes one retained remap (new row addresses of replaced rowsets). The remap
// itself is in table.remaps.
type retainedRemap struct {
	table   *table
	rowsets []base.RowsetID
	seq     base.Seq
	bytes   int64
}

// remapBytes is the limit of the memory of retained remaps (new row addresses of replaced rowsets),
// in bytes. The newest remap is retained
// even if it alone exceeds the limit. The remaps that are retained for the dedup states of tables
// have the same limit, separately.
func (e *Engine) remapBytes() int64 { return e.memory.Rows.Limit() / 4 }

// add retains the given remap: the new addresses of the rows of the given rowsets, which the edit
// seq has replaced. If the memory of all remaps exceeds limit, add drops the oldest remaps. It does
// not drop remaps of a locked table that were made since the table was locked.
func (m *remaps) add(t *table, rowsets []base.RowsetID, seq base.Seq, remap patch.Remap, limit int64) {
	if t.remaps == nil {
		t.remaps = map[base.RowsetID]remapped{}
	}
	for _, rowset := range rowsets {
		t.remaps[rowset] = remapped{seq, remap}
	}
	bytes := remap.Bytes()
	m.retained, m.bytes = append(m.retained, retainedRemap{t, rowsets, seq, bytes}), m.bytes+bytes
	last := len(m.retained) - 1
	i := -1
	m.drop(func(k retainedRemap) bool {
		i++
		return i < last && m.bytes > limit && (k.table.lockedSeq == 0 || k.seq <= k.table.lockedSeq)
	})
}

// drop drops the retained remaps for which its argument, also named drop, returns true.
func (m *remaps) drop(drop func(retainedRemap) bool) {
	m.retained = slices.DeleteFunc(m.retained, func(k retainedRemap) bool {
		if !drop(k) {
			return false
		}
		for _, rowset := range k.rowsets {
			delete(k.table.remaps, rowset)
		}
		m.bytes -= k.bytes
		return true
	})
}

// dropOld drops the remaps (new row addresses) that no change can need any more: those that are not
// newer than the oldest held snapshot. It is called at every commit, and usually finds nothing to
// drop.
func (m *remaps) dropOld(oldest base.Seq) {
	if len(m.retained) == 0 || m.retained[0].seq > oldest {
		return
	}
	m.drop(func(k retainedRemap) bool { return k.seq <= oldest })
}

// forgetTable drops all retained remaps (new row addresses of replaced rowsets) of a table.
func (m *remaps) forgetTable(t *table) {
	m.drop(func(k retainedRemap) bool { return k.table == t })
}

// beginRecording begins to record the changes that are committed to the rows of the given rowsets.
// A flush or rewrite calls it. The caller holds mu.
func (t *table) beginRecording(rowsets ...base.RowsetID) *changeRecorder {
	m := &changeRecorder{changes: map[base.RowsetID]*patch.Set{}}
	for _, rowset := range rowsets {
		m.changes[rowset] = patch.New(rowset)
	}
	t.recorders = append(t.recorders, m)
	return m
}

// endRecording ends the recording of changes in the changeRecorder m. The caller holds mu.
func (t *table) endRecording(m *changeRecorder) {
	t.recorders = slices.DeleteFunc(t.recorders, func(other *changeRecorder) bool { return other == m })
}

// add stores a committed change in the recorder, as far as it is about rowsets that are being
// rewritten. The caller holds mu.
func (m *changeRecorder) add(c committedChange) error {
	updated := byRowset(c.updated)
	for rowset, set := range m.changes {
		if c.deleted[rowset] == nil && len(updated[rowset]) == 0 {
			continue
		}
		next, err := set.With(c.seq, c.deleted[rowset], updated[rowset]...)
		if err != nil {
			return err
		}
		m.changes[rowset] = next
	}
	return nil
}

// carriedChanges is the result of carryOver: the changes that were committed during a rewrite,
// carried over to the new rowsets.
type carriedChanges struct {
	remap patch.Remap
	// The map sets has, by rowset id, the patches and deletions of each new rowset, and nil for
	// each old rowset.
	sets   map[base.RowsetID]*patch.Set
	stored []partChanges
}

// carryOver is called at the end of a flush or rewrite. It carries the changes that were committed
// meanwhile over to the new rowsets, and adds them to the edit that lists the new parts. It runs in
// the committer, so no more changes can be committed before that edit. If carryOver or the edit
// fails, files of carriedChanges.stored may exist, and the caller removes them with discardPatches.
func (e *Engine) carryOver(edit *catalog.Edit, t *table, m *changeRecorder, remap patch.Remap) (*carriedChanges, error) {
	s := &carriedChanges{remap: remap, sets: map[base.RowsetID]*patch.Set{}}
	for _, set := range m.changes {
		if set.Empty() {
			continue
		}
		if err := patch.RemapSet(remap, set, s.sets); err != nil {
			return s, base.Wrap(err, "move changes of rowset %d", set.Rowset)
		}
	}
	for part, set := range s.sets {
		patches, err := e.encodePatches(t.history, set, carriedInlineBytes)
		c := partChanges{table: t.id, part: part, patches: patches}
		if err == nil {
			err = e.putChanges(edit, &c, set)
		}
		s.stored = append(s.stored, c)
		if err != nil {
			return s, err
		}
	}
	for rowset := range m.changes {
		s.sets[rowset] = nil
	}
	return s, nil
}

// showRemapLocked makes the result of carryOver visible: it retains the remap (new row addresses)
// of the replaced rowsets, and sets the patches of the new rowsets. The new parts must be in the
// table's current version already. The caller must hold mu.
func (e *Engine) showRemapLocked(t *table, s *carriedChanges) {
	var rowsets []base.RowsetID
	for rowset, set := range s.sets {
		if set != nil {
			continue
		}
		rowsets = append(rowsets, rowset)
	}
	e.remaps.add(t, rowsets, e.seq+1, s.remap, e.remapBytes())
	e.addDedupRemapLocked(t.dedup, rowsets, s.remap)
	e.patchLocked(t, s.sets)
}

// dropUnneededLocked drops the remaps (new row addresses) and write sets (what commits changed)
// that no held snapshot needs any more. The caller must hold mu.
func (e *Engine) dropUnneededLocked() {
	oldest := e.heldSnapshots.oldest()
	e.remaps.dropOld(oldest)
	for _, t := range e.tables {
		t.dropOldWriteSets(oldest)
	}
}
