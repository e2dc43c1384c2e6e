package broker

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

// pom pins the versions.
//
//go:embed pom.xml
var pom []byte

// install returns the folder with Kafka's jars. At the first call Maven downloads them into the
// user's cache.
func install(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", base.Errorf(base.Unavailable, "folder for Kafka: %w", err)
	}
	version := fnv.New64a()
	version.Write(pom)
	jars := filepath.Join(cache, "scoter", fmt.Sprintf("kafka-%x", version.Sum64()))
	if _, err := os.Stat(jars); err == nil {
		return jars, nil
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", base.Errorf(base.Unavailable, "Kafka comes from Maven Central, and Maven is not installed")
	}
	if err := os.MkdirAll(filepath.Dir(jars), 0o755); err != nil {
		return "", base.Errorf(base.Unavailable, "folder for Kafka: %w", err)
	}
	// Download into a separate folder, because other processes may download at the same time. The
	// first one to finish is used.
	work, err := os.MkdirTemp(filepath.Dir(jars), "fetch-")
	if err != nil {
		return "", base.Errorf(base.Unavailable, "folder for Kafka: %w", err)
	}
	defer os.RemoveAll(work)
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), pom, 0o644); err != nil {
		return "", base.Errorf(base.Unavailable, "folder for Kafka: %w", err)
	}
	fetch := exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=jars")
	fetch.Dir = work
	if out, err := fetch.CombinedOutput(); err != nil {
		return "", base.Errorf(base.Unavailable, "fetch Kafka: %w: %s", err, out)
	}
	if err := os.Rename(filepath.Join(work, "jars"), jars); err != nil {
		if _, there := os.Stat(jars); there != nil {
			return "", base.Errorf(base.Unavailable, "folder for Kafka: %w", err)
		}
	}
	return jars, nil
}

// java returns the path of the newest Java on the machine. It must be version 17 or later.
func java(ctx context.Context) (string, error) {
	var found []string
	for _, pattern := range []string{os.Getenv("JAVA_HOME") + "/bin/java", "/usr/lib/jvm/*/bin/java", "/Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return "", base.Errorf(base.Internal, "look for Java: %w", err)
		}
		found = append(found, paths...)
	}
	if path, err := exec.LookPath("java"); err == nil {
		found = append(found, path)
	}
	best, newest := "", 16
	for _, path := range found {
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		version := 0
		if fields := strings.Fields(string(out)); err != nil || len(fields) < 2 {
			continue
		} else if _, err := fmt.Sscanf(fields[1], "%d", &version); err == nil && version > newest {
			best, newest = path, version
		}
	}
	if best == "" {
		return "", base.Errorf(base.Unavailable, "Kafka needs Java 17 or newer, and none is installed")
	}
	return best, nil
}
