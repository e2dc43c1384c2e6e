package app

import (
	"runtime"
	"testing"
	"time"
)

// TestLimitGivesWay checks the heap limit. It rises while the collector runs all the time, falls
// when the collector hardly runs, and never falls below its start.
func TestLimitGivesWay(t *testing.T) {
	const least = 400 << 20
	limit := int64(least)
	for range 10 {
		limit = nextLimit(limit, least, 0.4)
	}
	if limit <= least+5*limitStep {
		t.Errorf("the limit is %d after 10 looks at a busy collector", limit)
	}
	if got := nextLimit(limit, least, (tooMuch+little)/2); got != limit {
		t.Errorf("the limit goes to %d without need", got)
	}
	for range 100 {
		limit = nextLimit(limit, least, 0)
	}
	if limit != least {
		t.Errorf("the limit stays at %d", limit)
	}
}

func TestCollectorSecondsCount(t *testing.T) {
	before := collectorSeconds()
	for range 20 {
		runtime.GC()
	}
	if after := collectorSeconds(); after <= before {
		t.Errorf("%v seconds after collections, %v before", after, before)
	}
}

// TestMemoryGoesBackAfterABurst checks that unused memory is returned to the system once after a
// burst. It is not returned while rows or queries arrive, or if there is little of it.
func TestMemoryGoesBackAfterABurst(t *testing.T) {
	for name, c := range map[string]struct {
		// allocates is what each call of look allocates after the burst
		live, unused, allocates uint64
		want                    int
	}{
		"a burst":                  {50 << 20, 200 << 20, 1000, 1},
		"queries go on":            {50 << 20, 200 << 20, quietBytes + 1, 0},
		"little":                   {50 << 20, leastGarbage - 1, 1000, 0},
		"little of a large heap":   {4 << 30, 900 << 20, 1000, 0},
		"much of a large heap":     {4 << 30, 2 << 30, 1000, 1},
		"nothing is in use at all": {0, leastGarbage, 0, 1},
	} {
		var q quiet
		now, state, times := time.Now(), heapState{1 << 30, c.live, c.unused}, 0
		for range 100 {
			if q.look(now, state) {
				times++
				state.unused = 0
			}
			now = now.Add(limitEvery)
			state.allocated += c.allocates
		}
		if times != c.want {
			t.Errorf("%s: memory goes back %d times, want %d", name, times, c.want)
		}
	}
}

func TestTheHeapIsRead(t *testing.T) {
	before, block := readHeap(), make([]byte, 64<<20)
	runtime.GC()
	with := readHeap()
	runtime.KeepAlive(block)
	if with.live < 64<<20 || with.allocated-before.allocated < 64<<20 {
		t.Errorf("with 64 MiB more: %+v, before %+v", with, before)
	}
}
