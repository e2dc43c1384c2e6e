package engine

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/patch"
)

// writeSet is a write set: the rows, columns and keys that one committed change, or several of
// them, has written. Changes that were computed from an older snapshot are compared with it.
type writeSet struct {
	seq        base.Seq
	rows       map[base.RowsetID]*roaring.Bitmap // rows that were changed or deleted, by rowset id
	columns    []base.ColumnID
	allColumns bool     // whether rows were inserted or deleted, so that all columns were written
	inserted   bool     // whether rows were inserted
	keys       []uint64 // hashes of the primary keys of inserted rows, see Change.Keys
	// appendOnly says that rows were appended, and that nothing else was changed. Then conflicts
	// can only come from the keys in the field keys.
	appendOnly bool
	// anyRow says that an expression update (an UPDATE that is stored as SQL) was committed. It may
	// have changed any row.
	anyRow bool
	// anyKey says whether a row with any key may have been inserted, because there were too many
	// keys to list.
	anyKey bool
}

// insertedAny reports whether a row with one of the keys may have been inserted by the changes of
// the write set.
func (w *writeSet) insertedAny(keys map[uint64]struct{}) bool {
	if w.anyKey {
		return len(keys) > 0
	}
	return len(keys) > 0 && slices.ContainsFunc(w.keys, func(k uint64) bool {
		_, ok := keys[k]
		return ok
	})
}

func (w *writeSet) overlaps(rows map[base.RowsetID]*roaring.Bitmap) bool {
	if w.anyRow && len(rows) > 0 {
		return true
	}
	for rowset, changed := range w.rows {
		if mine := rows[rowset]; mine != nil && mine.Intersects(changed) {
			return true
		}
	}
	return false
}

// conflictsWith reports whether the write set conflicts with the ReadDependency r of a statement:
// whether it may have changed what the statement read.
func (w *writeSet) conflictsWith(r ReadDependency) bool {
	if w.appendOnly {
		return false
	}
	if r.NewRowsOnly {
		return w.inserted
	}
	return w.allColumns || r.Columns == nil || slices.ContainsFunc(w.columns, func(id base.ColumnID) bool { return slices.Contains(r.Columns, id) })
}

// maxWriteSets is the maximum number of write sets of a table (records of what commits changed),
// and maxWriteSetKeys the maximum number of keys in all of them together.
const (
	maxWriteSets    = 4096
	maxWriteSetKeys = 1 << 20
)

// addWriteSet adds the write set of a committed change to those of the table. If there are too many
// write sets, the older half of them is replaced by one that covers them all. If there are too many
// keys, the oldest keys are replaced by the mark anyKey. Then a statement with an older snapshot
// may find a conflict where there is none, and runs again.
func (t *table) addWriteSet(w writeSet) {
	if len(w.keys) > maxWriteSetKeys {
		w.keys, w.anyKey = nil, true
	}
	for n := len(t.writeSets); n >= maxWriteSets || n > 0 && t.writeSetKeys+len(w.keys) > maxWriteSetKeys; n = len(t.writeSets) {
		named := slices.IndexFunc(t.writeSets, func(w writeSet) bool { return len(w.keys) > 0 })
		t.foldWriteSets(max((n+1)/2, named+1))
	}
	t.writeSets, t.writeSetKeys = append(t.writeSets, w), t.writeSetKeys+len(w.keys)
}

// foldWriteSets replaces the oldest n write sets (records of what commits changed) by one write set
// that covers all of them. If the new one would have too many keys, it gets the mark anyKey instead
// of keys.
func (t *table) foldWriteSets(n int) {
	one := writeSet{rows: map[base.RowsetID]*roaring.Bitmap{}, appendOnly: true}
	for _, old := range t.writeSets[:n] {
		one.seq, one.allColumns, one.inserted, one.anyKey = old.seq, one.allColumns || old.allColumns, one.inserted || old.inserted, one.anyKey || old.anyKey
		one.anyRow, one.appendOnly = one.anyRow || old.anyRow, one.appendOnly && old.appendOnly
		for rowset, rows := range old.rows {
			addRows(one.rows, rowset, rows)
		}
		one.columns = append(one.columns, old.columns...)
		one.keys = append(one.keys, old.keys...)
	}
	slices.Sort(one.columns)
	one.columns = slices.Compact(one.columns)
	if n == 1 || one.anyKey || len(one.keys) > maxWriteSetKeys/2 {
		t.writeSetKeys -= len(one.keys)
		one.keys, one.anyKey = nil, true
	}
	t.writeSets = append([]writeSet{one}, t.writeSets[n:]...)
}

// writeSetsSince returns the write sets (the rows and keys that were changed) of the changes that
// were committed after the edit seq.
func (t *table) writeSetsSince(seq base.Seq) []writeSet {
	return t.writeSets[sort.Search(len(t.writeSets), func(i int) bool { return t.writeSets[i].seq > seq }):]
}

// dropOldWriteSets drops the write sets (what commits changed) of all edits up to and including the
// one with the sequence number oldest. The oldest held snapshot has that number, so no change will
// be compared with these write sets any more.
func (t *table) dropOldWriteSets(oldest base.Seq) {
	if n := len(t.writeSets) - len(t.writeSetsSince(oldest)); n > 0 {
		for _, old := range t.writeSets[:n] {
			t.writeSetKeys -= len(old.keys)
		}
		t.writeSets = slices.Clone(t.writeSets[n:])
	}
}

