package engine

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
)

// Exports.
//
// The engine writes nothing outside: it keeps which objects an export wrote and of which state of their partitions, and drops
// rows that all exports of a table have. What tells states apart is a fingerprint: of the parts, which never change,
// of how many rows of each are deleted, which only grows, of the last edit that gave one a new value, and of the expressions that it
// lacks. So a fingerprint never comes back once the partition has changed, and an object whose fingerprint is
// the present one holds exactly the rows that the partition's parts have. Rows of memtables are in no fingerprint
// until they are flushed.
//
// A merge makes other parts of the same rows. If an object was in step before, its edit gives it the new fingerprint (followExports), so that
// nothing is exported again for it.
//
// Appends that nobody waited for may be lost with the machine, and their numbers given again. So an object is written, and its fingerprint stored,
// only when the log is synced (Sync): all that they have is durable then.
//
// Whatever is where an object goes is the export's own, or is not replaced: it notes that it goes there (Claimed) before it writes it. A restored backup does not
// know what was written after it was made. So there nothing counts that its catalog says of objects which may have been written since (Unverified), until the storage was asked.

// Fingerprints of objects that are of no state of a partition.
const (
	Claimed    = "claimed"     // it may be being written, for the first time
	Lost       = "lost"        // the storage did not have it as it was written
	Unverified = "unverified " // a prefix: the catalog of a restored backup says so
)

// RestoredName is a file beside the catalog. Who restores a backup makes it, and ForkExports removes it.
const RestoredName = "RESTORED"

// export is a definition and the objects it wrote: by partition, their generations ascending.
type export struct {
	catalog.Export
	objects map[string][]catalog.ExportObject
}

func keyOfExport(n catalog.ExportName) nameKey { return keyOf(n.Database, n.Schema, n.Name) }

// open returns the object of a partition that the export may write again, if there is one.
func (x *export) open(partition string) (o catalog.ExportObject, ok bool) {
	all := x.objects[partition]
	if len(all) == 0 || all[len(all)-1].Closed {
		return o, false
	}
	return all[len(all)-1], true
}

// next returns the generation that a partition's rows belong to now.
func (x *export) next(partition string) int64 {
	all := x.objects[partition]
	if o, ok := x.open(partition); ok {
		return o.Generation
	}
	return int64(len(all)) + 1
}

func (e *Engine) loadExports(state catalog.State) error {
	for _, x := range state.Exports {
		if e.tables[x.Table] == nil {
			return base.Errorf(base.Corrupt, "catalog: export %d of table %d, which is not there", x.ID, x.Table)
		}
		e.exports[x.ID] = &export{x, map[string][]catalog.ExportObject{}}
	}
	for _, o := range state.ExportObjects {
		x := e.exports[o.Export]
		if x == nil || o.Generation != int64(len(x.objects[o.Partition]))+1 {
			return base.Errorf(base.Corrupt, "catalog: object %d of export %d, partition %q: the export or the object before it is not there", o.Generation, o.Export, o.Partition)
		}
		x.objects[o.Partition] = append(x.objects[o.Partition], o)
	}
	return nil
}

// showObjectsLocked makes objects known, new or instead of those of their generation.
func (e *Engine) showObjectsLocked(objects []catalog.ExportObject) {
	for _, o := range objects {
		all := e.exports[o.Export].objects
		if _, ok := e.exports[o.Export].open(o.Partition); ok {
			all[o.Partition][len(all[o.Partition])-1] = o
		} else {
			all[o.Partition] = append(all[o.Partition], o)
		}
	}
}

// CreateExport keeps the definition of an export and gives it its id. An existing one of the name is a Conflict, or, if ifNotExists, what is returned.
func (e *Engine) CreateExport(ctx context.Context, x catalog.Export, ifNotExists bool) (catalog.Export, error) {
	x.Created = e.now()
	build := func() (*catalog.Edit, error) {
		if there := e.exportLocked(x.Name); there != nil {
			if ifNotExists {
				x = there.Export
				return nil, nil
			}
			return nil, base.Errorf(base.Conflict, "export %q already exists", there.Name.Name)
		}
		if err := e.checkSchemaLocked(x.Name.Database, x.Name.Schema); err != nil {
			return nil, err
		}
		if err := checkNames(x.Name.Database, x.Name.Schema, x.Name.Name); err != nil {
			return nil, err
		}
		t, err := e.tableLocked(x.Table)
		if err != nil {
			return nil, err
		}
		view := t.view()
		since := view.PartitionsSince()
		if slices.ContainsFunc(view.Parts, func(p *catalog.Part) bool { return p.SchemaVersion < since }) ||
			slices.ContainsFunc(view.Memtables, func(v memtable.View) bool { return v.Schema.Version < since }) { // their parts will be of it
			return nil, base.Errorf(base.Conflict, "table %s has rows that were written with another partitioning than it has now", t.current.schema.QualifiedName()).
				WithHint("CREATE TABLE ... AS SELECT writes all rows anew, and merges do in time")
		}
		in := e.schemas[keyOf(x.Name.Database, x.Name.Schema)]
		x.Name.Database, x.Name.Schema = in.Database, in.Name
		x.ID = e.nextExport
		e.nextExport++
		return &catalog.Edit{PutExports: []catalog.Export{x}}, nil
	}
	err := e.change(ctx, build, func() []*version {
		e.exports[x.ID] = &export{x, map[string][]catalog.ExportObject{}}
		return nil
	})
	return x, err
}

