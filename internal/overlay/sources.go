package overlay

import (
	"cmp"
	"slices"
	"sync"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/snapshot"
)

// sources keeps what relations learned of the sources with changes, by table.
type sources struct {
	mu      sync.Mutex
	byTable map[base.TableID]*tableSources // guarded by mu
	clock   int64                          // guarded by mu
}

// maxKeptBytes bounds the values of changed rows that are kept between queries: enough for 10% of 6 million rows
// with a dozen columns. Past it, what was not used for longest is read again when it is.
const maxKeptBytes = 256 << 20

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
		for id := range known.bySource { // a new version comes with each flush and merge
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

// trim notes that a source was used, and makes room where all keep too much.
func (x *sources) trim(used *source) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clock++
	used.used.Store(x.clock)
	var all []*source
	bytes := int64(0)
	for _, t := range x.byTable {
		for _, s := range t.bySource {
			all = append(all, s)
			bytes += s.bytes.Load()
		}
	}
	if bytes <= maxKeptBytes {
		return
	}
	slices.SortFunc(all, func(a, b *source) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	for _, s := range all {
		if bytes <= maxKeptBytes {
			return
		}
		bytes -= s.bytes.Load()
		s.forget()
	}
}
