package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/scoterdb/scoter/internal/config"
)

const (
	// headroomBytes is the size of an allocation that is never used. It takes addresses but no
	// memory. Go's collector runs when the heap has doubled, and this allocation counts as heap. So
	// a heap of a few megabytes may grow by tens of megabytes before a collection. Without it,
	// small queries spend a tenth of their time in the collector.
	headroomBytes = 32 << 20
	// heapOther is the part of the heap limit that is added to the memory for patches, requests and
	// data that Kafka sources have read ahead. It is for all other memory. It is small, because
	// patches, requests and sources rarely use all of the memory that is reserved for them.
	heapOther = 64 << 20

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

// tuneCollector adapts Go's garbage collector to a server with these settings, until the returned
// function stop is called. It gives the heap a soft limit. Without the limit, the heap could grow
// to twice the largest live heap. If indexes, caches and merges of many parts need more memory than
// the limit, the collector would run all the time. So the limit then rises. If GOMEMLIMIT is set,
// tuneCollector sets no limit.
func tuneCollector(s config.Server) (stop func() error) {
	// Of the memory for writes, only patches (new values of updated rows) are on the Go heap. They
	// take up to half of WriteMemory. Rows are in mapped memory outside of the heap.
	least := int64(s.WriteMemory/2+s.RequestMemory()+s.StreamMemory) + heapOther
	headroom, done := make([]byte, headroomBytes), make(chan struct{})
	stop = func() error {
		close(done)
		runtime.KeepAlive(headroom)
		return nil
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return stop
	}
	debug.SetMemoryLimit(least)
	go func() {
		looks := time.NewTicker(limitEvery)
		defer looks.Stop()
		limit, before, since := least, collectorSeconds(), time.Now()
		var heap quiet
		for {
			select {
			case <-done:
				return
			case <-looks.C:
			}
			now, seconds := time.Now(), collectorSeconds()
			share := (seconds - before) / (now.Sub(since).Seconds() * float64(runtime.GOMAXPROCS(0)))
			before, since = seconds, now
			if heap.look(now, readHeap()) {
				debug.FreeOSMemory()
			}
			if next := nextLimit(limit, least, share); next != limit {
				limit = next
				debug.SetMemoryLimit(limit)
			}
		}
	}()
	return stop
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
