package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the repository.
const root = "../.."

// repositoryFiles returns the paths of the repository's own files with one of the extensions,
// relative to the repository. It leaves out DuckDB's headers, and what was built or installed.
func repositoryFiles(t *testing.T, extensions ...string) (paths []string) {
	t.Helper()
	skipped := []string{"node_modules", "bin", "data", "target", "__pycache__"}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		hidden := path != "." && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (hidden || path == headers || slices.Contains(skipped, entry.Name())):
			return fs.SkipDir
		case entry.Type().IsRegular() && slices.Contains(extensions, filepath.Ext(path)):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
