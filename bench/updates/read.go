package updates

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/bench/load/lineitem"
	"github.com/scoterdb/scoter/internal/base"
)

// read measures ten queries on the changed table and on a rewritten copy of it, before and after
// merging. Then it drops both tables. If many rows were deleted, read also measures a table that
// still has all original rows. A database that reads deleted rows from its files, and only then
// leaves them out, is at best as fast as the queries on that table.
func (b *bench) read(ctx context.Context, kind string, chart *harness.Chart) error {
	if err := b.agree(ctx, kind); err != nil {
		return err
	}
	b.progress.Step(kind + ": write the rows anew")
	tables := []string{"changed", "rewritten"}
	if err := b.turn(0, func(s *side) error { return s.fill(ctx, "rewritten", s.copy("rewritten", "changed")) }); err != nil {
		return err
	}
	if kind == "delete" || kind == "delete of 10%" {
		tables = append(tables, "whole")
		if err := b.turn(0, func(s *side) error { return s.fill(ctx, "whole", s.load("whole", b.parquet)) }); err != nil {
			return err
		}
	}
	b.progress.Step(kind + ": memory of the queries")
	for _, s := range b.sides {
		if err := b.memory(ctx, kind, s); err != nil {
			return err
		}
	}
	if err := b.compare(ctx, kind, chart, b.sides, tables, 1.10, 1.25); err != nil {
		return err
	}
	var folded []*side
	for _, s := range b.sides {
		if s.merge == nil || kind != "bulk" {
			continue
		}
		if err := s.merge(ctx); err != nil {
			return base.Wrap(err, "merge of %s", s.name)
		}
		folded = append(folded, s)
	}
	if len(folded) > 0 {
		after := b.report.Chart(kind+": the same after merging", "ratio")
		if err := b.compare(ctx, kind+" after merging", after, folded, tables, 1.02, 1.10); err != nil {
			return err
		}
	}
	return b.turn(0, func(s *side) error {
		for _, table := range tables {
			if _, err := s.all(ctx, s.drop(table)); err != nil {
				return err
			}
		}
		return nil
	})
}

// agree compares the tables of all systems after the changes. It returns an error if they do not
// have the same rows.
func (b *bench) agree(ctx context.Context, kind string) error {
	var want []any
	for i, s := range b.sides {
		a, err := s.run(ctx, fmt.Sprintf(check, "changed"))
		if err != nil {
			return err
		}
		if len(a.Rows) != 1 {
			return base.Errorf(base.Internal, "%s: the check gives %d rows", s.name, len(a.Rows))
		}
		if i == 0 {
			want = a.Rows[0]
		}
		same := slices.EqualFunc(want, a.Rows[0], func(a, b any) bool {
			x, xn := a.(float64)
			y, yn := b.(float64)
			if xn && yn {
				return math.Abs(x-y) <= 1e-9*math.Abs(x)
			}
			return fmt.Sprint(a) == fmt.Sprint(b)
		})
		if !same {
			return base.Errorf(base.Internal, "%s: after the changes %s has %v, %s has %v", kind, b.sides[0].name, want, s.name, a.Rows[0])
		}
	}
	return nil
}

// memoryPasses is how many times the memory of the ten queries is measured.
const memoryPasses = 3

// memory compares the peak memory of the ten queries on the changed table with that on its
// rewritten copy. It measures several times: memory that is left over from filling the tables is
// freed at some time, and so distorts only one of the measurements.
func (b *bench) memory(ctx context.Context, kind string, s *side) error {
	tables := []string{"changed", "rewritten"}
	for _, table := range tables { // the first queries fill the caches
		if _, err := s.peak(ctx, table); err != nil {
			return err
		}
	}
	var passes []pass
	for range memoryPasses {
		p, err := forwardAndBack(tables, func(table string) (float64, error) { return s.peak(ctx, table) })
		if err != nil {
			return err
		}
		passes = append(passes, p)
	}
	changed, ratio, samples := ofPasses(passes, 0)
	rewritten, _, _ := ofPasses(passes, 1)
	name := fmt.Sprintf("%s, %s: peak memory of the queries (%.0f MB / %.0f MB)", kind, s.name, changed, rewritten)
	if s == b.sides[0] {
		b.report.AtMost(1.2, name, ratio, "", samples...)
	} else {
		b.report.Add(name, ratio, "", samples...)
	}
	return nil
}

// peak runs the ten queries on a table, and returns the system's peak memory meanwhile, in MB.
func (s *side) peak(ctx context.Context, table string) (float64, error) {
	if err := s.process().ForgetPeak(); err != nil {
		return 0, err
	}
	for _, q := range lineitem.Queries {
		if _, err := s.run(ctx, fmt.Sprintf(q, table)); err != nil {
			return 0, err
		}
	}
	peak, err := s.process().PeakRSS()
	return float64(peak) / 1e6, err
}

