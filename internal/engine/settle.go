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
// may have several rows of a key; keys.Losers finds the superseded ones. A reader takes its
// snapshot with Settled, which looks up the rows that arrived since the last reader, and hides the
// superseded rows as if they were deleted. So code above the engine sees one row for each key, as
// in any table with a primary key.
//
// Everything relies on one invariant: a superseded row stays superseded. Readers remember
// superseded rows. Flushes leave out superseded rows among a memtable's own rows, whose order is
// lost. Settle deletes superseded rows at any time without comparing them with other changes. The
// invariant holds because of two rules:
//   - A change that deletes rows, moves them or gives them another version also deletes the
//     superseded rows of its snapshot.
//   - Such a change is ErrChanged if a row arrived since its snapshot for a key to which the change
//     moves a row or, in tables with versions, for a key whose row it deletes or gives another
//     version. For this, appends record their keys (written).
//
// Which of two rows is newer follows from their addresses: in a memtable from their ordinals, and
// in different rowsets from the edits that inserted them. For this a load freezes the memtable of
// its table, so that no memtable has both rows from before and rows from after a part.
//
// A table is deduplicated up to an edit if no two rows up to that edit have the same key. Only
// parts up to that edit are merged, since their order relative to other rows does not matter. The
// catalog stores the number of the edit.

// settling is the dedup state of a table that merges on read: which rows are known to be
// superseded.
type settling struct {
	// A lock, constant: look-ups of superseded rows run one after the other.
	turn *semaphore.Weighted

	// losers has all superseded rows that were found and are not deleted yet. Guarded by turn.
	losers keys.Losers
	// Guarded by turn; by rowset id: the patches that readers get.
	shown map[base.SourceID]shownRows

	moves []relocation // guarded by mu: remaps that losers does not reflect yet
	bytes int64        // guarded by mu: memory of moves
	// lost says that there were too many remaps, so they were dropped. No remap is retained until
	// the superseded rows are looked up again. Guarded by mu.
	lost bool
	upTo base.Seq // guarded by mu: the table is deduplicated up to this edit

	stored base.Seq // used only by the committer: upTo as the catalog has it
}

// relocation is a remap of rowsets that were rewritten, with their ids.
type relocation struct {
	sources []base.SourceID
	move    patch.Move
}

// maxRelocations bounds the number of remaps that are retained for one table that nobody reads.
// movesBytes bounds the memory of these remaps of all tables. Beyond these limits they are dropped,
// and the superseded rows are looked up again, among the rows since the edit up to which the table
// is deduplicated.
const maxRelocations = 64

// shownRows has the patches that readers of a rowset get: its superseded rows are among the deleted
// rows. It is computed once for the same patches and superseded rows, so that what readers cache
// for the *patch.Set stays valid.
type shownRows struct {
	set, shown *patch.Set
	losers     *roaring.Bitmap
}

func newSettling(upTo base.Seq) *settling {
	return &settling{turn: semaphore.NewWeighted(1), losers: keys.Losers{Seq: upTo}, upTo: upTo, stored: upTo}
}

// Keys returns the engine's Finder, which finds rows by key.
func (e *Engine) Keys() *keys.Finder { return e.keyFinder }

// Settled returns a deduplicated snapshot of the given tables: those that merge on read show one
// row for each key. It looks up the rows that arrived since the last call, so it may take a while,
// and fails if a part cannot be read. For other tables, and without ids, it is like Snapshot.
func (e *Engine) Settled(ctx context.Context, ids ...base.TableID) (*snapshot.Snapshot, error) {
	turns, release, err := e.takeTurns(ctx, ids)
	if err != nil {
		return nil, err
	}
	defer release()
	if len(turns) == 0 {
		return e.Snapshot(ids...)
	}
	e.mu.Lock()
	s, moves, err := e.takeLocked(ids, turns)
	e.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return e.settled(ctx, s, turns, moves)
}

// takeLocked is the first half of Settled. It takes a snapshot, and the remaps since the last
// snapshot of each table in turns. The remaps are then not in the tables' dedup states any more.
func (e *Engine) takeLocked(ids []base.TableID, turns map[base.TableID]*settling) (*snapshot.Snapshot, map[base.TableID][]relocation, error) {
	s, err := e.snapshotLocked(ids)
	if err != nil {
		return nil, nil, err
	}
	moves := make(map[base.TableID][]relocation, len(turns))
	for id, t := range turns {
		if t.lost {
			t.losers = keys.Losers{Seq: t.upTo}
		}
		moves[id] = t.moves
		t.moves, t.bytes, t.lost = nil, 0, false
	}
	return s, moves, nil
}

