// Package app builds a running database from the components of all other packages: it opens them in
// the order of their dependencies, and closes them in reverse. No other package does this.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/backup"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/blocks"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/duck/ext"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/export"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/merge"
	"github.com/scoterdb/scoter/internal/metrics"
	"github.com/scoterdb/scoter/internal/overlay"
	"github.com/scoterdb/scoter/internal/query"
	"github.com/scoterdb/scoter/internal/server"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/spill"
	"github.com/scoterdb/scoter/internal/statement"
	"github.com/scoterdb/scoter/internal/stream"
	"github.com/scoterdb/scoter/internal/system"
	"github.com/scoterdb/scoter/internal/vfs"
)

// App is an open database. It may also run the HTTP server.
type App struct {
	Engine   *engine.Engine
	Executor *session.Executor
	Queries  *system.Queries
	Sources  *stream.Manager
	Exports  *export.Manager

	settings config.Server
	memory   *ledger.Ledger
	program  int64 // see programMemory
	watch    *memoryWatch
	log      *slog.Logger
	duckdb   *duck.Instance
	pool     *duck.Pool
	merges   *merge.Scheduler
	closers  []func() error
}

// Open opens the database in the data directory of the settings. embedded says that the program
// that owns the directory runs the database in its own process. SQL may then read and write any
// file.
func Open(settings config.Server, embedded bool, log *slog.Logger) (*App, error) {
	return OpenOn(vfs.OS, settings, embedded, log)
}

// OpenOn opens a database as Open does. fsys is the file system that has the database's log, parts
// and catalog. DuckDB reads parts itself, so the files must also exist in the file system of the
// operating system.
func OpenOn(fsys vfs.FS, settings config.Server, embedded bool, log *slog.Logger) (_ *App, err error) {
	dir, err := filepath.Abs(settings.Dir)
	if err != nil {
		return nil, base.Errorf(base.Invalid, "data directory: %w", err)
	}
	settings.Dir = dir
	limits, err := settings.DivideMemory()
	if err != nil {
		return nil, err
	}
	a := &App{settings: settings, log: log, memory: ledger.New(limits), Queries: system.NewQueries()}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()

	a.watch = watchMemory(a.memory, !embedded)
	a.onClose(a.watch.stop)
	a.duckdb, err = duck.Open(duck.Settings{
		MemoryLimitBytes: limits.QueryBuffers(), Threads: settings.QueryThreads, TempDir: filepath.Join(dir, "tmp"),
		ReadableDirs: settings.ReadableDirs, ExternalAccess: embedded,
		Failed: func(cause error) { log.Error("DuckDB failed; a new instance replaces it", "error", cause) },
	})
	if err != nil {
		return nil, err
	}
	a.onClose(func() error { a.duckdb.Close(); return nil })
	if err := a.duckdb.Extend(func(conn *duck.Conn) error { return ext.ExtendPlans(conn.Raw()) }); err != nil {
		return nil, err
	}
	pool := duck.NewPool(a.duckdb, settings.MaxQueries)
	a.pool = pool
	a.onClose(func() error { pool.Close(); return nil })

	files := blocks.NewFiles(fsys, filepath.Join(dir, "parts"), log)
	relations, err := overlay.New(a.duckdb, files, a.memory.Changed, a.memory.Columns)
	if err != nil {
		return nil, err
	}
	a.onClose(func() error { duck.WithdrawParts(files); return nil })
	a.memory.OnTrim(relations.Trim)
	a.Engine, err = engine.Open(dir, engine.Settings{
		FlushBytes: int64(settings.FlushBytes), FlushAge: settings.FlushAge,
		SyncInterval: settings.SyncInterval, ScrubPeriod: cmp.Or(settings.ScrubPeriod, -1),
	}, engine.Components{FS: fsys, Files: files, Logger: log, Memory: a.memory, ReadColumns: relations.ReadColumns, Defaults: statement.Defaults(pool), Violation: relations.Violation})
	if err != nil {
		return nil, err
	}
	a.onClose(a.Engine.Close)
	stop, err := spill.Limit(a.duckdb, filepath.Join(dir, "tmp"), int64(settings.SpillSpace), log)
	if err != nil {
		return nil, err
	}
	a.onClose(stop)
	if err := a.Engine.CreateDatabase(context.Background(), settings.Database, true); err != nil {
		return nil, err
	}

	merges := merge.New(a.Engine, merge.Settings{Parallel: settings.MergeParallel, DisableAutomatic: settings.MergeParallel == 0}, merge.Components{
		Logger: log, Memory: a.memory.Work, Constants: statement.Defaults(pool), Evaluate: relations.Evaluate,
	})
	a.onClose(func() error { merges.Close(); return nil })
	a.merges = merges
	sources, err := stream.New(a.Engine, stream.Settings{Memory: a.memory.Streams, Idle: embedded}, log)
	if err != nil {
		return nil, err
	}
	a.onClose(sources.Close)
	a.Sources = sources
	exports, err := export.New(a.Engine, embedded, log)
	if err != nil {
		return nil, err
	}
	a.onClose(exports.Close)
	a.Exports = exports
	tables := system.NewTables(a.Engine, a.Queries, dir, listSettings(settings), merges.List, sources.List, exports.List, a.listMemory)
	runner := query.NewRunner(pool, a.Engine, tables, relations)
	mode, err := dml.ParseUpdateMode(settings.UpdateMode)
	if err != nil {
		return nil, err
	}
	mutator := session.NewStatements(session.StoresOf(a.Engine), runner, pool, memtable.NewPool(memtable.PoolOptions{}), sources, exports, merges, mode, log)
	a.Executor = session.New(runner, mutator)
	a.program = a.programMemory()
	sources.Start(runner, session.NewWriter(a.Executor))
	exports.Start(runner)
	return a, a.configureSources()
}

