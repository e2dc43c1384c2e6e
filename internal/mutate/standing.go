package mutate

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
)

// Rows of a keyed table may have a version, and a column that says that their key is deleted. Then
// the result does not depend on the order in which rows arrive:
//
//   - Of several row versions of a key the highest version wins. Of equal versions the last one
//     wins.
//   - A row that deletes its key remains as a tombstone, which queries do not show. A lower version
//     that arrives later is compared with it. In a table without versions no tombstone remains.
//   - A row sent without its version column counts as newer than the existing row. A whole row has
//     the default of the column, and NULL is lower than all versions.
//
// A deletion without a version, such as a tombstone of Kafka, ends its key: it counts as newer than
// any existing row, and removes that row together with its version. A key that is already deleted
// stays deleted, and keeps the version of its deletion.

// standing has the versions and the deletion marks of incoming rows.
type standing struct {
	versions []uint64 // encoded as in keys.State; nil if the rows have none
	deleted  []bool   // the deletion marks; nil if the rows have none
	ends     []bool   // ends marks deletions without a version; nil if there are none.
	// ended marks the rows of keys for which a deletion without a version arrives in the same
	// batch. For these rows the version of the existing row does not count. nil if there are none.
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

// take returns the standing of some of the rows.
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

// replaces reports whether the later of two incoming rows of one key replaces the other one.
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

// older reports whether an incoming row has no effect, because the existing row has a higher
// version or is already deleted.
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

// withStanding adds the version and deletion columns to given, the columns that an incoming row
// sets in the existing one, if the sender gave them. So after INSERT ... ON CONFLICT DO UPDATE the
// row has the version of the incoming row.
func withStanding(t schema.Table, given, sent []schema.Column) []schema.Column {
	given = slices.Clone(given)
	for _, id := range []base.ColumnID{t.RowVersion, t.IsDeleted} {
		if id != 0 && contains(sent, id) && !contains(given, id) {
			given = append(given, t.Columns[t.ColumnByID(id)])
		}
	}
	return given
}

// setStanding does what withStanding does, for an update whose values are expressions.
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

// writeOlder appends the condition that the incoming version is lower than the existing one, in the
// sense of standing.older.
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
