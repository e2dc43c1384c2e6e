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

// ReadDependency says that a statement depends on data of a table, apart from the rows that the
// statement changes. If that data was changed since the statement's snapshot, Commit refuses the
// change.
type ReadDependency struct {
	Table base.TableID
	// Columns are the columns on whose values the statement depends. Nil means that it depends on
	// the whole table. Then a row that was appended since the snapshot counts as a change, too.
	Columns []base.ColumnID
	// NewRowsOnly says that the statement depends only on rows that other statements insert after
	// its snapshot. A caller may set it if the statement itself modifies all existing rows on which
	// its result depends, because conflicts about these rows are detected anyway. If NewRowsOnly is
	// set, Columns is ignored.
	NewRowsOnly bool
}

// Change is what a statement does to one table. Its row addresses (a rowset id and a row number)
// are those of the snapshot from which the change was computed.
type Change struct {
	Table   base.TableID
	Deleted map[base.RowsetID]*roaring.Bitmap
	// Updated has new values of rows. It must not have columns of the sort key, the partitioning or
	// the primary key: a row whose key changes is deleted and inserted again. Each layer has new
	// values for rows of one rowset. If there are several layers for a rowset, later ones are
	// newer. Commit sets Seq and Version of each layer. The values are in Go's heap. After Commit
	// was called, they belong to the engine.
	Updated []patch.Layer
	// Expression, if not nil, is an expression update (an UPDATE that is stored as SQL). Readers
	// apply it to all rows in parts, except for rows that have a patch in the snapshot. Updated has
	// the new values of all other rows. The table must not have a primary key. The caller must add
	// a ReadDependency of the whole table. Commit sets Seq and Version of the expression.
	Expression *patch.Expression
	// Inserted are the rows that the statement inserts, in natural types (see TableRows).
	Inserted         []arrow.RecordBatch
	ReadDependencies []ReadDependency
	// Unmodified has rows that the statement left unchanged because of their values, by the id of
	// the part or memtable that has them. If one of them was changed or deleted since the snapshot,
	// the error is ErrChanged.
	Unmodified map[base.RowsetID]*roaring.Bitmap
	// Keys has hashes of the primary keys of the inserted rows (see batch.KeyHashes). If another
	// statement has inserted one of these keys since the snapshot, the error is ErrChanged.
	//
	// In a table that merges on read and has versions, Keys also has the keys of rows that the
	// change deletes, or to which it gives another version.
	Keys []uint64
	// AppendOnly says that the change only inserts rows. Like the rows of Append, they conflict
	// with no other change.
	AppendOnly bool
	// DeleteSuperseded says that the change also deletes all superseded rows of the snapshot (older
	// rows of a key, in a table that merges on read). Without DeleteSuperseded, the change deletes
	// superseded rows only if it deletes other rows, or gives rows another version.
	DeleteSuperseded bool
	// Counts is what Commit returns as Result.Counts. A row that is deleted and inserted again with
	// a new key counts as one update.
	Counts Counts
}

// ErrChanged says that nothing was changed, because other statements changed some of the rows which
// the change modifies or on which it depends. The caller may compute the change again from a new
// snapshot.
var ErrChanged = base.Errorf(base.Conflict, "rows were changed by another statement meanwhile").WithHint("run the statement again")

// ErrColumnBytes is wrapped in an error of Commit. It says that the change was refused because the
// new values of one column of one part would have more than patch.MaxColumnBytes bytes.
var ErrColumnBytes = errors.New("new values of one column of one part")

// errRemapped says that parts or memtables to which a change refers were replaced by a flush or
// merge. The caller remaps the change's row addresses (replaces them by the new addresses of the
// rows) and tries again.
var errRemapped = errors.New("rows moved to other rowsets in the meantime")

