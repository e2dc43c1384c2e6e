package stream

import (
	"context"
	"sync"
	"sync/atomic"
)

// quota counts the bytes of records that are read and not stored, of all sources together.
type quota struct {
	limit int64

	mu    sync.Mutex
	used  int64         // guarded by mu
	freed chan struct{} // guarded by mu; closed when some became free, and there is somebody who waits
}

// try takes bytes if there are some. A record larger than the limit gets its memory when
// nobody else has any.
func (m *quota) try(bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tryLocked(bytes)
}

func (m *quota) tryLocked(bytes int64) bool {
	if m.used > 0 && m.used+bytes > m.limit {
		return false
	}
	m.used += bytes
	return true
}

// acquire is try that waits.
func (m *quota) acquire(ctx context.Context, bytes int64) error {
	for {
		m.mu.Lock()
		if m.tryLocked(bytes) {
			m.mu.Unlock()
			return nil
		}
		if m.freed == nil {
			m.freed = make(chan struct{})
		}
		freed := m.freed
		m.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (m *quota) release(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= bytes
	if m.freed != nil {
		close(m.freed)
		m.freed = nil
	}
}

func (m *quota) inUse() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

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
