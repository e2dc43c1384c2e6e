// The runtime of the generated code.

package weather

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

// ErrNoRows is returned by a method for one row when there is none.
var ErrNoRows = sql.ErrNoRows

// Observer sees every operation; a nil one costs nothing.
type Observer interface {
	// Start is called before an operation. The function it returns is called
	// once at the end with the number of rows, -1 if unknown, and the error.
	Start(ctx context.Context, operation string) func(rows int64, err error)
}

// Migration is one schema change, run once per database and project.
type Migration struct {
	ID         string
	Checksum   string
	Statements []string
}

// MigrateOptions change how migrations are applied.
type MigrateOptions struct {
	// DryRun runs the pending migrations and then rolls them back.
	DryRun bool
}

// Decimal is an exact decimal number as its digits: "-12.50".
type Decimal string

// UUID is a UUID in its 16 bytes.
type UUID [16]byte

// NewUUID returns a random UUID (version 4).
func NewUUID() UUID {
	var u UUID
	rand.Read(u[:])
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return u
}

// ParseUUID reads the usual form with hyphens, or without.
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

// String is the usual form with hyphens.
func (u UUID) String() string {
	s := hex.EncodeToString(u[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// Interval is a length of time in three parts that do not convert into each
// other.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// RowsOf makes the source of a bulk operation from rows in memory.
func RowsOf[T any](rows ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// scGathered yields rows that are gathered when it is ranged over.
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

// Appender collects rows and writes them in portions of their own
// transactions. Close writes the last. One that could not write a portion writes
// nothing more: to write the next, or to close it, gives that error again.
type Appender[T any] struct {
	write  func(context.Context, iter.Seq2[T, error]) (int64, error)
	rows   []T
	failed error
}

// scPortion is how many rows an Appender collects.
const scPortion = 20480

// Append adds a row.
func (a *Appender[T]) Append(ctx context.Context, rows ...T) error {
	a.rows = append(a.rows, rows...)
	if len(a.rows) < scPortion {
		return nil
	}
	return a.Flush(ctx)
}

// Flush writes what is waiting.
func (a *Appender[T]) Flush(ctx context.Context) error {
	rows := a.rows
	a.rows = nil
	if a.failed == nil {
		_, a.failed = a.write(ctx, RowsOf(rows...))
	}
	return a.failed
}

// Close writes what is waiting.
func (a *Appender[T]) Close(ctx context.Context) error { return a.Flush(ctx) }

// RowError is a row that a bulk operation cannot write. Nothing of the operation
// stays.
type RowError struct {
	Operation string
	// Row counts from 1.
	Row int64
	// Column is the value's, "" if it is not known.
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

// scObserve runs an operation under an observer.
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

// scObserved tells an observer of a stream, which may end early.
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

// scPending returns the migrations that are not applied yet. applied has the
// recorded checksums, "" where none was recorded.
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
