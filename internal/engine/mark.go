package engine

import (
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/wal"
)

// markInterval is how far wal.Mark may lag behind the acknowledged rows while the engine works. It is written beside the commits, so that none
// of them waits for its fsync.
const markInterval = 50 * time.Millisecond

// marker keeps the log's mark.
type marker struct {
	mu      sync.Mutex
	segment base.SegmentID // guarded by mu; with end: how far the log is durable
	end     int64          // guarded by mu
	wake    chan struct{}  // of size 1

	writing sync.Mutex
	mark    *wal.Mark // guarded by writing; nil: not open
	failing bool      // guarded by writing: the last attempt failed
}

// durable notes how far the log is durable. In the committer.
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

// runMarker writes the mark, at most once in an interval.
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

// writeMark writes how far the log is durable. A failure weakens what the next start can find out about the log, and is no
// reason to refuse rows: it is logged, and the next write tries again.
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

// closeMark writes the mark for the last time.
func (e *Engine) closeMark() error {
	e.writeMark()
	if e.marker.mark == nil {
		return nil
	}
	return e.marker.mark.Close()
}
