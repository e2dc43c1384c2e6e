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

// Tables that merge on read.
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
//
//   - A change that deletes rows, moves them or gives them another version also deletes the
//     superseded rows of its snapshot.
//   - Such a change is ErrChanged if a row arrived since its snapshot for a key to which the change
//     moves a row or, in tables with versions, for a key whose row it deletes or gives another
//     version. For this, appends record their keys (written).
//
// The age of rows follows from their addresses: within a memtable from their ordinals, between
// rowsets from the edits that inserted them. For this a load freezes the memtable of its table, so
// that no memtable has rows from before and after a part.
//
// A table is deduplicated up to an edit if no two rows up to that edit have the same key. Only
// parts up to that edit are merged, since their order relative to other rows does not matter. The
// catalog stores the number of the edit.

// settling is the dedup state of a table that merges on read.
type settling struct {
	turn *semaphore.Weighted // constant; of 1: look-ups run one after the other

	// losers are all superseded rows that were found and are not deleted. Guarded by turn.
	losers keys.Losers
	shown  map[base.SourceID]shownRows // guarded by turn; by rowset

	moves []relocation // guarded by mu: remaps since losers was found
	bytes int64        // guarded by mu: memory of moves
	// lost says that there were too many remaps. None is retained until the superseded rows are
	// looked up again. Guarded by mu.
	lost bool
	upTo base.Seq // guarded by mu: the table is deduplicated up to this edit

	stored base.Seq // of the committer: upTo in the catalog
}

// relocation is a remap of rowsets that were rewritten.
type relocation struct {
	sources []base.SourceID
	move    patch.Move
}

// maxRelocations bounds the number of remaps that are retained for a table that nobody reads.
// movesBytes bounds the memory of those of all tables. Beyond that the superseded rows are looked
// up again, among the rows since the edit up to which the table is deduplicated.
const maxRelocations = 64

// shownRows is a rowset's patches with its superseded rows among the deleted rows. For the same
// patches and superseded rows it is the same object, so that what readers cache for it stays valid.
type shownRows struct {
	set, shown *patch.Set
	losers     *roaring.Bitmap
}

func newSettling(upTo base.Seq) *settling {
	return &settling{turn: semaphore.NewWeighted(1), losers: keys.Losers{Seq: upTo}, upTo: upTo, stored: upTo}
}

// Keys returns the finder of rows by key for the engine's tables.
func (e *Engine) Keys() *keys.Finder { return e.keyFinder }

// Settled returns a deduplicated snapshot: tables that merge on read show one row for each key. It
// looks up the rows that arrived since the last call, so it may take a while, and fails if a part
// cannot be read. Other tables are as for Snapshot.
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

// takeLocked takes a snapshot, and the remaps since the last snapshot of each table in turns. It is
// the first half of Settled.
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

// settled is the second half of Settled: it finds the superseded rows of a snapshot. It takes over
// the snapshot.
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

// takeTurns waits until no other caller looks up rows of the tables that merge on read, and returns
// their dedup states.
func (e *Engine) takeTurns(ctx context.Context, ids []base.TableID) (turns map[base.TableID]*settling, release func(), err error) {
	release = func() {
		for _, t := range turns {
			t.turn.Release(1)
		}
	}
	ids = slices.Clone(ids)
	slices.Sort(ids) // in one order, so that two callers never wait for each other
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

// followAll applies the remaps of takeLocked to the superseded rows of the tables. takeLocked
// returns each remap only once.
func followAll(turns map[base.TableID]*settling, moves map[base.TableID][]relocation) (err error) {
	for id, t := range turns {
		err = errors.Join(err, t.follow(moves[id]))
	}
	return err
}

// follow applies remaps to the superseded rows. The caller has the turn.
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
				t.losers = keys.Losers{} // all rows are looked up again
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

// show returns the table with its superseded rows among the deleted rows. The caller has the turn.
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

// maxSettles bounds the attempts of Settle after schema changes and waits for memory.
const maxSettles = 10

// Settle deletes the present superseded rows of a table that merges on read, and records up to
// which edit it is deduplicated. For other tables it does nothing. It does not wait for table
// locks, because its changes conflict with nothing. It waits for memory without a snapshot, see
// Room.
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

// settleAt is Settle for the superseded rows of a snapshot of Settled, with memory of a Room.
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

// relocatedLocked retains a remap for the superseded rows of a table. If the remaps of all tables
// exceed movesBytes, the table whose remaps take the most memory drops them. That frees at least as
// much as was added.
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

// lose drops all remaps, since all of them are useless if one is missing. The caller holds mu.
func (t *settling) lose() { t.moves, t.bytes, t.lost = nil, 0, true }

// storeSettled adds to an edit the number of the edit up to which the table is deduplicated. It
// runs in the committer, and the log must be synced up to that number.
func (t *table) storeSettled(edit *catalog.Edit) {
	if t.settling == nil || t.settling.upTo == t.settling.stored {
		return
	}
	if edit.Settle == nil {
		edit.Settle = map[base.TableID]base.Seq{}
	}
	edit.Settle[t.id] = t.settling.upTo
}

// settledStored records what an edit of storeSettled has stored. It runs in the committer.
func (e *Engine) settledStored(edit *catalog.Edit) {
	for id, seq := range edit.Settle {
		e.tables[id].settling.stored = seq
	}
}
