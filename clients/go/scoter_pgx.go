package scoter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DB is what generated code runs on: *pgx.Conn, pgx.Tx or *pgxpool.Pool.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

// scPgx runs statements for generated code. Values travel as the server's
// text: how they are read and written is decided by their types in the SQL.
// pgx keeps statements prepared.
type scPgx struct {
	db       DB
	observer Observer
}

// scPgxEach yields the rows of a query.
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

// scPgxBatch runs a statement once per row, all or nothing, in pipelines of a
// bounded number of rows.
func scPgxBatch[T any](ctx context.Context, rt *scPgx, name, query string, values func(T) []any, rows iter.Seq2[T, error]) (n int64, err error) {
	const pipeline = 1000
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		return n, pgx.BeginFunc(ctx, rt.db, func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			send := func() error {
				results := tx.SendBatch(ctx, batch)
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
	})
	return n, err
}

// scPgxBulk runs a bulk operation in one transaction.
func scPgxBulk[T any](ctx context.Context, rt *scPgx, b scBulk[T], rows iter.Seq2[T, error]) (n int64, err error) {
	err = scObserve(ctx, rt.observer, b.name, func() (int64, error) {
		return n, pgx.BeginFunc(ctx, rt.db, func(tx pgx.Tx) (err error) {
			if b.stage == "" {
				n, err = scPgxCopy(ctx, tx, b, rows)
				return err
			}
			if _, err := tx.Exec(ctx, b.create); err != nil {
				return err
			}
			if _, err := scPgxCopy(ctx, tx, b, rows); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, b.dedupe); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, b.apply)
			if err != nil {
				return err
			}
			n = tag.RowsAffected()
			_, err = tx.Exec(ctx, b.drop)
			return err
		})
	})
	return n, err
}

func scPgxCopy[T any](ctx context.Context, tx pgx.Tx, b scBulk[T], rows iter.Seq2[T, error]) (int64, error) {
	next, stop := iter.Pull2(rows)
	defer stop()
	tag, err := tx.Conn().PgConn().CopyFrom(ctx, &scCopy[T]{next: next, values: b.values}, b.copy)
	return tag.RowsAffected(), err
}

// scCopy is COPY's text, made as it is read.
type scCopy[T any] struct {
	next   func() (T, error, bool)
	values func(T) []any
	text   []byte
	done   bool
}

var scCopyEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// Read implements io.Reader.
func (c *scCopy[T]) Read(p []byte) (int, error) {
	for len(c.text) < len(p) && !c.done {
		row, err, ok := c.next()
		if err != nil {
			return 0, err
		}
		if c.done = !ok; c.done {
			break
		}
		for i, v := range c.values(row) {
			if i > 0 {
				c.text = append(c.text, '\t')
			}
			if text, ok := v.(string); ok {
				c.text = append(c.text, scCopyEscapes.Replace(text)...)
			} else {
				c.text = append(c.text, `\N`...)
			}
		}
		c.text = append(c.text, '\n')
	}
	n := copy(p, c.text)
	c.text = append(c.text[:0], c.text[n:]...)
	if n == 0 && c.done {
		return 0, io.EOF
	}
	return n, nil
}

// errScDryRun ends a dry run's transaction.
var errScDryRun = errors.New("dry run")

// scPgxMigrate applies the pending migrations under an advisory lock.
func scPgxMigrate(ctx context.Context, db DB, project string, all []Migration, options MigrateOptions) (ids []string, err error) {
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		for _, s := range []string{"SELECT pg_advisory_xact_lock(hashtext('_sqg_migrations'))", scCreateMigrations,
			strings.Replace(scAddChecksum, "COLUMN", "COLUMN IF NOT EXISTS", 1)} {
			if _, err := tx.Exec(ctx, s); err != nil {
				return fmt.Errorf("migration table: %w", err)
			}
		}
		applied := map[string]string{}
		recorded := func(d *scDecoder) error { applied[scGet(d, scText)] = scGet(d, scText); return d.err }
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
