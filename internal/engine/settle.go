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
// may have several rows of a key. keys.Losers finds the superseded ones: those that a newer row of
// the same key replaces. A reader takes its snapshot with Settled. Settled looks up the rows that
// arrived since the last reader, and hides the superseded rows as if they were deleted. So code
// above the engine sees one row for each key, as in any table with a primary key.
//
// Everything relies on one rule: a superseded row stays superseded. Readers remember superseded
// rows. Flushes leave out superseded rows among the rows of a memtable, because the parts lose the
// order of these rows. Settle deletes superseded rows at any time, without comparing them with
// other changes. Two checks make sure that a superseded row stays superseded:
//   - A change that deletes rows, moves them to other keys or gives them another version also
//     deletes the superseded rows of its snapshot.
//   - If a row arrived for one of the following keys since the snapshot of such a change, the
//     change gets the error ErrChanged: keys to which it moves a row and, in tables with versions,
//     keys whose row it deletes or gives another version. For this check, appends record their keys
//     (written).
//
// The addresses of two rows say which one is newer. In a memtable, the one with the greater row
// number is newer. In different rowsets, the one that a later edit inserted is newer. For this a
// load freezes the memtable of its table. So no memtable has both rows from before and rows from
// after a part.
//
// A table is deduplicated up to an edit if no two rows that were added up to that edit have the
// same key. Only parts up to that edit are merged, since the order of their rows relative to others
// does not matter any more. The catalog stores the number of the edit.

// settling is the dedup state of a table that merges on read: which of its rows are known to be
// superseded by newer rows of the same key.
type settling struct {
	// turn is a lock: look-ups of the table's superseded rows run one after the other. The pointer
	// is constant.
	turn *semaphore.Weighted

	// losers has all superseded rows that were found and are not deleted yet. It is guarded by
	// turn.
	losers keys.Losers
	// shown has the patches that readers get, by rowset id. It is guarded by turn.
	shown map[base.SourceID]shownRows

	// moves has the remaps of replaced rowsets that were not applied to losers yet. It is guarded
	// by mu.
	moves []relocation
	bytes int64 // memory of moves in bytes; guarded by mu
	// lost says that there were too many remaps in moves, so they were dropped. Then no remap is
	// retained until all superseded rows are looked up again. It is guarded by mu.
	lost bool
	upTo base.Seq // number of the edit up to which the table is deduplicated; guarded by mu

	// stored is the value of upTo (the edit up to which the table is deduplicated) that the catalog
	// has. Only the committer uses it.
	stored base.Seq
}

// relocation is the remap of the rows of rowsets that were rewritten, with the ids of these
// rowsets.
type relocation struct {
	sources []base.SourceID
	move    patch.Move
}

// maxRelocations is the maximum number of remaps that are retained for one table while it is not
// read. movesBytes limits their memory for all tables. Beyond these limits the remaps of the table
// are dropped. Then the superseded rows are looked up again, among the rows that are newer than the
// edit up to which the table is deduplicated.
const maxRelocations = 64

// shownRows has the patches that readers of a rowset get, in which superseded rows are deleted. It
// is computed only once for the same patches and superseded rows. So data that readers cache for
// the *patch.Set stays valid.
type shownRows struct {
	set, shown *patch.Set
	losers     *roaring.Bitmap
}

func newSettling(upTo base.Seq) *settling {
	return &settling{turn: semaphore.NewWeighted(1), losers: keys.Losers{Seq: upTo}, upTo: upTo, stored: upTo}
}

// Keys returns the engine's Finder, which finds rows by their primary keys.
func (e *Engine) Keys() *keys.Finder { return e.keyFinder }

// Settled returns a snapshot of the given tables without superseded rows: tables that merge on read
// show one row for each key. It looks up the rows that arrived since the last call. So it may take
// a while, and fails if a part cannot be read. For other tables it does the same as Snapshot.
// Without ids, the snapshot has all tables, and superseded rows are not hidden.
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

// takeLocked is the first half of Settled. It takes a snapshot. It also takes out of each dedup
// state in turns the remaps of rowsets that were replaced since the last snapshot, and returns
// them. The caller must hold mu.
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

