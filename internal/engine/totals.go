package engine

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/wal"
)

// Times counts events and the time that they took, since Open.
type Times struct {
	Count int64
	Total time.Duration
}

// times is Times while it grows.
type times struct{ count, nanos atomic.Int64 }

func (t *times) add(d time.Duration) {
	t.count.Add(1)
	t.nanos.Add(int64(d))
}

func (t *times) read() Times { return Times{t.count.Load(), time.Duration(t.nanos.Load())} }

// effort is what the log and flushes took since Open.
type effort struct {
	syncs, flushes times
	flushErrors    atomic.Int64
}

func (f *effort) flushed(took time.Duration, err error) {
	if err != nil {
		f.flushErrors.Add(1)
		return
	}
	f.flushes.add(took)
}

// Totals are sums over all tables, and what the log and flushes took since Open. Sizes are in
// bytes.
type Totals struct {
	Tables      int
	Parts       int
	PartRows    int64
	PartBytes   int64
	MemoryRows  int64 // in memtables
	MemoryLimit int64 // of Status.MemoryBytes
	KeyLimit    int64 // of Status.KeyBytes
	Flushes     Times // that succeeded
	FlushErrors int64
	LogSyncs    Times
}

// Totals returns the present sums. It takes a time in proportion to the number of parts.
func (e *Engine) Totals() Totals {
	t := Totals{
		MemoryLimit: e.budget.limit, KeyLimit: keyShare * e.settings.MemoryBytes,
		Flushes: e.effort.flushes.read(), FlushErrors: e.effort.flushErrors.Load(), LogSyncs: e.effort.syncs.read(),
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	t.Tables = len(e.tables)
	for _, table := range e.tables {
		t.Parts += len(table.current.parts)
		for _, p := range table.current.parts {
			t.PartRows += p.Rows
			t.PartBytes += p.Bytes
		}
		for _, r := range table.current.residents {
			t.MemoryRows += r.mem.View().Rows
		}
	}
	return t
}

// Disk is what the data directory takes of its disk beside parts, in bytes, and what is free there.
// Totals has the parts.
type Disk struct {
	Free      int64
	Patches   int64
	Log       int64 // with preallocated space
	Segments  int   // of the log
	Catalog   int64
	Temporary int64 // what queries spilled
	Reserve   int64 // see space.go
}

// Disk looks at the files of the data directory, but not at each part. An error means that the disk
// could not be asked.
func (e *Engine) Disk() (Disk, error) {
	free, err := e.fs.FreeSpace(e.dir)
	if err != nil {
		return Disk{}, err
	}
	d := Disk{Free: int64(free)}
	var errs [6]error
	var segments []base.SegmentID
	d.Log, errs[0] = e.sizeOf(walName)
	segments, errs[5] = wal.List(e.fs, e.walDir())
	d.Segments = len(segments)
	d.Patches, errs[1] = e.sizeOf(patchesName)
	d.Temporary, errs[2] = e.sizeOf(tmpName)
	d.Reserve, errs[3] = e.sizeOf(ReserveName)
	for _, suffix := range []string{"", catalog.JournalSuffix} {
		bytes, err := e.sizeOf(catalog.FileName + suffix)
		d.Catalog += bytes
		errs[4] = errors.Join(errs[4], err)
	}
	return d, errors.Join(errs[:]...)
}

// sizeOf returns the length of a file below the data directory, or of all files in a folder there;
// 0 if there is none. What goes meanwhile counts nothing.
func (e *Engine) sizeOf(name string) (bytes int64, err error) {
	path := filepath.Join(e.dir, name)
	info, err := e.fs.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.IsDir:
		return info.Size, nil
	}
	names, err := e.fs.List(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, inside := range names {
		b, below := e.sizeOf(filepath.Join(name, inside))
		bytes, err = bytes+b, errors.Join(err, below)
	}
	return bytes, err
}
