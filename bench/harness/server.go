// Package harness has the code that all benchmarks share. It runs a Scoter server on an empty data
// directory, measures how much processor time and memory it uses, and writes reports with a
// description of the machine.
package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/internal/base"
)

// Server is a running Scoter server, started with `scoter serve`.
type Server struct {
	URL string // URL is the address of the server, http://host:port.
	Dir string

	scoter  string // scoter is the path of the scoter program that runs as the server.
	client  *http.Client
	process *exec.Cmd
	exited  chan error
}

// startTimeout is how long a server may take to start, including the replay of its log.
const startTimeout = 2 * time.Minute

// TempDir makes a temporary folder for a benchmark. The caller removes it.
func (e *Env) TempDir() (string, error) {
	dir, err := os.MkdirTemp(e.Dir, "scoter-bench-")
	if err != nil {
		return "", base.Errorf(base.Unavailable, "folder for data: %w", err)
	}
	return dir, nil
}

// StartServer starts a Scoter server on a new data directory. flags are added to the flags that
// every benchmark uses. The caller stops the server with Finish.
func (e *Env) StartServer(ctx context.Context, flags ...string) (*Server, error) {
	scoter, err := e.scoter()
	if err != nil {
		return nil, err
	}
	dir, err := e.TempDir()
	if err != nil {
		return nil, err
	}
	s, err := launch(ctx, scoter, dir, flags)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// Restart stops the server and starts it again on the same data, with other flags.
func (s *Server) Restart(ctx context.Context, flags ...string) error {
	if err := s.Stop(); err != nil {
		return err
	}
	return s.Launch(ctx, flags...)
}

// Launch starts the server again on the same data, after it has ended.
func (s *Server) Launch(ctx context.Context, flags ...string) error {
	again, err := launch(ctx, s.scoter, s.Dir, flags)
	if err != nil {
		return err
	}
	*s = *again
	return nil
}

// Kill ends the server immediately, as a crash does, and waits until the process has ended.
func (s *Server) Kill() error {
	if err := s.process.Process.Kill(); err != nil {
		return base.Errorf(base.Internal, "kill server: %w", err)
	}
	<-s.exited // the error only says that the server was killed
	return nil
}

func launch(ctx context.Context, scoter, dir string, flags []string) (*Server, error) {
	args := append([]string{"serve", "--dir", dir, "--listen", "127.0.0.1:0", "--log-level", "warn"}, flags...)
	s := &Server{Dir: dir, scoter: scoter, client: NewClient(), process: exec.CommandContext(ctx, scoter, args...), exited: make(chan error, 1)}
	s.process.Stderr = os.Stderr
	stdout, err := s.process.StdoutPipe()
	if err != nil {
		return nil, base.Errorf(base.Internal, "server's output: %w", err)
	}
	if err := s.process.Start(); err != nil {
		return nil, base.Errorf(base.Unavailable, "start server: %w", err)
	}
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), "ready on "); ok {
				address <- url
			}
		}
		s.exited <- s.process.Wait()
	}()
	select {
	case s.URL = <-address:
		return s, nil
	case err := <-s.exited:
		return nil, base.Errorf(base.Unavailable, "the server ended at its start: %v", err)
	case <-time.After(startTimeout):
		return nil, errors.Join(base.Errorf(base.Timeout, "the server did not start within %s", startTimeout), s.process.Process.Kill())
	}
}

// Stop shuts the server down cleanly, as an operator does, and waits until it has ended.
func (s *Server) Stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return base.Errorf(base.Internal, "stop server: %w", err)
	}
	if err := <-s.exited; err != nil {
		return base.Errorf(base.Internal, "server: %w", err)
	}
	return nil
}

// Load loads a file into a table of the server, as the command `scoter load` does.
func (s *Server) Load(ctx context.Context, file, table string) error {
	if out, err := exec.CommandContext(ctx, s.scoter, "load", file, "--url", s.URL, "--table", table).CombinedOutput(); err != nil {
		return base.Errorf(base.Unavailable, "load %s: %w: %s", file, err, out)
	}
	return nil
}

// Finish stops a server and removes its data. It is for a defer statement: if stopping fails and
// *err is nil, it sets *err.
func (e *Env) Finish(s *Server, err *error) {
	stopErr := s.Stop()
	if removeErr := os.RemoveAll(s.Dir); stopErr == nil && removeErr != nil {
		stopErr = base.Errorf(base.Internal, "remove data: %w", removeErr)
	}
	if *err == nil {
		*err = stopErr
	}
}

// NewClient returns an HTTP client that keeps one connection open, as a database driver does.
// Concurrent workers need a client each.
func NewClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10}}
}

// Authorize sets the access token that is sent with all requests from now on.
func (s *Server) Authorize(token string) {
	s.client.Transport = authorized{s.client.Transport, token}
}

type authorized struct {
	http.RoundTripper
	token string
}

func (a authorized) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+a.token)
	return a.RoundTripper.RoundTrip(req)
}

// SQL runs a statement on the server and returns its rows. Values have the Go types that JSON
// decoding gives them.
func (s *Server) SQL(ctx context.Context, statement string) ([][]any, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/sql", strings.NewReader(statement))
	if err != nil {
		return nil, base.Errorf(base.Internal, "request: %w", err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "SQL: %w", err)
	}
	defer resp.Body.Close()
	if err := CheckStatus(resp); err != nil {
		return nil, base.Wrap(err, "%.100s", statement)
	}
	var answer struct{ Rows [][]any }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, base.Errorf(base.Internal, "answer to %.100s: %w", statement, err)
	}
	return answer.Rows, nil
}

