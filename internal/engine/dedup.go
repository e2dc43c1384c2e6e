package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/semaphore"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// How tables that merge on read are deduplicated.
//
// Rows are appended to such a table without looking up existing rows of their keys. So the table
// may have several rows of a key. keys.Finder.Superseded finds the superseded rows: those that a
// newer row of the same key replaces. A reader takes its snapshot with DeduplicatedSnapshot.
// DeduplicatedSnapshot looks up the rows that arrived since the last reader, and hides the
// superseded rows as if they were deleted. So code above the engine sees one row for each key, as
// in any table with a primary key.
//
// Everything relies on one rule: a superseded row stays superseded. Readers remember superseded
// rows. Flushes leave out superseded rows among the rows of a memtable, because the parts lose the
// order of these rows. DeleteSuperseded deletes superseded rows at any time, without comparing them
// with other changes. Two checks make sure that a superseded row stays superseded:
//   - A change that deletes rows, moves them to other keys or gives them another version also
//     deletes the superseded rows of its snapshot.
//   - Such a change gets the error ErrChanged if a row arrived since its snapshot for a key to
//     which the change moves a row. In tables with versions, that also goes for keys whose row the
//     change deletes or gives another version. For this check, appends record their keys
//     (writeSet).
//
// The addresses of two rows say which one is newer. In a memtable, the one with the greater row
// number is newer. In different rowsets, the one that a later edit inserted is newer. Therefore a
// load freezes the memtable of its table. So no memtable has both rows that are older and rows that
// are newer than those of a part.
//
// A table is deduplicated up to an edit if no two rows that were added up to that edit have the
// same key. Only parts up to that edit are merged, since the order of their rows relative to others
// does not matter any more. The catalog stores the number of the edit.

// dedupState is the dedup state of a table that merges on read: which of its rows are known to be
// superseded by newer rows of the same key.
type dedupState struct {
	// lookUp is a lock: look-ups of the table's superseded rows run one after the other. The
	// pointer is constant.
	lookUp *semaphore.Weighted

	// superseded has all superseded rows (those that a newer row of the same key replaces) that
	// were found and are not deleted yet. It is guarded by lookUp.
	superseded keys.Superseded
	// hidden has, by rowset id, the patches that readers get: those in which superseded rows are
	// marked as deleted. It is guarded by lookUp.
	hidden map[base.RowsetID]hiddenRows

	// remaps has the new row addresses (remaps) of replaced rowsets that were not applied to the
	// field superseded yet. It is guarded by mu.
	remaps []dedupRemap
	bytes  int64 // memory of the field remaps, in bytes; guarded by mu
	// remapsLost says that the field remaps got too many elements, so all were dropped. Then no
	// remap is retained until all superseded rows are looked up again. It is guarded by mu.
	remapsLost bool
	// number of the edit up to which the table is deduplicated; guarded by mu
	dedupedThrough base.Seq

	// storedThrough is the value of dedupedThrough (the edit up to which the table is deduplicated)
	// that the catalog has. Only the committer uses it.
	storedThrough base.Seq
}

// dedupRemap has the ids of rowsets (parts or memtables) that were rewritten, and the remap: the
// new addresses of their rows.
type dedupRemap struct {
	rowsets []base.RowsetID
	remap   patch.Remap
}

// maxDedupRemaps is the maximum number of remaps (new row addresses after a flush or merge) that
// are retained for one table while it is not read. remapBytes limits the memory of the remaps of
// all tables. Beyond these limits the remaps of the table are dropped. Its superseded rows are then
// unknown, and are looked up again. Only rows that are newer than dedupState.dedupedThrough must be
// looked up.
const maxDedupRemaps = 64

// hiddenRows has the patches that readers of a rowset get, in which superseded rows are deleted. It
// is computed only once for the same patches and superseded rows. So data that readers cache for
// the *patch.Set stays valid.
type hiddenRows struct {
	set, shown *patch.Set
	superseded *roaring.Bitmap
}

