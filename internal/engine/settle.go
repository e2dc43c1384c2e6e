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
// Rows come to such a table without a look at those of their keys that are there, so it may have several rows of a key:
// keys.Losers says which of them holds. A reader takes its snapshot with Settled, which looks up the rows that came since the
// last reader, and hides the losers as if they were deleted. Everybody above the engine sees one row for each key, and
// works as on any table with a primary key.
//
// That a loser stays one is what the rest stands on, for readers remember losers, flushes leave out those among
// a memtable's own rows, whose order they do not keep, and Settle deletes them whenever it likes, without a look at what others
// change meanwhile:
//
//   - A change that deletes rows, moves them or gives them another version takes the losers of its snapshot with it.
//   - It is sent back if a row came since that snapshot whose key it moves a row to, or, in tables with versions, whose key it
//     deletes or gives another version: appended rows leave notes of their keys (written).
//
// Rows are told older and newer by where they are: within a memtable by their ordinals, between sources by the edits that brought
// them. For that a load freezes the memtable of its table, so that none has rows from before and after a part; and only parts
// are merged that are settled, which is to say that of the rows up to some edit no two have one key: how they mix with
// others does not matter then. The catalog keeps that edit's number.

// settling is the part of a table that merges on read.
type settling struct {
	turn *semaphore.Weighted // constant; of 1: look-ups come one after the other, each with a later snapshot

	losers keys.Losers                 // of who has the turn: all that were found and are not deleted
	shown  map[base.SourceID]shownRows // of who has the turn

	moves []relocation // guarded by mu: where losers went since; nil bitmaps are none
	bytes int64        // guarded by mu: what moves take
	lost  bool         // guarded by mu: there were too many moves; none are kept until losers are looked for anew
	upTo  base.Seq     // guarded by mu: losers among the rows up to this edit are deleted

	stored base.Seq // of the committer: upTo as the catalog has it
}

// relocation is sources that were written anew.
type relocation struct {
	sources []base.SourceID
	move    patch.Move
}

// maxRelocations is how many are kept for a table that nobody reads; how much those of all tables take is bounded by movesBytes. Beyond it the
// table's losers are looked for anew, from the last edit on that it is settled up to.
const maxRelocations = 64

// shownRows is a source's set with its losers among the deleted rows. For one set and the same losers it is the same one: readers keep what
// they learn of it.
type shownRows struct {
	set, shown *patch.Set
	losers     *roaring.Bitmap
}

func newSettling(upTo base.Seq) *settling {
	return &settling{turn: semaphore.NewWeighted(1), losers: keys.Losers{Seq: upTo}, upTo: upTo, stored: upTo}
}

// Keys finds rows of the engine's tables by key.
func (e *Engine) Keys() *keys.Finder { return e.keyFinder }

// Settled is Snapshot for those who read rows: tables that merge on read show one row for each key. It looks up the rows that came since
// the last time, so it may take a while, and fails if a part cannot be read.
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

// takeLocked takes a snapshot, and where rows of the tables of whose turn it is went since the last one. It is the first half of Settled.
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

// settled is the second half of Settled: it looks up the losers of a snapshot, which it takes over.
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

// takeTurns waits until nobody else looks up rows of those of the tables that merge on read.
func (e *Engine) takeTurns(ctx context.Context, ids []base.TableID) (turns map[base.TableID]*settling, release func(), err error) {
	release = func() {
		for _, t := range turns {
			t.turn.Release(1)
		}
	}
	ids = slices.Clone(ids)
	slices.Sort(ids) // in one order, so that two never wait for one another
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

// followAll brings the losers of tables to where takeLocked found that their rows went: it finds that once.
func followAll(turns map[base.TableID]*settling, moves map[base.TableID][]relocation) (err error) {
	for id, t := range turns {
		err = errors.Join(err, t.follow(moves[id]))
	}
	return err
}

// follow brings the losers to where their sources' rows are now. By who has the turn.
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
				t.losers = keys.Losers{} // all is looked up anew
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

// show returns a table with its losers among the deleted rows. By who has the turn.
func (t *settling) show(s *snapshot.Table, seq base.Seq) (*snapshot.Table, error) {
	out := *s
	out.Losers, out.Patches = map[base.SourceID]*roaring.Bitmap{}, maps.Clone(s.Patches)
	if out.Patches == nil {
		out.Patches = map[base.SourceID]*patch.Set{}
	}
	shown := make(map[base.SourceID]shownRows, len(t.losers.Of))
	for source, losers := range t.losers.Of {
		if !holds(s, source) {
			continue // truncated
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

// holds reports whether a source is in a snapshot.
func holds(s *snapshot.Table, source base.SourceID) bool {
	_, ok := slices.BinarySearchFunc(s.Parts, source, func(p *catalog.Part, id base.SourceID) int { return cmp.Compare(p.ID, id) })
	return ok || slices.ContainsFunc(s.Memtables, func(v memtable.View) bool { return v.Source == source })
}

// maxSettles bounds how often Settle gives way to schema changes and waits for memory.
const maxSettles = 10

// Settle deletes the losers that a table which merges on read has now, and notes that it is settled. For other tables it does
// nothing. It waits for nobody's pin: who holds one does not mind. For memory it waits without a snapshot, see Room.
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

// settleAt is Settle for the losers of a snapshot of Settled, with the memory of a room.
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

// raise notes that the losers among rows up to an edit are deleted. Under mu.
func (t *settling) raise(seq base.Seq) { t.upTo = max(t.upTo, seq) }

// relocatedLocked keeps where sources of a table went, for the losers among their rows. Over the limit of all tables the one whose moves take
// most loses them: that is enough, as it takes no less than what has just come.
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

// lose drops the moves: without one of them the others are of no use. Under mu.
func (t *settling) lose() { t.moves, t.bytes, t.lost = nil, 0, true }

// storeSettled has an edit store up to which edit a table is settled. In the committer, with the log synced up to there.
func (t *table) storeSettled(edit *catalog.Edit) {
	if t.settling == nil || t.settling.upTo == t.settling.stored {
		return
	}
	if edit.Settle == nil {
		edit.Settle = map[base.TableID]base.Seq{}
	}
	edit.Settle[t.id] = t.settling.upTo
}

// settledStored notes what was stored. In the committer.
func (e *Engine) settledStored(edit *catalog.Edit) {
	for id, seq := range edit.Settle {
		e.tables[id].settling.stored = seq
	}
}
