package stream

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// quota bounds the total bytes of the records of all sources that are read and not stored. It uses
// the semaphore of x/sync, which serves waiting callers in order: a large record does not starve
// behind small ones of other sources.
type quota struct {
	limit  int64
	places *semaphore.Weighted
	used   atomic.Int64
}

func newQuota(limit int64) *quota { return &quota{limit: limit, places: semaphore.NewWeighted(limit)} }

// most returns the bytes to reserve for a record: at most the whole quota. A record that is larger
// waits until no other record holds memory, and other records wait until it is released.
func (m *quota) most(bytes int64) int64 { return min(bytes, m.limit) }

// try reserves bytes and returns true if they are free and no other caller waits. Otherwise it
// returns false.
func (m *quota) try(bytes int64) bool {
	if !m.places.TryAcquire(m.most(bytes)) {
		return false
	}
	m.used.Add(bytes)
	return true
}

// acquire reserves bytes. If they are not free, it waits for them.
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

// Memory returns the bytes of records of all sources that are read and not stored, and their limit.
// A record larger than the limit is read alone, and exceeds it.
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
