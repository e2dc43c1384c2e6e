// Package bulk measures bulk writes with generated code in Go, Python and TypeScript. It compares
// them with hand-written ways to write the same rows, on DuckDB, PostgreSQL, SQLite and a Scoter
// server.
package bulk

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/gen/analyze/postgres"
)

// Options are the command-line options of the benchmark of bulk writes.
type Options struct {
	Rows       []int    `help:"Sizes." default:"100,1000,10000,100000,1000000"`
	Operations []string `help:"What to measure." enum:"INSERT,UPDATE,DELETE,UPSERT" default:"INSERT,UPDATE,DELETE,UPSERT"`
	Languages  []string `help:"Languages." enum:"go,python,typescript" default:"go,python,typescript"`
	Engines    []string `help:"Databases." enum:"duckdb,postgres,sqlite,scoter" default:"duckdb,postgres,sqlite,scoter"`
	Repeat     int      `help:"Counted runs of each method, in turn, after one warm-up run. Fast methods with up to 10,000 rows run three times as often, after five warm-up runs." default:"5"`
	All        bool     `help:"Also run the slow methods at every size (takes hours)."`
	Keep       bool     `help:"Keep the results of an earlier run in the output folder for other sizes, operations and databases."`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Needs Go for go, Python 3.11 with pip for python, and Node.js 20 with npm for typescript. PostgreSQL is embedded. Every run uses\n" +
		"a new table, and all columns of all rows are checked afterwards.\nExample: scoter-bench bulk --languages go --engines postgres --rows 1000,100000"
}

//go:embed *.sql scoter.yaml golang python typescript package.json package-lock.json tsconfig.json
var files embed.FS

// settings are the settings of PostgreSQL for the benchmark. With them, nothing waits for the disk,
// and nothing runs in the background during a measurement.
var settings = []string{"shared_buffers=512MB", "max_wal_size=8GB", "checkpoint_timeout=1h"}

// way is one way to write rows: an Operation such as INSERT, on an Engine (the database), with a
// Method. The method "scoter" means generated code.
type way struct {
	Engine, Operation, Method string
	// Most is the maximum number of rows with which this way is measured. It is set for slow ways.
	// 0 means no maximum.
	Most int
}

// greeting is what a benchmark program reports about itself after it has started.
type greeting struct {
	Versions map[string]string
	Ways     []way
}

// outcome is what a benchmark program reports about one run of one way to write rows.
type outcome struct {
	Millis, CPU, Allocated float64
	Sums                   []int64
}

// language is the benchmark program in one programming language. It implements all ways to write
// rows in this language.
type language struct {
	name string
	// start prepares the program in the folder dir, which has the generated code, and returns its
	// command line. The benchmark appends three arguments: the engine, the path of the database
	// file (for engines that have one), and the address of the server (for the others). The program
	// then reads lines from its standard input. It answers the line "ways" with a greeting. A line
	// that names an operation, a method and a number of rows starts a run, and the program answers
	// with an outcome.
	start func(ctx context.Context, dir string) ([]string, error)
}

var languages = []language{{"go", startGo}, {"python", startPython}, {"typescript", startTypeScript}}

// Run runs the benchmark of bulk writes and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) (err error) {
	dir, err := env.Program(ctx, files)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	urls := map[string]string{}
	if slices.Contains(o.Engines, "postgres") {
		server, err := postgres.StartServer(ctx, settings...)
		if err != nil {
			return err
		}
		defer server.Close()
		urls["postgres"] = server.URL()
	}
	if slices.Contains(o.Engines, "scoter") {
		server, err := env.StartServer(ctx)
		if err != nil {
			return err
		}
		defer env.Finish(server, &err)
		urls["scoter"] = server.URL
	}
	report := harness.NewReport("bulk", map[string]any{"repeat": o.Repeat, "settings": strings.Join(settings, ", ")})
	var ways []measured
	for _, l := range languages {
		if !slices.Contains(o.Languages, l.name) {
			continue
		}
		command, err := l.start(ctx, dir)
		if err != nil {
			return err
		}
		for _, engine := range o.Engines {
			args := append(command[1:len(command):len(command)], engine, filepath.Join(dir, l.name+"-"+engine+".db"), urls[engine])
			p, err := harness.Converse(harness.Command(ctx, dir, command[0], args...))
			if err != nil {
				return err
			}
			defer p.Close()
			var hello greeting
			if err := harness.Ask(p, "ways", func(h greeting) bool { hello = h; return false }); err != nil {
				return base.Wrap(err, "%s on %s", l.name, engine)
			}
			for name, version := range hello.Versions {
				report.Options[name] = version
			}
			for _, w := range hello.Ways {
				w.Engine = engine
				ways = append(ways, measured{way: w, language: l.name, program: p})
			}
		}
	}
	if err := o.measure(report, ways); err != nil {
		return err
	}
	if o.Keep {
		if err := report.MergeEarlier(env.Result(report)); err != nil {
			return err
		}
	}
	targets(report)
	return env.Publish(report)
}

