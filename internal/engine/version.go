package engine

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/keys"
	"github.com/scoterdb/scoter/internal/memtable"
	"github.com/scoterdb/scoter/internal/schema"
)

// version is the sources of a table after an edit. It is immutable and reference-counted:
// the table holds one reference to the current version, each snapshot one to that it
// reads. It holds references to its parts and memtables. Appends make no version, only the first
// of a generation does: the memtable's published length moves instead.
type version struct {
	engine    *Engine
	number    uint64 // ascending over all tables
	schema    schema.Table
	parts     []*partFile     // by ascending id
	listed    []*catalog.Part // of parts, as snapshots show them
	residents []*resident     // by ascending generation; the last may be growing
	refs      atomic.Int64
}

// partFile is one part, with the number of versions that it is in.
type partFile struct {
	catalog.Part
	refs     atomic.Int64
	obsolete atomic.Bool // the catalog lists it no more: the last reference removes the file

	// When all of the file was verified last, and when that was tried, in microseconds; 0: not since Open.
	verified, scrubbed atomic.Int64
}

// resident is a memtable, with the number of versions and generations that hold it.
type resident struct {
	mem        *memtable.Memtable
	generation base.SegmentID
	budget     *budget
	keys       *keys.Finder
	refs       atomic.Int64

	minSeq base.Seq // constant once there are rows to be seen

	// Of the committer until the generation is frozen, read only from then on.
	charged int64 // of the budget, until the memory is freed
	maxSeq  base.Seq
}

func newResident(e *Engine, source base.SourceID, t schema.Table, generation base.SegmentID) *resident {
	r := &resident{mem: memtable.New(e.pool, source, t), generation: generation, budget: e.budget, keys: e.keyFinder}
	r.refs.Store(1)
	return r
}

func (r *resident) release() {
	if r.refs.Add(-1) == 0 {
		r.keys.Forget(r.mem.Source())
		r.mem.Release()
		r.budget.release(r.charged)
	}
}

func (p *partFile) release(e *Engine) {
	if p.refs.Add(-1) == 0 && p.obsolete.Load() {
		e.forget(p.ID)
		e.garbage.add(e.partPath(p.Table, p.ID))
	}
}

// newVersionLocked makes a version with one reference, which takes references to what it holds.
func (e *Engine) newVersionLocked(t schema.Table, parts []*partFile, residents []*resident) *version {
	e.versions++
	v := &version{engine: e, number: e.versions, schema: t, parts: parts, residents: residents}
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

// installLocked makes v the table's current version. The old one is released by the
// caller, after mu.
func (t *table) installLocked(v *version) (old *version) {
	old, t.current = t.current, v
	t.expressions = t.lacking(v.parts)
	if _, known := t.history[v.schema.Version]; !known {
		// Snapshots share the map: a new version makes a new one.
		t.history = maps.Clone(t.history)
		t.history[v.schema.Version] = v.schema
	}
	return old
}

func (v *version) release() {
	if v == nil || v.refs.Add(-1) > 0 {
		return
	}
	for _, r := range v.residents {
		r.release()
	}
	for _, p := range v.parts {
		p.release(v.engine)
	}
}

// lists reports whether a part is in the version.
func (v *version) lists(id base.SourceID) bool {
	_, ok := slices.BinarySearchFunc(v.parts, id, func(p *partFile, id base.SourceID) int { return cmp.Compare(p.ID, id) })
	return ok
}

// has reports whether a part or memtable is in the version.
func (v *version) has(id base.SourceID) bool {
	return v.lists(id) || slices.ContainsFunc(v.residents, func(r *resident) bool { return r.mem.Source() == id })
}

func (v *version) holds(r *resident) bool { return slices.Contains(v.residents, r) }
