// Package engine is the one owner of a data directory's state: the catalog, the
// write-ahead log, the memtables, the parts, and who may still read them. It knows no SQL.
//
// One file per verb: open, append, commit, flush, ddl, snapshot, recover, gc, check. Start
// with Engine.runCommitter, through which everything goes that changes what is visible.
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

// Settings are what a user may choose. A zero field means its default.
type Settings struct {
	FlushBytes   int64         // memtables of this size together become parts; 64 MiB, at most a quarter of MemoryBytes
	FlushAge     time.Duration // rows become parts after this time at the latest; 60 s
	MemoryBytes  int64         // bound for memtables and requests in flight; 256 MiB
	MaxWait      time.Duration // how long a writer waits for memory; 5 s
	SyncInterval time.Duration // the longest that an asynchronous append stays without fsync; 100 ms
	GroupBytes   int64         // the longest group of requests written by one fsync; 32 MiB
	KeyLifetime  time.Duration // how long an idempotency key is known; 24 h
	ScrubPeriod  time.Duration // every part is verified once in this time; 30 days, negative: never

	// DisableAutomaticFlush leaves every background step to the caller: Flush flushes,
	// CollectGarbage removes files. For tests and checks.
	DisableAutomaticFlush bool
	// KeepOrphans leaves what the catalog does not list where it is: for who only looks.
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

// Clock tells the time; tests bring their own.
type Clock interface {
	Now() time.Time
	After(time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Components are what the engine stands on. A nil field means the real thing.
type Components struct {
	FS     vfs.FS
	Clock  Clock
	Logger *slog.Logger  // of background work's failures, which no caller is there to be told
	Files  *blocks.Files // of the parts; nil: the engine's own

	// PoisonMemory overwrites rows when their memory becomes free, so that tests notice
	// who still reads them.
	PoisonMemory bool

	// ReadColumns reads columns of a part for the indexes of keys; nil: the engine does, which takes some times as long as DuckDB.
	ReadColumns keys.ReadPart

	// Defaults evaluates the default expressions of some columns for so many rows, to what
	// batch.Conform takes: the engine knows no SQL. If nil, missing columns are NULL.
	Defaults func(ctx context.Context, t schema.Table, columns []schema.Column, rows int64) (map[base.ColumnID]arrow.Array, error)
	// Violation returns the number, from 0, of the first row of a table for which a condition is false, or -1. If
	// nil, the checks of tables are not looked at.
	Violation func(t schema.Table, condition string, rows arrow.RecordBatch) (int64, error)
}

// flushParallel is how many tables of a generation are written at once: sorting and
// encoding are CPU-bound, and two leave most of the machine to queries.
const flushParallel = 2

// keyShare times Settings.MemoryBytes is what indexes of parts' keys may take.
const keyShare = 4

// Engine is an open data directory. Its methods may be called concurrently.
//
// Lock order: flushing, mu; keysMu, the budget's, the queue's and the key finder's locks are leaves. The
// fields under "of the committer" are written by the committer goroutine alone, so it
// reads what it wrote without a lock.
type Engine struct {
	dir        string
	fs         vfs.FS
	clock      Clock
	log        *slog.Logger
	files      *blocks.Files
	scrubBytes atomic.Int64 // read by the scrubber
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

	failure      atomic.Pointer[base.Error] // set once: no write is taken any more
	flushFailure atomic.Pointer[base.Error] // of the last flush; nil after one succeeded
	doubt        atomic.Bool                // see apply
	refusal      atomic.Pointer[base.Error] // why writes are refused for the time being; nil: they are not
	changes      atomic.Uint64              // that Commit made

	// Of the committer: not read by others.
	wal        *wal.Writer
	unsynced   bool // frames were appended since the last sync
	spent      bool // the reserve is not there: see space.go
	readPart   keys.ReadPart
	nextTable  atomic.Uint32 // of the next table
	nextStream base.StreamID
	nextExport base.ExportID

	sources sources

	flushing *semaphore.Weighted // of 1; held by whoever flushes: generations go in order
	frozen   chan struct{}       // of size 1: there is something to flush

	partsAdded chan struct{} // of size 1: see PartsChanged

	mu          sync.RWMutex // guards what follows; written by the committer only, with mu held
	seq         base.Seq     // of the last visible edit
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
	moves       moves         // of all tables' rows

	keysMu      sync.Mutex
	keys        map[string]*claim // guarded by keysMu; those that are on their way, and those whose result stands
	keysInOrder []*claim          // guarded by keysMu; the latter, in the order in which their results came to stand
	keysGone    map[string]bool   // guarded by keysMu; those that are known no more, and that the catalog still has

	marker  marker
	garbage garbage
	orphans []string // constant once Open returned

	live       live         // snapshots that are held
	patchBytes atomic.Int64 // memory of all tables' patches

	effort effort // what background work and the log took

	patchesShort atomic.Bool // a change was refused for lack of that memory, and none became free since
}

// table is a table with its current version.
type table struct {
	id           base.TableID
	history      map[uint32]schema.Table // every version of the schema
	truncatedSeq base.Seq
	created      time.Time
	current      *version
	patches      map[base.SourceID]*patch.Set // of sources in current; snapshots share the map
	expressions  []*storedExpression          // that a part in current lacks, ascending; another slice with each change
	moving       []*moving
	moved        map[base.SourceID]moved // where rows of sources went that a change may still name
	pin          *semaphore.Weighted     // constant
	pinnedSeq    base.Seq                // guarded by mu: the last edit when the table was pinned; 0 if it is not
	settling     *settling               // constant; nil: it does not merge on read
	held         atomic.Pointer[hold]    // keeps rows that are appended out; nil: nobody does. Set in the committer

	stored          map[base.SourceID][]storedPatch // by part: what the catalog has of changes
	storedDeletions map[base.SourceID]storedDeletions

	// Of the committer.
	written     []written // the latest changes, ascending
	writtenKeys int       // that they name
	insertedSeq base.Seq  // of the last append
}

// nameKey is a qualified name in the form in which names are compared. Databases have
// only the first part, schemas the first two.
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

// stop makes the engine refuse every write from now on. Reads go on.
func (e *Engine) stop(cause error) *base.Error {
	err := base.Errorf(base.Unavailable, "stopped: %w", cause).
		WithHint("what the disk holds is unknown: check the disk, then restart")
	if e.failure.CompareAndSwap(nil, err) {
		e.log.Error("engine stopped", "error", cause)
	}
	return e.failure.Load()
}

// errUnknown is the answer to a request that may be there after a restart although it failed.
func errUnknown(cause error) error {
	return base.Errorf(base.Unknown, "this may or may not be stored: %w", cause).
		WithHint("once the server was restarted, look whether it is there, or repeat it with the Idempotency-Key that it had; without one it may count twice")
}

// writable returns the error that writes get, if any.
func (e *Engine) writable() error {
	if err := e.failure.Load(); err != nil {
		return err
	}
	return nil
}

// Dir returns the data directory.
func (e *Engine) Dir() string { return e.dir }

// now is the time as the catalog keeps it.
func (e *Engine) now() time.Time { return e.clock.Now().UTC().Truncate(time.Microsecond) }

var errClosed = base.Errorf(base.Unavailable, "the database is closed")
