// Package engine owns the state of a data directory: the catalog, the write-ahead log, the
// memtables, the parts, and the snapshots that still read them. It knows no SQL.
//
// There is one file for each thing that the engine does: open, append, commit, flush, ddl,
// snapshot, recover, gc, check. Start reading with Engine.runCommitter: everything that changes
// what queries see passes through it.
package engine

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
	"golang.org/x/sync/semaphore"
)

// Settings are the settings of an Engine that the user chooses. A zero field selects its default.
type Settings struct {
	// FlushBytes is the total size of all memtables, in bytes, from which on they are flushed.
	// Default 64 MiB, but at most a quarter of the memory for rows.
	FlushBytes int64
	// FlushAge is the longest time that rows stay only in the log and in memory before they are
	// flushed. Default 60 s.
	FlushAge time.Duration
	// MaxWait is the longest time that a writer waits for memory. Default 5 s.
	MaxWait time.Duration
	// SyncInterval is the longest time until an asynchronous append is synced to disk. Default 100
	// ms.
	SyncInterval time.Duration
	// GroupBytes is the maximum total size of the requests that are written with one fsync, in
	// bytes. Default 32 MiB.
	GroupBytes int64
	// KeyLifetime is the time for which an idempotency key is remembered. Default 24 h.
	KeyLifetime time.Duration
	// ScrubPeriod is the time in which the scrubber verifies every part once. Default 30 days. If
	// it is negative, the scrubber does not run.
	ScrubPeriod time.Duration

	// DisableAutomaticFlush turns off all work in the background: rows are flushed only by the
	// method Flush, and files are removed only by CollectGarbage. It is for tests and checks.
	DisableAutomaticFlush bool
	// KeepOrphans makes Open keep files that the catalog does not list, which it removes otherwise.
	// It is for programs that only inspect the directory.
	KeepOrphans bool
}

// withDefaults returns the settings with their defaults. rows is the limit of the memory for rows.
func (s Settings) withDefaults(rows int64) Settings {
	orDefault(&s.FlushBytes, 64<<20)
	s.FlushBytes = min(s.FlushBytes, max(rows/4, 1))
	orDefault(&s.FlushAge, 60*time.Second)
	orDefault(&s.MaxWait, 5*time.Second)
	orDefault(&s.SyncInterval, 100*time.Millisecond)
	orDefault(&s.GroupBytes, 32<<20)
	orDefault(&s.KeyLifetime, 24*time.Hour)
	if s.ScrubPeriod == 0 {
		s.ScrubPeriod = 30 * 24 * time.Hour
	}
	return s
}