// settled is the second half of Settled. It finds the superseded rows of the snapshot s, and
// returns a snapshot that hides them. The returned snapshot takes over the reference to s. After an
// error, s is released.
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
// looks up their superseded rows. It returns the tables' dedup states. The caller calls release.
func (e *Engine) takeTurns(ctx context.Context, ids []base.TableID) (turns map[base.TableID]*settling, release func(), err error) {
	release = func() {
		for _, t := range turns {
			t.turn.Release(1)
		}
	}
	ids = slices.Clone(ids)
	// All callers take the locks in this order, so that no two of them wait for each other.
	slices.Sort(ids)
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

// followAll applies the remaps that takeLocked returned to the known superseded rows of the tables.
// It must always be called, because takeLocked returns each remap only once.
func followAll(turns map[base.TableID]*settling, moves map[base.TableID][]relocation) (err error) {
	for id, t := range turns {
		err = errors.Join(err, t.follow(moves[id]))
	}
	return err
}

// follow applies remaps to the known superseded rows of the table: it carries their addresses over
// to the new rowsets. The caller holds turn.
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
				t.losers = keys.Losers{} // forget all superseded rows: they are looked up again
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

// show looks up the superseded rows of the table s of a snapshot, and returns the table with these
// rows marked as deleted. seq is the sequence number of the snapshot. The caller holds turn.
func (t *settling) show(s *snapshot.Table, seq base.Seq) (*snapshot.Table, error) {
	out := *s
	out.Losers, out.Patches = map[base.SourceID]*roaring.Bitmap{}, maps.Clone(s.Patches)
	if out.Patches == nil {
		out.Patches = map[base.SourceID]*patch.Set{}
	}
	shown := make(map[base.SourceID]shownRows, len(t.losers.Of))
	for source, losers := range t.losers.Of {
		if !holds(s, source) {
			continue // the rowset was truncated, so its rows do not exist any more
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

// holds reports whether the rowset with the id source is in the snapshot s of a table.
func holds(s *snapshot.Table, source base.SourceID) bool {
	_, ok := slices.BinarySearchFunc(s.Parts, source, func(p *catalog.Part, id base.SourceID) int { return cmp.Compare(p.ID, id) })
	return ok || slices.ContainsFunc(s.Memtables, func(v memtable.View) bool { return v.Source == source })
}

// maxSettles is the maximum number of attempts of Settle. It tries again after a schema change, or
// after it had to wait for memory.
const maxSettles = 10

// Settle deletes the rows of a table that merges on read which are superseded now. It also records
// up to which edit the table is deduplicated. For other tables it does nothing. It does not wait
// for table locks, because its deletions conflict with no other change. It does not hold a snapshot
// while it waits for memory, see Room.
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

// settleAt deletes the superseded rows that a table has in the snapshot s. The snapshot must come
// from Settled. The memory is taken from room.
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

// raise records that the table is deduplicated up to the edit seq. The caller holds mu.
func (t *settling) raise(seq base.Seq) { t.upTo = max(t.upTo, seq) }

// relocatedLocked retains the remap of replaced rowsets, so that it can be applied later to the
// known superseded rows of the table. If the remaps of all tables exceed movesBytes, the remaps of
// the table with the most memory are dropped. That frees at least as much as was added. The caller
// must hold mu.
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

// lose drops all retained remaps of the table: if one is missing, the others are useless. The
// caller holds mu.
func (t *settling) lose() { t.moves, t.bytes, t.lost = nil, 0, true }

// storeSettled adds to an edit of the catalog the number of the edit up to which the table is
// deduplicated. It runs in the committer. The log must be synced up to that edit.
func (t *table) storeSettled(edit *catalog.Edit) {
	if t.settling == nil || t.settling.upTo == t.settling.stored {
		return
	}
	if edit.Settle == nil {
		edit.Settle = map[base.TableID]base.Seq{}
	}
	edit.Settle[t.id] = t.settling.upTo
}

// settledStored is called when the catalog has stored an edit that storeSettled prepared. It
// records this in memory. It runs in the committer.
func (e *Engine) settledStored(edit *catalog.Edit) {
	for id, seq := range edit.Settle {
		e.tables[id].settling.stored = seq
	}
}
