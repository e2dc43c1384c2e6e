// Package snapshot describes what one reader sees: one version of each requested table, with its
// parts and the contents of its memtables. All of it is as it was at one moment.
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

// Table is one table of a snapshot. Each row is in exactly one rowset (a part or a memtable). A
// row's address is the id of the part and the row's number in the file, or the id of the memtable
// and the row's number in it.
type Table struct {
	// Schema is the table's current schema version. Rows of parts and memtables may have older
	// versions.
	Schema schema.Table
	// Version is a number that changes whenever Schema or Parts change, and never returns to an old
	// value. So it can be in the key of cached data that depends only on Schema and Parts.
	Version uint64
	// Parts are the table's parts, by ascending id. Their files exist until the snapshot is
	// released.
	Parts []*catalog.Part
	// Versions has all versions of the schema, past and present, by their numbers.
	Versions map[uint32]schema.Table
	// Memtables are the contents of the table's memtables, oldest first, at most one per
	// generation. Empty ones are left out.
	Memtables []memtable.View
	// Patches has the deletions and new values of the table's rows, by rowset id. The rows of a
	// rowset without an entry are as they were written. Each change of rows puts a new *patch.Set
	// here. The table's Version stays the same then.
	Patches map[base.RowsetID]*patch.Set
	// Superseded are the superseded rows (replaced by other rows of their keys) of a table that
	// merges on read, by rowset id. Patches lists them as deleted, too. Superseded is nil if the
	// snapshot is not deduplicated. The bitmaps must not be modified.
	Superseded map[base.RowsetID]*roaring.Bitmap
	// DedupedThrough is the number of an edit, for a table that merges on read (its queries hide
	// replaced rows). Among the rows that edits up to this number added, all replaced rows are
	// deleted: each key has at most one row left.
	DedupedThrough base.Seq
	// Expressions are the table's expression updates (UPDATEs that are applied when rows are read),
	// by ascending sequence number. Pending returns those that a reader must apply to a part.
	Expressions []*patch.Expression
}

// Pending returns the expression updates (UPDATEs that are stored as SQL) that the part lacks,
// oldest first: those that were made after the part's rows were written. A reader applies them to
// the rows of the part that have no patch.
func (t *Table) Pending(p *catalog.Part) []*patch.Expression {
	for i, x := range t.Expressions {
		if x.Seq > p.Applied {
			return t.Expressions[i:]
		}
	}
	return nil
}

// PendingColumns returns the ids of columns in ascending order. They are the columns that are set
// by the expression updates (UPDATEs that are stored as SQL) which the part p lacks (see Pending).
// If p is nil, they are the columns that are set by any expression update of the table.
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

// Rows returns the number of rows in the table's parts and memtables. Deleted rows do not count.
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

// Snapshot is what one query sees: one version of each table. It is immutable. Until it is
// released, the files of its parts exist, and the memory of its memtables stays valid.
type Snapshot struct {
	Seq    base.Seq // sequence number of the last edit that the snapshot includes
	Tables map[base.TableID]*Table

	refs    atomic.Int64
	release func()
}

// New returns a snapshot with one reference. When the last reference is dropped, the function
// release is called.
func New(seq base.Seq, tables map[base.TableID]*Table, release func()) *Snapshot {
	s := &Snapshot{Seq: seq, Tables: tables, release: release}
	s.refs.Store(1)
	return s
}

// Retain adds a reference to the snapshot. A reader calls it if it may use the snapshot after the
// owner of the first reference has released it.
func (s *Snapshot) Retain() {
	if s.refs.Add(1) <= 1 {
		s.refs.Add(-1) // undo the addition; otherwise a later Release would free the memory twice
		panic("snapshot: retained after its last release")
	}
}

// Release drops a reference to the snapshot. It must be called once for each reference. It panics
// if it is called once too often, since that would free memory which another reader uses.
func (s *Snapshot) Release() {
	switch n := s.refs.Add(-1); {
	case n == 0:
		s.release()
	case n < 0:
		panic("snapshot: released more often than retained")
	}
}
