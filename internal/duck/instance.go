// Package duck wraps DuckDB: the instance, its connections, the sandbox, streaming Arrow results,
// and its parser. It is the only package that links DuckDB. Its API consists of Arrow batches and
// base errors. The only types of DuckDB in its API are raw handles, with which other packages
// register C functions.
package duck

/*
#cgo CFLAGS: -I${SRCDIR}/include -I${SRCDIR}/ext -DDUCKDB_STATIC_BUILD
#include <stdlib.h>
#include <duckdb.h>
*/
import "C"

import (
	"fmt"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	// The Go bindings contain DuckDB's static library for the platform. This package calls the C
	// API directly, because the hot paths (streaming chunks to Arrow, the C table functions) need
	// functions that the Go bindings do not have.
	_ "github.com/duckdb/duckdb-go-bindings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/schema"
)

// Settings are the settings of one DuckDB instance.
type Settings struct {
	// MemoryLimitBytes bounds the memory of queries in DuckDB's buffer manager. 0 means DuckDB's
	// default, 80% of RAM. Another bound holds for the memory of all instances together, including
	// memory that DuckDB does not count: 1.5 times the sum of their limits, plus a constant for
	// each instance (see memory.go).
	MemoryLimitBytes int64
	// Threads is the number of threads that execute queries; 0 means one for each core.
	Threads int
	// TempDir is the folder to which queries spill. Each database makes a folder of its own in it.
	// If it is empty, queries cannot spill.
	TempDir string
	// ReadableDirs are the folders in which SQL may read and write files. They are ignored if
	// ExternalAccess is set.
	ReadableDirs []string
	// ExternalAccess lets SQL read any file. It is for embedded use by the owner of the machine.
	ExternalAccess bool
	// TrackProgress makes Conn.Progress work. This leaves the configuration unlocked, so it is only
	// for instances that run no SQL of users.
	TrackProgress bool
	// Failed, if not nil, is called once for each database that became unusable by an internal
	// error of DuckDB. It must not call the instance.
	Failed func(cause error)
}

// Instance runs DuckDB in this process. Its catalog stays empty: in each query, relations in the
// query's text stand for the tables.
//
// After an internal error (one of DuckDB's own assertions failed) a database refuses all further
// statements. The instance then replaces it: running statements fail, the connections leave the
// pool, and new connections get another database with the same settings and extensions. Since the
// catalog is empty, nothing else is lost.
//
// A database that failed to write to TempDir is replaced as well, but its running statements
// continue. It is replaced because DuckDB (1.5.6) never frees the space of a block that it could
// not write, nor the space before it in the file. The space is freed only when the database is
// closed.
type Instance struct {
	settings Settings
	failures atomic.Int64

	mu sync.Mutex
	// current is nil after a failure, until Connect opens another database. It is guarded by mu.
	current    *database
	opened     int                 // number of databases that were opened; guarded by mu
	extensions []func(*Conn) error // functions that set up each database; guarded by mu
}

// database is one DuckDB database of an instance. After a failure the instance replaces it by
// another one.
type database struct {
	handle C.duckdb_database
	failed atomic.Bool // true after the database was replaced: see Instance
}

// Open starts an instance. Its catalog is in memory.
func Open(s Settings) (*Instance, error) {
	i := &Instance{settings: s}
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.open(); err != nil {
		return nil, err
	}
	memoryInUse.add(s.MemoryLimitBytes)
	return i, nil
}

// open opens a new database as the current one. The caller holds mu.
func (i *Instance) open() error {
	s := i.settings
	i.opened++
	options := map[string]string{
		"autoinstall_known_extensions": "false",
		"autoload_known_extensions":    "false",
	}
	if s.MemoryLimitBytes > 0 {
		options["memory_limit"] = strconv.FormatInt(s.MemoryLimitBytes, 10) + "B"
	}
	if s.Threads > 0 {
		options["threads"] = strconv.Itoa(s.Threads)
	}
	if s.TempDir != "" {
		// Each database has its own folder. In a shared folder, two databases would use each
		// other's files, and a database removes its files when it is closed.
		options["temp_directory"] = filepath.Join(s.TempDir, strconv.Itoa(i.opened))
	}
	handle, err := openDatabase(options)
	if err != nil {
		return err
	}
	db := &database{handle: handle}
	if err := i.prepare(db, s); err != nil {
		C.duckdb_close(&db.handle)
		return err
	}
	i.current = db
	return nil
}

