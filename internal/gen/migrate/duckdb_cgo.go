//go:build cgo

package migrate

import (
	"database/sql"

	_ "github.com/duckdb/duckdb-go/v2" // the driver "duckdb"
)

func openDuckDB(path string) (*sql.DB, error) { return sql.Open("duckdb", path) }
