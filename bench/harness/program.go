package harness

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/scoterdb/scoter/internal/base"
)

// Program makes a folder with the files of a benchmark, and generates code in it. files must have a
// scoter.yaml and the SQL files that it names. The caller removes the folder.
func (e *Env) Program(ctx context.Context, files fs.FS) (dir string, err error) {
	dir, err = os.MkdirTemp(e.Dir, "scoter-bench-")
	if err != nil {
		return "", base.Errorf(base.Unavailable, "temporary folder: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	if err := os.CopyFS(dir, files); err != nil {
		return "", base.Errorf(base.Unavailable, "copy the program: %w", err)
	}
	return dir, e.generate(ctx, dir)
}

// generate runs `scoter generate` in the folder dir.
func (e *Env) generate(ctx context.Context, dir string) error {
	scoter, err := e.scoter()
	if err != nil {
		return err
	}
	return command(ctx, dir, scoter, "generate")
}

// scoter returns the path of the scoter program. It returns an error if there is no such program.
func (e *Env) scoter() (string, error) {
	if e.Scoter != "" {
		return e.Scoter, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", base.Errorf(base.Internal, "this program: %w", err)
	}
	path := filepath.Join(filepath.Dir(self), "scoter")
	if _, err := os.Stat(path); err != nil {
		return "", base.Errorf(base.Unavailable, "no scoter program to measure: %w", err).WithHint("make build puts it into the folder of this program; --scoter FILE names another one")
	}
	return path, nil
}

// Command returns a command that runs a program in the folder dir. The program is killed when ctx
// ends.
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	return c
}

// Python returns the path of a Python interpreter that has certain packages. requirements is the
// name of the file in the folder dir that lists the packages.
func Python(ctx context.Context, dir, requirements string) (string, error) {
	packages, err := installed(dir, requirements, func(into string) error {
		if err := command(ctx, dir, "python3", "-m", "venv", into); err != nil {
			return err
		}
		return command(ctx, dir, filepath.Join(into, "bin", "python"), "-m", "pip", "install", "-q", "-r", requirements)
	})
	return filepath.Join(packages, "bin", "python"), err
}
