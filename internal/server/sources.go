package server

import (
	"fmt"
	"io"
	"strconv"

	"github.com/VictoriaMetrics/metrics"

	"github.com/scoterdb/scoter/internal/stream"
)

// sourceMetrics are how a source is doing: a name, a type, and the value unless there is none.
var sourceMetrics = []struct {
	name, kind string
	value      func(stream.Status) (float64, bool)
}{
	{"messages_total", "counter", func(s stream.Status) (float64, bool) { return float64(s.Messages), true }},
	{"rows_total", "counter", func(s stream.Status) (float64, bool) { return float64(s.Rows), true }},
	{"bytes_total", "counter", func(s stream.Status) (float64, bool) { return float64(s.Bytes), true }},
	{"dead_letters_total", "counter", func(s stream.Status) (float64, bool) { return float64(s.DeadLetters), true }},
	{"errors_total", "counter", func(s stream.Status) (float64, bool) { return float64(s.Errors), true }},
	{"messages_per_second", "gauge", func(s stream.Status) (float64, bool) { return s.MessageRate, true }},
	{"rows_per_second", "gauge", func(s stream.Status) (float64, bool) { return s.RowRate, true }},
	{"bytes_per_second", "gauge", func(s stream.Status) (float64, bool) { return s.ByteRate, true }},
	{"queue_bytes", "gauge", func(s stream.Status) (float64, bool) { return float64(s.QueueBytes), true }},
	{"running", "gauge", func(s stream.Status) (float64, bool) {
		if s.State == "running" {
			return 1, true
		}
		return 0, true
	}},
	{"lag_messages", "gauge", func(s stream.Status) (float64, bool) { return float64(s.Lag), s.Lag >= 0 }},
	{"lag_seconds", "gauge", func(s stream.Status) (float64, bool) { return s.LagTime.Seconds(), s.LagTime >= 0 }},
}

// writeSources writes how the sources are doing as metrics.
func (s *Server) writeSources(w io.Writer) {
	sources := s.sources()
	if len(sources) == 0 {
		return
	}
	for _, m := range sourceMetrics {
		name := "scoter_source_" + m.name
		metrics.WriteMetadataIfNeeded(w, name, m.kind)
		for _, source := range sources {
			if v, known := m.value(source); known {
				full := source.Name.Database + "." + source.Name.Schema + "." + source.Name.Name
				fmt.Fprintf(w, "%s{source=%q} %s\n", name, full, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
	}
}
