package bulk

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// roundTrip generates the code that reads and writes rows of every DuckDB type in a folder, and
// copies a program into it.
func roundTrip(t *testing.T, dir, program, to string, without ...string) {
	here := filepath.Join(toolchain.Root(t), "tests", "bulk", "roundtrip")
	text, err := os.ReadFile(filepath.Join(here, "every.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range without {
		if !bytes.Contains(text, []byte(part)) {
			t.Fatalf("there is no %q", part)
		}
		text = bytes.Replace(text, []byte(part), nil, 1)
	}
	toolchain.Write(t, filepath.Join(dir, "every.sql"), string(text))
	toolchain.Copy(t, filepath.Join(here, "scoter.yaml"), filepath.Join(dir, "scoter.yaml"))
	toolchain.Copy(t, filepath.Join(here, program), filepath.Join(dir, to))
	toolchain.Run(t, dir, nil, binary.Path(t), "generate")
}

const allWritten = "insert: 2500, different: 0\nupdate: 2500, different: 0\nupsert: 2500, different: 0\ndelete: 200, different: 0\n"

func TestTypeScriptWritesEveryTypeThatItReads(t *testing.T) {
	t.Parallel()
	node, dir := toolchain.Need(t, "node"), typeScriptPrograms(t)
	if got := toolchain.Run(t, dir, nil, node, "--no-warnings", "out/roundtrip/src/program.js"); got != allWritten {
		t.Error(got)
	}
}

func TestPythonWritesEveryTypeThatItReads(t *testing.T) {
	// A Python datetime has microseconds.
	t.Parallel()
	bin, dir := toolchain.Python(t), t.TempDir()
	roundTrip(t, dir, "program.py", "python/program.py", " ts_ns TIMESTAMP_NS,",
		"    ['1969-12-31 23:59:59.999999999'::TIMESTAMP_NS, '2261-12-31 23:59:59.123456789', make_timestamp_ns(i * 1000000001)][i % 3 + 1] AS ts_ns,\n",
		" moments TIMESTAMP_NS[],", "    [NULL, make_timestamp_ns(i * 1000000001)] AS moments,\n")
	checked(t, dir, "-m", "python.program")
	for _, route := range []string{"arrow", "lists"} {
		if got := toolchain.Run(t, dir, []string{"PYTHONUTF8=1"}, filepath.Join(bin, "python"), "-m", "python.program", route); got != allWritten {
			t.Errorf("route %s: %s", route, got)
		}
	}
}

func TestGoWritesEveryTypeThatItReads(t *testing.T) {
	t.Parallel()
	dir := goPrograms(t)
	for route := range goRoundTrips {
		if got := toolchain.Run(t, dir, nil, filepath.Join(dir, "bin", "roundtrip"), route); got != allWritten {
			t.Errorf("route %s: %s", route, got)
		}
	}
}

func TestJavaWritesEveryTypeThatItReads(t *testing.T) {
	t.Parallel()
	bin, jars := toolchain.Java(t)
	dir := t.TempDir()
	roundTrip(t, dir, "Program.java", "java/roundtrip/Program.java")
	sources, err := filepath.Glob(filepath.Join(dir, "java", "roundtrip", "*.java"))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	toolchain.Javac(t, dir, bin, append([]string{"--release", "17", "-encoding", "UTF-8", "-cp", jars, "-d", out}, sources...)...)
	java := []string{"-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "--enable-native-access=ALL-UNNAMED", "-cp", out + ":" + jars, "roundtrip.Program"}
	routes := []string{"APPENDER"}
	if major(t, filepath.Join(bin, "java")) >= 22 {
		routes = append(routes, "COLUMNAR", "COLUMNAR_ORDERED")
	}
	for _, route := range routes {
		if got := toolchain.Run(t, dir, nil, filepath.Join(bin, "java"), append(java, route)...); got != allWritten {
			t.Errorf("route %s: %s", route, got)
		}
	}
}
