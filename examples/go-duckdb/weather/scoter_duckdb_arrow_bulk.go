//go:build duckdb_arrow

package weather

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

// scArrowPortion is the number of rows that one INSERT writes. A row group of DuckDB has as many
// rows.
const scArrowPortion = 2 * scDuckPortion

// scArrowWrite runs a bulk operation in one transaction. Its rows are record batches. For an
// insert, target is the table with the columns to write. For any other operation it is "".
func scArrowWrite[T any](ctx context.Context, rt *scRuntime, b scDuckBulk[T], name, target string, rows array.RecordReader) (n int64, err error) {
	b.name = name
	err = scObserve(ctx, rt.observer, name, func() (int64, error) {
		given, err := newScArrowRows(b, rows)
		if err != nil {
			return 0, err
		}
		defer given.drop()
		w := &scDuckWriter[T]{bulk: b, batches: given}
		err = rt.transaction(ctx, func(tx *scRuntime) (err error) {
			conn, ok := tx.db.(scConn)
			if !ok {
				return errScDuckConn
			}
			if target != "" && tx != rt && !tx.joined {
				n, err = w.appendBatches(ctx, conn, target, given, scArrowPortion)
				return err
			}
			portion := scArrowPortion
			if b.dedupe != "" {
				// If preserve_insertion_order is off, rows keep their order only within a batch.
				var ordered bool
				if err := conn.QueryRowContext(ctx, "SELECT current_setting('preserve_insertion_order')").Scan(&ordered); err != nil {
					return err
				}
				if !ordered {
					portion = 1
				}
			}
			n, err = w.staged(ctx, tx, func() error {
				_, err := w.appendBatches(ctx, conn, `"`+b.stage+`"`, given, portion)
				return err
			})
			return err
		})
		return n, err
	})
	return n, err
}

// appendBatches inserts rows into a table. It registers a view on the record batches, and runs one
// INSERT from this view for each portion of the rows. Each INSERT reads only the rows of its
// portion.
func (w *scDuckWriter[T]) appendBatches(ctx context.Context, conn scConn, target string, rows *scArrowRows, portion int) (n int64, err error) {
	id := NewUUID()
	view := "_scoter_" + hex.EncodeToString(id[:])
	var release func()
	err = conn.Raw(func(c any) error {
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		release, err = a.RegisterView(rows, view)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", w.bulk.name, err)
	}
	defer release()
	defer func() {
		if _, drop := conn.ExecContext(context.WithoutCancel(ctx), "DROP VIEW "+view); err == nil {
			err = drop
		}
	}()
	for {
		if taken, err := w.gather(rows, portion); err != nil || taken == 0 {
			return n, err
		}
		result, err := conn.ExecContext(ctx, "INSERT INTO "+target+" SELECT * FROM "+view)
		if err != nil {
			return 0, w.refused(err.Error())
		}
		count, err := result.RowsAffected()
		if err != nil {
			return 0, err
		}
		n += count
	}
}

// gather reads the batches of the next portion, and returns the number of their rows. It releases
// the batches of the previous portion, but only when there is a next one. The batches of the final
// portion stay in memory, because the database may refuse a key when the operation ends, and the
// error then has to name the row.
func (w *scDuckWriter[T]) gather(rows *scArrowRows, portion int) (taken int, err error) {
	for taken < portion && rows.source.Next() {
		if taken == 0 {
			rows.drop()
		}
		batch := rows.take(rows.source.RecordBatch())
		for i, c := range w.bulk.columns {
			if at := scArrowNull(batch.Column(i)); c.required && at >= 0 {
				return 0, &RowError{w.bulk.name, w.number + int64(at) + 1, c.name, errScNull}
			}
		}
		w.number += batch.NumRows()
		taken += int(batch.NumRows())
	}
	return taken, rows.source.Err()
}

// scArrowNull returns the index of the first NULL in an array, or -1 if there is none.
func scArrowNull(a arrow.Array) int {
	for i := 0; a.NullN() > 0 && i < a.Len(); i++ {
		if a.IsNull(i) {
			return i
		}
	}
	return -1
}

// scArrowRows is what DuckDB reads record batches from: the batches of one portion at a time, with
// columns in the order of the bulk operation. When a portion has been read to its end, the batches
// of the next portion take its place.
type scArrowRows struct {
	source array.RecordReader
	schema *arrow.Schema
	// order[i] is the index of the operation's column i among the columns of source.
	order []int
	held  []arrow.RecordBatch
	next  int
}

// newScArrowRows returns a reader of record batches, the argument rows. It fails if the batches do
// not have exactly the columns of the operation.
func newScArrowRows[T any](b scDuckBulk[T], rows array.RecordReader) (*scArrowRows, error) {
	var given, wanted []string
	for _, f := range rows.Schema().Fields() {
		given = append(given, f.Name)
	}
	r := &scArrowRows{source: rows}
	var fields []arrow.Field
	for _, c := range b.columns {
		wanted = append(wanted, c.name)
		at := rows.Schema().FieldIndices(c.name)
		switch len(at) {
		case 1:
			r.order = append(r.order, at[0])
			fields = append(fields, rows.Schema().Field(at[0]))
		case 0:
			return nil, fmt.Errorf("%s: the rows have no column %s: they have %s", b.name, c.name, strings.Join(given, ", "))
		default:
			return nil, fmt.Errorf("%s: the rows have more than one column %s", b.name, c.name)
		}
	}
	for _, name := range given {
		if !slices.Contains(wanted, name) {
			return nil, fmt.Errorf("%s: there is no column %s, which the rows have, but %s", b.name, name, strings.Join(wanted, ", "))
		}
	}
	r.schema = arrow.NewSchema(fields, nil)
	return r, nil
}

// take retains a batch, so that it stays in memory until its portion ends. It returns the batch
// with the columns in the order of the operation.
func (r *scArrowRows) take(batch arrow.RecordBatch) arrow.RecordBatch {
	columns := make([]arrow.Array, len(r.order))
	for i, at := range r.order {
		columns[i] = batch.Column(at)
	}
	taken := array.NewRecordBatch(r.schema, columns, batch.NumRows())
	r.held = append(r.held, taken)
	return taken
}

func (r *scArrowRows) drop() {
	for _, b := range r.held {
		b.Release()
	}
	r.held, r.next = nil, 0
}

func (r *scArrowRows) count() (n int) {
	for _, b := range r.held {
		n += int(b.NumRows())
	}
	return n
}

func (r *scArrowRows) text(row, column int) string {
	for _, b := range r.held {
		if row >= int(b.NumRows()) {
			row -= int(b.NumRows())
			continue
		}
		a := b.Column(column)
		if t, ok := a.(*array.Timestamp); ok && a.IsValid(row) {
			return t.Value(row).ToTime(t.DataType().(*arrow.TimestampType).Unit).UTC().Format("2006-01-02 15:04:05.999999")
		}
		if a.IsNull(row) {
			return "NULL"
		}
		return a.ValueStr(row)
	}
	return ""
}

func (r *scArrowRows) Retain()                        {}
func (r *scArrowRows) Release()                       {}
func (r *scArrowRows) Schema() *arrow.Schema          { return r.schema }
func (r *scArrowRows) Record() arrow.RecordBatch      { return r.RecordBatch() }
func (r *scArrowRows) RecordBatch() arrow.RecordBatch { return r.held[r.next-1] }
func (r *scArrowRows) Err() error                     { return nil }

func (r *scArrowRows) Next() bool {
	if r.next == len(r.held) {
		return false
	}
	r.next++
	return true
}
