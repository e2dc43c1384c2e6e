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

// written is a write set: what one committed change, or several folded together, has written.
// Changes that were computed from an older snapshot are compared with it.
type written struct {
	seq     base.Seq
	rows    map[base.SourceID]*roaring.Bitmap // rows that were changed or deleted
	columns []base.ColumnID
	all     bool     // all columns were written: rows were inserted or deleted
	brought bool     // rows were inserted
	keys    []uint64 // hashes of the keys of inserted rows, see Change.Keys
	// appended says that rows were appended, and nothing else was changed. Then only keys causes
	// conflicts.
	appended bool
	// everywhere says that an expression update was committed, which may have changed any row.
	everywhere bool
	anyKey     bool // any key may have been inserted, because there were too many keys to list
}

// inserted reports whether the write set may include the insertion of a row with one of the keys.
func (w *written) inserted(keys map[uint64]struct{}) bool {
	if w.anyKey {
		return len(keys) > 0
	}
	return len(keys) > 0 && slices.ContainsFunc(w.keys, func(k uint64) bool {
		_, ok := keys[k]
		return ok
	})
}

func (w *written) touches(rows map[base.SourceID]*roaring.Bitmap) bool {
	if w.everywhere && len(rows) > 0 {
		return true
	}
	for source, changed := range w.rows {
		if mine := rows[source]; mine != nil && mine.Intersects(changed) {
			return true
		}
	}
	return false
}

// decides reports whether the write set conflicts with a Read: it may have changed what the
// statement read.
func (w *written) decides(r Read) bool {
	if w.appended {
		return false
	}
	if r.Brought {
		return w.brought
	}
	return w.all || r.Columns == nil || slices.ContainsFunc(w.columns, func(id base.ColumnID) bool { return slices.Contains(r.Columns, id) })
}

// maxWritten bounds the number of write sets of a table, and maxWrittenKeys the number of keys in
// all of them.
const (
	maxWritten     = 4096
	maxWrittenKeys = 1 << 20
)

// note adds a write set of a committed change. If there are too many, the older half is folded into
// one. If there are too many keys, the oldest ones are replaced by anyKey. Then a statement with an
// older snapshot may find a conflict where there is none, and runs again.
func (t *table) note(w written) {
	if len(w.keys) > maxWrittenKeys {
		w.keys, w.anyKey = nil, true
	}
	for n := len(t.written); n >= maxWritten || n > 0 && t.writtenKeys+len(w.keys) > maxWrittenKeys; n = len(t.written) {
		named := slices.IndexFunc(t.written, func(w written) bool { return len(w.keys) > 0 })
		t.fold(max((n+1)/2, named+1))
	}
	t.written, t.writtenKeys = append(t.written, w), t.writtenKeys+len(w.keys)
}

// fold replaces the oldest n write sets by one that covers all of them. If it would have too many
// keys, it gets anyKey instead.
func (t *table) fold(n int) {
	one := written{rows: map[base.SourceID]*roaring.Bitmap{}, appended: true}
	for _, old := range t.written[:n] {
		one.seq, one.all, one.brought, one.anyKey = old.seq, one.all || old.all, one.brought || old.brought, one.anyKey || old.anyKey
		one.everywhere, one.appended = one.everywhere || old.everywhere, one.appended && old.appended
		for source, rows := range old.rows {
			addRows(one.rows, source, rows)
		}
		one.columns = append(one.columns, old.columns...)
		one.keys = append(one.keys, old.keys...)
	}
	slices.Sort(one.columns)
	one.columns = slices.Compact(one.columns)
	if n == 1 || one.anyKey || len(one.keys) > maxWrittenKeys/2 {
		t.writtenKeys -= len(one.keys)
		one.keys, one.anyKey = nil, true
	}
	t.written = append([]written{one}, t.written[n:]...)
}

// since returns the write sets of changes after an edit.
func (t *table) since(seq base.Seq) []written {
	return t.written[sort.Search(len(t.written), func(i int) bool { return t.written[i].seq > seq }):]
}

// forget drops the write sets up to an edit, that of the oldest held snapshot: no change will be
// compared with them.
func (t *table) forget(oldest base.Seq) {
	if n := len(t.written) - len(t.since(oldest)); n > 0 {
		for _, old := range t.written[:n] {
			t.writtenKeys -= len(old.keys)
		}
		t.written = slices.Clone(t.written[n:])
	}
}

