package engine

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/part"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"golang.org/x/sync/semaphore"
)

// These are the names of files and folders in a data directory, except that of the catalog.
const (
	// LockName is the name of the file that is locked while the directory is open. The file is
	// never removed.
	LockName = "LOCK"

	walName     = "wal"
	partsName   = "parts"
	patchesName = "patches"
	tmpName     = "tmp"
)

// DataDirNames are the names that a data directory may contain, except LockName. The first one is
// the catalog. A folder with a catalog is a data directory.
var DataDirNames = []string{catalog.FileName, catalog.FileName + catalog.JournalSuffix, RestoredName, ReserveName, walName, partsName, patchesName, tmpName, damagedName}

// AllowedNames are names that a folder may contain although it is not a data directory. These are
// the lock file, which is never removed, and lost+found, which is in the top folder of a file
// system.
var AllowedNames = []string{LockName, "lost+found"}

// Exists reports whether a folder is a data directory: whether it has a catalog that is not empty.
// A catalog is empty if a process ended just after Open created it.
func Exists(fsys vfs.FS, dir string) (bool, error) {
	info, err := fsys.Stat(filepath.Join(dir, catalog.FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size > 0, base.Wrap(err, "open %s", dir)
}

// Open opens a data directory. If the directory has no files, Open makes it a new data directory. A
// data directory has these files:
//
//	LOCK                              locked by the process that has the directory open
//	catalog.db                        SQLite: what is flushed, and all definitions
//	wal/<segment>.wal                 what is acknowledged and not yet flushed
//	parts/<table id>/<part id>.parquet
//	patches/<table id>/<patch id>.parquet
//	tmp/                              scratch space of queries, emptied by Open
//	RESERVE                           space for deleting and dropping when the disk is full
//	damaged/                          parts that scoter check --repair quarantined
//	RESTORED                          restored from a backup, see ForkExports
//
// All rows that were acknowledged before are present, in whichever way the last process ended.
//
// Errors:
//   - Conflict: another process has the directory open
//   - Corrupt: files are damaged. Then Open has changed nothing, but it may have removed unfinished
//     work of the last process.
//   - Corrupt: there are files but no catalog. A new catalog would make all of these files garbage.
func Open(dir string, settings Settings, components Components) (*Engine, error) {
	e := &Engine{
		dir: dir, fs: components.FS, clock: components.Clock, log: components.Logger,
		defaults: components.Defaults, violation: components.Violation,
		memory:        components.Memory,
		closing:       make(chan struct{}),
		frozen:        make(chan struct{}, 1),
		flushing:      semaphore.NewWeighted(1),
		partsAdded:    make(chan struct{}, 1),
		queue:         queue{wake: make(chan struct{}, 1)},
		garbage:       newGarbage(),
		marker:        marker{wake: make(chan struct{}, 1)},
		databases:     map[nameKey]string{},
		schemas:       map[nameKey]catalog.SchemaName{},
		views:         map[nameKey]catalog.View{},
		names:         map[nameKey]base.TableID{},
		tables:        map[base.TableID]*table{},
		sources:       map[base.SourceID]*source{},
		sourceNames:   map[nameKey]base.SourceID{},
		exports:       map[base.ExportID]*export{},
		keys:          map[string]*idempotencyRecord{},
		forgottenKeys: map[string]bool{},
	}
	if e.fs == nil {
		e.fs = vfs.OS
	}
	if e.clock == nil {
		e.clock = systemClock{}
	}
	if e.log == nil {
		e.log = slog.Default()
	}
	if e.files = components.Files; e.files == nil {
		e.files = blocks.NewFiles(e.fs, e.partsDir(), e.log)
	}
	if e.memory == nil {
		e.memory = ledger.Default()
	}
	e.settings = settings.withDefaults(e.memory.Rows.Limit())
	e.pool = memtable.NewPool(memtable.PoolOptions{Poison: components.PoisonMemory})
	if components.ReadColumns == nil {
		components.ReadColumns = e.readColumns
	}
	e.readPart = components.ReadColumns
	reader := keys.Reader{Hold: e.holdPart, Part: components.ReadColumns, Numbers: e.openNumbers, Group: (*part.Numbers).Read, Rows: (*part.Numbers).Find}
	e.keyFinder = keys.NewFinder(e.memory.Keys, e.memory.Work, reader, func(err error) {
		e.log.Error("building the index of keys failed; statements find their rows without it, and it will be retried", "error", err)
	})
	e.memory.OnTrim(e.keyFinder.Trim)
	if err := e.open(); err != nil {
		return nil, base.Wrap(errors.Join(err, e.closeFiles()), "open %s", dir)
	}
	e.background.Add(1)
	go e.runCommitter()
	if !e.settings.DisableAutomaticFlush {
		e.background.Add(4)
		go e.runMarker()
		go e.runFlusher()
		go e.runCollector()
		go e.runChecksumStorer()
		if e.settings.ScrubPeriod > 0 {
			e.background.Add(1)
			go e.runScrubber()
		}
		e.wantFlush()
	}
	return e, nil
}

func (e *Engine) open() (err error) {
	if err := vfs.MkdirAll(e.fs, e.dir); err != nil {
		return err
	}
	if e.dirLock, err = e.fs.Lock(filepath.Join(e.dir, LockName)); err != nil {
		return err
	}
	if err := e.checkExists(); err != nil {
		return err
	}
	c, state, err := catalog.Open(e.fs, filepath.Join(e.dir, catalog.FileName))
	if err != nil {
		return err
	}
	e.catalog = c
	for _, dir := range []string{e.walDir(), e.partsDir(), e.patchesDir(), e.tmpDir()} {
		if err := vfs.MkdirAll(e.fs, dir); err != nil {
			return err
		}
	}
	left, err := e.fs.List(e.tmpDir())
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := vfs.RemoveAll(e.fs, filepath.Join(e.tmpDir(), name)); err != nil {
			return err
		}
	}
	if err := e.load(state); err != nil {
		return err
	}
	return e.recover(state)
}

// checkExists returns a Corrupt error if the folder has a log, parts or patches, but no catalog.
// Files in tmp/ are ignored.
func (e *Engine) checkExists() error {
	if exists, err := Exists(e.fs, e.dir); err != nil || exists {
		return err
	}
	for _, dir := range []string{e.walDir(), e.partsDir(), e.patchesDir()} {
		names, err := e.fs.List(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(names) > 0 {
			return base.Errorf(base.Corrupt, "%s is missing or empty, but %s holds %s; nothing was changed", catalog.FileName, dir, names[0]).
				WithHint("put the catalog back or restore a backup; a new database needs an empty folder")
		}
	}
	return nil
}

// load builds the engine's state in memory from state, the content of the catalog.
func (e *Engine) load(state catalog.State) error {
	for _, name := range state.Databases {
		e.databases[keyOf(name)] = name
	}
	for _, s := range state.Schemas {
		e.schemas[keyOf(s.Database, s.Name)] = s
	}
	for _, v := range state.Views {
		e.views[keyOf(v.Name.Database, v.Name.Schema, v.Name.Name)] = v
	}
	parts := map[base.TableID][]*partFile{}
	for _, p := range state.Parts {
		parts[p.Table] = append(parts[p.Table], &partFile{Part: p})
	}
	for _, t := range state.Tables {
		s := t.Schema
		loaded := &table{id: s.ID, created: t.Created, truncatedSeq: t.TruncatedSeq, history: map[uint32]schema.Table{}, lock: newTableLock()}
		if s.MergeOnRead {
			loaded.dedup = newDedupState(t.DedupedSeq)
		}
		for _, older := range state.TableVersions[s.ID] {
			loaded.history[older.Version] = older
		}
		loaded.installLocked(e.newVersionLocked(s, parts[s.ID], nil))
		e.tables[s.ID] = loaded
		e.names[keyOf(s.Database, s.Schema, s.Name)] = s.ID
	}
	if err := e.loadPatches(state); err != nil {
		return err
	}
	if err := e.loadExpressions(state); err != nil {
		return err
	}
	for _, s := range state.Sources {
		e.showSourceLocked(s)
	}
	for _, o := range state.Offsets {
		if e.sources[o.Source] == nil {
			return base.Errorf(base.Corrupt, "catalog: offsets of source %d, which does not exist", o.Source)
		}
		e.sources[o.Source].offsets[keyOfOffset(o)] = o
	}
	if err := e.loadExports(state); err != nil {
		return err
	}
	// Sort the records by the time when they expire. The catalog does not store the order in which
	// the requests finished, but that order is about the same. Almost all records that are read
	// from the log later are newer than these.
	slices.SortFunc(state.Keys, func(a, b catalog.Key) int { return a.Expires.Compare(b.Expires) })
	for _, k := range state.Keys {
		c, err := restoreRecord(k)
		if err != nil {
			return err
		}
		c.stored = true
		e.keys[k.Key] = c
		e.rememberLocked(c)
	}
	e.nextTable.Store(uint32(state.Counters.NextTable))
	e.nextSource, e.nextExport = state.Counters.NextSource, state.Counters.NextExport
	// Ids below NextRowset may have been used for rows that were visible, so they are not used
	// again.
	e.rowsetIDs.next, e.rowsetIDs.reserved = state.Counters.NextRowset, state.Counters.NextRowset
	e.seq = state.Counters.NextSeq - 1
	return nil
}

// removeOrphans removes files that the catalog does not list. These are files of a flush or merge
// that a crash interrupted, and files that could not be removed earlier.
func (e *Engine) removeOrphans() (err error) {
	if e.orphans, err = e.unlistedFiles(e.listedLocked(), e.tables); err != nil || e.settings.KeepOrphans {
		return err
	}
	for _, path := range e.orphans {
		if err := vfs.RemoveAll(e.fs, path); err != nil {
			return base.Wrap(err, "remove orphan")
		}
	}
	e.orphans = nil
	return nil
}

// Orphans returns the paths of files that Open found and that the catalog does not list. The list
// is empty unless Settings.KeepOrphans is set, since Open otherwise removes these files.
func (e *Engine) Orphans() []string { return e.orphans }

// Close ends all work in the background and closes the files. Waiting requests get the error
// Unavailable. Close does not flush, since the log has all rows. Snapshots that are still held stay
// readable. Close returns the errors of closing the log and the catalog.
func (e *Engine) Close() error {
	e.closeOnce.Do(func() {
		close(e.closing)
		// Wait until a running flush has ended, because the flush needs the committer.
		_ = e.flushing.Acquire(context.Background(), 1)
		e.queue.close()
		e.flushing.Release(1)
		e.background.Wait()
		e.closeErr = base.Wrap(e.closeFiles(), "close %s", e.dir)
	})
	return e.closeErr
}

func (e *Engine) closeFiles() error {
	e.keyFinder.Close()
	var errs []error
	if e.wal != nil {
		errs = append(errs, e.wal.Close())
		e.recordDurable()
		errs = append(errs, e.closeMark())
	}
	if e.catalog != nil {
		errs = append(errs, e.catalog.Close())
	}
	if e.dirLock != nil {
		errs = append(errs, e.dirLock.Close())
	}
	e.mu.Lock()
	tables, generations := e.tables, e.generations
	if e.active != nil {
		generations = append(generations[:len(generations):len(generations)], e.active)
	}
	e.tables, e.generations, e.names, e.views = nil, nil, nil, nil
	e.mu.Unlock()
	for _, g := range generations {
		for _, r := range g.memtables {
			r.release()
		}
		e.memory.Rows.Release(g.changeBytes)
	}
	for _, t := range tables {
		e.unpatchLocked(t)
		t.current.release()
	}
	e.pool.Close()
	return errors.Join(errs...)
}
