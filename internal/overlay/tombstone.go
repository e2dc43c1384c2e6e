package overlay

import (
	"slices"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// In this package a tombstone is a row whose IsDeleted column is true. It says that its key is
// deleted, so that an older row version that arrives later does not bring the key back. No relation
// shows tombstones. Parts whose statistics exclude tombstones are read like those of other tables.

// isNotTombstone returns an SQL condition that is true for rows that are not tombstones, or "" if
// the table has no IsDeleted column. The rows have the schema version written.
func isNotTombstone(now, written schema.Table) string {
	if now.IsDeleted == 0 {
		return ""
	}
	return columnName(written.Columns[written.ColumnByID(now.IsDeleted)]) + " IS NOT TRUE"
}

// notTombstone returns the condition of isNotTombstone for parts, or "" if none of the parts has a
// tombstone.
func (b *builder) notTombstone(group []*catalog.Part, written schema.Table) string {
	if !slices.ContainsFunc(group, b.hasTombstones) {
		return ""
	}
	return isNotTombstone(b.table.Schema, written)
}

// hasTombstones reports whether a part may have been written with tombstones.
func (b *builder) hasTombstones(p *catalog.Part) bool {
	return p.MayHaveTombstones(b.table.Schema)
}

// byTombstones divides each group of parts into the parts without and the parts with tombstones.
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
