package mutate

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
)

// Rows of a keyed table may have a version, and may say that their key is deleted. Then it does not matter in which order
// they arrive: of several with one key the one of the highest version holds, of equals the last. A row that
// deletes its key stays as a tombstone, which no query shows, so that a lower version which arrives later finds
// it; without versions nothing stays. A row that comes without a version counts as newer than what is there; one that is whole has its default, and
// NULL is below all.
//
// A deletion without a version, such as a tombstone of Kafka, ends its key: it counts as newer than
// any row that is there, which goes with its version. A key that is deleted already stays so, and
// keeps the version of its deletion.

// standing is what arriving rows say of their versions and of being deleted.
type standing struct {
	versions []uint64 // as keys.State has them; nil if the rows came without
	deleted  []bool   // the same
	ends     []bool   // whether a row is a deletion without a version; nil if none is
	// ended says whether such a deletion of the row's key comes with it: then the version of the
	// row that is there does not count. nil if none does.
	ended []bool
}

// standingOf reads the standing of rows, of which the sender gave some columns.
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

// replaces reports whether of two arriving rows with one key the later takes the place of the other.
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

// endsKey reports whether an arriving row is a deletion without a version.
func (s standing) endsKey(i uint32) bool { return s.ends != nil && s.ends[i] }

// older reports whether an arriving row does nothing, since one that is there is of a higher
// version, or deleted already.
func (s standing) older(i int, there keys.State) bool {
	switch {
	case s.endsKey(uint32(i)):
		return there.Deleted
	case s.ended != nil && s.ended[i] && !there.Deleted:
		return false
	}
	return s.versions != nil && s.versions[i] < there.Version
}

// deletes reports whether an arriving row says that its key is deleted.
func (s standing) deletes(i int) bool { return s.deleted != nil && s.deleted[i] }

func contains(columns []schema.Column, id base.ColumnID) bool {
	return slices.ContainsFunc(columns, func(c schema.Column) bool { return c.ID == id })
}

// withStanding adds to the columns that a row gives to the one that is there those of its standing, as far as it came
// with them: what an INSERT ... ON CONFLICT DO UPDATE sets has the version of the row that arrived.
func withStanding(t schema.Table, given, sent []schema.Column) []schema.Column {
	given = slices.Clone(given)
	for _, id := range []base.ColumnID{t.RowVersion, t.IsDeleted} {
		if id != 0 && contains(sent, id) && !contains(given, id) {
			given = append(given, t.Columns[t.ColumnByID(id)])
		}
	}
	return given
}

// setStanding is withStanding where expressions compute what a row becomes.
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

// writeOlder appends the condition that an arriving version is lower than the one that is there, as standing.older has it.
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
