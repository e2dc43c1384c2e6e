// Package overlay measures how much updates and deletions of rows slow down later queries. It
// pauses merges and changes a table. Then it compares queries over this table with queries over a
// rewritten table that has the same rows.
package overlay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/load/lineitem"
	"github.com/scoterdb/scoter/internal/app"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/config"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/session"
)

// Options are the command-line options of the benchmark of changed rows.
type Options struct {
	Rows    int      `help:"Rows of the table." default:"6000000"`
	Repeat  int      `help:"Runs of each query on each side, in turn." default:"5"`
	Kinds   []string `help:"Changes to make. modes compares patches with rewritten parts." enum:"update,delete,modes" default:"update,delete,modes"`
	Singles int      `help:"Updates of one row each in the last state." default:"10000"`
}

// Help returns the help text of the benchmark's command, for kong (the library that parses the
// command line).
func (*Options) Help() string {
	return "Changed rows are spread over the whole table, which is the worst case.\nExample: scoter-bench overlay --rows 1000000 --repeat 3"
}

const database = "default"

// state says which changes are made to the table before its queries are measured.
type state struct {
	name    string
	changes []int // changes has, for each change, the number of rows that it updates or deletes.
}

func (o *Options) states() []state {
	out := []state{{"1 row", []int{1}}, {"0.01%", []int{o.Rows / 10_000}}, {"1%", []int{o.Rows / 100}}, {"10%", []int{o.Rows / 10}}}
	if o.Singles > 0 {
		singles := state{name: fmt.Sprintf("%d single rows", o.Singles)}
		for range o.Singles {
			singles.changes = append(singles.changes, 1)
		}
		out = append(out, singles)
	}
	return out
}

type bench struct {
	*Options
	app    *app.App
	report *harness.Report
	random *rand.Rand
}

