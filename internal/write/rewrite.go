package write

import (
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/dml"
	"github.com/scoterdb/scoter/internal/engine"
)

// rewrites reports whether a change is made by rewriting parts. In the mode Auto this is so only if
// there is no memory for a patch.
//
// If there is memory, Auto does not rewrite, because that would not pay. This was measured with
// `scoter-bench overlay --kinds modes` on 200,000 rows of lineitem. A patch is visible after 3%
// (for 1% of the rows) to 22% (for all rows) of the processor time that rewriting the parts takes.
// Together with the later merge that applies it, a patch takes 0.7 to 1.3 times the time of a
// rewrite.
func (x *execution) rewrites(c engine.Change) bool {
	// rows is the number of existing rows that change, and bytes is their size.
	rows, bytes := uint64(0), int64(0)
	for _, deleted := range c.Deleted {
		rows += deleted.GetCardinality()
		bytes += int64(deleted.GetSizeInBytes())
	}
	for _, l := range c.Updated {
		rows += uint64(len(l.Ordinals))
		bytes += batch.Bytes(l.Values) + 4*int64(len(l.Ordinals)*len(l.Columns))
	}
	for _, rec := range c.Inserted {
		bytes += batch.Bytes(rec)
	}
	f := Facts{InsertsOnly: rows == 0}
	f.FitsPatch = f.InsertsOnly || x.Mode != dml.Auto || x.Loads.FitsPatch(bytes)
	_, rewrites := choose(&Job{Mode: x.Mode}, f).(rewriteWay)
	return rewrites
}
