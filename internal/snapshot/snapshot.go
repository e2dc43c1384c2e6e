// Package snapshot is what one reader sees: of every table it asked for, the parts of one
// version and what the memtables held, all at one moment.
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

// Table is one table as a snapshot sees it. A row is in exactly one of its sources; row
// addresses are (part id, row number in the file) and (memtable source, ordinal).
type Table struct {
	Schema  schema.Table    // the current version; parts and memtables may have older ones
	Version uint64          // changes whenever Schema or Parts do, never back: a key for what is derived from them
	Parts   []*catalog.Part // by ascending id; their files stay until Release
	// Versions are all versions of the schema that there were, by number.
	Versions  map[uint32]schema.Table
	Memtables []memtable.View // oldest first, none empty; at most one per generation
	// Patches are what changed of rows in Parts and Memtables, by their source. A source that is
	// not in it is as it was written. A change makes another *patch.Set and leaves Version as it is.
	Patches map[base.SourceID]*patch.Set
	// Losers are, in a table that merges on read, the rows in Parts and Memtables whose key another row holds: Patches has them among
	// the deleted ones. nil: nobody looked for them. Read only.
	Losers map[base.SourceID]*roaring.Bitmap
	// Settled says of such a table that of the rows which came up to this edit no two that are not deleted have one key.
	Settled base.Seq
	// Expressions change rows of Parts when they are read, those without a patch; by ascending Seq. Which of them a part lacks Pending says.
	Expressions []*patch.Expression
}

// Pending returns the expressions that a reader of a part applies to its rows without a patch, in their order.
func (t *Table) Pending(p *catalog.Part) []*patch.Expression {
	for i, x := range t.Expressions {
		if x.Seq > p.Applied {
			return t.Expressions[i:]
		}
	}
	return nil
}

// PendingColumns returns the columns of the table that a part's pending expressions set, ascending. Of a nil part, those of any.
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

// Rows returns the number of rows, in parts and memtables, without deleted ones.
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

// Snapshot is immutable. Its parts' files exist and its memtables' memory is valid until
// Release.
type Snapshot struct {
	Seq    base.Seq // of the last edit it holds
	Tables map[base.TableID]*Table

	refs    atomic.Int64
	release func()
}

// New returns a snapshot with one reference; release is called when the last goes.
func New(seq base.Seq, tables map[base.TableID]*Table, release func()) *Snapshot {
	s := &Snapshot{Seq: seq, Tables: tables, release: release}
	s.refs.Store(1)
	return s
}

// Retain takes another reference, for a reader that may outlive the one that it got the
// snapshot from.
func (s *Snapshot) Retain() {
	if s.refs.Add(1) <= 1 {
		s.refs.Add(-1) // or a Release after it would free a second time
		panic("snapshot: retained after its last release")
	}
}

// Release gives a reference back. It is called once per reference: once more is a
// defect of the caller, which would free memory under another reader, and panics.
func (s *Snapshot) Release() {
	switch n := s.refs.Add(-1); {
	case n == 0:
		s.release()
	case n < 0:
		panic("snapshot: released more often than retained")
	}
}
