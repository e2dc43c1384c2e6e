package metrics

import (
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scoterdb/scoter/internal/duck"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/export"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/merge"
	"github.com/scoterdb/scoter/internal/stream"
	"github.com/scoterdb/scoter/internal/version"
)

// Store is the part of the engine that the metrics read.
type Store interface {
	Status() engine.Status
	Totals() engine.Totals
	Disk() (engine.Disk, error)
}

// Watched are the components of a server whose state the metrics show. All of them are safe for
// concurrent use.
type Watched struct {
	Store   Store
	Merges  func() merge.Totals
	Sources func() []stream.Status
	Exports func() []export.Status
	Written func() map[string]int64 // rows written so far, by interface: http, sql or kafka
	Running func() int              // number of requests that run SQL
	// Waiting returns the number of queries that wait until fewer than max_queries queries run.
	Waiting  func() int
	Memory   func() []ledger.Stats // accounts of memory, and memory that no account counts
	Failures func() int64          // number of failures of DuckDB
}

// seen is what the metrics show of a server at one point in time.
type seen struct {
	engine.Status
	engine.Totals
	merges           merge.Totals
	running, waiting int
	failures         int64
	queryMemory      int64
	queryMemoryLimit int64
	memory           []ledger.Stats
}

// measure is a metric with one value.
type measure struct {
	name, help string
	kind       prometheus.ValueType
	value      func(s *seen) float64
}

func flag(set bool) float64 {
	if set {
		return 1
	}
	return 0
}

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

var measures = []measure{
	{"scoter_writable", "1 if writes are accepted, 0 if they are refused; /readyz says why.", gauge, func(s *seen) float64 { return flag(s.Refusing == nil) }},
	{"scoter_flush_failing", "1 if the last flush failed.", gauge, func(s *seen) float64 { return flag(s.FlushFailing != nil) }},
	{"scoter_unflushed_generations", "Generations that wait to be flushed to parts.", gauge, func(s *seen) float64 { return float64(s.Generations) }},
	{"scoter_damaged_parts", "Parts with damage that was found.", gauge, func(s *seen) float64 { return float64(s.DamagedParts) }},
	{"scoter_scrubbed_bytes_total", "Bytes of parts that were read in the background and compared with their checksums.", counter,
		func(s *seen) float64 { return float64(s.ScrubBytes) }},

	{"scoter_tables", "Tables.", gauge, func(s *seen) float64 { return float64(s.Tables) }},
	{"scoter_memory_rows", "Rows that are not in a part yet.", gauge, func(s *seen) float64 { return float64(s.MemoryRows) }},
	{"scoter_parts", "Parts of all tables.", gauge, func(s *seen) float64 { return float64(s.Parts) }},
	{"scoter_part_rows", "Rows in parts, including deleted rows.", gauge, func(s *seen) float64 { return float64(s.PartRows) }},
	{"scoter_part_bytes", "Bytes of parts.", gauge, func(s *seen) float64 { return float64(s.PartBytes) }},

	{"scoter_flushes_total", "Flushes of rows from memory to parts that succeeded.", counter, func(s *seen) float64 { return float64(s.Flushes.Count) }},
	{"scoter_flush_seconds_total", "Time of the flushes that succeeded.", counter, func(s *seen) float64 { return s.Flushes.Total.Seconds() }},
	{"scoter_flush_errors_total", "Flushes that failed; they are tried again.", counter, func(s *seen) float64 { return float64(s.FlushErrors) }},

	{"scoter_merges_running", "Running merges, and changes that rewrite parts.", gauge, func(s *seen) float64 { return float64(s.merges.Running) }},
	{"scoter_merges_total", "Merges, and changes that rewrote parts, that succeeded.", counter, func(s *seen) float64 { return float64(s.merges.Done) }},
	{"scoter_merge_errors_total", "Merges that failed; they are tried again.", counter, func(s *seen) float64 { return float64(s.merges.Errors) }},
	{"scoter_merge_seconds_total", "Time of the merges that succeeded.", counter, func(s *seen) float64 { return s.merges.Time.Seconds() }},
	{"scoter_merged_parts_total", "Parts that merges replaced.", counter, func(s *seen) float64 { return float64(s.merges.Parts) }},
	{"scoter_merged_rows_total", "Rows of parts that merges replaced.", counter, func(s *seen) float64 { return float64(s.merges.Rows) }},
	{"scoter_merged_bytes_total", "Bytes of parts that merges replaced.", counter, func(s *seen) float64 { return float64(s.merges.Bytes) }},

	{"scoter_write_memory_bytes", "Memory of rows that are not in a part yet and of changes of rows.", gauge, func(s *seen) float64 { return float64(s.MemoryBytes) }},
	{"scoter_write_memory_limit_bytes", "Limit of scoter_write_memory_bytes.", gauge, func(s *seen) float64 { return float64(s.MemoryLimit) }},
	{"scoter_key_index_bytes", "Memory of indexes of the keys of parts.", gauge, func(s *seen) float64 { return float64(s.KeyBytes) }},
	{"scoter_key_index_limit_bytes", "Limit of scoter_key_index_bytes, unless a single part takes more.", gauge, func(s *seen) float64 { return float64(s.KeyLimit) }},
	{"scoter_mapped_bytes", "Mapped memory outside of Go's heap and DuckDB's memory, including unused memory.", gauge, func(s *seen) float64 { return float64(s.MappedBytes) }},
	{"scoter_query_memory_bytes", "Memory that DuckDB uses for queries, including caches. Linux only, 0 elsewhere.", gauge,
		func(s *seen) float64 { return float64(s.queryMemory) }},
	{"scoter_query_memory_limit_bytes", "Memory of DuckDB above which queries fail: one and a half times the setting query_memory, plus 32 MiB.", gauge,
		func(s *seen) float64 { return float64(s.queryMemoryLimit) }},
	{"scoter_stream_memory_bytes", "Memory of Kafka records that are not stored yet.", gauge, func(s *seen) float64 { return float64(s.account("streams").Used) }},
	{"scoter_stream_memory_limit_bytes", "Limit of scoter_stream_memory_bytes.", gauge, func(s *seen) float64 { return float64(s.account("streams").Limit) }},

	{"scoter_queries_running", "Running requests for SQL, including those that wait.", gauge, func(s *seen) float64 { return float64(s.running) }},
	{"scoter_queries_waiting", "Queries that wait because max_queries are running.", gauge, func(s *seen) float64 { return float64(s.waiting) }},
	{"scoter_duckdb_failures_total", "Times that DuckDB failed because of an internal error and was replaced.", counter, func(s *seen) float64 { return float64(s.failures) }},
}

