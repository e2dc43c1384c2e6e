package http

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

const unit = "../../packaging/scoter.service"

// serviceFlags returns the flags of the unit's command, except for the directory.
func serviceFlags(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart="); ok {
			words := strings.Fields(command)
			if i := slices.Index(words, "--dir"); i > 0 && words[1] == "serve" {
				return slices.Concat(words[2:i], words[i+2:])
			}
			t.Fatalf("the unit starts %s", command)
		}
	}
	t.Fatal("the unit starts nothing")
	return nil
}

// TestTheServiceIsStartedAsItsUnitSays acts as systemd: it starts the unit's command, waits for
// READY, kills the process, starts it again, and stops it.
func TestTheServiceIsStartedAsItsUnitSays(t *testing.T) {
	folder, err := os.MkdirTemp("", "scoter") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	told := func(want string) {
		t.Helper()
		message := make([]byte, 100)
		if err := socket.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		n, err := socket.Read(message)
		if err != nil || string(message[:n]) != want {
			t.Fatalf("systemd is told %q, %v, want %q", message[:n], err, want)
		}
	}
	dir, flags := t.TempDir(), serviceFlags(t)
	s := binary.Serve(t, dir, flags...)
	told("READY=1")
	rows(t, s, "t", ndjson, `{"i":0}`).must(t, 200)
	s.Kill()
	s = binary.Serve(t, dir, flags...)
	told("READY=1")
	equal(t, s, "SELECT count(*) FROM t", "[[1]]")
	if code := s.Terminate(t); code != 0 {
		t.Errorf("it ends with %d", code)
	}
	told("STOPPING=1")
}

func TestSystemdTakesTheUnit(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not there")
	}
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	// The program must be at the path that the unit names.
	here := strings.ReplaceAll(string(text), "/usr/local/bin/scoter", binary.Path(t))
	path := filepath.Join(t.TempDir(), "scoter.service")
	if err := os.WriteFile(path, []byte(here), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(verify, "verify", "--man=no", path).CombinedOutput()
	if err != nil || strings.Contains(string(out), path) { // a warning about the unit
		t.Errorf("%v: %s", err, out)
	}
}
