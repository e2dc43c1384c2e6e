package overlay

import (
	"cmp"
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
	most    int64        // bytes of values that are kept
	queries atomic.Int64 // that read changed rows so far

	mu  sync.Mutex
	all []weak.Pointer[source] // guarded by mu
}

// of returns what is kept of the set's source.
func (x *sources) of(set *patch.Set) *source {
	return set.Beside(func() any {
		s := &source{kept: keptColumns{}}
		x.mu.Lock()
		defer x.mu.Unlock()
		x.all = append(x.all, weak.Make(s))
		return s
	}).(*source)
}

// trim makes room where all keep too much, once a query has the columns it wants. What was not used for longest goes first, then what
// this query read anew, and last what it found: so a query that wants more than there is room for finds as much of it the next time.
func (x *sources) trim() {
	x.mu.Lock()
	defer x.mu.Unlock()
	var all []*source
	bytes := int64(0)
	x.all = slices.DeleteFunc(x.all, func(p weak.Pointer[source]) bool {
		s := p.Value()
		if s == nil {
			return true
		}
		all = append(all, s)
		bytes += s.bytes.Load()
		return false
	})
	if bytes <= x.most {
		return
	}
	type candidate struct {
		source *source
		column base.ColumnID
		used   int64
	}
	var candidates []candidate
	for _, s := range all {
		for id, used := range s.uses() {
			candidates = append(candidates, candidate{s, id, used})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.used, b.used) })
	for _, c := range candidates {
		if bytes <= x.most {
			return
		}
		bytes -= c.source.drop(c.column)
	}
}
