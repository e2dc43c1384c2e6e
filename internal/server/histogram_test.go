package server

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestDurationsAreCountedInBucketsOfPrometheus(t *testing.T) {
	m := newMetrics()
	observe := m.route("GET /x")
	m.route("GET /never")
	for _, d := range []time.Duration{0, 100 * time.Microsecond, 101 * time.Microsecond, 300 * time.Second, time.Hour} {
		observe(d, nil)
	}
	observe(time.Second, errors.New("no"))
	var b strings.Builder
	m.writeDurations(&b)
	text := b.String()
	for _, want := range []string{
		"# TYPE scoter_request_seconds histogram\n",
		`scoter_request_seconds_bucket{route="GET /x",le="0.0001"} 2` + "\n",
		`scoter_request_seconds_bucket{route="GET /x",le="0.00025"} 3` + "\n",
		`scoter_request_seconds_bucket{route="GET /x",le="1"} 4` + "\n",
		`scoter_request_seconds_bucket{route="GET /x",le="300"} 5` + "\n",
		`scoter_request_seconds_bucket{route="GET /x",le="+Inf"} 6` + "\n",
		`scoter_request_seconds_sum{route="GET /x"} 3901.000201` + "\n",
		`scoter_request_seconds_count{route="GET /x"} 6` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "never") {
		t.Errorf("a route that nobody asked for:\n%s", text)
	}
	if len(buckets)+1 != len(histogram{}.counts) {
		t.Errorf("%d buckets, %d counts", len(buckets), len(histogram{}.counts))
	}
}
