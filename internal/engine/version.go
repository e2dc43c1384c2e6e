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

// version has the rowsets of a table after an edit. It is immutable and reference-counted: the
// table holds a reference to its current version, and each snapshot to the version that it reads. A
// version holds references to its parts and memtables.
//
// An append makes no new version, unless its rows need a new memtable. Otherwise only the published
// length of the memtable changes.
type version struct {
	engine *Engine
	number uint64 // unique and ascending across all tables
	schema schema.Table
	parts  []*partFile     // by ascending id
	listed []*catalog.Part // same elements as parts, in the form that snapshots have
	// Memtables, by ascending generation; rows may be appended to the last one.
	residents []*resident
	refs      atomic.Int64
}

// partFile is a part, with the number of references to it.
type partFile struct {
	catalog.Part
	refs atomic.Int64
	// obsolete says that the catalog does not list the part any more. Then releasing the last
	// reference makes the part's file garbage.
	obsolete atomic.Bool

	// verified is when the whole file was last found intact, and scrubbed when that was last tried,
	// in microseconds since 1970. 0 means not since Open.
	verified, scrubbed atomic.Int64
}

// resident is a memtable of a generation, with the number of references to it.
type resident struct {
	mem        *memtable.Memtable
	generation base.SegmentID
	budget     *budget
	keys       *keys.Finder
	refs       atomic.Int64

	minSeq base.Seq // constant once rows are visible

	// The committer writes these fields until the generation is frozen. From then on they are
	// constant.
	charged int64 // bytes reserved in the budget, until the memtable's memory is freed
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

// newVersionLocked makes a version and returns it with one reference, which belongs to the caller.
// The version takes references to its parts and memtables.
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

// installLocked makes v the table's current version. The caller releases the returned old version,
// after it has released mu.
func (t *table) installLocked(v *version) (old *version) {
	old, t.current = t.current, v
	t.expressions = t.lacking(v.parts)
	if _, known := t.history[v.schema.Version]; !known {
		// The map is copied, because snapshots share it.
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
