package scoter

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DB is a connection to PostgreSQL on which generated code runs: *pgx.Conn, pgx.Tx or
// *pgxpool.Pool.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

// scPgx runs the statements of generated code on PostgreSQL. Values are exchanged in the server's
// text form, which depends only on their types in the SQL. pgx keeps statements prepared.
type scPgx struct {
	db       DB
	observer Observer
	// route is the way in which bulk operations write rows. It is "" if each operation chooses a
	// way.
	route string
}

// same returns a runtime with the same settings on another connection.
func (rt *scPgx) same(db DB) *scPgx {
	return &scPgx{db: db, observer: rt.observer, route: rt.route}
}

// inside returns the connection if a transaction is open on it, and otherwise nil. That includes a
// transaction that the application began with an SQL statement.
func (rt *scPgx) inside() *pgx.Conn {
	var conn *pgx.Conn
	switch db := rt.db.(type) {
	case *pgx.Conn:
		conn = db
	case interface{ Conn() *pgx.Conn }:
		conn = db.Conn()
	}
	if conn == nil || conn.PgConn().TxStatus() == 'I' {
		return nil
	}
	return conn
}

// begin begins a transaction, or a savepoint in the transaction that is open. The caller must call
// end at the end of the work. If end gets an error, it rolls back, and otherwise it commits.
func (rt *scPgx) begin(ctx context.Context) (conn *pgx.Conn, end func(error) error, err error) {
	if conn = rt.inside(); conn == nil {
		tx, err := rt.db.Begin(ctx)
		if err != nil {
			return nil, nil, err
		}
		return tx.Conn(), func(err error) error {
			if err != nil {
				return tx.Rollback(context.WithoutCancel(ctx))
			}
			return tx.Commit(ctx)
		}, nil
	}
	if _, err := conn.Exec(ctx, "SAVEPOINT scoter"); err != nil {
		return nil, nil, err
	}
	return conn, func(err error) error {
		if err == nil {
			if _, err = conn.Exec(ctx, "RELEASE SAVEPOINT scoter"); err == nil {
				return nil
			}
		}
		scPgxBack(ctx, conn)
		return err
	}, nil
}

// scPgxBack rolls back to the savepoint. Errors of the rollback are ignored: the caller already has
// an error to return, and on a broken connection the next statement fails too.
func scPgxBack(ctx context.Context, conn *pgx.Conn) {
	conn.Exec(context.WithoutCancel(ctx), "ROLLBACK TO SAVEPOINT scoter")
	conn.Exec(context.WithoutCancel(ctx), "RELEASE SAVEPOINT scoter")
}

// errScPanicked is the result of an operation as long as it has no other result. So the transaction
// is rolled back if the operation panics.
var errScPanicked = errors.New("the operation panicked")

// transaction runs body in a transaction, or in a savepoint of the transaction that is open.
func (rt *scPgx) transaction(ctx context.Context, body func(*pgx.Conn) error) (err error) {
	conn, end, err := rt.begin(ctx)
	if err != nil {
		return err
	}
	err = errScPanicked
	defer func() {
		if ended := end(err); err == nil {
			err = ended
		}
	}()
	err = body(conn)
	return err
}

