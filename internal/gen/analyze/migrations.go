package analyze

import (
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Migrations returns the MIGRATE blocks of files in order, in the form that modules have. It needs
// no engine. It is used to run migrations on an existing database.
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
