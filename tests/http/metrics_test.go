package http

import (
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/scoterdb/scoter/tests/binary"
)

// families returns all metrics, parsed as Prometheus does.
func families(t *testing.T, s *binary.Server) map[string]*dto.MetricFamily {
	t.Helper()
	a := send(t, s, "GET", "/metrics", "").must(t, 200)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(a.body))
	if err != nil {
		t.Fatalf("%v\n%s", err, a.body)
	}
	return all
}

// metric returns the value of a metric with the labels, each "name=value". For a summary or
// histogram it returns the count.
func metric(t *testing.T, all map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range all[name].GetMetric() {
		have := map[string]bool{}
		for _, l := range m.GetLabel() {
			have[l.GetName()+"="+l.GetValue()] = true
		}
		matches := true
		for _, l := range labels {
			matches = matches && have[l]
		}
		switch {
		case !matches:
		case m.Gauge != nil:
			return m.GetGauge().GetValue()
		case m.Counter != nil:
			return m.GetCounter().GetValue()
		case m.Summary != nil:
			return float64(m.GetSummary().GetSampleCount())
		case m.Histogram != nil:
			return float64(m.GetHistogram().GetSampleCount())
		}
	}
	t.Errorf("there is no %s%v", name, labels)
	return -1
}

// TestEveryMetricSaysWhatItIs reads /metrics with Prometheus' own parser.
func TestEveryMetricSaysWhatItIs(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	sql(t, s, "CREATE TABLE m (a BIGINT)")
	sql(t, s, "SELECT nothing").must(t, 400)
	all := families(t, s)
	for name, f := range all {
		if f.GetHelp() == "" || f.GetType() == dto.MetricType_UNTYPED {
			t.Errorf("%s has the help %q and the type %s", name, f.GetHelp(), f.GetType())
		}
		if counter := f.GetType() == dto.MetricType_COUNTER; counter != strings.HasSuffix(name, "_total") && strings.HasPrefix(name, "scoter_") {
			t.Errorf("%s is a %s", name, f.GetType())
		}
	}
	for _, name := range []string{"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds", "process_start_time_seconds",
		"go_goroutines", "go_info", "scoter_build_info", "scoter_query_seconds", "scoter_disk_free_bytes", "scoter_request_seconds"} {
		if all[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	if n := metric(t, all, "scoter_query_errors_total", "kind=invalid"); n != 1 {
		t.Errorf("%g queries failed", n)
	}
	if n := metric(t, all, "scoter_build_info", "duckdb_version=1.5.6"); n != 1 {
		t.Errorf("the build is %g", n)
	}
}

// TestRowsAreCountedByTheWayInWhichTheyCame writes over HTTP and by SQL.
func TestRowsAreCountedByTheWayInWhichTheyCame(t *testing.T) {
	s := binary.Serve(t, t.TempDir())
	const body = `{"a":1}` + "\n" + `{"a":2}` + "\n" + `{"a":3}`
	for range 2 { // the second one is answered from the idempotency records in memory
		send(t, s, "POST", "/api/v1/tables/default/m/rows", body, "Content-Type", ndjson, "Idempotency-Key", "once").must(t, 200)
	}
	post(t, s, "/write?db=default", "text/plain", "lines v=1").must(t, 204)
	sql(t, s, "INSERT INTO m SELECT range FROM range(10)")
	sql(t, s, "DELETE FROM m WHERE a = 9")
	all := families(t, s)
	for way, want := range map[string]float64{"http": 4, "sql": 11, "kafka": 0} {
		if n := metric(t, all, "scoter_rows_written_total", "way="+way); n != want {
			t.Errorf("%g rows came by %s, want %g", n, way, want)
		}
	}
	if a := send(t, s, "GET", "/api/v1/status", ""); !strings.Contains(a.body, `"rows_written":15,`) {
		t.Error(a.body)
	}
}

// TestMetricsFollowRowsToParts checks the metrics of flushes, merges, the log and the disk.
func TestMetricsFollowRowsToParts(t *testing.T) {
	s := binary.Serve(t, t.TempDir(), "--flush-age", "100ms", "--write-memory", "64MiB", "--max-body", "8MiB")
	sql(t, s, "CREATE TABLE m (a BIGINT)")
	before := families(t, s)
	for range 12 { // this many parts of one size are merged
		post(t, s, "/api/v1/tables/default/m/rows", ndjson, `{"a":1}`).must(t, 200)
		time.Sleep(120 * time.Millisecond)
	}
	var now map[string]*dto.MetricFamily
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if now = families(t, s); metric(t, now, "scoter_part_rows") == 12 && metric(t, now, "scoter_merges_total") > 0 || time.Now().After(end) {
			break
		}
	}
	for _, name := range []string{"scoter_flushes_total", "scoter_flush_seconds_total", "scoter_merges_total", "scoter_merge_seconds_total", "scoter_merged_parts_total",
		"scoter_merged_rows_total", "scoter_merged_bytes_total", "scoter_log_fsync_seconds", "scoter_parts", "scoter_part_bytes", "scoter_part_rows"} {
		if a, b := metric(t, before, name), metric(t, now, name); b <= a {
			t.Errorf("%s was %g and is %g", name, a, b)
		}
	}
	for _, name := range []string{"scoter_tables", "scoter_log_bytes", "scoter_log_segments", "scoter_disk_free_bytes"} {
		if n := metric(t, now, name); n <= 0 {
			t.Errorf("%s is %g", name, n)
		}
	}
	for _, what := range []string{"parts", "log", "catalog", "reserve"} {
		if n := metric(t, now, "scoter_disk_used_bytes", "what="+what); n <= 0 {
			t.Errorf("%s take %g bytes", what, n)
		}
	}
	if n := metric(t, now, "scoter_write_memory_limit_bytes"); n != 64<<20 {
		t.Errorf("the limit is %g", n)
	}
	for _, name := range []string{"request_memory", "statement_memory", "key_index", "query_memory", "stream_memory", "write_memory", "result_space"} {
		used, limit := metric(t, now, "scoter_"+name+"_bytes"), metric(t, now, "scoter_"+name+"_limit_bytes")
		if used > limit || limit <= 0 {
			t.Errorf("%s: %g of %g", name, used, limit)
		}
	}
}
