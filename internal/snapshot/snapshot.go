// Package snapshot describes what one reader sees: one version of each requested table, with its
// parts and the contents of its memtables, all at the same moment.
package snapshot

import (
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/patch"
	"github.com/scoterdb/scoter/internal/schema"
)

// Table is one table of a snapshot. Each row is in exactly one rowset. A row address is (part id,
// row number in the file) or (memtable id, ordinal).
type Table struct {
	Schema schema.Table // current version; the rows of parts and memtables may have older ones
	// Version changes whenever Schema or Parts change, and never becomes an old value again. So it
	// can be part of the key of cached data that depends only on Schema and Parts.
	Version uint64
	Parts   []*catalog.Part // by ascending id; their files exist until the snapshot is released
	// Versions has all versions that the schema ever had, by number.
	Versions  map[uint32]schema.Table
	Memtables []memtable.View // oldest first, without empty ones; at most one per generation
	// Patches has the changes of rows, by rowset id. A rowset without an entry is as it was
	// written. A change puts a new *patch.Set here, and does not change Version.
	Patches map[base.SourceID]*patch.Set
	// Losers are the superseded rows of a table that merges on read, by rowset id. Patches has them
	// among the deleted rows. Losers is nil if the snapshot is not deduplicated. It must not be
	// modified.
	Losers map[base.SourceID]*roaring.Bitmap
	// Settled is the edit up to which a table that merges on read is deduplicated: of the rows up
	// to this edit, at most one per key is not deleted.
	Settled base.Seq
	// Expressions are the table's expression updates, by ascending Seq. A reader of a part applies
	// those that the part lacks (Pending) to its rows without a patch.
	Expressions []*patch.Expression
}

// Pending returns the expression updates that the part lacks, oldest first. A reader applies them
// to the part's rows without a patch.
func (t *Table) Pending(p *catalog.Part) []*patch.Expression {
	for i, x := range t.Expressions {
		if x.Seq > p.Applied {
			return t.Expressions[i:]
		}
	}
	return nil
}

// PendingColumns returns the columns that the expression updates of Pending set, ascending. If p is
// nil, it returns the columns that any expression update of the table sets.
func (t *Table) PendingColumns(p *catalog.Part) []base.ColumnID {
	pending := t.Expressions
	if p != nil {
		pending = t.Pending(p)
	}
	var ids []base.ColumnID
	for _, x := range pending {
		for _, id := range x.Columns() {
			if t.Schema.ColumnByID(id) >= 0 {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Rows returns the number of rows in parts and memtables, without deleted rows.
func (t *Table) Rows() int64 {
	n := int64(0)
	for _, p := range t.Parts {
		n += p.Rows
	}
	for _, v := range t.Memtables {
		n += v.Rows
	}
	for _, s := range t.Patches {
		n -= s.DeletedRows()
	}
	return n
}

// Snapshot is what one query sees: one version of each table. It is immutable. The files of its
// parts exist, and the memory of its memtables is valid, until it is released.
type Snapshot struct {
	Seq    base.Seq // last edit that the snapshot includes
	Tables map[base.TableID]*Table

	refs    atomic.Int64
	release func()
}

// New returns a snapshot with one reference. release is called when the last reference is released.
func New(seq base.Seq, tables map[base.TableID]*Table, release func()) *Snapshot {
	s := &Snapshot{Seq: seq, Tables: tables, release: release}
	s.refs.Store(1)
	return s
}

// Retain adds a reference. A reader calls it if it may use the snapshot longer than the owner of
// the first reference.
func (s *Snapshot) Retain() {
	if s.refs.Add(1) <= 1 {
		s.refs.Add(-1) // undo the addition; otherwise a later Release would free the memory twice
		panic("snapshot: retained after its last release")
	}
}

// Release drops a reference. It must be called once per reference. One call too many would free
// memory that another reader uses, so it panics.
func (s *Snapshot) Release() {
	switch n := s.refs.Add(-1); {
	case n == 0:
		s.release()
	case n < 0:
		panic("snapshot: released more often than retained")
	}
}
