package harness

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/scoterdb/scoter/internal/base"
)

// shared has the Java sources that the Java programs of all benchmarks use: the rows, and the code
// that measures.
//
//go:embed java
var shared embed.FS

// Java is a compiled Java program of a benchmark.
type Java struct {
	// Dir is a folder for the data of the program. Close removes it.
	Dir        string
	java, path string
}

// Result returns the path of the JSON file of a benchmark's report.
func (e *Env) Result(r *Report) string { return filepath.Join(e.Output, r.Benchmark+".json") }

// Java compiles the Java program of a benchmark with JavaProgram. files has the sources of the
// program, and a scoter.yaml with SQL files, from which code is generated. Java adds the sources
// that all programs share. version is the minimum version of Java.
func (e *Env) Java(ctx context.Context, files fs.FS, version int) (_ *Java, err error) {
	dir, err := os.MkdirTemp(e.Dir, "scoter-bench-java-")
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "temporary folder: %w", err)
	}
	j := &Java{Dir: filepath.Join(dir, "data")}
	defer func() {
		if err != nil {
			j.Close()
		}
	}()
	for _, f := range []fs.FS{shared, files} {
		if err := os.CopyFS(dir, f); err != nil {
			return nil, base.Errorf(base.Unavailable, "copy the program: %w", err)
		}
	}
	if err := os.Mkdir(j.Dir, 0o755); err != nil {
		return nil, base.Errorf(base.Unavailable, "data folder: %w", err)
	}
	if err := e.generate(ctx, dir); err != nil {
		return nil, err
	}
	j.java, j.path, err = JavaProgram(ctx, dir, version)
	return j, err
}

// JavaProgram compiles the sources in the folder java and the generated sources in src/bench, both
// below dir. It returns the path of the java command, and the class path. It downloads the
// libraries in pom.xml, unless an earlier call did so for a pom.xml with the same content. It uses
// the newest JDK on the machine, and fails if that is older than version.
func JavaProgram(ctx context.Context, dir string, version int) (java, path string, err error) {
	javac, newest := newestJDK(ctx)
	if newest < version {
		return "", "", base.Errorf(base.Unavailable, "there is no JDK of version %d or newer: set JAVA_HOME", version)
	}
	jars, err := installed(dir, "pom.xml", func(into string) error {
		return command(ctx, dir, "mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+into)
	})
	if err != nil {
		return "", "", err
	}
	var sources []string
	for _, folder := range []string{"java", filepath.Join("src", "bench")} {
		files, err := filepath.Glob(filepath.Join(dir, folder, "*.java"))
		if err != nil {
			return "", "", base.Errorf(base.Internal, "sources: %w", err)
		}
		sources = append(sources, files...)
	}
	out := filepath.Join(dir, "out")
	args := append([]string{"-encoding", "UTF-8", "-cp", filepath.Join(jars, "*"), "-d", out}, sources...)
	return filepath.Join(filepath.Dir(javac), "java"), out + string(os.PathListSeparator) + filepath.Join(jars, "*"), command(ctx, dir, javac, args...)
}

// newestJDK returns the path of the newest javac on the machine and its version. The version is 0
// if there is none.
func newestJDK(ctx context.Context) (javac string, newest int) {
	for _, pattern := range []string{os.Getenv("JAVA_HOME") + "/bin/javac", "/usr/lib/jvm/*/bin/javac", "/Library/Java/JavaVirtualMachines/*/Contents/Home/bin/javac"} {
		// The only possible error is an invalid pattern, and the pattern is valid.
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
			version := 0
			if _, scan := fmt.Sscanf(string(out), "javac %d", &version); err == nil && scan == nil && version > newest {
				javac, newest = path, version
			}
		}
	}
	return javac, newest
}

func command(ctx context.Context, dir, name string, args ...string) error {
	c := Command(ctx, dir, name, args...)
	if out, err := c.CombinedOutput(); err != nil {
		return base.Errorf(base.Unavailable, "%s: %w\n%s", filepath.Base(name), err, bytes.TrimSpace(out))
	}
	return nil
}

// Close removes the folder of the Java program and its data.
func (j *Java) Close() error { return os.RemoveAll(filepath.Dir(j.Dir)) }

// Measure runs the Java program with args and adds its measurements to the report. The program
// prints one line of JSON for each run to standard output, and its progress to standard error.
func (j *Java) Measure(ctx context.Context, r *Report, args ...string) error {
	c := exec.CommandContext(ctx, j.java, append([]string{"-cp", j.path}, args...)...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return base.Errorf(base.Internal, "java: %w", err)
	}
	if err := c.Start(); err != nil {
		return base.Errorf(base.Unavailable, "java: %w", err)
	}
	progress := NewProgress(0)
	defer progress.Close()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var line struct {
			Versions          map[string]string
			Operation, Method string
			Rows              int
			Millis, CPU       float64
			Allocated         float64
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return base.Errorf(base.Internal, "the program says %q", lines.Text())
		}
		for name, version := range line.Versions {
			r.Options[name] = version
		}
		if line.Operation == "" {
			continue
		}
		progress.Step(fmt.Sprintf("%s %d rows  %s", line.Operation, line.Rows, line.Method))
		r.Measure(line.Operation, line.Method, line.Rows, line.Millis, line.CPU, line.Allocated)
	}
	if err := c.Wait(); err != nil {
		return base.Errorf(base.Internal, "java: %w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	return nil
}
