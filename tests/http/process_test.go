package http

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/scoterdb/scoter/tests/binary"
)

// TestAStopUnderLoadLosesNothing checks that running requests are answered, that new ones are
// refused, and that acknowledged rows are there after the next start.
func TestAStopUnderLoadLosesNothing(t *testing.T) {
	dir := t.TempDir()
	s := binary.Serve(t, dir, "--flush-bytes", "64KiB")
	var acknowledged, unknown atomic.Int64
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for n := 0; ; n++ {
				status, text, err := s.Post("/api/v1/tables/default/t/rows", ndjson, fmt.Appendf(nil, `{"w":%d,"n":%d}`, w, n))
				switch {
				case err != nil:
					unknown.Add(1)
					return
				case status != http.StatusOK:
					t.Errorf("%d %s", status, text)
					return
				}
				acknowledged.Add(1)
			}
		})
	}
	waitFor(t, "some writes", func() bool { return acknowledged.Load() > 200 })
	if code := s.Stop(t); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log())
	}
	writers.Wait()
	s = binary.Serve(t, dir)
	got := int64(s.Rows(t, "SELECT count(DISTINCT (w, n)) FROM t")[0][0].(float64))
	all := int64(s.Rows(t, "SELECT count(*) FROM t")[0][0].(float64))
	if got != all || got < acknowledged.Load() || got > acknowledged.Load()+unknown.Load() {
		t.Errorf("%d rows, %d different, %d acknowledged, %d without an answer", all, got, acknowledged.Load(), unknown.Load())
	}
}

func TestTwoServersOnOneDirectory(t *testing.T) {
	dir := t.TempDir()
	s := binary.Serve(t, dir)
	out, code := binary.Run(t, "serve", "--dir", dir, "--listen", "127.0.0.1:0")
	if code == 0 || strings.Contains(out, "goroutine") || !strings.Contains(out, "scoter: ") || !strings.Contains(out, dir) {
		t.Errorf("exit code %d: %s", code, out)
	}
	sql(t, s, "SELECT 1").must(t, 200)
}

func TestAPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, code := binary.Run(t, "serve", "--dir", t.TempDir(), "--listen", l.Addr().String())
	if code != 75 || !strings.Contains(out, l.Addr().String()) || !strings.Contains(out, "--listen") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestBadSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scoter.toml")
	for text, want := range map[string]string{
		"# a comment\nlissten = \"x\"":                 ":2: unknown setting lissten\n  hint: did you mean listen?",
		"\n\nlisten = 5":                               ":3: listen: ",
		"max_queries = \"many\"":                       ":1: max_queries: ",
		"listen = \"a":                                 ":1: ",
		"query_timeout = \"5 parsecs\"":                ":1: query_timeout: ",
		"query_timeout = 5":                            ":1: query_timeout = 5 lacks a unit",
		"dir = \"d\"\nlog_level = \"loud\"":            ":2: invalid log_level",
		"max_body = \"64 furlongs\"":                   ":1: max_body: ",
		"[[token]]\nname = \"a\"\nrolle = \"reader\"":  ":3: unknown setting token.rolle\n  hint: did you mean role?",
		"[[token]]\nname = \"a\"\nrole = \"king\"":     ":1: token \"a\" has the invalid role \"king\"",
		"[[token]]\nname = \"a\"\nrole = \"reader\"":   ":1: token \"a\" has no sha256",
		"write_memory = \"1MiB\"\nmax_body = \"1MiB\"": "max_body",
		"listen = \"0.0.0.0:7287\"":                    "other machines",
		"listen = \"nowhere\"":                         "listen",
		"tls_cert = \"x\"":                             "tls_key",
		"readable_dirs = \"x\"":                        ":1: readable_dirs: ",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, code := binary.Run(t, "config", "--config", path)
		if code != 65 || !strings.Contains(out, want) {
			t.Errorf("%q: exit code %d, want %q in: %s", text, code, want, out)
		}
	}
	if out, code := binary.Run(t, "serve", "--config", filepath.Join(t.TempDir(), "none.toml")); code != 66 || !strings.Contains(out, "none.toml") {
		t.Errorf("exit code %d: %s", code, out)
	}
	t.Setenv("SCOTER_WRITE_MEMROY", "1GiB")
	for _, args := range [][]string{{"serve", "--dir", t.TempDir(), "--listen", "127.0.0.1:0"}, {"config"}, {"sql", "--dir", t.TempDir(), "SELECT 1"}} {
		if out, code := binary.Run(t, args...); code != 65 || !strings.Contains(out, "SCOTER_WRITE_MEMROY") || !strings.Contains(out, "did you mean SCOTER_WRITE_MEMORY?") {
			t.Errorf("%v: exit code %d: %s", args, code, out)
		}
	}
	if out, code := binary.Run(t, "serve", "--no-such-flag"); code != 64 || !strings.Contains(out, "--no-such-flag") || strings.Count(out, "\n") > 3 {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestAStopEndsLongQueriesWithAnError checks two cases. Before the first row, the response is an
// error. After it, an error ends the result, and the connection is closed.
func TestAStopEndsLongQueriesWithAnError(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--shutdown-grace", "200ms")
	answers := make(chan string, 2)
	for _, text := range []string{"SELECT max(a.range * b.range) FROM range(1000000000) a, range(1000000000) b", "SELECT * FROM range(1000000000000)"} {
		go func() {
			resp, err := http.Post(s.URL+"/api/v1/sql", "text/plain", strings.NewReader(text))
			if err != nil {
				answers <- err.Error()
				return
			}
			defer resp.Body.Close()
			tail := &lastBytes{}
			_, err = io.Copy(tail, resp.Body)
			answers <- fmt.Sprint(resp.StatusCode, " ", err, " ", string(tail.last))
		}()
	}
	waitFor(t, "two queries", func() bool {
		return strings.Contains(send(t, s, "GET", "/api/v1/status", "").body, `"queries_running":2`)
	})
	if code := s.Stop(t); code != 75 {
		t.Errorf("exit code %d: %s", code, s.Log())
	}
	got := []string{<-answers, <-answers}
	slices.Sort(got)
	for i, status := range []string{"200 unexpected EOF ", "503 <nil> "} {
		if !strings.HasPrefix(got[i], status) || !strings.Contains(got[i], `"kind":"unavailable"`) || !strings.Contains(got[i], "shutting down") {
			t.Errorf("answered %s", got[i])
		}
	}
}

// lastBytes keeps the last bytes that are written to it.
type lastBytes struct{ last []byte }

func (l *lastBytes) Write(p []byte) (int, error) {
	l.last = append(l.last, p...)
	l.last = l.last[max(0, len(l.last)-500):]
	return len(p), nil
}