// prepare registers extensions with a new database and configures it. The caller holds mu.
func (i *Instance) prepare(db *database, s Settings) error {
	conn, err := db.connect(nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := setUp(conn); err != nil {
		return err
	}
	for _, extend := range i.extensions {
		if err := extend(conn); err != nil {
			return err
		}
	}
	return configure(conn, s)
}

// Extend calls a function that registers something with DuckDB, such as a table function. It calls
// the function for the current database, and later for each database that replaces it.
func (i *Instance) Extend(extend func(*Conn) error) error {
	conn, err := i.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := extend(conn); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.extensions = append(i.extensions, extend)
	return nil
}

func openDatabase(options map[string]string) (C.duckdb_database, error) {
	var config C.duckdb_config
	if C.duckdb_create_config(&config) != C.DuckDBSuccess {
		return nil, base.Errorf(base.Internal, "duckdb: cannot allocate a configuration")
	}
	defer C.duckdb_destroy_config(&config)
	names := make([]string, 0, len(options))
	for name := range options {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		cname, cvalue := C.CString(name), C.CString(options[name])
		state := C.duckdb_set_config(config, cname, cvalue)
		C.free(unsafe.Pointer(cname))
		C.free(unsafe.Pointer(cvalue))
		if state != C.DuckDBSuccess {
			return nil, base.Errorf(base.Invalid, "duckdb: %s cannot be %q", name, options[name])
		}
	}
	var db C.duckdb_database
	var message *C.char
	if C.duckdb_open_ext(nil, &db, config, &message) != C.DuckDBSuccess {
		defer C.duckdb_free(unsafe.Pointer(message))
		return nil, base.Errorf(base.Internal, "open duckdb: %s", C.GoString(message))
	}
	return db, nil
}

// configure sets the settings of DuckDB for all connections, and then locks them.
func configure(conn *Conn, s Settings) error {
	statements := []string{
		"SET GLOBAL TimeZone = 'UTC'",
		// UUID, HUGEINT and similar types become Arrow extension types, without loss.
		"SET GLOBAL arrow_lossless_conversion = true",
		// A cached Parquet footer is always valid, because parts never change after they are
		// published.
		"SET GLOBAL parquet_metadata_cache = true",
		"SET GLOBAL allow_community_extensions = false",
		// Background threads return freed memory to the system soon. Without them it would be
		// returned with the next query.
		"SET GLOBAL allocator_background_threads = true",
		// Errors are in JSON, with their type, subtype, position and candidates as fields.
		"SET GLOBAL errors_as_json = true",
		// This optimizer gives wrong rows in DuckDB 1.5.6 (November 2026): it mistakes the
		// partitions of (PARTITION BY a, a) for others (#24780), and computes random() in its input
		// twice (#24302). Queries over parts lose nothing, because it never applied to their scans.
		"SET GLOBAL disabled_optimizers = 'window_self_join'",
	}
	if !s.ExternalAccess {
		// The file system for parts is listed here, so that DuckDB may use it. It opens no files
		// for statements of users; see ServeParts.
		dirs := []string{schema.QuoteString(blocks.Scheme)}
		for _, dir := range s.ReadableDirs {
			dirs = append(dirs, schema.QuoteString(strings.TrimSuffix(dir, "/")+"/"))
		}
		statements = append(statements,
			fmt.Sprintf("SET GLOBAL allowed_directories = [%s]", strings.Join(dirs, ", ")),
			"SET GLOBAL enable_external_access = false")
	}
	if !s.TrackProgress {
		statements = append(statements, "SET GLOBAL lock_configuration = true")
	}
	for _, sql := range statements {
		if err := conn.Exec(sql); err != nil {
			return base.Wrap(err, "configure duckdb")
		}
	}
	return nil
}

// Failures returns how many databases became unusable by an internal error of DuckDB.
func (i *Instance) Failures() int64 { return i.failures.Load() }

// replaceIfFailed is called after a statement has failed with the error cause. It reports whether
// the database has failed, which means that it refuses all statements. If so, and if that was not
// known yet, replaceIfFailed replaces the database.
func (i *Instance) replaceIfFailed(db *database, cause error) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if db.failed.Load() {
		return true
	}
	if isUsable(db) {
		return false
	}
	db.failed.Store(true)
	i.close()
	i.failures.Add(1)
	if i.settings.Failed != nil {
		i.settings.Failed(cause)
	}
	return true
}

// replace makes new connections use another database instead of db. Statements that run on db
// continue.
func (i *Instance) replace(db *database) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !db.failed.Swap(true) {
		i.close()
	}
}

// isUsable runs a statement, and reports whether the database accepts it.
func isUsable(db *database) bool {
	var conn C.duckdb_connection
	if C.duckdb_connect(db.handle, &conn) != C.DuckDBSuccess {
		return false
	}
	defer C.duckdb_disconnect(&conn)
	sql := C.CString("SELECT 1")
	defer C.free(unsafe.Pointer(sql))
	return C.duckdb_query(conn, sql, nil) == C.DuckDBSuccess
}

// Close closes the instance. All its connections must have been closed before.
func (i *Instance) Close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.close()
	memoryInUse.remove(i.settings.MemoryLimitBytes)
}

// close releases the current database. The database itself ends when its last connection is closed.
// The caller holds mu.
func (i *Instance) close() {
	if i.current != nil {
		C.duckdb_close(&i.current.handle)
		i.current = nil
	}
}
