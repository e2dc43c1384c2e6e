package overlay

import (
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// sources keeps what relations learned of the sources with changes, by table.
type sources struct {
	mu      sync.Mutex
	byTable map[base.TableID]*tableSources // guarded by mu
}

type tableSources struct {
	version  uint64
	bySource map[base.SourceID]*source
}

// of returns what is kept of a source of the table. With a new version of the table what was kept of
// sources that it no longer has goes.
func (x *sources) of(t *snapshot.Table, id base.SourceID) *source {
	x.mu.Lock()
	defer x.mu.Unlock()
	known := x.byTable[t.Schema.ID]
	if known == nil {
		if x.byTable == nil {
			x.byTable = map[base.TableID]*tableSources{}
		}
		known = &tableSources{bySource: map[base.SourceID]*source{}}
		x.byTable[t.Schema.ID] = known
	}
	if known.version < t.Version {
		known.version = t.Version
		for id := range known.bySource {
			if t.Patches[id] == nil {
				delete(known.bySource, id)
			}
		}
	}
	s := known.bySource[id]
	if s == nil {
		s = &source{}
		if known.version == t.Version { // of an old snapshot nothing new is kept
			known.bySource[id] = s
		}
	}
	return s
}
