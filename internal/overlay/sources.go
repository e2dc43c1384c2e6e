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

// sources bounds what is kept of sources with changes between queries. It lies beside their patches and goes with
// the last of them: here they are only listed.
type sources struct {
	most  int64         // bytes of values that are kept
	bytes *atomic.Int64 // that are, of sources that are there

	mu  sync.Mutex
	all []weak.Pointer[source] // guarded by mu
	// When there are more in the list, those that are gone are taken out of it.
	full int // guarded by mu
}

func newSources(most int64) *sources { return &sources{most: most, bytes: new(atomic.Int64)} }

// of returns what is kept of the set's source.
func (x *sources) of(set *patch.Set) *source {
	return set.Beside(func() any {
		s := &source{kept: keptColumns{}, bytes: new(atomic.Int64), total: x.bytes}
		total := x.bytes
		runtime.AddCleanup(s, func(bytes *atomic.Int64) { total.Add(-bytes.Load()) }, s.bytes)
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.all = append(x.all, weak.Make(s)); len(x.all) > x.full {
			const few = 64
			x.full = max(few, 2*len(x.thereLocked()))
		}
		return s
	}).(*source)
}

// thereLocked returns the sources that are there, and takes the others out of the list. x.mu is held.
func (x *sources) thereLocked() (all []*source) {
	x.all = slices.DeleteFunc(x.all, func(p weak.Pointer[source]) bool {
		s := p.Value()
		if s != nil {
			all = append(all, s)
		}
		return s == nil
	})
	return all
}

// trim makes room where all keep too much, once a query has the columns it wants. What was not used for longest goes first, then what
// this query read anew, and last what it found: so a query that wants more than there is room for finds as much of it the next time.
func (x *sources) trim() {
	if x.bytes.Load() <= x.most {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	type candidate struct {
		source *source
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
		c.source.drop(c.column)
	}
}
