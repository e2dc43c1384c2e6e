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
	// headroomBytes is memory that is never touched and so costs nothing but addresses. The collector
	// runs when the heap has doubled: with these bytes counted, a heap of a few megabytes may grow by
	// tens before it does. Small queries otherwise spend a tenth of their time on it.
	headroomBytes = 32 << 20
	// heapBeside is what the Go heap may hold besides patches, requests and what streams read ahead, which are seldom all full.
	heapBeside = 64 << 20

	// tooMuch and little are shares of the processor time that the collector takes: past the one the limit gives way
	// by a step, below the other it comes back by a part of one.
	tooMuch, little = 0.15, 0.03
	limitStep       = 64 << 20
	limitEvery      = 250 * time.Millisecond

	// After quietFor in which next to nothing was allocated, what the heap holds beside what was in
	// use at the last collection goes back to the system, if it is at least leastGarbage and a
	// quarter of that. The collector would keep it for minutes, as long as nobody allocates.
	quietFor     = 5 * time.Second
	quietBytes   = 1 << 20 // in limitEvery
	leastGarbage = 16 << 20
)

// tuneCollector fits Go's collector to a server of these settings until the returned function is called. The heap has a soft limit,
// lower than twice what is live; where indexes, caches and merges of many parts hold so much that the collector would run all the time, the limit gives way.
// GOMEMLIMIT overrules it.
func tuneCollector(s config.Server) (stop func() error) {
	// Of WriteMemory only patches are on the heap, up to half of it: rows are mapped beside it.
	least := int64(s.WriteMemory/2+s.RequestMemory()+s.StreamMemory) + heapBeside
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

// nextLimit returns the limit after a time in which the collector took this share of all processors.
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

// collectorSeconds returns the processor time that the collector has taken from others: not what nobody else wanted.
func collectorSeconds() float64 {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64() - samples[1].Value.Float64()
}

// heapState is what the heap holds: bytes allocated so far, in use at the last collection, and
// taken from the system beside those.
type heapState struct{ allocated, live, beside uint64 }

func readHeap() heapState {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	live, held := samples[1].Value.Uint64(), samples[2].Value.Uint64()+samples[3].Value.Uint64()
	return heapState{samples[0].Value.Uint64(), live, held - min(live, held)}
}

// quiet finds out when the heap has been left alone long enough.
type quiet struct {
	since     time.Time
	allocated uint64
}

// look looks at the heap, and reports whether it should give memory back.
func (q *quiet) look(now time.Time, h heapState) bool {
	if h.allocated-q.allocated > quietBytes {
		q.since = now
	}
	q.allocated = h.allocated
	if now.Sub(q.since) < quietFor || h.beside < max(leastGarbage, h.live/4) {
		return false
	}
	q.since = now
	return true
}
