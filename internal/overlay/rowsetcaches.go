package overlay

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/ledger"
	"github.com/scoterdb/scoter/internal/patch"
)

// rowsetCaches limits the memory that all rowsetCaches take together. A rowsetCache has cached
// values of the changed rows of one rowset. It belongs to the patches of that rowset, and is freed
// with the last of them. So rowsetCaches has only a list of weak pointers to them.
type rowsetCaches struct {
	memory *ledger.Account // memory of all existing caches

	mu  sync.Mutex
	all []weak.Pointer[rowsetCache] // pointers to all caches; guarded by mu
	// full is a number: when the list in the field all gets that long, the pointers to freed caches
	// are removed from it. It is guarded by mu.
	full int
}

func newRowsetCaches(memory *ledger.Account) *rowsetCaches {
	return &rowsetCaches{memory: memory}
}

// of returns the rowsetCache of the rowset to which a patch set belongs.
func (x *rowsetCaches) of(set *patch.Set) *rowsetCache {
	return set.Attachment(func() any {
		s := &rowsetCache{columns: cachedColumns{}, bytes: new(atomic.Int64), total: x.memory}
		total := x.memory
		runtime.AddCleanup(s, func(bytes *atomic.Int64) { total.Release(bytes.Load()) }, s.bytes)
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.all = append(x.all, weak.Make(s)); len(x.all) > x.full {
			const few = 64
			x.full = max(few, 2*len(x.thereLocked()))
		}
		return s
	}).(*rowsetCache)
}

// thereLocked returns the caches that still exist, and removes the pointers to freed caches from
// the list. The caller holds x.mu.
func (x *rowsetCaches) thereLocked() (all []*rowsetCache) {
	x.all = slices.DeleteFunc(x.all, func(p weak.Pointer[rowsetCache]) bool {
		s := p.Value()
		if s != nil {
			all = append(all, s)
		}
		return s == nil
	})
	return all
}

// trim evicts cached columns until their memory is within the limit. It is called after a query has
// got the columns that it needs. It evicts columns in this order: first the least recently used
// ones, then those that this query has added, and last those that the query found in the cache. So
// a query that needs more than the limit finds some of its columns in the cache the next time.
func (x *rowsetCaches) trim() {
	if x.memory.Excess() <= 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	type candidate struct {
		cache  *rowsetCache
		column base.ColumnID
		used   uint64
	}
	var candidates []candidate
	for _, s := range x.thereLocked() {
		for id, used := range s.uses() {
			candidates = append(candidates, candidate{s, id, used})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.used, b.used) })
	for _, c := range candidates {
		if x.memory.Excess() <= 0 {
			return
		}
		c.cache.drop(c.column)
	}
}
