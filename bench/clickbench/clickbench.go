// Package clickbench runs the 43 queries of ClickBench (a benchmark of analytical databases) over a
// table with the same columns. Each query runs through Scoter, and through a view of DuckDB over
// the same part files. Both run in turn in one process. The difference is the overhead that Scoter
// adds to DuckDB.
package clickbench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/session"
)

// Options are the command-line options of the benchmark of ClickBench.
type Options struct {
	Rows   int    `help:"Rows of the table." default:"2000000"`
	Repeat int    `help:"Runs of each query on each side, in turn; the fastest counts." default:"5"`
	Only   []int  `help:"Numbers of the queries to run, from 0; all if empty."`
	Data   string `help:"Folder that keeps the table for the next run." type:"path" placeholder:"DIR"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "A ratio of 1 means that Scoter adds nothing to DuckDB.\nExample: scoter-bench clickbench --rows 500000 --repeat 3"
}

//go:embed queries.sql
var queriesText string

const database = "default"

// insertRows is the number of rows that one INSERT statement writes.
const insertRows = 500_000

// Run runs the benchmark of ClickBench and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) (err error) {
	dir := o.Data
	if dir == "" {
		if dir, err = env.TempDir(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	settings := config.Default()
	settings.Dir, settings.QueryThreads = dir, runtime.NumCPU()
	a, err := app.Open(settings, true, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := o.load(ctx, a); err != nil {
		return base.Wrap(err, "load")
	}
	parts, err := hitsParts(a)
	if err != nil {
		return err
	}
	files := make([]string, len(parts))
	for i, p := range parts {
		files[i] = schema.QuoteString(filepath.Join(dir, "parts", fmt.Sprint(p.Table), fmt.Sprintf("%d.parquet", p.ID)))
	}
	limits, err := settings.DivideMemory()
	if err != nil {
		return err
	}
	inst, err := duck.Open(duck.Settings{
		MemoryLimitBytes: limits.QueryBuffers(), Threads: settings.QueryThreads, TempDir: filepath.Join(dir, "tmp"), ExternalAccess: true,
	})
	if err != nil {
		return err
	}
	defer inst.Close()
	conn, err := inst.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Exec("CREATE VIEW hits AS SELECT * FROM read_parquet([" + strings.Join(files, ", ") + "])"); err != nil {
		return err
	}
	scoter := func(sql string) (int64, error) { return query(ctx, a, sql) }
	view := func(sql string) (int64, error) {
		rows, err := conn.Query(ctx, sql)
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		return drain(ctx, rows.Next)
	}
	report := harness.NewReport("clickbench", map[string]any{"rows": o.Rows, "repeat": o.Repeat, "parts": len(files)})
	if err := o.compare(report, scoter, view); err != nil {
		return err
	}
	return env.Publish(report)
}

// runner runs a query to its end and returns the number of its rows.
type runner func(sql string) (int64, error)

// side has the measurements of one query with one of the two systems: Scoter, or DuckDB's view.
type side struct {
	run runner
	// best is the shortest time of a run of the query, and cpu the shortest processor time of a run
	// (maybe another one), both in milliseconds.
	best, cpu float64
	rows      int64
}

// compare runs every query with Scoter and with the view of DuckDB, and reports the ratios of their
// times.
func (o *Options) compare(report *harness.Report, scoter, view runner) error {
	var wall, cpu []float64
	worst := 0.0
	for n, sql := range strings.Split(strings.TrimSpace(queriesText), ";\n") {
		if !o.wanted(n) {
			continue
		}
		sql = strings.TrimSuffix(sql, ";")
		sides := []*side{{run: scoter}, {run: view}}
		for repetition := range o.Repeat + 1 {
			for i := range sides {
				s := sides[(i+repetition)%2] // the two systems take turns at being first
				if err := s.measure(sql, repetition); err != nil {
					return base.Wrap(err, "query %d", n)
				}
			}
		}
		if sides[0].rows != sides[1].rows {
			return base.Errorf(base.Internal, "query %d: %d rows, DuckDB alone gives %d", n, sides[0].rows, sides[1].rows)
		}
		ratio := sides[0].best / sides[1].best
		wall, cpu = append(wall, ratio), append(cpu, max(sides[0].cpu, 0.1)/max(sides[1].cpu, 0.1))
		worst = max(worst, ratio)
		report.AtMost(1.15, fmt.Sprintf("query %d: ratio (%.1f ms / %.1f ms)", n, sides[0].best, sides[1].best), ratio, "")
	}
	report.AtMost(1.02, "geometric mean of the ratios", harness.GeometricMean(wall), "", wall...)
	report.Add("geometric mean of the ratios of processor time", harness.GeometricMean(cpu), "", cpu...)
	report.AtMost(1.15, "largest ratio", worst, "")
	return nil
}

func (o *Options) wanted(n int) bool {
	for _, only := range o.Only {
		if only == n {
			return true
		}
	}
	return len(o.Only) == 0
}

// measure runs the query once and stores its measurement. The first run (repetition 0) only warms
// up and is not stored.
func (s *side) measure(sql string, repetition int) error {
	cpu, began := processCPU(), time.Now()
	rows, err := s.run(sql)
	if err != nil {
		return err
	}
	took, cpu := float64(time.Since(began).Microseconds())/1000, processCPU()-cpu
	s.rows = rows
	if repetition == 1 || repetition > 1 && took < s.best {
		s.best = took
	}
	if repetition == 1 || repetition > 1 && cpu < s.cpu {
		s.cpu = cpu
	}
	return nil
}

// processCPU returns this process's processor time in milliseconds.
func processCPU() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0 // cannot fail with these arguments
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

// query runs a query through Scoter and returns the number of its rows.
func query(ctx context.Context, a *app.App, sql string) (int64, error) {
	answer, err := a.Executor.Execute(ctx, session.Request{SQL: sql, Database: database, Role: session.Reader})
	if err != nil {
		return 0, err
	}
	defer answer.Close()
	return drain(ctx, answer.Rows.Next)
}

func drain(ctx context.Context, next func(context.Context) (arrow.RecordBatch, error)) (rows int64, err error) {
	for {
		rec, err := next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows += rec.NumRows()
		rec.Release()
	}
}

// load fills the table of the benchmark, unless the data folder has its rows already. It waits
// until all rows are in parts and no merge is left to do.
func (o *Options) load(ctx context.Context, a *app.App) error {
	if _, err := a.Engine.Lookup(database, engine.DefaultSchema, "hits"); err == nil {
		return waitMerged(ctx, a)
	}
	statements := []string{createTable}
	for from := 0; from < o.Rows; from += insertRows {
		statements = append(statements, insert(from, min(from+insertRows, o.Rows)))
	}
	for _, sql := range statements {
		answer, err := a.Executor.Execute(ctx, session.Request{SQL: sql, Database: database, Role: session.Writer})
		if err != nil {
			return err
		}
		answer.Close()
	}
	if err := a.Engine.Flush(ctx); err != nil {
		return err
	}
	return waitMerged(ctx, a)
}

// mergeRest is how long the parts must stay the same, without a running merge, until they count as
// merged. mergeLimit is the maximum time that waitMerged waits for that.
const mergeRest, mergeLimit = 10 * time.Second, 3 * time.Minute

func waitMerged(ctx context.Context, a *app.App) error {
	newest, since, began := base.RowsetID(0), time.Now(), time.Now()
	for time.Since(since) < mergeRest && time.Since(began) < mergeLimit {
		parts, err := hitsParts(a)
		if err != nil {
			return err
		}
		running, err := query(ctx, a, "FROM scoter.merges WHERE finished IS NULL")
		if err != nil {
			return err
		}
		if last := parts[len(parts)-1].ID; last != newest || running > 0 {
			newest, since = last, time.Now()
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil
}

// hitsParts returns the parts of the table hits. It returns an error if there are none.
func hitsParts(a *app.App) ([]*catalog.Part, error) {
	t, err := a.Engine.Lookup(database, engine.DefaultSchema, "hits")
	if err != nil {
		return nil, err
	}
	snap, err := a.Engine.Snapshot(t.ID)
	if err != nil {
		return nil, err
	}
	defer snap.Release()
	parts := snap.Tables[t.ID].Parts
	if len(parts) == 0 || len(snap.Tables[t.ID].Memtables) > 0 {
		return nil, base.Errorf(base.Internal, "not all rows are in parts")
	}
	return parts, nil
}
