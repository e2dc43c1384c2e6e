package updates

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scoterdb/scoter/bench/harness"
)

// warming is how many rows are updated before it counts: by then the parts have their indexes.
const warming, measuring = 500, 4 * time.Second

// merging updates single rows without merges, and while one is running.
func (b *bench) merging(ctx context.Context) error {
	s := b.sides[0]
	if err := s.fill(ctx, "changed", s.load("changed", b.parquet)); err != nil {
		return err
	}
	medians, rates := map[bool]float64{}, map[bool]float64{}
	for _, merges := range []bool{false, true} {
		if err := s.restart(ctx, merges); err != nil {
			return err
		}
		when := "merges paused"
		if merges {
			when = "a merge running"
		}
		for n := range warming {
			if _, err := s.all(ctx, s.update("changed", single(n, b.Scale))); err != nil {
				return err
			}
		}
		share := 0.0
		for _, connections := range []int{1, clients} {
			statement := func(n int) string { return updateSQL("changed", single(n, b.Scale)) }
			var took []float64
			watching, stop := context.WithCancel(ctx)
			both := errgroup.Group{}
			both.Go(func() (err error) {
				share, err = b.watchMerges(watching)
				return err
			})
			both.Go(func() (err error) {
				defer stop()
				took, err = b.server.Latencies(ctx, connections, measuring, statement)
				return err
			})
			if err := both.Wait(); err != nil {
				return err
			}
			name := fmt.Sprintf("update of one row, %d at once, %s", connections, when)
			b.report.Add(name+": median", harness.Median(took), "ms")
			b.report.Add(name+": 99th percentile", harness.Percentile(took, 0.99), "ms")
			b.report.Add(name+": rate", float64(len(took))/measuring.Seconds(), "1/s")
			b.report.Add(name+": share of the time in which a merge ran", share, "")
			if connections == 1 {
				medians[merges] = harness.Median(took)
			} else {
				rates[merges] = float64(len(took))
			}
		}
	}
	b.report.AtMost(2, "update of one row, 1 at once: median while a merge runs to that without", medians[true]/medians[false], "")
	b.report.AtMost(2, fmt.Sprintf("update of one row, %d at once: rate without merges to that while one runs", clients), rates[false]/rates[true], "")
	if err := s.restart(ctx, false); err != nil {
		return err
	}
	_, err := s.all(ctx, s.drop("changed"))
	return err
}

// watchMerges returns in which share of the time until the context ends a merge was running.
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
