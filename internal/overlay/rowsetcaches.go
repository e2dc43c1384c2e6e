package overlay

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/patch"
)

// rowsetCaches bounds the memory of all existing values of type rowsetCache together. A rowsetCache
// belongs to the patches of its rowset, and is freed with the last of them. Here is only a list of
// weak pointers to them.
type rowsetCaches struct {
	most  int64         // limit of the cached values, in bytes
	bytes *atomic.Int64 // memory of all existing caches, in bytes

	mu  sync.Mutex
	all []weak.Pointer[rowsetCache] // guarded by mu
	// full is the length of the list at which pointers to freed caches are removed from it.
	full int // guarded by mu
}

func newRowsetCaches(most int64) *rowsetCaches {
	return &rowsetCaches{most: most, bytes: new(atomic.Int64)}
}

// of returns the rowsetCache of a patch set's rowset.
func (x *rowsetCaches) of(set *patch.Set) *rowsetCache {
	return set.Beside(func() any {
		s := &rowsetCache{columns: cachedColumns{}, bytes: new(atomic.Int64), total: x.bytes}
		total := x.bytes
		runtime.AddCleanup(s, func(bytes *atomic.Int64) { total.Add(-bytes.Load()) }, s.bytes)
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.all = append(x.all, weak.Make(s)); len(x.all) > x.full {
			const few = 64
			x.full = max(few, 2*len(x.thereLocked()))
		}
		return s
	}).(*rowsetCache)
}

// thereLocked returns the caches that were not freed, and removes the others from the list. x.mu
// must be held.
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

// trim evicts columns until the limit is met. It is called after a query has got the columns that
// it needs. It evicts the least recently used columns first, then those that this query has added,
// and last those that the query found in the cache. So a query that needs more than the limit finds
// part of its columns the next time.
func (x *rowsetCaches) trim() {
	if x.bytes.Load() <= x.most {
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
		if x.bytes.Load() <= x.most {
			return
		}
		c.cache.drop(c.column)
	}
}
