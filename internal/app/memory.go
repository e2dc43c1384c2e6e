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

	// restAfter is how long the collector must not have run before a heap that holds restWorth more than it needed last is
	// collected and given back. By itself Go does that after two minutes.
	restAfter = 5 * time.Second
	restWorth = 64 << 20
)

// tuneCollector fits Go's collector to a server of these settings until the returned function is called. The heap has a soft limit,
// lower than twice what is live, and goes back to the system when nothing happens for a while; where indexes, caches and merges of many parts hold so much that the collector would run all the time, the limit gives way.
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
		var idle rest
		for {
			select {
			case <-done:
				return
			case <-looks.C:
			}
			now, seconds := time.Now(), collectorSeconds()
			share := (seconds - before) / (now.Sub(since).Seconds() * float64(runtime.GOMAXPROCS(0)))
			before, since = seconds, now
			if next := nextLimit(limit, least, share); next != limit {
				limit = next
				debug.SetMemoryLimit(limit)
			}
			if cycles, held := heap(); idle.due(now, cycles, held) {
				debug.FreeOSMemory()
				_, idle.needed = heap()
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

// rest tells when a heap that nobody works on is worth collecting: a large statement leaves garbage that only the next ones would make the
// collector look at.
type rest struct {
	cycles uint64    // collections so far
	since  time.Time // when the last of them was seen
	needed uint64    // bytes that the heap held at its least
}

// due reports whether the heap, which holds so many bytes after so many collections, should be given back.
func (r *rest) due(now time.Time, cycles, held uint64) bool {
	if r.needed == 0 || held < r.needed {
		r.needed = held
	}
	if cycles != r.cycles {
		r.cycles, r.since = cycles, now
		return false
	}
	return now.Sub(r.since) >= restAfter && held >= r.needed+restWorth
}

// heap returns how many collections there were, and the bytes of objects and of free memory that the system has not got back.
func heap() (cycles, held uint64) {
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64() + samples[2].Value.Uint64()
}

// collectorSeconds returns the processor time that the collector has taken from others: not what nobody else wanted.
func collectorSeconds() float64 {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64() - samples[1].Value.Float64()
}
