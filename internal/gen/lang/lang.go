// Package lang generates code from modules (package ir): typed methods for the queries of SQL
// files, in Go, Java, Python and TypeScript. The generated files depend only on the module and the
// target.
package lang

import (
	"sort"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/ir"
	"github.com/scoterdb/scoter/internal/gen/lang/emit"
	"github.com/scoterdb/scoter/internal/gen/lang/golang"
	"github.com/scoterdb/scoter/internal/gen/lang/java"
	"github.com/scoterdb/scoter/internal/gen/lang/python"
	"github.com/scoterdb/scoter/internal/gen/lang/typescript"
)

// Generate returns the files of one target, sorted by path: the generated file, and the files of
// the runtime library that it uses. If two targets have the same folder, their runtime files are
// equal. The error is Invalid if no correct code can be made from the module. It is Internal if the
// module violates the rules of package ir.
func Generate(m *ir.Module, t ir.Target) ([]ir.File, error) {
	backends := map[string]func(*ir.Module, ir.Target) ([]ir.File, error){
		"go":         golang.Generate,
		"java":       java.Generate,
		"python":     python.Generate,
		"typescript": typescript.Generate,
	}
	backend, ok := backends[t.Language]
	if !ok {
		return nil, base.Errorf(base.Invalid, "unknown generator %s", t.Generator)
	}
	files, err := backend(m, t)
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	return files, err
}

// Plan returns the names that Generate gives to everything in a module. They are for programs that
// generate calls of the generated code.
func Plan(m *ir.Module, t ir.Target) (*emit.Plan, error) {
	planners := map[string]func(*ir.Module, ir.Target) (*emit.Plan, error){
		"go":         golang.Plan,
		"java":       java.Plan,
		"python":     python.Plan,
		"typescript": typescript.Plan,
	}
	planner, ok := planners[t.Language]
	if !ok {
		return nil, base.Errorf(base.Invalid, "unknown generator %s", t.Generator)
	}
	return planner(m, t)
}
