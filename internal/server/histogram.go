package server

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// buckets are the upper bounds of a histogram, in seconds: from a look-up in memory to the longest query.
var buckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// histogram counts durations by buckets that Prometheus knows; those of the library are VictoriaMetrics' own.
type histogram struct {
	counts [20]atomic.Uint64 // per bucket, and above the last
	nanos  atomic.Int64      // the sum
}

func (h *histogram) observe(d time.Duration) {
	i, _ := slices.BinarySearch(buckets, d.Seconds())
	h.counts[i].Add(1)
	h.nanos.Add(int64(d))
}

// write writes the histogram under a name, for a route.
func (h *histogram) write(w io.Writer, name, route string) {
	total := uint64(0)
	for i := range h.counts {
		total += h.counts[i].Load()
		bound := "+Inf"
		if i < len(buckets) {
			bound = strconv.FormatFloat(buckets[i], 'g', -1, 64)
		}
		fmt.Fprintf(w, "%s_bucket{route=%q,le=%q} %d\n", name, route, bound, total)
	}
	fmt.Fprintf(w, "%s_sum{route=%q} %g\n", name, route, time.Duration(h.nanos.Load()).Seconds())
	fmt.Fprintf(w, "%s_count{route=%q} %d\n", name, route, total)
}

// writeDurations writes the histograms of all routes that were asked for.
func (m *serverMetrics) writeDurations(w io.Writer) {
	const name = "scoter_request_seconds"
	metrics.WriteMetadataIfNeeded(w, name, "histogram")
	for _, r := range m.routes {
		if r.answered.Load() {
			r.seconds.write(w, name, r.pattern)
		}
	}
}
