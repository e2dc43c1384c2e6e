package merge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Why a table is deduplicated before its parts are merged. In a table that merges on read, the
// order of rows decides which row of a key is current, and a merge loses this order. Therefore only
// deduplicated parts are merged: at most one row per key in them is not deleted. Each round first
// deduplicates the tables with new parts from flushes and loads, and the tables with tombstones to
// drop.

// isDeduplicated reports whether the part's rows are deduplicated, so that it may be merged and its
// tombstones may be dropped. Parts of tables that do not merge on read always are.
func isDeduplicated(t *snapshot.Table, p *catalog.Part) bool {
	return !t.Schema.MergeOnRead || p.MaxSeq <= t.Settled
}

// needsDeduplication reports whether the table must be deduplicated because of this part.
func (m *merger) needsDeduplication(t *snapshot.Table, p *catalog.Part) bool {
	return !isDeduplicated(t, p) || t.Schema.MergeOnRead && m.tombstonesAged(t, p, m.clock.Now()) && !m.tombstonesAged(t, p, m.inTime(t))
}

// deduplicate deduplicates all tables with parts that need it. A failure in one table does not keep
// it from the others.
func (s *Scheduler) deduplicate(ctx context.Context, eager bool) error {
	snap, err := s.merger.engine.Snapshot()
	if err != nil {
		return err
	}
	var due []*snapshot.Table
	for id, t := range snap.Tables {
		if slices.ContainsFunc(t.Parts, func(p *catalog.Part) bool { return s.merger.needsDeduplication(t, p) }) && (eager || s.mayTry(subject{table: id}, s.clock.Now())) {
			due = append(due, t)
		}
	}
	s.merger.mu.Lock()
	maps.DeleteFunc(s.merger.deduplicated, func(id base.TableID, _ time.Time) bool { return snap.Tables[id] == nil })
	s.merger.mu.Unlock()
	// Release the snapshot first: deduplication takes a while, and writers may wait for the memory
	// of other tables' rows.
	snap.Release()
	var errs []error
	for _, t := range due {
		if ctx.Err() != nil {
			break
		}
		started := s.clock.Now()
		err := s.merger.engine.Settle(ctx, t.Schema.ID)
		if err == nil {
			s.merger.mu.Lock()
			s.merger.deduplicated[t.Schema.ID] = started
			s.merger.mu.Unlock()
		}
		if kind := base.KindOf(err); err != nil && (kind == base.NotFound || kind == base.Conflict) {
			err = nil // the table was dropped or changed in the meantime
		}
		s.endDeduplication(ctx, t, started, err)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// endDeduplication records the result of a deduplication. A failure is reported as a failed merge,
// because the merge cannot take place.
func (s *Scheduler) endDeduplication(ctx context.Context, t *snapshot.Table, started time.Time, err error) {
	of := subject{table: t.Schema.ID}
	s.mu.Lock()
	failed := s.failures[of] != nil
	s.mu.Unlock()
	if err == nil && !failed {
		return
	}
	m := s.begin(t, job{group: group{table: t.Schema.ID}})
	m.Started = started
	s.end(ctx, m, []subject{of}, err)
}
