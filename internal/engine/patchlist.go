package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// PatchStorage says where a patch is stored on disk.
type PatchStorage string

// PatchInLog, PatchInCatalog and PatchInFile say where a patch is stored.
const (
	PatchInLog     PatchStorage = "log"
	PatchInCatalog PatchStorage = "catalog"
	PatchInFile    PatchStorage = "file"
)

// StoredPatch describes changes that are stored together. It is one entry in the list of patches
// that users see, and is one of these:
//   - all changes that the log has for one part or memtable
//   - one patch in the catalog
//   - the deleted rows of a part in the catalog
//   - an expression update (an UPDATE that is stored as SQL)
type StoredPatch struct {
	Table    schema.Table
	Rowset   base.RowsetID
	Memtable bool     // whether Rowset is the id of a memtable instead of a part
	Columns  []string // names of the columns with new values, as they are called now
	Updated  int64    // number of rows with new values
	Deleted  int64    // number of deleted rows
	Bytes    int64    // size on disk in bytes
	Storage  PatchStorage
	// Created is the time of the oldest of the changes. If it is zero, the time is unknown. For
	// changes that were replayed from the log, it is the time of the replay.
	Created time.Time
	// Path is the path of the patch's file, relative to the data directory; empty if the patch is
	// not in a file.
	Path string
	// Expression is the SQL of an expression update (an UPDATE that is stored as SQL), or empty. An
	// expression update applies to all parts that lack it, so Rowset and Updated are 0.
	Expression string
}

// Patches lists all changes of rows that no merge has written into parts yet, ordered by table and
// rowset.
func (e *Engine) Patches() []StoredPatch {
	e.mu.RLock()
	all := e.catalogPatchesLocked()
	versions := make(map[base.TableID]*version, len(e.tables))
	for id, t := range e.tables {
		versions[id] = t.current
	}
	// the changes of each generation; the lists themselves never change
	var changes [][]committedChange
	for _, g := range append(e.generations[:len(e.generations):len(e.generations)], e.active) {
		changes = append(changes, g.changes)
	}
	e.mu.RUnlock() // counting rows takes long, and the committer must not wait for it
	all = append(all, loggedPatches(versions, changes)...)
	slices.SortStableFunc(all, func(a, b StoredPatch) int {
		return cmp.Or(cmp.Compare(a.Table.ID, b.Table.ID), cmp.Compare(a.Rowset, b.Rowset))
	})
	return all
}

// catalogPatchesLocked lists the patches and deleted rows that are in the catalog, and all
// expression updates (UPDATEs that are stored as SQL). The caller must hold mu.
func (e *Engine) catalogPatchesLocked() (all []StoredPatch) {
	for _, t := range e.tables {
		now := t.current.schema
		for part, patches := range t.catalogPatches {
			for _, p := range patches {
				one := StoredPatch{Table: now, Rowset: part, Columns: columnNames(now, p.Columns), Updated: p.Rows, Bytes: p.Bytes,
					Storage: PatchInCatalog, Created: p.Created}
				if p.inFile {
					one.Storage = PatchInFile
					one.Path = e.below(e.patchPath(t.id, p.ID))
				}
				all = append(all, one)
			}
		}
		for _, x := range t.expressions {
			one := StoredPatch{Table: now, Columns: columnNames(now, x.Columns()), Bytes: int64(len(x.Encode())), Storage: PatchInLog, Created: x.created,
				Expression: x.String(t.history[x.Version])}
			if x.stored {
				one.Storage = PatchInCatalog
			}
			all = append(all, one)
		}
		for part, d := range t.catalogDeletions {
			all = append(all, StoredPatch{Table: now, Rowset: part, Deleted: d.rows, Bytes: d.bytes, Storage: PatchInCatalog, Created: d.created})
		}
	}
	return all
}

// loggedPatches lists the changes that are only in the log, one entry per rowset. It leaves out
// rowsets (parts and memtables) that were rewritten after their changes, because the catalog has
// these changes.
func loggedPatches(versions map[base.TableID]*version, changes [][]committedChange) []StoredPatch {
	type logged struct {
		StoredPatch
		updated, deleted *roaring.Bitmap
		columns          []base.ColumnID
	}
	var all []*logged
	byRowset := map[base.RowsetID]*logged{}
	for _, group := range changes {
		for _, c := range group {
			v := versions[c.table]
			of := func(rowset base.RowsetID) *logged {
				if v == nil || !v.hasRowset(rowset) {
					return nil
				}
				l := byRowset[rowset]
				if l == nil {
					l = &logged{updated: roaring.New(), deleted: roaring.New()}
					l.StoredPatch = StoredPatch{Table: v.schema, Rowset: rowset, Memtable: !v.hasPart(rowset), Storage: PatchInLog, Created: c.created}
					byRowset[rowset], all = l, append(all, l)
				}
				return l
			}
			for rowset, rows := range c.deleted {
				if l := of(rowset); l != nil {
					l.deleted.Or(rows)
					l.Bytes += int64(rows.GetSizeInBytes())
				}
			}
			for _, layer := range c.updated {
				if l := of(layer.Rowset); l != nil {
					l.updated.AddMany(layer.Ordinals)
					l.Bytes += 4*int64(len(layer.Ordinals)) + batch.Bytes(layer.Values)
					l.columns = append(l.columns, layer.Columns...)
				}
			}
		}
	}
	out := make([]StoredPatch, len(all))
	for i, l := range all {
		slices.Sort(l.columns)
		l.Columns = columnNames(l.Table, slices.Compact(l.columns))
		l.Updated, l.Deleted = int64(l.updated.GetCardinality()), int64(l.deleted.GetCardinality())
		out[i] = l.StoredPatch
	}
	return out
}

// columnNames returns the present names of the columns with the given ids. Dropped columns are left
// out.
func columnNames(now schema.Table, ids []base.ColumnID) []string {
	var names []string
	for _, id := range ids {
		if i := now.ColumnByID(id); i >= 0 {
			names = append(names, now.Columns[i].Name)
		}
	}
	return names
}
