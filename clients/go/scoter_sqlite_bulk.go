package scoter

import (
	"context"
	"database/sql"
	"iter"
	"strings"
)

// scBulk describes a bulk operation on a table of SQLite.
type scBulk[T any] struct {
	name string
	// row is the statement that writes one row. size is the number of its values.
	row    string
	values func(T) []any
	size   int
	// The two texts are parts of a statement that writes many rows: before is in front of the
	// placeholders of the rows, and behind follows them. before is "" if there is no such
	// statement.
	before, behind string
}

// scManyValues is the number of values that a statement for many rows has. With one row per
// statement, an operation takes 1.5 times as long, mostly for the calls. More values gain nothing.
const scManyValues = 1000

// scBulkRows runs a bulk operation, and returns the number of changed rows. Either all rows are
// written, or none.
func scBulkRows[T any](ctx context.Context, rt *scRuntime, b scBulk[T], rows iter.Seq2[T, error]) (n int64, err error) {
	err = scObserve(ctx, rt.observer, b.name, func() (int64, error) {
		err := rt.transaction(ctx, func(tx *scRuntime) error {
			w := scRowWriter{db: tx.db, name: b.name, size: b.size, most: 1}
			var err error
			if w.one, err = tx.prepare(ctx, b.row); err != nil {
				return err
			}
			if b.before != "" && scManyValues >= 2*b.size {
				w.most = scManyValues / b.size
				marks := "(" + strings.Repeat("?, ", b.size-1) + "?)"
				if w.many, err = tx.prepare(ctx, b.before+strings.Repeat(marks+", ", w.most-1)+marks+b.behind); err != nil {
					return err
				}
			}
			for row, err := range rows {
				if err != nil {
					return err
				}
				if err := w.add(ctx, b.values(row)); err != nil {
					return err
				}
			}
			err = w.each(ctx)
			n = w.changed
			return err
		})
		return n, err
	})
	return n, err
}

// scRowWriter writes rows to SQLite, with one row per statement or many.
type scRowWriter struct {
	db         DBTX
	name       string
	one, many  *sql.Stmt
	size, most int
	waiting    []any // waiting has the values of the rows that are not written yet.
	// written is the number of rows written so far, and changed the number of rows that these
	// changed in the table.
	written, changed int64
}

func (w *scRowWriter) add(ctx context.Context, values []any) error {
	if w.most == 1 {
		return w.write(ctx, values)
	}
	w.waiting = append(w.waiting, values...)
	if len(w.waiting) < w.most*w.size {
		return nil
	}
	if _, err := w.db.ExecContext(ctx, "SAVEPOINT scoter_rows"); err != nil {
		return err
	}
	changed, err := scChanged(w.many.ExecContext(ctx, w.waiting...))
	if err != nil {
		// After the rollback to the savepoint, the rows are written one by one, to find out which
		// one is invalid. If SQLite has ended the transaction, the savepoint does not exist any
		// more. Then the rows are not written one by one, because they would stay stored.
		if _, gone := w.db.ExecContext(context.WithoutCancel(ctx), "ROLLBACK TO scoter_rows; RELEASE scoter_rows"); gone != nil {
			return err
		}
		return w.each(ctx)
	}
	if _, err := w.db.ExecContext(ctx, "RELEASE scoter_rows"); err != nil {
		return err
	}
	w.written += int64(w.most)
	w.changed += changed
	w.waiting = w.waiting[:0]
	return nil
}

// each writes the collected rows, with one statement per row.
func (w *scRowWriter) each(ctx context.Context) error {
	for at := 0; at < len(w.waiting); at += w.size {
		if err := w.write(ctx, w.waiting[at:at+w.size]); err != nil {
			return err
		}
	}
	w.waiting = w.waiting[:0]
	return nil
}

// write writes one row.
func (w *scRowWriter) write(ctx context.Context, values []any) error {
	w.written++
	changed, err := scChanged(w.one.ExecContext(ctx, values...))
	if err != nil {
		return &RowError{Operation: w.name, Row: w.written, Err: err}
	}
	w.changed += changed
	return nil
}
