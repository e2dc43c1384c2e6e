package server

import (
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/scoterdb/scoter/internal/version"
)

// watchBudgets adds metrics of the memory and disk space that running requests use.
func (s *Server) watchBudgets() {
	s.metrics.Gauge("scoter_request_memory_bytes", "Memory of running requests with rows.", s.budget.memory.Used)
	s.metrics.Gauge("scoter_request_memory_limit_bytes", "Limit of scoter_request_memory_bytes.", s.budget.memory.Limit)
	s.metrics.Gauge("scoter_statement_memory_bytes", "Memory of the texts of running statements.", s.statementBudget.memory.Used)
	s.metrics.Gauge("scoter_statement_memory_limit_bytes", "Limit of scoter_statement_memory_bytes.", s.statementBudget.memory.Limit)
	s.metrics.Gauge("scoter_result_space_bytes", "Disk space of results whose readers are slow.", s.results.Used)
	s.metrics.Gauge("scoter_result_space_limit_bytes", "Limit of scoter_result_space_bytes: the setting result_space.", func() int64 { return int64(s.settings.ResultSpace) })
}

// rowsWritten returns the number of rows that were inserted, updated or deleted since the server
// started.
func (s *Server) rowsWritten() (n int64) {
	for _, rows := range s.executor.Written() {
		n += rows
	}
	return n
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready answers a load balancer that asks whether the server accepts writes.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	state := s.store.Status()
	if state.Refusing != nil {
		writeError(w, s.redacted(state.Refusing))
		return
	}
	answer := map[string]any{"status": "ready"}
	if state.DamagedParts > 0 { // the server is still ready, because other tables work
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
		flushError = s.redacted(state.FlushFailing).Error()
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"version":         version.String(),
		"uptime_seconds":  int64(time.Since(s.started).Seconds()),
		"queries_running": s.queries.Running(),
		"rows_written":    s.rowsWritten(),
		"rows_returned":   s.metrics.RowsReturned(),
		"go_heap_bytes":   memory.HeapAlloc,
		"write_memory":    state.MemoryBytes,
		"request_memory":  s.budget.memory.Used(),
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
