// Package telemetry measures the queries of a dashboard over readings of hosts. It measures them in
// three states of the table: right after the rows were written, after all rows are in parts, and
// after all merges are done.
package telemetry

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/bench/harness"
	load "github.com/scoterdb/scoter/bench/load/telemetry"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of dashboard queries.
type Options struct {
	Rows     int           `help:"Rows, of 100 hosts." default:"5000000"`
	Duration time.Duration `help:"How long each query is repeated in each state." default:"3s"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "The table is sorted by host and time; rows are written in the order of time.\nExample: scoter-bench telemetry --duration 1s"
}

const (
	requestRows = 10_000
	writers     = 4
	// flushAge is the age at which the server flushes rows. It is long enough for the last rows to
	// be still in memory while the first state of the table is measured.
	flushAge = 30 * time.Second
)

type query struct {
	name        string
	connections int
	target      float64 // target is the target for the median time of the query, in milliseconds.
	sql         func(o *Options, n int) string
}

var queries = []query{
	{"average of one host", 4, 10, func(_ *Options, n int) string {
		return fmt.Sprintf("SELECT avg(usage_user) FROM %s WHERE host = '%s'", load.Table, load.Host(n))
	}},
	{"newest value of one host", 4, 10, func(_ *Options, n int) string {
		return fmt.Sprintf("SELECT time, usage_user FROM %s WHERE host = '%s' ORDER BY time DESC LIMIT 1", load.Table, load.Host(n))
	}},
	{"last hour of one host", 4, 10, func(o *Options, n int) string {
		last := time.UnixMicro(load.Micros(int64(o.Rows/requestRows), requestRows, 0)).UTC()
		return fmt.Sprintf("SELECT time, usage_user, usage_system FROM %s WHERE host = '%s' AND time >= TIMESTAMPTZ '%s' ORDER BY time",
			load.Table, load.Host(n), last.Add(-time.Hour).Format("2006-01-02 15:04:05.000000-07"))
	}},
	{"top 10 hosts by average", 1, 60, func(*Options, int) string {
		return fmt.Sprintf("SELECT host, avg(usage_user) AS average FROM %s GROUP BY host ORDER BY average DESC LIMIT 10", load.Table)
	}},
}

// Run runs the benchmark of dashboard queries and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) (err error) {
	s, err := env.StartServer(ctx, harness.FlushSoon(flushAge)...)
	if err != nil {
		return err
	}
	defer env.Finish(s, &err)
	if err := o.write(ctx, s); err != nil {
		return err
	}
	report := harness.NewReport("telemetry", map[string]any{"rows": o.Rows, "seconds": o.Duration.Seconds()})
	for _, state := range []struct {
		name  string
		reach func(context.Context, *harness.Server) error
	}{
		{"after ingest", func(context.Context, *harness.Server) error { return nil }},
		{"after flush", func(ctx context.Context, s *harness.Server) error { return s.WaitFlushed(ctx) }},
		{"after merging", func(ctx context.Context, s *harness.Server) error { return s.WaitMerged(ctx) }},
	} {
		if err := state.reach(ctx, s); err != nil {
			return base.Wrap(err, "%s", state.name)
		}
		if err := o.measure(ctx, s, state.name, report); err != nil {
			return base.Wrap(err, "%s", state.name)
		}
	}
	return env.Publish(report)
}

func (o *Options) measure(ctx context.Context, s *harness.Server, state string, report *harness.Report) error {
	parts, err := s.Number(ctx, "SELECT count(*) FROM scoter.parts")
	if err != nil {
		return err
	}
	report.Add(state+": parts", parts, "")
	for _, q := range queries {
		var took []float64
		use, err := s.Measure(func() (err error) {
			took, err = s.Latencies(ctx, q.connections, o.Duration, func(n int) string { return q.sql(o, n) })
			return err
		})
		if err != nil {
			return base.Wrap(err, "%s", q.name)
		}
		name := state + ": " + q.name
		report.AtMost(q.target, name+", median", harness.Median(took), "ms")
		report.Add(name+", 99th percentile", harness.Percentile(took, 0.99), "ms")
		report.Add(name+", server CPU", use.CPU/float64(len(took))*1000, "ms/query")
	}
	return nil
}

// write sends the rows with several writers. So they arrive only approximately in the order of
// time.
func (o *Options) write(ctx context.Context, s *harness.Server) error {
	requests := make(chan int64)
	workers, ctx := errgroup.WithContext(ctx)
	workers.Go(func() error {
		defer close(requests)
		for n := range o.Rows / requestRows {
			select {
			case requests <- int64(n):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range writers {
		workers.Go(func() error {
			client := harness.NewClient()
			defer client.CloseIdleConnections()
			for n := range requests {
				body := load.NewMessagePack(int(n), requestRows)
				body.Stamp(n)
				if _, err := s.Send(ctx, client, "/api/v1/write/msgpack", "", body.Reader); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return workers.Wait()
}