// state is a Prometheus collector. When Prometheus asks for the metrics, it reads them from a
// server's components.
type state struct {
	watched  Watched
	measures []*prometheus.Desc
	sources  []*prometheus.Desc
	exports  []*prometheus.Desc
}

var (
	rowsWritten = prometheus.NewDesc("scoter_rows_written_total",
		"Rows that were inserted, updated or deleted, by interface: http (rows), sql, or kafka.", []string{"way"}, nil)
	memoryUsed    = prometheus.NewDesc("scoter_memory_bytes", "Memory in use, by account, and memory that no account counts; see scoter.memory.", []string{"account"}, nil)
	memoryLimit   = prometheus.NewDesc("scoter_memory_limit_bytes", "Limits of the accounts of memory. The limits of caches depend on what other accounts use.", []string{"account"}, nil)
	memoryWaiting = prometheus.NewDesc("scoter_memory_waiting", "Requests and sources that wait for memory, by account.", []string{"account"}, nil)
	memoryRefused = prometheus.NewDesc("scoter_memory_refused_total", "Requests that did not get memory, by account.", []string{"account"}, nil)
	logSyncs      = prometheus.NewDesc("scoter_log_fsync_seconds", "Time of fsyncs of the write-ahead log.", nil, nil)
	build         = prometheus.NewDesc("scoter_build_info", "1, with the versions of this build.", []string{"version", "commit", "go_version", "duckdb_version"}, nil)
	diskFree      = prometheus.NewDesc("scoter_disk_free_bytes", "Free bytes on the disk of the data directory.", nil, nil)
	diskUsed      = prometheus.NewDesc("scoter_disk_used_bytes",
		"Bytes of the data directory: parts, patches, log, catalog, temporary (what queries spilled), reserve (space for deleting on a full disk).", []string{"what"}, nil)
	logBytes    = prometheus.NewDesc("scoter_log_bytes", "Bytes of the write-ahead log on disk, including preallocated bytes.", nil, nil)
	logSegments = prometheus.NewDesc("scoter_log_segments", "Segments of the write-ahead log.", nil, nil)
)

