package keys

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
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
	written, ok := t.Versions[p.SchemaVersion]
	if !ok {
		return true
	}
	for i, id := range key {
		at := written.ColumnByID(id)
		now := t.Schema.Columns[t.Schema.ColumnByID(id)]
		stats, ok := p.Stats[id]
		if at < 0 || !ok || !written.Columns[at].Type.Equal(now.Type) {
			continue
		}
		if order, ok := r[i].Max.Compare(stats.Min); ok && order < 0 {
			return false
		}
		if order, ok := r[i].Min.Compare(stats.Max); ok && order > 0 {
			return false
		}
	}
	return true
}
