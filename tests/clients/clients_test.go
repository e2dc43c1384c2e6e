// Package clients runs real client programs against the real server.
package clients

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/scoterdb/scoter/tests/binary"
)

// here returns this folder.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// python installs the client libraries below .cache, once, in the versions that requirements.txt
// pins. It returns the interpreter that has them.
func python(t *testing.T) string {
	t.Helper()
	requirements, err := os.ReadFile(filepath.Join(here(), "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	venv := filepath.Join(here(), "..", "..", ".cache", "clients", "venv")
	interpreter := filepath.Join(venv, "bin", "python")
	stamp := filepath.Join(venv, "installed")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, requirements) {
		return interpreter
	}
	if err := os.RemoveAll(venv); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", venv},
		{interpreter, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "-r", "requirements.txt"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = here()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("THE CLIENT LIBRARIES CANNOT BE INSTALLED (no Python, or its package registry is not reachable): %v\n%s", err, out)
		}
	}
	if err := os.WriteFile(stamp, requirements, 0o644); err != nil {
		t.Fatal(err)
	}
	return interpreter
}

// run runs a program and returns its output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(here(), "programs")
	cmd.Env = append(os.Environ(), "NO_PROXY=*", "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func equal(t *testing.T, s *binary.Server, query, want string) {
	t.Helper()
	if got := fmt.Sprint(s.Rows(t, query)); got != want {
		t.Errorf("%s:\n got %s\nwant %s", query, got, want)
	}
}

// TestClients reads and writes with unchanged third-party clients.
func TestClients(t *testing.T) {
	interpreter := python(t)
	dir := t.TempDir()
	s := binary.Serve(t, dir, "--flush-age", "1s")
	const thousand = "[[1000 499500 3]]"

	t.Run("curl", func(t *testing.T) {
		if out := run(t, "curl", "-sSf", s.URL+"/api/v1/tables/default/c/rows", "-H", "Content-Type: application/x-ndjson", "--data-binary", `{"a": 1}`); !strings.Contains(out, `"rows":1`) {
			t.Error(out)
		}
		if out := run(t, "curl", "-sSf", s.URL+"/api/v1/sql?format=csv", "--data", "SELECT * FROM c"); out != "a\r\n1" && out != "a\n1" {
			t.Errorf("%q", out)
		}
		if out := run(t, "curl", "-sSf", "--compressed", "-G", s.URL+"/api/v1/sql", "--data-urlencode", "q=SELECT a + 1 AS b FROM c"); !strings.Contains(out, "[2]") {
			t.Error(out)
		}
		large := filepath.Join(t.TempDir(), "large.ndjson")
		if err := os.WriteFile(large, bytes.Repeat([]byte("{\"a\": 2}\n"), 200_000), 0o644); err != nil {
			t.Fatal(err)
		}
		// curl asks before it sends a large body (Expect: 100-continue), and sends a pipe in
		// chunks.
		run(t, "curl", "-sSf", s.URL+"/api/v1/tables/default/c/rows", "-H", "Content-Type: application/x-ndjson", "--data-binary", "@"+large)
		run(t, "sh", "-c", `gzip -c "$1" | curl -sSf -T - -X POST "$2" -H "Content-Type: application/x-ndjson" -H "Content-Encoding: gzip"`, "sh", large, s.URL+"/api/v1/tables/default/c/rows")
		equal(t, s, "SELECT count(*) FROM c", "[[400001]]")
	})
	t.Run("pyarrow", func(t *testing.T) {
		if out := run(t, interpreter, "arrow.py", s.URL); out != "rows 3000" {
			t.Error(out)
		}
	})
	t.Run("influxdb", func(t *testing.T) {
		run(t, interpreter, "influx1.py", s.URL)
		equal(t, s, "SELECT count(*), sum(n), count(DISTINCT host) FROM v1.cpu", thousand)
		run(t, interpreter, "influx1.py", s.URL, "gzip")
		equal(t, s, "SELECT count(*), min(epoch_ms(time)), any_value(text) FROM v1.cpu", `[[2000 1.7e+12 a "quoted" text]]`)
	})
	t.Run("influxdb-client", func(t *testing.T) {
		run(t, interpreter, "influx2.py", s.URL)
		equal(t, s, "SELECT count(*), sum(n), count(DISTINCT host) FROM v2.cpu", thousand)
		equal(t, s, "SELECT min(time)::VARCHAR, max(time)::VARCHAR FROM v2.cpu", "[[2024-01-01 00:00:00+00 2024-01-01 00:16:39+00]]")
	})
	t.Run("msgpack", func(t *testing.T) {
		run(t, interpreter, "arc.py", s.URL)
		equal(t, s, "SELECT count(*), sum(n), count(DISTINCT host) FROM arc.columnar", "[[3000 1.35e+06 3]]")
		equal(t, s, "SELECT count(*), sum(load) FROM arc.rows", "[[3 4.5]]")
	})
	t.Run("telegraf", func(t *testing.T) { telegraf(t, s) })

	if code := s.Stop(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, s.Log())
	}
	t.Run("duckdb", func(t *testing.T) {
		// Flush the rows that are only in the log, before other programs read the directory.
		s := binary.Serve(t, dir, "--flush-age", "100ms")
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			if fmt.Sprint(s.Rows(t, "SELECT sum(memtable_rows) FROM scoter.tables")) == "[[0]]" {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("rows do not become parts")
			}
		}
		for table, want := range map[string]string{"v1.main.cpu": "2000 999000 0.0 3", "v2.main.cpu": "1000 499500 0.0 3", "arc.main.columnar": "3000 1350000 0.0 3"} {
			parts := t.TempDir()
			if err := os.MkdirAll(filepath.Join(parts, "parts"), 0o755); err != nil {
				t.Fatal(err)
			}
			name := strings.Split(table, ".")
			for i, r := range s.Rows(t, fmt.Sprintf("SELECT path FROM scoter.parts WHERE database_name = '%s' AND table_name = '%s'", name[0], name[2])) {
				path := r[0].(string)
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, path)
				}
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(parts, "parts", fmt.Sprintf("%d.parquet", i)), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := run(t, interpreter, "parts.py", parts); got != want {
				t.Errorf("%s: %s, want %s", table, got, want)
			}
		}
	})
}

