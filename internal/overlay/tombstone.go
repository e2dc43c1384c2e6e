package overlay

import (
	"slices"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// A tombstone is a row whose IsDeleted column is true. It says that its key is deleted, so that an
// older row version that comes later does not bring the key back. No relation shows tombstones.
// Parts whose statistics exclude tombstones are read like those of other tables.

// isNotTombstone returns the condition for rows of the schema version written that are not
// tombstones, or "" if the table has none.
func isNotTombstone(now, written schema.Table) string {
	if now.IsDeleted == 0 {
		return ""
	}
	return columnName(written.Columns[written.ColumnByID(now.IsDeleted)]) + " IS NOT TRUE"
}

// notTombstone is isNotTombstone for parts. It returns "" if none of them has a tombstone.
func (b *builder) notTombstone(group []*catalog.Part, written schema.Table) string {
	if !slices.ContainsFunc(group, b.hasTombstones) {
		return ""
	}
	return isNotTombstone(b.table.Schema, written)
}

// hasTombstones reports whether a part may have tombstones as it was written.
func (b *builder) hasTombstones(p *catalog.Part) bool {
	return p.MayHaveTombstones(b.table.Schema)
}

// byTombstones divides each group into parts without and parts with tombstones.
func (b *builder) byTombstones(groups [][]*catalog.Part) [][]*catalog.Part {
	if b.table.Schema.IsDeleted == 0 {
		return groups
	}
	var out [][]*catalog.Part
	for _, group := range groups {
		for _, with := range []bool{false, true} {
			some := slices.DeleteFunc(slices.Clone(group), func(p *catalog.Part) bool { return b.hasTombstones(p) != with })
			if len(some) > 0 {
				out = append(out, some)
			}
		}
	}
	return out
}
