package mutate

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

// standing has the versions and deletion marks of incoming rows, which decide whether a row
// replaces another one. All slices are indexed by the number of the row.
type standing struct {
	versions []uint64 // encoded as in keys.State; nil if the rows have none
	deleted  []bool   // the deletion marks; nil if the rows have none
	ends     []bool   // marks deletions without a version; nil if there are none
	// ended marks the rows of a key for which the same batch also has a deletion without a version.
	// For these rows the version of the existing row does not count. ended is nil if there are no
	// such rows.
	ended []bool
}

// standingOf reads the versions and deletion marks of rows. sent are the columns that the sender
// gave.
func standingOf(t schema.Table, rec arrow.RecordBatch, sent []schema.Column) (s standing, err error) {
	column := func(id base.ColumnID) arrow.Array {
		if id == 0 || !slices.ContainsFunc(sent, func(c schema.Column) bool { return c.ID == id }) {
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

// take returns the standing of the rows with these numbers.
func (s standing) take(rows []uint32) (out standing) {
	for _, i := range rows {
		if s.versions != nil {
			out.versions = append(out.versions, s.versions[i])
		}
		if s.deleted != nil {
			out.deleted = append(out.deleted, s.deleted[i])
		}
		if s.ends != nil {
			out.ends, out.ended = append(out.ends, s.ends[i]), append(out.ended, s.ended[i])
		}
	}
	return out
}

// replaces reports whether the later of two incoming rows of one key replaces the earlier one.
// Otherwise the later row is dropped.
func (s standing) replaces(later, other uint32, c conflict) bool {
	switch {
	case s.endsKey(later):
		return !s.deletes(int(other)) || s.endsKey(other)
	case s.endsKey(other):
		return true
	}
	if s.versions != nil && s.versions[later] != s.versions[other] {
		return s.versions[later] > s.versions[other]
	}
	return c != keepRow
}

// endsKey reports whether an incoming row is a deletion without a version.
func (s standing) endsKey(i uint32) bool { return s.ends != nil && s.ends[i] }

// older reports whether incoming row i has no effect on the existing row of its key: the existing
// row has a higher version, or a deletion finds its key already deleted. there is the state of the
// existing row.
func (s standing) older(i int, there keys.State) bool {
	switch {
	case s.endsKey(uint32(i)):
		return there.Deleted
	case s.ended != nil && s.ended[i] && !there.Deleted:
		return false
	}
	return s.versions != nil && s.versions[i] < there.Version
}

// deletes reports whether an incoming row says that its key is deleted.
func (s standing) deletes(i int) bool { return s.deleted != nil && s.deleted[i] }

func contains(columns []schema.Column, id base.ColumnID) bool {
	return slices.ContainsFunc(columns, func(c schema.Column) bool { return c.ID == id })
}

// withStanding returns given, the columns that an incoming row sets in the existing row, with the
// version and deletion columns added if the sender gave them. So after INSERT ... ON CONFLICT DO
// UPDATE the row has the version of the incoming row.
func withStanding(t schema.Table, given, sent []schema.Column) []schema.Column {
	given = slices.Clone(given)
	for _, id := range []base.ColumnID{t.RowVersion, t.IsDeleted} {
		if id != 0 && contains(sent, id) && !contains(given, id) {
			given = append(given, t.Columns[t.ColumnByID(id)])
		}
	}
	return given
}

// setStanding makes an update also set the version and deletion columns from the incoming row, if
// the statement gives them. It is withStanding for updates whose values are expressions.
func (x *execution) setStanding(in insertion, update *rowAction, values map[base.ColumnID]func(*composition)) {
	t := in.target.table
	for _, id := range []base.ColumnID{t.RowVersion, t.IsDeleted} {
		if id == 0 || !contains(in.columns, id) {
			continue
		}
		col, assigned := t.Columns[t.ColumnByID(id)], values[id]
		if assigned == nil {
			update.set = append(update.set, id)
			assigned = func(q *composition) { in.writeArrived(q, col) }
		}
		deleted := t.ColumnByID(t.IsDeleted)
		values[id] = func(q *composition) {
			if deleted < 0 || !contains(in.columns, t.IsDeleted) {
				assigned(q)
				return
			}
			q.write("CASE WHEN ")
			in.writeArrived(q, t.Columns[deleted])
			q.write(" THEN ")
			in.writeArrived(q, col)
			q.write(" ELSE ")
			assigned(q)
			q.write(" END")
		}
	}
}

// writeOlder appends an SQL condition that is true if the incoming version is lower than the
// existing one, as standing.older reports.
func writeOlder(q *composition, arriving, there func(*composition)) {
	q.write("(")
	arriving(q)
	q.write(" < ")
	there(q)
	q.write(" OR (")
	arriving(q)
	q.write(") IS NULL AND ")
	there(q)
	q.write(" IS NOT NULL)")
}
