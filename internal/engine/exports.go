package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
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

// ExportPartition is a partition of an exported table that has rows or an object.
type ExportPartition struct {
	Partition   string
	Fingerprint string // of what it holds now
	Parts       int    // 0: it has no rows
	Bytes       int64  // of the parts
	Generation  int64  // of the object that these rows belong into
	// Objects are those that there are, their generations ascending. The last is to be written again unless it is closed.
	Objects []catalog.ExportObject
}

// Open returns the object that is to hold what the partition has now; nil before there is one.
func (p *ExportPartition) Open() *catalog.ExportObject {
	if n := len(p.Objects); n > 0 && !p.Objects[n-1].Closed {
		return &p.Objects[n-1]
	}
	return nil
}

// InStep reports whether there is nothing to export.
func (p *ExportPartition) InStep() bool {
	o := p.Open()
	return o == nil && p.Parts == 0 || o != nil && o.Fingerprint == p.Fingerprint
}

// ExportState returns what an export's table and objects are at one moment, by partition. A missing export is NotFound.
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

// Stored returns what the parts of a table hold, for who reads them for long and changes nothing: unlike Snapshot it keeps no memory that writers wait
// for. A table that merges on read it shows as Settled does, without the rows in memory, which may hide stored ones.
func (e *Engine) Stored(ctx context.Context, id base.TableID) (*snapshot.Snapshot, error) {
	ids := []base.TableID{id}
	turns, release, err := e.takeTurns(ctx, ids)
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
	if len(turns) == 0 {
		e.mu.Unlock()
		return stored, nil
	}
	s, moves, err := e.takeLocked(ids, turns)
	e.mu.Unlock()
	if err == nil {
		s, err = e.settled(ctx, s, turns, moves)
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

// Sync makes durable all that is visible now, appends that nobody waited for too.
func (e *Engine) Sync(ctx context.Context) error { return e.commit(ctx, e.syncBefore) }

func partitionsOf(t *snapshot.Table) map[string][]*catalog.Part {
	parts := map[string][]*catalog.Part{}
	for _, p := range t.Parts {
		parts[p.Partition] = append(parts[p.Partition], p)
	}
	return parts
}

// fingerprint tells the states of a partition apart: parts are all that the table has of it, by ascending id.
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
				fmt.Fprintf(h, " patched %d", set.ValuesSeq) // deletions have none in the catalog
			}
		}
		for _, x := range t.Pending(p) {
			fmt.Fprintf(h, " expression %d", x.Seq)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ExportObjects returns the objects of a partition that the exports of a table may write again, by export.
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

// PutExportObject notes that an object was written, or is going to be (Claimed): the one of the partition's generation. If that is closed meanwhile it is a Conflict.
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

// MarkExportObject gives an object that may be written again another fingerprint, unless it got one meanwhile.
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

// RemoveExportObject notes that an object is gone, and nothing took its place.
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
		return base.Errorf(base.Conflict, "object %d of partition %q is not the one to be written, which is %d", o.Generation, o.Partition, next)
	}
	return nil
}

// DropExported drops the rows of a partition that an export has, as its object says: those of parts, and only if the object is in
// step with them, and those of all other exports of the table are too. All these objects are closed in the same edit. Otherwise it is a Conflict, which names
// the export that lags behind, and nothing is dropped.
func (e *Engine) DropExported(ctx context.Context, o catalog.ExportObject) error {
	var t *table
	var edit *catalog.Edit
	var kept, dropped []*partFile
	err := e.change(ctx, func() (*catalog.Edit, error) {
		if err := e.checkObject(o); err != nil {
			return nil, err
		}
		t = e.tables[e.exports[o.Export].Table]
		edit, kept, dropped = &catalog.Edit{}, nil, nil
		for _, p := range t.current.parts {
			if p.Partition == o.Partition {
				dropped, edit.RemoveParts = append(dropped, p), append(edit.RemoveParts, p.ID)
			} else {
				kept = append(kept, p)
			}
		}
		now := fingerprint(t.view(), listed(dropped))
		if now != o.Fingerprint || len(dropped) == 0 {
			return nil, base.Errorf(base.Conflict, "partition %q changed since it was exported", o.Partition)
		}
		if err := t.checkNoLosers(dropped); err != nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(e.exports)) {
			x := e.exports[id]
			if x.Table != t.id {
				continue
			}
			theirs, ok := x.open(o.Partition)
			if !ok || theirs.Fingerprint != now {
				return nil, base.Errorf(base.Conflict, "export %q of the same table has not exported partition %q as it is", x.Name.Name, o.Partition)
			}
			theirs.Closed = true
			edit.PutObjects = append(edit.PutObjects, theirs)
		}
		t.removeExpressions(edit, kept)
		return edit, e.syncBefore()
	}, func() []*version {
		gone := map[base.SourceID]*patch.Set{}
		for _, p := range dropped {
			e.retire(t, p)
			gone[p.ID] = nil
		}
		v := t.current
		old := t.installLocked(e.newVersionLocked(v.schema, kept, v.residents))
		e.patchLocked(t, gone)
		t.note(written{seq: e.seq, all: true})
		e.showObjectsLocked(edit.PutObjects)
		e.forgetLocked()
		return []*version{old}
	})
	return base.Wrap(err, "drop exported rows")
}

// checkNoLosers refuses to drop parts with rows that hide others of their key elsewhere, which would come back: of a table that merges on read, those which
// came after the edit that it is settled up to.
func (t *table) checkNoLosers(parts []*partFile) error {
	if t.settling == nil {
		return nil
	}
	for _, p := range parts {
		if p.MaxSeq > t.settling.upTo {
			return base.Errorf(base.Conflict, "part %d came after the table was settled", p.ID)
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

// followExports puts into the edit of a merge that the objects of its partition which hold the old parts' rows hold the new ones'. parts are all that the
// table has then, and sets the changes of the sources and the new parts. In the committer.
func (e *Engine) followExports(edit *catalog.Edit, t *table, sources []base.SourceID, parts []*partFile, sets map[base.SourceID]*patch.Set) {
	i := slices.IndexFunc(t.current.parts, func(p *partFile) bool { return slices.Contains(sources, p.ID) })
	if i < 0 || !slices.ContainsFunc(slices.Collect(maps.Values(e.exports)), func(x *export) bool { return x.Table == t.id }) {
		return
	}
	partition := t.current.parts[i].Partition
	before := t.view()
	after := *before
	after.Patches = maps.Clone(before.Patches)
	if after.Patches == nil {
		after.Patches = map[base.SourceID]*patch.Set{}
	}
	maps.Copy(after.Patches, sets)
	after.Expressions = nil
	for _, x := range t.lacking(parts) {
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

// checkNotExported refuses what an export's objects could not follow.
func (e *Engine) checkNotExported(t *table, what string) error {
	for _, id := range slices.Sorted(maps.Keys(e.exports)) {
		if x := e.exports[id]; x.Table == t.id {
			return base.Errorf(base.Conflict, "table %s is exported by %q and cannot be %s", t.current.schema.QualifiedName(), x.Name.Name, what).
				WithHint("DROP EXPORT %s first; its objects stay", schema.Quote(x.Name.Name))
		}
	}
	return nil
}
