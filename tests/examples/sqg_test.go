package examples

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// sqgProject copies the project of an SQG user to a folder and generates its code.
func sqgProject(t *testing.T, name, dir string, env ...string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("sqg", name))); err != nil {
		t.Fatal(err)
	}
	toolchain.Run(t, dir, env, binary.Path(t), "generate")
}

// sqgPrints compares the output of a project's program with the expected output.
func sqgPrints(t *testing.T, name, output string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("sqg", name, "output.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if output != string(want) {
		t.Errorf("%s prints\n%s\nwant\n%s", name, output, want)
	}
}

func TestJavaProjectsOfSQGRunAsTheyAre(t *testing.T) {
	pg := toolchain.StartPostgres(t)
	dir := t.TempDir()
	sqgProject(t, "java-duckdb", filepath.Join(dir, "java-duckdb"))
	sqgProject(t, "java-postgres", filepath.Join(dir, "java-postgres"), "SQG_POSTGRES_URL="+pg.URL())
	run := java(t, filepath.Join(dir, "java-duckdb", "src", "benchmark", "*.java"), filepath.Join(dir, "java-postgres", "src", "tasks", "*.java"))
	sqgPrints(t, "java-duckdb", run("benchmark.Main"))
	sqgPrints(t, "java-postgres", run("tasks.Main", "JDBC_URL=jdbc:postgresql:"+pg.Create(t, "sqg")+"?user=postgres"))
}

func TestTypeScriptProjectOfSQGRunsAsItIs(t *testing.T) {
	node, dir := toolchain.Need(t, "node"), toolchain.TypeScript(t)
	// Below the packages, where the compiler and Node.js find them.
	work := filepath.Join(dir, "examples", "sqg-typescript-sqlite")
	sqgProject(t, "typescript-sqlite", work)
	toolchain.Run(t, work, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"))
	sqgPrints(t, "typescript-sqlite", toolchain.Run(t, work, nil, node, "out/main.js"))
}
