package stream

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// memoryBudget bounds the total bytes of the records of all sources that are read and not stored.
// It uses the semaphore of x/sync, which serves waiting callers in order: a large record does not
// starve behind small ones of other sources.
type memoryBudget struct {
	limit int64
	sem   *semaphore.Weighted
	used  atomic.Int64
}

func newMemoryBudget(limit int64) *memoryBudget {
	return &memoryBudget{limit: limit, sem: semaphore.NewWeighted(limit)}
}

// clamp returns the bytes to reserve for a record: at most the whole quota. A record that is larger
// waits until no other record holds memory, and other records wait until it is released.
func (m *memoryBudget) clamp(bytes int64) int64 { return min(bytes, m.limit) }

// tryReserve reserves bytes and returns true if they are free and no other caller waits. Otherwise
// it returns false.
func (m *memoryBudget) tryReserve(bytes int64) bool {
	if !m.sem.TryAcquire(m.clamp(bytes)) {
		return false
	}
	m.used.Add(bytes)
	return true
}

// reserve reserves bytes. If they are not free, it waits for them.
func (m *memoryBudget) reserve(ctx context.Context, bytes int64) error {
	if err := m.sem.Acquire(ctx, m.clamp(bytes)); err != nil {
		return err
	}
	m.used.Add(bytes)
	return nil
}

func (m *memoryBudget) release(bytes int64) {
	m.used.Add(-bytes)
	m.sem.Release(m.clamp(bytes))
}

// Memory returns the bytes of records of all sources that are read and not stored, and their limit.
// A record larger than the limit is read alone, and exceeds it.
func (m *Manager) Memory() (used, limit int64) { return m.memory.inUse(), m.memory.limit }

func (m *memoryBudget) inUse() int64 { return m.used.Load() }

// sourceBudget is the part of a quota that one source uses.
type sourceBudget struct {
	of    *memoryBudget
	bytes atomic.Int64
}

func (s *sourceBudget) tryReserve(bytes int64) bool {
	ok := s.of.tryReserve(bytes)
	if ok {
		s.bytes.Add(bytes)
	}
	return ok
}

func (s *sourceBudget) reserve(ctx context.Context, bytes int64) error {
	err := s.of.reserve(ctx, bytes)
	if err == nil {
		s.bytes.Add(bytes)
	}
	return err
}

func (s *sourceBudget) release(bytes int64) {
	s.bytes.Add(-bytes)
	s.of.release(bytes)
}