func orDefault[T ~int64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Clock tells the time. Tests replace it by a clock of their own.
type Clock interface {
	Now() time.Time
	After(time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Components are the file system, the clock and other things on which an engine is built. A nil
// field selects its default.
type Components struct {
	FS     vfs.FS
	Clock  Clock
	Logger *slog.Logger  // logger for failures of work in the background
	Files  *blocks.Files // files of the parts; if it is nil, the engine makes its own
	// Memory has the accounts for rows, patches and key indexes. Default: ledger.Default.
	Memory *ledger.Ledger

	// PoisonMemory makes the engine overwrite the memory of rows when it is freed. So tests detect
	// readers of freed memory.
	PoisonMemory bool

	// ReadColumns reads columns of a part, from which key indexes are built. If it is nil, the
	// engine reads them without DuckDB, which takes several times as long.
	ReadColumns keys.ReadPart

	// Defaults evaluates the default expressions of the given columns. For each column it returns
	// an array with as many values as the argument rows says, in types that batch.Conform accepts.
	// It is a component because the engine knows no SQL. If it is nil, columns that rows lack are
	// NULL.
	Defaults func(ctx context.Context, t schema.Table, columns []schema.Column, rows int64) (map[base.ColumnID]arrow.Array, error)
	// Violation returns the number, from 0, of the first row for which the SQL condition is false,
	// or -1 if there is none. If Violation is nil, the checks of tables are not evaluated.
	Violation func(t schema.Table, condition string, rows arrow.RecordBatch) (int64, error)
}

// flushParallel is the number of tables of a generation that are flushed at the same time. Sorting
// and encoding use one core per table. With two tables at a time, most of the machine stays free
// for queries.
const flushParallel = 2

// Engine is an open data directory. Its methods may be called concurrently.
//
// The lock flushing is taken before mu. While one of the other locks is held (keysMu, and the locks
// of the queue and the key finder), no further lock is taken, except for that of an account of
// memory. Only the committer goroutine writes the fields that mu guards, so it reads them without a
// lock.
type Engine struct {
	dir        string
	fs         vfs.FS
	clock      Clock
	log        *slog.Logger
	files      *blocks.Files
	scrubBytes atomic.Int64 // number of bytes that the scrubber has read since Open
	defaults   func(context.Context, schema.Table, []schema.Column, int64) (map[base.ColumnID]arrow.Array, error)
	violation  func(schema.Table, string, arrow.RecordBatch) (int64, error)
	settings   Settings
	dirLock    io.Closer
	catalog    *catalog.Catalog
	pool       *memtable.Pool
	memory     *ledger.Ledger
	keyFinder  *keys.Finder
	queue      queue
	background sync.WaitGroup
	closing    chan struct{}
	closeOnce  sync.Once
	closeErr   error

	// failure is the error with which all writes fail after the engine has stopped. It is nil while
	// the engine runs.
	failure      atomic.Pointer[base.Error]
	flushFailure atomic.Pointer[base.Error] // error of the last flush; nil if it succeeded
	// inDoubt says that it is unknown whether the catalog has the last edit: see apply.
	inDoubt atomic.Bool
	// refusal is the error with which writes are refused at present, or nil if they are accepted.
	refusal atomic.Pointer[base.Error]
	changes atomic.Uint64 // number of calls of Commit that succeeded

	// Only the committer uses the fields wal, unsynced, reserveUsed, nextSource and nextExport.
	wal         *wal.Writer
	unsynced    bool // whether frames were appended to the log since the last sync
	reserveUsed bool // whether the reserve file was removed, see space.go
	readPart    keys.ReadPart
	nextTable   atomic.Uint32 // id that the next new table gets
	nextSource  base.SourceID
	nextExport  base.ExportID

	rowsetIDs rowsetIDs

	// flushing is the lock of a flush: one flush runs at a time, in the order of generations.
	flushing *semaphore.Weighted
	// frozen has capacity 1. It has an element if a generation (a log segment and its memtables)
	// waits for its flush.
	frozen chan struct{}

	// partsAdded receives a value after parts were added, see PartsChanged. Its capacity is 1.
	partsAdded chan struct{}

	// guards the fields from seq to remaps, which only the committer writes
	mu          sync.RWMutex
	seq         base.Seq // sequence number of the last visible edit
	versions    uint64   // number of the latest version; all tables share one sequence of numbers
	databases   map[nameKey]string
	schemas     map[nameKey]catalog.SchemaName
	views       map[nameKey]catalog.View
	names       map[nameKey]base.TableID
	tables      map[base.TableID]*table
	sources     map[base.SourceID]*source
	sourceNames map[nameKey]base.SourceID
	exports     map[base.ExportID]*export
	active      *generation
	generations []*generation // frozen and not flushed (log segments with memtables), oldest first
	remaps      remaps        // new row addresses of replaced parts and memtables, for all tables

	keysMu sync.Mutex
	// keys has the idempotency records of running requests, and of finished requests whose result
	// is remembered, by idempotency key. It is guarded by keysMu.
	keys map[string]*idempotencyRecord
	// finishedKeys has the idempotency records of finished requests, in the order in which they
	// finished. It is guarded by keysMu.
	finishedKeys []*idempotencyRecord
	// forgottenKeys has the idempotency keys that the engine has forgotten, but that the catalog
	// still has. It is guarded by keysMu.
	forgottenKeys map[string]bool

	marker  marker
	garbage garbage
	orphans []string // files that the catalog does not list; constant after Open

	heldSnapshots heldSnapshots // sequence numbers of the snapshots that are held at present
	// gaveUp says that a request gave up waiting for memory, and that no request got memory since
	// then.
	gaveUp atomic.Bool

	durations durations // durations of flushes and of syncs of the log

	// patchMemoryShort says that a change was refused because all patches together would have taken
	// more memory than they may, and that no memory of patches was freed since then.
	patchMemoryShort atomic.Bool
}

// table is one table of the engine, with its current version.
type table struct {
	id           base.TableID
	history      map[uint32]schema.Table // all versions of the table's schema, by number
	truncatedSeq base.Seq
	created      time.Time
	current      *version
	// patches has the deletions and new values of rows, by the id of their rowset, for the rowsets
	// in the current version. Snapshots share this map.
	patches map[base.RowsetID]*patch.Set
	// expressions are the table's expression updates (UPDATEs that are stored as SQL) that at least
	// one part of the current version lacks, oldest first. Each change makes a new slice.
	expressions []*storedExpression
	recorders   []*changeRecorder
	// remaps has the new row addresses of replaced rowsets (parts or memtables), by the id of the
	// old rowset. Changes that were computed from older snapshots need them.
	remaps map[base.RowsetID]remapped
	lock   *semaphore.Weighted // the table lock; the pointer is constant
	// lockedSeq is the number of the last edit before the table was locked, or 0 if the table is
	// not locked. It is guarded by mu.
	lockedSeq base.Seq
	// dedup is the table's dedup state (the superseded rows that are known so far). It is nil if
	// the table does not merge on read. The pointer is constant.
	dedup *dedupState
	// appendHold, if not nil, makes appends to the table wait. The committer sets it.
	appendHold atomic.Pointer[appendHold]

	// catalogPatches describes the patches that the catalog has, by part id.
	catalogPatches   map[base.RowsetID][]storedPatch
	catalogDeletions map[base.RowsetID]storedDeletions

	// Only the committer uses the fields writeSets, writeSetKeys and insertedSeq.
	writeSets    []writeSet // what each of the latest commits changed, oldest first
	writeSetKeys int        // total number of keys in writeSets
	insertedSeq  base.Seq   // number of the last edit that appended rows to the table
}

// nameKey is a qualified name in the form in which names are compared. The key of a database has
// only the first part, and that of a schema the first two parts.
type nameKey struct{ database, schema, name string }

func keyOf(parts ...string) nameKey {
	var k nameKey
	for i, field := range []*string{&k.database, &k.schema, &k.name} {
		if i < len(parts) {
			*field = schema.Fold(parts[i])
		}
	}
	return k
}

func (e *Engine) walDir() string     { return filepath.Join(e.dir, walName) }
func (e *Engine) partsDir() string   { return filepath.Join(e.dir, partsName) }
func (e *Engine) patchesDir() string { return filepath.Join(e.dir, patchesName) }
func (e *Engine) tmpDir() string     { return filepath.Join(e.dir, tmpName) }

// stop makes the engine refuse every write from now on, and returns the error that these writes
// get. Reads continue.
func (e *Engine) stop(cause error) *base.Error {
	err := base.Errorf(base.Unavailable, "stopped: %w", cause).
		WithHint("the state of the disk is unknown: check the disk, then restart")
	if e.failure.CompareAndSwap(nil, err) {
		e.log.Error("engine stopped", "error", cause)
	}
	return e.failure.Load()
}

// errUnknown returns the error of a request that may be found applied after a restart, although it
// failed.
func errUnknown(cause error) error {
	return base.Errorf(base.Unknown, "this may or may not be stored: %w", cause).
		WithHint("after a restart of the server, check whether it was stored, or repeat it with the same Idempotency-Key; without a key it may be stored twice")
}

// writable returns the error with which all writes fail at present, or nil.
func (e *Engine) writable() error {
	if err := e.failure.Load(); err != nil {
		return err
	}
	return nil
}

// Dir returns the path of the data directory.
func (e *Engine) Dir() string { return e.dir }

// now returns the time in UTC, truncated to microseconds, because the catalog stores microseconds.
func (e *Engine) now() time.Time { return e.clock.Now().UTC().Truncate(time.Microsecond) }

var errClosed = base.Errorf(base.Unavailable, "the database is closed")
