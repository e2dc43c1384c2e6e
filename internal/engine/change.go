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

// Read says that a statement has read something of a table, apart from the rows that it changes.
// Commit refuses the change if that was changed since the snapshot.
type Read struct {
	Table base.TableID
	// Columns are the columns whose values the statement depends on. Nil means the whole table:
	// then a row that was appended since the snapshot counts as a change, too.
	Columns []base.ColumnID
	// Brought says that the statement depends only on rows that other changes insert after the
	// snapshot. It is right if the statement also modifies all existing rows on which its result
	// depends, because those conflicts are detected anyway. Columns is ignored.
	Brought bool
}

// Change is what a statement does to one table. Its row addresses are those of the snapshot from
// which it was computed.
type Change struct {
	Table   base.TableID
	Deleted map[base.SourceID]*roaring.Bitmap
	// Updated has new values of rows. Columns of the sort key, partitioning or primary key are not
	// allowed: a row whose key changes is deleted and inserted again. Commit sets Seq and Version
	// of the layers. If a rowset has several layers, later ones are newer. The values are on Go's
	// heap, and belong to the engine after the call.
	Updated []patch.Layer
	// Expression, if not nil, is an expression update. Readers apply it to all rows of parts that
	// have no patch in the snapshot; Updated has the new values of all other rows. The table must
	// not have a primary key. Commit sets Seq and Version. The caller must add a Read of the whole
	// table.
	Expression *patch.Expression
	Inserted   []arrow.RecordBatch // natural types, see TableRows.Batches
	Reads      []Read
	// Kept has rows that the statement looked at and left unchanged because of their values, by
	// rowset id. If one of them was changed or deleted since the snapshot, the error is ErrChanged.
	Kept map[base.SourceID]*roaring.Bitmap
	// Keys has hashes of the primary keys of the inserted rows (batch.KeyHashes). If another change
	// or append has inserted one of these keys since the snapshot, the error is ErrChanged.
	//
	// In a table that merges on read and has versions, Keys also has the keys of rows that the
	// change deletes, or to which it gives another version.
	Keys []uint64
	// Appended says that the change only inserts rows. Like rows of Append they conflict with no
	// other change.
	Appended bool
	// Settle says that the change also deletes all superseded rows of the snapshot. Without Settle
	// it does so only if it deletes other rows, or gives rows another version.
	Settle bool
	// Counts is what Result.Counts will be. A row that moves is a deletion and an insertion in the
	// fields above, but counts as one update.
	Counts Counts
}

// ErrChanged says that rows which a change modifies, or depends on, were changed since its
// snapshot. Nothing was changed. The caller may compute the change again from a new snapshot.
var ErrChanged = base.Errorf(base.Conflict, "rows were changed by another statement meanwhile").WithHint("run the statement again")

// ErrColumnBytes is wrapped in the error of a change that was refused because one column of one
// part would have more than patch.MaxColumnBytes of new values.
var ErrColumnBytes = errors.New("new values of one column of one part")

// errMoved says that rowsets to which a change refers were replaced. The caller remaps the change's
// row addresses and tries again.
var errMoved = errors.New("rows moved to other sources meanwhile")

// Commit makes changes that were computed from a snapshot durable and visible, all or nothing. The
// committer writes them in the same groups as appends. Rows that a flush or merge moved since the
// snapshot are found by the remap.
//
// The result of concurrent changes is that of running them one after the other, in the order of
// Result.Seq. An append that a change did not see counts as later. If one of the following happened
// since a change's snapshot, the error is ErrChanged:
//   - A row that it modifies, or kept (Change.Kept), was changed or deleted.
//   - A column of one of its Reads was written. Deletions and insertions write all columns. A Read
//     of the whole table also conflicts with appended rows, unless AppendOptions.Pins is Pinned:
//     then the appends count as later.
//   - One of its Keys was inserted.
//   - The schema of its table changed, or its table got an expression update. If
//     AppendOptions.Evolutions is set, the error for a changed schema is ErrStale instead.
//
// If another statement has locked a table, the error is ErrPinned, unless AppendOptions.Pins says
// that the caller holds or shares the lock.
//
// Changes of a table that merges on read must be computed from a deduplicated snapshot (Settled).
// Other errors are those of Append, and ErrNoRoom with AppendOptions.Room.
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

// changeSet is what a request of Commit does, except for inserting rows.
type changeSet struct {
	seq    base.Seq // sequence number of the snapshot
	pinned bool
	tables []*tableChange
	reads  []read
	bytes  int64 // reserved memory of all changes
	// Part of bytes for deleting superseded rows, which is allowed even if patches have used up
	// their memory.
	losers int64
}

