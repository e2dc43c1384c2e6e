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
// Publish carries changes that were committed since over to the new parts.
//
// The snapshot does not include the rows of memtables. Otherwise writers could wait until the merge
// ends for their memory, while the merge pauses because writers wait.
type Rewrite struct {
	Snapshot *snapshot.Snapshot

	engine  *Engine
	table   base.TableID
	sources []base.SourceID
	moving  *moving
	// A Mutation or Retyping sets check and note, which are called in the committer. check returns
	// an error if the change is not valid any more. note records the change, for the checks of
	// later changes.
	check func(edit *catalog.Edit) error
	note  func(t *table, edit *catalog.Edit)
	// next is set by a Retyping. It is the schema version that the table gets together with the new
	// parts.
	next *schema.Table
}

// Rewrite begins to rewrite parts (sources) of a table. If one of them was removed, the error is
// Conflict. The caller closes the Rewrite.
func (e *Engine) Rewrite(id base.TableID, sources []base.SourceID) (*Rewrite, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.tableLocked(id)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		if !t.current.lists(source) {
			return nil, base.Errorf(base.Conflict, "part %d is gone", source)
		}
	}
	return &Rewrite{Snapshot: e.storedLocked(t), engine: e, table: id, sources: sources, moving: t.beginMove(sources...)}, nil
}

// Table returns the table in the rewrite's snapshot.
func (r *Rewrite) Table() *snapshot.Table { return r.Snapshot.Tables[r.table] }

// Close ends the rewrite. If Publish was not called, nothing is changed.
func (r *Rewrite) Close() {
	e := r.engine
	e.mu.Lock()
	if t := e.tables[r.table]; t != nil {
		t.endMove(r.moving)
	}
	e.mu.Unlock()
	r.Snapshot.Release()
}

// Publish replaces the old parts by new ones. The new parts have the rows of the snapshot, and move
// is the remap of these rows. The caller has written the new files at PartPath, under ids of
// NextSourceID. Publish sets Created of the parts.
//
// If one of the old parts was removed meanwhile, the error is Conflict and nothing changes. After
// any error the new files belong to the caller, which removes them with AbandonPart.
func (r *Rewrite) Publish(ctx context.Context, parts []catalog.Part, move patch.Move) error {
	e := r.engine
	var t *table
	var kept, added []*partFile
	var settled *settled
	var edit *catalog.Edit
	err := e.change(ctx, func() (_ *catalog.Edit, err error) {
		if t, err = e.tableLocked(r.table); err != nil {
			return nil, err
		}
		edit = &catalog.Edit{RemoveParts: r.sources}
		if r.check != nil {
			if err := r.check(edit); err != nil {
				return nil, err
			}
		}
		kept, added = nil, nil
		for _, p := range t.current.parts {
			if !slices.Contains(r.sources, p.ID) {
				kept = append(kept, p)
			}
		}
		if found := len(t.current.parts) - len(kept); found != len(r.sources) {
			return nil, base.Errorf(base.Conflict, "%d of %d parts to be replaced are gone", len(r.sources)-found, len(r.sources))
		}
		for _, p := range parts {
			if p.Table != r.table {
				return nil, base.Errorf(base.Internal, "part %d of table %d for table %d", p.ID, p.Table, r.table)
			}
			p.Created, p.Applied = e.now(), r.Snapshot.Seq
			edit.AddParts = append(edit.AddParts, p)
			added = append(added, &partFile{Part: p})
		}
		t.removeExpressions(edit, append(slices.Clone(kept), added...))
		if settled, err = e.settleMove(edit, t, r.moving, move); err != nil {
			return nil, err
		}
		if r.check == nil {
			e.followExports(edit, t, r.sources, append(slices.Clone(kept), added...), settled.sets)
		}
		t.storeSettled(edit)
		return edit, e.syncBefore()
	}, func() []*version {
		for _, p := range t.current.parts {
			if slices.Contains(r.sources, p.ID) {
				e.retire(t, p)
			}
		}
		e.garbage.taken(e, added)
		v := t.current
		now := v.schema
		if r.next != nil {
			now = *r.next
		}
		old := t.installLocked(e.newVersionLocked(now, append(kept, added...), v.residents))
		e.settledStored(edit)
		e.showObjectsLocked(edit.PutObjects)
		e.changesStored(settled.stored)
		e.showMoveLocked(t, settled)
		if r.note != nil {
			r.note(t, edit)
		}
		e.forgetLocked()
		return []*version{old}
	})
	if err != nil && settled != nil {
		err = errors.Join(err, e.discardPatches(settled.stored))
	}
	return base.Wrap(err, "replace parts")
}

// PartFile returns the file of a part. The caller holds a snapshot that has the part.
func (e *Engine) PartFile(p *catalog.Part) *blocks.File { return e.files.File(p.Stored()) }

// PartsChanged returns a channel that receives a value after flushes or loads added parts: one
// value for any number of them since the last receive. All callers get the same channel, so there
// can be only one receiver, the merger.
func (e *Engine) PartsChanged() <-chan struct{} { return e.partsAdded }

func (e *Engine) notifyPartsAdded() {
	select {
	case e.partsAdded <- struct{}{}:
	default: // the merger is notified already
	}
}

// PatchesFull reports whether patches take so much memory that a change was refused, or may soon be
// refused. Then merges should write patches into parts.
func (e *Engine) PatchesFull() bool {
	return e.patchesShort.Load() || e.patchBytes.Load() > e.settings.MemoryBytes/4
}

// Changes returns the number of successful calls of Commit since Open. A number that grows tells
// background work that statements are changing rows, so that it leaves half of its time to them.
func (e *Engine) Changes() uint64 { return e.changes.Load() }

// UnderPressure reports whether writers wait for memory. Then background work that can wait should
// pause, to leave the machine to flushes.
func (e *Engine) UnderPressure() bool {
	e.budget.mu.Lock()
	defer e.budget.mu.Unlock()
	return len(e.budget.queue) > 0
}
