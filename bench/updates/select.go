package updates

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/scoterdb/scoter/bench/harness"
	"github.com/scoterdb/scoter/internal/base"
)

// selects is how often the SELECT that finds the rows of a change runs to warm up, and then how
// often it is measured.
const selects = 3

// compareWithSelect compares the time of a change in Scoter with that of the SELECT that finds the
// change's rows. It makes the change several times, each time in a new table, right after the
// SELECT. In the same table a repeated change would find no rows.
func (b *bench) compareWithSelect(ctx context.Context, kind string, change func(n int) update, deletes bool) error {
	s := b.sides[0]
	var found, took, over [10][]float64
	var fsyncs []float64
	for range b.Changes {
		b.progress.Step(kind + ": changes and the SELECT that finds their rows")
		if err := s.fill(ctx, "again", s.load("again", b.parquet)); err != nil {
			return err
		}
		fsync, err := b.fsync()
		if err != nil {
			return err
		}
		fsyncs = append(fsyncs, fsync)
		for n := range over {
			u := change(n)
			find, err := b.find(ctx, s, u, deletes)
			if err != nil {
				return err
			}
			ms, err := s.all(ctx, s.change("again", u, deletes))
			if err != nil {
				return err
			}
			found[n], took[n], over[n] = append(found[n], find), append(took[n], ms), append(over[n], (ms-fsync)/find)
		}
		if _, err := s.all(ctx, s.drop("again")); err != nil {
			return err
		}
	}
	b.report.Add(kind+": fsync of 512 bytes", harness.Median(fsyncs), "ms", fsyncs...)
	const compared = "time less a fsync to the SELECT that finds the rows"
	var medians []float64
	for n := range over {
		name := fmt.Sprintf("%s %d, Scoter: %s (%.1f ms / %.1f ms)", kind, n+1, compared, harness.Median(took[n]), harness.Median(found[n]))
		b.report.Add(name, harness.Median(over[n]), "", over[n]...)
		medians = append(medians, harness.Median(over[n]))
	}
	if name := kind + ", Scoter: " + compared + ", median of the ten"; kind == "single" {
		b.report.Add(name, harness.Median(medians), "", medians...)
	} else {
		b.report.AtMost(1.2, name, harness.Median(medians), "", medians...)
	}
	return nil
}

// find measures the SELECT that finds the rows of a change, in milliseconds. The caches are as warm
// as for the change.
func (b *bench) find(ctx context.Context, s *side, u update, deletes bool) (float64, error) {
	sql := "SELECT count(l_orderkey)"
	for i, v := range u.set {
		if !deletes {
			sql += fmt.Sprintf(", max(%s) AS v%d", v.value, i)
		}
	}
	sql += " FROM again WHERE " + u.where
	var took []float64
	for run := range 2 * selects {
		a, err := s.run(ctx, sql)
		if err != nil {
			return 0, err
		}
		if run >= selects {
			took = append(took, a.Millis)
		}
	}
	return harness.Median(took), nil
}

// fsync measures a small write and its fsync, in milliseconds, on the file system of the server's
// data.
func (b *bench) fsync() (float64, error) {
	f, err := os.Create(filepath.Join(b.server.Dir, "fsync"))
	if err != nil {
		return 0, base.Errorf(base.Unavailable, "fsync: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var took []float64
	for range 20 {
		began := time.Now()
		if _, err := f.Write(make([]byte, 512)); err != nil {
			return 0, base.Errorf(base.Unavailable, "fsync: %w", err)
		}
		if err := f.Sync(); err != nil {
			return 0, base.Errorf(base.Unavailable, "fsync: %w", err)
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	return harness.Median(took), nil
}
