package bulk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
)

// startPython returns the command of Python's program.
func startPython(dir string) ([]string, error) {
	python, err := harness.Python(dir, filepath.Join("python", "requirements.txt"))
	return []string{python, filepath.Join("python", "main.py")}, err
}

// startGo builds Go's program, a module with the drivers of the versions that this program has.
func startGo(dir string) ([]string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, base.Errorf(base.Internal, "this program does not say of which modules it is made")
	}
	module := "module bench\n\ngo " + strings.TrimPrefix(info.GoVersion, "go") + "\n\nrequire (\n"
	for _, m := range info.Deps {
		module += fmt.Sprintf("\t%s %s\n", m.Path, m.Version)
	}
	root := filepath.Join(dir, "go")
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte(module+")\n"), 0o644); err != nil {
		return nil, base.Errorf(base.Unavailable, "Go's program: %w", err)
	}
	// They are no Go files where they are kept: there they would have to compile by themselves.
	sources, err := fs.Glob(files, "golang/*.go.txt")
	if err != nil {
		return nil, base.Errorf(base.Internal, "Go's program: %w", err)
	}
	for _, name := range sources {
		text, err := files.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, strings.TrimSuffix(filepath.Base(name), ".txt")), text, 0o644)
		}
		if err != nil {
			return nil, base.Errorf(base.Unavailable, "Go's program: %w", err)
		}
	}
	if err := harness.Build(root, "build", "-mod=mod", "-o", "program", "."); err != nil {
		return nil, err
	}
	return []string{filepath.Join(root, "program")}, nil
}
