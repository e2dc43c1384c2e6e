package write

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
	"github.com/scoterdb/scoter/internal/incoming"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// partDedup decides which row of a key remains if several rows have that key. At least one of the
// rows is in a new part that is not committed yet.
type partDedup struct {
	*incoming.Bulk
	keys     *keys.Finder
	view     *snapshot.Table // the table including the new parts
	existing []*catalog.Part
	newParts []*catalog.Part
	isNew    map[base.RowsetID]bool // the ids of the new parts

	// deleted are the existing rows to delete, and the rows of new parts that will not be
	// committed. The keys are ids of rowsets.
	deleted map[base.RowsetID]*roaring.Bitmap
	// tombstoned are the rows of new parts that say that their key is deleted. The map's keys are
	// ids of parts.
	tombstoned map[base.RowsetID]*roaring.Bitmap
	counts     engine.Counts

	// groups and rows have the keys that are not decided yet. rows has the addresses of all their
	// rows, key by key, and groups[i] is the number of rows of the i-th key.
	groups []int
	rows   []base.RowAddress
}

func (m *Writer) newPartDedup(in *incoming.Bulk, t *snapshot.Table, coming []*catalog.Part) *partDedup {
	view := *t
	view.Parts = slices.Concat(t.Parts, coming)
	s := &partDedup{Bulk: in, keys: m.Keys, view: &view, existing: t.Parts, newParts: coming, isNew: map[base.RowsetID]bool{}, deleted: map[base.RowsetID]*roaring.Bitmap{}, tombstoned: map[base.RowsetID]*roaring.Bitmap{}}
	for _, p := range coming {
		s.isNew[p.ID] = true
		s.counts.Inserted += p.Rows
	}
	return s
}

// tombstones finds the rows of new parts that say that their key is deleted. They do not count as
// inserted. If the table keeps no tombstones, these rows are not committed.
func (s *partDedup) tombstones() error {
	if !schema.Contains(s.SentColumns, s.Table.IsDeleted) {
		return nil
	}
	for _, p := range s.newParts {
		err := s.keys.Tombstones(s.Ctx, s.view, p, func(row base.RowAddress) {
			addRow(s.tombstoned, row)
			s.counts.Inserted--
			if !s.Table.KeepsTombstones() {
				addRow(s.deleted, row)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lookupBatch is the number of rows whose versions and deletion marks are read in one step.
const lookupBatch = 1 << 16

// run finds the keys that several rows have, and calls the function decide for each of them. The
// arguments of decide are the addresses of the key's rows, with the rows of new parts last, and the
// version and deletion mark of each of these rows. The second argument is nil if the table has
// neither versions nor tombstones.
func (s *partDedup) run(decide func(rows []base.RowAddress, states []keys.State) error) error {
	resolve := func() error {
		var states []keys.State
		if s.Table.RowVersion != 0 || s.Table.IsDeleted != 0 {
			var err error
			if states, err = s.keys.States(s.Ctx, s.view, s.rows); err != nil {
				return err
			}
		}
		at := 0
		for _, n := range s.groups {
			var own []keys.State
			if states != nil {
				own = states[at : at+n]
			}
			if err := decide(s.rows[at:at+n], own); err != nil {
				return err
			}
			at += n
		}
		s.groups, s.rows = s.groups[:0], s.rows[:0]
		return nil
	}
	err := s.keys.Duplicates(s.Ctx, s.view, s.existing, s.newParts, func(rows []base.RowAddress) error {
		s.groups, s.rows = append(s.groups, len(rows)), append(s.rows, rows...)
		if len(s.rows) < lookupBatch {
			return nil
		}
		return resolve()
	})
	if err != nil {
		return err
	}
	return resolve()
}

// versioned reports whether the rows of new parts were sent with their version column. Without it
// they have its default.
func (s *partDedup) versioned() bool { return schema.Contains(s.SentColumns, s.Table.RowVersion) }

func (s *partDedup) deletes(row base.RowAddress) bool {
	rows := s.tombstoned[row.Rowset]
	return rows != nil && rows.Contains(uint32(row.Ordinal))
}

// skip marks a row of a new part as not to be committed.
func (s *partDedup) skip(row base.RowAddress) {
	addRow(s.deleted, row)
	if !s.deletes(row) {
		s.counts.Inserted--
	}
}

// resolveKey decides which of the rows of one key remains. Its rules are the same as for rows in
// memory (incoming.New and keyedChange).
func (s *partDedup) resolveKey(rows []base.RowAddress, states []keys.State) error {
	first := 0
	if !s.isNew[rows[0].Rowset] {
		first = 1
	}
	holds := first
	for i := first + 1; i < len(rows); i++ {
		if s.DuplicateError != nil {
			return s.DuplicateError
		}
		if s.Policy == incoming.RefuseRow {
			return s.refused(rows[i])
		}
		later := s.Policy != incoming.SkipRow && !s.KeepFirst
		if s.versioned() && states[i].Version != states[holds].Version {
			later = states[i].Version > states[holds].Version
		}
		if later {
			s.skip(rows[holds])
			holds = i
		} else {
			s.skip(rows[i])
		}
	}
	if first == 0 {
		return nil
	}
	there := states == nil || !states[0].Deleted
	switch {
	case s.versioned() && states[holds].Version < states[0].Version, there && s.Policy == incoming.SkipRow:
		s.skip(rows[holds])
		return nil
	case there && s.Policy == incoming.RefuseRow && !s.deletes(rows[holds]):
		return s.refused(rows[holds])
	case there && s.deletes(rows[holds]):
		s.counts.Deleted++
	case there:
		s.counts.Inserted--
		s.counts.Updated++
	}
	addRow(s.deleted, rows[0])
	return nil
}

// refused returns the error for a row of a new part whose key exists already.
func (s *partDedup) refused(row base.RowAddress) error {
	key, err := s.keys.KeyAt(s.Ctx, s.view, row)
	if err != nil {
		return err
	}
	return incoming.RefusedKey(s.Table, key, 0)
}

// errDuplicateResult returns the error for a statement that would give a row the key of another
// row.
func errDuplicateResult(t schema.Table) *base.Error {
	return base.Errorf(base.Conflict, "Duplicate key violates primary key constraint of table %s: existing rows would have the same key", t.QualifiedName()).
		WithHint("DO UPDATE SET of a column of the primary key must not give two rows the same key")
}

// replaceTombstone decides whether a new row or the tombstone of its key (the row that says that
// the key is deleted) remains. The argument rows must be these two rows. Other rows mean that two
// rows would have the same key, which is an error.
func (s *partDedup) replaceTombstone(rows []base.RowAddress, states []keys.State) error {
	if len(rows) != 2 || s.isNew[rows[0].Rowset] || states == nil || !states[0].Deleted {
		return errDuplicateResult(s.Table)
	}
	if s.versioned() && states[1].Version < states[0].Version {
		s.skip(rows[1])
		return nil
	}
	addRow(s.deleted, rows[0])
	return nil
}