// measured is a way to write rows, the running program that implements it, and the number of rows
// with which it is measured.
type measured struct {
	way
	language string
	program  *harness.Conversation
	rows     int
}

func (m *measured) operation() string { return m.Engine + " " + m.way.Operation }

// runs returns how many runs warm up a way to write rows (warm), and how many runs are measured
// after that (counted). With few rows both numbers are larger, because JIT compilers and other load
// on the machine then have a larger share of the time.
func (o *Options) runs(m *measured) (warm, counted int) {
	if m.rows > 10_000 || m.Most > 0 && !isGenerated(m.Method) {
		return 1, o.Repeat
	}
	return 5, 3 * o.Repeat
}

// measure measures the ways to write rows and adds the results to the report. All ways to do the
// same operation take turns, several times, so that other load on the machine affects all of them
// alike.
func (o *Options) measure(report *harness.Report, ways []measured) error {
	steps := 0
	each := func(do func(operation, engine string, rows int, of []measured) error) error {
		for _, engine := range o.Engines {
			for _, operation := range o.Operations {
				for _, rows := range o.Rows {
					var of []measured
					for _, w := range ways {
						if w.Engine == engine && w.Operation == operation && (o.All || w.Most == 0 || rows <= w.Most) {
							w.rows = rows
							of = append(of, w)
						}
					}
					if err := do(operation, engine, rows, of); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	// This call of the function named each only counts the steps, for the progress bar.
	_ = each(func(_, _ string, _ int, of []measured) error {
		for i := range of {
			warm, counted := o.runs(&of[i])
			steps += warm + counted
		}
		return nil
	})
	progress := harness.NewProgress(steps)
	defer progress.Close()
	return each(func(operation, _ string, rows int, of []measured) error {
		want := expected(operation, rows)
		last := 0
		for i := range of {
			warm, counted := o.runs(&of[i])
			last = max(last, warm+counted)
		}
		for round := range last {
			for i := range of {
				w := &of[(i+round)%len(of)]
				warm, counted := o.runs(w)
				if round >= warm+counted {
					continue
				}
				progress.Step(fmt.Sprintf("%s %d rows  %s: %s", w.operation(), rows, w.language, w.Method))
				var got outcome
				line := strings.Join([]string{operation, w.Method, strconv.Itoa(rows)}, "\t")
				if err := harness.Ask(w.program, line, func(r outcome) bool { got = r; return false }); err != nil {
					return base.Wrap(err, "%s on %s, %s of %d rows", w.language, w.Engine, w.Method, rows)
				}
				if !slices.Equal(got.Sums, want) {
					return base.Errorf(base.Internal, "%s on %s, %s %s of %d rows: the table's sums are %v, not %v", w.language, w.Engine, w.Method, operation, rows, got.Sums, want)
				}
				if round >= warm {
					report.Measure(w.operation(), w.language+": "+w.Method, rows, got.Millis, got.CPU, got.Allocated)
				}
			}
		}
		return nil
	})
}

// generated is the name of the method that means generated code, in every language. If generated
// code has several ways to write in bulk (routes), a comma and the name of the route follow.
const generated = "scoter"

func isGenerated(method string) bool {
	return method == generated || strings.HasPrefix(method, generated+", ")
}

// targets adds the targets of the benchmark to the report. A target is a ratio: the time of
// generated code divided by that of the fastest hand-written way in the same language.
func targets(r *harness.Report) {
	for i := range r.Measurements {
		m := &r.Measurements[i]
		language, method, _ := strings.Cut(m.Method, ": ")
		if method != generated {
			continue
		}
		best, name := 0.0, ""
		for _, other := range r.Measurements {
			l, way, _ := strings.Cut(other.Method, ": ")
			if other.Operation != m.Operation || other.Rows != m.Rows || l != language || isGenerated(way) {
				continue
			}
			if median := harness.Median(other.Millis); name == "" || median < best {
				best, name = median, way
			}
		}
		if name != "" {
			r.AtMost(1.1, fmt.Sprintf("%s, %s, %d rows: time to that of %s", language, m.Operation, m.Rows, name), harness.Median(m.Millis)/best, "")
		}
	}
}
