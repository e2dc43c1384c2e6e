package weather

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
)

// DBTX is a database handle on which generated code runs: *sql.DB, *sql.Conn or *sql.Tx, or a type
// that embeds one of them.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// scPool is a database handle that has many connections: *sql.DB, or a type that embeds it.
type scPool interface {
	Conn(ctx context.Context) (*sql.Conn, error)
}

// scConn is a single connection: *sql.Conn, or a type that embeds it.
type scConn interface {
	DBTX
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	Raw(f func(driverConn any) error) error
}

// scOpened is a transaction: *sql.Tx, or a type that embeds it.
type scOpened interface {
	Commit() error
	Rollback() error
}

// scMaxStatements is the maximum number of prepared statements that are cached. Most programs have
// fewer statements.
const scMaxStatements = 256

// scRuntime runs the statements of generated code through database/sql.
type scRuntime struct {
	db       DBTX
	observer Observer
	// begin is the statement that begins a transaction that will write.
	begin string
	// open says that db is a connection with an open transaction. joined says that the application
	// began this transaction.
	open, joined bool
	// route is the way in which bulk operations write rows. It is "" if each operation chooses a
	// way.
	route string
	// native converts a value from the driver to the types of generated code.
	native func(any) any

	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

func newScRuntime(db DBTX, begin string, native func(any) any) *scRuntime {
	return &scRuntime{db: db, begin: begin, native: native, statements: map[string]*sql.Stmt{}}
}

// same returns a runtime with the same settings on another connection. It has its own cache of
// prepared statements.
func (rt *scRuntime) same(db DBTX) *scRuntime {
	other := newScRuntime(db, rt.begin, rt.native)
	other.observer, other.route, other.open, other.joined = rt.observer, rt.route, rt.open, rt.joined
	return other
}

// prepare returns a prepared statement from the cache. If the cache is full, it removes another
// statement from it.
func (rt *scRuntime) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if s, ok := rt.statements[query]; ok {
		return s, nil
	}
	s, err := rt.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(rt.statements) >= scMaxStatements {
		for old, s := range rt.statements {
			delete(rt.statements, old)
			s.Close()
			break
		}
	}
	rt.statements[query] = s
	return s, nil
}

// close closes all prepared statements in the cache.
func (rt *scRuntime) close() error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	var errs []error
	for _, s := range rt.statements {
		errs = append(errs, s.Close())
	}
	clear(rt.statements)
	return errors.Join(errs...)
}

// query runs a query. On SQLite it uses a cached prepared statement, unless the argument own is
// true, which means that the query stays open while others run. On DuckDB no prepared statement is
// cached: DuckDB plans a statement once, by the statistics of that moment, and gives wrong values
// when they have changed.
func (rt *scRuntime) query(ctx context.Context, own bool, query string, args []any) (*sql.Rows, error) {
	if own || rt.begin != scBeginSQLite {
		return rt.db.QueryContext(ctx, query, args...)
	}
	s, err := rt.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// exec runs a statement that returns no rows. On SQLite it uses a cached prepared statement. On
// DuckDB none is cached; the comment of the method query gives the reason.
func (rt *scRuntime) exec(ctx context.Context, query string, args []any) (sql.Result, error) {
	if rt.begin != scBeginSQLite {
		return rt.db.ExecContext(ctx, query, args...)
	}
	s, err := rt.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// scEach runs a query and yields its rows. The function read reads one row.
func scEach[T any](ctx context.Context, rt *scRuntime, own bool, query string, args []any, read func(*scDecoder) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		rows, err := rt.query(ctx, own, query, args)
		if err != nil {
			yield(zero, err)
			return
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			yield(zero, err)
			return
		}
		d := newScDecoder(len(columns))
		defer d.free()
		for rows.Next() {
			if err := rows.Scan(d.targets...); err != nil {
				yield(zero, err)
				return
			}
			for i, v := range d.raw {
				d.raw[i] = rt.native(v)
			}
			d.at = 0
			row := read(d)
			if !yield(row, d.err) || d.err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(zero, err)
		}
	}
}

func scAll[T any](ctx context.Context, rt *scRuntime, name, query string, args []any, read func(*scDecoder) T) (all []T, err error) {
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		for row, err := range scEach(ctx, rt, false, query, args, read) {
			if err != nil {
				return 0, err
			}
			all = append(all, row)
		}
		return int64(len(all)), nil
	})
	return all, err
}

func scOne[T any](ctx context.Context, rt *scRuntime, name, query string, args []any, read func(*scDecoder) T) (one T, err error) {
	found := false
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		for row, err := range scEach(ctx, rt, false, query, args, read) {
			if err != nil {
				return 0, err
			}
			one, found = row, true
			break
		}
		if !found {
			return 0, nil
		}
		return 1, nil
	})
	if err == nil && !found {
		err = ErrNoRows
	}
	return one, err
}

