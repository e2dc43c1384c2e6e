package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/duck/ext"
	"github.com/scoterdb/scoter/internal/ledger"
)

const (
	// headroomBytes is the size of an allocation that is never used. It takes addresses but no
	// memory. Go's collector runs when the heap has doubled, and this allocation counts as heap. So
	// a heap of a few megabytes may grow by tens of megabytes before a collection. Without it,
	// small queries spend a tenth of their time in the collector.
	headroomBytes = 32 << 20
	// The heap limit is at least 1/heapShare of the memory of the process, in addition to what
	// accounts hold on the heap.
	heapShare = 16

	// tooMuch and little are shares of the processor time of the process. If the collector takes
	// more than tooMuch, the heap limit rises by limitStep. If it takes less than little, the limit
	// falls by a quarter of limitStep.
	tooMuch, little = 0.15, 0.03
	limitStep       = 64 << 20
	limitEvery      = 250 * time.Millisecond

	// If almost nothing was allocated for the time quietFor, unused heap memory is returned to the
	// operating system. This is done only if the unused memory is at least leastGarbage, and at
	// least a quarter of the live heap. Without this, Go would retain it for minutes, until new
	// allocations cause a collection.
	quietFor = 5 * time.Second
	// quietBytes is the maximum number of bytes that a quiet process allocates in the time
	// limitEvery.
	quietBytes   = 1 << 20
	leastGarbage = 16 << 20
)

// watchMemory brings the accounts of memory up to date at regular intervals, until stop is called:
// it counts the memory of DuckDB, and makes caches give back what other accounts need.
//
// The argument tunes says whether it also adapts Go's garbage collector to the accounts. Then it
// gives the heap a soft limit. Without the limit, the heap could grow to twice the largest live
// heap. If memory that no account counts needs more than the limit, the collector would run all the
// time. So the limit then rises. If GOMEMLIMIT is set, watchMemory sets no limit.
func watchMemory(memory *ledger.Ledger, tunes bool) *memoryWatch {
	w := &memoryWatch{memory: memory, done: make(chan struct{}), ended: make(chan struct{}), seconds: collectorSeconds(), since: time.Now()}
	if tunes && os.Getenv("GOMEMLIMIT") == "" {
		w.tunes, w.headroom = true, make([]byte, headroomBytes)
		w.tune(w.since)
	}
	go func() {
		defer close(w.ended)
		looks := time.NewTicker(limitEvery)
		defer looks.Stop()
		for {
			select {
			case <-w.done:
				return
			case now := <-looks.C:
				w.look(now)
			}
		}
	}()
	return w
}

type memoryWatch struct {
	memory      *ledger.Ledger
	tunes       bool
	headroom    []byte // see headroomBytes
	done, ended chan struct{}

	// Only the goroutine of watchMemory uses these fields.
	limit   int64   // present heap limit in bytes
	seconds float64 // processor time that the collector had taken at the time since
	since   time.Time
	heap    quiet
}

func (w *memoryWatch) stop() error {
	close(w.done)
	<-w.ended
	runtime.KeepAlive(w.headroom)
	return nil
}

func (w *memoryWatch) look(now time.Time) {
	observeDuckDB(w.memory)
	w.memory.Trim()
	if w.tunes {
		w.tune(now)
	}
}

// observeDuckDB counts the memory of DuckDB in the account of queries. If several databases are
// open in the process, it counts in each of them, because it cannot be divided.
func observeDuckDB(memory *ledger.Ledger) {
	used, _ := duck.Memory()
	memory.Freed.Observe(ext.MemoryRetained())
	memory.Queries.Observe(used + memory.Freed.Used())
}

// tune adapts the heap limit, and returns unused memory to the system.
func (w *memoryWatch) tune(now time.Time) {
	seconds := collectorSeconds()
	share := (seconds - w.seconds) / (max(now.Sub(w.since), time.Millisecond).Seconds() * float64(runtime.GOMAXPROCS(0)))
	w.seconds, w.since = seconds, now
	if w.heap.look(now, readHeap()) {
		debug.FreeOSMemory()
	}
	least, most := heapLimits(w.memory)
	if next := min(nextLimit(max(w.limit, least), least, share), most); next != w.limit {
		w.limit = next
		debug.SetMemoryLimit(next)
	}
}

// heapLimits returns the lowest and the highest heap limit in bytes for the present use of memory.
// The lowest has room for what accounts hold on the heap, for garbage, and for what no account
// counts. The highest is the memory that mapped rows and DuckDB leave.
func heapLimits(memory *ledger.Ledger) (least, most int64) {
	all := memory.Limits().Memory
	least = memory.Heap()*5/4 + all/heapShare
	most = all - (memory.Rows.Used() - memory.Patches.Used()) - memory.Queries.Used()
	return least, max(least, most)
}

// nextLimit returns the next heap limit in bytes: limit is the current one, and least the lowest
// possible one. share is the share of the processor time that the collector took in the last
// interval.
func nextLimit(limit, least int64, share float64) int64 {
	switch {
	case share > tooMuch:
		return limit + limitStep
	case share < little:
		return max(limit-limitStep/4, least)
	default:
		return limit
	}
}

// collectorSeconds returns the processor time that the collector has taken so far, in seconds. It
// does not include time in which the processors would have been idle.
func collectorSeconds() float64 {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64() - samples[1].Value.Float64()
}

// heapState has sizes of the heap in bytes: what was allocated since the start of the process, what
// was live at the last collection, and what is reserved from the system and not in use.
type heapState struct{ allocated, live, unused uint64 }

func readHeap() heapState {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	live, held := samples[1].Value.Uint64(), samples[2].Value.Uint64()+samples[3].Value.Uint64()
	return heapState{samples[0].Value.Uint64(), live, held - min(live, held)}
}

// quiet detects that almost nothing has been allocated for some time.
type quiet struct {
	since     time.Time
	allocated uint64
}

// look evaluates a new measurement of the heap. It returns true if unused memory should now be
// returned to the system.
func (q *quiet) look(now time.Time, h heapState) bool {
	if h.allocated-q.allocated > quietBytes {
		q.since = now
	}
	q.allocated = h.allocated
	if now.Sub(q.since) < quietFor || h.unused < max(leastGarbage, h.live/4) {
		return false
	}
	q.since = now
	return true
}
