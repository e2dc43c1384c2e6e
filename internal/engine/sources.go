package engine

import (
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// sourceBlock is how many source ids are reserved by one catalog transaction. A crash
// loses the rest of a block, so that an id that anybody saw is never given again.
const sourceBlock = 1024

// sources gives out source ids.
type sources struct {
	mu       sync.Mutex
	next     base.SourceID // guarded by mu
	reserved base.SourceID // guarded by mu; ids below it are covered by the catalog
}

// NextSourceID gives an id for a new part or memtable, never given before. Most calls only
// count; one in a thousand writes to the catalog, and fails as that does.
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