// scReturning runs a statement that changes rows and returns some. It yields the returned rows
// after the statement has run to its end.
func scReturning[T any](ctx context.Context, rt *scRuntime, name, query string, args []any, read func(*scDecoder) T) iter.Seq2[T, error] {
	return scGathered(func() ([]T, error) { return scAll(ctx, rt, name, query, args, read) })
}

func scStream[T any](ctx context.Context, rt *scRuntime, name, query string, args []any, read func(*scDecoder) T) iter.Seq2[T, error] {
	return scObserved(ctx, rt.observer, name, scEach(ctx, rt, true, query, args, read))
}

func scExec(ctx context.Context, rt *scRuntime, name, query string, args []any) (n int64, err error) {
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		result, err := rt.exec(ctx, query, args)
		if err != nil {
			return 0, err
		}
		n, err = result.RowsAffected()
		return n, err
	})
	return n, err
}

// scBatch runs a statement once per row. Either all executions succeed, or none has an effect.
func scBatch[T any](ctx context.Context, rt *scRuntime, name, query string, values func(T) []any, rows iter.Seq2[T, error]) (n int64, err error) {
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		err := rt.transaction(ctx, func(tx *scRuntime) error {
			s, err := tx.prepare(ctx, query)
			if err != nil {
				return err
			}
			for row, err := range rows {
				if err != nil {
					return err
				}
				changed, err := scChanged(s.ExecContext(ctx, values(row)...))
				if err != nil {
					return err
				}
				n += changed
			}
			return nil
		})
		return n, err
	})
	return n, err
}

