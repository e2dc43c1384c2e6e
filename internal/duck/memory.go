package duck

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck/limit"
)

// memoryBeside is a constant part of the memory that DuckDB may take beyond its own memory limit:
// it is for syntax trees, plans and cached statements. The other part is half of the limit. Package
// limit has a reserve of the same size for small statements. docs/OPERATING.md documents this.
const memoryBeside = 32 << 20

// errMemory is the error of the statement that holds the most memory, which is ended when all
// statements together hold too much.
var errMemory = base.Errorf(base.TooLarge, "the queries that run take more memory than query_memory and the share beside it, and this one the most").
	WithHint("filter more, select fewer columns, run fewer queries at once, or raise query_memory")

// cppMemory is for all instances of the process, since their allocations cannot be told apart.
var cppMemory = memoryBound{running: map[*statement]bool{}}

// memoryBound bounds the memory that package limit counts.
type memoryBound struct {
	mu        sync.Mutex
	before    int64               // in use before the first instance was opened; guarded by mu
	allowed   int64               // the maximum for all instances together; guarded by mu
	unlimited int                 // number of instances without a limit; guarded by mu
	watched   bool                // guarded by mu
	running   map[*statement]bool // guarded by mu
}

// statement is a statement that is being planned or run.
type statement struct {
	account interface{ Bytes() int64 }
	end     context.CancelCauseFunc
	ended   bool // it was ended to free memory
}

// Memory returns the bytes that all instances of the process hold, and the limit, both including
// the memory outside of their buffer managers. limit is 0 if an instance has no limit. Both are 0
// where memory is not counted.
func Memory() (used, limit int64) { return cppMemory.read() }

func (m *memoryBound) read() (used, allowed int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unlimited == 0 {
		allowed = m.allowed
	}
	return max(0, limit.InUse()-m.before), allowed
}

func (m *memoryBound) begin(s *statement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[s] = true
}

func (m *memoryBound) end(s *statement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, s)
}

// add counts an instance whose buffer manager is limited to this many bytes; 0 means no limit.
func (m *memoryBound) add(bytes int64) { m.change(bytes, 1) }

// remove undoes add.
func (m *memoryBound) remove(bytes int64) { m.change(bytes, -1) }

func (m *memoryBound) change(bytes int64, instances int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.allowed == 0 {
		m.before = limit.InUse()
	}
	if bytes == 0 {
		m.unlimited += instances
	} else {
		m.allowed += int64(instances) * (bytes + bytes/2 + memoryBeside)
	}
	switch {
	case m.unlimited > 0 || m.allowed == 0:
		limit.SetMemory(0)
		return
	default:
		limit.SetMemory(m.before + m.allowed)
	}
	if !m.watched {
		m.watched = true
		go m.watch()
		go m.trim()
	}
}

// trimEvery is the time between checks for memory to return to the system. The allocator itself
// would retain freed memory for seconds. The process would hold it in addition to the memory of the
// next queries, since each thread has its own.
const trimEvery = 50 * time.Millisecond

// Memory is returned to the system if more than 1/retainedShare of the queries' limit is retained.
// If the last time was more than trimAfter ago, more than trimWorth is enough.
const (
	retainedShare = 8
	trimAfter     = 10 * time.Second
	trimWorth     = 8 << 20
)

// trim returns memory that queries freed to the system.
func (m *memoryBound) trim() {
	trimmed, looked := time.Now(), int64(0)
	for ; ; time.Sleep(trimEvery) {
		m.mu.Lock()
		worth := m.allowed / retainedShare
		m.mu.Unlock()
		if time.Since(trimmed) > trimAfter {
			worth = min(worth, trimWorth)
		}
		freed := limit.Freed()
		if worth == 0 || freed-looked < worth {
			continue // no more can be retained than was freed since the last check
		}
		if looked = freed; limit.Retained() > worth {
			limit.Purge()
			trimmed = time.Now()
		}
	}
}

// relief is how long an ended statement has to free its memory before the next one is ended.
const relief = 200 * time.Millisecond

// watch ends the largest statement whenever too much memory is in use.
func (m *memoryBound) watch() {
	for {
		limit.AwaitExcess()
		m.endLargest()
		time.Sleep(relief)
	}
}

func (m *memoryBound) endLargest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	var largest *statement
	for s := range m.running {
		if !s.ended && (largest == nil || s.account.Bytes() > largest.account.Bytes()) {
			largest = s
		}
	}
	if largest != nil {
		largest.ended = true
		largest.end(errMemory)
	}
}