func newState(w Watched) *state {
	s := &state{watched: w}
	for _, m := range measures {
		s.measures = append(s.measures, prometheus.NewDesc(m.name, m.help, nil, nil))
	}
	for _, m := range sourceMeasures {
		s.sources = append(s.sources, prometheus.NewDesc("scoter_source_"+m.name, m.help, []string{"source"}, nil))
	}
	for _, m := range exportMeasures {
		s.exports = append(s.exports, prometheus.NewDesc("scoter_export_"+m.name, m.help, []string{"export"}, nil))
	}
	return s
}

// Describe implements prometheus.Collector.
func (s *state) Describe(out chan<- *prometheus.Desc) {
	for _, all := range [][]*prometheus.Desc{s.measures, s.sources, s.exports, {rowsWritten, memoryUsed, memoryLimit, memoryWaiting, memoryRefused, logSyncs, build, diskFree, diskUsed, logBytes, logSegments}} {
		for _, d := range all {
			out <- d
		}
	}
}

// Collect implements prometheus.Collector.
func (s *state) Collect(out chan<- prometheus.Metric) {
	now := s.look()
	for i, m := range measures {
		out <- prometheus.MustNewConstMetric(s.measures[i], m.kind, m.value(now))
	}
	for way, rows := range s.watched.Written() {
		out <- prometheus.MustNewConstMetric(rowsWritten, counter, float64(rows), way)
	}
	out <- prometheus.MustNewConstSummary(logSyncs, uint64(now.LogSyncs.Count), now.LogSyncs.Total.Seconds(), nil)
	out <- prometheus.MustNewConstMetric(build, gauge, 1, version.Number(), version.Commit(), runtime.Version(), version.DuckDB)
	collectMemory(out, now)
	s.collectDisk(out, now)
	s.collectSources(out)
	s.collectExports(out)
}

// account returns the figures of one account of memory.
func (s *seen) account(name string) ledger.Stats {
	i := slices.IndexFunc(s.memory, func(a ledger.Stats) bool { return a.Account == name })
	return s.memory[i]
}

func collectMemory(out chan<- prometheus.Metric, now *seen) {
	for _, a := range now.memory {
		out <- prometheus.MustNewConstMetric(memoryUsed, gauge, float64(a.Used), a.Account)
		if a.Limit == ledger.NoLimit {
			continue
		}
		out <- prometheus.MustNewConstMetric(memoryLimit, gauge, float64(a.Limit), a.Account)
		out <- prometheus.MustNewConstMetric(memoryWaiting, gauge, float64(a.Waiting), a.Account)
		out <- prometheus.MustNewConstMetric(memoryRefused, counter, float64(a.Refused), a.Account)
	}
}

func (s *state) look() *seen {
	w := &s.watched
	now := &seen{Status: w.Store.Status(), Totals: w.Store.Totals(), merges: w.Merges(), running: w.Running(), waiting: w.Waiting(), failures: w.Failures()}
	now.queryMemory, now.queryMemoryLimit = duck.Memory()
	now.memory = w.Memory()
	return now
}

func (s *state) collectDisk(out chan<- prometheus.Metric, now *seen) {
	disk, err := s.watched.Store.Disk()
	if err != nil {
		out <- prometheus.NewInvalidMetric(diskFree, err)
		return
	}
	out <- prometheus.MustNewConstMetric(diskFree, gauge, float64(disk.Free))
	for what, bytes := range map[string]int64{"parts": now.PartBytes, "patches": disk.Patches, "log": disk.Log, "catalog": disk.Catalog,
		"temporary": disk.Spilled, "reserve": disk.Reserve} {
		out <- prometheus.MustNewConstMetric(diskUsed, gauge, float64(bytes), what)
	}
	out <- prometheus.MustNewConstMetric(logBytes, gauge, float64(disk.Log))
	out <- prometheus.MustNewConstMetric(logSegments, gauge, float64(disk.Segments))
}

// since returns the seconds that have passed since t, or 0 if t is the zero time.
func since(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return time.Since(t).Seconds()
}
