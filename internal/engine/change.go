package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Read is what a statement looked at beyond the rows that it changes.
type Read struct {
	Table base.TableID
	// Columns, if not nil, are those whose values decided what the statement does. Nil means the table as a
	// whole: appended rows would have been read too.
	Columns []base.ColumnID
	// Brought says that of the rows that were there only those decided that the change itself changes: rows that other
	// changes brought since would have been read too. Columns has no meaning then.
	Brought bool
}

// Change is what a statement does to one table. The addresses are those of the snapshot that it was computed from.
type Change struct {
	Table   base.TableID
	Deleted map[base.SourceID]*roaring.Bitmap
	// Updated are new values of columns that are in no sort key, partitioning or primary key: a row whose key
	// changes is deleted, and inserted anew. Seq and Version are given by Commit. A source may come several
	// times; later layers are newer. What is in them, on Go's heap, belongs to the engine from then on.
	Updated []patch.Layer
	// Expression, if not nil, changes all rows of parts that the snapshot shows without a patch, when they are read. Updated has
	// what it does to the others. For tables without a primary key. Seq and Version are given by Commit. A Read of
	// the whole table comes with it.
	Expression *patch.Expression
	Inserted   []arrow.RecordBatch // as TableRows.Batches
	Reads      []Read
	// Kept are rows that the change leaves as they are because they are there: with another of them, or without one, it would do something else.
	Kept map[base.SourceID]*roaring.Bitmap
	// Keys are hashes of the primary keys of the inserted rows, as batch.KeyHashes gives them, for a table with
	// one: a change or append since the snapshot that inserted one of them makes this one ErrChanged. In a table that merges on read and has
	// versions those of rows are among them that the change deletes, or gives another version.
	Keys []uint64
	// Appended says that the inserted rows are all that the change does, and that other changes mind them no more than
	// those of Append.
	Appended bool
	// Settle says that the losers of the snapshot go, whatever else the change does. Otherwise they go with rows that
	// it deletes, or gives another version.
	Settle bool
	// Counts is what Result.Counts says of the change: a row that moves is deleted and inserted here, and counts as updated.
	Counts Counts
}

// ErrChanged says that a change does not hold for its snapshot any more: rows that it changes, or that decided
// what it does, were changed meanwhile. A change computed from a new snapshot may succeed.
var ErrChanged = base.Errorf(base.Conflict, "rows were changed by another statement meanwhile").WithHint("run the statement again")

// ErrColumnBytes is in the error of a change after which the patches of a part would have more new values of a column than they can hold.
var ErrColumnBytes = errors.New("new values of one column of one part")

// errMoved sends a change back to have its addresses brought up to date.
var errMoved = errors.New("rows moved to other sources meanwhile")

// Commit makes changes that were computed from a snapshot durable and visible, all or nothing, in one group
// commit with appends. Rows that a flush or merge moved since the snapshot are found. The results
// of concurrent changes are those of one after the other, in the order of Result.Seq; an append that a change did not see
// counts as later:
//
//   - A change of a row that was changed or deleted since the snapshot is ErrChanged, and one that kept it as it was.
//   - So is one with a Read of a column that was written since; deletions, and insertions of other changes, write all
//     columns. A Read of a whole table minds appended rows too, unless Pins is Pinned: then it counts as
//     having come before them.
//   - So is one that inserts a key which was inserted since.
//   - So is one of a table whose schema changed, or that got an expression. With AppendOptions.Evolutions a schema that changed is ErrStale.
//
// Without pins a change of a table that somebody pins is ErrPinned.
//
// Changes of a table that merges on read are computed from a snapshot of Settled. Other errors are those of Append, and ErrNoRoom
// with a Room.
func (e *Engine) Commit(ctx context.Context, s *snapshot.Snapshot, changes []Change, o AppendOptions) (Result, error) {
	if o.Pins == Unpinned {
		var ids []base.TableID
		for _, c := range changes {
			ids = append(ids, c.Table)
		}
		release, err := e.tryShare(ctx, notMade(ids, o.Evolutions))
		if err != nil {
			return Result{}, err
		}
		defer release()
	}
	return e.Once(ctx, o, func(o AppendOptions) (Result, error) {
		for range maxAttempts {
			r, err := e.prepareChanges(ctx, s, changes, o)
			if err != nil {
				return Result{}, err
			}
			result, err := e.submit(ctx, r)
			if err == ErrStale && len(o.Evolutions) == 0 {
				err = ErrChanged
			}
			if err == nil {
				e.changes.Add(1)
			}
			if err != errMoved {
				return result, err
			}
		}
		return Result{}, ErrChanged
	})
}

