// Package toolchain provides everything that tests need to compile and run generated code: the
// compilers and packages of each language, which are installed once, and a PostgreSQL server.
package toolchain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// Root returns the repository's folder.
func Root(t testing.TB) string {
	root, err := binary.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Run executes a program in a folder and returns its output. If the program fails, the test ends
// with its whole output.
func Run(t testing.TB, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	c.Stderr = &stderr
	start := time.Now()
	out, err := c.Output()
	if testing.Verbose() && c.ProcessState != nil {
		cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		t.Logf("%.1f s of CPU, %.1f s: %s %.60s", cpu.Seconds(), time.Since(start).Seconds(), filepath.Base(name), strings.Join(args, " "))
	}
	if err != nil {
		text := string(out) + stderr.String()
		if len(text) > 12000 {
			text = text[:12000] + "\n..."
		}
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
	}
	return string(out)
}

// Need returns the path of a program. The test is skipped if the program is not installed.
func Need(t testing.TB, program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

// Folder returns a folder of the repository that git ignores. Installed files in it stay from run
// to run.
func Folder(t testing.TB, parts ...string) string {
	return filepath.Join(append([]string{Root(t), ".cache", "gen"}, parts...)...)
}

// Version returns the path of a file that pins the versions of a language's packages.
func Version(t testing.TB, parts ...string) string {
	return filepath.Join(append([]string{Root(t), "tests", "toolchain", "pins"}, parts...)...)
}

// TypeScript returns the folder with node_modules.
func TypeScript(t testing.TB) string {
	npm := Need(t, "npm")
	return install(t, "typescript", "package-lock.json", func(dir string) {
		for _, name := range []string{"package.json", "package-lock.json"} {
			Copy(t, Version(t, "typescript", name), filepath.Join(dir, name))
		}
		Run(t, dir, nil, npm, "ci", "--no-audit", "--no-fund")
	})
}

// Node returns the path of a Node.js that has node:sqlite, which is in version 22 and newer. It is
// in the npm package node.
func Node(t testing.TB) string {
	return filepath.Join(TypeScript(t), "node_modules", "node", "bin", "node")
}

// Python returns the bin folder of a virtual environment.
func Python(t testing.TB) string {
	python := Need(t, "python3")
	dir := install(t, "python", "requirements.txt", func(dir string) {
		Run(t, dir, nil, python, "-m", "venv", "venv")
		Run(t, dir, nil, filepath.Join(dir, "venv", "bin", "pip"), "install", "-q", "-r", Version(t, "python", "requirements.txt"))
	})
	return filepath.Join(dir, "venv", "bin")
}

// Java returns the bin folder of the newest JDK, and a class path of all jars.
func Java(t testing.TB) (bin, jars string) {
	bin = JDK(t, 17)
	maven := Need(t, "mvn")
	dir := install(t, "java", "pom.xml", func(dir string) {
		Run(t, dir, nil, maven, "-q", "-B", "-f", Version(t, "java", "pom.xml"), "dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(dir, "jars"))
	})
	return bin, filepath.Join(dir, "jars", "*")
}

// JDK returns the bin folder of the newest JDK. The test is skipped if there is no JDK of the
// version or newer.
func JDK(t testing.TB, least int) string {
	var found []string
	for _, pattern := range []string{os.Getenv("JAVA_HOME") + "/bin/javac", "/usr/lib/jvm/*/bin/javac", "/Library/Java/JavaVirtualMachines/*/Contents/Home/bin/javac"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, paths...)
	}
	bin, newest := "", least-1
	for _, path := range found {
		if version := javaVersion(filepath.Dir(filepath.Dir(path))); version > newest {
			bin, newest = filepath.Dir(path), version
		}
	}
	if bin == "" {
		t.Skipf("no JDK of version %d or newer is installed", least)
	}
	return bin
}

// Javac runs the compiler of a JDK in a folder. A compilation is too short for the JVM's optimizing
// compiler. Without that compiler it takes half of the CPU time.
func Javac(t testing.TB, dir, bin string, args ...string) {
	t.Helper()
	Run(t, dir, nil, filepath.Join(bin, "javac"), append([]string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"}, args...)...)
}

// javaVersion returns the version of the JDK in a folder. It reads a file that each JDK has,
// because starting a JVM takes half a second.
func javaVersion(home string) (version int) {
	text, err := os.ReadFile(filepath.Join(home, "release"))
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(text), `JAVA_VERSION="`)
	if _, err := fmt.Sscanf(line, "%d", &version); err != nil {
		return 0
	}
	return version
}

// Jars returns a class path of the jars that a pom.xml needs. They are in a folder with the given
// name.
func Jars(t testing.TB, folder, pom string) string {
	maven := Need(t, "mvn")
	dir := once(t, folder, pom, func(dir string) {
		Write(t, filepath.Join(dir, "pom.xml"), pom)
		Run(t, dir, nil, maven, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars")
	})
	return filepath.Join(dir, "jars", "*")
}

// Packages returns a folder with the given name that contains the node_modules of a package.json.
func Packages(t testing.TB, folder, packages string) string {
	npm := Need(t, "npm")
	return once(t, folder, packages, func(dir string) {
		Write(t, filepath.Join(dir, "package.json"), packages)
		Run(t, dir, nil, npm, "install", "--no-audit", "--no-fund")
	})
}

// install runs do once for each content of the file that pins a language's versions. Test processes
// take turns.
func install(t testing.TB, language, version string, do func(dir string)) string {
	want, err := os.ReadFile(Version(t, language, version))
	if err != nil {
		t.Fatal(err)
	}
	return once(t, language, string(want), do)
}

// once runs do in a folder that stays, unless do was last run there for the same text.
func once(t testing.TB, folder, want string, do func(dir string)) string {
	dir := Folder(t, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(filepath.Join(dir, ".lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close() // which unlocks
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	stamp := filepath.Join(dir, ".installed")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == want {
		return dir
	}
	do(dir)
	Write(t, stamp, want)
	return dir
}

// Copy copies a file.
func Copy(t testing.TB, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	Write(t, to, string(text))
}

// Write writes a file, and creates its folder.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Empty returns an empty folder in place of an old one.
func Empty(t testing.TB, dir string) string {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
