package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Rewrite replaces parts of a table by new parts with the same rows, as a merge does. It holds a
// snapshot of the old parts with their deletions and patches, from which the caller reads the rows.
// Changes that are committed after the snapshot are carried over to the new parts by Publish.
//
// The snapshot does not include the rows of memtables. Otherwise writers might have to wait for
// that memory until the merge ends, while the merge pauses because writers wait.
type Rewrite struct {
	Snapshot *snapshot.Snapshot

	engine   *Engine
	table    base.TableID
	rowsets  []base.RowsetID
	recorder *changeRecorder
	// The functions check and record are called in the committer. A Mutation or Retyping sets them.
	// check returns an error if the change is not valid any more. record stores the write set of
	// the change, so that later changes are compared with it.
	check  func(edit *catalog.Edit) error
	record func(t *table, edit *catalog.Edit)
	// next is the schema version that the table gets together with the new parts. It is set only by
	// a Retyping.
	next *schema.Table
}

// Rewrite begins to rewrite parts of the table with the given id. rowsets are the ids of the parts.
// If one of them was removed, the error is Conflict. The caller closes the Rewrite.
func (e *Engine) Rewrite(id base.TableID, rowsets []base.RowsetID) (*Rewrite, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.tableLocked(id)
	if err != nil {
		return nil, err
	}
	for _, rowset := range rowsets {
		if !t.current.hasPart(rowset) {
			return nil, base.Errorf(base.Conflict, "part %d no longer exists", rowset)
		}
	}
	return &Rewrite{Snapshot: e.storedLocked(t), engine: e, table: id, rowsets: rowsets, recorder: t.beginRecording(rowsets...)}, nil
}

// Table returns the table as it is in the snapshot of the rewrite.
func (r *Rewrite) Table() *snapshot.Table { return r.Snapshot.Tables[r.table] }

// Close ends the rewrite. If Publish was not called, the table stays unchanged.
func (r *Rewrite) Close() {
	e := r.engine
	e.mu.Lock()
	if t := e.tables[r.table]; t != nil {
		t.endRecording(r.recorder)
	}
	e.mu.Unlock()
	r.Snapshot.Release()
}

// Publish replaces the old parts of the rewrite by new ones. The new parts have the rows of the
// snapshot, and remap has the new addresses of these rows. The caller has written the new files at
// PartPath, under ids from NextRowsetID. Publish sets Created of the parts.
//
// If one of the old parts was removed meanwhile, the error is Conflict, and nothing changes. After
// any error the new files belong to the caller, which removes them with AbandonPart.
func (r *Rewrite) Publish(ctx context.Context, parts []catalog.Part, remap patch.Remap) error {
	e := r.engine
	var t *table
	var remaining, added []*partFile
	var carried *carriedChanges
	var edit *catalog.Edit
	err := e.change(ctx, func() (_ *catalog.Edit, err error) {
		if t, err = e.tableLocked(r.table); err != nil {
			return nil, err
		}
		edit = &catalog.Edit{RemoveParts: r.rowsets}
		if r.check != nil {
			if err := r.check(edit); err != nil {
				return nil, err
			}
		}
		remaining, added = nil, nil
		for _, p := range t.current.parts {
			if !slices.Contains(r.rowsets, p.ID) {
				remaining = append(remaining, p)
			}
		}
		if found := len(t.current.parts) - len(remaining); found != len(r.rowsets) {
			return nil, base.Errorf(base.Conflict, "%d of the %d parts to be replaced no longer exist", len(r.rowsets)-found, len(r.rowsets))
		}
		for _, p := range parts {
			if p.Table != r.table {
				return nil, base.Errorf(base.Internal, "part %d of table %d for table %d", p.ID, p.Table, r.table)
			}
			p.Created, p.Applied = e.now(), r.Snapshot.Seq
			edit.AddParts = append(edit.AddParts, p)
			added = append(added, &partFile{Part: p})
		}
		t.removeExpressions(edit, append(slices.Clone(remaining), added...))
		if carried, err = e.carryOver(edit, t, r.recorder, remap); err != nil {
			return nil, err
		}
		if r.check == nil {
			e.carryOverFingerprints(edit, t, r.rowsets, append(slices.Clone(remaining), added...), carried.sets)
		}
		t.storeDeduped(edit)
		return edit, e.syncBefore()
	}, func() []*version {
		for _, p := range t.current.parts {
			if slices.Contains(r.rowsets, p.ID) {
				e.retire(t, p)
			}
		}
		e.garbage.markListed(e, added)
		v := t.current
		now := v.schema
		if r.next != nil {
			now = *r.next
		}
		old := t.installLocked(e.newVersionLocked(now, append(remaining, added...), v.memtables))
		e.dedupedStored(edit)
		e.showObjectsLocked(edit.PutObjects)
		e.changesStored(carried.stored)
		e.showRemapLocked(t, carried)
		if r.record != nil {
			r.record(t, edit)
		}
		e.dropUnneededLocked()
		return []*version{old}
	})
	if err != nil && carried != nil {
		err = errors.Join(err, e.discardPatches(carried.stored))
	}
	return base.Wrap(err, "replace parts")
}

// PartFile returns the file of the part. The caller must hold a snapshot that has the part.
func (e *Engine) PartFile(p *catalog.Part) *blocks.File { return e.files.File(p.Stored()) }

// PartsChanged returns a channel that receives a value after a flush or load added parts. Several
// additions may give only one value. All callers get the same channel, so there can be only one
// receiver, the merger.
func (e *Engine) PartsChanged() <-chan struct{} { return e.partsAdded }

func (e *Engine) notifyPartsAdded() {
	select {
	case e.partsAdded <- struct{}{}:
	default: // the merger is notified already
	}
}

// PatchesFull reports whether patches take so much memory that a change was refused, or that
// changes will soon be refused. Then merges should write patches into parts, which frees memory.
func (e *Engine) PatchesFull() bool {
	return e.patchMemoryShort.Load() || e.memory.Patches.Used() > e.memory.Patches.Limit()/2
}

// Changes returns the number of successful calls of Commit since Open. If the number grows,
// statements are changing rows. Work in the background then leaves half of its time to them.
func (e *Engine) Changes() uint64 { return e.changes.Load() }

// UnderPressure reports whether writers wait for memory. Work in the background that is not urgent
// should then pause, so that flushes get the machine.
func (e *Engine) UnderPressure() bool { return e.memory.Rows.Waiting() }
