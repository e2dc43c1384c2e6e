package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scoterdb/scoter/internal/stream"
)

// sourceMeasures are the metrics that each Kafka source has. A metric's field value is a function,
// which returns false if the value is unknown.
var sourceMeasures = []struct {
	name, help string
	kind       prometheus.ValueType
	value      func(stream.Status) (float64, bool)
}{
	{"messages_total", "Records that were read, by source.", counter, func(s stream.Status) (float64, bool) { return float64(s.Messages), true }},
	{"rows_total", "Rows that were made from records, by source.", counter, func(s stream.Status) (float64, bool) { return float64(s.Rows), true }},
	{"bytes_total", "Bytes of records that were read, by source.", counter, func(s stream.Status) (float64, bool) { return float64(s.Bytes), true }},
	{"dead_letters_total", "Records that could not be stored, by source.", counter, func(s stream.Status) (float64, bool) { return float64(s.DeadLetters), true }},
	{"errors_total", "Errors, by source; scoter.sources has the last one.", counter, func(s stream.Status) (float64, bool) { return float64(s.Errors), true }},
	{"messages_per_second", "Records per second over the last seconds, by source.", gauge, func(s stream.Status) (float64, bool) { return s.MessageRate, true }},
	{"rows_per_second", "Rows per second over the last seconds, by source.", gauge, func(s stream.Status) (float64, bool) { return s.RowRate, true }},
	{"bytes_per_second", "Bytes per second over the last seconds, by source.", gauge, func(s stream.Status) (float64, bool) { return s.ByteRate, true }},
	{"queue_bytes", "Memory of records that are read but not stored yet, by source.", gauge, func(s stream.Status) (float64, bool) { return float64(s.QueueBytes), true }},
	{"running", "1 if the source is reading, by source; scoter.sources has its state.", gauge, func(s stream.Status) (float64, bool) { return flag(s.State == "running"), true }},
	{"lag_messages", "Records in the topics that are not in the table yet, by source.", gauge, func(s stream.Status) (float64, bool) { return float64(s.Lag), s.Lag >= 0 }},
	{"lag_seconds", "Age of the newest stored record of the partition with the largest lag, by source.", gauge,
		func(s stream.Status) (float64, bool) { return s.LagTime.Seconds(), s.LagTime >= 0 }},
}

func (s *state) collectSources(out chan<- prometheus.Metric) {
	for _, source := range s.watched.Sources() {
		name := source.Name.Database + "." + source.Name.Schema + "." + source.Name.Name
		for i, m := range sourceMeasures {
			if v, known := m.value(source); known {
				out <- prometheus.MustNewConstMetric(s.sources[i], m.kind, v, name)
			}
		}
	}
}