// ahead has the pending writes of a group: what the requests that were accepted so far will have
// written once the group is committed. Later requests of the group are compared with them.
type ahead struct {
	offsets  offsets
	written  map[base.TableID][]written
	inserted map[base.TableID]bool
	sets     map[base.TableID]map[base.SourceID]*patch.Set
}

func newAhead() *ahead {
	return &ahead{offsets{}, map[base.TableID][]written{}, map[base.TableID]bool{}, map[base.TableID]map[base.SourceID]*patch.Set{}}
}

// checkChanges returns an error if changes conflict with what was committed since their snapshot,
// or with the pending writes of the group. It runs in the committer.
func (e *Engine) checkChanges(c *changeSet, a *ahead) error {
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
		for _, others := range [][]written{t.since(c.seq), a.written[tc.id]} {
			for i := range others {
				if others[i].touches(tc.seen) || others[i].inserted(tc.keySet) {
					return ErrChanged
				}
			}
		}
		for _, source := range tc.allSources() {
			if !t.current.has(source) {
				return errMoved
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
		for _, others := range [][]written{t.since(c.seq), a.written[r.Table]} {
			for i := range others {
				if others[i].decides(r.Read) {
					return ErrChanged
				}
			}
		}
		if r.Columns == nil && !r.Brought && !c.pinned && (t.insertedSeq > c.seq || a.inserted[r.Table]) {
			return ErrChanged
		}
	}
	return nil
}

// foresee adds what an accepted request writes to the pending writes. It runs in the committer.
// After an error the pending writes are unchanged.
func (e *Engine) foresee(r *request, seq base.Seq, a *ahead) error {
	if r.changes != nil {
		made := map[base.TableID]map[base.SourceID]*patch.Set{}
		for _, tc := range r.changes.tables {
			if made[tc.id] == nil {
				made[tc.id] = map[base.SourceID]*patch.Set{}
			}
			for i := range tc.updated {
				tc.updated[i].Seq = seq
			}
			updated := bySource(tc.updated)
			for _, source := range tc.sources() {
				set := cmp.Or(made[tc.id][source], a.sets[tc.id][source], e.tables[tc.id].patches[source])
				if set == nil {
					set = patch.New(source)
				}
				set, err := set.With(seq, tc.gone[source], updated[source]...)
				if err != nil {
					return err
				}
				if len(updated[source]) > 0 && set.ColumnBytes() > patch.MaxColumnBytes {
					// The merger starts a merge, which may free memory of patches.
					e.notifyPartsAdded()
					return base.Errorf(base.Unavailable, "over %d bytes of %w", patch.MaxColumnBytes, ErrColumnBytes).
						WithHint("retry once a merge has written those that are there, or use WITH (mode = 'rewrite')")
				}
				made[tc.id][source] = set
			}
		}
		for id, sets := range made {
			if a.sets[id] == nil {
				a.sets[id] = map[base.SourceID]*patch.Set{}
			}
			maps.Copy(a.sets[id], sets)
		}
		for _, tc := range r.changes.tables {
			if len(tc.rows) == 0 && !tc.all && tc.expression == nil {
				continue // the change deletes only superseded rows, or nothing
			}
			a.written[tc.id] = append(a.written[tc.id], written{seq: seq, rows: tc.rows, columns: tc.columns, all: tc.all, brought: tc.brings, keys: tc.keys, everywhere: tc.expression != nil})
		}
	}
	for _, t := range r.tables {
		a.inserted[t.id] = a.inserted[t.id] || len(t.rows) > 0
		if len(t.keys) > 0 {
			a.written[t.id] = append(a.written[t.id], written{seq: seq, keys: t.keys, appended: true})
		}
	}
	a.offsets.advance(r.progress)
	return nil
}

// bySource returns layers by the id of their rowset. The layers of a rowset stay in order.
func bySource(layers []patch.Layer) map[base.SourceID][]patch.Layer {
	out := map[base.SourceID][]patch.Layer{}
	for _, l := range layers {
		out[l.Source] = append(out[l.Source], l)
	}
	return out
}
