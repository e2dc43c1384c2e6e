package stream

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// quota limits the total size, in bytes, of the records of all sources that were read and are not
// stored yet. It uses the semaphore of golang.org/x/sync, which serves waiting callers in order. So
// a large record need not wait behind later small records of other sources.
type quota struct {
	limit  int64
	places *semaphore.Weighted
	used   atomic.Int64
}

func newQuota(limit int64) *quota { return &quota{limit: limit, places: semaphore.NewWeighted(limit)} }

// most returns how many bytes of the quota to reserve for a record of the given size: its size, but
// at most the whole quota. A record that is larger than the quota waits until no other record has
// memory. Other records then wait until the memory of this record is released.
func (m *quota) most(bytes int64) int64 { return min(bytes, m.limit) }

// try reserves the given number of bytes, and returns true, if they are free and no other caller
// waits. Otherwise it reserves nothing and returns false.
func (m *quota) try(bytes int64) bool {
	if !m.places.TryAcquire(m.most(bytes)) {
		return false
	}
	m.used.Add(bytes)
	return true
}

// acquire reserves the given number of bytes. If they are not free, it waits until they are, or
// until ctx ends.
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

// Memory returns the size in bytes of the records of all sources that were read and are not stored
// yet, and the limit of this size. A record that is larger than the limit is read alone. Then used
// is larger than limit.
func (m *Manager) Memory() (used, limit int64) { return m.memory.inUse(), m.memory.limit }

func (m *quota) inUse() int64 { return m.used.Load() }

// share is the part of a quota that one source uses.
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
