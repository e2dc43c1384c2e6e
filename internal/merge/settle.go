package merge

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// Of a table that merges on read only settled parts are merged: of the rows that came up to some edit no two that are not deleted have one key, so it
// does not matter any more which of them came first. So each round begins with settling what flushes and loads brought.

// isSettled reports whether a part may be merged, and its tombstones dropped.
func isSettled(t *snapshot.Table, p *catalog.Part) bool {
	return !t.Schema.MergeOnRead || p.MaxSeq <= t.Settled
}

// settle settles the tables that have new parts. One failure does not end the others.
func (s *Scheduler) settle(ctx context.Context, eager bool) error {
	snap, err := s.merger.engine.Snapshot()
	if err != nil {
		return err
	}
	var due []*snapshot.Table
	for id, t := range snap.Tables {
		if slices.ContainsFunc(t.Parts, func(p *catalog.Part) bool { return !isSettled(t, p) }) && (eager || s.mayTry(subject{table: id}, s.clock.Now())) {
			due = append(due, t)
		}
	}
	snap.Release() // settling takes a while, and writers may wait for the memory of other tables' rows
	var errs []error
	for _, t := range due {
		if ctx.Err() != nil {
			break
		}
		started := s.clock.Now()
		err := s.merger.engine.Settle(ctx, t.Schema.ID)
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
