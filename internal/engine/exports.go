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

// What the engine does for exports.
//
// The engine does not write to object storage. It records which objects an export wrote, and for
// which state of their partitions. It also drops rows that are in the objects of all exports of a
// table.
//
// A fingerprint is a text that identifies the state of a partition. It covers
//   - the ids of the partition's parts, which never change
//   - the number of deleted rows of each part, which only grows
//   - the last edit that gave a row of the part a new value
//   - the expression updates (UPDATEs that are stored as SQL) that the part lacks
//
// So after the partition has changed, it never has the same fingerprint again. An object with the
// same fingerprint as the partition has exactly the rows of the partition's parts. Rows of
// memtables are in no fingerprint until they are flushed.
//
// A merge replaces parts by others with the same rows. If an object was up to date before the
// merge, the edit of the merge also stores the new fingerprint for the object
// (carryOverFingerprints), so that it is not exported again.
//
// A power failure may lose asynchronous appends, and their sequence numbers are then used again. So
// an object is written, and its fingerprint stored, only after the log was synced (Sync).
//
// An export replaces only objects that it wrote itself. So before it writes a new object, it
// records that it is about to do so (Claimed). The catalog of a restored backup does not know what
// was written after the backup was made. So after a restore, all records of objects that may have
// been written later are marked (Unverified). They do not count until the storage was asked about
// the objects.

// These values of ExportObject.Fingerprint do not stand for a state of a partition.
const (
	// Claimed says that the export is about to write the object for the first time. The object may
	// exist already, if an earlier attempt wrote it and was interrupted before it could record
	// that.
	Claimed = "claimed"
	// Lost says that the object is missing in the storage, or differs from what was written.
	Lost = "lost"
	// Unverified is the prefix of a fingerprint that comes from the catalog of a restored backup.
	Unverified = "unverified "
)

// RestoredName is the name of a file next to the catalog. Restoring a backup creates it.
// ForkExports removes it after it has prepared the exports.
const RestoredName = "RESTORED"

// export is the definition of an export, and the records of the objects that it wrote. The records
// are grouped by partition. Those of one partition are in the order of their generations (the
// numbers in the file names).
type export struct {
	catalog.Export
	objects map[string][]catalog.ExportObject
}

func keyOfExport(n catalog.ExportName) nameKey { return keyOf(n.Database, n.Schema, n.Name) }

// open returns the open object of a partition: the one that the export may write again. If there is
// none, ok is false.
func (x *export) open(partition string) (o catalog.ExportObject, ok bool) {
	all := x.objects[partition]
	if len(all) == 0 || all[len(all)-1].Closed {
		return o, false
	}
	return all[len(all)-1], true
}

// next returns the generation (the number in the file name) of the object that has, or will have,
// the present rows of a partition.
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
			return base.Errorf(base.Corrupt, "catalog: export %d of table %d, which does not exist", x.ID, x.Table)
		}
		e.exports[x.ID] = &export{x, map[string][]catalog.ExportObject{}}
	}
	for _, o := range state.ExportObjects {
		x := e.exports[o.Export]
		if x == nil || o.Generation != int64(len(x.objects[o.Partition]))+1 {
			return base.Errorf(base.Corrupt, "catalog: object %d of export %d, partition %q: the export or the previous object is missing", o.Generation, o.Export, o.Partition)
		}
		x.objects[o.Partition] = append(x.objects[o.Partition], o)
	}
	return nil
}

// showObjectsLocked updates the records of export objects in memory. Each of the given objects
// replaces the open object of its partition, or is added if there is none. The caller must hold mu.
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

// CreateExport stores a new export and sets its id. If an export of that name exists, CreateExport
// returns that export if ifNotExists is set, and otherwise a Conflict.
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
			// Rows of a memtable are flushed with the partitioning of their schema version, which
			// may differ from the present one.
			slices.ContainsFunc(view.Memtables, func(v memtable.View) bool { return v.Schema.Version < since }) {
			return nil, base.Errorf(base.Conflict, "table %s has rows that were written with a different partitioning", t.current.schema.QualifiedName()).
				WithHint("copy it with CREATE TABLE ... AS SELECT, or wait until merges have rewritten the rows")
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

// ForkExports prepares the exports of a data directory that was restored from a backup. It pauses
// all exports, replaces their definitions by the results of the function redefine, and marks the
// records of their objects as Unverified. In a directory that was not restored, or where
// ForkExports has succeeded already, it does nothing.
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

// ChangeExport replaces an export by the result of the function change. Only its definition and
// state may change. Its id, name, table and objects stay. If the export does not exist, the error
// is NotFound.
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

// DropExport drops an export. Its objects stay in the storage. If the export does not exist, the
// error is NotFound.
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

// LookupExport finds an export by its name. If there is none, the error is NotFound.
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
