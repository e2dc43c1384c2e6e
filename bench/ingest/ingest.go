// Package ingest measures the server's cost of writing rows: the processor time for a million rows,
// from the socket until they are in parts. The server syncs its log before every response. The
// package also measures how many rows are acknowledged if clients send more than the machine can
// handle.
package ingest

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/load/telemetry"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of ingest.
type Options struct {
	Rows        int           `help:"Rows per run with MessagePack; a quarter of it with line protocol." default:"20000000"`
	Repeat      int           `help:"Runs of each kind." default:"3"`
	FlatOut     time.Duration `help:"How long 64 connections send as fast as they can; 0 leaves it out." default:"60s"`
	RequestRows int           `help:"Rows per request." default:"10000"`
	Compressed  int           `help:"Rows per run of line protocol by 1, 2, 4 and 16 writers, plain and compressed; 0 leaves it out." default:"2000000"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Columns: time, 2 tags (100 hosts, 10 regions), 3 doubles of two decimals; sorted by tags and time.\nExample: scoter-bench ingest --rows 5000000 --repeat 1 --flat-out 0 --compressed 0"
}

// connections is the number of connections of a run with a fixed number of rows. flatOutConnections
// is that of a run that sends more than the machine can handle.
const (
	connections        = 4
	flatOutConnections = 64
	// flushAge is how long the last rows of a run stay in memory until they are flushed.
	flushAge = 2 * time.Second
	// maxResident is the maximum resident memory, in bytes, that the server may have with 64
	// connections.
	maxResident = 1 << 30
)

// kind is a kind of run of the benchmark: a wire format, and what is measured with it.
type kind struct {
	name, path string
	// share says how many rows a run of this kind sends: Options.Rows divided by share.
	share   int
	target  float64
	merged  bool // merged means that the measured cost includes merging the parts.
	newBody func(seed, rows int) telemetry.Body
}

var kinds = []kind{
	{"MessagePack", "/api/v1/write/msgpack", 1, 0.35, false, telemetry.NewMessagePack},
	{"MessagePack, async", "/api/v1/write/msgpack?durability=async", 1, 0, false, telemetry.NewMessagePack},
	{"MessagePack, merged", "/api/v1/write/msgpack", 1, 0, true, telemetry.NewMessagePack},
	{"line protocol", "/write?db=default&precision=us", 4, 1.0, false, telemetry.NewLineProtocol},
}

// Run runs the benchmark of ingest and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) error {
	report := harness.NewReport("ingest", map[string]any{"rows": o.Rows, "request_rows": o.RequestRows, "connections": connections, "flat_out_seconds": o.FlatOut.Seconds()})
	cpu, acknowledged, rate, bytes := make([][]float64, len(kinds)), make([][]float64, len(kinds)), make([][]float64, len(kinds)), make([][]float64, len(kinds))
	// The kinds of runs take turns, so that other load on the machine affects all of them.
	for range o.Repeat {
		for i, k := range kinds {
			rows := o.Rows / k.share
			r, err := o.fixed(ctx, env, k, rows, connections)
			if err != nil {
				return base.Wrap(err, "%s", k.name)
			}
			cpu[i] = append(cpu[i], r.use.CPU/float64(rows)*1e6)
			acknowledged[i] = append(acknowledged[i], float64(rows)/r.acknowledged.Seconds())
			rate[i] = append(rate[i], float64(rows)/r.use.Wall.Seconds())
			bytes[i] = append(bytes[i], r.partsBytes/float64(rows))
		}
	}
	for i, k := range kinds {
		name := k.name + ": server CPU per million rows"
		if k.target > 0 {
			report.AtMost(k.target, name, harness.Median(cpu[i]), "s", cpu[i]...)
		} else {
			report.Add(name, harness.Median(cpu[i]), "s", cpu[i]...)
		}
		report.Add(k.name+": rate, until the last answer", harness.Median(acknowledged[i]), "rows/s", acknowledged[i]...)
		if !k.merged { // not in other runs: waiting for the last merge takes long
			report.Add(k.name+": rate, until the last part", harness.Median(rate[i]), "rows/s", rate[i]...)
		}
		report.Add(k.name+": size of the parts", harness.Median(bytes[i]), "bytes/row", bytes[i]...)
	}
	if o.Compressed > 0 {
		if err := o.compressed(ctx, env, report); err != nil {
			return base.Wrap(err, "compressed")
		}
	}
	if o.FlatOut > 0 {
		if err := o.flatOut(ctx, env, report); err != nil {
			return base.Wrap(err, "flat out")
		}
	}
	return env.Publish(report)
}

// fixedRun has the measurements of a run with a fixed number of rows.
type fixedRun struct {
	use harness.Use
	// acknowledged is the time from the start until the response for the last row.
	acknowledged time.Duration
	retries      int64 // number of times that the server asked for a request to be sent again
	partsBytes   float64
}

// warmShare says how many rows are sent before the measurement: the rows of the run divided by
// warmShare. They make the server allocate its memory, so that it is like a server that has run for
// a while. So the cost of fresh memory from the operating system is not measured.
const warmShare = 4

// fixed makes a run with the given number of rows, and measures it. Several writers send the rows,
// and the run ends when all rows are in parts.
func (o *Options) fixed(ctx context.Context, env *harness.Env, k kind, rows, writers int) (r fixedRun, err error) {
	flags := harness.FlushSoon(flushAge)
	if !k.merged {
		flags = append(flags, "--merge-parallel=0")
	}
	s, err := env.StartServer(ctx, flags...)
	if err != nil {
		return r, err
	}
	defer env.Finish(s, &err)
	l := newLoad(s, k, int64(rows/warmShare), o.RequestRows)
	if err := l.warm(ctx); err != nil {
		return r, err
	}
	l.left.Store(int64(rows))
	r.use, err = s.Measure(func() error {
		started := time.Now()
		if err := l.run(ctx, writers); err != nil {
			return err
		}
		r.acknowledged, r.retries = time.Since(started), l.retries.Load()
		if err := s.WaitFlushed(ctx); err != nil || !k.merged {
			return err
		}
		return s.WaitMerged(ctx)
	})
	if err != nil {
		return r, err
	}
	if err := l.check(ctx); err != nil {
		return r, err
	}
	r.partsBytes, err = s.PartsBytes(ctx)
	return r, err
}

// flatOut sends more requests than the machine can handle for some time, and counts the rows that
// the server acknowledges.
func (o *Options) flatOut(ctx context.Context, env *harness.Env, report *harness.Report) (err error) {
	s, err := env.StartServer(ctx)
	if err != nil {
		return err
	}
	defer env.Finish(s, &err)
	l := newLoad(s, kinds[0], 1<<62, o.RequestRows)
	stop := time.AfterFunc(o.FlatOut, func() { l.left.Store(0) })
	defer stop.Stop()
	use, err := s.Measure(func() error { return l.run(ctx, flatOutConnections) })
	if err != nil {
		return err
	}
	resident, err := s.PeakRSS()
	if err != nil {
		return err
	}
	if err := l.check(ctx); err != nil {
		return err
	}
	rows := float64(l.acknowledged.Load())
	report.Add("64 connections: rate", rows/use.Wall.Seconds(), "rows/s")
	report.Add("64 connections: server CPU per million rows", use.CPU/rows*1e6, "s")
	report.AtMost(0, "64 connections: acknowledged rows missing", 0, "rows")
	report.Add("64 connections: requests told to retry", float64(l.retries.Load()), "")
	report.AtMost(maxResident>>20, "64 connections: peak memory", float64(resident)/(1<<20), "MiB")
	return nil
}

// load is a number of rows that several writers send to a server.
type load struct {
	server      *harness.Server
	kind        kind
	requestRows int
	// bodies has the request bodies that no writer is sending at the moment.
	bodies chan telemetry.Body

	left         atomic.Int64
	requests     atomic.Int64
	acknowledged atomic.Int64
	retries      atomic.Int64
}

// maxBodies is the number of request bodies with different values. Their rows fill several parts.
// With fewer bodies, values would repeat within a part, and compression would look better than it
// is.
const maxBodies = 512

func newLoad(s *harness.Server, k kind, rows int64, requestRows int) *load {
	l := &load{server: s, kind: k, requestRows: requestRows, bodies: make(chan telemetry.Body, maxBodies)}
	for seed := range maxBodies {
		l.bodies <- k.newBody(seed, requestRows)
	}
	l.left.Store(rows)
	return l
}

// warm sends the rows of the load, waits until they are in parts, and then drops the table.
func (l *load) warm(ctx context.Context) error {
	if err := l.run(ctx, connections); err != nil {
		return err
	}
	if err := l.server.WaitFlushed(ctx); err != nil {
		return err
	}
	if err := l.check(ctx); err != nil {
		return err
	}
	l.acknowledged.Store(0)
	_, err := l.server.SQL(ctx, "DROP TABLE "+telemetry.Table)
	return err
}

func (l *load) run(ctx context.Context, connections int) error {
	workers, ctx := errgroup.WithContext(ctx)
	for range connections {
		workers.Go(func() error { return l.work(ctx) })
	}
	return workers.Wait()
}

func (l *load) work(ctx context.Context) error {
	client := harness.NewClient()
	defer client.CloseIdleConnections()
	for {
		if l.left.Add(-int64(l.requestRows)) < 0 {
			return nil
		}
		b := <-l.bodies
		b.Stamp(l.requests.Add(1))
		retries, err := l.server.Send(ctx, client, l.kind.path, "", b.Reader)
		l.bodies <- b
		l.retries.Add(int64(retries))
		if err != nil {
			return err
		}
		l.acknowledged.Add(int64(l.requestRows))
	}
}

// check compares the number of rows that the server stores with the number that it acknowledged. It
// returns an error if they differ.
func (l *load) check(ctx context.Context) error {
	there, err := l.server.Number(ctx, "SELECT count(*) FROM "+telemetry.Table)
	if err == nil && int64(there) != l.acknowledged.Load() {
		err = base.Errorf(base.Corrupt, "%d rows were acknowledged, but the table has %.0f", l.acknowledged.Load(), there)
	}
	return err
}
