package postgres

import (
	"context"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestColumnsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	ctx := context.Background()
	analyzetest.Oracle(t, ir.Postgres, e, func(sql string) (out [][]bool, err error) {
		err = e.guarded(ctx, false, func() error {
			rows, err := e.conn.Query(ctx, sql)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var row []bool
				for _, v := range rows.RawValues() {
					row = append(row, v == nil)
				}
				out = append(out, row)
			}
			return rows.Err()
		})
		return out, err
	})
}
