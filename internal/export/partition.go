package export

import (
	"slices"
	"strings"
	"time"

	"github.com/scoterdb/scoter/internal/schema"
)

// ofTime reports whether a table is partitioned by a unit of time, such as day.
func ofTime(t schema.Table) bool {
	return slices.ContainsFunc(t.PartitionBy, func(f schema.PartitionField) bool { return f.Transform != schema.Identity })
}

// layouts are the formats in which units of time are written in the paths of partitions, in UTC.
var layouts = map[schema.Transform]string{schema.Year: "2006", schema.Month: "2006-01", schema.Day: "2006-01-02", schema.Hour: "2006-01-02-15"}

// end returns the end of a partition's time, such as the end of its day. The argument partition is
// the path of the partition. If the table is partitioned by several units of time, end returns the
// earliest end. ok is false if the table is not partitioned by time, or if the partition is the one
// for NULL times.
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
