package mutate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/schema"
)

// Defaults returns the function by which the engine learns what columns that a request
// lacks hold: one-row arrays of their storage types, by column.
func Defaults(pool *duck.Pool) func(context.Context, schema.Table, []schema.Column) (map[base.ColumnID]arrow.Array, error) {
	return func(ctx context.Context, t schema.Table, columns []schema.Column) (map[base.ColumnID]arrow.Array, error) {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer pool.Release(conn)
		values := make([]string, len(columns))
		for i, c := range columns {
			values[i] = fmt.Sprintf("CAST(CAST((%s) AS %s) AS %s)", c.Default, c.Type, c.Type.StorageSQL())
		}
		rows, err := conn.Query(ctx, "SELECT "+strings.Join(values, ", "))
		if err != nil {
			return nil, base.Wrap(err, "defaults of table %s", t.QualifiedName())
		}
		defer rows.Close()
		rec, err := rows.Next(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = base.Errorf(base.Internal, "no row")
			}
			return nil, base.Wrap(err, "defaults of table %s", t.QualifiedName())
		}
		out := make(map[base.ColumnID]arrow.Array, len(columns))
		for i, c := range columns {
			out[c.ID] = rec.Column(i)
			out[c.ID].Retain()
		}
		rec.Release()
		return out, nil
	}
}
