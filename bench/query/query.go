// Package query measures the server's overhead for a query: how many minimal queries it answers per
// second, and how fast it streams a large result in each format.
package query

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of query overhead.
type Options struct {
	Rows     int           `help:"Rows of the large result." default:"1000000"`
	Repeat   int           `help:"Runs of each format, in turn." default:"15"`
	Duration time.Duration `help:"How long the smallest query is repeated, three times." default:"5s"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "The columns of the large result are a time, one of 100 hosts, and three doubles with two decimals. The client reads the bytes without decoding them.\nExample: scoter-bench query --repeat 5"
}

const (
	smallest    = "SELECT 1"
	connections = 4
)

var formats = []struct {
	name   string
	target float64 // minimum number of rows per second; 0 means no target
}{{"arrow", 8e6}, {"msgpack", 8e6}, {"json", 3e6}, {"csv", 0}}

// Run runs the benchmark of query overhead and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) (err error) {
	s, err := env.StartServer(ctx)
	if err != nil {
		return err
	}
	defer env.Finish(s, &err)
	report := harness.NewReport("query", map[string]any{"rows": o.Rows, "repeat": o.Repeat, "connections": connections})
	if err := o.small(ctx, s, report); err != nil {
		return base.Wrap(err, smallest)
	}
	if err := o.large(ctx, s, report); err != nil {
		return base.Wrap(err, "large result")
	}
	return env.Publish(report)
}

// The method small measures small results: how many minimal queries the server answers per second,
// on a few connections.
func (o *Options) small(ctx context.Context, s *harness.Server, report *harness.Report) error {
	var rates, cpu []float64
	for range 3 {
		var done atomic.Int64
		use, err := s.Measure(func() error {
			until := time.Now().Add(o.Duration)
			var workers errgroup.Group
			for range connections {
				workers.Go(func() error {
					n, err := repeat(s.URL, until)
					done.Add(n)
					return err
				})
			}
			return workers.Wait()
		})
		if err != nil {
			return err
		}
		n := float64(done.Load())
		rates, cpu = append(rates, n/use.Wall.Seconds()), append(cpu, use.CPU/n*1e6)
	}
	report.AtLeast(8000, smallest+", 4 connections", harness.Median(rates), "queries/s", rates...)
	report.Add(smallest+": server CPU", harness.Median(cpu), "us/query", cpu...)
	return nil
}

// repeat sends a minimal query again and again over one connection, until the given time, and
// returns the number of responses. It always writes the same bytes. http.Client would take more
// processor time than the server, on the same cores.
func repeat(url string, until time.Time) (n int64, err error) {
	address := strings.TrimPrefix(url, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	request := fmt.Appendf(nil, "POST /api/v1/sql HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", address, len(smallest), smallest)
	answers := bufio.NewReader(conn)
	for ; time.Now().Before(until); n++ {
		if _, err := conn.Write(request); err != nil {
			return n, err
		}
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			return n, err
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return n, err
		}
		if resp.StatusCode != http.StatusOK {
			return n, base.Errorf(base.Internal, "status %s", resp.Status)
		}
	}
	return n, nil
}

// The method large measures a large result: how fast the server streams it on one connection.
func (o *Options) large(ctx context.Context, s *harness.Server, report *harness.Report) error {
	if _, err := s.SQL(ctx, fmt.Sprintf(`CREATE TABLE readings AS SELECT TIMESTAMPTZ '2025-01-01' + to_seconds(i) AS time, 'host-' || i %% 100 AS host,
		round(hash(i, 1) / 184467440737095516.16, 2) AS a, round(hash(i, 2) / 184467440737095516.16, 2) AS b, round(hash(i, 3) / 184467440737095516.16, 2) AS c
		FROM range(%d) t(i)`, o.Rows)); err != nil {
		return err
	}
	rates, cpu, size := make([][]float64, len(formats)), make([][]float64, len(formats)), make([]float64, len(formats))
	for run := range o.Repeat + 1 {
		for i, f := range formats {
			use, err := s.Measure(func() error {
				bytes, err := read(ctx, s.Client(), s.URL+"/api/v1/sql?format="+f.name, "SELECT * FROM readings")
				size[i] = float64(bytes)
				return err
			})
			if err != nil {
				return base.Wrap(err, "%s", f.name)
			}
			if run > 0 { // the first run (0) only warms up
				rates[i] = append(rates[i], float64(o.Rows)/use.Wall.Seconds())
				cpu[i] = append(cpu[i], use.CPU/float64(o.Rows)*1e6)
			}
		}
	}
	for i, f := range formats {
		name := fmt.Sprintf("%s: %d rows of 5 columns, 1 connection", f.name, o.Rows)
		if f.target > 0 {
			report.AtLeast(f.target, name, harness.Median(rates[i]), "rows/s", rates[i]...)
		} else {
			report.Add(name, harness.Median(rates[i]), "rows/s", rates[i]...)
		}
		report.Add(f.name+": server CPU per million rows", harness.Median(cpu[i]), "s", cpu[i]...)
		report.Add(f.name+": size", size[i]/float64(o.Rows), "bytes/row")
	}
	return nil
}

// read runs a query over HTTP, reads the whole response, and returns its size in bytes.
func read(ctx context.Context, client *http.Client, url, sql string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(sql))
	if err != nil {
		return 0, base.Errorf(base.Internal, "request: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "query: %w", err)
	}
	defer resp.Body.Close()
	if err := harness.CheckStatus(resp); err != nil {
		return 0, err
	}
	n, err := io.CopyBuffer(io.Discard, onlyReader{resp.Body}, make([]byte, 256<<10))
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "answer: %w", err)
	}
	return n, nil
}

// onlyReader hides all methods of a response's body but Read, so that io.CopyBuffer reads it in
// pieces of the size of the given buffer.
type onlyReader struct{ io.Reader }
