package statement

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/sqlquery"
)

// Run executes a prepared statement and drops its result.
func (x *Statement) Run(stmt *duck.Stmt) error {
	rows, err := stmt.Start(x.Ctx)
	if err != nil {
		return err
	}
	defer rows.Close()
	return sqlquery.Discard(x.Ctx, rows)
}

// Texts runs a query with a small result and returns its values, row by row. All of them must be
// VARCHAR and not NULL.
func Texts(ctx context.Context, conn *duck.Conn, sql string) ([][]string, error) {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]string
	for {
		rec, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for r := range int(rec.NumRows()) {
			row := make([]string, rec.NumCols())
			for c := range row {
				// The string is copied, because the array's memory belongs to DuckDB.
				row[c] = strings.Clone(rec.Column(c).ValueStr(r))
			}
			out = append(out, row)
		}
		rec.Release()
	}
}

// TextOf returns a text in a node of DuckDB's syntax tree. It is empty if the node has no such
// text.
func TextOf(node duck.Node, key string) string {
	text, _ := node[key].(string)
	return text
}
