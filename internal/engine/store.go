package engine

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strconv"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
)

// How changes of rows in parts get from the log into the catalog.
//
// While the log has a change, the catalog does not need it. There are two cases in which the log
// alone is not enough any more:
//   - The segment with the change is removed. So the flush of a generation also stores what the
//     frames of the generation changed in parts (storeChanges). Changes of rows in memtables that
//     were flushed need not be stored: they were applied when the parts were written.
//   - The rowset with the changed row is removed. A flush or rewrite reads a snapshot, and records
//     the changes since then (changeRecorder). The catalog transaction that removes the rowset
//     stores these changes for the new parts, at the rows' new addresses (carryOver). So at replay
//     a change of a rowset that does not exist can be ignored.
//
// In the catalog, the deleted rows of a part are one bitmap, and new values are patches. Small
// patches are in the catalog itself, since the two fsyncs of a file would cost more than everything
// else. Large patches are files. Each flush adds patches to a part. Once a part has maxPatches
// patches, they are replaced by one patch with all their values.
//
// After a crash, a change must exist as a whole or not at all, and the rows that it inserts are
// only in the log. So the log is synced before the catalog gets the change (syncBefore).
const (
	// inlineBytes is the maximum size in bytes of a patch that is stored in the catalog itself.
	// Larger patches are files. The statistics of a part take about as much space as such a patch.
	inlineBytes = 64 << 10
	// carriedInlineBytes is used instead of inlineBytes for patches that are encoded in the
	// committer (carryOver). It is greater because all writers wait for these patches, and SQLite
	// takes less time than the fsyncs of a file. It must fit into the memory that SQLite may use.
	carriedInlineBytes = 4 << 20
	maxPatches         = 16 // a part with this many patches gets one patch in their place
)

// partChanges are the changes of one part that an edit stores in the catalog.
type partChanges struct {
	table   base.TableID
	part    base.RowsetID
	patches []catalog.Patch
	// deletions has all deleted rows of the part, or is nil if there are none. putChanges sets it.
	deletions *catalog.Deletions
	// whole says that the field patches has all new values of the part. Then they replace the
	// patches that the catalog has.
	whole bool
}

func (e *Engine) patchPath(table base.TableID, id base.RowsetID) string {
	return filepath.Join(e.patchesDir(), strconv.FormatUint(uint64(table), 10), fmt.Sprintf("%d.parquet", id))
}

// encodePatches encodes the new values of a patch set as patches for the catalog. A patch is
// written to a file if it has more bytes than the argument inline says. If encodePatches returns
// both patches and an error, files of these patches may exist.
func (e *Engine) encodePatches(history map[uint32]schema.Table, set *patch.Set, inline int64) ([]catalog.Patch, error) {
	layers, err := set.Layers()
	if err != nil {
		return nil, err
	}
	var made []catalog.Patch
	for _, l := range layers {
		stored, err := patch.Table(history[l.Version], l.Columns)
		if err != nil {
			return made, err
		}
		id, err := e.NextRowsetID()
		if err != nil {
			return made, err
		}
		p := catalog.Patch{ID: id, Part: set.Rowset, SchemaVersion: l.Version, Columns: l.Columns, Seq: l.Seq, Rows: int64(len(l.Ordinals)), Created: e.now()}
		record := l.Record(stored)
		if batch.Bytes(record) <= inline {
			if p.Content, err = encodeRecord(record); err != nil {
				return made, err
			}
			p.Bytes, p.Checksum = int64(len(p.Content)), crc32.Checksum(p.Content, base.Castagnoli)
			made = append(made, p)
			continue
		}
		made = append(made, p)
		path := e.patchPath(stored.ID, id)
		if err := vfs.MkdirAll(e.fs, filepath.Dir(path)); err != nil {
			return made, err
		}
		e.garbage.addPending(path)
		written, err := part.WriteBatches(e.fs, path, stored, []arrow.RecordBatch{record}, part.Options{Profile: part.Fast})
		if err != nil {
			return made, base.Wrap(err, "patch %d", id)
		}
		made[len(made)-1].Bytes, made[len(made)-1].Checksum = written.Bytes, written.Checksum
	}
	return made, nil
}

func encodeRecord(record arrow.RecordBatch) ([]byte, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(record.Schema()))
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		return nil, base.Errorf(base.Internal, "encode a patch: %w", err)
	}
	return b.Bytes(), nil
}

