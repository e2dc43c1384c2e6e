package app

import (
	"runtime"
	"testing"
	"time"
)

// The limit follows what the collector has to do: up where it runs all the time, back where it hardly does, never below where it began.
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

// What a large statement left goes back when the collector has had nothing to do for a while, once.
func TestHeapThatNobodyWorksOnIsGivenBack(t *testing.T) {
	var r rest
	start := time.Now()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	for _, look := range []struct {
		second       int
		cycles, held uint64
		due          bool
	}{
		{0, 1, 50 << 20, false},
		{20, 1, 60 << 20, false},  // not worth it
		{21, 2, 300 << 20, false}, // it works
		{24, 2, 300 << 20, false},
		{27, 2, 300 << 20, true},
	} {
		if got := r.due(at(look.second), look.cycles, look.held); got != look.due {
			t.Errorf("after %d seconds: %t", look.second, got)
		}
	}
	r.needed = 280 << 20 // it turned out to be needed
	if r.due(at(28), 3, 300<<20) || r.due(at(40), 3, 300<<20) {
		t.Error("what is needed is collected again")
	}
}
