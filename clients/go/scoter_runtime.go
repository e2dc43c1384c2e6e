// Package scoter is the runtime of generated Go code. The generator writes
// the files that a target needs into the package of the generated code.
package scoter

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// ErrNoRows is the error of a method for one row if the query returns no row.
var ErrNoRows = sql.ErrNoRows

// Observer is called for every operation of generated code, for logs or metrics. It may be nil;
// operations then do no additional work.
type Observer interface {
	// Start is called before an operation. The function that it returns is called once, at the end
	// of the operation. Its arguments are the number of rows, or -1 if it is unknown, and the
	// error.
	Start(ctx context.Context, operation string) func(rows int64, err error)
}

// Migration is one change of the schema. It is run once for each database and project.
type Migration struct {
	ID         string
	Checksum   string
	Statements []string
}

// MigrateOptions are options for applying migrations.
type MigrateOptions struct {
	// DryRun means that the migrations that were not applied yet are run and then rolled back.
	DryRun bool
}

// Decimal is an exact decimal number, as the text of its digits: "-12.50".
type Decimal string

// UUID is a UUID as its 16 bytes.
type UUID [16]byte

// NewUUID returns a random UUID (version 4).
func NewUUID() UUID {
	var u UUID
	rand.Read(u[:])
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return u
}

// ParseUUID parses a UUID in the usual form with hyphens, or without hyphens.
func ParseUUID(s string) (u UUID, err error) {
	plain := strings.ReplaceAll(s, "-", "")
	if len(plain) == 2*len(u) {
		_, err = hex.Decode(u[:], []byte(plain))
	}
	if len(plain) != 2*len(u) || err != nil {
		return UUID{}, fmt.Errorf("not a UUID: %.60q", s)
	}
	return u, nil
}

// String returns the UUID in the usual form with hyphens.
func (u UUID) String() string {
	s := hex.EncodeToString(u[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// Interval is a length of time in months, days and microseconds. None of the three can be converted
// into another.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// RowsOf returns rows that are in memory as a stream of rows, which bulk operations take.
func RowsOf[T any](rows ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// scGathered returns a stream of rows. It calls the function gather, which returns the rows, when
// the stream is first read.
func scGathered[T any](gather func() ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		rows, err := gather()
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		RowsOf(rows...)(yield)
	}
}

// Appender collects rows and writes them in portions. Each portion is a transaction of its own.
// Close writes the last portion. If a portion cannot be written, the appender writes nothing more,
// and all later calls return the same error.
type Appender[T any] struct {
	write  func(context.Context, iter.Seq2[T, error]) (int64, error)
	rows   []T
	failed error
}

// scPortion is the number of rows after which an Appender writes them.
const scPortion = 20480

// Append adds rows. It writes all collected rows if there are enough of them.
func (a *Appender[T]) Append(ctx context.Context, rows ...T) error {
	a.rows = append(a.rows, rows...)
	if len(a.rows) < scPortion {
		return nil
	}
	return a.Flush(ctx)
}

// Flush writes the rows that were collected and not written yet.
func (a *Appender[T]) Flush(ctx context.Context) error {
	rows := a.rows
	a.rows = nil
	if a.failed == nil {
		_, a.failed = a.write(ctx, RowsOf(rows...))
	}
	return a.failed
}

// Close writes the rows that were collected and not written yet. It must be called at the end.
func (a *Appender[T]) Close(ctx context.Context) error { return a.Flush(ctx) }

// RowError says which row of a bulk operation cannot be written. No row of the operation is stored
// then.
type RowError struct {
	Operation string
	// Row is the number of the row, counted from 1.
	Row int64
	// Column is the name of the column whose value is invalid. It is "" if that is not known.
	Column string
	Err    error
}

func (e *RowError) Error() string {
	if e.Column != "" {
		return fmt.Sprintf("%s: row %d: column %s: %v", e.Operation, e.Row, e.Column, e.Err)
	}
	return fmt.Sprintf("%s: row %d: %v", e.Operation, e.Row, e.Err)
}

func (e *RowError) Unwrap() error { return e.Err }

var errScNull = errors.New("must not be null")

// scObserve runs an operation and reports it to the observer o. name is the operation's name.
func scObserve(ctx context.Context, o Observer, name string, run func() (int64, error)) error {
	if o == nil {
		_, err := run()
		return err
	}
	end := o.Start(ctx, name)
	n, err := run()
	if end != nil {
		if err != nil {
			n = -1
		}
		end(n, err)
	}
	return err
}

// scObserved returns a stream of rows that reports its end to the observer o, also if the caller
// stops reading early.
func scObserved[T any](ctx context.Context, o Observer, name string, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	if o == nil {
		return rows
	}
	return func(yield func(T, error) bool) {
		var n int64
		var failure error
		end := o.Start(ctx, name)
		defer func() {
			if end != nil {
				end(n, failure)
			}
		}()
		for row, err := range rows {
			if failure = err; err == nil {
				n++
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// scPending returns the migrations that were not applied yet. The map applied has the recorded
// checksum of each applied migration, or "" if none was recorded.
func scPending(project string, all []Migration, applied map[string]string) ([]Migration, error) {
	var todo []Migration
	for _, m := range all {
		sum, done := applied[m.ID]
		switch {
		case !done:
			todo = append(todo, m)
		case sum != "" && sum != m.Checksum:
			return nil, fmt.Errorf("migration %s of %s was changed after it had been applied", m.ID, project)
		}
	}
	return todo, nil
}

const (
	scCreateMigrations = "CREATE TABLE IF NOT EXISTS _sqg_migrations (project TEXT NOT NULL, migration_id TEXT NOT NULL, " +
		"applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, checksum TEXT, PRIMARY KEY (project, migration_id))"
	scAddChecksum = "ALTER TABLE _sqg_migrations ADD COLUMN checksum TEXT"
)
