package engine

import (
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// sourceBlock is the number of rowset ids that one catalog transaction reserves. After a crash, the
// rest of the reserved ids is never used. So no id is used twice.
const sourceBlock = 1024

// sources allocates rowset ids.
type sources struct {
	mu       sync.Mutex
	next     base.SourceID // the next id to be allocated; guarded by mu
	reserved base.SourceID // the catalog has reserved all ids below this one; guarded by mu
}

// NextSourceID returns an id for a part, memtable or patch that was never used before. One call in
// 1,024 writes to the catalog, and returns the error of that write.
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
