package sqlite

import (
	"errors"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/scoterdb/scoter/internal/gen/analyze/analyzetest"
	"github.com/scoterdb/scoter/internal/gen/ir"
)

func TestColumnsSaidNeverToBeNullNeverAre(t *testing.T) {
	e := open(t).(*Engine)
	analyzetest.Oracle(t, ir.SQLite, e, func(sql string) (out [][]bool, err error) {
		s, _, err := e.conn.Prepare(sql)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		for s.Step() {
			row := make([]bool, s.ColumnCount())
			for i := range row {
				row[i] = s.ColumnType(i) == sqlite3.NULL
			}
			out = append(out, row)
		}
		return out, s.Err()
	})
}