func newDedupState(upTo base.Seq) *dedupState {
	return &dedupState{lookUp: semaphore.NewWeighted(1), superseded: keys.Superseded{Seq: upTo}, dedupedThrough: upTo, storedThrough: upTo}
}

// Keys returns the engine's Finder, which finds rows by their primary keys.
func (e *Engine) Keys() *keys.Finder { return e.keyFinder }

// DeduplicatedSnapshot returns a snapshot of the given tables without superseded rows: tables that
// merge on read show one row for each key. It looks up the rows that arrived since the last call.
// So it may take a while, and fails if a part cannot be read. For other tables it does the same as
// Snapshot. Without ids, the snapshot has all tables, and superseded rows are not hidden.
func (e *Engine) DeduplicatedSnapshot(ctx context.Context, ids ...base.TableID) (*snapshot.Snapshot, error) {
	states, release, err := e.acquireLookUps(ctx, ids)
	if err != nil {
		return nil, err
	}
	defer release()
	if len(states) == 0 {
		return e.Snapshot(ids...)
	}
	e.mu.Lock()
	s, remaps, err := e.beginDeduplicatedLocked(ids, states)
	e.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return e.finishDeduplicated(ctx, s, states, remaps)
}

// beginDeduplicatedLocked is the first half of DeduplicatedSnapshot. It takes a snapshot. It also
// returns the remaps (new row addresses) of the rowsets that were replaced since the last snapshot,
// by table id, and removes these remaps from the given dedup states. The caller must hold mu.
func (e *Engine) beginDeduplicatedLocked(ids []base.TableID, states map[base.TableID]*dedupState) (*snapshot.Snapshot, map[base.TableID][]dedupRemap, error) {
	s, err := e.snapshotLocked(ids)
	if err != nil {
		return nil, nil, err
	}
	remaps := make(map[base.TableID][]dedupRemap, len(states))
	for id, t := range states {
		if t.remapsLost {
			t.superseded = keys.Superseded{Seq: t.dedupedThrough}
		}
		remaps[id] = t.remaps
		t.remaps, t.bytes, t.remapsLost = nil, 0, false
	}
	return s, remaps, nil
}

// finishDeduplicated is the second half of DeduplicatedSnapshot. It finds the superseded rows of
// the snapshot s (those that a newer row of the same key replaces), and returns a snapshot that
// hides them. The returned snapshot takes over the reference to s. After an error, s is released.
func (e *Engine) finishDeduplicated(ctx context.Context, s *snapshot.Snapshot, states map[base.TableID]*dedupState,
	remaps map[base.TableID][]dedupRemap) (*snapshot.Snapshot, error) {
	tables := maps.Clone(s.Tables)
	err := remapAllSuperseded(states, remaps)
	for id, t := range states {
		if err == nil {
			t.superseded, err = e.keyFinder.Superseded(ctx, s.Tables[id], s.Seq, t.superseded)
		}
		if err == nil {
			tables[id], err = t.hide(s.Tables[id], s.Seq)
		}
		if err != nil {
			s.Release()
			return nil, base.Wrap(err, "deduplicate table %s", s.Tables[id].Schema.QualifiedName())
		}
	}
	return snapshot.New(s.Seq, tables, s.Release), nil
}

// acquireLookUps takes the lock dedupState.lookUp of each of the tables that merges on read, so
// that no other caller looks up their superseded rows. It returns the tables' dedup states. The
// caller must call the returned function release.
func (e *Engine) acquireLookUps(ctx context.Context, ids []base.TableID) (states map[base.TableID]*dedupState, release func(), err error) {
	release = func() {
		for _, t := range states {
			t.lookUp.Release(1)
		}
	}
	ids = slices.Clone(ids)
	// All callers take the locks in this order, so that no two of them wait for each other.
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		e.mu.RLock()
		t := e.tables[id]
		e.mu.RUnlock()
		if t == nil || t.dedup == nil {
			continue
		}
		if err := t.dedup.lookUp.Acquire(ctx, 1); err != nil {
			release()
			return nil, nil, base.Wrap(err, "wait for another reader of table %d", id)
		}
		if states == nil {
			states = map[base.TableID]*dedupState{}
		}
		states[id] = t.dedup
	}
	return states, release, nil
}

