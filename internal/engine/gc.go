package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/vfs"
)

// garbage is the part files that the catalog lists no more and nobody reads any more.
type garbage struct {
	mu    sync.Mutex
	files []string      // guarded by mu
	wake  chan struct{} // of size 1
}

func (g *garbage) add(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.files = append(g.files, path)
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

func (g *garbage) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	files := g.files
	g.files = nil
	return files
}

func (g *garbage) list() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.files)
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
		errs = append(errs, base.Wrap(vfs.RemoveAll(e.fs, path), "collect garbage"))
	}
	return errors.Join(errs...)
}

func (e *Engine) tableDir(id base.TableID) string {
	return filepath.Join(e.partsDir(), strconv.FormatUint(uint64(id), 10))
}

func (e *Engine) partPath(table base.TableID, id base.SourceID) string {
	return filepath.Join(e.tableDir(table), fmt.Sprintf("%d.parquet", id))
}

// PartPath returns where the file of a part is, or, for an id of NextSourceID, is to be
// published; its folder then exists.
func (e *Engine) PartPath(table base.TableID, id base.SourceID) (string, error) {
	if err := vfs.MkdirAll(e.fs, e.tableDir(table)); err != nil {
		return "", err
	}
	return e.partPath(table, id), nil
}

// strangers returns the paths below parts/ that are neither a listed part nor the
// folder of a table that exists.
func (e *Engine) strangers(listed map[string]bool, tables map[base.TableID]*table) ([]string, error) {
	dirs, err := e.fs.List(e.partsDir())
	if err != nil {
		return nil, base.Wrap(err, "list parts")
	}
	var found []string
	for _, name := range dirs {
		dir := filepath.Join(e.partsDir(), name)
		id, err := strconv.ParseUint(name, 10, 32)
		if t := tables[base.TableID(id)]; err != nil || t == nil {
			found = append(found, dir)
			continue
		}
		files, err := e.fs.List(dir)
		if err != nil {
			return nil, base.Wrap(err, "list parts")
		}
		for _, file := range files {
			if path := filepath.Join(dir, file); !listed[path] {
				found = append(found, path)
			}
		}
	}
	return found, nil
}

func isTemp(path string) bool { return strings.HasSuffix(path, vfs.TempSuffix) }
