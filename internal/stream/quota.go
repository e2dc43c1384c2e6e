package stream

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// quota counts the bytes of records that are read and not stored, of all sources together. The library is x/sync: it serves who came first, so
// that large records do not wait for ever behind small ones of other sources.
type quota struct {
	limit  int64
	places *semaphore.Weighted
	used   atomic.Int64
}

func newQuota(limit int64) *quota { return &quota{limit: limit, places: semaphore.NewWeighted(limit)} }

// most is how many bytes are counted of a record, or of what is released. A record larger than the limit gets its memory when
// nobody else has any, and nobody else gets some until it is released.
func (m *quota) most(bytes int64) int64 { return min(bytes, m.limit) }

// try takes bytes if there are some, and nobody waits for them.
func (m *quota) try(bytes int64) bool {
	if !m.places.TryAcquire(m.most(bytes)) {
		return false
	}
	m.used.Add(bytes)
	return true
}

// acquire is try that waits.
func (m *quota) acquire(ctx context.Context, bytes int64) error {
	if err := m.places.Acquire(ctx, m.most(bytes)); err != nil {
		return err
	}
	m.used.Add(bytes)
	return nil
}

func (m *quota) release(bytes int64) {
	m.used.Add(-bytes)
	m.places.Release(m.most(bytes))
}

// Memory returns the bytes of records that are read and not stored, of all sources, and how many
// there may be. Records larger than that are read one at a time, and exceed it.
func (m *Manager) Memory() (used, limit int64) { return m.memory.inUse(), m.memory.limit }

func (m *quota) inUse() int64 { return m.used.Load() }

// share is what one source has of a quota.
type share struct {
	of    *quota
	bytes atomic.Int64
}

func (s *share) try(bytes int64) bool {
	ok := s.of.try(bytes)
	if ok {
		s.bytes.Add(bytes)
	}
	return ok
}

func (s *share) acquire(ctx context.Context, bytes int64) error {
	err := s.of.acquire(ctx, bytes)
	if err == nil {
		s.bytes.Add(bytes)
	}
	return err
}

func (s *share) release(bytes int64) {
	s.bytes.Add(-bytes)
	s.of.release(bytes)
}
