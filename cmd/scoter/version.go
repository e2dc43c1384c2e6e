package main

import (
	"fmt"
	"runtime"

	"github.com/scoterdb/scoter/internal/version"
)

type versionCommand struct{}

func (versionCommand) Run() error {
	fmt.Printf("scoter %s, DuckDB 1.5.5, %s, %s/%s\n", version.String(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
