package scoter

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/backup"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/session"
	"github.com/scoterdb/scoter/internal/vfs"
)

// DB is an open database. Its methods may be called concurrently.
type DB struct {
	app      *app.App
	database string
}

type options struct {
	settings config.Server
	log      *slog.Logger
}

// Option changes how a database is opened.
type Option func(*options)

// WithDatabase names the database in which unqualified tables are looked up; "default" if
// not given.
func WithDatabase(name string) Option { return func(o *options) { o.settings.Database = name } }

// WithMemory bounds the memory of the database, in bytes. If it is not given, the database takes at
// most 7 GiB, half of the machine's memory, and three quarters of the limit of the process's
// cgroup. Memory of the program outside of the database is not counted.
func WithMemory(bytes int64) Option {
	return func(o *options) { o.settings.Memory = config.Bytes(bytes) }
}

// WithQueryMemory bounds the memory of DuckDB's buffers for queries, in bytes. If it is not given,
// it is a share of the memory of the database.
func WithQueryMemory(bytes int64) Option {
	return func(o *options) { o.settings.QueryMemory = config.Bytes(bytes) }
}

// WithWriteMemory bounds the memory of rows that are not in a part yet, and of changes of rows, in
// bytes. If it is not given, it is a share of the memory of the database.
func WithWriteMemory(bytes int64) Option {
	return func(o *options) {
		o.settings.WriteMemory = config.Bytes(bytes)
	}
}

// WithLogger sets where failures of background work are reported; slog.Default if not given.
func WithLogger(log *slog.Logger) Option { return func(o *options) { o.log = log } }

// Open opens a data directory, or makes a new one. A directory that another process has
// open is an error of kind "conflict"; see Kind.
func Open(dir string, opts ...Option) (*DB, error) {
	o := options{settings: config.Default(), log: slog.Default()}
	o.settings.Dir = dir
	for _, opt := range opts {
		opt(&o)
	}
	a, err := app.Open(o.settings, true, o.log)
	if err != nil {
		return nil, err
	}
	return &DB{app: a, database: o.settings.Database}, nil
}

// Close closes the database. Every acknowledged row is there after the next Open.
func (db *DB) Close() error { return db.app.Close() }

// Changed counts the rows that statements changed.
type Changed struct{ Inserted, Updated, Deleted int64 }

// Exec runs one or more statements, separated by semicolons, and returns what the last
// one changed. Arguments are positional ($1, ?), or one map[string]any for named ones ($name).
func (db *DB) Exec(ctx context.Context, sql string, args ...any) (Changed, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return Changed{}, err
	}
	changed := rows.changed
	for rows.Next() {
	}
	return changed, rows.Close()
}

// Query runs statements as Exec does and returns the rows of the last one. Close the rows.
func (db *DB) Query(ctx context.Context, sql string, args ...any) (*Rows, error) {
	answer, err := db.app.Executor.Execute(ctx, session.Request{SQL: sql, Args: args, Database: db.database, Role: session.Admin})
	if err != nil {
		return nil, err
	}
	return newRows(ctx, answer), nil
}

// Append adds a batch to a table, named [[database.]schema.]table. The table is created from the
// batch if it is not there, and gains columns that it lacks. When Append returns, the rows are
// durable and visible to every query that starts then. Rows for a table with a primary key replace
// those of the same key. Returns the number of rows.
func (db *DB) Append(ctx context.Context, table string, rows arrow.RecordBatch) (int64, error) {
	name := engine.TableName{Database: db.database, Schema: engine.DefaultSchema}
	parts := strings.Split(table, ".")
	switch len(parts) {
	case 1:
		name.Name = parts[0]
	case 2:
		name.Schema, name.Name = parts[0], parts[1]
	case 3:
		name.Database, name.Schema, name.Name = parts[0], parts[1], parts[2]
	default:
		return 0, base.Errorf(base.Invalid, "invalid table name %q", table)
	}
	counts, err := db.app.Executor.Append(ctx, []engine.TableRows{{Table: name, Batches: []arrow.RecordBatch{rows}}}, engine.AppendOptions{Create: true})
	return counts.Rows(), err
}

// Backup writes all that the database holds at this moment to w, as a tar archive that Restore, or
// scoter restore, makes a data directory of. Reading and writing go on meanwhile. After an error
// what was written is no backup, and Restore knows.
func (db *DB) Backup(ctx context.Context, w io.Writer) error {
	return db.app.Backup(ctx, w)
}

// Restore makes a data directory of what Backup wrote, at a path where nothing is, or an empty
// folder. After an error nothing of it is left.
func Restore(ctx context.Context, r io.Reader, dir string) error {
	return backup.Restore(ctx, vfs.OS, r, dir)
}

// Kind returns what can be done about an error, in one word: invalid, not_found, conflict,
// too_large, unavailable, storage_full, canceled, timeout, corrupt, forbidden or internal.
func Kind(err error) string { return base.KindOf(err).String() }
