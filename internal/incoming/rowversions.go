package incoming

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
)

// Rows of a table with a primary key may have a version column, and a deletion column that says
// that their key is deleted. With a version column, the result does not depend on the order in
// which rows arrive:
//
//   - Of several row versions of a key the highest version wins. Of equal versions the last row
//     wins.
//   - A row that deletes its key remains as a tombstone, which queries do not show. A row with a
//     lower version that arrives later is compared with it. In a table without versions no
//     tombstone remains.
//   - A row sent without its version column counts as newer than the existing row. In a request
//     that gives whole rows, the row has the default of the column. NULL is lower than all
//     versions.
//
// A deletion without a version, such as a tombstone of Kafka, counts as newer than any existing
// row, and removes that row together with its version. A key that is already deleted stays deleted,
// and keeps the version of its deletion.

// RowVersions has the versions and deletion marks of incoming rows, which decide whether a row
// replaces another one. All slices have one element for each row.
type RowVersions struct {
	// the versions as numbers, as in keys.State; nil if the rows have none
	versions []uint64
	deleted  []bool // the deletion marks; nil if the rows have none
	// whether the row is a deletion without a version; nil if no row is one
	unversionedDeletes []bool
	// keyDeleted[i] is true if the batch also has a deletion without a version of the same key as
	// row i. Then the version of the existing row does not count. If no row is such a deletion,
	// keyDeleted is nil.
	keyDeleted []bool
}

// RowVersionsOf reads the versions and deletion marks of the rows of rec. The argument SentColumns
// has the columns that the sender gave.
func RowVersionsOf(t schema.Table, rec arrow.RecordBatch, sentColumns []schema.Column) (s RowVersions, err error) {
	column := func(id base.ColumnID) arrow.Array {
		if id == 0 || !slices.ContainsFunc(sentColumns, func(c schema.Column) bool { return c.ID == id }) {
			return nil
		}
		return rec.Column(t.ColumnByID(id))
	}
	if a := column(t.RowVersion); a != nil {
		if s.versions, err = keys.Versions(a); err != nil {
			return s, err
		}
	}
	if a := column(t.IsDeleted); a != nil {
		values := a.(*array.Boolean)
		s.deleted = make([]bool, values.Len())
		for i := range s.deleted {
			s.deleted[i] = values.IsValid(i) && values.Value(i)
		}
	}
	return s, nil
}

// take returns the versions and deletion marks of some rows. The argument rows has the numbers of
// these rows.
func (s RowVersions) take(rows []uint32) (out RowVersions) {
	for _, i := range rows {
		if s.versions != nil {
			out.versions = append(out.versions, s.versions[i])
		}
		if s.deleted != nil {
			out.deleted = append(out.deleted, s.deleted[i])
		}
		if s.unversionedDeletes != nil {
			out.unversionedDeletes, out.keyDeleted = append(out.unversionedDeletes, s.unversionedDeletes[i]), append(out.keyDeleted, s.keyDeleted[i])
		}
	}
	return out
}

// replaces reports whether the later of two incoming rows of one key replaces the earlier one
// (other). If it does not, the later row is dropped. c says what the statement does with existing
// keys.
func (s RowVersions) replaces(later, other uint32, c Policy) bool {
	switch {
	case s.IsUnversionedDelete(later):
		return !s.Deletes(int(other)) || s.IsUnversionedDelete(other)
	case s.IsUnversionedDelete(other):
		return true
	}
	if s.versions != nil && s.versions[later] != s.versions[other] {
		return s.versions[later] > s.versions[other]
	}
	return c != SkipRow
}

// IsUnversionedDelete reports whether an incoming row is a deletion without a version.
func (s RowVersions) IsUnversionedDelete(i uint32) bool {
	return s.unversionedDeletes != nil && s.unversionedDeletes[i]
}

// IsSuperseded reports whether incoming row i has no effect on the existing row of its key, because
// the existing row has a higher version. The argument there is the state of the existing row. A
// deletion without a version counts as newer than any existing row. It has no effect only if the
// key is already deleted. If the batch has such a deletion of the key (keyDeleted), the version of
// an existing row that is not deleted does not count.
func (s RowVersions) IsSuperseded(i int, there keys.State) bool {
	switch {
	case s.IsUnversionedDelete(uint32(i)):
		return there.Deleted
	case s.keyDeleted != nil && s.keyDeleted[i] && !there.Deleted:
		return false
	}
	return s.versions != nil && s.versions[i] < there.Version
}

// Deletes reports whether an incoming row says that its key is deleted.
func (s RowVersions) Deletes(i int) bool { return s.deleted != nil && s.deleted[i] }

// WithVersionColumns returns the columns that an incoming row sets in the existing row: those in
// the argument given, and the version and deletion columns if the sender gave them. So after INSERT
// ... ON CONFLICT DO UPDATE the row has the version of the incoming row.
func WithVersionColumns(t schema.Table, given, sentColumns []schema.Column) []schema.Column {
	given = slices.Clone(given)
	for _, id := range []base.ColumnID{t.RowVersion, t.IsDeleted} {
		if id != 0 && schema.Contains(sentColumns, id) && !schema.Contains(given, id) {
			given = append(given, t.Columns[t.ColumnByID(id)])
		}
	}
	return given
}
