// Package engine owns the state of a data directory: the catalog, the write-ahead log, the
// memtables, the parts, and the snapshots that still read them. It knows no SQL.
//
// There is one file per verb: open, append, commit, flush, ddl, snapshot, recover, gc, check. Start
// with Engine.runCommitter: everything that changes what is visible passes through it.
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
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/vfs"
	"github.com/scoterdb/scoter/internal/wal"
	"golang.org/x/sync/semaphore"
)

// Settings are chosen by the user. A zero field selects its default.
type Settings struct {
	// FlushBytes is the size of all memtables together from which they are flushed. Default 64 MiB,
	// but at most a quarter of MemoryBytes.
	FlushBytes int64
	// FlushAge is the longest time that rows wait for their flush. Default 60 s.
	FlushAge time.Duration
	// MemoryBytes bounds the memory of memtables and of running requests. Default 256 MiB.
	MemoryBytes int64
	// MaxWait is the longest time that a writer waits for memory. Default 5 s.
	MaxWait time.Duration
	// SyncInterval is the longest time until an asynchronous append is fsynced. Default 100 ms.
	SyncInterval time.Duration
	// GroupBytes bounds the size of the requests that are written with one fsync. Default 32 MiB.
	GroupBytes int64
	// KeyLifetime is how long an idempotency key is remembered. Default 24 h.
	KeyLifetime time.Duration
	// ScrubPeriod is the time within which the scrubber verifies every part once. Default 30 days;
	// negative: never.
	ScrubPeriod time.Duration

	// DisableAutomaticFlush turns off all background steps: only Flush flushes, and only
	// CollectGarbage removes files. It is for tests and checks.
	DisableAutomaticFlush bool
	// KeepOrphans makes Open keep files that the catalog does not list. It is for programs that
	// only inspect the directory.
	KeepOrphans bool
}

