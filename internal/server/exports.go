package server

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/scoterdb/scoter/internal/export"
)

// exportMetrics are how an export is doing: a name, a type, and the value.
var exportMetrics = []struct {
	name, kind string
	value      func(export.Status) float64
}{
	{"written_objects_total", "counter", func(s export.Status) float64 { return float64(s.WrittenObjects) }},
	{"written_rows_total", "counter", func(s export.Status) float64 { return float64(s.WrittenRows) }},
	{"written_bytes_total", "counter", func(s export.Status) float64 { return float64(s.WrittenBytes) }},
	{"dropped_partitions_total", "counter", func(s export.Status) float64 { return float64(s.DroppedPartitions) }},
	{"errors_total", "counter", func(s export.Status) float64 { return float64(s.Errors) }},
	{"objects", "gauge", func(s export.Status) float64 { return float64(s.Total().Objects) }},
	{"rows", "gauge", func(s export.Status) float64 { return float64(s.Total().Rows) }},
	{"bytes", "gauge", func(s export.Status) float64 { return float64(s.Total().Bytes) }},
	{"due_partitions", "gauge", func(s export.Status) float64 { return float64(s.Due) }},
	{"due_seconds", "gauge", func(s export.Status) float64 {
		if s.DueSince.IsZero() {
			return 0
		}
		return time.Since(s.DueSince).Seconds()
	}},
	{"running", "gauge", func(s export.Status) float64 {
		if s.State == "running" {
			return 1
		}
		return 0
	}},
}

// writeExports writes how the exports are doing as metrics.
func (s *Server) writeExports(w io.Writer) {
	exports := s.exports()
	if len(exports) == 0 {
		return
	}
	for _, m := range exportMetrics {
		name := "scoter_export_" + m.name
		metrics.WriteMetadataIfNeeded(w, name, m.kind)
		for _, x := range exports {
			full := x.Name.Database + "." + x.Name.Schema + "." + x.Name.Name
			fmt.Fprintf(w, "%s{export=%q} %s\n", name, full, strconv.FormatFloat(m.value(x), 'g', -1, 64))
		}
	}
}