// changeSet is what a request of Commit brings besides inserted rows.
type changeSet struct {
	seq    base.Seq // of the snapshot
	pinned bool
	tables []*tableChange
	reads  []read
	bytes  int64 // of memory
	losers int64 // of bytes: what stays allowed whatever memory there is
}

// read is a Read with the version of the schema that it saw.
type read struct {
	Read
	version uint32
}

// tableChange is a Change with present addresses.
type tableChange struct {
	id      base.TableID
	version uint32
	deleted map[base.SourceID]*roaring.Bitmap
	losers  map[base.SourceID]*roaring.Bitmap // that go with it: nobody minds
	gone    map[base.SourceID]*roaring.Bitmap // both
	updated []patch.Layer
	kept    map[base.SourceID]*roaring.Bitmap
	// rows are those that the change deletes or updates, touched also under the addresses that they had
	// since the snapshot, and seen likewise with those that it keeps.
	rows       map[base.SourceID]*roaring.Bitmap
	touched    map[base.SourceID]*roaring.Bitmap
	seen       map[base.SourceID]*roaring.Bitmap
	columns    []base.ColumnID // that it writes
	expression *patch.Expression
	all        bool // it writes all columns: rows come or go
	brings     bool // rows come
	keys       []uint64
	keySet     map[uint64]struct{} // the same
	settles    bool                // its losers are all of the snapshot
	bytes      int64               // of memory
}

// changeOverhead is what a change takes besides values: bitmaps, headers of arrays.
const changeOverhead = 1 << 10

// prepareChanges does all that needs only the changes and the schema.
func (e *Engine) prepareChanges(ctx context.Context, s *snapshot.Snapshot, changes []Change, o AppendOptions) (*request, error) {
	if err := e.writable(); err != nil {
		return nil, err
	}
	set := &changeSet{seq: s.Seq, pinned: o.Pins == Pinned}
	r := newRequest(o)
	r.changes = set
	p := preparation{request: r}
	defer p.release()
	for i := range changes {
		c := &changes[i]
		t := s.Tables[c.Table]
		if t == nil {
			return nil, base.Errorf(base.Internal, "change of table %d, which the snapshot does not hold", c.Table)
		}
		for _, reading := range c.Reads {
			if s.Tables[reading.Table] == nil {
				return nil, base.Errorf(base.Internal, "change that read table %d, which the snapshot does not hold", reading.Table)
			}
			set.reads = append(set.reads, read{reading, s.Tables[reading.Table].Schema.Version})
		}
		if err := e.prepareChange(ctx, &p, c, t); err != nil {
			return nil, base.Wrap(err, "table %s", t.Schema.QualifiedName())
		}
	}
	r.bytes += set.bytes
	if bytes := set.bytes - set.losers; bytes > 0 {
		if err := e.checkPatchMemory(bytes); err != nil {
			return nil, err
		}
	}
	s.Retain() // what happened since is kept until the committer has looked
	if err := e.fill(ctx, &p, o.Room); err != nil {
		s.Release()
		return nil, err
	}
	release := r.release
	r.release = func() { release(); s.Release() }
	return r, nil
}

// tableChangeOf checks what a change does to rows that are there against the snapshot that it was computed from. What is inserted comes later.
func tableChangeOf(c *Change, t *snapshot.Table) (*tableChange, error) {
	tc := &tableChange{id: c.Table, version: t.Schema.Version, deleted: map[base.SourceID]*roaring.Bitmap{}, keys: slices.Clone(c.Keys), keySet: setOf(c.Keys)}
	for source, deleted := range c.Deleted {
		if deleted == nil || deleted.IsEmpty() {
			continue
		}
		if err := checkRows(t, source, deleted.Maximum()); err != nil {
			return nil, err
		}
		tc.deleted[source] = deleted.Clone()
		tc.all = true
	}
	for source, kept := range c.Kept {
		if err := checkRows(t, source, kept.Maximum()); err != nil {
			return nil, err
		}
	}
	tc.kept = c.Kept
	for _, l := range c.Updated {
		if len(l.Ordinals) == 0 {
			continue
		}
		if err := checkLayer(t, l); err != nil {
			return nil, err
		}
		l.Version, l.Seq = t.Schema.Version, 0
		tc.updated = append(tc.updated, l)
		tc.columns = append(tc.columns, l.Columns...)
	}
	return tc, nil
}

