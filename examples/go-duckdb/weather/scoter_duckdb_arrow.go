//go:build duckdb_arrow

package weather

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

var errScArrowConn = errors.New("Arrow needs a *sql.DB or *sql.Conn: use Transaction instead of a *sql.Tx")

// scArrow runs a query and returns its result as Arrow record batches. When the driver returns, the
// whole result is in DuckDB's memory. So other statements may run on the connection while the
// result is read.
func scArrow(ctx context.Context, rt *scRuntime, name, query string, args []any) (array.RecordReader, error) {
	r := &scArrowReader{}
	r.refs.Store(1)
	if rt.observer != nil {
		r.end = rt.observer.Start(ctx, name)
	}
	err := r.open(ctx, rt.db, query, args)
	if err != nil {
		r.finish(-1, err)
		return nil, err
	}
	return r, nil
}

// scArrowReader is a result as record batches, with the connection that it uses.
type scArrowReader struct {
	array.RecordReader
	conn *sql.Conn // conn is nil if the connection belongs to the application.
	end  func(rows int64, err error)
	rows int64
	refs atomic.Int64
}

func (r *scArrowReader) open(ctx context.Context, db DBTX, query string, args []any) (err error) {
	var conn scConn
	switch db := db.(type) {
	case scConn:
		conn = db
	case scPool:
		if r.conn, err = db.Conn(ctx); err != nil {
			return err
		}
		conn = r.conn
	default:
		return errScArrowConn
	}
	return conn.Raw(func(c any) error {
		values, err := scArrowValues(c, args)
		if err != nil {
			return err
		}
		a, err := duckdb.NewArrowFromConn(c.(driver.Conn))
		if err != nil {
			return err
		}
		r.RecordReader, err = a.QueryContext(ctx, query, values...)
		return err
	})
}

// scArrowValues converts the arguments of a query to the values that database/sql would pass to the
// driver c.
func scArrowValues(c any, args []any) ([]any, error) {
	checker, ok := c.(driver.NamedValueChecker)
	out := make([]any, len(args))
	for i, a := range args {
		v, err := driver.NamedValue{Ordinal: i + 1, Value: a}, driver.ErrSkip
		if ok {
			err = checker.CheckNamedValue(&v)
		}
		if errors.Is(err, driver.ErrSkip) {
			v.Value, err = driver.DefaultParameterConverter.ConvertValue(a)
		}
		if err != nil {
			return nil, err
		}
		out[i] = v.Value
	}
	return out, nil
}

func (r *scArrowReader) Next() bool {
	if !r.RecordReader.Next() {
		return false
	}
	r.rows += r.RecordBatch().NumRows()
	return true
}

func (r *scArrowReader) Retain() { r.refs.Add(1) }

func (r *scArrowReader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	err := r.Err()
	r.RecordReader.Release()
	r.finish(r.rows, err)
}

func (r *scArrowReader) finish(rows int64, err error) {
	if r.conn != nil {
		r.conn.Close()
	}
	if r.end != nil {
		r.end(rows, err)
	}
}
