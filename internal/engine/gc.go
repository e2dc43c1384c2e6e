package engine

import (
	"errors"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// garbage tracks the files below parts/ and patches/ that no current version of a table lists:
// files that are being written, and files that are to be removed.
type garbage struct {
	mu sync.Mutex
	// pending has the paths of files that are being written and are not in the catalog yet. It is
	// guarded by mu.
	pending map[string]bool
	// retired has the paths of files that the catalog does not list any more, but that snapshots
	// may still read. It is guarded by mu.
	retired map[string]bool
	// removable has the paths of files to be removed: the catalog does not list them, and no
	// snapshot reads them. It is guarded by mu.
	removable []string
	// inDoubt has the paths of files that were abandoned while it was unknown whether the catalog
	// lists them (the catalog was in doubt, see apply). It is guarded by mu.
	inDoubt []string
	wake    chan struct{} // has capacity 1, and an element if the field removable has paths
}

func newGarbage() garbage {
	return garbage{pending: map[string]bool{}, retired: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// retire is called when the catalog does not list the part any more. The part's file is removed
// when its last reader ends.
func (e *Engine) retire(t *table, p *partFile) {
	e.garbage.retire(e.partPath(p.Table, p.ID))
	p.unlisted.Store(true)
	e.dropPatches(t, p.ID)
	delete(t.catalogDeletions, p.ID)
}

func (g *garbage) retire(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired[path] = true
}

// addPending records that the file at path is about to be written, so that Check does not report it
// as unknown.
func (g *garbage) addPending(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending[path] = true
}

// add puts the file at path on the list of files to be removed. The collector removes it in the
// background.
func (g *garbage) add(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.removable = append(g.removable, path)
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

func (g *garbage) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	files := g.removable
	g.removable = nil
	return files
}

// markListed records that the catalog now lists the parts, so that their files do not count as
// pending any more.
func (g *garbage) markListed(e *Engine, parts []*partFile) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range parts {
		delete(g.pending, e.partPath(p.Table, p.ID))
	}
}

// endDoubt sets the flag doubt to false. The caller knows again whether the catalog has the last
// edit (see Engine.apply). Files that were abandoned while that was unknown are not in the catalog,
// so the collector gets them for removal.
func (g *garbage) endDoubt(doubt *atomic.Bool) {
	g.mu.Lock()
	doubt.Store(false)
	unsure := g.inDoubt
	g.inDoubt = nil
	g.mu.Unlock()
	for _, path := range unsure {
		g.add(path)
	}
}

// postpone reports whether the catalog is in doubt: whether it is unknown if the catalog has the
// last edit. If so, postpone also records the abandoned file at path, so that the file is removed
// after the doubt ends. It reads the flag doubt under the lock that endDoubt takes. So no file is
// recorded after endDoubt has emptied the list.
func (g *garbage) postpone(path string, doubt *atomic.Bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !doubt.Load() {
		return false
	}
	g.inDoubt = append(g.inDoubt, path)
	return true
}

func (g *garbage) removed(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.retired, path)
	delete(g.pending, path)
}

// files returns the paths of all files that must exist although no current version of a table lists
// them.
func (g *garbage) files() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Keys(g.pending)), maps.Keys(g.retired))
}

// runCollector removes files in the background. Otherwise the last reader of a file would have to
// do it, and on some file systems the time to remove a file is proportional to its size.
func (e *Engine) runCollector() {
	defer e.background.Done()
	for {
		select {
		case <-e.garbage.wake:
		case <-e.closing:
			return
		}
		if err := e.CollectGarbage(); err != nil {
			e.log.Error("part files stay until the next start", "error", err)
		}
	}
}

// CollectGarbage removes all files that no version and no snapshot uses any more. If some files
// cannot be removed, it returns the errors. The next Open then removes these files.
func (e *Engine) CollectGarbage() error {
	var errs []error
	for _, path := range e.garbage.take() {
		if err := vfs.RemoveAll(e.fs, path); err != nil {
			errs = append(errs, base.Wrap(err, "collect garbage"))
			continue
		}
		e.garbage.removed(path)
		e.removeFolder(filepath.Dir(path))
	}
	return errors.Join(errs...)
}

