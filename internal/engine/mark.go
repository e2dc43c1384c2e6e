package engine

import (
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/wal"
)

// markInterval is the shortest time between two writes of the log's mark (wal.Mark), a file that
// records up to where the log is durable. So the mark may be that far behind the acknowledged rows.
// It is written in the background, so that no commit waits for its fsync.
const markInterval = 50 * time.Millisecond

// marker writes the log's mark (wal.Mark): a file with the position up to which the log must be
// readable at the next start.
type marker struct {
	mu sync.Mutex
	// The fields segment and end are the position up to which the log is durable: a segment, and an
	// offset in it. mu guards both.
	segment base.SegmentID
	end     int64         // offset in bytes in the segment; guarded by mu
	wake    chan struct{} // channel of capacity 1; it has an element if the mark is to be written

	writing sync.Mutex
	mark    *wal.Mark // the open mark, or nil if it was not opened yet; guarded by writing
	// failing says whether the last attempt to write the mark failed, which was logged; guarded by
	// writing.
	failing bool
}

// recordDurable gives the marker the position up to which the log is durable now. It runs in the
// committer.
func (e *Engine) recordDurable() {
	m := &e.marker
	m.mu.Lock()
	m.segment, m.end = e.wal.ID(), e.wal.Synced()
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// runMarker writes the log's mark (the file that records up to where the log is durable) in the
// background, at most once in markInterval.
func (e *Engine) runMarker() {
	defer e.background.Done()
	for {
		select {
		case <-e.marker.wake:
		case <-e.closing:
			return
		}
		e.writeMark()
		select {
		case <-e.clock.After(markInterval):
		case <-e.closing:
			return
		}
	}
}

// writeMark writes the position up to which the log is durable to the log's mark, the file that
// records it. If that fails, the next start may not notice that the newest rows are lost. That is
// no reason to refuse rows. So the failure is only logged, and the next call tries again.
func (e *Engine) writeMark() {
	m := &e.marker
	m.writing.Lock()
	defer m.writing.Unlock()
	m.mu.Lock()
	segment, end := m.segment, m.end
	m.mu.Unlock()
	var err error
	if m.mark == nil {
		m.mark, err = wal.OpenMark(e.fs, e.walDir())
	}
	if err == nil {
		err = m.mark.Set(segment, end)
	}
	if err != nil && !m.failing {
		e.log.Error("until this succeeds, a loss of the newest rows of the log cannot be detected", "error", err)
	}
	m.failing = err != nil
}

// closeMark writes the log's mark (the file that records up to where the log is durable) for the
// last time, and closes it.
func (e *Engine) closeMark() error {
	e.writeMark()
	if e.marker.mark == nil {
		return nil
	}
	return e.marker.mark.Close()
}