// scChanged returns how many rows a statement changed.
func scChanged(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// transaction runs body on one connection in a transaction. If a transaction is open on the
// connection, it runs body in that transaction (on SQLite, in a savepoint of it).
func (rt *scRuntime) transaction(ctx context.Context, body func(*scRuntime) error) error {
	return rt.transact(ctx, "COMMIT", body)
}

func (rt *scRuntime) transact(ctx context.Context, end string, body func(*scRuntime) error) (err error) {
	if _, opened := rt.db.(scOpened); opened || rt.open {
		return rt.nested(ctx, end, body)
	}
	var conn scConn
	switch db := rt.db.(type) {
	case scConn:
		conn = db
	case scPool:
		own, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer own.Close()
		conn = own
	default:
		return fmt.Errorf("a transaction needs a *sql.DB, *sql.Conn or *sql.Tx, not a %T", rt.db)
	}
	tx := rt.same(conn)
	tx.open = true
	run := func(tx *scRuntime) error {
		err := body(tx)
		if closed := tx.close(); err == nil {
			err = closed
		}
		return err
	}
	if rt.begin == scBeginDuckDB {
		inside, err := scInDuckTransaction(ctx, conn)
		if err != nil {
			return err
		}
		if inside {
			tx.joined = true
			return tx.nested(ctx, end, run)
		}
	}
	if _, err := conn.ExecContext(ctx, rt.begin); err != nil {
		// If a transaction is open, SQLite refuses to begin another one, and the open one stays as
		// it is.
		if rt.begin == scBeginSQLite && strings.Contains(err.Error(), "within a transaction") {
			return tx.nested(ctx, end, run)
		}
		return err
	}
	return scEnding(ctx, conn, end, "ROLLBACK", func() error { return run(tx) })
}

var errScDryInside = errors.New("DuckDB has no savepoints: what a dry run does in an open transaction would stay")

// nested runs body in the transaction that is open. On SQLite it sets a savepoint before that, and
// rolls back to the savepoint if body fails. DuckDB has no savepoints: an error ends the whole
// transaction.
func (rt *scRuntime) nested(ctx context.Context, end string, body func(*scRuntime) error) error {
	if rt.begin != scBeginSQLite {
		if end != "COMMIT" {
			return errScDryInside
		}
		return body(rt)
	}
	if _, err := rt.db.ExecContext(ctx, "SAVEPOINT scoter"); err != nil {
		return err
	}
	const back = "ROLLBACK TO scoter; RELEASE scoter"
	if end == "COMMIT" {
		end = "RELEASE scoter"
	} else {
		end = back
	}
	return scEnding(ctx, rt.db, end, back, func() error { return body(rt) })
}

// scEnding calls body and then runs the SQL statement in the argument end. If body fails or ctx has
// ended, it runs the statement in the argument back instead, such as a ROLLBACK.
func scEnding(ctx context.Context, db DBTX, end, back string, body func() error) (err error) {
	finish := context.WithoutCancel(ctx)
	done := false
	defer func() {
		if !done {
			if _, rollback := db.ExecContext(finish, back); rollback != nil {
				err = errors.Join(err, rollback)
			}
		}
	}()
	if err = body(); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if _, err = db.ExecContext(finish, end); err != nil {
		return err
	}
	done = true
	return nil
}

// scInDuckTransaction reports whether a transaction of DuckDB is open on a connection. It compares
// the transaction ids of two statements, which are the same only in an open transaction. (A BEGIN
// that fails would also show it, but aborts the open transaction.) The ids are those of the default
// database. If that database does not have DuckDB's own format, scInDuckTransaction returns false.
// Then a BEGIN in an open transaction fails.
func scInDuckTransaction(ctx context.Context, conn scConn) (bool, error) {
	var kind string
	err := conn.QueryRowContext(ctx, "SELECT type FROM duckdb_databases() WHERE database_name = current_database()").Scan(&kind)
	if err != nil || kind != "duckdb" {
		return false, err
	}
	var first, second uint64
	for _, id := range []*uint64{&first, &second} {
		if err := conn.QueryRowContext(ctx, "SELECT txid_current()").Scan(id); err != nil {
			return false, err
		}
	}
	return first == second, nil
}

// scMigrate applies the migrations that were not applied yet. It adds the column for checksums to a
// migration table that an older tool (SQG) has created.
func scMigrate(ctx context.Context, db DBTX, begin, project string, all []Migration, options MigrateOptions) (ids []string, err error) {
	rt := newScRuntime(db, begin, func(v any) any { return v })
	duck := begin == scBeginDuckDB
	end := "COMMIT"
	if options.DryRun {
		end = "ROLLBACK"
	}
	if duck {
		if options.DryRun {
			// DuckDB cannot undo a dry run in a transaction that is already open. This call returns
			// the error for that case, before anything is changed.
			if err := rt.transact(ctx, end, func(*scRuntime) error { return nil }); err != nil {
				return nil, err
			}
		}
		// These statements are run on their own, because DuckDB cannot alter a table and write to
		// it in one transaction.
		for _, s := range []string{scCreateMigrations, strings.Replace(scAddChecksum, "COLUMN", "COLUMN IF NOT EXISTS", 1)} {
			if _, err := db.ExecContext(ctx, s); err != nil {
				return nil, fmt.Errorf("migration table: %w", err)
			}
		}
	}
	err = rt.transact(ctx, end, func(tx *scRuntime) error {
		text := func(d *scDecoder) string { return scGet(d, scText) }
		if !duck {
			if _, err := tx.db.ExecContext(ctx, scCreateMigrations); err != nil {
				return fmt.Errorf("migration table: %w", err)
			}
			columns, err := scAll(ctx, tx, "", "SELECT name FROM pragma_table_info('_sqg_migrations') WHERE name = 'checksum'", nil, text)
			if err != nil {
				return fmt.Errorf("migration table: %w", err)
			}
			if len(columns) == 0 {
				if _, err := tx.db.ExecContext(ctx, scAddChecksum); err != nil {
					return fmt.Errorf("migration table: %w", err)
				}
			}
		}
		applied := map[string]string{}
		recorded := func(d *scDecoder) error { applied[scGet(d, scText)] = scMay(d, scText); return d.err }
		if _, err := scAll(ctx, tx, "", "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = ?", []any{project}, recorded); err != nil {
			return fmt.Errorf("migration table: %w", err)
		}
		todo, err := scPending(project, all, applied)
		if err != nil {
			return err
		}
		for _, m := range all {
			if sum, done := applied[m.ID]; done && sum == "" {
				if _, err := tx.db.ExecContext(ctx, "UPDATE _sqg_migrations SET checksum = ? WHERE project = ? AND migration_id = ?", m.Checksum, project, m.ID); err != nil {
					return fmt.Errorf("migration table: %w", err)
				}
			}
		}
		for _, m := range todo {
			for _, s := range m.Statements {
				if _, err := tx.db.ExecContext(ctx, s); err != nil {
					return fmt.Errorf("migration %s of %s: %w", m.ID, project, err)
				}
			}
			if _, err := tx.db.ExecContext(ctx, "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES (?, ?, ?)", project, m.ID, m.Checksum); err != nil {
				return fmt.Errorf("migration table: %w", err)
			}
			ids = append(ids, m.ID)
		}
		return nil
	})
	return ids, err
}

// These are the statements that begin a transaction that will write.
const (
	scBeginSQLite = "BEGIN IMMEDIATE"
	scBeginDuckDB = "BEGIN TRANSACTION"
)

// scNative returns the value v unchanged. It is for drivers that return plain values.
func scNative(v any) any { return v }
