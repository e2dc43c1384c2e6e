package statement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// Defaults returns a function that evaluates the defaults of the columns that a request lacks. The
// engine calls it. For each of the columns it returns an array of the storage type. The array has
// one row, or as many rows as requested if the default may differ for each row, such as uuid(). The
// caller releases the arrays.
func Defaults(pool *duck.Pool) func(context.Context, schema.Table, []schema.Column, int64) (map[base.ColumnID]arrow.Array, error) {
	return func(ctx context.Context, t schema.Table, columns []schema.Column, rows int64) (map[base.ColumnID]arrow.Array, error) {
		values := make([]string, len(columns))
		for i, c := range columns {
			values[i] = fmt.Sprintf("CAST(CAST((%s) AS %s) AS %s)", c.Default, c.Type, c.Type.StorageSQL())
		}
		sql := "SELECT " + strings.Join(values, ", ")
		if rows > 1 && slices.ContainsFunc(columns, callsFunction) {
			sql += fmt.Sprintf(" FROM range(%d)", rows)
		}
		rec, err := one(ctx, pool, sql)
		if err != nil {
			return nil, base.Wrap(err, "defaults of table %s", t.QualifiedName())
		}
		defer rec.Release()
		out := make(map[base.ColumnID]arrow.Array, len(columns))
		for i, c := range columns {
			out[c.ID] = rec.Column(i)
			out[c.ID].Retain()
		}
		return out, nil
	}
}

// callsFunction reports whether a column's default may differ for each row.
func callsFunction(c schema.Column) bool { return strings.Contains(c.Default, "(") }

// one runs a query and returns all its rows in one batch. The query must return at least one row.
func one(ctx context.Context, pool *duck.Pool, sql string) (arrow.RecordBatch, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer pool.Release(conn)
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var batches []arrow.RecordBatch
	defer func() { batch.ReleaseAll(batches) }()
	for {
		rec, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return batch.Concat(batches)
		}
		if err != nil {
			return nil, err
		}
		batches = append(batches, rec)
	}
}
