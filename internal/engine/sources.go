package engine

import (
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// sourceBlock is the number of rowset ids that one catalog transaction reserves. If the process
// crashes, the unused ids of its block are never used, so no id is used twice.
const sourceBlock = 1024

// sources allocates rowset ids.
type sources struct {
	mu       sync.Mutex
	next     base.SourceID // guarded by mu
	reserved base.SourceID // guarded by mu; the catalog has reserved the ids below it
}

// NextSourceID returns an id that was never used before, for a part, memtable or patch. One call in
// 1024 writes to the catalog, and returns its error.
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
