package app

import (
	"runtime"
	"testing"
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
