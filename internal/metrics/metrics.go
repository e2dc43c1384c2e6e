// Package metrics implements the route /metrics, in the text format of Prometheus. It uses
// Prometheus's own library, which requires a help text and a type for each metric, and provides the
// usual metrics of a process and of Go.
package metrics

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/scoterdb/scoter/internal/base"
)

// buckets are the upper bounds of the buckets of histograms, in seconds. They range from a lookup
// in memory to the longest query.
var buckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// Metrics are all metrics of a server.
type Metrics struct {
	registry *prometheus.Registry
	log      *slog.Logger

	requests      *prometheus.HistogramVec
	requestErrors *prometheus.CounterVec
	queries       prometheus.Histogram
	queryErrors   *prometheus.CounterVec
	rowsReturned  atomic.Int64
}

// New returns the metrics of a server. Each time the metrics are read, it calls the functions in w.
func New(w Watched, log *slog.Logger) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), log: log,
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "scoter_request_seconds", Buckets: buckets,
			Help: "Time from a request's header to the end of its answer, by route."}, []string{"route"}),
		requestErrors: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "scoter_request_errors_total",
			Help: "Requests that were answered with an error, by route and kind of error."}, []string{"route", "kind"}),
		queries: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "scoter_query_seconds", Buckets: buckets,
			Help: "Time from a request for SQL to the end of its answer, with or without success."}),
		queryErrors: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "scoter_query_errors_total",
			Help: "Requests for SQL that failed, before or within their result, by kind of error."}, []string{"kind"}),
	}
	returned := prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "scoter_rows_returned_total", Help: "Rows of results that were sent."},
		func() float64 { return float64(m.RowsReturned()) })
	m.registry.MustRegister(m.requests, m.requestErrors, m.queries, m.queryErrors, returned, newState(w),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Gauge adds a metric whose value a function returns. The function may be called concurrently.
func (m *Metrics) Gauge(name, help string, value func() int64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

// Request counts a request to a route, the time that it took, and its error if there is one.
func (m *Metrics) Request(route string, took time.Duration, err error) {
	m.requests.WithLabelValues(route).Observe(took.Seconds())
	if err != nil {
		m.requestErrors.WithLabelValues(route, base.KindOf(err).String()).Inc()
	}
}

// Query counts a request that runs SQL, the time that it took, and its error if there is one.
func (m *Metrics) Query(took time.Duration, err error) {
	m.queries.Observe(took.Seconds())
	if err != nil {
		m.BrokenOff(err)
	}
}

// BrokenOff counts the error of a query that failed after a part of its result was sent.
func (m *Metrics) BrokenOff(err error) {
	m.queryErrors.WithLabelValues(base.KindOf(err).String()).Inc()
}

// Returned adds to the number of rows that queries returned.
func (m *Metrics) Returned(rows int64) { m.rowsReturned.Add(rows) }

// RowsReturned returns the number of rows that queries have returned.
func (m *Metrics) RowsReturned() int64 { return m.rowsReturned.Load() }

// Handler returns the handler of /metrics. If some metrics cannot be read, it sends the others and
// logs the reason.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError,
	})
}