func (e *Engine) prepareChange(ctx context.Context, p *preparation, c *Change, t *snapshot.Table) error {
	tc, err := tableChangeOf(c, t)
	if err != nil {
		return err
	}
	for _, l := range tc.updated {
		if err := checkPending(t, l); err != nil {
			return err
		}
	}
	if tc.expression, err = expressionOf(t.Schema, c.Expression); err != nil {
		return err
	}
	if tc.expression != nil {
		tc.columns = append(tc.columns, tc.expression.Columns()...)
	}
	records, first := make([]arrow.RecordBatch, 0, len(c.Inserted)), int64(0)
	for _, in := range c.Inserted {
		record, err := e.conformBatch(ctx, in, t.Schema, first)
		if err != nil {
			return err
		}
		p.conformed = append(p.conformed, record)
		records = append(records, record)
		first += record.NumRows()
		tc.brings = tc.brings || record.NumRows() > 0
		tc.all = tc.all || tc.brings
	}
	tc.takeLosers(c, t)
	p.request.counts = p.request.counts.Plus(c.Counts)
	if c.Appended {
		err = p.append(t.Schema, records)
	} else if err = checkSettled(t); err == nil {
		_, err = p.add(t.Schema, records)
	}
	if err != nil {
		return err
	}
	if c.Appended || !tc.does() && len(tc.kept) == 0 && len(tc.keys) == 0 {
		return nil
	}
	if err := e.readdress(tc); err != nil {
		return err
	}
	for _, b := range tc.losers {
		tc.bytes += int64(b.GetSizeInBytes())
	}
	p.request.changes.losers += 2 * tc.bytes
	if len(tc.deleted) > 0 || len(tc.updated) > 0 || tc.brings {
		tc.bytes += changeOverhead
	}
	for _, b := range tc.deleted {
		tc.bytes += int64(b.GetSizeInBytes())
	}
	for _, l := range tc.updated {
		bytes := batch.Bytes(l.Values) + 4*int64(len(l.Ordinals)*len(l.Columns))
		p.patchBytes += bytes
		tc.bytes += bytes
		p.patches = append(p.patches, l.Values)
	}
	// Until it is flushed it is held beside what it is folded into.
	p.request.changes.bytes += 2 * tc.bytes
	p.request.changes.tables = append(p.request.changes.tables, tc)
	return nil
}

// does reports whether a change does anything. Of one that does not it still matters what it keeps, and which keys it found nothing of, if changes of other
// tables go with it.
func (c *tableChange) does() bool {
	return len(c.deleted) > 0 || len(c.losers) > 0 || len(c.updated) > 0 || c.brings || c.expression != nil
}

func setOf(keys []uint64) map[uint64]struct{} {
	set := make(map[uint64]struct{}, len(keys))
	for _, k := range keys {
		set[k] = struct{}{}
	}
	return set
}

// takeLosers has the change delete the losers of the snapshot if it does something that would bring some of them back.
func (tc *tableChange) takeLosers(c *Change, t *snapshot.Table) {
	writes := func(id base.ColumnID) bool { return id != 0 && slices.Contains(tc.columns, id) }
	if t.Losers == nil || !c.Settle && len(tc.deleted) == 0 && !writes(t.Schema.RowVersion) {
		return
	}
	tc.losers, tc.settles = maps.Clone(t.Losers), true
}

// checkSettled refuses a change that would not know a table's losers.
func checkSettled(t *snapshot.Table) error {
	if t.Schema.MergeOnRead && t.Losers == nil {
		return base.Errorf(base.Internal, "change of a table that merges on read, computed from a snapshot that is not settled")
	}
	return nil
}

// checkRows returns an Internal error if the snapshot has no such row.
func checkRows(t *snapshot.Table, source base.SourceID, last uint32) error {
	rows := int64(-1)
	for _, p := range t.Parts {
		if p.ID == source {
			rows = p.Rows
		}
	}
	for _, m := range t.Memtables {
		if m.Source == source {
			rows = m.Rows
		}
	}
	if int64(last) >= rows {
		return base.Errorf(base.Internal, "change of row %d of source %d, which has %d", last, source, max(rows, 0))
	}
	return nil
}

