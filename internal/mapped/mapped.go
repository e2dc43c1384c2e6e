// Package mapped allocates large pieces of memory outside Go's heap. The garbage collector neither
// scans nor moves this memory, and C code may hold pointers into it.
package mapped

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Memory allocates large pieces of memory outside Go's heap, and reuses pieces that were given
// back. So a steady load causes page faults only at the beginning. That matters because on a
// virtual machine the first use of fresh memory costs more than copying rows into it. Pieces that
// stay unused for some time are returned to the operating system. Memory is safe for concurrent
// use.
type Memory struct {
	keep  time.Duration
	bytes atomic.Int64

	mu sync.Mutex
	// unused has the pieces for reuse. The first one has been unused for the longest time. It is
	// guarded by mu.
	unused  []unused
	trimmer *time.Timer // timer that calls trim while there are unused pieces; guarded by mu
}

type unused struct {
	mem   []byte
	since time.Time
}

// Shared is the Memory that the whole process shares, as it shares Go's heap.
var Shared = New(30 * time.Second)

// New returns a Memory. The argument keep is the time after which the Memory returns an unused
// piece to the operating system.
func New(keep time.Duration) *Memory { return &Memory{keep: keep} }

// Bytes returns how many bytes the Memory holds from the operating system, including unused pieces.
func (m *Memory) Bytes() int64 { return m.bytes.Load() }

// Get returns a piece of n to 2n bytes, aligned to a page, with arbitrary contents. It takes the
// smallest unused piece that is large enough. Among pieces of the same size, it takes the one that
// was used last. If no unused piece is suitable, Get maps new memory, and first unmaps unused
// pieces of about n bytes. So the total stays close to the most that was ever in use at one time.
// If the operating system fails, the error is Unavailable.
func (m *Memory) Get(n int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fit := -1
	for i, u := range m.unused {
		if n <= len(u.mem) && len(u.mem) <= 2*n && (fit < 0 || len(u.mem) <= len(m.unused[fit].mem)) {
			fit = i
		}
	}
	if fit >= 0 {
		mem := m.unused[fit].mem
		m.unused = slices.Delete(m.unused, fit, fit+1)
		return mem, nil
	}
	for excess := n; excess > 0 && len(m.unused) > 0; {
		excess -= len(m.unused[0].mem)
		m.unmapOldestLocked()
	}
	mem, err := mapMemory(n)
	if err != nil {
		return nil, base.Errorf(base.Unavailable, "map %d bytes: %w", n, err)
	}
	m.bytes.Add(int64(n))
	return mem, nil
}

// Put takes back a piece that Get returned. The caller must not use the piece afterwards.
func (m *Memory) Put(mem []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unused = append(m.unused, unused{mem, time.Now()})
	if m.trimmer == nil {
		m.trimmer = time.AfterFunc(m.keep, m.trim)
	}
}

// trim returns pieces to the operating system that have been unused for the duration Memory.keep.
func (m *Memory) trim() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trimmer = nil
	now := time.Now()
	for len(m.unused) > 0 && now.Sub(m.unused[0].since) >= m.keep {
		m.unmapOldestLocked()
	}
	if len(m.unused) > 0 {
		m.trimmer = time.AfterFunc(m.unused[0].since.Add(m.keep).Sub(now), m.trim)
	}
}

func (m *Memory) unmapOldestLocked() {
	mem := m.unused[0].mem
	m.unused = slices.Delete(m.unused, 0, 1)
	if err := unmapMemory(mem); err != nil {
		// Unmapping fails only for a wrong address, which would be a defect of Scoter.
		panic("mapped: unmap: " + err.Error())
	}
	m.bytes.Add(-int64(len(mem)))
}
