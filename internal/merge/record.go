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

// How merges are reported. They are in the list that scoter.merges shows, and failures are also
// logged. Every failure is in the list. A failure is logged only if no failure of the same kind is
// known: a full disk makes every merge fail until there is space again, and that is one event. A
// failed merge is tried again after increasing delays. Meanwhile other parts are merged as usual.

func (s *Scheduler) begin(t *snapshot.Table, j job) *Merge {
	m := &Merge{
		Table: t.Schema.QualifiedName(), Partition: j.group.partition, Parts: len(j.plan.Sources),
		Rows: j.plan.Rows, Bytes: j.plan.Bytes, Started: s.clock.Now(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, m)
	return m
}

// ended is called at the end of a merge or mutation m (a mutation is a change that rewrites parts),
// and records that it has ended. err is nil if it succeeded.
func (s *Scheduler) ended(m *Merge, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *Merge) bool { return other == m })
	s.finished = append(s.finished, m)
	s.finished = s.finished[max(0, len(s.finished)-keepFinished):]
	m.Finished = s.clock.Now()
	if err != nil {
		m.Error = err.Error()
		s.totals.Errors++
		return
	}
	s.totals.Done++
	s.totals.Parts += int64(m.Parts)
	s.totals.Rows += m.Rows
	s.totals.Bytes += m.Bytes
	s.totals.Time += m.Finished.Sub(m.Started)
}

// end is called at the end of a merge m of the given parts. It records the end, as the method ended
// does. If the merge failed, it also sets the time from which the parts may be merged again.
func (s *Scheduler) end(ctx context.Context, m *Merge, of []subject, err error) {
	s.ended(m, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil: // Close or the caller has canceled the merge, so this is not a failure
	case err != nil:
		s.failedLocked(m, of, err)
	default:
		before := len(s.failures)
		for _, x := range of {
			delete(s.failures, x)
		}
		if before > 0 && len(s.failures) == 0 {
			s.log.Info("merges work again", "table", m.Table, "partition", m.Partition)
		}
	}
}

// failedLocked records a failure. It is recorded for the one part that caused it or, if that is
// unknown, for all parts of the merge. The caller holds mu.
func (s *Scheduler) failedLocked(m *Merge, of []subject, err error) {
	kind, known := base.KindOf(err), false
	for _, f := range s.failures {
		known = known || f.kind == kind
	}
	if !known {
		s.log.Error("merge failed; its parts are unchanged, and it will be retried", "table", m.Table, "partition", m.Partition, "error", err)
	}
	var blamed *inputError
	if errors.As(err, &blamed) {
		of = slices.DeleteFunc(slices.Clone(of), func(x subject) bool { return x.part != blamed.part })
	}
	for _, x := range of {
		f := s.failures[x]
		if f == nil {
			f = &failure{wait: s.settings.Interval / 2}
			s.failures[x] = f
		}
		f.kind, f.wait = kind, min(2*f.wait, maxBackoff)
		f.retryAt = s.clock.Now().Add(f.wait)
	}
}

// mayTry reports whether the part or table x may be merged or deduplicated now. That is so if the
// last attempt did not fail, or failed long enough ago.
func (s *Scheduler) mayTry(x subject, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failures[x]
	return f == nil || !now.Before(f.retryAt)
}

// triable returns the parts of a partition that may be merged now, as runs of adjacent parts. A
// part that may not be tried again yet is left out. It ends a run: parts before it are not merged
// with parts after it.
func (s *Scheduler) triable(parts []*catalog.Part, now time.Time) (runs [][]*catalog.Part) {
	var run []*catalog.Part
	for _, p := range slices.SortedFunc(slices.Values(parts), ingestionOrder) {
		if s.mayTry(subject{p.Table, p.ID}, now) {
			run = append(run, p)
			continue
		}
		runs, run = append(runs, run), nil
	}
	return append(runs, run)
}

// forgetGone drops the recorded failures of tables and parts that do not exist any more, because
// the snapshot does not have them.
func (s *Scheduler) forgetGone(snap *snapshot.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failures) == 0 {
		return
	}
	there := map[subject]bool{}
	for id, t := range snap.Tables {
		there[subject{table: id}] = true
		for _, p := range t.Parts {
			there[subject{id, p.ID}] = true
		}
	}
	maps.DeleteFunc(s.failures, func(x subject, _ *failure) bool { return !there[x] })
}
