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
// deduplicated parts are merged: among their rows, all superseded ones are deleted. Each round of
// merges first deduplicates two kinds of tables: those with new parts from flushes and loads, and
// those with tombstones (rows which say that their key is deleted) to drop.

// isDeduplicated reports whether the part's superseded rows (those that another row of the same key
// replaces) are deleted. Then the part may be merged, and its tombstones (rows which say that their
// key is deleted) may be dropped. For tables that do not merge on read it is always true.
func isDeduplicated(t *snapshot.Table, p *catalog.Part) bool {
	return !t.Schema.MergeOnRead || p.MaxSeq <= t.DedupedThrough
}

// needsDeduplication reports whether the table must be deduplicated because of the part p: p has
// rows that are not deduplicated, or tombstones (rows which say that their key is deleted) that can
// be dropped only after a deduplication.
func (m *merger) needsDeduplication(t *snapshot.Table, p *catalog.Part) bool {
	return !isDeduplicated(t, p) || t.Schema.MergeOnRead && m.tombstonesAged(t, p, m.clock.Now()) && !m.tombstonesAged(t, p, m.inTime(t))
}

// deduplicate deduplicates all tables that have parts which need it. If one table fails, the others
// are still deduplicated.
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
	// Release the snapshot first. Deduplication takes a while, and writers may wait for the memory
	// of other tables' rows, which the snapshot holds.
	snap.Release()
	var errs []error
	for _, t := range due {
		if ctx.Err() != nil {
			break
		}
		started := s.clock.Now()
		err := s.merger.engine.DeleteSuperseded(ctx, t.Schema.ID)
		if err == nil {
			s.merger.mu.Lock()
			s.merger.deduplicated[t.Schema.ID] = started
			s.merger.mu.Unlock()
		}
		if kind := base.KindOf(err); err != nil && (kind == base.NotFound || kind == base.Conflict) {
			err = nil // the table was dropped or changed meanwhile
		}
		s.endDeduplication(ctx, t, started, err)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// endDeduplication records the result of a deduplication that began at the time started. A failure
// is reported as a failed merge, because the merge cannot take place without it.
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