// telegraf behaves like Telegraf's output for InfluxDB 1: it creates the database, then writes
// batches, compressed and in chunks, with precision=ns. It reads the reasons for dropped points.
func telegraf(t *testing.T, s *binary.Server) {
	send := func(path, contentType, body string, packed bool) (int, string) {
		t.Helper()
		r, w := io.Pipe()
		go func() {
			out := io.WriteCloser(w)
			if packed {
				out = gzip.NewWriter(w)
			}
			for half := range 2 { // two writes, two chunks
				n := len(body) / 2
				// a failure ends the request
				_, _ = io.WriteString(out, body[half*n:n+half*(len(body)-n)])
			}
			if packed {
				_ = out.Close()
			}
			w.Close()
		}()
		req, err := http.NewRequest("POST", s.URL+path, r)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "Telegraf/1.33.0 Go/1.23.4")
		req.Header.Set("Content-Type", contentType)
		if packed {
			req.Header.Set("Content-Encoding", "gzip")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	if status, text := send("/query", "application/x-www-form-urlencoded", `q=CREATE+DATABASE+%22telegraf%22`, false); status != 200 || !strings.Contains(text, `"results"`) {
		t.Fatal(status, text)
	}
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "cpu,cpu=cpu%d,host=box usage_idle=%d.5,usage_user=%d %d\n", i%4, i%100, i%7, 1_700_000_000_000_000_000+int64(i/4)*10_000_000_000)
		fmt.Fprintf(&lines, "mem,host=box used=%di,active=%di %d\n", i*1000, i, 1_700_000_000_000_000_000+int64(i)*10_000_000_000)
	}
	if status, text := send("/write?db=telegraf&precision=ns&consistency=any&rp=", "text/plain; charset=utf-8", lines.String(), true); status != 204 || text != "" {
		t.Fatal(status, text)
	}
	status, text := send("/write?db=telegraf&precision=ns", "text/plain; charset=utf-8", "mem,host=box used=\"text\" 1700000000000000000\nmem,host=new used=7i 1700000000000000000\n", true)
	if status != 400 || !strings.Contains(text, "partial write") || !strings.Contains(text, "field type conflict") || !strings.Contains(text, "dropped=1") {
		t.Errorf("%d %s", status, text)
	}
	equal(t, s, "SELECT count(*), count(DISTINCT cpu), sum(usage_idle) FROM telegraf.cpu", "[[1000 4 50000]]")
	equal(t, s, "SELECT count(*), sum(active), max(time)::VARCHAR FROM telegraf.mem", "[[1001 499500 2023-11-15 00:59:50+00]]")
}
