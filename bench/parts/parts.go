// Package parts measures how much parts that a query does not need slow it down. It runs the same
// query over two tables. One table has many parts, of which the query needs only one. The other
// table has only that part.
package parts

import (
	"context"
	"fmt"
	"time"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
)

// Options are the command-line options of the benchmark of parts that a query does not need.
type Options struct {
	Parts  int `help:"Parts of the large table, each of one hour." default:"10000"`
	Hourly int `help:"Rows of an hour." default:"360"`
	Repeat int `help:"Queries to each table, in turn." default:"300"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "The query averages one hour; every repetition has a different text.\nExample: scoter-bench parts --parts 1000"
}

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Run runs the benchmark of parts that a query does not need and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) (err error) {
	s, err := env.StartServer(ctx, harness.FlushSoon(time.Second)...)
	if err != nil {
		return err
	}
	defer env.Finish(s, &err)
	wanted := o.Parts / 2
	if err := o.fill(ctx, s, "many", 0, o.Parts); err != nil {
		return err
	}
	if err := o.fill(ctx, s, "one", wanted, wanted+1); err != nil {
		return err
	}
	report := harness.NewReport("parts", map[string]any{"parts": o.Parts, "rows_per_part": o.Hourly, "repeat": o.Repeat})
	took := map[string][]float64{}
	cpu := map[string]float64{}
	const warmUp = 20
	for n := range o.Repeat + warmUp {
		for _, table := range []string{"many", "one"} {
			began := time.Now()
			use, err := s.Measure(func() error {
				_, err := s.SQL(ctx, o.query(table, wanted, n))
				return err
			})
			if err != nil {
				return base.Wrap(err, "table %s", table)
			}
			if n >= warmUp {
				took[table] = append(took[table], float64(time.Since(began).Microseconds())/1000)
				cpu[table] += use.CPU
			}
		}
	}
	many, one := harness.Median(took["many"]), harness.Median(took["one"])
	report.Add(fmt.Sprintf("one hour of %d parts, median", o.Parts), many, "ms")
	report.Add("one hour that is the whole table, median", one, "ms")
	report.AtMost(2, "ratio of the medians", many/one, "")
	report.Add("server CPU with many parts", cpu["many"]/float64(o.Repeat)*1000, "ms/query")
	report.Add("server CPU with one part", cpu["one"]/float64(o.Repeat)*1000, "ms/query")
	return env.Publish(report)
}

// fill creates a table with rows for the hours in [from, to), and waits until each hour is one
// part.
func (o *Options) fill(ctx context.Context, s *harness.Server, table string, from, to int) error {
	first, last := from*o.Hourly, to*o.Hourly
	for _, statement := range []string{
		fmt.Sprintf("CREATE TABLE %s (time TIMESTAMPTZ, host VARCHAR, value DOUBLE) PARTITIONED BY (hour(time)) SORTED BY (host, time)", table),
		fmt.Sprintf(`INSERT INTO %s SELECT TIMESTAMPTZ '%s' + to_microseconds(i * %d), 'host-' || i %% 10, hash(i) %% 10000 / 100 FROM range(%d, %d) t(i)`,
			table, start.Format(time.RFC3339), time.Hour.Microseconds()/int64(o.Hourly), first, last),
	} {
		if _, err := s.SQL(ctx, statement); err != nil {
			return err
		}
	}
	if err := s.WaitFlushed(ctx); err != nil {
		return err
	}
	parts, err := s.Number(ctx, fmt.Sprintf("SELECT count(*) FROM scoter.parts WHERE table_name = '%s'", table))
	if err == nil && int(parts) < to-from {
		err = base.Errorf(base.Internal, "table %s has %.0f parts instead of %d", table, parts, to-from)
	}
	return err
}

func (o *Options) query(table string, hour, n int) string {
	from := start.Add(time.Duration(hour) * time.Hour)
	to := from.Add(time.Hour - time.Duration(n+1)*time.Microsecond)
	const format = "2006-01-02 15:04:05.000000-07"
	return fmt.Sprintf("SELECT host, avg(value), max(value) FROM %s WHERE time >= '%s' AND time <= '%s' GROUP BY host ORDER BY host", table, from.Format(format), to.Format(format))
}
