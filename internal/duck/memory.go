package duck

import (
	"context"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/duck/ext"
)

// memoryOverhead is the constant part, in bytes, of the memory that DuckDB may hold in addition to
// its own memory limit: syntax trees, plans and cached statements. The other part is half of the
// limit. Package ext lets statements that hold little memory exceed the sum by the same number of
// bytes. docs/OPERATING.md documents this.
const memoryOverhead = 32 << 20

// errMemory is the error of a statement that is ended to free memory: all statements together hold
// too much, and this one holds the most.
var errMemory = base.Errorf(base.TooLarge, "the queries that run take more memory than query_memory and the share in addition to it, and this one the most").
	WithHint("filter more, select fewer columns, run fewer queries at once, or raise query_memory")

// memoryInUse bounds the memory of all instances of the process together, since their allocations
// cannot be told apart.
var memoryInUse = memoryLimiter{running: map[*statement]bool{}}

// memoryLimiter bounds the memory that package ext counts, which is the memory of DuckDB's C++
// code.
type memoryLimiter struct {
	mu sync.Mutex
	// before is the memory that was in use when the first instance was opened, in bytes; guarded by
	// mu.
	before    int64
	allowed   int64 // maximum memory of all instances together, in bytes; guarded by mu
	unlimited int   // number of instances without a limit; guarded by mu
	// whether the goroutines watch and purgeLoop were started; guarded by mu
	watched bool
	running map[*statement]bool // the statements that are planned or run; guarded by mu
}

// statement is an SQL statement that is being planned or run.
type statement struct {
	account interface{ Bytes() int64 }
	end     context.CancelCauseFunc
	ended   bool // whether the statement was ended to free memory
}

// Memory returns how many bytes all DuckDB instances of the process hold, and their limit. Both
// include memory outside of DuckDB's buffer managers. limit is 0 if an instance has no limit. Both
// are 0 on platforms on which memory cannot be counted.
func Memory() (used, limit int64) { return memoryInUse.read() }

func (m *memoryLimiter) read() (used, allowed int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unlimited == 0 {
		allowed = m.allowed
	}
	return max(0, ext.MemoryInUse()-m.before), allowed
}

func (m *memoryLimiter) begin(s *statement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[s] = true
}

func (m *memoryLimiter) end(s *statement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, s)
}

// add raises the maximum memory of all instances by what one more instance may take. bytes is the
// limit of that instance's buffer manager; 0 means no limit.
func (m *memoryLimiter) add(bytes int64) { m.change(bytes, 1) }

// remove undoes a call of add with the same bytes, when an instance is closed.
func (m *memoryLimiter) remove(bytes int64) { m.change(bytes, -1) }

func (m *memoryLimiter) change(bytes int64, instances int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.allowed == 0 {
		m.before = ext.MemoryInUse()
	}
	if bytes == 0 {
		m.unlimited += instances
	} else {
		m.allowed += int64(instances) * (bytes + bytes/2 + memoryOverhead)
	}
	switch {
	case m.unlimited > 0 || m.allowed == 0:
		ext.LimitMemory(0)
		return
	default:
		ext.LimitMemory(m.before + m.allowed)
	}
	if !m.watched {
		m.watched = true
		go m.watch()
		go m.purgeLoop()
	}
}

// trimEvery is the interval of checks whether freed memory should be returned to the system.
// Without them the allocator would retain freed memory for seconds. Each thread retains its own, so
// the process would hold it in addition to the memory of the next queries.
const trimEvery = 50 * time.Millisecond

// retainedShare, trimAfter and trimWorth decide when memory is returned to the system. It is
// returned if the allocator retains more than 1/retainedShare of the queries' limit. If it was last
// returned more than trimAfter ago, trimWorth retained bytes are enough.
const (
	retainedShare = 8
	trimAfter     = 10 * time.Second
	trimWorth     = 8 << 20
)

// purgeLoop returns memory to the operating system after queries have freed it, if the allocator
// retains much of it. It runs until the process ends.
func (m *memoryLimiter) purgeLoop() {
	trimmed, looked := time.Now(), int64(0)
	for ; ; time.Sleep(trimEvery) {
		m.mu.Lock()
		worth := m.allowed / retainedShare
		m.mu.Unlock()
		if time.Since(trimmed) > trimAfter {
			worth = min(worth, trimWorth)
		}
		freed := ext.MemoryFreed()
		if worth == 0 || freed-looked < worth {
			continue // less than worth was freed since MemoryRetained was last called
		}
		if looked = freed; ext.MemoryRetained() > worth {
			ext.PurgeMemory()
			trimmed = time.Now()
		}
	}
}

// endInterval is how long a statement that was ended has to free its memory. After this time
// another statement is ended.
const endInterval = 200 * time.Millisecond

// watch ends the statement that holds the most memory whenever all statements together hold too
// much. It runs until the process ends.
func (m *memoryLimiter) watch() {
	for {
		ext.AwaitMemoryExcess()
		m.endLargest()
		time.Sleep(endInterval)
	}
}

func (m *memoryLimiter) endLargest() {
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
