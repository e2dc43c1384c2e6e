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
	// headroomBytes is the size of memory that is never touched, so it uses only addresses. The
	// collector runs when the heap has doubled. With these bytes counted, a heap of a few megabytes
	// may grow by tens of megabytes before a collection. Without them, small queries spend a tenth
	// of their time in the collector.
	headroomBytes = 32 << 20
	// heapOther is the heap memory in addition to patches, requests and the read-ahead of streams,
	// which are rarely all full.
	heapOther = 64 << 20

	// tooMuch and little are shares of the processor time that the collector takes. Above tooMuch
	// the memory limit rises by limitStep. Below little it falls by a part of limitStep.
	tooMuch, little = 0.15, 0.03
	limitStep       = 64 << 20
	limitEvery      = 250 * time.Millisecond

	// If almost nothing was allocated for quietFor, unused heap memory is returned to the operating
	// system, if it is at least leastGarbage and a quarter of the live heap. Without this the
	// collector would retain it for minutes, until new allocations trigger it.
	quietFor     = 5 * time.Second
	quietBytes   = 1 << 20 // per limitEvery
	leastGarbage = 16 << 20
)

// tuneCollector adapts Go's garbage collector to a server with these settings, until the returned
// function is called. The heap has a soft limit below twice the live heap. The limit rises if
// indexes, caches and merges of many parts need so much memory that the collector would run all the
// time. GOMEMLIMIT overrides all of this.
func tuneCollector(s config.Server) (stop func() error) {
	// Only patches are on the heap, up to half of WriteMemory. Rows are in mapped memory outside of
	// the heap.
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

// nextLimit returns the limit after an interval in which the collector took the given share of all
// processors.
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

// collectorSeconds returns the processor time of the collector, except the time that would have
// been idle otherwise.
func collectorSeconds() float64 {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64() - samples[1].Value.Float64()
}

// heapState has the state of the heap in bytes: allocated since the start of the process, in use at
// the last collection, and reserved from the system but not in use.
type heapState struct{ allocated, live, unused uint64 }

func readHeap() heapState {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	live, held := samples[1].Value.Uint64(), samples[2].Value.Uint64()+samples[3].Value.Uint64()
	return heapState{samples[0].Value.Uint64(), live, held - min(live, held)}
}

// quiet detects that almost nothing has been allocated for a while.
type quiet struct {
	since     time.Time
	allocated uint64
}

// look updates the state with a new measurement, and reports whether the heap should return memory
// to the system.
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