// remapAllSuperseded applies the remaps (new row addresses) that beginDeduplicatedLocked returned
// to the known superseded rows of the tables. It must always be called, because
// beginDeduplicatedLocked returns each remap only once.
func remapAllSuperseded(states map[base.TableID]*dedupState, remaps map[base.TableID][]dedupRemap) (err error) {
	for id, t := range states {
		err = errors.Join(err, t.remapSuperseded(remaps[id]))
	}
	return err
}

// remapSuperseded applies remaps to the known superseded rows of the table: it replaces the
// addresses of these rows in old rowsets by their addresses in the new rowsets. The caller holds
// the lock lookUp.
func (t *dedupState) remapSuperseded(remaps []dedupRemap) error {
	of := maps.Clone(t.superseded.Of)
	for _, m := range remaps {
		for _, rowset := range m.rowsets {
			rows := of[rowset]
			if rows == nil {
				continue
			}
			delete(of, rowset)
			moved, err := patch.RemapRows(m.remap, rowset, rows)
			if err != nil {
				// forget all superseded rows: they are looked up again
				t.superseded = keys.Superseded{}
				return err
			}
			for to, rows := range moved {
				addRows(of, to, rows)
			}
		}
	}
	t.superseded.Of = of
	return nil
}

// hide looks up the superseded rows of one table of a snapshot, and returns the table with these
// rows marked as deleted. seq is the sequence number of the snapshot. The caller holds the lock
// lookUp.
func (t *dedupState) hide(s *snapshot.Table, seq base.Seq) (*snapshot.Table, error) {
	out := *s
	out.Superseded, out.Patches = map[base.RowsetID]*roaring.Bitmap{}, maps.Clone(s.Patches)
	if out.Patches == nil {
		out.Patches = map[base.RowsetID]*patch.Set{}
	}
	shown := make(map[base.RowsetID]hiddenRows, len(t.superseded.Of))
	for rowset, superseded := range t.superseded.Of {
		if !hasRowset(s, rowset) {
			continue // the rowset was truncated, so its rows do not exist any more
		}
		set := s.Patches[rowset]
		known := t.hidden[rowset]
		if known.set != set || known.superseded != superseded || known.shown == nil {
			if set != nil && set.Deleted != nil {
				superseded = roaring.AndNot(superseded, set.Deleted)
			}
			if superseded.IsEmpty() {
				continue
			}
			under := set
			if under == nil {
				under = patch.New(rowset)
			}
			with, err := under.With(seq, superseded)
			if err != nil {
				return nil, err
			}
			known = hiddenRows{set, with, superseded}
		}
		shown[rowset] = known
		out.Superseded[rowset], out.Patches[rowset] = known.superseded, known.shown
	}
	t.hidden, t.superseded.Of = shown, maps.Clone(out.Superseded)
	return &out, nil
}

// hasRowset reports whether the table of a snapshot has a part or memtable with the given rowset
// id.
func hasRowset(s *snapshot.Table, rowset base.RowsetID) bool {
	_, ok := slices.BinarySearchFunc(s.Parts, rowset, func(p *catalog.Part, id base.RowsetID) int { return cmp.Compare(p.ID, id) })
	return ok || slices.ContainsFunc(s.Memtables, func(v memtable.View) bool { return v.Rowset == rowset })
}

// maxDedupAttempts is the maximum number of attempts of DeleteSuperseded. It tries again after a
// schema change, or after it had to wait for memory.
const maxDedupAttempts = 10

