// Package ingesttest helps the tests of decoders: it prints decoded rows as text, and encodes
// headers of messages.
package ingesttest

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/ingest"
)

// Show prints rows as text, with one line per table. A line has the type and the values of each
// column. Columns that are tags are marked with #. Dictionaries of text are printed with the type
// utf8, timestamp[us, tz=UTC] as us, and timestamp[ns, tz=UTC] as ns.
func Show(rows ...ingest.Rows) string {
	var lines []string
	for _, r := range rows {
		line := r.Table + ":"
		for i, f := range r.Batch.Schema().Fields() {
			line += " "
			if slices.Contains(r.Tags, i) {
				line += "#"
			}
			column := r.Batch.Column(i)
			values := make([]string, column.Len())
			for row := range values {
				values[row] = column.ValueStr(row)
			}
			line += f.Name + " " + typeName(f.Type) + " [" + strings.Join(values, " ") + "]"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func typeName(t arrow.DataType) string {
	switch {
	case arrow.TypeEqual(t, ingest.TextDictionary):
		return "utf8"
	case arrow.TypeEqual(t, ingest.TimestampUS):
		return "us"
	case arrow.TypeEqual(t, ingest.TimestampNS):
		return "ns"
	}
	return t.String()
}
