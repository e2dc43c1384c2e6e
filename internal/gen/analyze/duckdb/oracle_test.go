//go:build cgo

package duckdb

import (
	"encoding/json"
	"testing"

	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestColumnsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	analyzetest.Oracle(t, ir.DuckDB, e, func(sql string) ([][]bool, error) {
		rows, err := e.db.strings("SELECT CAST(to_json([id IS NULL, a IS NULL, b IS NULL, c IS NULL, d IS NULL]) AS VARCHAR) FROM (" + sql + ") AS q(id, a, b, c, d)")
		if err != nil {
			return nil, err
		}
		var out [][]bool
		for _, r := range rows {
			var row []bool
			if err := json.Unmarshal([]byte(r), &row); err != nil {
				return nil, err
			}
			out = append(out, row)
		}
		return out, nil
	})
}
