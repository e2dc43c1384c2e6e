// Package restart measures how long a server takes until it answers again after it was killed. The
// server must read its log before it answers.
package restart

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/load/telemetry"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of restart.
type Options struct {
	Log    int `help:"Size of the log, in MiB." default:"256"`
	Repeat int `help:"Restarts of each kind. The log is written again for each." default:"3"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Kinds: requests of one row (line protocol), requests of 10,000 rows (MessagePack).\nExample: scoter-bench restart --repeat 1"
}

// maxSeconds is the target for the time of a restart, in seconds. It applies if the log has
// targetLog MiB, and the server has two cores without other load.
const (
	maxSeconds = 2
	targetLog  = 256
)

// connections is the number of connections that write rows until the log has its size.
const connections = 64

// flags make the server keep all rows in the log and in memory. With its default settings, it would
// flush some of them.
var flags = []string{"--write-memory=4GiB", "--flush-bytes=1GiB", "--flush-age=24h"}

type kind struct {
	name, path string
	rows       int
	newBody    func(seed, rows int) telemetry.Body
}

var kinds = []kind{
	{"requests of one row", "/write?db=default&precision=us", 1, telemetry.NewLineProtocol},
	{"requests of 10,000 rows", "/api/v1/write/msgpack", 10_000, telemetry.NewMessagePack},
}

// Run runs the benchmark of restart and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) error {
	report := harness.NewReport("restart", map[string]any{"log_mib": o.Log, "repeat": o.Repeat})
	for _, k := range kinds {
		var wall, cpu, requests []float64
		for range o.Repeat {
			r, err := o.once(ctx, env, k)
			if err != nil {
				return base.Wrap(err, "%s", k.name)
			}
			wall, cpu, requests = append(wall, r.wall.Seconds()), append(cpu, r.cpu), append(requests, float64(r.requests))
		}
		name := k.name + ": from the start of the process until it serves"
		if o.Log <= targetLog {
			report.AtMost(maxSeconds, name, harness.Median(wall), "s", wall...)
		} else {
			report.Add(name, harness.Median(wall), "s", wall...)
		}
		report.Add(k.name+": processor time until then", harness.Median(cpu), "s", cpu...)
		report.Add(k.name+": requests in the log", harness.Median(requests), "", requests...)
	}
	return env.Publish(report)
}

type restart struct {
	wall     time.Duration
	cpu      float64 // cpu is the processor time of the restart in seconds.
	requests int64
}

// The method once measures one restart: it fills a log, kills the server, and starts it again.
func (o *Options) once(ctx context.Context, env *harness.Env, k kind) (r restart, err error) {
	s, err := env.StartServer(ctx, flags...)
	if err != nil {
		return r, err
	}
	defer env.Finish(s, &err)
	if r.requests, err = fill(ctx, s, k, int64(o.Log)<<20); err != nil {
		return r, err
	}
	if err := s.Kill(); err != nil {
		return r, err
	}
	began := time.Now()
	if err := s.Launch(ctx, flags...); err != nil {
		return r, err
	}
	r.wall = time.Since(began)
	if r.cpu, err = s.CPU(); err != nil {
		return r, err
	}
	there, err := s.Number(ctx, "SELECT count(*) FROM "+telemetry.Table)
	if want := r.requests * int64(k.rows); err == nil && int64(there) != want {
		err = base.Errorf(base.Corrupt, "%d rows were acknowledged, but the table has %.0f", want, there)
	}
	return r, err
}

// fill sends requests until the log has the given size in bytes. It returns how many requests the
// server acknowledged.
func fill(ctx context.Context, s *harness.Server, k kind, size int64) (requests int64, err error) {
	var sent, acknowledged atomic.Int64
	var full atomic.Bool
	workers, ctx := errgroup.WithContext(ctx)
	for seed := range connections {
		workers.Go(func() error {
			client := harness.NewClient()
			defer client.CloseIdleConnections()
			body := k.newBody(seed, k.rows)
			for !full.Load() {
				body.Stamp(sent.Add(1))
				if _, err := s.Send(ctx, client, k.path, "", body.Reader); err != nil {
					return err
				}
				acknowledged.Add(1)
			}
			return nil
		})
	}
	workers.Go(func() error {
		defer full.Store(true)
		for ctx.Err() == nil {
			there, err := folderBytes(filepath.Join(s.Dir, "wal"))
			if err != nil || there >= size {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	err = workers.Wait()
	return acknowledged.Load(), err
}

func folderBytes(dir string) (bytes int64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "size of the log: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, base.Errorf(base.Unavailable, "size of the log: %w", err)
		}
		bytes += info.Size()
	}
	return bytes, nil
}
