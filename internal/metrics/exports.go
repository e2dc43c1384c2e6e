package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scoterdb/scoter/internal/export"
)

// exportMeasures are the metrics that each export has.
var exportMeasures = []struct {
	name, help string
	kind       prometheus.ValueType
	value      func(export.Status) float64
}{
	{"written_objects_total", "Objects that were written, by export.", counter, func(s export.Status) float64 { return float64(s.WrittenObjects) }},
	{"written_rows_total", "Rows that were written, by export.", counter, func(s export.Status) float64 { return float64(s.WrittenRows) }},
	{"written_bytes_total", "Bytes that were written, by export.", counter, func(s export.Status) float64 { return float64(s.WrittenBytes) }},
	{"dropped_partitions_total", "Partitions that were dropped after their export, by export.", counter, func(s export.Status) float64 { return float64(s.DroppedPartitions) }},
	{"errors_total", "Errors, by export; scoter.exports has the last one.", counter, func(s export.Status) float64 { return float64(s.Errors) }},
	{"objects", "Objects in the storage, by export.", gauge, func(s export.Status) float64 { return float64(s.Total().Objects) }},
	{"rows", "Rows in the storage, by export.", gauge, func(s export.Status) float64 { return float64(s.Total().Rows) }},
	{"bytes", "Bytes in the storage, by export.", gauge, func(s export.Status) float64 { return float64(s.Total().Bytes) }},
	{"due_partitions", "Partitions whose objects are not up to date, by export.", gauge, func(s export.Status) float64 { return float64(s.Due) }},
	{"due_seconds", "How long the first of these partitions has been due, by export.", gauge, func(s export.Status) float64 { return since(s.DueSince) }},
	{"running", "1 if the export is working, by export; scoter.exports has its state.", gauge, func(s export.Status) float64 { return flag(s.State == "running") }},
}

func (s *state) collectExports(out chan<- prometheus.Metric) {
	for _, x := range s.watched.Exports() {
		name := x.Name.Database + "." + x.Name.Schema + "." + x.Name.Name
		for i, m := range exportMeasures {
			out <- prometheus.MustNewConstMetric(s.exports[i], m.kind, m.value(x), name)
		}
	}
}
