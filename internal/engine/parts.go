package engine

import (
	"context"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// ReplaceParts puts new parts in the place of old ones, which hold the same rows: a merge.
// The new files are published already, at PartPath under ids of NextSourceID; Created
// is set here. If one of the old parts is gone meanwhile it is a Conflict and nothing changes;
// after any error the new files are the caller's, for AbandonPart.
func (e *Engine) ReplaceParts(ctx context.Context, id base.TableID, old []base.SourceID, parts []catalog.Part) error {
	var t *table
	var kept, added []*partFile
	err := e.change(ctx, func() (edit *catalog.Edit, err error) {
		if t, err = e.tableLocked(id); err != nil {
			return nil, err
		}
		kept, added = nil, nil
		found := 0
		for _, p := range t.current.parts {
			if slices.Contains(old, p.ID) {
				found++
			} else {
				kept = append(kept, p)
			}
		}
		if found != len(old) {
			return nil, base.Errorf(base.Conflict, "%d of %d parts to be replaced are gone", len(old)-found, len(old))
		}
		edit = &catalog.Edit{RemoveParts: old}
		for _, p := range parts {
			if p.Table != id {
				return nil, base.Errorf(base.Internal, "part %d of table %d for table %d", p.ID, p.Table, id)
			}
			p.Created = e.now()
			edit.AddParts = append(edit.AddParts, p)
			added = append(added, &partFile{Part: p})
		}
		return edit, nil
	}, func() []*version {
		for _, p := range t.current.parts {
			if slices.Contains(old, p.ID) {
				e.retire(t, p)
			}
		}
		e.garbage.taken(e, added)
		v := t.current
		return []*version{t.installLocked(e.newVersionLocked(v.schema, append(kept, added...), v.residents))}
	})
	return base.Wrap(err, "replace parts")
}

// PartFile returns where the file of a part is that a snapshot holds.
func (e *Engine) PartFile(p *catalog.Part) string { return e.partPath(p.Table, p.ID) }

// PartsChanged receives after flushes and loads added parts, however many since the last
// receive: who merges parts looks then. There is one such, so the channel is shared.
func (e *Engine) PartsChanged() <-chan struct{} { return e.partsAdded }

func (e *Engine) notifyPartsAdded() {
	select {
	case e.partsAdded <- struct{}{}:
	default: // it is known already
	}
}

// UnderPressure reports whether writers wait for memory: background work that can wait
// leaves the machine to flushes then.
func (e *Engine) UnderPressure() bool {
	e.budget.mu.Lock()
	defer e.budget.mu.Unlock()
	return len(e.budget.queue) > 0
}
