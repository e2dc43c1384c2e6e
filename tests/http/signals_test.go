package http

import (
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// longQuery runs for minutes.
const longQuery = "SELECT max(a.range * b.range) FROM range(1000000000) a, range(1000000000) b"

// startQuery sends a query that runs for minutes. It returns when the server has begun to run it.
func startQuery(t *testing.T, s *binary.Server) {
	t.Helper()
	go func() {
		resp, err := http.Post(s.URL+"/api/v1/sql", "text/plain", strings.NewReader(longQuery))
		if err == nil { // otherwise the server ended
			resp.Body.Close()
		}
	}()
	waitFor(t, "a query", func() bool {
		return strings.Contains(send(t, s, "GET", "/api/v1/status", "").body, `"queries_running":1`)
	})
}

func TestAHangupIsLoggedAndIgnored(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	for range 2 {
		s.Signal(t, syscall.SIGHUP)
		waitFor(t, "a line in the log", func() bool { return strings.Contains(s.Log(), "SIGHUP is ignored") })
	}
	sql(t, s, "SELECT 1").must(t, 200)
	if code := s.Stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestAStopWithoutRequestsIsImmediate has open connections that are idle, and connections that have
// not sent a whole request, like those of pools and load balancers.
func TestAStopWithoutRequestsIsImmediate(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "SELECT 1").must(t, 200) // leaves a keep-alive connection
	for _, begin := range []string{"", "GET / HT"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte(begin)); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // until the server has accepted them
	start := time.Now()
	code := s.Stop(t)
	if took := time.Since(start); code != 0 || took > 3*time.Second {
		t.Errorf("exit code %d after %s: %s", code, took, s.Log())
	}
	if !strings.Contains(s.Log(), "no requests are under way") {
		t.Error(s.Log())
	}
}

// TestAStopSaysWhatItWaitsForAndASecondOneDoesNotWait also checks that acknowledged rows are there
// afterwards.
func TestAStopSaysWhatItWaitsForAndASecondOneDoesNotWait(t *testing.T) {
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		dir := t.TempDir()
		s := binary.Serve(t, dir, "--shutdown-grace", "5m")
		rows(t, s, "t", ndjson, `{"a":1}`).must(t, 200)
		startQuery(t, s)
		s.Signal(t, signal)
		waitFor(t, "a line in the log", func() bool { return strings.Contains(s.Log(), "waiting for requests under way") })
		if !strings.Contains(s.Log(), "requests=1") || !strings.Contains(s.Log(), "at_most=5m0s") {
			t.Error(s.Log())
		}
		start := time.Now()
		s.Signal(t, signal)
		code := s.Wait(t)
		if took := time.Since(start); code != want || took > 3*time.Second {
			t.Errorf("%v: exit code %d after %s: %s", signal, code, took, s.Log())
		}
		if !strings.Contains(s.Log(), "second signal") {
			t.Error(s.Log())
		}
		equal(t, binary.Serve(t, dir), "SELECT a FROM t", "[[1]]")
	}
}
