//go:build cgo

package gen

import (
	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/analyze/duckdb"
)

func openDuckDB() (analyze.Engine, error) { return duckdb.Open() }

func openScoter() (analyze.Engine, error) { return duckdb.OpenScoter() }