// Commit makes changes that were computed from the snapshot s durable and visible, all or nothing.
// The committer writes them in the same groups as appends. If a flush or merge has replaced rowsets
// since the snapshot, the row addresses are carried over to the new rowsets.
//
// The result of concurrent changes is the same as that of running them one after the other, in the
// order of Result.Seq. Appended rows that are not in the snapshot of a change count as later than
// the change. If one of the following happened since a change's snapshot, the error is ErrChanged:
//   - A row that the change modifies, or that it kept (Change.Unmodified), was changed or deleted.
//   - A column of one of its ReadDependencies was written. Deletions and insertions write all
//     columns. A ReadDependency of the whole table also conflicts with appended rows, unless
//     AppendOptions.Lock is ExclusiveLock: then the appends count as later.
//   - A row with one of its Keys was inserted.
//   - The schema of its table changed, or its table got an expression update (an UPDATE that is
//     stored as SQL). If AppendOptions.Evolutions is set, the error for a changed schema is
//     ErrSchemaChanged instead.
//
// If another statement has locked a table, the error is ErrTableLocked, unless AppendOptions.Lock
// says that the caller holds or shares the lock.
//
// Changes of a table that merges on read must be computed from a snapshot without superseded rows
// (see DeduplicatedSnapshot). Other errors are those of Append, and ErrMemoryBusy if
// AppendOptions.Reservation is set.
func (e *Engine) Commit(ctx context.Context, s *snapshot.Snapshot, changes []Change, o AppendOptions) (Result, error) {
	if o.Lock == NoLock {
		var ids []base.TableID
		for _, c := range changes {
			ids = append(ids, c.Table)
		}
		release, err := e.tryShareTables(ctx, existingOnly(ids, o.Evolutions))
		if err != nil {
			return Result{}, err
		}
		defer release()
	}
	return e.RunOnce(ctx, o, func(o AppendOptions) (Result, error) {
		for range maxAttempts {
			r, err := e.prepareChanges(ctx, s, changes, o)
			if err != nil {
				return Result{}, err
			}
			result, err := e.submit(ctx, r)
			if err == ErrSchemaChanged && len(o.Evolutions) == 0 {
				err = ErrChanged
			}
			if err == nil {
				e.changes.Add(1)
			}
			if err != errRemapped {
				return result, err
			}
		}
		return Result{}, ErrChanged
	})
}

// changeSet is everything that one request of Commit does, except inserting rows.
type changeSet struct {
	seq       base.Seq // sequence number of the snapshot from which the changes were computed
	exclusive bool
	tables    []*tableChange
	reads     []readDependency
	bytes     int64 // reserved memory of all changes, in bytes
	// supersededBytes is how much of the field bytes is for deleting superseded rows (older rows of
	// a key). These deletions are allowed even if patches already take as much memory as they may.
	supersededBytes int64
}

// readDependency is a ReadDependency, and the schema version that its table had in the snapshot.
type readDependency struct {
	ReadDependency
	version uint32
}

// tableChange is a Change in the form in which the committer uses it. Its row addresses are
// remapped: they are those in the present parts and memtables.
type tableChange struct {
	id      base.TableID
	version uint32
	deleted map[base.RowsetID]*roaring.Bitmap
	// superseded has the superseded rows (older rows of a key) that the change deletes in addition
	// to the rows in the field deleted. Deleting superseded rows conflicts with nothing.
	superseded map[base.RowsetID]*roaring.Bitmap
	// removed has all rows that the change deletes: those in deleted and in superseded.
	removed    map[base.RowsetID]*roaring.Bitmap
	updated    []patch.Layer
	unmodified map[base.RowsetID]*roaring.Bitmap
	// These three sets have rows by rowset id. The set rows has the rows that the change deletes or
	// updates, at their present addresses. touched has the same rows at all addresses that they had
	// since the snapshot. checked has the rows of touched and those of Change.Unmodified, also at
	// all addresses.
	rows       map[base.RowsetID]*roaring.Bitmap
	touched    map[base.RowsetID]*roaring.Bitmap
	checked    map[base.RowsetID]*roaring.Bitmap
	columns    []base.ColumnID // the columns for which the field updated has new values
	expression *patch.Expression
	// allColumns says that the change deletes or inserts rows, which counts as writing all columns.
	allColumns    bool
	inserts       bool // whether the change inserts rows
	keys          []uint64
	keySet        map[uint64]struct{} // the elements of the field keys as a set, for fast look-ups
	allSuperseded bool                // whether superseded has all such rows of the snapshot
	bytes         int64               // reserved memory of the change, in bytes
}

