package engine

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
)

// version has the rowsets that a table has after an edit. It is immutable and reference-counted:
// the table holds a reference to its current version, and each snapshot holds one to the version
// that it reads. A version holds references to its parts and memtables.
//
// An append makes a new version only if its rows need a new memtable. Otherwise only the published
// length of the memtable changes.
type version struct {
	engine *Engine
	number uint64 // number of the version, unique and ascending across all tables
	schema schema.Table
	parts  []*partFile     // parts of the table, by ascending id
	listed []*catalog.Part // the elements of the field parts, in the form that snapshots have
	// memtables are the table's memtables, in the order of their log segments. Rows may be appended
	// to the last one.
	memtables []*memtableRef
	refs      atomic.Int64
}

// partFile is a part of a table, with the number of references to it.
type partFile struct {
	catalog.Part
	refs atomic.Int64
	// unlisted says that the catalog does not list the part any more. When the last reference is
	// then released, the part's file is removed.
	unlisted atomic.Bool

	// Both times are in microseconds since 1970, and 0 means not since Open. verified is when the
	// whole file was last found intact. scrubbed is when the scrubber last tried to verify it.
	verified, scrubbed atomic.Int64
}

// memtableRef is a memtable of a generation, with the number of references to it.
type memtableRef struct {
	mem        *memtable.Memtable
	generation base.SegmentID
	rows       *ledger.Account
	keys       *keys.Finder
	refs       atomic.Int64

	minSeq base.Seq // number of the edit that added the first row; constant once rows are visible

	// The committer writes reserved and maxSeq until the generation is frozen. From then on they
	// are constant.
	reserved int64 // bytes that are reserved in the account until the memtable's memory is freed
	maxSeq   base.Seq
}

func newMemtableRef(e *Engine, rowset base.RowsetID, t schema.Table, generation base.SegmentID) *memtableRef {
	r := &memtableRef{mem: memtable.New(e.pool, rowset, t), generation: generation, rows: e.memory.Rows, keys: e.keyFinder}
	r.refs.Store(1)
	return r
}

func (r *memtableRef) release() {
	if r.refs.Add(-1) == 0 {
		r.keys.Forget(r.mem.Rowset())
		r.mem.Release()
		r.rows.Release(r.reserved)
	}
}

func (p *partFile) release(e *Engine) {
	if p.refs.Add(-1) == 0 && p.unlisted.Load() {
		e.forget(p.ID)
		e.garbage.add(e.partPath(p.Table, p.ID))
	}
}

// newVersionLocked returns a new version of a table with one reference, which belongs to the
// caller. The version takes references to its parts and memtables. The caller must hold mu.
func (e *Engine) newVersionLocked(t schema.Table, parts []*partFile, residents []*memtableRef) *version {
	e.versions++
	v := &version{engine: e, number: e.versions, schema: t, parts: parts, memtables: residents}
	slices.SortFunc(v.parts, func(a, b *partFile) int { return cmp.Compare(a.ID, b.ID) })
	v.refs.Store(1)
	v.listed = make([]*catalog.Part, len(parts))
	for i, p := range v.parts {
		v.listed[i] = &p.Part
		p.refs.Add(1)
	}
	for _, r := range residents {
		r.refs.Add(1)
	}
	return v
}

// installLocked makes v the table's current version. The caller must hold mu. After the caller has
// released mu, it releases the returned old version.
func (t *table) installLocked(v *version) (old *version) {
	old, t.current = t.current, v
	t.expressions = t.pendingExpressions(v.parts)
	if _, known := t.history[v.schema.Version]; !known {
		// The map is copied, because snapshots share the old one.
		t.history = maps.Clone(t.history)
		t.history[v.schema.Version] = v.schema
	}
	return old
}

func (v *version) release() {
	if v == nil || v.refs.Add(-1) > 0 {
		return
	}
	for _, r := range v.memtables {
		r.release()
	}
	for _, p := range v.parts {
		p.release(v.engine)
	}
}

// hasPart reports whether the part with this id is in the version.
func (v *version) hasPart(id base.RowsetID) bool {
	_, ok := slices.BinarySearchFunc(v.parts, id, func(p *partFile, id base.RowsetID) int { return cmp.Compare(p.ID, id) })
	return ok
}

// hasRowset reports whether the part or memtable with this id is in the version.
func (v *version) hasRowset(id base.RowsetID) bool {
	return v.hasPart(id) || slices.ContainsFunc(v.memtables, func(r *memtableRef) bool { return r.mem.Rowset() == id })
}

func (v *version) hasMemtable(r *memtableRef) bool { return slices.Contains(v.memtables, r) }