// DeleteSuperseded deletes the superseded rows of a table that merges on read (those that a newer
// row of the same key replaces). It also records up to which edit the table is deduplicated. For
// other tables it does nothing. It does not wait for table locks, because its deletions conflict
// with no other change. It does not hold a snapshot while it waits for memory, see Reservation.
func (e *Engine) DeleteSuperseded(ctx context.Context, id base.TableID) error {
	reservation := e.NewReservation()
	defer reservation.Close()
	for attempt := 0; ; attempt++ {
		err := e.deleteSupersededOnce(ctx, id, reservation)
		switch {
		case attempt == maxDedupAttempts:
			return err
		case errors.Is(err, ErrMemoryBusy):
			if err := reservation.WaitForMore(ctx); err != nil {
				return err
			}
		case errors.Is(err, ErrChanged):
			reservation.BeginAttempt()
		default:
			return err
		}
	}
}

func (e *Engine) deleteSupersededOnce(ctx context.Context, id base.TableID, reservation *Reservation) error {
	s, err := e.DeduplicatedSnapshot(ctx, id)
	if err != nil {
		return err
	}
	defer s.Release()
	return e.deleteSupersededAt(ctx, s, id, reservation)
}

// deleteSupersededAt deletes the superseded rows that a table has in the snapshot s. The snapshot
// must come from DeduplicatedSnapshot. The memory is taken from reservation.
func (e *Engine) deleteSupersededAt(ctx context.Context, s *snapshot.Snapshot, id base.TableID, reservation *Reservation) error {
	t := s.Tables[id]
	switch {
	case !t.Schema.MergeOnRead || t.DedupedThrough >= s.Seq:
		return nil
	case len(t.Superseded) > 0:
		_, err := e.Commit(ctx, s, []Change{{Table: id, DeleteSuperseded: true}}, AppendOptions{Lock: ExclusiveLock, Reservation: reservation})
		return err
	}
	return e.commit(ctx, func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		if t := e.tables[id]; t != nil {
			t.dedup.raiseDeduped(s.Seq)
		}
		return nil
	})
}

// raiseDeduped records that the table is deduplicated up to the edit seq: no two rows that were
// added up to that edit have the same key. The caller holds mu.
func (t *dedupState) raiseDeduped(seq base.Seq) { t.dedupedThrough = max(t.dedupedThrough, seq) }

// addDedupRemapLocked retains the remap (new row addresses) of replaced rowsets, so that it can be
// applied later to the known superseded rows of the table. If the remaps of all tables exceed
// remapBytes, the remaps of the table with the most memory are dropped. That frees at least as much
// as was added. The caller must hold mu.
func (e *Engine) addDedupRemapLocked(t *dedupState, rowsets []base.RowsetID, remap patch.Remap) {
	if t == nil || t.remapsLost {
		return
	}
	if t.remaps, t.bytes = append(t.remaps, dedupRemap{rowsets, remap}), t.bytes+remap.Bytes(); len(t.remaps) > maxDedupRemaps {
		t.dropRemaps()
		return
	}
	all, most := int64(0), t
	for _, other := range e.tables {
		if o := other.dedup; o != nil {
			if all += o.bytes; o.bytes > most.bytes {
				most = o
			}
		}
	}
	if all > e.remapBytes() {
		most.dropRemaps()
	}
}

// dropRemaps drops all remaps (new row addresses of replaced rowsets) that are retained for the
// table: if one is missing, the others are useless. The caller holds mu.
func (t *dedupState) dropRemaps() { t.remaps, t.bytes, t.remapsLost = nil, 0, true }

// storeDeduped adds to an edit of the catalog the number of the edit up to which the table is
// deduplicated. It runs in the committer. The log must be synced up to that edit.
func (t *table) storeDeduped(edit *catalog.Edit) {
	if t.dedup == nil || t.dedup.dedupedThrough == t.dedup.storedThrough {
		return
	}
	if edit.Deduped == nil {
		edit.Deduped = map[base.TableID]base.Seq{}
	}
	edit.Deduped[t.id] = t.dedup.dedupedThrough
}

// dedupedStored is called when the catalog has stored an edit that storeDeduped prepared. It
// records in memory that the catalog now has the number. It runs in the committer.
func (e *Engine) dedupedStored(edit *catalog.Edit) {
	for id, seq := range edit.Deduped {
		e.tables[id].dedup.storedThrough = seq
	}
}
