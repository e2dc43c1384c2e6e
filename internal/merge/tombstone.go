package merge

import (
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/batch"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// A tombstone keeps older versions of its key from coming back. A merge drops those that have lain in their
// part for the table's TombstoneAge; a part that has some by then is written anew for that alone. Where rows have no version
// there is nothing that could come back: any merge drops them. In a table that merges on read older rows of their keys may be there until it is settled, and lower
// versions that came in time until it is settled after the age: what counts is how old the tombstones were when that began.

// tombstonesDue reports whether a part was written with tombstones, and a merge may drop them.
func (m *merger) tombstonesDue(t *snapshot.Table, p *catalog.Part) bool {
	return isSettled(t, p) && m.tombstonesAged(t, p, m.inTime(t))
}

// tombstonesAged reports whether a part was written with tombstones, and whatever comes after a time may do without them.
func (m *merger) tombstonesAged(t *snapshot.Table, p *catalog.Part, at time.Time) bool {
	return p.MayHaveTombstones(t.Schema) && (!t.Schema.KeepsTombstones() || at.Sub(p.Created) >= t.Schema.TombstoneAge())
}

// inTime returns a time until which all rows of a table that came have found the tombstones of their keys.
func (m *merger) inTime(t *snapshot.Table) time.Time {
	if !t.Schema.MergeOnRead {
		return m.clock.Now() // they do when they come
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.settled[t.Schema.ID]
}

// blankTombstones gives tombstones some value where they have NULL in a column that was made NOT NULL since: they show nowhere, so that nothing kept it
// from being made that, but the part that they go to takes no NULL.
func (s *source) blankTombstones(r *rows) error {
	if s.now.IsDeleted == 0 {
		return nil
	}
	columns := slices.Clone(r.rec.Columns())
	changed := false
	for at, c := range s.now.Columns {
		if !c.NotNull || columns[at].NullN() == 0 {
			continue
		}
		nulls := slices.DeleteFunc(batch.TrueRows(r.rec.Column(s.now.ColumnByID(s.now.IsDeleted))), func(i uint32) bool { return columns[at].IsValid(int(i)) })
		if len(nulls) == 0 {
			continue
		}
		blank, err := batch.Blank(c.Type, len(nulls))
		if err != nil {
			return r.replace(nil, base.Wrap(err, "column %q", c.Name))
		}
		columns[at], err = batch.Overlay(columns[at], nulls, blank, 0)
		blank.Release()
		if err != nil {
			return r.replace(nil, base.Wrap(err, "column %q", c.Name))
		}
		defer columns[at].Release()
		changed = true
	}
	if !changed {
		return nil
	}
	return r.replace(array.NewRecordBatch(r.rec.Schema(), columns, r.rec.NumRows()), nil)
}

// drop leaves tombstones out of the live ones of some rows. One that was changed since it was written is as old as the
// change, so it stays.
func (s *source) drop(r rows, tombstones, live []uint32, all bool) ([]uint32, bool) {
	if s.patches != nil {
		changed := s.patches.Patched()
		tombstones = slices.DeleteFunc(tombstones, func(i uint32) bool { return changed.Contains(r.first + i) })
	}
	if len(tombstones) == 0 {
		return live, all
	}
	if all {
		live = make([]uint32, r.rec.NumRows())
		for i := range live {
			live[i] = uint32(i)
		}
	}
	live = slices.DeleteFunc(live, func(i uint32) bool {
		_, is := slices.BinarySearch(tombstones, i)
		if is {
			s.dropped.Add(r.first + i)
		}
		return is
	})
	return live, false
}
