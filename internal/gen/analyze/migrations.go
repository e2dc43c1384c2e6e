package analyze

import (
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Migrations returns the MIGRATE blocks of files as migrations of package ir, in order. It needs no
// engine, because it does not analyse their SQL.
func Migrations(constants map[string]string, files []*sqlfile.File) []ir.Migration {
	r := &Result{input: Input{Constants: constants}}
	var out []ir.Migration
	for _, f := range files {
		for _, b := range f.Blocks {
			if b.Kind == sqlfile.Migrate {
				out = append(out, r.migration(b))
			}
		}
	}
	return out
}
