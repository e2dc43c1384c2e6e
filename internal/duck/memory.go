package duck

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck/limit"
)

// What DuckDB may hold beside what its own memory limit counts: half of that, and this much for syntax trees, plans and
// statements that are kept; package limit has as much again in reserve for small statements. docs/OPERATING.md tells it.
const memoryBeside = 32 << 20

// errMemory ends the statement that holds the most when all together hold too much.
var errMemory = base.Errorf(base.TooLarge, "the queries that run take more memory than query_memory and the share beside it, and this one the most").
	WithHint("filter more, select fewer columns, run fewer queries at once, or raise query_memory")

// cppMemory is of all instances of the process: what they allocate cannot be told apart.
var cppMemory = memoryBound{running: map[*statement]bool{}}

// memoryBound bounds the memory that package limit counts.
type memoryBound struct {
	mu        sync.Mutex
	before    int64               // in use when the first instance was there; guarded by mu
	allowed   int64               // that instances may take together; guarded by mu
	unlimited int                 // instances without a limit; guarded by mu
	watched   bool                // guarded by mu
	running   map[*statement]bool // guarded by mu
}

// statement is one that is planned or runs.
type statement struct {
	account interface{ Bytes() int64 }
	end     context.CancelCauseFunc
	ended   bool // by the bound
}

// Memory returns the bytes that all instances of the process hold, and how many they may: their
// buffer managers and what is beside them. limit is 0 if an instance has none; both are 0 where
// memory is not counted.
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

// add counts an instance whose buffer manager is limited to so many bytes; 0 is no limit.
func (m *memoryBound) add(bytes int64) { m.change(bytes, 1) }

// remove takes back add.
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

// trimEvery is how often it is looked whether there is memory to give back to the system. The
// allocator would keep it for seconds, and the process would hold it beside what the next queries
// take, since each thread has its own.
const trimEvery = 50 * time.Millisecond

// Memory is given back when more than an eighth of what queries may hold is free, or trimWorth
// after trimAfter.
const (
	retainedShare = 8
	trimAfter     = 10 * time.Second
	trimWorth     = 8 << 20
)

// trim gives memory back that queries freed.
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
			continue // no more can be retained than was freed since
		}
		if looked = freed; limit.Retained() > worth {
			limit.Purge()
			trimmed = time.Now()
		}
	}
}

// relief is how long a statement that was ended has to give back its memory before the next one is ended.
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
