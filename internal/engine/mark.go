package engine

import (
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/wal"
)

// markInterval is how often the log's mark is written, at most. So the mark may lag that far behind
// the acknowledged rows. It is written in the background, so that no commit waits for its fsync.
const markInterval = 50 * time.Millisecond

// marker writes the log's mark (wal.Mark), which says how far the log must be readable at the next
// start.
type marker struct {
	mu sync.Mutex
	// segment and end say how far the log is durable: up to the offset end of the segment. Guarded
	// by mu.
	segment base.SegmentID
	end     int64         // guarded by mu; see segment
	wake    chan struct{} // of size 1; has an element if the mark is to be written

	writing sync.Mutex
	mark    *wal.Mark // guarded by writing; nil: not opened yet
	failing bool      // guarded by writing: the last attempt to write failed, and that was logged
}

// durable tells the marker how far the log is durable now. It runs in the committer.
func (e *Engine) durable() {
	m := &e.marker
	m.mu.Lock()
	m.segment, m.end = e.wal.ID(), e.wal.Synced()
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// runMarker writes the mark in the background, at most once in markInterval.
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

// writeMark writes how far the log is durable to the mark. If that fails, the next start may not
// notice that the newest rows are lost. That is no reason to refuse rows: the failure is logged,
// and the next call tries again.
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
		e.log.Error("the loss of the newest rows of the log could not be found until this succeeds", "error", err)
	}
	m.failing = err != nil
}

// closeMark writes the mark for the last time, and closes it.
func (e *Engine) closeMark() error {
	e.writeMark()
	if e.marker.mark == nil {
		return nil
	}
	return e.marker.mark.Close()
}
