package merge

import (
	"context"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// What is told of merges: the list behind scoter.merges, and the log. A failure is in the list each
// time, in the log when its kind is news: a full disk fails every merge until there is
// space again, and that is one event.

func (s *Scheduler) begin(t *snapshot.Table, j job) *Merge {
	m := &Merge{
		Table: t.Schema.QualifiedName(), Partition: j.group.partition, Sources: len(j.plan.Sources),
		Rows: j.plan.Rows, Bytes: j.plan.Bytes, Started: s.clock.Now(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, m)
	return m
}

// ended enters how a merge or mutation ended.
func (s *Scheduler) ended(m *Merge, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *Merge) bool { return other == m })
	s.finished = append(s.finished, m)
	s.finished = s.finished[max(0, len(s.finished)-keepFinished):]
	m.Finished = s.clock.Now()
	if err != nil {
		m.Error = err.Error()
	}
}

// end is ended for a merge, and says when its group may be tried again.
func (s *Scheduler) end(ctx context.Context, m *Merge, g group, err error) {
	s.ended(m, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil: // who ended it knows
	case err != nil:
		s.failedLocked(m, g, err)
	case s.failures[g] != nil:
		delete(s.failures, g)
		if len(s.failures) == 0 {
			s.log.Info("merges work again", "table", m.Table, "partition", m.Partition)
		}
	}
}

func (s *Scheduler) failedLocked(m *Merge, g group, err error) {
	if kind := base.KindOf(err); len(s.failures) == 0 || kind != s.trouble {
		s.trouble = kind
		s.log.Error("merge failed; its parts stay as they are, and it is tried again", "table", m.Table, "partition", m.Partition, "error", err)
	}
	f := s.failures[g]
	if f == nil {
		f = &failure{wait: s.settings.Interval / 2}
		s.failures[g] = f
	}
	f.wait = min(2*f.wait, maxBackoff)
	f.retryAt = s.clock.Now().Add(f.wait)
}

// mayTry reports whether a group's last merge did not fail, or long enough ago.
func (s *Scheduler) mayTry(g group, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failures[g]
	return f == nil || !now.Before(f.retryAt)
}

// forgetDropped drops the failures of tables that are gone: nobody will try them again.
func (s *Scheduler) forgetDropped(snap *snapshot.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for g := range s.failures {
		if snap.Tables[g.table] == nil {
			delete(s.failures, g)
		}
	}
}