// readPatch reads a patch from its row in the catalog, or from its file. history has all schema
// versions of the table.
func (e *Engine) readPatch(history map[uint32]schema.Table, p catalog.Patch) (patch.Layer, error) {
	stored, err := patch.Table(history[p.SchemaVersion], p.Columns)
	if err != nil {
		return patch.Layer{}, err
	}
	var records []arrow.RecordBatch
	defer func() {
		for _, r := range records {
			r.Release()
		}
	}()
	if len(p.Content) > 0 {
		if sum := crc32.Checksum(p.Content, base.Castagnoli); sum != p.Checksum {
			return patch.Layer{}, base.Errorf(base.Corrupt, "patch %d: checksum %08x, expected %08x", p.ID, sum, p.Checksum)
		}
		record, err := decodeBatch(p.Content)
		if err != nil {
			return patch.Layer{}, base.Wrap(err, "patch %d", p.ID)
		}
		records = append(records, record)
	} else {
		path := e.patchPath(stored.ID, p.ID)
		err := part.Read(blocks.New(e.fs, path, e.below(path), p.Bytes, p.Checksum, nil), stored, func(record arrow.RecordBatch) error {
			record.Retain()
			records = append(records, record)
			return nil
		})
		if err != nil {
			return patch.Layer{}, base.Wrap(err, "patch %d", p.ID)
		}
	}
	l, err := patch.FromRecords(p.Part, p.Seq, stored, records)
	if err == nil && int64(len(l.Ordinals)) != p.Rows {
		err = base.Errorf(base.Corrupt, "%d rows, expected %d", len(l.Ordinals), p.Rows)
	}
	return l, base.Wrap(err, "patch %d", p.ID)
}

func readDeletions(d catalog.Deletions) (*roaring.Bitmap, error) {
	deleted := roaring.New()
	if err := deleted.UnmarshalBinary(d.Bitmap); err != nil || deleted.Validate() != nil || int64(deleted.GetCardinality()) != d.Rows {
		return nil, base.Errorf(base.Corrupt, "part %d: the bitmap of its %d deleted rows is damaged", d.Part, d.Rows)
	}
	return deleted, nil
}

// loadPatches loads the deletions and patches of the catalog's state into the tables in memory.
func (e *Engine) loadPatches(state catalog.State) error {
	tables := map[base.RowsetID]*table{}
	for _, p := range state.Parts {
		tables[p.ID] = e.tables[p.Table]
	}
	sets := map[base.RowsetID]*patch.Set{}
	for _, d := range state.Deletions {
		deleted, err := readDeletions(d)
		if err != nil {
			return err
		}
		if sets[d.Part], err = patch.New(d.Part).With(0, deleted); err != nil {
			return err
		}
		if t := tables[d.Part]; t != nil {
			t.addCatalogDeletions(d)
		}
	}
	for _, p := range state.Patches {
		t := tables[p.Part]
		if t == nil {
			return base.Errorf(base.Corrupt, "patch %d of part %d, which is not listed", p.ID, p.Part)
		}
		l, err := e.readPatch(t.history, p)
		if err != nil {
			return err
		}
		set := sets[p.Part]
		if set == nil {
			set = patch.New(p.Part)
		}
		if sets[p.Part], err = set.With(p.Seq, nil, l); err != nil {
			return err
		}
		t.addCatalogPatch(p)
	}
	for rowset, set := range sets {
		t := tables[rowset]
		if t == nil {
			return base.Errorf(base.Corrupt, "deletions of part %d, which is not listed", rowset)
		}
		e.patchLocked(t, map[base.RowsetID]*patch.Set{rowset: set})
	}
	return nil
}

// storedPatch describes a patch that the catalog has, without its values.
type storedPatch struct {
	catalog.Patch
	inFile bool
}

func (t *table) addCatalogPatch(p catalog.Patch) {
	if t.catalogPatches == nil {
		t.catalogPatches = map[base.RowsetID][]storedPatch{}
	}
	inFile := len(p.Content) == 0
	p.Content = nil
	t.catalogPatches[p.Part] = append(t.catalogPatches[p.Part], storedPatch{p, inFile})
}

// storedDeletions describes what the catalog has about the deleted rows of a part.
type storedDeletions struct {
	rows, bytes int64
	created     time.Time
}

func (t *table) addCatalogDeletions(d catalog.Deletions) {
	if t.catalogDeletions == nil {
		t.catalogDeletions = map[base.RowsetID]storedDeletions{}
	}
	t.catalogDeletions[d.Part] = storedDeletions{d.Rows, int64(len(d.Bitmap)), d.Created}
}

