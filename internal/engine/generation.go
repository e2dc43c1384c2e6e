package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// generation is one segment of the write-ahead log, and the memtables that were filled from it.
// When all of its rows are in parts, the segment and the memtables are removed. The committer fills
// the active generation. A frozen generation does not change any more, except that TRUNCATE and
// DROP may remove memtables.
type generation struct {
	segment base.SegmentID
	// memtables has the memtable of each table that has rows in the generation, by table id. The
	// generation holds a reference to each memtable.
	memtables map[base.TableID]*memtableRef
	keys      []catalog.Key // idempotency records of the requests in the segment
	offsets   offsets       // Kafka offsets of sources that requests in the segment set
	// changes are the changes that requests in the segment made to existing rows of any rowset.
	changes  []committedChange
	frames   int
	reserved int64     // memory in bytes that the memtables and changes have reserved
	born     time.Time // time of the first frame of the segment

	changeBytes int64 // how much of the field reserved is for changes, in bytes
}

func newGeneration(segment base.SegmentID) *generation {
	return &generation{segment: segment, memtables: map[base.TableID]*memtableRef{}, offsets: offsets{}}
}

// tables returns the ids of the tables that have rows in the generation, ascending.
func (g *generation) tables() []base.TableID { return slices.Sorted(maps.Keys(g.memtables)) }

// freeze ends the active generation, unless it is empty. It creates the next segment, begins a new
// generation, and notifies the flusher. It runs in the committer. After an error the generation
// stays active, unless the log is broken.
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
	e.recordDurable()
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
	default: // the flusher is notified already
	}
}
