package overlay

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/merge"
)

// This file measures the cost of an UPDATE in two modes. In the first mode, the UPDATE writes a
// patch (new values of some columns), which a merge later writes into the parts. In the second
// mode, the UPDATE itself rewrites the parts. Package write chooses between the modes, based on
// these measurements.

// modeShares are the shares of the rows that the measured UPDATEs change, in percent.
var modeShares = []int{1, 3, 10, 20, 30, 50, 100}

var modeUpdates = []struct{ name, set string }{
	{"1 number", "l_discount = l_discount + 0.01"},
	{"2 numbers and a text", "l_discount = l_discount + 0.01, l_tax = 0.03, l_comment = 'changed ' || l_suppkey"},
}

func (b *bench) measureModes(ctx context.Context) error {
	merges := merge.New(b.app.Engine, merge.Settings{DisableAutomatic: true}, merge.Components{Logger: slog.Default(), Constants: nil})
	defer merges.Close()
	for _, u := range modeUpdates {
		for _, share := range modeShares {
			patched, merged, err := b.inMode(ctx, merges, u.set, share, dml.Patch)
			if err != nil {
				return base.Wrap(err, "patch of %d%%", share)
			}
			rewritten, _, err := b.inMode(ctx, merges, u.set, share, dml.Rewrite)
			if err != nil {
				return base.Wrap(err, "rewrite of %d%%", share)
			}
			b.report.Add(fmt.Sprintf("%s of %d%%: patch against rewrite, processor time (%.0f ms and %.0f ms to merge / %.0f ms)",
				u.name, share, patched, merged, rewritten), patched/rewritten, "")
		}
	}
	return nil
}

// inMode measures an UPDATE of a share of the rows in one mode. It returns two processor times in
// milliseconds, each a median: that of the UPDATE until it is visible, and that of the merge after
// it.
func (b *bench) inMode(ctx context.Context, merges *merge.Scheduler, set string, share int, mode dml.UpdateMode) (visible, merged float64, err error) {
	var ofUpdate, ofMerge []float64
	for range b.Repeat {
		if err := b.copyOf(ctx, "moded", "original"); err != nil {
			return 0, 0, err
		}
		if err := merges.RunUntilIdle(ctx); err != nil {
			return 0, 0, err
		}
		name := []string{dml.Patch: "patch", dml.Rewrite: "rewrite"}[mode]
		before := processCPU()
		err := b.exec(ctx, fmt.Sprintf("UPDATE moded SET %s WHERE hash(l_orderkey, l_linenumber) %% 100 < %d WITH (mode = '%s')", set, share, name))
		if err != nil {
			return 0, 0, err
		}
		ofUpdate = append(ofUpdate, processCPU()-before)
		time.Sleep(10 * time.Millisecond) // until readers have released their snapshots
		before = processCPU()
		if err := merges.RunUntilIdle(ctx); err != nil {
			return 0, 0, err
		}
		ofMerge = append(ofMerge, processCPU()-before)
		if err := b.exec(ctx, "DROP TABLE moded"); err != nil {
			return 0, 0, err
		}
	}
	return harness.Median(ofUpdate), harness.Median(ofMerge), nil
}
