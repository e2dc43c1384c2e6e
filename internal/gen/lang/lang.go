// Package lang turns modules into code. It is a pure function from the intermediate representation
// and a target to files.
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

// Generate returns the files of one target, sorted by path: the generated file, and the runtime
// files that it uses. Targets with the same folder return the same runtime files with equal
// content. The error is Invalid if the module cannot become correct code, and Internal if the
// module itself is broken.
func Generate(m *ir.Module, t ir.Target) ([]ir.File, error) {
	backends := map[string]func(*ir.Module, ir.Target) ([]ir.File, error){
		"go":         golang.Generate,
		"java":       java.Generate,
		"python":     python.Generate,
		"typescript": typescript.Generate,
	}
	backend, ok := backends[t.Language]
	if !ok {
		return nil, base.Errorf(base.Invalid, "there is no generator %s", t.Generator)
	}
	files, err := backend(m, t)
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	return files, err
}

// Plan returns the names that Generate gives to everything in a module. It is for programs that are
// generated on top of generated code.
func Plan(m *ir.Module, t ir.Target) (*emit.Plan, error) {
	planners := map[string]func(*ir.Module, ir.Target) (*emit.Plan, error){
		"go":         golang.Plan,
		"java":       java.Plan,
		"python":     python.Plan,
		"typescript": typescript.Plan,
	}
	planner, ok := planners[t.Language]
	if !ok {
		return nil, base.Errorf(base.Invalid, "there is no generator %s", t.Generator)
	}
	return planner(m, t)
}