// removeFolder removes the folder of a dropped table if the folder is empty. If that fails, the
// next Open removes it.
func (e *Engine) removeFolder(dir string) {
	id, err := strconv.ParseUint(filepath.Base(dir), 10, 32)
	if err != nil {
		return
	}
	e.mu.RLock()
	_, exists := e.tables[base.TableID(id)]
	e.mu.RUnlock()
	if names, err := e.fs.List(dir); !exists && err == nil && len(names) == 0 {
		_ = e.fs.Remove(dir)
	}
}

func (e *Engine) tableDir(id base.TableID) string {
	return filepath.Join(e.partsDir(), strconv.FormatUint(uint64(id), 10))
}

func (e *Engine) partPath(table base.TableID, id base.RowsetID) string {
	return e.files.Path(table, id)
}

// PartPath returns the path of a part's file. For a new id from NextRowsetID it creates the folder,
// so that the caller can write the file. The file belongs to the caller until Rewrite.Publish takes
// it over, or AbandonPart removes it.
func (e *Engine) PartPath(table base.TableID, id base.RowsetID) (string, error) {
	if err := vfs.MkdirAll(e.fs, e.tableDir(table)); err != nil {
		return "", err
	}
	path := e.partPath(table, id)
	e.mu.RLock()
	defer e.mu.RUnlock()
	if t := e.tables[table]; t == nil || !t.current.hasPart(id) {
		e.garbage.addPending(path)
	}
	return path, nil
}

// AbandonPart removes a file that was written at PartPath and will not be used. If it is unknown
// whether the catalog lists the file (the catalog is in doubt), the file is removed after the doubt
// ends.
func (e *Engine) AbandonPart(table base.TableID, id base.RowsetID) error {
	// There may be cached data of the part, because a load looks up keys in its parts before its
	// commit.
	e.forget(id)
	return base.Wrap(e.abandon(e.partPath(table, id)), "abandon part %d", id)
}

// forget drops the cached data of a part. The part must not have readers any more.
func (e *Engine) forget(id base.RowsetID) {
	e.keyFinder.Forget(id)
	e.files.Forget(id)
}

func (e *Engine) abandon(path string) error {
	if e.garbage.postpone(path, &e.inDoubt) {
		return nil
	}
	if err := vfs.RemoveAll(e.fs, path); err != nil {
		return err
	}
	e.garbage.removed(path)
	return nil
}

// unlistedFiles returns the paths below parts/ and patches/ of everything that does not belong
// there: files whose paths are not in the argument listed, and folders that belong neither to one
// of the tables nor to a file in listed.
func (e *Engine) unlistedFiles(listed map[string]bool, tables map[base.TableID]*table) (found []string, err error) {
	used := map[string]bool{}
	for path := range listed {
		used[filepath.Dir(path)] = true
	}
	for _, top := range []string{e.partsDir(), e.patchesDir()} {
		dirs, err := e.fs.List(top)
		if err != nil {
			return nil, base.Wrap(err, "list files")
		}
		for _, name := range dirs {
			dir := filepath.Join(top, name)
			id, err := strconv.ParseUint(name, 10, 32)
			if t := tables[base.TableID(id)]; err != nil || t == nil && !used[dir] {
				found = append(found, dir)
				continue
			}
			files, err := e.fs.List(dir)
			if err != nil {
				return nil, base.Wrap(err, "list files")
			}
			for _, file := range files {
				if path := filepath.Join(dir, file); !listed[path] {
					found = append(found, path)
				}
			}
		}
	}
	return found, nil
}

// listedFile is the file of a part or patch that the catalog lists.
type listedFile struct {
	path     string
	bytes    int64
	checksum *uint32
	part     *partFile // the part whose file this is; nil if it is the file of a patch
}

// filesLocked iterates over the files that the catalog lists (those of parts and patches), in no
// particular order. The caller must hold mu.
func (e *Engine) filesLocked() iter.Seq[listedFile] {
	return func(yield func(listedFile) bool) {
		for _, t := range e.tables {
			for _, p := range t.current.parts {
				if !yield(listedFile{e.partPath(t.id, p.ID), p.Bytes, &p.Checksum, p}) {
					return
				}
			}
			for _, patches := range t.catalogPatches {
				for _, p := range patches {
					if p.inFile && !yield(listedFile{e.patchPath(t.id, p.ID), p.Bytes, &p.Checksum, nil}) {
						return
					}
				}
			}
		}
	}
}

// listedLocked returns the paths of the files that the catalog lists. The caller must hold mu.
func (e *Engine) listedLocked() map[string]bool {
	listed := map[string]bool{}
	for f := range e.filesLocked() {
		listed[f.path] = true
	}
	return listed
}
