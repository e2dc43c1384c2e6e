package overlay

import (
	"slices"

	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/schema"
)

// In this package a tombstone is a row whose column IsDeleted is true. It says that its key is
// deleted, so that an older row version that arrives later does not bring the key back. No relation
// shows tombstones. If the statistics of a part show that it has no tombstones, it is read like a
// part of another table.

// isNotTombstone returns an SQL condition that is true for rows that are not tombstones (rows which
// say that their key is deleted). It returns "" if the table has no IsDeleted column. The argument
// written is the schema version of the rows.
func isNotTombstone(now, written schema.Table) string {
	if now.IsDeleted == 0 {
		return ""
	}
	return columnName(written.Columns[written.ColumnByID(now.IsDeleted)]) + " IS NOT TRUE"
}

// notTombstone returns an SQL condition that leaves out tombstones (rows which say that their key
// is deleted) of the parts in group. It returns "" if none of the parts has a tombstone.
func (b *builder) notTombstone(group []*catalog.Part, written schema.Table) string {
	if !slices.ContainsFunc(group, b.hasTombstones) {
		return ""
	}
	return isNotTombstone(b.table.Schema, written)
}

// hasTombstones reports whether the part may have tombstones (rows which say that their key is
// deleted).
func (b *builder) hasTombstones(p *catalog.Part) bool {
	return p.MayHaveTombstones(b.table.Schema)
}

// byTombstones divides each group of parts into the parts without tombstones and the parts with
// tombstones (rows which say that their key is deleted).
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