// changeOverhead estimates the memory in bytes that a change takes in addition to its values, such
// as bitmaps and array headers.
const changeOverhead = 1 << 10

// prepareChanges does the part of Commit that needs only the changes and the schema, and no lock.
func (e *Engine) prepareChanges(ctx context.Context, s *snapshot.Snapshot, changes []Change, o AppendOptions) (*request, error) {
	if err := e.writable(); err != nil {
		return nil, err
	}
	set := &changeSet{seq: s.Seq, exclusive: o.Lock == ExclusiveLock}
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
		for _, reading := range c.ReadDependencies {
			if s.Tables[reading.Table] == nil {
				return nil, base.Errorf(base.Internal, "change that read table %d, which the snapshot does not hold", reading.Table)
			}
			set.reads = append(set.reads, readDependency{reading, s.Tables[reading.Table].Schema.Version})
		}
		if err := e.prepareChange(ctx, &p, c, t); err != nil {
			return nil, base.Wrap(err, "table %s", t.Schema.QualifiedName())
		}
	}
	r.bytes += set.bytes
	if bytes := set.bytes - set.supersededBytes; bytes > 0 {
		if err := e.checkPatchMemory(bytes); err != nil {
			return nil, err
		}
	}
	// Hold the snapshot until the commit. While the snapshot is held, the committer retains the
	// write sets of all later commits (the rows and keys that they changed). It compares this
	// change with these write sets.
	s.Retain()
	if err := e.fill(ctx, &p, o.Reservation); err != nil {
		s.Release()
		return nil, err
	}
	release := r.release
	r.release = func() { release(); s.Release() }
	return r, nil
}

