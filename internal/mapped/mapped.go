// Package mapped hands out large pieces of memory outside of Go's heap: the collector neither scans nor moves them, and C code
// may hold pointers into them.
package mapped

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scoterdb/scoter/internal/base"
)

// Memory is what the process holds of the system's memory outside of Go's heap. What is put back waits for the next who wants as much: a steady
// load faults its memory in once. On a virtual machine touching fresh memory costs more than copying rows into
// it. It is safe for concurrent use.
type Memory struct {
	keep  time.Duration
	bytes atomic.Int64

	mu      sync.Mutex
	unused  []unused    // guarded by mu; the longest unused first
	trimmer *time.Timer // guarded by mu; runs while there is unused memory
}

type unused struct {
	mem   []byte
	since time.Time
}

// Shared is the process's memory, as the heap is.
var Shared = New(30 * time.Second)

// New returns memory of which what is put back goes to the system if nobody wants it for so long.
func New(keep time.Duration) *Memory { return &Memory{keep: keep} }

// Bytes returns how much is held of the system's memory, what is unused included.
func (m *Memory) Bytes() int64 { return m.bytes.Load() }

// Get returns n bytes or up to twice as many, aligned to a page, with arbitrary contents: the smallest unused piece that fits, of these the last
// used, or a new one. A new one takes the place of unused ones, so that never much more is held than was in use at one
// time. Without memory it is Unavailable.
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

// Put takes back what Get returned. Nobody may use it afterwards.
func (m *Memory) Put(mem []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unused = append(m.unused, unused{mem, time.Now()})
	if m.trimmer == nil {
		m.trimmer = time.AfterFunc(m.keep, m.trim)
	}
}

// trim gives the system what was not used for long.
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
		panic("mapped: unmap: " + err.Error()) // only a wrong address fails: an invariant is broken
	}
	m.bytes.Add(-int64(len(mem)))
}
