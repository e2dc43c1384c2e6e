//go:build !cgo

package gen

import (
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze"
)

func openDuckDB() (analyze.Engine, error) {
	return nil, base.Errorf(base.Unavailable, "this build of Scoter has no DuckDB").WithHint("build with CGO_ENABLED=1")
}

func openScoter() (analyze.Engine, error) { return openDuckDB() }