// Number runs a query on the server that returns a single number.
func (s *Server) Number(ctx context.Context, statement string) (float64, error) {
	rows, err := s.SQL(ctx, statement)
	if err != nil {
		return 0, err
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		if n, ok := rows[0][0].(float64); ok {
			return n, nil
		}
	}
	return 0, base.Errorf(base.Internal, "%.100s gives no number: %v", statement, rows)
}

// Client returns the HTTP client that the method SQL uses.
func (s *Server) Client() *http.Client { return s.client }

// CheckStatus returns an error if an HTTP response does not report success.
func CheckStatus(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return nil
	}
	// The error is ignored: if the body cannot be read, the status is enough.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	return base.Errorf(base.Unavailable, "%s: %s", resp.Status, strings.TrimSpace(string(text)))
}

// Send posts a request to the server until the server accepts it. body, which may be empty, has the
// media type contentType. If the server asks to retry, Send waits as long as the response says and
// sends the request again.
func (s *Server) Send(ctx context.Context, client *http.Client, path, contentType string, body func() io.Reader) (retries int, err error) {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, body())
		if err != nil {
			return retries, base.Errorf(base.Internal, "request: %w", err)
		}
		if contentType != "" {
			req.Header.Set("Content-Type", contentType)
		}
		resp, err := client.Do(req)
		if err != nil {
			return retries, base.Errorf(base.Unavailable, "send: %w", err)
		}
		if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
			err := CheckStatus(resp)
			resp.Body.Close()
			return retries, err
		}
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		// The rest of the body is read, so that the connection can be used again.
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			return retries, base.Errorf(base.Internal, "%s without Retry-After", resp.Status)
		}
		retries++
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-ctx.Done():
			return retries, ctx.Err()
		}
	}
}

// Latencies runs queries on several connections at the same time for the duration d, and returns
// how long each query took, in milliseconds. The function query returns the SQL of the query with
// number n.
func (s *Server) Latencies(ctx context.Context, connections int, d time.Duration, query func(n int) string) ([]float64, error) {
	until := time.Now().Add(d)
	var mu sync.Mutex
	var all []float64
	workers, ctx := errgroup.WithContext(ctx)
	for worker := range connections {
		workers.Go(func() error {
			own := &Server{URL: s.URL, client: NewClient()}
			defer own.client.CloseIdleConnections()
			var took []float64
			for n := worker; time.Now().Before(until); n += connections {
				started := time.Now()
				if _, err := own.SQL(ctx, query(n)); err != nil {
					return err
				}
				took = append(took, float64(time.Since(started).Microseconds())/1000)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			return nil
		})
	}
	err := workers.Wait()
	return all, err
}

// WaitFlushed waits until all rows of the server are in parts. The server must have been started
// with a short flush-age.
func (s *Server) WaitFlushed(ctx context.Context) error {
	for {
		resp, err := s.client.Get(s.URL + "/api/v1/status")
		if err != nil {
			return base.Errorf(base.Unavailable, "status: %w", err)
		}
		var status struct {
			FlushError string `json:"flush_error"`
		}
		err = json.NewDecoder(resp.Body).Decode(&status)
		resp.Body.Close()
		switch {
		case err != nil:
			return base.Errorf(base.Internal, "status: %w", err)
		case status.FlushError != "":
			return base.Errorf(base.Internal, "flush: %s", status.FlushError)
		}
		// The rows in memtables are counted with SQL. The value write_memory in the server's status
		// is not used, because it also includes changes to parts.
		rows, err := s.Number(ctx, "SELECT coalesce(sum(memtable_rows), 0)::DOUBLE FROM scoter.tables")
		if err != nil || rows == 0 {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mergeRest is how long the parts must stay the same, without a running merge, until they count as
// merged. mergeLimit is the maximum time that WaitMerged waits for that.
const mergeRest, mergeLimit = 10 * time.Second, 3 * time.Minute

// WaitMerged waits until the server has nothing left to merge.
func (s *Server) WaitMerged(ctx context.Context) error {
	newest, since, began := -1.0, time.Now(), time.Now()
	for time.Since(since) < mergeRest && time.Since(began) < mergeLimit {
		id, err := s.Number(ctx, "SELECT coalesce(max(part_id), 0) FROM scoter.parts")
		if err != nil {
			return err
		}
		running, err := s.Number(ctx, "SELECT count(*) FROM scoter.merges WHERE finished IS NULL")
		if err != nil {
			return err
		}
		if id != newest || running > 0 {
			newest, since = id, time.Now()
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// PartsBytes returns the total size of all parts of the server, in bytes.
func (s *Server) PartsBytes(ctx context.Context) (float64, error) {
	return s.Number(ctx, "SELECT coalesce(sum(bytes), 0)::DOUBLE FROM scoter.parts")
}

// FlushSoon returns the flags with which a server flushes rows when they are as old as age.
func FlushSoon(age time.Duration) []string { return []string{fmt.Sprintf("--flush-age=%s", age)} }