// settled is the second half of Settled. It finds the superseded rows of snapshot s, and returns a
// snapshot that hides them. s belongs to the returned snapshot; after an error, it is released.
func (e *Engine) settled(ctx context.Context, s *snapshot.Snapshot, turns map[base.TableID]*settling,
	moves map[base.TableID][]relocation) (*snapshot.Snapshot, error) {
	tables := maps.Clone(s.Tables)
	err := followAll(turns, moves)
	for id, t := range turns {
		if err == nil {
			t.losers, err = e.keyFinder.Losers(ctx, s.Tables[id], s.Seq, t.losers)
		}
		if err == nil {
			tables[id], err = t.show(s.Tables[id], s.Seq)
		}
		if err != nil {
			s.Release()
			return nil, base.Wrap(err, "settle table %s", s.Tables[id].Schema.QualifiedName())
		}
	}
	return snapshot.New(s.Seq, tables, s.Release), nil
}

// takeTurns takes the lock turn of each of the tables that merges on read, so that no other caller
// looks up superseded rows. It returns the tables' dedup states. The caller calls release.
func (e *Engine) takeTurns(ctx context.Context, ids []base.TableID) (turns map[base.TableID]*settling, release func(), err error) {
	release = func() {
		for _, t := range turns {
			t.turn.Release(1)
		}
	}
	ids = slices.Clone(ids)
	slices.Sort(ids) // all callers take the locks in this order, so that no two wait for each other
	for _, id := range slices.Compact(ids) {
		e.mu.RLock()
		t := e.tables[id]
		e.mu.RUnlock()
		if t == nil || t.settling == nil {
			continue
		}
		if err := t.settling.turn.Acquire(ctx, 1); err != nil {
			release()
			return nil, nil, base.Wrap(err, "wait for another reader of table %d", id)
		}
		if turns == nil {
			turns = map[base.TableID]*settling{}
		}
		turns[id] = t.settling
	}
	return turns, release, nil
}

// followAll applies remaps, which takeLocked has returned, to the superseded rows of the tables. It
// must not be left out, because takeLocked returns each remap only once.
func followAll(turns map[base.TableID]*settling, moves map[base.TableID][]relocation) (err error) {
	for id, t := range turns {
		err = errors.Join(err, t.follow(moves[id]))
	}
	return err
}

// follow applies remaps to the known superseded rows of the table. The caller holds turn.
func (t *settling) follow(moves []relocation) error {
	of := maps.Clone(t.losers.Of)
	for _, m := range moves {
		for _, source := range m.sources {
			rows := of[source]
			if rows == nil {
				continue
			}
			delete(of, source)
			moved, err := patch.MoveRows(m.move, source, rows)
			if err != nil {
				t.losers = keys.Losers{} // forget them: all rows are looked up again
				return err
			}
			for to, rows := range moved {
				addRows(of, to, rows)
			}
		}
	}
	t.losers.Of = of
	return nil
}

// show looks up the superseded rows of table s, and returns the table with these rows among the
// deleted ones. seq is the edit of the snapshot. The caller holds turn.
func (t *settling) show(s *snapshot.Table, seq base.Seq) (*snapshot.Table, error) {
	out := *s
	out.Losers, out.Patches = map[base.SourceID]*roaring.Bitmap{}, maps.Clone(s.Patches)
	if out.Patches == nil {
		out.Patches = map[base.SourceID]*patch.Set{}
	}
	shown := make(map[base.SourceID]shownRows, len(t.losers.Of))
	for source, losers := range t.losers.Of {
		if !holds(s, source) {
			continue // the rowset was truncated
		}
		set := s.Patches[source]
		known := t.shown[source]
		if known.set != set || known.losers != losers || known.shown == nil {
			if set != nil && set.Deleted != nil {
				losers = roaring.AndNot(losers, set.Deleted)
			}
			if losers.IsEmpty() {
				continue
			}
			under := set
			if under == nil {
				under = patch.New(source)
			}
			with, err := under.With(seq, losers)
			if err != nil {
				return nil, err
			}
			known = shownRows{set, with, losers}
		}
		shown[source] = known
		out.Losers[source], out.Patches[source] = known.losers, known.shown
	}
	t.shown, t.losers.Of = shown, maps.Clone(out.Losers)
	return &out, nil
}

