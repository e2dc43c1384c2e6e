package mutate

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/schema"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// settlement decides which rows remain of each key that several rows have. At least one of these
// rows is in a new part that is not committed yet.
type settlement struct {
	*intake
	view   *snapshot.Table // the table including the new parts
	there  []*catalog.Part
	coming []*catalog.Part
	comes  map[base.SourceID]bool // the ids of the new parts

	// deleted are the existing rows to delete, and the rows of new parts to leave out.
	deleted map[base.SourceID]*roaring.Bitmap
	// gone are the rows of new parts that are deletions: they say that their key is deleted.
	gone   map[base.SourceID]*roaring.Bitmap
	counts Counts

	// Rows that are not decided yet: rows has their addresses, key by key, and groups has the
	// number of rows of each key.
	groups []int
	rows   []base.RowAddress
}

func (in *intake) settlement(t *snapshot.Table, coming []*catalog.Part) *settlement {
	view := *t
	view.Parts = slices.Concat(t.Parts, coming)
	s := &settlement{intake: in, view: &view, there: t.Parts, coming: coming, comes: map[base.SourceID]bool{}, deleted: map[base.SourceID]*roaring.Bitmap{}, gone: map[base.SourceID]*roaring.Bitmap{}}
	for _, p := range coming {
		s.comes[p.ID] = true
		s.counts.Inserted += p.Rows
	}
	return s
}

// tombstones finds the rows of new parts that delete their key. They do not count as inserted. If
// the table keeps no tombstones, these rows are left out of the commit.
func (s *settlement) tombstones() error {
	if !contains(s.sent, s.table.IsDeleted) {
		return nil
	}
	for _, p := range s.coming {
		err := s.keys.Tombstones(s.ctx, s.view, p, func(row base.RowAddress) {
			addRow(s.gone, row)
			s.counts.Inserted--
			if !s.table.KeepsTombstones() {
				addRow(s.deleted, row)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settledRows is the number of rows whose versions and deletion marks are looked up together.
const settledRows = 1 << 16

// run calls decide for each key that several rows have, with the addresses of these rows. Rows of
// new parts come last. If the table has versions or tombstones, states has the version and deletion
// mark of each row.
func (s *settlement) run(decide func(rows []base.RowAddress, states []keys.State) error) error {
	resolve := func() error {
		var states []keys.State
		if s.table.RowVersion != 0 || s.table.IsDeleted != 0 {
			var err error
			if states, err = s.keys.States(s.ctx, s.view, s.rows); err != nil {
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
	err := s.keys.Duplicates(s.ctx, s.view, s.there, s.coming, func(rows []base.RowAddress) error {
		s.groups, s.rows = append(s.groups, len(rows)), append(s.rows, rows...)
		if len(s.rows) < settledRows {
			return nil
		}
		return resolve()
	})
	if err != nil {
		return err
	}
	return resolve()
}

// versioned reports whether the rows of new parts have versions, which the sender gave.
func (s *settlement) versioned() bool { return contains(s.sent, s.table.RowVersion) }

func (s *settlement) deletes(row base.RowAddress) bool {
	rows := s.gone[row.Source]
	return rows != nil && rows.Contains(uint32(row.Ordinal))
}

// leaveOut removes a row of a new part from the commit.
func (s *settlement) leaveOut(row base.RowAddress) {
	addRow(s.deleted, row)
	if !s.deletes(row) {
		s.counts.Inserted--
	}
}

// replaceOne decides which of the rows of one key remains, by the rules that arrive and
// arrivals.change apply to rows in memory.
func (s *settlement) replaceOne(rows []base.RowAddress, states []keys.State) error {
	first := 0
	if !s.comes[rows[0].Source] {
		first = 1
	}
	holds := first
	for i := first + 1; i < len(rows); i++ {
		if s.twice != nil {
			return s.twice
		}
		if s.policy == refuseRow {
			return s.refused(rows[i])
		}
		later := s.policy != keepRow && !s.first
		if s.versioned() && states[i].Version != states[holds].Version {
			later = states[i].Version > states[holds].Version
		}
		if later {
			s.leaveOut(rows[holds])
			holds = i
		} else {
			s.leaveOut(rows[i])
		}
	}
	if first == 0 {
		return nil
	}
	there := states == nil || !states[0].Deleted
	switch {
	case s.versioned() && states[holds].Version < states[0].Version, there && s.policy == keepRow:
		s.leaveOut(rows[holds])
		return nil
	case there && s.policy == refuseRow && !s.deletes(rows[holds]):
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

// refused returns the error for a row of a new part whose key already exists.
func (s *settlement) refused(row base.RowAddress) error {
	key, err := s.keys.KeyAt(s.ctx, s.view, row)
	if err != nil {
		return err
	}
	return refusedKey(s.table, key, 0)
}

// errOneKey is the error of a statement that would give a row the key of another row.
func errOneKey(t schema.Table) *base.Error {
	return base.Errorf(base.Conflict, "Duplicate key violates primary key constraint of table %s: rows that are there would have one key", t.QualifiedName()).
		WithHint("DO UPDATE SET of a column of the primary key may give no two rows one key")
}

// buryOne decides between a new row and the tombstone of its key. If the rows are not these two,
// two rows would have the same key, which is an error.
func (s *settlement) buryOne(rows []base.RowAddress, states []keys.State) error {
	if len(rows) != 2 || s.comes[rows[0].Source] || states == nil || !states[0].Deleted {
		return errOneKey(s.table)
	}
	if s.versioned() && states[1].Version < states[0].Version {
		s.leaveOut(rows[1])
		return nil
	}
	addRow(s.deleted, rows[0])
	return nil
}
