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

// Of a table that merges on read only settled parts are merged: of the rows that came up to some edit no two that are not deleted have one key, so it
// does not matter any more which of them came first. So each round begins with settling what flushes and loads brought, and tables with tombstones that are to go.

// isSettled reports whether a part may be merged, and its tombstones dropped.
func isSettled(t *snapshot.Table, p *catalog.Part) bool {
	return !t.Schema.MergeOnRead || p.MaxSeq <= t.Settled
}

// toSettle reports whether a part waits for its table to be settled.
func (m *merger) toSettle(t *snapshot.Table, p *catalog.Part) bool {
	return !isSettled(t, p) || t.Schema.MergeOnRead && m.tombstonesAged(t, p, m.clock.Now()) && !m.tombstonesAged(t, p, m.inTime(t))
}

// settle settles the tables that have parts which wait for it. One failure does not end the others.
func (s *Scheduler) settle(ctx context.Context, eager bool) error {
	snap, err := s.merger.engine.Snapshot()
	if err != nil {
		return err
	}
	var due []*snapshot.Table
	for id, t := range snap.Tables {
		if slices.ContainsFunc(t.Parts, func(p *catalog.Part) bool { return s.merger.toSettle(t, p) }) && (eager || s.mayTry(subject{table: id}, s.clock.Now())) {
			due = append(due, t)
		}
	}
	s.merger.mu.Lock()
	maps.DeleteFunc(s.merger.settled, func(id base.TableID, _ time.Time) bool { return snap.Tables[id] == nil })
	s.merger.mu.Unlock()
	snap.Release() // settling takes a while, and writers may wait for the memory of other tables' rows
	var errs []error
	for _, t := range due {
		if ctx.Err() != nil {
			break
		}
		started := s.clock.Now()
		err := s.merger.engine.Settle(ctx, t.Schema.ID)
		if err == nil {
			s.merger.mu.Lock()
			s.merger.settled[t.Schema.ID] = started
			s.merger.mu.Unlock()
		}
		if kind := base.KindOf(err); err != nil && (kind == base.NotFound || kind == base.Conflict) {
			err = nil // dropped or changed meanwhile
		}
		s.settled(ctx, t, started, err)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// settled keeps account of a settling: a failure is told as that of a merge, which does not take place.
func (s *Scheduler) settled(ctx context.Context, t *snapshot.Table, started time.Time, err error) {
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
