package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// ExportPartition describes one partition of an exported table: its present rows, and the objects
// that the export wrote for it. A partition may have rows without an object, or objects without
// rows.
type ExportPartition struct {
	Partition   string
	Fingerprint string // text that identifies the state of the present rows
	Parts       int    // number of parts of the partition; 0 if it has no rows
	Bytes       int64  // total size of the parts, in bytes
	// Generation is the number in the file name of the object that has, or will have, the present
	// rows.
	Generation int64
	// Objects are the objects of the partition, by ascending generation (the number in the object's
	// file name). The export may write the last one again, unless it is closed (its rows were
	// dropped from the table).
	Objects []catalog.ExportObject
}

// Open returns the partition's open object: the last one, if it is not closed. It has the present
// rows, or will be replaced by an object that has them. If there is no open object yet, Open
// returns nil.
func (p *ExportPartition) Open() *catalog.ExportObject {
	if n := len(p.Objects); n > 0 && !p.Objects[n-1].Closed {
		return &p.Objects[n-1]
	}
	return nil
}

// UpToDate reports whether there is nothing to export. That is so if the partition's object is up
// to date, or if the partition has neither rows nor an open object.
func (p *ExportPartition) UpToDate() bool {
	o := p.Open()
	return o == nil && p.Parts == 0 || o != nil && o.Fingerprint == p.Fingerprint
}

// ExportState returns all partitions and objects of an export, as they are at one moment. If the
// export does not exist, the error is NotFound.
func (e *Engine) ExportState(id base.ExportID) ([]ExportPartition, error) {
	e.mu.RLock()
	x := e.exports[id]
	if x == nil {
		e.mu.RUnlock()
		return nil, errNoExport(id)
	}
	current, err := e.tableLocked(x.Table)
	if err != nil {
		e.mu.RUnlock()
		return nil, err
	}
	t := current.view()
	objects := make(map[string][]catalog.ExportObject, len(x.objects))
	for partition, all := range x.objects {
		objects[partition] = slices.Clone(all)
	}
	e.mu.RUnlock()
	parts := partitionsOf(t)
	for partition := range objects {
		if _, has := parts[partition]; !has {
			parts[partition] = nil
		}
	}
	all := make([]ExportPartition, 0, len(parts))
	for _, partition := range slices.Sorted(maps.Keys(parts)) {
		known := export{objects: objects}
		p := ExportPartition{
			Partition: partition, Fingerprint: fingerprint(t, parts[partition]), Parts: len(parts[partition]),
			Generation: known.next(partition), Objects: objects[partition],
		}
		for _, part := range parts[partition] {
			p.Bytes += part.Bytes
		}
		all = append(all, p)
	}
	return all, nil
}

// PartsSnapshot returns a snapshot of the parts of one table, without the rows of its memtables. It
// is for readers that take long, such as exports. Unlike a Snapshot it does not hold memory for
// which writers wait. If the table merges on read, superseded rows are hidden, as by
// DeduplicatedSnapshot. That includes rows of parts that a row of a memtable supersedes. The caller
// releases the snapshot.
func (e *Engine) PartsSnapshot(ctx context.Context, id base.TableID) (*snapshot.Snapshot, error) {
	ids := []base.TableID{id}
	states, release, err := e.acquireLookUps(ctx, ids)
	if err != nil {
		return nil, err
	}
	defer release()
	e.mu.Lock()
	t, err := e.tableLocked(id)
	if err != nil {
		e.mu.Unlock()
		return nil, err
	}
	stored := e.storedLocked(t)
	if len(states) == 0 {
		e.mu.Unlock()
		return stored, nil
	}
	s, remaps, err := e.beginDeduplicatedLocked(ids, states)
	e.mu.Unlock()
	if err == nil {
		s, err = e.finishDeduplicated(ctx, s, states, remaps)
	}
	if err != nil {
		stored.Release()
		return nil, err
	}
	defer s.Release()
	view := *s.Tables[id]
	view.Memtables = nil
	return snapshot.New(s.Seq, map[base.TableID]*snapshot.Table{id: &view}, stored.Release), nil
}

// Sync makes all visible rows and other changes durable, including asynchronous appends.
func (e *Engine) Sync(ctx context.Context) error { return e.commit(ctx, e.syncBefore) }

func partitionsOf(t *snapshot.Table) map[string][]*catalog.Part {
	parts := map[string][]*catalog.Part{}
	for _, p := range t.Parts {
		parts[p.Partition] = append(parts[p.Partition], p)
	}
	return parts
}

