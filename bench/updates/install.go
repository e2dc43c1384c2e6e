package updates

import (
	"context"
	_ "embed"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// requirements is a list of Python packages with versions: the systems that Scoter is compared
// with, and the data generator.
//
//go:embed requirements.txt
var requirements []byte

// python installs the systems that Scoter is compared with into the user's cache, if they are not
// there. It returns the folder of their programs.
func python(ctx context.Context) (string, error) {
	version := fnv.New64a()
	version.Write(requirements)
	dir, err := cached(fmt.Sprintf("updates-%x", version.Sum64()))
	if err != nil {
		return "", err
	}
	bin, done := filepath.Join(dir, "bin"), filepath.Join(dir, "requirements.txt")
	if _, err := os.Stat(done); err == nil {
		return bin, nil
	}
	if err := run(ctx, "python3", "-m", "venv", dir); err != nil {
		return "", err
	}
	list := filepath.Join(dir, "wanted.txt")
	if err := os.WriteFile(list, requirements, 0o644); err != nil {
		return "", base.Errorf(base.Unavailable, "install peers: %w", err)
	}
	if err := run(ctx, filepath.Join(bin, "pip"), "install", "-q", "-r", list); err != nil {
		return "", err
	}
	if err := os.Rename(list, done); err != nil {
		return "", base.Errorf(base.Unavailable, "install peers: %w", err)
	}
	return bin, nil
}

// lineitemFile returns the path of a Parquet file with TPC-H's table lineitem at a scale factor. It
// generates the file if it does not exist.
func lineitemFile(ctx context.Context, bin string, scale int) (string, error) {
	dir, err := cached(fmt.Sprintf("tpch-%d", scale))
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "lineitem.parquet")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	work := filepath.Join(dir, "making")
	if err := run(ctx, filepath.Join(bin, "tpchgen-cli"), "parquet", "-s", fmt.Sprint(scale), "--tables=lineitem", "--output-dir="+work); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(work, "lineitem.parquet"), path); err != nil {
		return "", base.Errorf(base.Unavailable, "data: %w", err)
	}
	return path, nil
}

// cached makes a folder in the user's cache, which later runs can use too, and returns its path.
func cached(name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", base.Errorf(base.Unavailable, "cache: %w", err)
	}
	dir := filepath.Join(cache, "scoter", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", base.Errorf(base.Unavailable, "cache: %w", err)
	}
	return dir, nil
}

func run(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return base.Errorf(base.Unavailable, "%s: %w: %s", filepath.Base(name), err, lastLine(out))
	}
	return nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
