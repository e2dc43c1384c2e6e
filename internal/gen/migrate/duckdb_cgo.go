//go:build cgo

package migrate

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/scoterdb/scoter/internal/gen/ir"
)

// openDuckDB opens the database file with ATTACH, because a driver's connection string is parsed as
// a URL, and not every path is a valid URL.
func openDuckDB(path string) (*sql.DB, error) {
	connector, err := duckdb.NewConnector("", func(c driver.ExecerContext) error {
		name := ir.QuoteName(DatabaseName(path))
		for _, s := range []string{"ATTACH '" + strings.ReplaceAll(path, "'", "''") + "' AS " + name, "USE " + name} {
			if _, err := c.ExecContext(context.Background(), s, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
