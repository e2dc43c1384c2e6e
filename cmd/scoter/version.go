package main

import (
	"fmt"
	"runtime"

	"github.com/scoterdb/scoter/internal/version"
)

type versionCommand struct{}

func (versionCommand) Run() error {
	fmt.Printf("scoter %s, DuckDB %s, %s, %s/%s\n", version.String(), version.DuckDB, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