// tableChangeOf checks the deletions and new values of a change against the snapshot from which it
// was computed, and returns the change as a tableChange, which the committer uses. It does not
// check inserted rows.
func tableChangeOf(c *Change, t *snapshot.Table) (*tableChange, error) {
	tc := &tableChange{id: c.Table, version: t.Schema.Version, deleted: map[base.RowsetID]*roaring.Bitmap{}, keys: slices.Clone(c.Keys), keySet: setOf(c.Keys)}
	for rowset, deleted := range c.Deleted {
		if deleted == nil || deleted.IsEmpty() {
			continue
		}
		if err := checkRows(t, rowset, deleted.Maximum()); err != nil {
			return nil, err
		}
		tc.deleted[rowset] = deleted.Clone()
		tc.allColumns = true
	}
	for rowset, remaining := range c.Unmodified {
		if err := checkRows(t, rowset, remaining.Maximum()); err != nil {
			return nil, err
		}
	}
	tc.unmodified = c.Unmodified
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
		if err := checkExpressionColumns(t, l); err != nil {
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
		tc.inserts = tc.inserts || record.NumRows() > 0
		tc.allColumns = tc.allColumns || tc.inserts
	}
	tc.addSuperseded(c, t)
	p.request.counts = p.request.counts.Plus(c.Counts)
	if c.AppendOnly {
		err = p.append(t.Schema, records)
	} else if err = checkDeduplicated(t); err == nil {
		_, err = p.add(t.Schema, records)
	}
	if err != nil {
		return err
	}
	if c.AppendOnly || !tc.hasEffect() && len(tc.unmodified) == 0 && len(tc.keys) == 0 {
		return nil
	}
	if err := e.remapAddresses(tc); err != nil {
		return err
	}
	for _, b := range tc.superseded {
		tc.bytes += int64(b.GetSizeInBytes())
	}
	p.request.changes.supersededBytes += 2 * tc.bytes
	if len(tc.deleted) > 0 || len(tc.updated) > 0 || tc.inserts {
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
	// Until the flush, the memory of the change counts twice: the generation (log segment) records
	// the change, and the patches of the changed part or memtable have a copy of it.
	p.request.changes.bytes += 2 * tc.bytes
	p.request.changes.tables = append(p.request.changes.tables, tc)
	return nil
}

// hasEffect reports whether the change modifies anything. A change that modifies nothing may be
// committed together with changes of other tables. It can still have conflicts, because of
// Change.Unmodified and Change.Keys.
func (c *tableChange) hasEffect() bool {
	return len(c.deleted) > 0 || len(c.superseded) > 0 || len(c.updated) > 0 || c.inserts || c.expression != nil
}

func setOf(keys []uint64) map[uint64]struct{} {
	set := make(map[uint64]struct{}, len(keys))
	for _, k := range keys {
		set[k] = struct{}{}
	}
	return set
}

// addSuperseded makes the change delete all superseded rows of the snapshot (older rows of a key),
// if the change could otherwise make one of them visible again.
func (tc *tableChange) addSuperseded(c *Change, t *snapshot.Table) {
	writes := func(id base.ColumnID) bool { return id != 0 && slices.Contains(tc.columns, id) }
	if t.Superseded == nil || !c.DeleteSuperseded && len(tc.deleted) == 0 && !writes(t.Schema.RowVersion) {
		return
	}
	tc.superseded, tc.allSuperseded = maps.Clone(t.Superseded), true
}

// checkDeduplicated returns an Internal error if the table merges on read and its snapshot shows
// superseded rows (rows that a newer row of the same key replaces).
func checkDeduplicated(t *snapshot.Table) error {
	if t.Schema.MergeOnRead && t.Superseded == nil {
		return base.Errorf(base.Internal, "change of a table that merges on read, computed from a snapshot that is not deduplicated")
	}
	return nil
}

// checkRows returns an Internal error if the rowset is not in the snapshot, or has no row with the
// number given by last.
func checkRows(t *snapshot.Table, rowset base.RowsetID, last uint32) error {
	rows := int64(-1)
	for _, p := range t.Parts {
		if p.ID == rowset {
			rows = p.Rows
		}
	}
	for _, m := range t.Memtables {
		if m.Rowset == rowset {
			rows = m.Rows
		}
	}
	if int64(last) >= rows {
		return base.Errorf(base.Internal, "change of row %d of rowset %d, which has %d rows", last, rowset, max(rows, 0))
	}
	return nil
}

// checkLayer returns an error unless the rows, columns and types of a layer (new values for rows of
// one rowset) fit the table.
func checkLayer(t *snapshot.Table, l patch.Layer) error {
	if err := l.Check(); err != nil {
		return err
	}
	if err := checkRows(t, l.Rowset, l.Ordinals[len(l.Ordinals)-1]); err != nil {
		return err
	}
	for i, id := range l.Columns {
		at := t.Schema.ColumnByID(id)
		if at < 0 {
			return base.Errorf(base.Internal, "patch of column %d, which does not exist", id)
		}
		c, values := t.Schema.Columns[at], l.Values.Column(i)
		switch {
		case !arrow.TypeEqual(values.DataType(), c.Type.Arrow()):
			return base.Errorf(base.Internal, "patch of column %q with values of type %s, expected %s", c.Name, values.DataType(), c.Type.Arrow())
		case c.NotNull && values.NullN() > 0:
			return base.Errorf(base.Invalid, "column %q is NOT NULL", c.Name)
		case t.Schema.InKey(id):
			return base.Errorf(base.Internal, "patch of column %q, which is in the sort key, primary key or partitioning", c.Name)
		}
	}
	return nil
}

// remapAddresses replaces a change's row addresses in replaced parts and memtables by the addresses
// of the same rows at present. If the remap of a replaced part or memtable (the table of new
// addresses) is not retained any more, the error is ErrChanged.
func (e *Engine) remapAddresses(c *tableChange) error {
	// If remapAddresses is called again, the maps touched and checked keep the addresses of the
	// earlier calls, too. The write sets of commits since the snapshot (the rows that they changed)
	// may have recorded a row under any of these addresses.
	if c.checked == nil {
		c.touched, c.checked = map[base.RowsetID]*roaring.Bitmap{}, map[base.RowsetID]*roaring.Bitmap{}
	}
	for {
		c.rows = map[base.RowsetID]*roaring.Bitmap{}
		for rowset, rows := range c.deleted {
			addRows(c.rows, rowset, rows)
		}
		for _, l := range c.updated {
			addRows(c.rows, l.Rowset, roaring.BitmapOf(l.Ordinals...))
		}
		for rowset, rows := range c.rows {
			addRows(c.touched, rowset, rows)
			addRows(c.checked, rowset, rows)
		}
		for rowset, rows := range c.unmodified {
			addRows(c.checked, rowset, rows)
		}
		c.removed = maps.Clone(c.deleted)
		for rowset, rows := range c.superseded {
			addRows(c.removed, rowset, rows)
		}
		remaps, err := e.remapsOf(c.id, c.allRowsets())
		if err != nil || len(remaps) == 0 {
			return err
		}
		deleted, err := remapRows(remaps, c.deleted)
		if err != nil {
			return err
		}
		if c.superseded, err = remapRows(remaps, c.superseded); err != nil {
			return err
		}
		if c.unmodified, err = remapRows(remaps, c.unmodified); err != nil {
			return err
		}
		var updated []patch.Layer
		for _, l := range c.updated {
			moved := []patch.Layer{l}
			if remaps[l.Rowset] != nil {
				if moved, err = patch.RemapLayer(remaps[l.Rowset], l); err != nil {
					return err
				}
			}
			updated = append(updated, moved...)
		}
		c.deleted, c.updated = deleted, updated
	}
}

// allRowsets returns the ids of the rowsets (parts and memtables) that have rows of the change:
// rows that it modifies, or rows that Change.Unmodified lists.
func (c *tableChange) allRowsets() []base.RowsetID {
	return slices.AppendSeq(c.rowsets(), maps.Keys(c.unmodified))
}

// rowsets returns the ids of the rowsets with rows that the change modifies, in ascending order.
func (c *tableChange) rowsets() []base.RowsetID {
	all := slices.AppendSeq(slices.Collect(maps.Keys(c.rows)), maps.Keys(c.superseded))
	slices.Sort(all)
	return slices.Compact(all)
}

// remapRows returns the given rows at their present addresses. rows has row numbers by rowset id,
// and remaps has the new row addresses of each rowset (part or memtable) that was replaced. Rows of
// other rowsets stay as they are.
func remapRows(remaps map[base.RowsetID]patch.Remap, rows map[base.RowsetID]*roaring.Bitmap) (map[base.RowsetID]*roaring.Bitmap, error) {
	now := map[base.RowsetID]*roaring.Bitmap{}
	for rowset, rows := range rows {
		if remaps[rowset] == nil {
			addRows(now, rowset, rows)
			continue
		}
		moved, err := patch.RemapRows(remaps[rowset], rowset, rows)
		if err != nil {
			return nil, err
		}
		for to, rows := range moved {
			addRows(now, to, rows)
		}
	}
	return now, nil
}

func addRows(to map[base.RowsetID]*roaring.Bitmap, rowset base.RowsetID, rows *roaring.Bitmap) {
	if to[rowset] == nil {
		to[rowset] = rows
	} else {
		to[rowset] = roaring.Or(to[rowset], rows)
	}
}

// remapsOf returns the remaps (new row addresses) of those of the given rowsets that a flush or
// merge has replaced. If a remap is not retained any more, the error is ErrChanged.
func (e *Engine) remapsOf(id base.TableID, rowsets []base.RowsetID) (map[base.RowsetID]patch.Remap, error) {
	if len(rowsets) == 0 { // for example if the same commit creates the table
		return nil, nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.tableLocked(id)
	if err != nil {
		return nil, err
	}
	var remaps map[base.RowsetID]patch.Remap
	for _, rowset := range rowsets {
		if t.current.hasRowset(rowset) {
			continue
		}
		moved, ok := t.remaps[rowset]
		if !ok {
			return nil, ErrChanged
		}
		if remaps == nil {
			remaps = map[base.RowsetID]patch.Remap{}
		}
		remaps[rowset] = moved.remap
	}
	return remaps, nil
}
