// Package duck wraps DuckDB: the instance, its connections, the sandbox, streaming
// Arrow results, and its parser. It is the only package that links DuckDB. What it
// returns are Arrow batches and base errors; nothing of DuckDB's own types leaks
// but the raw handles that package overlay needs to register its C functions.
package duck

/*
#cgo CFLAGS: -I${SRCDIR}/include -DDUCKDB_STATIC_BUILD
#include <stdlib.h>
#include <duckdb.h>
*/
import "C"

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unsafe"

	// The bindings bring DuckDB's static library for the platform; the C API is
	// called directly because the hot paths (streaming chunks to Arrow, the C table
	// functions) need what the bindings do not expose.
	_ "github.com/duckdb/duckdb-go-bindings"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/schema"
)

// Settings of one DuckDB instance.
type Settings struct {
	// MemoryLimitBytes bounds what queries may hold; 0 leaves DuckDB's default (80% of RAM).
	MemoryLimitBytes int64
	// Threads that execute queries; 0 means one per core.
	Threads int
	// TempDir takes what does not fit into memory. Empty forbids spilling.
	TempDir string
	// ReadableDirs are the folders that SQL may read and write files in. Ignored if
	// ExternalAccess is set.
	ReadableDirs []string
	// ExternalAccess lets SQL read any file, for embedded use by the machine's owner.
	ExternalAccess bool
	// TrackProgress makes Conn.Progress work. The configuration stays open then: it is for
	// instances that run no SQL of users.
	TrackProgress bool
}

// Instance is one DuckDB in this process. Its catalog stays empty: tables are
// relations spelled out in each query.
type Instance struct {
	db            C.duckdb_database
	trackProgress bool
}

// Open starts an instance with an in-memory catalog.
func Open(s Settings) (*Instance, error) {
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
		options["temp_directory"] = s.TempDir
	}
	db, err := openDatabase(options)
	if err != nil {
		return nil, err
	}
	inst := &Instance{db: db, trackProgress: s.TrackProgress}
	if err := inst.configure(s); err != nil {
		inst.Close()
		return nil, err
	}
	return inst, nil
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

// configure sets what holds for every session, then locks it.
func (i *Instance) configure(s Settings) error {
	conn, err := i.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	statements := []string{
		"SET GLOBAL TimeZone = 'UTC'",
		// UUID, HUGEINT and the like arrive as Arrow extension types that keep them whole.
		"SET GLOBAL arrow_lossless_conversion = true",
		// Parts never change once published, so a footer read once is good for ever.
		"SET GLOBAL parquet_metadata_cache = true",
		"SET GLOBAL allow_community_extensions = false",
		// Type, subtype, position and candidates of an error, to be read and not guessed.
		"SET GLOBAL errors_as_json = true",
	}
	if !s.ExternalAccess {
		dirs := make([]string, len(s.ReadableDirs))
		for n, dir := range s.ReadableDirs {
			dirs[n] = schema.QuoteString(strings.TrimSuffix(dir, "/") + "/")
		}
		if s.TempDir != "" {
			dirs = append(dirs, schema.QuoteString(strings.TrimSuffix(s.TempDir, "/")+"/"))
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

// Close ends the instance. All its connections must be closed.
func (i *Instance) Close() { C.duckdb_close(&i.db) }
