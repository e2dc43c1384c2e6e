// Package javaduckdb measures bulk writes from Java into DuckDB. It compares the methods of a
// published benchmark with the code that `scoter generate` writes.
package javaduckdb

import (
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of bulk writes from Java into DuckDB.
type Options struct {
	Rows       []int    `help:"Sizes." default:"1000,5000,10000,50000,100000,500000,1000000"`
	Operations []string `help:"What to measure." enum:"INSERT,UPDATE,DELETE,UPSERT" default:"INSERT,UPDATE,DELETE,UPSERT"`
	Repeat     int      `help:"Counted runs of each method, in turn, after three or more warm-up runs. Fast methods run twice as often with up to 100,000 rows, and five times as often with up to 10,000 rows." default:"5"`
	Methods    []string `help:"Names of methods as in the report. Default: all." sep:";"`
	All        bool     `help:"Also run the slow methods at every size (takes hours)."`
	Keep       bool     `help:"Keep the results of an earlier run in the output folder for other sizes and operations."`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Needs a JDK of version 22 or newer and Maven. Every run uses a fresh copy of a database file, and all columns of all rows are checked afterwards. The benchmark takes about 12 minutes.\nExample: scoter-bench java-duckdb --rows 1000,100000"
}

//go:embed java pom.xml queries.sql scoter.yaml
var files embed.FS

// Run runs the benchmark of bulk writes from Java into DuckDB and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) error {
	program, err := env.Java(ctx, files, 22)
	if err != nil {
		return err
	}
	defer program.Close()
	report := harness.NewReport("java-duckdb", map[string]any{"repeat": o.Repeat})
	var sizes []string
	for _, n := range o.Rows {
		sizes = append(sizes, strconv.Itoa(n))
	}
	err = program.Measure(ctx, report, "-Xms4g", "-Xmx6g", "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/java.nio=ALL-UNNAMED",
		"--sun-misc-unsafe-memory-access=allow", "bench.Main", program.Dir, strconv.Itoa(o.Repeat), strconv.FormatBool(o.All),
		strings.Join(o.Operations, ","), strings.Join(sizes, ","), strings.Join(o.Methods, ";"))
	if err != nil {
		return base.Wrap(err, "java-duckdb")
	}
	if o.Keep {
		if err := report.MergeEarlier(env.Result(report)); err != nil {
			return err
		}
	}
	targets(report)
	return env.Publish(report)
}

// ratios are the targets for generated code. Each is for one operation and number of rows: the time
// of the given method, divided by the time of generated code, must be at least target.
var ratios = []struct {
	operation, method string
	rows              int
	target            float64
}{
	{"INSERT", "table function", 1_000_000, 7}, {"INSERT", "Appender", 1_000_000, 5}, {"INSERT", "table function", 100_000, 4},
	{"UPDATE", "temp table + Appender", 1_000_000, 2}, {"DELETE", "temp table + Appender", 1_000_000, 2},
	{"UPSERT", "temp table + Appender + MERGE", 1_000_000, 2.3},
}

// engine is the name of a method that copies the rows from a table in memory with a single
// statement. An application cannot write like this, but the method's time is a lower bound.
const engine = "the engine alone, rows in memory"

func targets(r *harness.Report) {
	for _, t := range ratios {
		ours, theirs := r.Measured(t.operation, "scoter", t.rows), r.Measured(t.operation, t.method, t.rows)
		if ours != nil && theirs != nil {
			r.AtLeast(t.target, fmt.Sprintf("%s %d rows: times as fast as %s", t.operation, t.rows, t.method), harness.Median(theirs.Millis)/harness.Median(ours.Millis), "")
		}
	}
	// The loop adds targets for few rows: generated code may take at most a tenth more time than
	// the best other method.
	for _, operation := range []string{"INSERT", "UPDATE", "DELETE", "UPSERT"} {
		best, ours := 0.0, 0.0
		for _, m := range r.Measurements {
			if m.Operation != operation || m.Rows != 1000 || m.Method == engine {
				continue
			}
			if v := harness.Median(m.Millis); m.Method == "scoter" {
				ours = v
			} else if best == 0 || v < best {
				best = v
			}
		}
		if best > 0 && ours > 0 {
			r.AtMost(1.1, operation+" 1000 rows: time to the best other method's", ours/best, "")
		}
	}
}
