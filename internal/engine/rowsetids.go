package engine

import (
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// rowsetIDBlock is the number of rowset ids that one catalog transaction reserves. After a crash,
// the rest of the reserved ids is never used. So no id is used twice.
const rowsetIDBlock = 1024

// rowsetIDs allocates rowset ids.
type rowsetIDs struct {
	mu       sync.Mutex
	next     base.RowsetID // the next id to be allocated; guarded by mu
	reserved base.RowsetID // the catalog has reserved all ids below this one; guarded by mu
}

// NextRowsetID returns an id for a part, memtable or patch that was never used before. One call in
// 1,024 writes to the catalog, and returns the error of that write.
func (e *Engine) NextRowsetID() (base.RowsetID, error) {
	s := &e.rowsetIDs
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= s.reserved {
		reserved := s.next + rowsetIDBlock
		if err := e.catalog.Apply(catalog.Edit{Counters: catalog.Counters{NextRowset: reserved}}); err != nil {
			return 0, base.Wrap(err, "reserve rowset ids")
		}
		s.reserved = reserved
	}
	s.next++
	return s.next - 1, nil
}