// compare measures each query on several tables of each system: the changed table, its rewritten
// copy, and optionally a table with all original rows. A ratio is the time on the changed table
// divided by that on the copy. For Scoter, the average and the worst ratio have targets.
//
// A ratio is the median of the ratios of several passes. A pass measures all tables directly one
// after the other. The fastest runs of two tables are not compared, because other programs may make
// the machine half as fast for seconds or a minute: one of these runs could be from such a time.
func (b *bench) compare(ctx context.Context, kind string, chart *harness.Chart, sides []*side, tables []string, average, worst float64) error {
	ratios, floors := map[*side][]float64{}, map[*side][]float64{}
	for n, q := range lineitem.Queries {
		b.progress.Step(fmt.Sprintf("%s: query %d", kind, n+1))
		passes := map[*side][]pass{}
		for turn := range b.Repeat + 1 {
			for i := range sides {
				s := sides[(i+turn)%len(sides)]
				made, err := s.passes(ctx, q, tables)
				if err != nil {
					return base.Wrap(err, "%s", s.name)
				}
				if turn > 0 { // the first pass only warms up
					passes[s] = append(passes[s], made...)
				}
			}
		}
		for _, s := range sides {
			took, ratio, samples := ofPasses(passes[s], 0)
			rewritten, _, _ := ofPasses(passes[s], 1)
			ratios[s] = append(ratios[s], ratio)
			chart.Set(s.name, fmt.Sprintf("query %d", n+1), ratio)
			b.report.Add(fmt.Sprintf("%s, %s: query %d (%.1f ms / %.1f ms)", kind, s.name, n+1, took, rewritten), ratio, "", samples...)
			if len(tables) > 2 {
				all, floor, samples := ofPasses(passes[s], 2)
				floors[s] = append(floors[s], floor)
				b.report.Add(fmt.Sprintf("%s, %s: query %d, floor: all rows are read (%.1f ms / %.1f ms)", kind, s.name, n+1, all, rewritten), floor, "", samples...)
			}
		}
	}
	for _, s := range sides {
		most := slices.Max(ratios[s])
		name := fmt.Sprintf("%s, %s: queries to rows written anew, ", kind, s.name)
		if len(floors[s]) > 0 {
			b.report.Add(name+"average of the floor", harness.Mean(floors[s]), "", floors[s]...)
		}
		if s == b.sides[0] {
			b.report.AtMost(average, name+"average", harness.Mean(ratios[s]), "", ratios[s]...)
			b.report.AtMost(worst, name+"worst", most, "")
			continue
		}
		b.report.Add(name+"average", harness.Mean(ratios[s]), "", ratios[s]...)
		b.report.Add(name+"worst", most, "")
	}
	return nil
}

// pass has, for each table, the average time of two runs of a query in milliseconds. All runs of a
// pass follow directly after each other.
type pass []float64

// forwardAndBack measures the tables in order, and then in reverse order (A B B A). So no table has
// an advantage from its position. It returns the average of the two measurements of each table.
func forwardAndBack(tables []string, measure func(table string) (float64, error)) (pass, error) {
	out := make(pass, len(tables))
	for step := range 2 * len(tables) {
		table := min(step, 2*len(tables)-1-step)
		value, err := measure(tables[table])
		if err != nil {
			return nil, err
		}
		out[table] += value / 2
	}
	return out, nil
}

// shortPasses is the number of passes that are measured at a time if a query takes less than
// shortMillis milliseconds, because chance has more influence on short queries. For a longer query,
// one pass is measured at a time.
const shortMillis, shortPasses = 40, 3

// passes measures a query on several tables, in milliseconds. Before that, it runs the query once
// without measuring, because another system may have filled the caches with its own data.
func (s *side) passes(ctx context.Context, query string, tables []string) ([]pass, error) {
	ahead, err := s.run(ctx, fmt.Sprintf(query, tables[0]))
	if err != nil {
		return nil, err
	}
	out := make([]pass, 1)
	if ahead.Millis < shortMillis {
		out = make([]pass, shortPasses)
	}
	for i := range out {
		out[i], err = forwardAndBack(tables, func(table string) (float64, error) {
			a, err := s.run(ctx, fmt.Sprintf(query, table))
			return a.Millis, err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ofPasses computes medians over passes for one table: value is the median of the table's times,
// and ratio the median of the ratios of these times to the times of the second table, the rewritten
// copy. ratios has the ratios of all passes.
func ofPasses(passes []pass, table int) (value, ratio float64, ratios []float64) {
	var all []float64
	for _, p := range passes {
		all, ratios = append(all, p[table]), append(ratios, p[table]/p[1])
	}
	return harness.Median(all), harness.Median(ratios), ratios
}