// fingerprint returns a text that identifies the state of a partition, as described in exports.go.
// parts must be all parts of the partition, by ascending id.
func fingerprint(t *snapshot.Table, parts []*catalog.Part) string {
	h := sha256.New()
	for _, c := range t.Schema.Columns {
		fmt.Fprintf(h, "column %d %q %s\n", c.ID, c.Name, c.Type)
	}
	for _, p := range parts {
		fmt.Fprintf(h, "part %d", p.ID)
		if set := t.Patches[p.ID]; set != nil {
			fmt.Fprintf(h, " deleted %d", set.DeletedRows())
			if len(set.Columns()) > 0 {
				// ValuesSeq changes only with new values, not with deletions. The number of deleted
				// rows covers deletions, because the catalog does not have their sequence numbers.
				fmt.Fprintf(h, " patched %d", set.ValuesSeq)
			}
		}
		for _, x := range t.Pending(p) {
			fmt.Fprintf(h, " expression %d", x.Seq)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ExportObjects returns the open objects of a partition (those that may be written again), of all
// exports of the table. They are in the order of the exports' ids.
func (e *Engine) ExportObjects(id base.TableID, partition string) (all []catalog.ExportObject) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, export := range slices.Sorted(maps.Keys(e.exports)) {
		if x := e.exports[export]; x.Table == id {
			if o, ok := x.open(partition); ok {
				all = append(all, o)
			}
		}
	}
	return all
}

// PutExportObject records in the catalog that an object was written. With the fingerprint Claimed,
// it records that the object is about to be written. The object must be the one into which the
// partition's present rows belong: its generation (the number in the file name) must be that of
// ExportPartition. If that generation changed meanwhile, the error is Conflict.
func (e *Engine) PutExportObject(ctx context.Context, o catalog.ExportObject) error {
	build := func() (*catalog.Edit, error) {
		if err := e.checkObject(o); err != nil {
			return nil, err
		}
		if o.Fingerprint != Claimed {
			o.Exported = e.now()
		}
		return &catalog.Edit{PutObjects: []catalog.ExportObject{o}}, e.syncBefore()
	}
	return e.change(ctx, build, func() []*version {
		e.showObjectsLocked([]catalog.ExportObject{o})
		return nil
	})
}

// MarkExportObject replaces the recorded fingerprint of an open object (one that the export may
// write again). If the recorded fingerprint is not the one that the argument o has,
// MarkExportObject does nothing.
func (e *Engine) MarkExportObject(ctx context.Context, o catalog.ExportObject, fingerprint string) error {
	build := func() (*catalog.Edit, error) {
		if err := e.checkObject(o); err != nil {
			return nil, err
		}
		now, ok := e.exports[o.Export].open(o.Partition)
		if !ok || now.Fingerprint != o.Fingerprint {
			return nil, nil
		}
		o = now
		o.Fingerprint = fingerprint
		return &catalog.Edit{PutObjects: []catalog.ExportObject{o}}, nil
	}
	return e.change(ctx, build, func() []*version {
		e.showObjectsLocked([]catalog.ExportObject{o})
		return nil
	})
}

// RemoveExportObject removes the record of an open object (one that the export may write again).
// The export has removed the object from the storage without writing another one.
func (e *Engine) RemoveExportObject(ctx context.Context, o catalog.ExportObject) error {
	build := func() (*catalog.Edit, error) {
		if err := e.checkObject(o); err != nil {
			return nil, err
		}
		if _, ok := e.exports[o.Export].open(o.Partition); !ok {
			return nil, nil
		}
		return &catalog.Edit{DropExportObjects: []catalog.ExportObject{o}}, nil
	}
	return e.change(ctx, build, func() []*version {
		all := e.exports[o.Export].objects
		if all[o.Partition] = all[o.Partition][:len(all[o.Partition])-1]; len(all[o.Partition]) == 0 {
			delete(all, o.Partition)
		}
		return nil
	})
}

func (e *Engine) checkObject(o catalog.ExportObject) error {
	x := e.exports[o.Export]
	if x == nil {
		return errNoExport(o.Export)
	}
	if next := x.next(o.Partition); next != o.Generation {
		return base.Errorf(base.Conflict, "object %d of partition %q is not the next one to be written, which is %d", o.Generation, o.Partition, next)
	}
	return nil
}

// DropExported drops the rows of a partition that were exported to the object o. The same edit
// closes this partition's objects of all exports of the table, so that they are never written
// again. Only rows in parts are dropped, not those in memtables.
//
// The object o must be up to date, and so must the partition's objects of all other exports of the
// table. Otherwise nothing is dropped, and the error is Conflict. If another export's object is not
// up to date, the error names that export.
func (e *Engine) DropExported(ctx context.Context, o catalog.ExportObject) error {
	var t *table
	var edit *catalog.Edit
	var remaining, dropped []*partFile
	err := e.change(ctx, func() (*catalog.Edit, error) {
		if err := e.checkObject(o); err != nil {
			return nil, err
		}
		t = e.tables[e.exports[o.Export].Table]
		edit, remaining, dropped = &catalog.Edit{}, nil, nil
		for _, p := range t.current.parts {
			if p.Partition == o.Partition {
				dropped, edit.RemoveParts = append(dropped, p), append(edit.RemoveParts, p.ID)
			} else {
				remaining = append(remaining, p)
			}
		}
		now := fingerprint(t.view(), listed(dropped))
		if now != o.Fingerprint || len(dropped) == 0 {
			return nil, base.Errorf(base.Conflict, "partition %q changed since it was exported", o.Partition)
		}
		if err := t.checkNoneSuperseding(dropped); err != nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(e.exports)) {
			x := e.exports[id]
			if x.Table != t.id {
				continue
			}
			theirs, ok := x.open(o.Partition)
			if !ok || theirs.Fingerprint != now {
				return nil, base.Errorf(base.Conflict, "export %q of the same table has not exported the current rows of partition %q", x.Name.Name, o.Partition)
			}
			theirs.Closed = true
			edit.PutObjects = append(edit.PutObjects, theirs)
		}
		t.removeExpressions(edit, remaining)
		return edit, e.syncBefore()
	}, func() []*version {
		gone := map[base.RowsetID]*patch.Set{}
		for _, p := range dropped {
			e.retire(t, p)
			gone[p.ID] = nil
		}
		v := t.current
		old := t.installLocked(e.newVersionLocked(v.schema, remaining, v.memtables))
		e.patchLocked(t, gone)
		t.addWriteSet(writeSet{seq: e.seq, allColumns: true})
		e.showObjectsLocked(edit.PutObjects)
		e.dropUnneededLocked()
		return []*version{old}
	})
	return base.Wrap(err, "drop exported rows")
}

// checkNoneSuperseding returns an error if dropping the parts could make superseded rows in other
// parts visible again. That is possible only in a table that merges on read, if the parts have rows
// that are newer than the edit up to which the table is deduplicated.
func (t *table) checkNoneSuperseding(parts []*partFile) error {
	if t.dedup == nil {
		return nil
	}
	for _, p := range parts {
		if p.MaxSeq > t.dedup.dedupedThrough {
			return base.Errorf(base.Conflict, "part %d was added after the table was deduplicated", p.ID)
		}
	}
	return nil
}

func listed(parts []*partFile) []*catalog.Part {
	all := make([]*catalog.Part, len(parts))
	for i, p := range parts {
		all[i] = &p.Part
	}
	return all
}

// carryOverFingerprints keeps exports up to date when parts are merged. If an object was up to date
// with the old parts, the new fingerprint of its partition (the text that identifies the
// partition's state) is added to the edit of the merge. So the merge does not cause another export.
// rowsets are the ids of the old parts, and parts are all parts of the table after the edit. The
// argument sets has the patches of old and new parts. carryOverFingerprints runs in the committer.
func (e *Engine) carryOverFingerprints(edit *catalog.Edit, t *table, rowsets []base.RowsetID, parts []*partFile, sets map[base.RowsetID]*patch.Set) {
	i := slices.IndexFunc(t.current.parts, func(p *partFile) bool { return slices.Contains(rowsets, p.ID) })
	if i < 0 || !slices.ContainsFunc(slices.Collect(maps.Values(e.exports)), func(x *export) bool { return x.Table == t.id }) {
		return
	}
	partition := t.current.parts[i].Partition
	before := t.view()
	after := *before
	after.Patches = maps.Clone(before.Patches)
	if after.Patches == nil {
		after.Patches = map[base.RowsetID]*patch.Set{}
	}
	maps.Copy(after.Patches, sets)
	after.Expressions = nil
	for _, x := range t.pendingExpressions(parts) {
		after.Expressions = append(after.Expressions, x.Expression)
	}
	after.Parts = listed(parts)
	slices.SortFunc(after.Parts, func(a, b *catalog.Part) int { return int(a.ID) - int(b.ID) })
	was, is := fingerprint(before, partitionsOf(before)[partition]), fingerprint(&after, partitionsOf(&after)[partition])
	for _, x := range e.exports {
		if o, ok := x.open(partition); ok && x.Table == t.id && strings.TrimPrefix(o.Fingerprint, Unverified) == was {
			o.Fingerprint = strings.TrimSuffix(o.Fingerprint, was) + is
			edit.PutObjects = append(edit.PutObjects, o)
		}
	}
}

// checkNotExported returns an error if the table has an export. It is called before an operation
// that would make the objects of exports wrong. The argument what is the participle that stands for
// the operation in the message, such as "truncated".
func (e *Engine) checkNotExported(t *table, what string) error {
	for _, id := range slices.Sorted(maps.Keys(e.exports)) {
		if x := e.exports[id]; x.Table == t.id {
			return base.Errorf(base.Conflict, "table %s is exported by %q and cannot be %s", t.current.schema.QualifiedName(), x.Name.Name, what).
				WithHint("DROP EXPORT %s first; its objects stay", schema.Quote(x.Name.Name))
		}
	}
	return nil
}