// scPgxEach runs a query and yields its rows. The function read reads one row.
func scPgxEach[T any](ctx context.Context, rt *scPgx, query string, args []any, read func(*scDecoder) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		rows, err := rt.db.Query(ctx, query, append([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)...)
		if err != nil {
			yield(zero, err)
			return
		}
		defer rows.Close()
		d := &scDecoder{}
		for rows.Next() {
			d.at, d.raw = 0, d.raw[:0]
			for _, text := range rows.RawValues() {
				if text == nil {
					d.raw = append(d.raw, nil)
				} else {
					d.raw = append(d.raw, string(text))
				}
			}
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

func scPgxAll[T any](ctx context.Context, rt *scPgx, name, query string, args []any, read func(*scDecoder) T) (all []T, err error) {
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		for row, err := range scPgxEach(ctx, rt, query, args, read) {
			if err != nil {
				return 0, err
			}
			all = append(all, row)
		}
		return int64(len(all)), nil
	})
	return all, err
}

func scPgxOne[T any](ctx context.Context, rt *scPgx, name, query string, args []any, read func(*scDecoder) T) (one T, err error) {
	found := false
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		for row, err := range scPgxEach(ctx, rt, query, args, read) {
			if err != nil {
				return 0, err
			}
			if !found {
				one, found = row, true
			}
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

// scPgxReturning runs a statement that changes rows and returns some. It yields the returned rows
// after the statement has run to its end.
func scPgxReturning[T any](ctx context.Context, rt *scPgx, name, query string, args []any, read func(*scDecoder) T) iter.Seq2[T, error] {
	return scGathered(func() ([]T, error) { return scPgxAll(ctx, rt, name, query, args, read) })
}

func scPgxStream[T any](ctx context.Context, rt *scPgx, name, query string, args []any, read func(*scDecoder) T) iter.Seq2[T, error] {
	return scObserved(ctx, rt.observer, name, scPgxEach(ctx, rt, query, args, read))
}

func scPgxExec(ctx context.Context, rt *scPgx, name, query string, args []any) (n int64, err error) {
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		tag, err := rt.db.Exec(ctx, query, args...)
		n = tag.RowsAffected()
		return n, err
	})
	return n, err
}

// scPgxBatch runs a statement once per row. Either all executions succeed, or none has an effect.
// The executions are sent in pipelines: up to a limited number of them, without waiting for the
// result of each.
func scPgxBatch[T any](ctx context.Context, rt *scPgx, name, query string, values func(T) []any, rows iter.Seq2[T, error]) (n int64, err error) {
	const pipeline = 1000
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		err := rt.transaction(ctx, func(conn *pgx.Conn) error {
			batch := &pgx.Batch{}
			send := func() error {
				results := conn.SendBatch(ctx, batch)
				for range batch.Len() {
					tag, err := results.Exec()
					if err != nil {
						return errors.Join(err, results.Close())
					}
					n += tag.RowsAffected()
				}
				batch = &pgx.Batch{}
				return results.Close()
			}
			for row, err := range rows {
				if err != nil {
					return err
				}
				if batch.Queue(query, values(row)...); batch.Len() == pipeline {
					if err := send(); err != nil {
						return err
					}
				}
			}
			return send()
		})
		return n, err
	})
	return n, err
}

// errScDryRun makes a dry run roll back its transaction.
var errScDryRun = errors.New("dry run")

// scPgxMigrate applies the migrations that were not applied yet, under an advisory lock.
func scPgxMigrate(ctx context.Context, db DB, project string, all []Migration, options MigrateOptions) (ids []string, err error) {
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		for _, s := range []string{"SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))", scCreateMigrations,
			strings.Replace(scAddChecksum, "COLUMN", "COLUMN IF NOT EXISTS", 1)} {
			if _, err := tx.Exec(ctx, s); err != nil {
				return fmt.Errorf("migration table: %w", err)
			}
		}
		applied := map[string]string{}
		recorded := func(d *scDecoder) error { applied[scGet(d, scText)] = scMay(d, scText); return d.err }
		if _, err := scPgxAll(ctx, &scPgx{db: tx}, "", "SELECT migration_id, checksum FROM _sqg_migrations WHERE project = $1", []any{project}, recorded); err != nil {
			return fmt.Errorf("migration table: %w", err)
		}
		todo, err := scPending(project, all, applied)
		if err != nil {
			return err
		}
		for _, m := range all {
			if sum, done := applied[m.ID]; done && sum == "" {
				if _, err := tx.Exec(ctx, "UPDATE _sqg_migrations SET checksum = $1 WHERE project = $2 AND migration_id = $3", m.Checksum, project, m.ID); err != nil {
					return fmt.Errorf("migration table: %w", err)
				}
			}
		}
		for _, m := range todo {
			for _, s := range m.Statements {
				if _, err := tx.Exec(ctx, s); err != nil {
					return fmt.Errorf("migration %s of %s: %w", m.ID, project, err)
				}
			}
			if _, err := tx.Exec(ctx, "INSERT INTO _sqg_migrations (project, migration_id, checksum) VALUES ($1, $2, $3)", project, m.ID, m.Checksum); err != nil {
				return fmt.Errorf("migration table: %w", err)
			}
			ids = append(ids, m.ID)
		}
		if options.DryRun {
			return errScDryRun
		}
		return nil
	})
	if errors.Is(err, errScDryRun) {
		err = nil
	}
	return ids, err
}
