package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// generation is one segment of the write-ahead log and the memtables of what it holds.
// They live and go together: once all of it is in parts, the segment is removed. The
// committer fills the active one; from freezing on nothing of it changes, except that TRUNCATE and DROP may
// take memtables out.
type generation struct {
	segment   base.SegmentID
	residents map[base.TableID]*resident // the generation holds a reference to each
	keys      []catalog.Key              // of its requests
	offsets   offsets                    // that its requests set
	changes   []committed                // that its requests made, of rows of any source
	frames    int
	charged   int64     // of the budget, by its memtables and changes
	born      time.Time // of the first frame

	changeBytes int64 // of charged: by its changes
}

func newGeneration(segment base.SegmentID) *generation {
	return &generation{segment: segment, residents: map[base.TableID]*resident{}, offsets: offsets{}}
}

// tables returns the ids of the tables with rows, in order.
func (g *generation) tables() []base.TableID { return slices.Sorted(maps.Keys(g.residents)) }

// freeze ends the active generation, unless it is empty: the next segment is created and
// the flusher has work. In the committer. After an error the generation goes on, unless
// the log is broken.
func (e *Engine) freeze() error {
	if e.active.frames == 0 {
		return nil
	}
	if err := e.writable(); err != nil {
		return err
	}
	next, err := e.wal.Rotate()
	if err != nil {
		if e.wal.Err() != nil {
			return e.stop(err)
		}
		return base.Wrap(err, "freeze generation %d", e.active.segment)
	}
	e.wal, e.unsynced = next, false
	e.durable()
	e.mu.Lock()
	e.generations = append(e.generations, e.active)
	e.active = newGeneration(next.ID())
	e.mu.Unlock()
	e.wantFlush()
	return nil
}

func (e *Engine) wantFlush() {
	select {
	case e.frozen <- struct{}{}:
	default: // it is known already
	}
}
