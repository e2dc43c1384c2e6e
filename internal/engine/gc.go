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

// garbage keeps account of the files below parts/ and patches/ that nothing current lists.
type garbage struct {
	mu      sync.Mutex
	pending map[string]bool // guarded by mu; promised by PartPath, not listed yet
	retired map[string]bool // guarded by mu; the catalog lists them no more, snapshots may read them
	unread  []string        // guarded by mu; retired, and nobody reads them any more
	unsure  []string        // guarded by mu; abandoned, but the catalog may list them, see Engine.apply
	wake    chan struct{}   // of size 1: there is something to remove
}

func newGarbage() garbage {
	return garbage{pending: map[string]bool{}, retired: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// retire notes that the catalog does not list a part any more.
func (e *Engine) retire(t *table, p *partFile) {
	e.garbage.retire(e.partPath(p.Table, p.ID))
	p.obsolete.Store(true)
	e.dropPatches(t, p.ID)
	delete(t.storedDeletions, p.ID)
}

func (g *garbage) retire(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired[path] = true
}

// promise notes that a file is about to be written.
func (g *garbage) promise(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending[path] = true
}

// add hands a file over to the collector.
func (g *garbage) add(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unread = append(g.unread, path)
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

func (g *garbage) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	files := g.unread
	g.unread = nil
	return files
}

// taken notes that the catalog lists parts now.
func (g *garbage) taken(e *Engine, parts []*partFile) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range parts {
		delete(g.pending, e.partPath(p.Table, p.ID))
	}
}

// settle ends the doubt about the catalog, and hands over what was abandoned while it lasted: the catalog lists none of it.
func (g *garbage) settle(doubt *atomic.Bool) {
	g.mu.Lock()
	doubt.Store(false)
	unsure := g.unsure
	g.unsure = nil
	g.mu.Unlock()
	for _, path := range unsure {
		g.add(path)
	}
}

// postpone keeps an abandoned file while there is doubt about the catalog, and reports whether it did. It looks under the lock of settle, which
// would otherwise not see a file that comes just then.
func (g *garbage) postpone(path string, doubt *atomic.Bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !doubt.Load() {
		return false
	}
	g.unsure = append(g.unsure, path)
	return true
}

func (g *garbage) removed(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.retired, path)
	delete(g.pending, path)
}

// files returns every file that is there for a reason although no version lists it.
func (g *garbage) files() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Keys(g.pending)), maps.Keys(g.retired))
}

// runCollector removes files outside the goroutines of those who read them last: on some
// file systems it takes as long as the file is large.
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

// CollectGarbage removes the part files that nothing uses any more. Those that cannot be
// removed are reported; the next Open removes them.
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

// removeFolder removes the folder of a table that was dropped, if it was the last file that
// just went. What cannot be removed now is removed by the next Open.
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

func (e *Engine) partPath(table base.TableID, id base.SourceID) string {
	return e.files.Path(table, id)
}

// PartPath returns where the file of a part is, or, for an id of NextSourceID, is to be
// published; its folder then exists. A file that is published there belongs to the caller until Rewrite.Publish
// takes it, or AbandonPart removes it.
func (e *Engine) PartPath(table base.TableID, id base.SourceID) (string, error) {
	if err := vfs.MkdirAll(e.fs, e.tableDir(table)); err != nil {
		return "", err
	}
	path := e.partPath(table, id)
	e.mu.RLock()
	defer e.mu.RUnlock()
	if t := e.tables[table]; t == nil || !t.current.lists(id) {
		e.garbage.promise(path)
	}
	return path, nil
}

// AbandonPart removes a file at PartPath that will not be used; while it is in doubt
// whether the catalog lists it, that is put off.
func (e *Engine) AbandonPart(table base.TableID, id base.SourceID) error {
	e.forget(id) // a load looks for keys in its parts before it is committed
	return base.Wrap(e.abandon(e.partPath(table, id)), "abandon part %d", id)
}

// forget drops what is kept of a part that nobody reads any more.
func (e *Engine) forget(id base.SourceID) {
	e.keyFinder.Forget(id)
	e.files.Forget(id)
}

func (e *Engine) abandon(path string) error {
	if e.garbage.postpone(path, &e.doubt) {
		return nil
	}
	if err := vfs.RemoveAll(e.fs, path); err != nil {
		return err
	}
	e.garbage.removed(path)
	return nil
}

// strangers returns the paths below parts/ and patches/ that are neither a listed file nor the
// folder of a table that exists, or that is being loaded or still read.
func (e *Engine) strangers(listed map[string]bool, tables map[base.TableID]*table) (found []string, err error) {
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

// listedFile is a file that the catalog lists.
type listedFile struct {
	path     string
	bytes    int64
	checksum *uint32
	part     *partFile // nil: it is a patch
}

// filesLocked are the files that the catalog lists: parts and patches, in no order.
func (e *Engine) filesLocked() iter.Seq[listedFile] {
	return func(yield func(listedFile) bool) {
		for _, t := range e.tables {
			for _, p := range t.current.parts {
				if !yield(listedFile{e.partPath(t.id, p.ID), p.Bytes, &p.Checksum, p}) {
					return
				}
			}
			for _, patches := range t.stored {
				for _, p := range patches {
					if p.inFile && !yield(listedFile{e.patchPath(t.id, p.ID), p.Bytes, &p.Checksum, nil}) {
						return
					}
				}
			}
		}
	}
}

// listedLocked returns the paths of filesLocked.
func (e *Engine) listedLocked() map[string]bool {
	listed := map[string]bool{}
	for f := range e.filesLocked() {
		listed[f.path] = true
	}
	return listed
}
