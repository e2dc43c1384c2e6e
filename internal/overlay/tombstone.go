package overlay

import (
	"slices"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// A tombstone is a row of a table with an IsDeleted column in which that is true: it says that its key is deleted, and is there so
// that an older version of the key which arrives later finds that out. No relation shows it. Parts that have none, by
// their statistics, are read as those of other tables are.

// isNotTombstone returns the condition that a row which was written with a version of the table shows, or "".
func isNotTombstone(now, written schema.Table) string {
	if now.IsDeleted == 0 {
		return ""
	}
	return columnName(written.Columns[written.ColumnByID(now.IsDeleted)]) + " IS NOT TRUE"
}

// notTombstone is isNotTombstone for rows of parts, "" if none of them has a tombstone.
func (b *builder) notTombstone(group []*catalog.Part, written schema.Table) string {
	if !slices.ContainsFunc(group, b.hasTombstones) {
		return ""
	}
	return isNotTombstone(b.table.Schema, written)
}

// hasTombstones reports whether a part may have tombstones, as it was written.
func (b *builder) hasTombstones(p *catalog.Part) bool {
	return p.MayHaveTombstones(b.table.Schema)
}

// byTombstones parts each group in those without and those with tombstones.
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
