package snapshot

import (
	"slices"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// LayoutSince returns the oldest schema version since which the sort key and the partitioning have
// been the same as now. Parts of older versions must be rewritten. This includes parts of an
// earlier period with the same layout: while a column was in no key, it could get new values in
// place, so the rows need not be in its order any more.
func (t *Table) LayoutSince() uint32 { return t.since(sameLayout) }

// PartitionsSince is like LayoutSince, but ignores the sort key.
func (t *Table) PartitionsSince() uint32 { return t.since(batch.SamePartitions) }

// since returns the oldest version since which same holds. It does not go back beyond the oldest
// version of which the table has rows.
func (t *Table) since(same func(then, now schema.Table) bool) uint32 {
	version, oldest := t.Schema.Version, t.Schema.Version
	for _, p := range t.Parts {
		oldest = min(oldest, p.SchemaVersion)
	}
	for _, v := range t.Memtables {
		oldest = min(oldest, v.Schema.Version)
	}
	for version > oldest {
		then, known := t.Versions[version-1]
		if !known || !same(then, t.Schema) {
			break
		}
		version--
	}
	return version
}

func sameLayout(then, now schema.Table) bool {
	if !slices.Equal(then.SortKey, now.SortKey) || !batch.SamePartitions(then, now) {
		return false
	}
	for _, f := range now.SortKey {
		// A HUGEINT is stored and sorted as text, so a wider type may have another order.
		was, is := then.ColumnByID(f.Column), now.ColumnByID(f.Column)
		if was < 0 || is < 0 || !then.Columns[was].Type.StorageType().Equal(now.Columns[is].Type.StorageType()) {
			return false
		}
	}
	return true
}
