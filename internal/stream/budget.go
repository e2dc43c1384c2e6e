package stream

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// memoryBudget limits the total size, in bytes, of the records of all sources that were read and
// are not stored yet. It uses the semaphore of golang.org/x/sync, which serves waiting callers in
// order. So a large record need not wait behind later small records of other sources.
type memoryBudget struct {
	limit int64
	sem   *semaphore.Weighted
	used  atomic.Int64
}

func newMemoryBudget(limit int64) *memoryBudget {
	return &memoryBudget{limit: limit, sem: semaphore.NewWeighted(limit)}
}

// clamp returns how many bytes of the budget to reserve for a record of the given size: its size,
// but at most the whole budget. A record that is larger than the budget waits until no other record
// has memory. Other records then wait until the memory of this record is released.
func (m *memoryBudget) clamp(bytes int64) int64 { return min(bytes, m.limit) }

// tryReserve reserves the given number of bytes, and returns true, if they are free and no other
// caller waits. Otherwise it reserves nothing and returns false.
func (m *memoryBudget) tryReserve(bytes int64) bool {
	if !m.sem.TryAcquire(m.clamp(bytes)) {
		return false
	}
	m.used.Add(bytes)
	return true
}

// reserve reserves the given number of bytes. If they are not free, it waits until they are, or
// until ctx ends.
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

// Memory returns the size in bytes of the records of all sources that were read and are not stored
// yet, and the limit of this size. A record that is larger than the limit is read alone. Then the
// result used is larger than the result limit.
func (m *Manager) Memory() (used, limit int64) { return m.memory.inUse(), m.memory.limit }

func (m *memoryBudget) inUse() int64 { return m.used.Load() }

// sourceBudget is the part of a memoryBudget that one source uses.
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