// pendingWrites has what the accepted requests of a group are going to write. The group is not
// committed yet. Later requests of the group are compared with these writes.
type pendingWrites struct {
	offsets   offsets
	writeSets map[base.TableID][]writeSet
	inserted  map[base.TableID]bool
	sets      map[base.TableID]map[base.RowsetID]*patch.Set
}

func newPendingWrites() *pendingWrites {
	return &pendingWrites{offsets{}, map[base.TableID][]writeSet{}, map[base.TableID]bool{}, map[base.TableID]map[base.RowsetID]*patch.Set{}}
}

// checkChanges returns an error if the changes c conflict with what was committed since their
// snapshot, or with earlier requests of the same group. The argument a has the pending writes of
// these requests. checkChanges runs in the committer.
func (e *Engine) checkChanges(c *changeSet, a *pendingWrites) error {
	if c == nil {
		return nil
	}
	for _, tc := range c.tables {
		t := e.tables[tc.id]
		if t == nil {
			return base.Errorf(base.NotFound, "table %d was dropped meanwhile", tc.id)
		}
		if t.current.schema.Version != tc.version {
			return ErrChanged
		}
		for _, others := range [][]writeSet{t.writeSetsSince(c.seq), a.writeSets[tc.id]} {
			for i := range others {
				if others[i].overlaps(tc.checked) || others[i].insertedAny(tc.keySet) {
					return ErrChanged
				}
			}
		}
		for _, rowset := range tc.allRowsets() {
			if !t.current.hasRowset(rowset) {
				return errRemapped
			}
		}
		if tc.expression != nil {
			if err := e.checkExpression(t, c.seq); err != nil {
				return err
			}
		}
	}
	for _, r := range c.reads {
		t := e.tables[r.Table]
		if t == nil || t.current.schema.Version != r.version {
			return ErrChanged
		}
		for _, others := range [][]writeSet{t.writeSetsSince(c.seq), a.writeSets[r.Table]} {
			for i := range others {
				if others[i].conflictsWith(r.ReadDependency) {
					return ErrChanged
				}
			}
		}
		if r.Columns == nil && !r.NewRowsOnly && !c.exclusive && (t.insertedSeq > c.seq || a.inserted[r.Table]) {
			return ErrChanged
		}
	}
	return nil
}

// stage adds what an accepted request writes to the pending writes of its group, which are in the
// argument a. After an error the pending writes are unchanged. stage runs in the committer.
func (e *Engine) stage(r *request, seq base.Seq, a *pendingWrites) error {
	if r.changes != nil {
		made := map[base.TableID]map[base.RowsetID]*patch.Set{}
		for _, tc := range r.changes.tables {
			if made[tc.id] == nil {
				made[tc.id] = map[base.RowsetID]*patch.Set{}
			}
			for i := range tc.updated {
				tc.updated[i].Seq = seq
			}
			updated := byRowset(tc.updated)
			for _, rowset := range tc.rowsets() {
				set := cmp.Or(made[tc.id][rowset], a.sets[tc.id][rowset], e.tables[tc.id].patches[rowset])
				if set == nil {
					set = patch.New(rowset)
				}
				set, err := set.With(seq, tc.removed[rowset], updated[rowset]...)
				if err != nil {
					return err
				}
				if len(updated[rowset]) > 0 && set.ColumnBytes() > patch.MaxColumnBytes {
					// Notify the merger. It starts a merge, which may free memory of patches.
					e.notifyPartsAdded()
					return base.Errorf(base.Unavailable, "over %d bytes of %w", patch.MaxColumnBytes, ErrColumnBytes).
						WithHint("retry once a merge has written the existing ones, or use WITH (mode = 'rewrite')")
				}
				made[tc.id][rowset] = set
			}
		}
		for id, sets := range made {
			if a.sets[id] == nil {
				a.sets[id] = map[base.RowsetID]*patch.Set{}
			}
			maps.Copy(a.sets[id], sets)
		}
		for _, tc := range r.changes.tables {
			if len(tc.rows) == 0 && !tc.allColumns && tc.expression == nil {
				continue // the change deletes only superseded rows, or nothing
			}
			a.writeSets[tc.id] = append(a.writeSets[tc.id], writeSet{seq: seq, rows: tc.rows, columns: tc.columns, allColumns: tc.allColumns, inserted: tc.inserts, keys: tc.keys, anyRow: tc.expression != nil})
		}
	}
	for _, t := range r.tables {
		a.inserted[t.id] = a.inserted[t.id] || len(t.rows) > 0
		if len(t.keys) > 0 {
			a.writeSets[t.id] = append(a.writeSets[t.id], writeSet{seq: seq, keys: t.keys, appendOnly: true})
		}
	}
	a.offsets.advance(r.progress)
	return nil
}

// byRowset returns the layers (new values of rows) grouped by the id of their rowset. The layers of
// a rowset stay in their order.
func byRowset(layers []patch.Layer) map[base.RowsetID][]patch.Layer {
	out := map[base.RowsetID][]patch.Layer{}
	for _, l := range layers {
		out[l.Rowset] = append(out[l.Rowset], l)
	}
	return out
}
