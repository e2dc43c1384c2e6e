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

// When a merge drops tombstones. A tombstone is a row which says that its key is deleted. It keeps
// older row versions of its key from becoming visible again. A merge drops the tombstones that have
// been in their part for the table's TombstoneAge. A part that has such tombstones is rewritten for
// that reason alone. If the rows of a table have no version, no older row can become visible again,
// and any merge drops tombstones.
//
// A table that merges on read finds superseded rows only when it is deduplicated. Until then, older
// rows of the key would become visible if the tombstone were dropped. So the age of a tombstone is
// measured at the start of the last deduplication, which has found all superseded rows that arrived
// before that time.

// tombstonesDue reports whether the part may have tombstones (rows which say that their key is
// deleted) that a merge may drop.
func (m *merger) tombstonesDue(t *snapshot.Table, p *catalog.Part) bool {
	return isDeduplicated(t, p) && m.tombstonesAged(t, p, m.inTime(t))
}

// tombstonesAged reports whether the part may have tombstones (rows which say that their key is
// deleted) that are at least as old as the table's TombstoneAge at the given time. Such tombstones
// may be dropped, because rows that arrive longer than TombstoneAge after a tombstone need not be
// compared with it.
func (m *merger) tombstonesAged(t *snapshot.Table, p *catalog.Part, at time.Time) bool {
	return p.MayHaveTombstones(t.Schema) && (!t.Schema.KeepsTombstones() || at.Sub(p.Created) >= t.Schema.TombstoneAge())
}

// inTime returns the time at which rows were last compared with tombstones: all rows of the table
// that arrived before that time have been compared with the tombstones of their keys.
func (m *merger) inTime(t *snapshot.Table) time.Time {
	if !t.Schema.MergeOnRead {
		// In tables that do not merge on read, incoming rows are compared with tombstones when they
		// are written.
		return m.clock.Now()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.deduplicated[t.Schema.ID]
}

// blankTombstones replaces NULLs in tombstones (rows which say that their key is deleted) by an
// arbitrary value, in columns that became NOT NULL after the tombstones were written. ALTER TABLE
// ignores such NULLs, because no query shows tombstones. But the new part accepts no NULL in these
// columns.
func (s *input) blankTombstones(r *rows) error {
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

// drop removes tombstones (rows which say that their key is deleted) from the rows that are not
// deleted, and returns the remaining rows. The argument live has the indexes of the rows that are
// not deleted. If the argument all is true, no row is deleted, and live is not used. The results
// describe the remaining rows in the same form. A tombstone that was changed after it was written
// is not removed, because its age counts from the change.
func (s *input) drop(r rows, tombstones, live []uint32, all bool) ([]uint32, bool) {
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
