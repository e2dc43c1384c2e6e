package sqllogic

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestSuite runs the files below SLT_DIR, and prints the outcomes of their records. If SLT_OUT is
// set, failures are listed in that file.
func TestSuite(t *testing.T) {
	dir := os.Getenv("SLT_DIR")
	if dir == "" {
		t.Skip("SLT_DIR names no folder of test files")
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".test") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files *.test: %v", dir, err)
	}
	out := os.Stdout
	if name := os.Getenv("SLT_OUT"); name != "" {
		if out, err = os.Create(name); err != nil {
			t.Fatal(err)
		}
		defer out.Close()
	}
	counts := map[string]map[outcome]int{}
	root, scratch := filepath.Dir(dir), t.TempDir()
	s := start(t, root, scratch)
	for _, file := range files {
		report := func(line int, o outcome, sql, why string) {
			if o != skipped {
				fmt.Fprintf(out, "%s:%d %s\n    %.300s\n    %.300s\n", file, line, o, strings.Join(strings.Fields(sql), " "), why)
			}
		}
		if !runFile(t, s, root, scratch, file, counts, report) {
			s.Kill()
			s = start(t, root, scratch)
		}
	}
	fmt.Print(table(counts))
	for _, o := range []outcome{wrong, crashed} {
		for kind, n := range counts {
			if n[o] > 0 {
				t.Errorf("%s: %d %s", kind, n[o], o)
			}
		}
	}
}

// start starts a server on an empty directory, for an administrator who may read files of the
// folders.
func start(t *testing.T, folders ...string) *binary.Server {
	const token = "sct_slt"
	config := filepath.Join(t.TempDir(), "scoter.toml")
	text := fmt.Sprintf("[[token]]\nname = \"slt\"\nrole = \"admin\"\nsha256 = \"%x\"\n", sha256.Sum256([]byte(token)))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := binary.Serve(t, t.TempDir(), "--log-level", "error", "--config", config, "--readable-dirs", strings.Join(folders, ","))
	s.Token = token
	return s
}

// table returns the counts, and how many records passed. It does not consider records after a
// refusal, and records with documented refusals.
func table(counts map[string]map[outcome]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s", "statement")
	for _, o := range outcomes {
		fmt.Fprintf(&b, "%10s", o)
	}
	b.WriteString("         %\n")
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		n := counts[kind]
		fmt.Fprintf(&b, "%-12.12s", kind)
		counted := 0
		for _, o := range outcomes {
			fmt.Fprintf(&b, "%10d", n[o])
			if o != follows && o != skipped && o != known {
				counted += n[o]
			}
		}
		fmt.Fprintf(&b, "%10.1f\n", 100*float64(n[passed])/float64(max(counted, 1)))
	}
	return b.String()
}

// TestRecordsAreCounted runs a file that has a record of each outcome except a crash.
func TestRecordsAreCounted(t *testing.T) {
	counts := map[string]map[outcome]int{}
	var reported []string
	dir := t.TempDir()
	ok := runFile(t, start(t, dir), dir, dir, filepath.Join("testdata", "sample.slt"), counts, func(line int, o outcome, _, why string) {
		reported = append(reported, fmt.Sprintf("%d %s", line, o))
	})
	want := map[string]map[outcome]int{
		"SELECT":   {passed: 10, wrong: 1, follows: 1, refused: 1},
		"INSERT":   {passed: 3},
		"CREATE":   {passed: 1, refused: 1},
		"DROP":     {accepts: 1},
		"DESCRIBE": {passed: 1},
	}
	if !ok || !maps.EqualFunc(counts, want, maps.Equal[map[outcome]int, map[outcome]int]) {
		t.Errorf("counted, answering %t:\n%swant:\n%s%s", ok, table(counts), table(want), strings.Join(reported, "\n"))
	}
}