// configureSources applies the Kafka sources in the settings file. It creates a source, or changes
// an existing source to the definition in the file.
func (a *App) configureSources() error {
	for _, values := range a.settings.Sources {
		name, d, err := stream.ParseConfig(values, a.settings.Database)
		if err != nil {
			return err
		}
		if err := a.Sources.Configure(context.Background(), name, d); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) onClose(f func() error) { a.closers = append(a.closers, f) }

// Close closes the database. Rows that are only in the log stay there, and the next Open restores
// them.
func (a *App) Close() error {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(errs...)
}

// Backup writes an archive of the database as it is now; see package backup.
func (a *App) Backup(ctx context.Context, w io.Writer) error {
	image, err := a.Engine.Image(ctx)
	if err != nil {
		return err
	}
	return errors.Join(backup.Write(ctx, image, time.Now(), w), image.Close())
}

// farewell is the time in which requests may still send their error after a shutdown has ended
// them.
const farewell = 3 * time.Second

// Serve runs the HTTP server until ctx ends. Then it waits for running requests, up to
// Settings.ShutdownGrace. After that time it ends the remaining requests, and they return an error.
// If listening is not nil, Serve calls it with the server's address as soon as clients can connect.
func (a *App) Serve(ctx context.Context, listening func(address string)) error {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	requests, end := context.WithCancelCause(context.Background())
	defer end(nil)
	listener, err := listen(a.settings.Listen)
	if err != nil {
		return err
	}
	connections := limitConnections(listener, maxConnections(), a.settings.TLSCert != "")
	var running atomic.Int64
	srv := &http.Server{
		ConnState:         connections.state,
		BaseContext:       func(net.Listener) context.Context { return requests },
		Handler:           counted(a.handler(), &running),
		Protocols:         &protocols,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	srv.RegisterOnShutdown(connections.closeIdle)
	if listening != nil {
		listening(listener.Addr().String())
	}
	if err := notify("READY=1"); err != nil {
		a.log.Warn("could not notify systemd that the server is ready", "error", err)
	}
	failed := make(chan error, 1)
	go func() {
		if a.settings.TLSCert != "" {
			failed <- srv.ServeTLS(connections, a.settings.TLSCert, a.settings.TLSKey)
		} else {
			failed <- srv.Serve(connections)
		}
	}()
	select {
	case err := <-failed:
		return base.Errorf(base.Unavailable, "serve: %w", err)
	case <-ctx.Done():
	}
	if n := running.Load(); n > 0 {
		a.log.Info("stopping: waiting for requests under way; a second signal ends the process at once", "requests", n, "at_most", a.settings.ShutdownGrace)
	} else {
		a.log.Info("stopping: no requests are under way")
	}
	if err := notify("STOPPING=1"); err != nil {
		a.log.Warn("could not notify systemd that the server stops", "error", err)
	}
	if shutdown(srv, a.settings.ShutdownGrace) == nil {
		return nil
	}
	end(base.Errorf(base.Unavailable, "the server is shutting down"))
	err = base.Errorf(base.Timeout, "requests still running after %s were ended", a.settings.ShutdownGrace)
	if shutdown(srv, farewell) != nil {
		return errors.Join(err, srv.Close())
	}
	return err
}

// counted returns a handler that calls h. The counter running has the number of requests that h is
// processing.
func counted(h http.Handler, running *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Add(-1)
		h.ServeHTTP(w, r)
	})
}

// handler returns the handler of HTTP requests. It must be called only once, because it also sets
// up the counting of requests.
func (a *App) handler() http.Handler {
	measured := metrics.New(metrics.Watched{
		Store: a.Engine, Merges: a.merges.Totals, Sources: a.Sources.List, Exports: a.Exports.List, Written: a.Executor.Written,
		Running: a.Queries.Running, Waiting: a.pool.Waiting, Memory: a.listMemory, Failures: a.duckdb.Failures,
	}, a.log)
	return server.New(a.settings, a.memory, a.Engine, a.Executor, a.Queries, measured, a.duckdb.Failures, a.log).Handler()
}

// shutdown makes the server accept no more requests, and waits until the running requests have
// ended, for at most the duration grace.
func shutdown(srv *http.Server, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return srv.Shutdown(ctx)
}

// pathSettings are the settings whose values are paths on the server. The names are those in the
// settings file.
var pathSettings = []string{"dir", "tls_cert", "tls_key", "readable_dirs"}

// listSettings returns the settings as rows of scoter.settings, with secrets left out.
func listSettings(s config.Server) []system.Setting {
	var out []system.Setting
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Name != "Tokens" && f.Name != "Sources" {
			name := f.Tag.Get("toml")
			out = append(out, system.Setting{Name: name, Value: fmt.Sprint(v.Field(i).Interface()), Path: slices.Contains(pathSettings, name)})
		}
	}
	return out
}
