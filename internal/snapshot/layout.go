package snapshot

import (
	"slices"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// LayoutSince returns the oldest schema version such that the sort key and the partitioning have
// not changed since. Parts of older versions must be rewritten. This includes parts from an earlier
// period with the same sort key and partitioning: while a column was in neither, it could get new
// values in place, so the rows may be out of order.
func (t *Table) LayoutSince() uint32 { return t.since(sameLayout) }

// PartitionsSince is LayoutSince without the sort key: only changes of the partitioning count.
func (t *Table) PartitionsSince() uint32 { return t.since(batch.SamePartitions) }

// since returns the oldest schema version such that same holds between the current version and
// every version from it on. It does not go back beyond the oldest version of which the table has
// rows.
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
		// A HUGEINT is stored and sorted as text, so a column whose type changed may have another
		// order.
		was, is := then.ColumnByID(f.Column), now.ColumnByID(f.Column)
		if was < 0 || is < 0 || !then.Columns[was].Type.StorageType().Equal(now.Columns[is].Type.StorageType()) {
			return false
		}
	}
	return true
}
