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

// Rewrite is parts of a table that are being written anew: a merge. It holds a snapshot of the table's parts to read them from, with their
// deletions and patches; what is changed of their rows from then on is carried over by Publish. Rows in memory are not in the snapshot: writers may
// wait for their memory for as long as the merge takes, which itself rests while they do.
type Rewrite struct {
	Snapshot *snapshot.Snapshot

	engine  *Engine
	table   base.TableID
	sources []base.SourceID
	moving  *moving
	// Of a Mutation, in the committer: whether its change holds still, and what it did for those that come after.
	check func(edit *catalog.Edit) error
	note  func(t *table, edit *catalog.Edit)
	// next, if not nil, is the version of the schema that the table gets with the new parts: of a
	// Retyping.
	next *schema.Table
}

// Rewrite begins to write parts anew. If one of them is gone it is a Conflict. The caller closes what it gets.
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

// Table returns the table as the rewrite reads it.
func (r *Rewrite) Table() *snapshot.Table { return r.Snapshot.Tables[r.table] }

// Close gives the rewrite up, or ends it after Publish.
func (r *Rewrite) Close() {
	e := r.engine
	e.mu.Lock()
	if t := e.tables[r.table]; t != nil {
		t.endMove(r.moving)
	}
	e.mu.Unlock()
	r.Snapshot.Release()
}

// Publish puts new parts in the place of the old ones. They hold the rows that the snapshot shows, and move says where each of them
// went. Their files are published already, at PartPath under ids of NextSourceID; Created
// is set here. If one of the old parts is gone meanwhile it is a Conflict and nothing changes;
// after any error the new files are the caller's, for AbandonPart.
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

// PartFile returns the file of a part that a snapshot holds.
func (e *Engine) PartFile(p *catalog.Part) *blocks.File { return e.files.File(p.Stored()) }

// PartsChanged receives after flushes and loads added parts, however many since the last
// receive: who merges parts looks then. There is one such, so the channel is shared.
func (e *Engine) PartsChanged() <-chan struct{} { return e.partsAdded }

func (e *Engine) notifyPartsAdded() {
	select {
	case e.partsAdded <- struct{}{}:
	default: // it is known already
	}
}

// PatchesFull reports whether changes of rows take so much memory that one was refused, or will soon be.
func (e *Engine) PatchesFull() bool {
	return e.patchesShort.Load() || e.patchBytes.Load() > e.settings.MemoryBytes/4
}

// Changes returns how many times Commit succeeded since the engine was opened: background work that can wait leaves half of
// its time to who changes rows.
func (e *Engine) Changes() uint64 { return e.changes.Load() }

// UnderPressure reports whether writers wait for memory: background work that can wait
// leaves the machine to flushes then.
func (e *Engine) UnderPressure() bool {
	e.budget.mu.Lock()
	defer e.budget.mu.Unlock()
	return len(e.budget.queue) > 0
}
