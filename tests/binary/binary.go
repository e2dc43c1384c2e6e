// Package binary runs the real scoter program in tests.
package binary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Root returns the repository's folder: the nearest folder above the tests that has a go.mod. With
// -trimpath the compiler does not know the folder.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("there is no go.mod above the tests")
		}
		dir = above
	}
}

// scoter and bench build the programs of cmd.
var scoter, bench = program("scoter"), program("scoter-bench")

// program returns a function that builds a program of cmd below .cache. Only one test process
// builds at a time, and the others use its result.
func program(name string) func() (path string, err error) {
	return sync.OnceValues(func() (path string, err error) {
		root, err := Root()
		if err != nil {
			return "", err
		}
		dir := filepath.Join(root, ".cache", "binary")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return "", err
		}
		defer lock.Close() // also releases the lock
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
			return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
		}
		path = filepath.Join(dir, name)
		cmd := exec.Command("go", "build", "-o", path, "./cmd/"+name)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
		return path, nil
	})
}

// Path builds the program if its source has changed, and returns its path.
func Path(t testing.TB) string {
	t.Helper()
	path, err := scoter()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Bench builds scoter-bench, and in the same folder the program that it measures. It returns the
// path of scoter-bench.
func Bench(t testing.TB) string {
	t.Helper()
	Path(t)
	path, err := bench()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Server is a running program that serves a directory.
type Server struct {
	URL   string
	Token string // sent with requests if it is set

	cmd *exec.Cmd
	log *output
	end chan error
}

// output is what the program has printed. It may be read while the program runs.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Serve starts the program on a directory and a free port, and waits until it is ready.
func Serve(t testing.TB, dir string, flags ...string) *Server {
	t.Helper()
	return serve(t, nil, dir, flags)
}

// ServeWithFileLimit is Serve with a limit on file descriptors.
func ServeWithFileLimit(t testing.TB, descriptors int, dir string, flags ...string) *Server {
	t.Helper()
	return serve(t, []string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$@"`, descriptors), "sh"}, dir, flags)
}

// ServeInCgroup is Serve in a cgroup. The argument cgroup is its directory.
func ServeInCgroup(t testing.TB, cgroup, dir string, flags ...string) *Server {
	t.Helper()
	return serve(t, []string{"sh", "-c", `echo $$ > "$0/cgroup.procs"; exec "$@"`, cgroup}, dir, flags)
}

// command returns a command of the program. If enter is not empty, it is a command line that starts
// the command.
func command(t testing.TB, enter []string, args ...string) *exec.Cmd {
	t.Helper()
	all := append(append(append([]string{}, enter...), Path(t)), args...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Dir = t.TempDir()
	return cmd
}

func serve(t testing.TB, enter []string, dir string, flags []string) *Server {
	t.Helper()
	s := &Server{log: &output{}, end: make(chan error, 1)}
	s.cmd = command(t, enter, append([]string{"serve", "--dir", dir, "--listen", "127.0.0.1:0"}, flags...)...)
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		var line []byte
		one := make([]byte, 1)
		for {
			if _, err := out.Read(one); err != nil || one[0] == '\n' {
				break
			}
			line = append(line, one[0])
		}
		ready <- string(line)
		_, _ = io.Copy(io.Discard, out)
		s.end <- s.cmd.Wait()
	}()
	select {
	case line := <-ready:
		_, url, ok := strings.Cut(line, "ready on ")
		if !ok {
			t.Fatalf("scoter did not start: %s%s", line, s.log)
		}
		s.URL = url
	case <-time.After(time.Minute):
		t.Fatalf("scoter is not ready after a minute: %s", s.log)
	}
	t.Cleanup(func() { s.Kill() })
	return s
}

// Kill ends the program like kill -9. It may be called more than once.
func (s *Server) Kill() {
	_ = s.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
	select {
	case err := <-s.end:
		s.end <- err
	case <-time.After(time.Minute):
	}
}

// Stop ends the program like Ctrl-C, and returns its exit code.
func (s *Server) Stop(t testing.TB) int {
	t.Helper()
	return s.stop(t, os.Interrupt)
}

// Terminate is like Stop, but sends SIGTERM, as service managers do.
func (s *Server) Terminate(t testing.TB) int {
	t.Helper()
	return s.stop(t, syscall.SIGTERM)
}

func (s *Server) stop(t testing.TB, how os.Signal) int {
	t.Helper()
	s.Signal(t, how)
	return s.Wait(t)
}

// Signal sends the program a signal.
func (s *Server) Signal(t testing.TB, what os.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(what); err != nil {
		t.Fatal(err)
	}
}

// Wait waits until the program ends, and returns its exit code, or -1 if a signal ended it.
func (s *Server) Wait(t testing.TB) int {
	t.Helper()
	select {
	case err := <-s.end:
		s.end <- err
	case <-time.After(time.Minute):
		t.Fatalf("scoter does not stop: %s", s.log)
	}
	return s.cmd.ProcessState.ExitCode()
}

// Log returns what the program has printed to standard error.
func (s *Server) Log() string { return s.log.String() }

// PID returns the program's process id.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Post sends a body, and returns the status and the response body. An error means that there was no
// response.
func (s *Server) Post(path, contentType string, body []byte) (int, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", contentType)
	if s.Token != "" {
		req.Header.Set("Authorization", "Bearer "+s.Token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// Rows runs a query and returns its rows.
func (s *Server) Rows(t testing.TB, sql string) [][]any {
	t.Helper()
	status, text, err := s.Post("/api/v1/sql", "text/plain", []byte(sql))
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s %v\n%s", sql, status, text, err, s.log)
	}
	var answer struct{ Rows [][]any }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v: %s", sql, err, text)
	}
	return answer.Rows
}

// Run runs a subcommand, and returns its output and its exit code.
func Run(t testing.TB, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(Path(t), args...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