// checkLayer compares a layer with the table.
func checkLayer(t *snapshot.Table, l patch.Layer) error {
	if err := l.Check(); err != nil {
		return err
	}
	if err := checkRows(t, l.Source, l.Ordinals[len(l.Ordinals)-1]); err != nil {
		return err
	}
	for i, id := range l.Columns {
		at := t.Schema.ColumnByID(id)
		if at < 0 {
			return base.Errorf(base.Internal, "patch of column %d, which is not there", id)
		}
		c, values := t.Schema.Columns[at], l.Values.Column(i)
		switch {
		case !arrow.TypeEqual(values.DataType(), c.Type.Arrow()):
			return base.Errorf(base.Internal, "patch of column %q with values of type %s, expected %s", c.Name, values.DataType(), c.Type.Arrow())
		case c.NotNull && values.NullN() > 0:
			return base.Errorf(base.Invalid, "column %q is NOT NULL", c.Name)
		case t.Schema.InKey(id):
			return base.Errorf(base.Internal, "patch of column %q, which decides where a row is", c.Name)
		}
	}
	return nil
}

// readdress brings a change's addresses to where the rows are now.
func (e *Engine) readdress(c *tableChange) error {
	if c.seen == nil { // not the first time: what was changed since may be noted at the addresses before, too
		c.touched, c.seen = map[base.SourceID]*roaring.Bitmap{}, map[base.SourceID]*roaring.Bitmap{}
	}
	for {
		c.rows = map[base.SourceID]*roaring.Bitmap{}
		for source, rows := range c.deleted {
			addRows(c.rows, source, rows)
		}
		for _, l := range c.updated {
			addRows(c.rows, l.Source, roaring.BitmapOf(l.Ordinals...))
		}
		for source, rows := range c.rows {
			addRows(c.touched, source, rows)
			addRows(c.seen, source, rows)
		}
		for source, rows := range c.kept {
			addRows(c.seen, source, rows)
		}
		c.gone = maps.Clone(c.deleted)
		for source, rows := range c.losers {
			addRows(c.gone, source, rows)
		}
		moves, err := e.movesOf(c.id, c.allSources())
		if err != nil || len(moves) == 0 {
			return err
		}
		deleted, err := moveRows(moves, c.deleted)
		if err != nil {
			return err
		}
		if c.losers, err = moveRows(moves, c.losers); err != nil {
			return err
		}
		if c.kept, err = moveRows(moves, c.kept); err != nil {
			return err
		}
		var updated []patch.Layer
		for _, l := range c.updated {
			moved := []patch.Layer{l}
			if moves[l.Source] != nil {
				if moved, err = patch.MoveLayer(moves[l.Source], l); err != nil {
					return err
				}
			}
			updated = append(updated, moved...)
		}
		c.deleted, c.updated = deleted, updated
	}
}

// allSources returns sources, and those of rows that it keeps.
func (c *tableChange) allSources() []base.SourceID {
	return slices.AppendSeq(c.sources(), maps.Keys(c.kept))
}

// sources returns those of which the change changes rows.
func (c *tableChange) sources() []base.SourceID {
	all := slices.AppendSeq(slices.Collect(maps.Keys(c.rows)), maps.Keys(c.losers))
	slices.Sort(all)
	return slices.Compact(all)
}

// moveRows returns where rows are now.
func moveRows(moves map[base.SourceID]patch.Move, rows map[base.SourceID]*roaring.Bitmap) (map[base.SourceID]*roaring.Bitmap, error) {
	now := map[base.SourceID]*roaring.Bitmap{}
	for source, rows := range rows {
		if moves[source] == nil {
			addRows(now, source, rows)
			continue
		}
		moved, err := patch.MoveRows(moves[source], source, rows)
		if err != nil {
			return nil, err
		}
		for to, rows := range moved {
			addRows(now, to, rows)
		}
	}
	return now, nil
}

func addRows(to map[base.SourceID]*roaring.Bitmap, source base.SourceID, rows *roaring.Bitmap) {
	if to[source] == nil {
		to[source] = rows
	} else {
		to[source] = roaring.Or(to[source], rows)
	}
}

// movesOf returns how to get from sources to where their rows are; nothing for those that are there. If that is
// not known, the rows are gone: ErrChanged.
func (e *Engine) movesOf(id base.TableID, sources []base.SourceID) (map[base.SourceID]patch.Move, error) {
	if len(sources) == 0 { // as of a table that is yet to be made
		return nil, nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.tableLocked(id)
	if err != nil {
		return nil, err
	}
	var moves map[base.SourceID]patch.Move
	for _, source := range sources {
		if t.current.has(source) {
			continue
		}
		moved, ok := t.moved[source]
		if !ok {
			return nil, ErrChanged
		}
		if moves == nil {
			moves = map[base.SourceID]patch.Move{}
		}
		moves[source] = moved.move
	}
	return moves, nil
}
