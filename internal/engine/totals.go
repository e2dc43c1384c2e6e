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

// Times is the number of events of one kind since Open, and the sum of their durations.
type Times struct {
	Count int64
	Total time.Duration
}

// times counts events, and adds up their durations. The method read returns the present sums as a
// Times.
type times struct{ count, nanos atomic.Int64 }

func (t *times) add(d time.Duration) {
	t.count.Add(1)
	t.nanos.Add(int64(d))
}

func (t *times) read() Times { return Times{t.count.Load(), time.Duration(t.nanos.Load())} }

// durations has the number and durations of flushes and of syncs of the log, since Open.
type durations struct {
	syncs, flushes times
	flushErrors    atomic.Int64
}

func (f *durations) flushed(took time.Duration, err error) {
	if err != nil {
		f.flushErrors.Add(1)
		return
	}
	f.flushes.add(took)
}

// Totals are sums over all tables, and the durations of syncs of the log and of flushes since Open.
// Sizes are in bytes.
type Totals struct {
	Tables      int
	Parts       int
	PartRows    int64
	PartBytes   int64
	MemoryRows  int64 // number of rows in memtables
	MemoryLimit int64 // upper limit of Status.MemoryBytes
	KeyLimit    int64 // upper limit of Status.KeyBytes
	Flushes     Times // number and duration of successful flushes
	FlushErrors int64
	LogSyncs    Times
}

// Totals returns the present sums over all tables. The time that it takes is proportional to the
// number of parts.
func (e *Engine) Totals() Totals {
	t := Totals{
		MemoryLimit: e.memory.Rows.Limit(), KeyLimit: e.memory.Keys.Limit(),
		Flushes: e.durations.flushes.read(), FlushErrors: e.durations.flushErrors.Load(), LogSyncs: e.durations.syncs.read(),
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
		for _, r := range table.current.memtables {
			t.MemoryRows += r.mem.View().Rows
		}
	}
	return t
}

// Disk is the disk space that the data directory takes, in bytes. It leaves out parts, which are in
// Totals.
type Disk struct {
	Free     int64
	Patches  int64
	Log      int64 // size of the log, including preallocated space
	Segments int   // number of log segments
	Catalog  int64
	Spilled  int64 // size of the data that queries have spilled to disk
	Reserve  int64 // size of the reserve file, see space.go
}

// Disk returns the sizes of the files in the data directory. It does not read the folders of parts.
// If a file operation fails, it returns the error.
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
	d.Spilled, errs[2] = e.sizeOf(tmpName)
	d.Reserve, errs[3] = e.sizeOf(ReserveName)
	for _, suffix := range []string{"", catalog.JournalSuffix} {
		bytes, err := e.sizeOf(catalog.FileName + suffix)
		d.Catalog += bytes
		errs[4] = errors.Join(errs[4], err)
	}
	return d, errors.Join(errs[:]...)
}

// sizeOf returns the length in bytes of a file in the data directory or, if name is a folder, the
// total length of the files in it. A file that does not exist, or is removed meanwhile, counts as
// 0.
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
