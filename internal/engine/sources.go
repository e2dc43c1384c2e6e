package engine

import (
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// sourceBlock is the number of rowset ids that one catalog transaction reserves. A crash loses the
// rest of a block, so an id that may have been visible is never used again.
const sourceBlock = 1024

// sources allocates rowset ids.
type sources struct {
	mu       sync.Mutex
	next     base.SourceID // guarded by mu
	reserved base.SourceID // guarded by mu; the catalog has reserved all ids below it
}

// NextSourceID returns an id for a new part, memtable or patch that was never used before. One in
// 1024 calls writes to the catalog, and fails if that fails.
func (e *Engine) NextSourceID() (base.SourceID, error) {
	s := &e.sources
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= s.reserved {
		reserved := s.next + sourceBlock
		if err := e.catalog.Apply(catalog.Edit{Counters: catalog.Counters{NextSource: reserved}}); err != nil {
			return 0, base.Wrap(err, "reserve source ids")
		}
		s.reserved = reserved
	}
	s.next++
	return s.next - 1, nil
}
