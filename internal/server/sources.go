package server

import (
	"io"
	"strconv"

	"github.com/VictoriaMetrics/metrics"
)

// writeSources writes how the sources are doing as metrics.
func (s *Server) writeSources(w io.Writer) {
	for _, source := range s.sources() {
		label := "{source=" + strconv.Quote(source.Name.Database+"."+source.Name.Schema+"."+source.Name.Name) + "}"
		metrics.WriteCounterUint64(w, "scoter_source_messages_total"+label, uint64(source.Messages))
		metrics.WriteCounterUint64(w, "scoter_source_rows_total"+label, uint64(source.Rows))
		metrics.WriteCounterUint64(w, "scoter_source_bytes_total"+label, uint64(source.Bytes))
		metrics.WriteCounterUint64(w, "scoter_source_dead_letters_total"+label, uint64(source.DeadLetters))
		metrics.WriteCounterUint64(w, "scoter_source_errors_total"+label, uint64(source.Errors))
		metrics.WriteGaugeFloat64(w, "scoter_source_messages_per_second"+label, source.MessageRate)
		metrics.WriteGaugeFloat64(w, "scoter_source_rows_per_second"+label, source.RowRate)
		metrics.WriteGaugeFloat64(w, "scoter_source_bytes_per_second"+label, source.ByteRate)
		metrics.WriteGaugeUint64(w, "scoter_source_queue_bytes"+label, uint64(source.QueueBytes))
		running := 0.0
		if source.State == "running" {
			running = 1
		}
		metrics.WriteGaugeFloat64(w, "scoter_source_running"+label, running)
		if source.Lag >= 0 {
			metrics.WriteGaugeUint64(w, "scoter_source_lag_messages"+label, uint64(source.Lag))
			metrics.WriteGaugeFloat64(w, "scoter_source_lag_seconds"+label, source.LagTime.Seconds())
		}
	}
}
