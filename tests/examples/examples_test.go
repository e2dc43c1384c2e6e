// Package examples runs the programs in examples/: their generated code is
// current, and they print what they are recorded to print.
package examples

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

var update = flag.Bool("update", false, "record what the programs print")

// example is the folder of an example.
func example(t *testing.T, name string) string { return filepath.Join(root(t), "examples", name) }

// current fails when the generated code of an example is not what the
// generator writes today.
func current(t *testing.T, name string, env ...string) {
	t.Helper()
	run(t, example(t, name), env, binary.Path(t), "generate", "--check")
}

// check compares a program's output with the recorded one.
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
	run(t, root(t), nil, "go", "build", "-o", program, "./examples/go-duckdb")
	check(t, "go-duckdb", run(t, t.TempDir(), nil, program))
}

func TestTypeScript(t *testing.T) {
	names := []string{"typescript-sqlite", "typescript-duckdb"}
	for _, name := range names {
		current(t, name)
	}
	npm, node := need(t, "npm"), need(t, "node")
	dir := tools(t, "typescript", "package-lock.json", func(dir string) {
		for _, file := range []string{"package.json", "package-lock.json"} {
			copyFile(t, filepath.Join(root(t), "tests", "gen", "runtime", "typescript", file), filepath.Join(dir, file))
		}
		run(t, dir, nil, npm, "ci", "--no-audit", "--no-fund")
	})
	for _, name := range names {
		// Copied below the packages, where the compiler and Node.js find them.
		work := filepath.Join(dir, "examples", name)
		if err := os.RemoveAll(work); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(work, os.DirFS(example(t, name))); err != nil {
			t.Fatal(err)
		}
		run(t, work, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"))
		output := run(t, work, nil, node, "out/main.js", "better-sqlite3", "libsql", "turso")
		if name == "typescript-sqlite" {
			// node:sqlite is in Node.js 22 and newer; the npm package node has one.
			output += run(t, work, nil, filepath.Join(dir, "node_modules", "node", "bin", "node"), "--no-warnings", "out/main.js", "node")
		}
		check(t, name, output)
	}
}

func TestPython(t *testing.T) {
	pg := startDatabase(t)
	current(t, "python-postgres", "SCOTER_POSTGRES_URL="+pg.server.URL())
	python := need(t, "python3")
	dir := tools(t, "python", "requirements.txt", func(dir string) {
		run(t, dir, nil, python, "-m", "venv", "venv")
		run(t, dir, nil, filepath.Join(dir, "venv", "bin", "pip"), "install", "-q", "-r", filepath.Join(root(t), "tests", "gen", "runtime", "python", "requirements.txt"))
	})
	env := []string{"PYTHONDONTWRITEBYTECODE=1", "DATABASE_URL=postgresql:" + pg.create(t, "shop") + "?user=postgres"}
	check(t, "python-postgres", run(t, example(t, "python-postgres"), env, filepath.Join(dir, "venv", "bin", "python"), "main.py"))
}

func TestJava(t *testing.T) {
	pg := startDatabase(t)
	current(t, "java-duckdb")
	current(t, "java-postgres", "SCOTER_POSTGRES_URL="+pg.server.URL())
	bin := jdk(t)
	dir := tools(t, "java", "pom.xml", func(dir string) {
		run(t, dir, nil, need(t, "mvn"), "-q", "-B", "-f", filepath.Join(root(t), "tests", "gen", "runtime", "java", "pom.xml"),
			"dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(dir, "jars"))
	})
	args := []string{"--release", "17", "-encoding", "UTF-8", "-cp", filepath.Join(dir, "jars", "*"), "-d", t.TempDir()}
	for _, pattern := range []string{"java-duckdb/src/readings/*.java", "java-postgres/src/tasks/*.java"} {
		files, err := filepath.Glob(example(t, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		args = append(args, files...)
	}
	out := args[7]
	run(t, out, nil, filepath.Join(bin, "javac"), args...)
	program := func(main string, env ...string) string {
		return run(t, out, env, filepath.Join(bin, "java"), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.nio=ALL-UNNAMED",
			"-Dfile.encoding=UTF-8", "-Duser.language=en", "-cp", out+string(os.PathListSeparator)+filepath.Join(dir, "jars", "*"), main)
	}
	check(t, "java-duckdb", program("readings.Main"))
	check(t, "java-postgres", program("tasks.Main", "JDBC_URL=jdbc:postgresql:"+pg.create(t, "tasks")+"?user=postgres"))
}
