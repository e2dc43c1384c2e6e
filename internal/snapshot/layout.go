package snapshot

import (
	"slices"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// LayoutSince returns the oldest schema version since which the sort key and the partitioning have
// always been as they are now. A part of an older version must be rewritten, even if it was written
// with the present sort key and partitioning, and only a version in between had others. While a
// column was not in the sort key or partitioning, rows could get new values of it in place. So the
// rows of the part may be out of order.
func (t *Table) LayoutSince() uint32 { return t.since(sameLayout) }

// PartitionsSince returns the oldest schema version since which the partitioning has always been as
// it is now. Changes of the sort key do not count.
func (t *Table) PartitionsSince() uint32 { return t.since(batch.SamePartitions) }

// since returns the oldest schema version v such that same(x, current) is true for all versions x
// from v to the current one. It does not go back beyond the oldest version of which the table still
// has rows.
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
		// A column of the sort key may have got another type since then. If the old and the new
		// type are stored differently, they are sorted differently: a HUGEINT, for example, is
		// stored and sorted as text.
		was, is := then.ColumnByID(f.Column), now.ColumnByID(f.Column)
		if was < 0 || is < 0 || !then.Columns[was].Type.StorageType().Equal(now.Columns[is].Type.StorageType()) {
			return false
		}
	}
	return true
}