// ForkExports pauses all exports of a directory that a backup was restored to, with the definitions that redefine makes of theirs, and lets none of their objects
// be in step. Later, and in other directories, it does nothing.
func (e *Engine) ForkExports(ctx context.Context, redefine func(definition []byte) ([]byte, error)) error {
	marker := filepath.Join(e.dir, RestoredName)
	if _, err := e.fs.Stat(marker); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	edit := &catalog.Edit{}
	build := func() (*catalog.Edit, error) {
		for _, id := range slices.Sorted(maps.Keys(e.exports)) {
			x := e.exports[id].Export
			definition, err := redefine(x.Definition)
			if err != nil {
				return nil, base.Wrap(err, "export %q", x.Name.Name)
			}
			x.Paused, x.Definition = true, definition
			edit.PutExports = append(edit.PutExports, x)
			for partition := range e.exports[id].objects {
				if o, ok := e.exports[id].open(partition); ok && !strings.HasPrefix(o.Fingerprint, Unverified) {
					o.Fingerprint = Unverified + o.Fingerprint
					edit.PutObjects = append(edit.PutObjects, o)
				}
			}
		}
		return edit, nil
	}
	err := e.change(ctx, build, func() []*version {
		for _, x := range edit.PutExports {
			e.exports[x.ID].Export = x
		}
		e.showObjectsLocked(edit.PutObjects)
		return nil
	})
	if err == nil {
		err = e.fs.Remove(marker)
	}
	if err == nil {
		err = e.fs.SyncDir(e.dir)
	}
	return base.Wrap(err, "pause the exports of a restored backup")
}

// ChangeExport stores another definition or state of an export; its id, name, table and objects stay. A missing one is NotFound.
func (e *Engine) ChangeExport(ctx context.Context, id base.ExportID, change func(catalog.Export) catalog.Export) error {
	var x catalog.Export
	build := func() (*catalog.Edit, error) {
		now := e.exports[id]
		if now == nil {
			return nil, errNoExport(id)
		}
		x = change(now.Export)
		return &catalog.Edit{PutExports: []catalog.Export{x}}, nil
	}
	return e.change(ctx, build, func() []*version {
		e.exports[id].Export = x
		return nil
	})
}

// DropExport forgets an export and its objects, which stay where they are. A missing one is NotFound.
func (e *Engine) DropExport(ctx context.Context, id base.ExportID) error {
	build := func() (*catalog.Edit, error) {
		if e.exports[id] == nil {
			return nil, errNoExport(id)
		}
		return &catalog.Edit{DropExports: []base.ExportID{id}}, nil
	}
	return e.change(ctx, build, func() []*version {
		delete(e.exports, id)
		return nil
	})
}

func errNoExport(id base.ExportID) error {
	return base.Errorf(base.NotFound, "export %d does not exist", id)
}

// Exports returns all exports, oldest first.
func (e *Engine) Exports() []catalog.Export {
	e.mu.RLock()
	defer e.mu.RUnlock()
	all := make([]catalog.Export, 0, len(e.exports))
	for _, id := range slices.Sorted(maps.Keys(e.exports)) {
		all = append(all, e.exports[id].Export)
	}
	return all
}

// LookupExport finds an export by its name. A missing one is NotFound.
func (e *Engine) LookupExport(name catalog.ExportName) (catalog.Export, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	x := e.exportLocked(name)
	if x == nil {
		return catalog.Export{}, base.Errorf(base.NotFound, "export %q does not exist", name.Name)
	}
	return x.Export, nil
}

func (e *Engine) exportLocked(name catalog.ExportName) *export {
	for _, x := range e.exports {
		if keyOfExport(x.Name) == keyOfExport(name) {
			return x
		}
	}
	return nil
}
