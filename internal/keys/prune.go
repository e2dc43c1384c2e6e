package keys

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// ranges are the least and greatest values that are looked for, per column of the key.
type ranges []batch.ColumnStats

func rangesOf(columns []arrow.Array) (ranges, error) {
	out := make(ranges, len(columns))
	for i, c := range columns {
		var err error
		if out[i], err = batch.Stats(c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// meet reports whether a part may hold one of the keys.
func (r ranges) meet(t *snapshot.Table, key []base.ColumnID, p *catalog.Part) bool {
	for i, id := range key {
		stats, known := boundsOf(t, id, p)
		if !known {
			continue
		}
		if order, ok := r[i].Max.Compare(stats.Min); ok && order < 0 && !r[i].HasNaN { // NaN is above all
			return false
		}
		if order, ok := r[i].Min.Compare(stats.Max); ok && order > 0 {
			return false
		}
	}
	return true
}

// shareKeys reports whether two parts may hold rows of one key.
func shareKeys(t *snapshot.Table, key []base.ColumnID, p, q *catalog.Part) bool {
	for _, id := range key {
		a, known := boundsOf(t, id, p)
		b, alsoKnown := boundsOf(t, id, q)
		if !known || !alsoKnown {
			continue
		}
		if order, ok := a.Max.Compare(b.Min); ok && order < 0 {
			return false
		}
		if order, ok := a.Min.Compare(b.Max); ok && order > 0 {
			return false
		}
	}
	return true
}

// boundsOf returns the statistics of a column of a part, if they are of values of its present type.
func boundsOf(t *snapshot.Table, id base.ColumnID, p *catalog.Part) (schema.ColumnStats, bool) {
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return schema.ColumnStats{}, false
	}
	at := written.ColumnByID(id)
	now := t.Schema.Columns[t.Schema.ColumnByID(id)]
	stats, ok := p.Stats[id]
	return stats, ok && at >= 0 && written.Columns[at].Type.Equal(now.Type)
}