// holds reports whether a rowset is in a snapshot.
func holds(s *snapshot.Table, source base.SourceID) bool {
	_, ok := slices.BinarySearchFunc(s.Parts, source, func(p *catalog.Part, id base.SourceID) int { return cmp.Compare(p.ID, id) })
	return ok || slices.ContainsFunc(s.Memtables, func(v memtable.View) bool { return v.Source == source })
}

// maxSettles bounds how often Settle tries again after a schema change, or after it waited for
// memory.
const maxSettles = 10

// Settle deletes the present superseded rows of a table that merges on read, and records up to
// which edit the table is deduplicated. For other tables it does nothing. It does not wait for
// table locks, because its deletions conflict with no other change. It holds no snapshot while it
// waits for memory, see Room.
func (e *Engine) Settle(ctx context.Context, id base.TableID) error {
	room := e.Room()
	defer room.Close()
	for attempt := 0; ; attempt++ {
		err := e.settleOnce(ctx, id, room)
		switch {
		case attempt == maxSettles:
			return err
		case errors.Is(err, ErrNoRoom):
			if err := room.Wait(ctx); err != nil {
				return err
			}
		case errors.Is(err, ErrChanged):
			room.Restart()
		default:
			return err
		}
	}
}

func (e *Engine) settleOnce(ctx context.Context, id base.TableID, room *Room) error {
	s, err := e.Settled(ctx, id)
	if err != nil {
		return err
	}
	defer s.Release()
	return e.settleAt(ctx, s, id, room)
}

// settleAt deletes the superseded rows of a table in snapshot s, which Settled returned. It takes
// memory from room.
func (e *Engine) settleAt(ctx context.Context, s *snapshot.Snapshot, id base.TableID, room *Room) error {
	t := s.Tables[id]
	switch {
	case !t.Schema.MergeOnRead || t.Settled >= s.Seq:
		return nil
	case len(t.Losers) > 0:
		_, err := e.Commit(ctx, s, []Change{{Table: id, Settle: true}}, AppendOptions{Pins: Pinned, Room: room})
		return err
	}
	return e.commit(ctx, func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		if t := e.tables[id]; t != nil {
			t.settling.raise(s.Seq)
		}
		return nil
	})
}

// raise records that the table is deduplicated up to an edit. The caller holds mu.
func (t *settling) raise(seq base.Seq) { t.upTo = max(t.upTo, seq) }

// relocatedLocked retains a remap, to apply it later to the superseded rows of a table. If the
// remaps of all tables exceed movesBytes, the table whose remaps take the most memory drops them.
// That frees at least as much as was added.
func (e *Engine) relocatedLocked(t *settling, sources []base.SourceID, move patch.Move) {
	if t == nil || t.lost {
		return
	}
	if t.moves, t.bytes = append(t.moves, relocation{sources, move}), t.bytes+move.Bytes(); len(t.moves) > maxRelocations {
		t.lose()
		return
	}
	all, most := int64(0), t
	for _, other := range e.tables {
		if o := other.settling; o != nil {
			if all += o.bytes; o.bytes > most.bytes {
				most = o
			}
		}
	}
	if all > e.movesBytes() {
		most.lose()
	}
}

// lose drops all retained remaps of the table, because the rest is useless if one is missing. The
// caller holds mu.
func (t *settling) lose() { t.moves, t.bytes, t.lost = nil, 0, true }

// storeSettled adds to an edit of the catalog the number of the edit up to which the table is
// deduplicated. It runs in the committer. The log must be synced up to that number.
func (t *table) storeSettled(edit *catalog.Edit) {
	if t.settling == nil || t.settling.upTo == t.settling.stored {
		return
	}
	if edit.Settle == nil {
		edit.Settle = map[base.TableID]base.Seq{}
	}
	edit.Settle[t.id] = t.settling.upTo
}

// settledStored records in memory what an edit of storeSettled has stored. It runs in the
// committer.
func (e *Engine) settledStored(edit *catalog.Edit) {
	for id, seq := range edit.Settle {
		e.tables[id].settling.stored = seq
	}
}
