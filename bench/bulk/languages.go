package bulk

import (
	"context"
	"path/filepath"

	"github.com/scoterdb/scoter/bench/harness"
)

// startPython prepares the Python program, and returns its command line.
func startPython(ctx context.Context, dir string) ([]string, error) {
	python, err := harness.Python(ctx, dir, filepath.Join("python", "requirements.txt"))
	return []string{python, filepath.Join("python", "main.py")}, err
}

// startGo builds the Go program, and returns its command line.
func startGo(ctx context.Context, dir string) ([]string, error) {
	program, err := harness.GoProgram(ctx, dir, files)
	return []string{program}, err
}

// startTypeScript compiles the TypeScript program, and returns its command line.
func startTypeScript(ctx context.Context, dir string) ([]string, error) {
	return append(harness.Node(dir, false), filepath.Join("out", "main.js")), harness.TypeScript(ctx, dir)
}
