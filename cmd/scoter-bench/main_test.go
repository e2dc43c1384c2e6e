package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

func TestABenchmarkThatIsStoppedLeavesNothing(t *testing.T) {
	scratch := t.TempDir()
	cmd := exec.Command(binary.Bench(t), "query", "--scratch", scratch)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lock := "" // the lock file of the server, which holds its data directory open
	for until := time.Now().Add(time.Minute); lock == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("no server: %s", errs.String())
		}
		if found, _ := filepath.Glob(filepath.Join(scratch, "*", "LOCK")); len(found) > 0 {
			lock = found[0]
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it says that it succeeded")
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v): %s", left, err, errs.String())
	}
}

func TestAnErrorSaysWhatToDo(t *testing.T) {
	program := binary.Bench(t)
	dir, err := os.MkdirTemp(filepath.Dir(program), "alone-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	alone := filepath.Join(dir, "scoter-bench") // the folder has no scoter program
	if err := os.Link(program, alone); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"query", 75, "  hint: make build puts it into the folder of this program"},
		{"query --scoter nothing", 64, "  hint: scoter-bench --help"},
		{"unknown", 64, "  hint: scoter-bench --help"},
	} {
		cmd := exec.Command(alone, strings.Fields(c.args)...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %d %s", c.args, code, out)
		}
	}
}
