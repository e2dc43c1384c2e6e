package harness

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// GoProgram builds a Go program in the folder dir/go, and returns the path of the built program.
// The folder may already have generated packages. files has the sources of the program in the
// folder golang. Their names end in .go.txt, so that Go does not compile them there. The program's
// module is named `bench`, and uses the same versions of drivers as this program.
func GoProgram(ctx context.Context, dir string, files fs.FS) (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", base.Errorf(base.Internal, "this program has no build information about its modules")
	}
	module := "module bench\n\ngo " + strings.TrimPrefix(info.GoVersion, "go") + "\n\nrequire (\n"
	for _, m := range info.Deps {
		module += fmt.Sprintf("\t%s %s\n", m.Path, m.Version)
	}
	root := filepath.Join(dir, "go")
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte(module+")\n"), 0o644); err != nil {
		return "", base.Errorf(base.Unavailable, "Go's program: %w", err)
	}
	sources, err := fs.Glob(files, "golang/*.go.txt")
	if err != nil {
		return "", base.Errorf(base.Internal, "Go's program: %w", err)
	}
	for _, name := range sources {
		text, err := fs.ReadFile(files, name)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, strings.TrimSuffix(filepath.Base(name), ".txt")), text, 0o644)
		}
		if err != nil {
			return "", base.Errorf(base.Unavailable, "Go's program: %w", err)
		}
	}
	return filepath.Join(root, "program"), command(ctx, root, "go", "build", "-mod=mod", "-o", "program", ".")
}
