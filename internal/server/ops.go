package server

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/version"
)

// serverMetrics is what /metrics shows. The library is VictoriaMetrics': one small package
// without a registry's ceremony.
type serverMetrics struct {
	set     *metrics.Set
	rowsIn  *metrics.Counter
	rowsOut *metrics.Counter
	routes  []*route // complete before the first request
}

// route is what a route's requests took.
type route struct {
	pattern  string
	seconds  histogram
	answered atomic.Bool // at least one
}

func newMetrics() *serverMetrics {
	metrics.ExposeMetadata(true)
	set := metrics.NewSet()
	return &serverMetrics{set: set, rowsIn: set.NewCounter("scoter_rows_written_total"), rowsOut: set.NewCounter("scoter_rows_returned_total")}
}

// route returns a function that counts and times one route's requests.
func (m *serverMetrics) route(pattern string) func(time.Duration, error) {
	r := &route{pattern: pattern}
	m.routes = append(m.routes, r)
	return func(d time.Duration, err error) {
		r.seconds.observe(d)
		r.answered.Store(true)
		if err != nil {
			m.set.GetOrCreateCounter(fmt.Sprintf("scoter_request_errors_total{route=%q,kind=%q}", pattern, base.KindOf(err))).Inc()
		}
	}
}

func (s *Server) serveMetrics(w http.ResponseWriter, _ *http.Request, _ caller) error {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	s.metrics.set.WritePrometheus(w)
	s.metrics.writeDurations(w)
	s.writeState(w)
	s.writeSources(w)
	s.writeExports(w)
	metrics.WriteProcessMetrics(w)
	return nil
}

// writeState writes what /api/v1/status says as gauges.
func (s *Server) writeState(w io.Writer) {
	state := s.store.Status()
	writable, flushing := uint64(1), uint64(0)
	if state.Refusing != nil {
		writable = 0
	}
	if state.FlushFailing != nil {
		flushing = 1
	}
	for _, g := range []struct {
		name  string
		value uint64
	}{
		{"scoter_writable", writable},
		{"scoter_flush_failing", flushing},
		{"scoter_unflushed_generations", uint64(state.Generations)},
		{"scoter_write_memory_bytes", uint64(state.MemoryBytes)},
		{"scoter_request_memory_bytes", uint64(s.gate.used.Load())},
		{"scoter_result_space_bytes", uint64(s.results.Used())},
		{"scoter_key_index_bytes", uint64(state.KeyBytes)},
		{"scoter_mapped_bytes", uint64(state.MappedBytes)},
		{"scoter_queries_running", uint64(s.queries.Running())},
		{"scoter_damaged_parts", uint64(state.DamagedParts)},
	} {
		metrics.WriteGaugeUint64(w, g.name, g.value)
	}
	metrics.WriteCounterUint64(w, "scoter_duckdb_failures_total", uint64(s.failures()))
	metrics.WriteCounterUint64(w, "scoter_scrubbed_bytes_total", uint64(state.ScrubBytes))
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready says whether the server takes writes; a load balancer asks it.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	state := s.store.Status()
	if state.Refusing != nil {
		writeError(w, state.Refusing)
		return
	}
	answer := map[string]any{"status": "ready"}
	if state.DamagedParts > 0 { // other tables are served
		answer["damaged_parts"] = state.DamagedParts
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request, _ caller) error {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	state := s.store.Status()
	flushError := ""
	if state.FlushFailing != nil {
		flushError = state.FlushFailing.Error()
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"version":         version.String(),
		"uptime_seconds":  int64(time.Since(s.started).Seconds()),
		"queries_running": s.queries.Running(),
		"rows_written":    s.metrics.rowsIn.Get(),
		"rows_returned":   s.metrics.rowsOut.Get(),
		"go_heap_bytes":   memory.HeapAlloc,
		"write_memory":    state.MemoryBytes,
		"request_memory":  s.gate.used.Load(),
		"key_index_bytes": state.KeyBytes,
		"mapped_bytes":    state.MappedBytes,
		"unflushed":       state.Generations,
		"flush_error":     flushError,
		"damaged_parts":   state.DamagedParts,
		"writable":        state.Refusing == nil,
		"duckdb_failures": s.failures(),
	})
	return nil
}

func (s *Server) landing(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, `Scoter %s

  curl http://%[2]s/api/v1/sql --data "SHOW TABLES"
  curl http://%[2]s/api/v1/tables/default/t/rows -H "Content-Type: application/x-ndjson" --data '{"a": 1}'
  curl http://%[2]s/api/v1/status
`, version.String(), r.Host)
}
