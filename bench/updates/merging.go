package updates

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/bench/harness"
)

// warming is the number of rows that are updated before the measurement, so that the parts already
// have indexes of their keys when it begins. measuring is how long updates are measured.
const warming, measuring = 500, 4 * time.Second

// updateBurst has the measurements of single-row updates that were made over a fixed time.
type updateBurst struct {
	took    []float64 // took has the time of each update in milliseconds.
	merging float64   // merging is the share of the time (0 to 1) in which a merge ran.
}

func (r updateBurst) perSecond() float64 { return float64(len(r.took)) / measuring.Seconds() }

// The method merging measures single-row updates in two states and compares them: while merges are
// paused, and while a merge runs. The first updates give the merge something to do. Both states are
// measured in each turn, and a result is the median of the turns' ratios. So the ratio stays right
// if the machine, which others use too, is half as fast half a minute later.
func (b *bench) merging(ctx context.Context) error {
	s := b.sides[0]
	// The variable made has the measurements. The first key says whether merges run, and the second
	// key is the number of connections. The lists have one element for each turn.
	made := map[bool]map[int][]updateBurst{false: {}, true: {}}
	for range b.Repeat {
		b.progress.Step("merging: updates without merges and with")
		if err := s.fill(ctx, "changed", s.load("changed", b.parquet)); err != nil {
			return err
		}
		if err := b.rushes(ctx, made[false]); err != nil {
			return err
		}
		if err := s.restart(ctx, true); err != nil {
			return err
		}
		if err := b.rushes(ctx, made[true]); err != nil {
			return err
		}
		if _, err := s.all(ctx, s.drop("changed")); err != nil {
			return err
		}
		// Merges are paused again, so that they do not merge the next table as soon as it is
		// filled.
		if err := s.restart(ctx, false); err != nil {
			return err
		}
	}
	for _, connections := range []int{1, clients} {
		for _, merges := range []bool{false, true} {
			b.reportRushes(connections, merges, made[merges][connections])
		}
	}
	ratios := func(connections int, ratio func(with, without updateBurst) float64) (all []float64) {
		for turn, with := range made[true][connections] {
			all = append(all, ratio(with, made[false][connections][turn]))
		}
		return all
	}
	one := ratios(1, func(with, without updateBurst) float64 {
		return harness.Median(with.took) / harness.Median(without.took)
	})
	b.report.AtMost(2, "update of one row, 1 at once: median while a merge runs to that without", harness.Median(one), "", one...)
	many := ratios(clients, func(with, without updateBurst) float64 { return without.perSecond() / with.perSecond() })
	b.report.AtMost(2, fmt.Sprintf("update of one row, %d at once: rate without merges to that while one runs", clients), harness.Median(many), "", many...)
	return nil
}

// The method rushes measures single-row updates on one connection and then on several. It stores
// the measurements in the map named to, by the number of connections. Before it measures, it
// updates rows until the parts have their indexes of keys.
func (b *bench) rushes(ctx context.Context, to map[int][]updateBurst) error {
	s := b.sides[0]
	for n := range warming {
		if _, err := s.all(ctx, s.update("changed", single(n, b.Scale))); err != nil {
			return err
		}
	}
	for _, connections := range []int{1, clients} {
		r, err := b.rush(ctx, connections)
		if err != nil {
			return err
		}
		to[connections] = append(to[connections], r)
	}
	return nil
}

// rush makes single-row updates on several connections, for the time that the constant measuring
// gives.
func (b *bench) rush(ctx context.Context, connections int) (r updateBurst, err error) {
	statement := func(n int) string { return updateSQL("changed", single(n, b.Scale)) }
	watching, stop := context.WithCancel(ctx)
	both := errgroup.Group{}
	both.Go(func() (err error) {
		r.merging, err = b.watchMerges(watching)
		return err
	})
	both.Go(func() (err error) {
		defer stop()
		r.took, err = b.server.Latencies(ctx, connections, measuring, statement)
		return err
	})
	err = both.Wait()
	return r, err
}

func (b *bench) reportRushes(connections int, merges bool, rushes []updateBurst) {
	when := "merges paused"
	if merges {
		when = "a merge running"
	}
	var took, rates, shares []float64
	for _, r := range rushes {
		took, rates, shares = append(took, r.took...), append(rates, r.perSecond()), append(shares, r.merging)
	}
	name := fmt.Sprintf("update of one row, %d at once, %s", connections, when)
	b.report.Add(name+": median", harness.Median(took), "ms")
	b.report.Add(name+": 99th percentile", harness.Percentile(took, 0.99), "ms")
	b.report.Add(name+": rate", harness.Median(rates), "1/s", rates...)
	if share := name + ": share of the time in which a merge ran"; merges {
		// The measurement is valid only if a merge ran nearly all the time.
		b.report.AtLeast(0.9, share, harness.Mean(shares), "", shares...)
	} else {
		b.report.Add(share, harness.Mean(shares), "", shares...)
	}
}

// watchMerges returns the share of the time (0 to 1) in which a merge ran. It watches until ctx
// ends.
func (b *bench) watchMerges(ctx context.Context) (float64, error) {
	looks, seen := 0.0, 0.0
	for {
		running, err := b.server.Number(context.WithoutCancel(ctx), "SELECT count(*) FROM scoter.merges WHERE finished IS NULL")
		if err != nil {
			return 0, err
		}
		looks++
		if running > 0 {
			seen++
		}
		select {
		case <-ctx.Done():
			return seen / looks, nil
		case <-time.After(200 * time.Millisecond):
		}
	}
}
