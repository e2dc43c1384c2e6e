package gen

import (
	"slices"

	"github.com/scoterdb/scoter/internal/gen/analyze"
	"github.com/scoterdb/scoter/internal/gen/config"
	"github.com/scoterdb/scoter/internal/gen/diag"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/sqlfile"
)

// Migrations returns a project's name, and the migrations of its entry for the given engine. They
// are the same as in generated code. Errors in the files are added to list; the name is empty then.
// If several entries of the configuration are for the engine, file must name an SQL file of the
// intended one.
func Migrations(path string, engine ir.Engine, file string, list *diag.List) (project string, all []ir.Migration, err error) {
	defer relativeDiagnostics(path, list)
	j, err := loadJob(path, engine, file, list)
	if err != nil || j == nil {
		return "", nil, err
	}
	files, err := j.parse()
	merge(list, &j.list)
	if err != nil || files == nil {
		return "", nil, err
	}
	ids := map[string]*sqlfile.Block{}
	for _, f := range files {
		for _, b := range f.Blocks {
			if b.Kind != sqlfile.Migrate {
				continue
			}
			if first := ids[b.Name]; first != nil {
				list.Add(b.NameErrorf(diag.DuplicateName, "MIGRATE %s already exists, at %s:%d", b.Name, first.Pos().File, first.Pos().Line).
					Suggest("give every migration its own id"))
			}
			ids[b.Name] = b
		}
	}
	if list.HasErrors() {
		return "", nil, nil
	}
	return j.project.Name, analyze.Migrations(j.project.Constants(), files), nil
}

// Engines returns the engines for which the configuration at path generates code, each once. It
// ignores errors in the configuration.
func Engines(path string) []ir.Engine {
	var list diag.List
	p, err := config.Load(path, &list)
	if err != nil || p == nil {
		return nil
	}
	var out []ir.Engine
	for _, j := range jobsOf(p, nil) {
		if !slices.Contains(out, j.engine) {
			out = append(out, j.engine)
		}
	}
	return out
}