// read is a Read, with the schema version of its table in the snapshot.
type read struct {
	Read
	version uint32
}

// tableChange is a Change in the committer's form. Its row addresses are remapped to the present
// rowsets.
type tableChange struct {
	id      base.TableID
	version uint32
	deleted map[base.SourceID]*roaring.Bitmap
	// losers are superseded rows that the change also deletes. They conflict with nothing.
	losers  map[base.SourceID]*roaring.Bitmap
	gone    map[base.SourceID]*roaring.Bitmap // union of deleted and losers
	updated []patch.Layer
	kept    map[base.SourceID]*roaring.Bitmap
	// rows are the rows that the change deletes or updates, at their present addresses. touched are
	// the same rows at all addresses that they had since the snapshot. seen is touched plus the
	// kept rows, also at all addresses.
	rows       map[base.SourceID]*roaring.Bitmap
	touched    map[base.SourceID]*roaring.Bitmap
	seen       map[base.SourceID]*roaring.Bitmap
	columns    []base.ColumnID // columns to which updated gives new values
	expression *patch.Expression
	all        bool // the change deletes or inserts rows, which writes all columns
	brings     bool // the change inserts rows
	keys       []uint64
	keySet     map[uint64]struct{} // the elements of keys, for fast look-ups
	settles    bool                // losers has all superseded rows of the snapshot
	bytes      int64               // reserved memory of the change
}

// changeOverhead estimates the memory of a change apart from its values, such as bitmaps and array
// headers.
const changeOverhead = 1 << 10

// prepareChanges does all work of a commit that needs only the changes and the schema, and no lock.
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
	// The committer needs the write sets since the snapshot, which are retained as long as it is
	// held.
	s.Retain()
	if err := e.fill(ctx, &p, o.Room); err != nil {
		s.Release()
		return nil, err
	}
	release := r.release
	r.release = func() { release(); s.Release() }
	return r, nil
}

// tableChangeOf checks the deletions and new values of a change against the snapshot from which it
// was computed, and returns them in the committer's form. It does not look at inserted rows.
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
	// Until the flush, the change is in memory twice: by itself, and as part of the patches of its
	// rowset.
	p.request.changes.bytes += 2 * tc.bytes
	p.request.changes.tables = append(p.request.changes.tables, tc)
	return nil
}

// does reports whether a change modifies anything. A change that does not may be committed together
// with changes of other tables, and then has conflicts because of Kept and Keys.
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

// takeLosers makes the change delete all superseded rows of the snapshot, if the change could
// otherwise make one of them visible again.
func (tc *tableChange) takeLosers(c *Change, t *snapshot.Table) {
	writes := func(id base.ColumnID) bool { return id != 0 && slices.Contains(tc.columns, id) }
	if t.Losers == nil || !c.Settle && len(tc.deleted) == 0 && !writes(t.Schema.RowVersion) {
		return
	}
	tc.losers, tc.settles = maps.Clone(t.Losers), true
}

// checkSettled returns an Internal error if the table merges on read and its snapshot is not
// deduplicated.
func checkSettled(t *snapshot.Table) error {
	if t.Schema.MergeOnRead && t.Losers == nil {
		return base.Errorf(base.Internal, "change of a table that merges on read, computed from a snapshot that is not settled")
	}
	return nil
}

// checkRows returns an Internal error unless the rowset is in the snapshot and has a row with the
// ordinal last.
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

// checkLayer returns an error unless a layer's rows, columns and types fit the table.
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

// readdress remaps a change's row addresses to the present rowsets. If a needed remap is not
// retained any more, the error is ErrChanged.
func (e *Engine) readdress(c *tableChange) error {
	// touched and seen keep the older addresses when readdress is called again: write sets since
	// the snapshot may have recorded rows under any of them.
	if c.seen == nil {
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

// allSources returns the rowsets of rows that the change modifies or keeps.
func (c *tableChange) allSources() []base.SourceID {
	return slices.AppendSeq(c.sources(), maps.Keys(c.kept))
}

// sources returns the rowsets of rows that the change modifies.
func (c *tableChange) sources() []base.SourceID {
	all := slices.AppendSeq(slices.Collect(maps.Keys(c.rows)), maps.Keys(c.losers))
	slices.Sort(all)
	return slices.Compact(all)
}

// moveRows remaps rows, given by rowset id. moves has the remaps of rowsets that were replaced.
// Rows of other rowsets stay.
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

// movesOf returns the remap of each of the rowsets that was replaced. If a remap is not retained
// any more, the error is ErrChanged.
func (e *Engine) movesOf(id base.TableID, sources []base.SourceID) (map[base.SourceID]patch.Move, error) {
	if len(sources) == 0 { // among others if the table is created by the same commit
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