// storeChanges prepares what a flush stores in the catalog: those changes of its generation that
// are about rows in parts. If it returns both changes and an error, files of patches may exist.
func (e *Engine) storeChanges(g *generation) ([]partChanges, error) {
	type key struct {
		table base.TableID
		part  base.RowsetID
	}
	layers := map[key][]patch.Layer{}
	var order []key
	e.mu.RLock()
	parts := map[key]*patch.Set{}
	histories := map[base.TableID]map[uint32]schema.Table{}
	see := func(k key) bool {
		t := e.tables[k.table]
		if t == nil || !t.current.hasPart(k.part) {
			return false
		}
		if _, seen := parts[k]; !seen {
			parts[k], histories[k.table] = t.patches[k.part], t.history
			order = append(order, k)
		}
		return true
	}
	stored := map[key]int{}
	for _, c := range g.changes {
		for rowset := range c.deleted {
			see(key{c.table, rowset})
		}
		for _, l := range c.updated {
			if k := (key{c.table, l.Rowset}); see(k) {
				layers[k] = append(layers[k], l)
				stored[k] = len(e.tables[k.table].catalogPatches[k.part])
			}
		}
	}
	e.mu.RUnlock()
	var all []partChanges
	for _, k := range order {
		c := partChanges{table: k.table, part: k.part}
		set := patch.New(k.part)
		var err error
		if stored[k] >= maxPatches {
			set, c.whole = parts[k], true
		} else if set, err = set.With(0, nil, layers[k]...); err != nil {
			return all, err
		}
		c.patches, err = e.encodePatches(histories[k.table], set, inlineBytes)
		all = append(all, c)
		if err != nil {
			return all, base.Wrap(err, "patches of part %d", k.part)
		}
	}
	return all, nil
}

// discardPatches removes the files of patches that were written for an edit which failed.
func (e *Engine) discardPatches(all []partChanges) error {
	var errs []error
	for _, c := range all {
		for _, p := range c.patches {
			if len(p.Content) == 0 {
				errs = append(errs, base.Wrap(e.abandon(e.patchPath(c.table, p.ID)), "abandon patch %d", p.ID))
			}
		}
	}
	return errors.Join(errs...)
}

// putChanges adds the changes c of a part to an edit of the catalog. The argument set has all
// changes of the part, including earlier ones. It runs in the committer.
func (e *Engine) putChanges(edit *catalog.Edit, c *partChanges, set *patch.Set) error {
	if set != nil && set.Deleted != nil {
		bitmap, err := set.Deleted.ToBytes()
		if err != nil {
			return base.Errorf(base.Internal, "encode deleted rows: %w", err)
		}
		c.deletions = &catalog.Deletions{Part: c.part, Rows: set.DeletedRows(), Bitmap: bitmap, Created: e.now()}
		if known, ok := e.tables[c.table].catalogDeletions[c.part]; ok && known.rows == c.deletions.Rows {
			// The catalog has these deletions already, and no rows were deleted since.
			c.deletions.Created = known.created
		}
		edit.PutDeletions = append(edit.PutDeletions, *c.deletions)
	}
	edit.AddPatches = append(edit.AddPatches, c.patches...)
	if c.whole {
		for _, p := range e.tables[c.table].catalogPatches[c.part] {
			edit.RemovePatches = append(edit.RemovePatches, p.ID)
		}
	}
	return nil
}

// changesStored records in memory which patches and deletions the catalog has after an edit. It
// removes the files of replaced patches immediately, because only Open reads such files.
func (e *Engine) changesStored(all []partChanges) {
	for _, c := range all {
		t := e.tables[c.table]
		if c.whole {
			e.dropPatches(t, c.part)
		}
		if c.deletions != nil {
			t.addCatalogDeletions(*c.deletions)
		}
		for _, p := range c.patches {
			if len(p.Content) == 0 {
				e.garbage.removed(e.patchPath(c.table, p.ID))
			}
			t.addCatalogPatch(p)
		}
	}
}

// dropPatches removes the files of a part's patches, and the descriptions of these patches in
// memory. The catalog must not have the patches any more.
func (e *Engine) dropPatches(t *table, part base.RowsetID) {
	for _, p := range t.catalogPatches[part] {
		if p.inFile {
			path := e.patchPath(t.id, p.ID)
			e.garbage.retire(path)
			e.garbage.add(path)
		}
	}
	delete(t.catalogPatches, part)
}

// syncBefore syncs the log. It is called before the catalog gets changes that are in the log. If
// the engine has stopped, it returns an error, because then the log may have changes that were
// never published, in rowsets that the edit would remove.
func (e *Engine) syncBefore() error {
	e.syncLog()
	return e.writable()
}
