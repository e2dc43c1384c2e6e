package bulk

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
	"github.com/scoterdb/scoter/tests/toolchain"
)

// TestReadArrowOverHTTP checks errors. If the server breaks off a result, reading it fails. If the
// server refuses it, requesting it fails.
func TestReadArrowOverHTTP(t *testing.T) {
	t.Parallel()
	url := binary.Serve(t, t.TempDir()).URL
	t.Run("Go", func(t *testing.T) {
		dir := goPrograms(t)
		said(t, withoutLast(t, toolchain.Run(t, dir, nil, filepath.Join(dir, "bin", "http"), url)), []string{"rows: 5 <nil>", "failing: true true", "refused: true "})
	})
	t.Run("TypeScript", func(t *testing.T) {
		node, dir := toolchain.Need(t, "node"), typeScriptPrograms(t)
		got := toolchain.Run(t, dir, nil, node, "out/arrow/typescript/main.js", url)
		said(t, withoutLast(t, got), []string{"rows: true", "broken off: true true", "failing: true", "some: true", "refused: true ",
			`half of a parameter: RangeError: a text that UTF-8 cannot hold: "\ud83d"`})
	})
	t.Run("Java", func(t *testing.T) {
		bin, jars := toolchain.Java(t)
		dir := t.TempDir()
		here := filepath.Join(toolchain.Root(t), "tests", "bulk", "arrow")
		for name, as := range map[string]string{"scoter.sql": "scoter.sql", "scoter.yaml": "scoter.yaml", "Main.java": "java/Main.java"} {
			toolchain.Copy(t, filepath.Join(here, name), filepath.Join(dir, as))
		}
		toolchain.Run(t, dir, nil, binary.Path(t), "generate")
		toolchain.Javac(t, filepath.Join(dir, "java"), bin, "--release", "17", "-encoding", "UTF-8", "-cp", jars+":.", "-d", filepath.Join(dir, "out"), "Main.java")
		got := toolchain.Run(t, dir, nil, filepath.Join(bin, "java"), "--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", filepath.Join(dir, "out")+":"+jars, "Main", url)
		said(t, withoutLast(t, got), []string{"rows: 5", "broken off: true true", "failing: true", "refused: true ",
			"half: insertAllKv: row 2: has half of a surrogate pair", "half of a parameter: has half of a surrogate pair"})
	})
}

var oneOfMany = regexp.MustCompile(`one of many: true (?:ScoterError: )?table default\.main\.kv: row (\d+), column "n": "12345\.67" is not exact in type DECIMAL\(6,2\) \(rows are counted from row (\d+), those before it are stored\)`)

// withoutLast returns the output of a program before its last line. That line is about the last of
// 100,000 rows in several requests.
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
