package snapshot

import (
	"slices"

	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/schema"
)

// LayoutSince returns the oldest version of the schema from which on rows have been sorted and partitioned as they are now. Parts of older
// versions are to be written anew, those of a layout that went and came back too: what is in no key may get new values in place, so their
// rows need not be in its order any more.
func (t *Table) LayoutSince() uint32 { return t.since(sameLayout) }

// PartitionsSince is LayoutSince without a look at the sort key.
func (t *Table) PartitionsSince() uint32 { return t.since(batch.SamePartitions) }

// since goes no further back than to the oldest version that the table has rows of.
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
		// A HUGEINT is stored, and sorted, as text: a wider type may be another order.
		was, is := then.ColumnByID(f.Column), now.ColumnByID(f.Column)
		if was < 0 || is < 0 || !then.Columns[was].Type.StorageType().Equal(now.Columns[is].Type.StorageType()) {
			return false
		}
	}
	return true
}
