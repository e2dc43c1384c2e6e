// Package examples runs the programs in examples/. It checks that their generated code is current,
// and that they print the recorded output.
package examples

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

var update = flag.Bool("update", false, "record what the programs print")

// example returns the folder of an example.
func example(t *testing.T, name string) string {
	return filepath.Join(toolchain.Root(t), "examples", name)
}

// current fails if the generated code of an example differs from the generator's current output.
func current(t *testing.T, name string, env ...string) {
	t.Helper()
	toolchain.Run(t, example(t, name), env, binary.Path(t), "generate", "--check")
}

// check compares the output of a program with the recorded output.
func check(t *testing.T, name, output string) {
	t.Helper()
	path := filepath.Join(example(t, name), "output.txt")
	if *update {
		if err := os.WriteFile(path, []byte(output), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if output != string(want) {
		t.Errorf("%s prints\n%s\nwant\n%s", name, output, want)
	}
}

func TestGo(t *testing.T) {
	current(t, "go-duckdb")
	program := filepath.Join(t.TempDir(), "example")
	toolchain.Run(t, toolchain.Root(t), nil, "go", "build", "-o", program, "./examples/go-duckdb")
	check(t, "go-duckdb", toolchain.Run(t, t.TempDir(), nil, program))
}

func TestTypeScript(t *testing.T) {
	names := []string{"typescript-sqlite", "typescript-duckdb"}
	for _, name := range names {
		current(t, name)
	}
	node, dir := toolchain.Need(t, "node"), toolchain.TypeScript(t)
	for _, name := range names {
		// Copy the example below the packages, where the compiler and Node.js find them.
		work := filepath.Join(dir, "examples", name)
		if err := os.RemoveAll(work); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(work, os.DirFS(example(t, name))); err != nil {
			t.Fatal(err)
		}
		toolchain.Run(t, work, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"))
		output := toolchain.Run(t, work, nil, node, "out/main.js", "better-sqlite3", "libsql", "turso")
		if name == "typescript-sqlite" {
			output += toolchain.Run(t, work, nil, toolchain.Node(t), "--no-warnings", "out/main.js", "node")
		}
		check(t, name, output)
	}
}

func TestPython(t *testing.T) {
	pg := toolchain.StartPostgres(t)
	current(t, "python-postgres", "SCOTER_POSTGRES_URL="+pg.URL())
	env := []string{"PYTHONDONTWRITEBYTECODE=1", "DATABASE_URL=postgresql:" + pg.Create(t, "shop") + "?user=postgres"}
	check(t, "python-postgres", toolchain.Run(t, example(t, "python-postgres"), env, filepath.Join(toolchain.Python(t), "python"), "main.py"))
}

func TestJava(t *testing.T) {
	pg := toolchain.StartPostgres(t)
	current(t, "java-duckdb")
	current(t, "java-postgres", "SCOTER_POSTGRES_URL="+pg.URL())
	run := java(t, example(t, "java-duckdb/src/readings/*.java"), example(t, "java-postgres/src/tasks/*.java"))
	check(t, "java-duckdb", run("readings.Main"))
	check(t, "java-postgres", run("tasks.Main", "JDBC_URL=jdbc:postgresql:"+pg.Create(t, "tasks")+"?user=postgres"))
}

// java compiles files, and returns a function that runs one of their classes and returns its
// output.
func java(t *testing.T, patterns ...string) func(main string, env ...string) string {
	bin, jars := toolchain.Java(t)
	out := t.TempDir()
	args := []string{"--release", "17", "-encoding", "UTF-8", "-cp", jars, "-d", out}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		args = append(args, files...)
	}
	toolchain.Javac(t, out, bin, args...)
	return func(main string, env ...string) string {
		return toolchain.Run(t, out, env, filepath.Join(bin, "java"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.nio=ALL-UNNAMED",
			"-Dfile.encoding=UTF-8", "-Duser.language=en", "-cp", out+string(os.PathListSeparator)+jars, main)
	}
}