// Run runs the benchmark of changed rows and publishes its report.
func (o *Options) Run(ctx context.Context, env *harness.Env) (err error) {
	dir, err := env.TempDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	settings := config.Default()
	settings.Dir, settings.QueryThreads, settings.MergeParallel = dir, runtime.NumCPU(), 0
	settings.WriteMemory = 4 << 30 // enough memory for patches of all rows
	a, err := app.Open(settings, true, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	b := &bench{o, a, harness.NewReport("overlay", map[string]any{"rows": o.Rows, "repeat": o.Repeat}), rand.New(rand.NewPCG(1, 2))}
	for _, sql := range []string{lineitem.CreateTable("original"), lineitem.Insert("original", o.Rows)} {
		if err := b.exec(ctx, sql); err != nil {
			return err
		}
	}
	for _, kind := range o.Kinds {
		if kind == "modes" {
			if err := b.measureModes(ctx); err != nil {
				return err
			}
			continue
		}
		for _, s := range o.states() {
			if err := b.measure(ctx, kind, s); err != nil {
				return base.Wrap(err, "%s of %s", kind, s.name)
			}
		}
	}
	return env.Publish(b.report)
}

func (b *bench) exec(ctx context.Context, sql string) error {
	answer, err := b.app.Executor.Execute(ctx, session.Request{SQL: sql, Database: database, Role: session.Writer})
	if err != nil {
		return base.Wrap(err, "%.60s", sql)
	}
	answer.Close()
	return nil
}

// copyOf creates a table with the given name, fills it with the rows of the table named by from,
// and waits until all rows are in parts.
func (b *bench) copyOf(ctx context.Context, name, from string) error {
	for _, sql := range []string{lineitem.CreateTable(name), fmt.Sprintf("INSERT INTO %s FROM %s ORDER BY l_orderkey, l_linenumber", name, from)} {
		if err := b.exec(ctx, sql); err != nil {
			return err
		}
	}
	return b.app.Engine.Flush(ctx)
}

// measure makes the changes of a state to a copy of the table. It compares queries over the changed
// copy with queries over a rewritten copy.
func (b *bench) measure(ctx context.Context, kind string, s state) error {
	if err := b.copyOf(ctx, "changed", "original"); err != nil {
		return err
	}
	began := time.Now()
	for _, rows := range s.changes {
		if err := b.change(ctx, "changed", kind, rows); err != nil {
			return err
		}
	}
	name := kind + " of " + s.name
	b.report.Add(name+": to make", float64(time.Since(began).Milliseconds()), "ms")
	if err := b.copyOf(ctx, "rewritten", "changed"); err != nil {
		return err
	}
	if err := b.compare(ctx, name); err != nil {
		return err
	}
	for _, table := range []string{"changed", "rewritten"} {
		if err := b.exec(ctx, "DROP TABLE "+table); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) compare(ctx context.Context, name string) error {
	var wall, cpu []float64
	worst := 0.0
	for n, sql := range lineitem.Queries {
		var took, used [2][]float64
		var first float64
		for repetition := range b.Repeat + 1 {
			for i := range 2 {
				side := (i + repetition) % 2
				table := []string{"changed", "rewritten"}[side]
				began, before := time.Now(), processCPU()
				if err := b.drain(ctx, fmt.Sprintf(sql, table)); err != nil {
					return err
				}
				ms, cpu := float64(time.Since(began).Microseconds())/1000, processCPU()-before
				// The first run is not counted, because it also reads data that later runs find in
				// caches: the footers of parts, and, for rows that were changed, the values of
				// unchanged columns.
				if repetition == 0 {
					if side == 0 {
						first = cpu
					}
					continue
				}
				took[side], used[side] = append(took[side], ms), append(used[side], cpu)
			}
		}
		ratio := harness.Median(took[0]) / harness.Median(took[1])
		ofCPU := harness.Median(used[0]) / harness.Median(used[1])
		wall, cpu = append(wall, ratio), append(cpu, ofCPU)
		worst = max(worst, ofCPU)
		b.report.Add(fmt.Sprintf("%s: query %d, processor time (%.1f ms / %.1f ms; first %.1f ms; time %.2f)", name, n+1,
			harness.Median(used[0]), harness.Median(used[1]), first, ratio), ofCPU, "")
	}
	b.report.AtMost(1.10, name+": average ratio of processor time", harness.Mean(cpu), "", cpu...)
	b.report.Add(name+": average ratio of time", harness.Mean(wall), "", wall...)
	b.report.AtMost(1.25, name+": largest ratio of processor time", worst, "")
	return nil
}

func (b *bench) drain(ctx context.Context, sql string) error {
	answer, err := b.app.Executor.Execute(ctx, session.Request{SQL: sql, Database: database, Role: session.Reader})
	if err != nil {
		return err
	}
	defer answer.Close()
	for {
		rec, err := answer.Rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		rec.Release()
	}
}

// processCPU returns this process's processor time in milliseconds.
func processCPU() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0 // cannot fail with these arguments
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

// change deletes rows of a table if kind is "delete". Otherwise it updates rows, in the same
// columns as the benchmark of updates.
func (b *bench) change(ctx context.Context, table, kind string, rows int) error {
	t, err := b.app.Engine.Lookup(database, engine.DefaultSchema, table)
	if err != nil {
		return err
	}
	snap, err := b.app.Engine.Snapshot(t.ID)
	if err != nil {
		return err
	}
	defer snap.Release()
	c := engine.Change{Table: t.ID, Deleted: map[base.RowsetID]*roaring.Bitmap{}}
	parts := snap.Tables[t.ID].Parts
	for n := rows; n > 0; {
		p := parts[b.random.IntN(len(parts))]
		if c.Deleted[p.ID] == nil {
			c.Deleted[p.ID] = roaring.New()
		}
		if c.Deleted[p.ID].CheckedAdd(uint32(b.random.Int64N(p.Rows))) {
			n--
		}
	}
	if kind == "update" {
		for id, rows := range c.Deleted {
			l := patch.Layer{Rowset: id, Ordinals: rows.ToArray()}
			var values []arrow.Array
			for _, column := range t.Columns {
				if v := b.newValues(column.Name, len(l.Ordinals)); v != nil {
					l.Columns, values = append(l.Columns, column.ID), append(values, v)
				}
			}
			l.Values = recordOf(values)
			c.Updated = append(c.Updated, l)
		}
		c.Deleted = nil
	}
	_, err = b.app.Engine.Commit(ctx, snap, []engine.Change{c}, engine.AppendOptions{})
	return err
}

// newValues returns n new values for a column of changed rows. It returns nil if updates do not set
// the column.
func (b *bench) newValues(column string, n int) arrow.Array {
	texts := map[string][]string{
		"l_returnflag": {"A", "N", "R"}, "l_linestatus": {"O", "F"}, "l_shipmode": {"AIR", "MAIL", "SHIP"},
		"l_shipinstruct": {"NONE", "COLLECT COD"}, "l_comment": {"manually set by the update", "Repricing of the order by hand"},
	}[column]
	most := map[string]int64{"l_extendedprice": 9_000_000, "l_discount": 11, "l_tax": 9}[column]
	switch {
	case texts != nil:
		builder := array.NewStringBuilder(memory.DefaultAllocator)
		for range n {
			builder.Append(texts[b.random.IntN(len(texts))])
		}
		return builder.NewArray()
	case most > 0:
		builder := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 15, Scale: 2})
		for range n {
			builder.Append(decimal128.FromI64(b.random.Int64N(most)))
		}
		return builder.NewArray()
	}
	return nil
}

func recordOf(arrays []arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(arrays))
	for i, a := range arrays {
		fields[i] = arrow.Field{Name: fmt.Sprint(i), Type: a.DataType(), Nullable: true}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}
