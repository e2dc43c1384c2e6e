//go:build !cgo

package migrate

import (
	"database/sql"

	"github.com/scoterdb/scoter/internal/base"
)

func openDuckDB(string) (*sql.DB, error) {
	return nil, base.Errorf(base.Unavailable, "this build of Scoter has no DuckDB").WithHint("build with CGO_ENABLED=1")
}
