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

// Table is one table of a snapshot. Each row is in exactly one rowset. Row addresses are (part id,
// row number in the file) or (memtable id, ordinal).
type Table struct {
	Schema schema.Table // the current version; parts and memtables may have older ones
	// Version changes whenever Schema or Parts change, and never returns to an old value. It is a
	// cache key for data that is derived from them.
	Version uint64
	Parts   []*catalog.Part // by ascending id; their files exist until Release
	// Versions has all versions of the schema that ever existed, by number.
	Versions  map[uint32]schema.Table
	Memtables []memtable.View // oldest first, none empty; at most one per generation
	// Patches are the changes of rows, by rowset. A rowset without an entry is as it was written. A
	// change replaces the *patch.Set and does not change Version.
	Patches map[base.SourceID]*patch.Set
	// Losers are the superseded rows of a table that merges on read, by rowset. Patches has them
	// among the deleted rows. nil: the snapshot is not deduplicated. Read only.
	Losers map[base.SourceID]*roaring.Bitmap
	// Settled is the last edit whose rows are deduplicated, in a table that merges on read: of the
	// rows up to this edit, at most one per key is not deleted.
	Settled base.Seq
	// Expressions are the expression updates of the table, by ascending Seq. A reader of Parts
	// applies them to rows without a patch. Pending returns those that a part lacks.
	Expressions []*patch.Expression
}

// Pending returns the expression updates that a reader of p applies, in order, to rows without a
// patch.
func (t *Table) Pending(p *catalog.Part) []*patch.Expression {
	for i, x := range t.Expressions {
		if x.Seq > p.Applied {
			return t.Expressions[i:]
		}
	}
	return nil
}

// PendingColumns returns the columns that p's pending expression updates set, ascending. For a nil
// part it returns the columns of all expression updates.
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

// Rows returns the number of rows in parts and memtables, without deleted ones.
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

// Snapshot is immutable. Until Release the files of its parts exist and the memory of its memtables
// is valid.
type Snapshot struct {
	Seq    base.Seq // of the last edit that the snapshot includes
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

// Retain adds a reference, for a reader that may outlive the owner of the first one.
func (s *Snapshot) Retain() {
	if s.refs.Add(1) <= 1 {
		s.refs.Add(-1) // otherwise a later Release would free a second time
		panic("snapshot: retained after its last release")
	}
}

// Release drops a reference. It must be called once per reference. An extra call would free memory
// that another reader uses, so it panics.
func (s *Snapshot) Release() {
	switch n := s.refs.Add(-1); {
	case n == 0:
		s.release()
	case n < 0:
		panic("snapshot: released more often than retained")
	}
}
