package examples

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// scoter runs the program and returns its exit code and its output.
func scoter(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := exec.Command(binary.Path(t), args...)
	c.Dir = dir
	var out, err bytes.Buffer
	c.Stdout, c.Stderr = &out, &err
	var exit *exec.ExitError
	if e := c.Run(); errors.As(e, &exit) {
		code = exit.ExitCode()
	} else if e != nil {
		t.Fatal(e)
	}
	return code, out.String(), err.String()
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatal(path, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAProjectFromItsStartToALiveDatabase(t *testing.T) {
	dir := t.TempDir()
	queries := filepath.Join(dir, "queries.sql")
	step := func(want int, say string, args ...string) string {
		t.Helper()
		code, out, err := scoter(t, dir, args...)
		if code != want || !strings.Contains(out+err, say) {
			t.Errorf("scoter %s: exit %d, want %d and %q\n%s%s", strings.Join(args, " "), code, want, say, out, err)
		}
		return out
	}
	step(66, "scoter init", "generate")
	step(0, "queries.sql", "init", "-g", "python/sqlite")
	step(75, "already exists", "init")
	step(1, "new     generated/queries.py", "generate", "--check")
	step(0, "written", "generate")
	step(0, "", "generate", "--check")
	step(0, "def rename_user(self, name: str, id: int)", "generate", "--generator", "python/sqlite", "--file", "queries.sql")
	step(0, "package db", "generate", "--generator", "go/sqlite", "--file", "queries.sql")
	step(64, "--file queries.sql", "generate", "--generator", "go/sqlite")
	step(64, "--file needs --generator", "generate", "--file", "queries.sql")
	step(66, "none.sql", "generate", "--generator", "go/sqlite", "--file", "none.sql")
	step(64, "reads no configuration", "generate", "--generator", "go/sqlite", "--file", "queries.sql", "scoter.yaml")
	step(0, "", "generate", "--check")
	step(0, "applied 1", "migrate", "--db", "app.sqlite")
	step(0, "match the files", "verify", "--db", "app.sqlite")

	edit(t, queries, "  email TEXT\n", "  email TEXT NOT NULL\n")
	step(1, "changed generated/queries.py", "generate", "--check")
	step(1, "column email may be null in the live database", "verify", "--db", "app.sqlite")
	step(65, "migration 1 (queries.sql:4) was changed", "migrate", "--db", "app.sqlite")

	edit(t, queries, "SELECT id, name, email FROM users WHERE", "SELECT id, nmae FROM users WHERE")
	step(65, "did you mean name?", "generate")
	step(65, "did you mean name?", "generate", "--generator", "go/sqlite", "--file", "queries.sql")
	code := step(65, "", "generate", "--format", "json")
	var answer struct {
		Valid  bool
		Errors []struct{ File, Code string }
		Files  []any
	}
	if err := json.Unmarshal([]byte(code), &answer); err != nil || answer.Valid || len(answer.Errors) != 1 || answer.Errors[0].File != "queries.sql" || len(answer.Files) != 0 {
		t.Error(err, code)
	}
	step(66, "does not exist", "verify", "--db", "none.sqlite")
	step(65, "cannot tell the kind of database", "migrate", "--db", "none.x", filepath.Join(dir, "none.yaml"))
}

func TestEveryCommandHasAnExampleInItsHelp(t *testing.T) {
	for _, name := range []string{"init", "generate", "migrate", "verify"} {
		code, out, err := scoter(t, t.TempDir(), name, "--help")
		if code != 0 || !strings.Contains(out, "Examples:") || !strings.Contains(out, "scoter "+name) {
			t.Error(name, code, out, err)
		}
	}
}

func TestWatchGeneratesAgainAfterEveryChange(t *testing.T) {
	dir := t.TempDir()
	if code, out, err := scoter(t, dir, "init"); code != 0 {
		t.Fatal(out, err)
	}
	// or the test would wait forever
	limit, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	c := exec.CommandContext(limit, binary.Path(t), "generate", "--watch")
	c.Dir = dir
	both, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = writer, writer
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	lines := bufio.NewScanner(both)
	until := func(text string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("no %q", text)
	}
	queries := filepath.Join(dir, "queries.sql")
	until("4 files, 4 written")
	edit(t, queries, "QUERY list_users", "QURY list_users")
	until("did you mean QUERY?")
	until("nothing was written")
	edit(t, queries, "QURY list_users", "QUERY every_user")
	until("changed src/generated/queries.ts")
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if code, out, err := scoter(t, dir, "generate", "--check"); code != 0 {
		t.Error(out, err)
	}
}