func (s Settings) withDefaults() Settings {
	orDefault(&s.MemoryBytes, 256<<20)
	orDefault(&s.FlushBytes, 64<<20)
	s.FlushBytes = min(s.FlushBytes, max(s.MemoryBytes/4, 1))
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

// Clock tells the time. Tests replace it.
type Clock interface {
	Now() time.Time
	After(time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Components are what the engine is built on. A nil field selects its default.
type Components struct {
	FS     vfs.FS
	Clock  Clock
	Logger *slog.Logger  // gets failures of background work
	Files  *blocks.Files // files of the parts; nil: the engine makes its own

	// PoisonMemory overwrites the memory of rows when it becomes free, so that tests detect readers
	// of freed memory.
	PoisonMemory bool

	// ReadColumns reads columns of a part for key indexes. If it is nil, the engine reads them
	// without DuckDB, which takes several times as long.
	ReadColumns keys.ReadPart

	// Defaults evaluates the default expressions of columns, each to an array of rows values, in
	// types that batch.Conform accepts. The engine knows no SQL. If it is nil, columns that rows
	// lack are NULL.
	Defaults func(ctx context.Context, t schema.Table, columns []schema.Column, rows int64) (map[base.ColumnID]arrow.Array, error)
	// Violation returns the number, from 0, of the first row for which an SQL condition is false,
	// or -1 if there is none. If it is nil, checks of tables are not evaluated.
	Violation func(t schema.Table, condition string, rows arrow.RecordBatch) (int64, error)
}

// flushParallel is the number of tables of a generation that are flushed at once. Sorting and
// encoding use a core each, so two at once leave most of the machine to queries.
const flushParallel = 2

// keyShare times Settings.MemoryBytes is the limit of the memory of key indexes of parts.
const keyShare = 4

// Engine is an open data directory. Its methods may be called concurrently.
//
// Lock order: flushing, mu. While one of the other locks (keysMu, and the locks of the budget, the
// queue and the key finder) is held, no further lock is taken. Only the committer goroutine writes
// the fields under "of the committer", so it reads them without a lock.
type Engine struct {
	dir        string
	fs         vfs.FS
	clock      Clock
	log        *slog.Logger
	files      *blocks.Files
	scrubBytes atomic.Int64 // read by the scrubber since Open
	defaults   func(context.Context, schema.Table, []schema.Column, int64) (map[base.ColumnID]arrow.Array, error)
	violation  func(schema.Table, string, arrow.RecordBatch) (int64, error)
	settings   Settings
	dirLock    io.Closer
	catalog    *catalog.Catalog
	pool       *memtable.Pool
	budget     *budget
	keyFinder  *keys.Finder
	queue      queue
	background sync.WaitGroup
	closing    chan struct{}
	closeOnce  sync.Once
	closeErr   error

	failure      atomic.Pointer[base.Error] // set once; after that all writes fail with it
	flushFailure atomic.Pointer[base.Error] // error of the last flush; nil if it succeeded
	// It is unknown whether the catalog has the last edit: see apply.
	doubt atomic.Bool
	// Why writes are refused at present; nil: they are accepted.
	refusal atomic.Pointer[base.Error]
	changes atomic.Uint64 // number of calls of Commit that succeeded

	// Of the committer: no other goroutine uses these.
	wal        *wal.Writer
	unsynced   bool // frames were appended since the last sync
	spent      bool // the reserve file was removed, see space.go
	readPart   keys.ReadPart
	nextTable  atomic.Uint32 // id of the next table
	nextStream base.StreamID
	nextExport base.ExportID

	sources sources

	flushing *semaphore.Weighted // a lock: one flush at a time, in the order of generations
	frozen   chan struct{}       // of size 1; has an element if there is a generation to flush

	partsAdded chan struct{} // of size 1; see PartsChanged

	mu          sync.RWMutex // guards the fields below, which only the committer writes
	seq         base.Seq     // sequence number of the last visible edit
	versions    uint64       // number of the last version
	databases   map[nameKey]string
	schemas     map[nameKey]catalog.SchemaName
	views       map[nameKey]catalog.View
	names       map[nameKey]base.TableID
	tables      map[base.TableID]*table
	streams     map[base.StreamID]*stream
	streamNames map[nameKey]base.StreamID
	exports     map[base.ExportID]*export
	active      *generation
	generations []*generation // frozen, oldest first
	moves       moves         // remaps of all tables

	keysMu sync.Mutex
	// keys has the idempotency records by key: of running requests, and of finished requests whose
	// result is remembered. Guarded by keysMu.
	keys map[string]*claim
	// keysInOrder are the records of finished requests, in the order in which they finished.
	// Guarded by keysMu.
	keysInOrder []*claim
	// keysGone has keys that the engine has forgotten, but the catalog still has. Guarded by
	// keysMu.
	keysGone map[string]bool

	marker  marker
	garbage garbage
	orphans []string // constant after Open

	live       live         // sequence numbers of the snapshots that are held at present
	patchBytes atomic.Int64 // memory of the patches of all tables

	effort effort // durations of flushes and of the log's syncs

	// patchesShort says that a change was refused because patches had used up their memory, and
	// that none of that memory became free since.
	patchesShort atomic.Bool
}

// table is a table and its current version.
type table struct {
	id           base.TableID
	history      map[uint32]schema.Table // all versions of the schema, by number
	truncatedSeq base.Seq
	created      time.Time
	current      *version
	// patches of the rowsets in current; snapshots share the map.
	patches map[base.SourceID]*patch.Set
	// expressions are the expression updates that at least one part in current lacks, oldest first.
	// A change makes a new slice.
	expressions []*storedExpression
	moving      []*moving
	// Remaps of replaced rowsets, for changes computed from older snapshots.
	moved map[base.SourceID]moved
	pin   *semaphore.Weighted // the table lock; constant
	// pinnedSeq is the last edit before the table was locked, or 0 if it is not locked. Guarded by
	// mu.
	pinnedSeq base.Seq
	settling  *settling // dedup state; constant; nil if the table does not merge on read
	// held, if not nil, makes appends wait. The committer sets it.
	held atomic.Pointer[hold]

	stored          map[base.SourceID][]storedPatch // patches in the catalog, by part id
	storedDeletions map[base.SourceID]storedDeletions

	// Of the committer: no other goroutine uses these.
	written     []written // write sets of the latest changes, oldest first
	writtenKeys int       // total number of keys in written
	insertedSeq base.Seq  // last edit that appended rows
}

// nameKey is a qualified name in the form in which names are compared. The name of a database has
// only the first part, that of a schema the first two.
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

// stop makes the engine refuse every write from now on. Reads continue.
func (e *Engine) stop(cause error) *base.Error {
	err := base.Errorf(base.Unavailable, "stopped: %w", cause).
		WithHint("what the disk holds is unknown: check the disk, then restart")
	if e.failure.CompareAndSwap(nil, err) {
		e.log.Error("engine stopped", "error", cause)
	}
	return e.failure.Load()
}

// errUnknown returns the error of a request that failed, but that may be found applied after a
// restart.
func errUnknown(cause error) error {
	return base.Errorf(base.Unknown, "this may or may not be stored: %w", cause).
		WithHint("once the server was restarted, look whether it is there, or repeat it with the Idempotency-Key that it had; without one it may count twice")
}

// writable returns the error with which all writes fail at present, or nil.
func (e *Engine) writable() error {
	if err := e.failure.Load(); err != nil {
		return err
	}
	return nil
}

// Dir returns the data directory.
func (e *Engine) Dir() string { return e.dir }

// now returns the time in UTC, truncated to microseconds, the precision of the catalog.
func (e *Engine) now() time.Time { return e.clock.Now().UTC().Truncate(time.Microsecond) }

var errClosed = base.Errorf(base.Unavailable, "the database is closed")
