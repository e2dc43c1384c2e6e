package export

import (
	"slices"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/schema"
)

// ofTime reports whether a table's partitions are of units of time.
func ofTime(t schema.Table) bool {
	return slices.ContainsFunc(t.PartitionBy, func(f schema.PartitionField) bool { return f.Transform != schema.Identity })
}

// layouts are how a partition's path spells units of time, in UTC.
var layouts = map[schema.Transform]string{schema.Year: "2006", schema.Month: "2006-01", schema.Day: "2006-01-02", schema.Hour: "2006-01-02-15"}

// end returns when the time of a partition is over; ok is false if it has none: the table is not partitioned by time, or the
// column is NULL. Of several units the shortest counts.
func end(t schema.Table, partition string) (over time.Time, ok bool) {
	levels := strings.Split(partition, "/")
	if len(levels) != len(t.PartitionBy) {
		return over, false
	}
	for i, f := range t.PartitionBy {
		_, value, _ := strings.Cut(levels[i], "=")
		start, err := time.Parse(layouts[f.Transform], value)
		if f.Transform == schema.Identity || err != nil {
			continue
		}
		var next time.Time
		switch f.Transform {
		case schema.Year:
			next = start.AddDate(1, 0, 0)
		case schema.Month:
			next = start.AddDate(0, 1, 0)
		case schema.Day:
			next = start.AddDate(0, 0, 1)
		default:
			next = start.Add(time.Hour)
		}
		if !ok || next.Before(over) {
			over, ok = next, true
		}
	}
	return over, ok
}
