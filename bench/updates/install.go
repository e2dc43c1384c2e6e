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

// requirements lists Python packages with their versions: the systems with which Scoter is
// compared, and the generator of the data.
//
//go:embed requirements.txt
var requirements []byte

// python installs the systems with which Scoter is compared into the user's cache, unless they are
// there already. It returns the folder that has their programs.
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

// lineitemFile returns the path of a Parquet file with the table lineitem of TPC-H at a scale
// factor. It generates the file if it does not exist. bin is the folder of the generator.
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

// cached returns the path of a folder in the user's cache that later runs can use too. It makes the
// folder if it does not exist.
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
