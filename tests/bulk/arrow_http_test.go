package bulk

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// arrowProgram generates the code for Scoter with a program of a language that reads results in Arrow's form.
func arrowProgram(t *testing.T, from, to string) (dir string) {
	dir = t.TempDir()
	here := filepath.Join(toolchain.Root(t), "tests", "bulk", "arrow")
	for name, as := range map[string]string{"scoter.sql": "scoter.sql", "scoter.yaml": "scoter.yaml", from: to} {
		toolchain.Copy(t, filepath.Join(here, name), filepath.Join(dir, as))
	}
	toolchain.Run(t, dir, nil, binary.Path(t), "generate")
	return dir
}

// A result that the server breaks off is an error where it is read, one that it refuses where it is asked for.
func TestReadArrowOverHTTP(t *testing.T) {
	url := binary.Serve(t, t.TempDir()).URL
	t.Run("Go", func(t *testing.T) {
		dir := arrowProgram(t, "main.go.txt", "main.go")
		mod, err := os.ReadFile(filepath.Join(toolchain.Root(t), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		toolchain.Write(t, filepath.Join(dir, "go.mod"), regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module bulktest"))
		toolchain.Copy(t, filepath.Join(toolchain.Root(t), "go.sum"), filepath.Join(dir, "go.sum"))
		got := toolchain.Run(t, dir, []string{"GOFLAGS=-mod=mod " + os.Getenv("GOFLAGS"), "GOWORK=off"}, "go", "run", ".", url)
		said(t, withoutLast(t, got), []string{"rows: 5 <nil>", "failing: true true", "refused: true "})
	})
	t.Run("TypeScript", func(t *testing.T) {
		node, packages := toolchain.Need(t, "node"), toolchain.TypeScript(t)
		dir := arrowProgram(t, "main.ts", "typescript/main.ts")
		tsconfig, err := os.ReadFile(filepath.Join(toolchain.Root(t), "tests", "gen", "runtime", "typescript", "tsconfig.json"))
		if err != nil {
			t.Fatal(err)
		}
		toolchain.Write(t, filepath.Join(dir, "tsconfig.json"), strings.ReplaceAll(string(tsconfig), `"src`, `"typescript`))
		toolchain.Copy(t, filepath.Join(packages, "package.json"), filepath.Join(dir, "package.json"))
		if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		toolchain.Run(t, dir, nil, "node_modules/.bin/tsc", "-p", ".")
		got := toolchain.Run(t, dir, nil, node, "out/main.js", url)
		said(t, withoutLast(t, got), []string{"rows: true", "broken off: true true", "failing: true", "some: true", "refused: true ",
			`half of a parameter: RangeError: a text that UTF-8 cannot hold: "\ud83d"`})
	})
	t.Run("Java", func(t *testing.T) {
		bin, jars := toolchain.Java(t)
		dir := arrowProgram(t, "Main.java", "java/Main.java")
		toolchain.Run(t, filepath.Join(dir, "java"), nil, filepath.Join(bin, "javac"), "--release", "17", "-encoding", "UTF-8", "-cp", jars+":.", "-d", filepath.Join(dir, "out"), "Main.java")
		got := toolchain.Run(t, dir, nil, filepath.Join(bin, "java"), "--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", filepath.Join(dir, "out")+":"+jars, "Main", url)
		said(t, withoutLast(t, got), []string{"rows: 5", "broken off: true true", "failing: true", "refused: true ",
			"half: insertAllKv: row 2: has half of a surrogate pair", "half of a parameter: has half of a surrogate pair"})
	})
}

var oneOfMany = regexp.MustCompile(`one of many: true (?:ScoterError: )?table default\.main\.kv: row (\d+), column "n": "12345\.67" is not exact in type DECIMAL\(6,2\) \(rows are counted from row (\d+), those before it are stored\)`)

// withoutLast returns what a program said before its last line, which tells of the last of 100,000 rows in several requests.
func withoutLast(t *testing.T, got string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(got), "\n")
	last := lines[len(lines)-1]
	if at := oneOfMany.FindStringSubmatch(last); at == nil {
		t.Errorf("%q does not tell of a row", last)
	} else {
		row, _ := strconv.Atoi(at[1])
		first, _ := strconv.Atoi(at[2])
		if first == 1 || first+row-1 != 100_000 {
			t.Errorf("%q tells of row %d", last, first+row-1)
		}
	}
	return strings.Join(lines[:len(lines)-1], "\n")
}
