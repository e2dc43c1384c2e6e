package export

import (
	"maps"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/engine"
)

// Status is the status of an export, which is a row of scoter.exports.
type Status struct {
	ID         base.ExportID
	Name       catalog.ExportName
	Table      string
	Definition Definition // the export's definition, without secrets
	Created    time.Time
	// State is what the export does now. It is one of these:
	//   - running
	//   - waiting: after the error in Error, until the export tries again
	//   - paused
	//   - stopped: this process is not a server
	State   string
	Error   string // the last error, and when it occurred
	ErrorAt time.Time

	// Numbers since the start of the server: written objects, their rows and bytes, partitions
	// whose rows were dropped, and errors.
	WrittenObjects, WrittenRows, WrittenBytes, DroppedPartitions, Errors int64

	Objects []Object // ordered by partition and generation
	// Due is the number of partitions that have to be exported: their time (such as their day) is
	// over, and their rows differ from the object that was written. DueSince is when the first of
	// them was found to differ.
	Due      int
	DueSince time.Time
}

// Object is an object that an export wrote, which is a row of scoter.export_objects.
type Object struct {
	catalog.ExportObject
	Path string
}

// Totals are sums over all objects of an export.
type Totals struct {
	Objects, Rows, Bytes int64
	Last                 time.Time // when the last object was written
}

// Total returns the sums over all objects of the export.
func (s *Status) Total() (t Totals) {
	for _, o := range s.Objects {
		t.Rows += o.Rows
		if t.Bytes += o.Bytes; o.Bytes > 0 {
			t.Objects++
		}
		if o.Exported.After(t.Last) {
			t.Last = o.Exported
		}
	}
	return t
}

const (
	stateStopped = "stopped"
	stateRunning = "running"
	stateWaiting = "waiting"
	statePaused  = "paused"
)

// status has the parts of a Status that change while the export runs.
type status struct {
	mu      sync.Mutex
	state   string // state is what the export does, such as "waiting"; mu guards all fields
	err     string
	errAt   time.Time
	errors  int64
	objects int64
	rows    int64
	bytes   int64
	dropped int64
	// seen has the partitions that have to be exported: their time (such as their day) is over, and
	// their rows differ from the object that was written. The value is when this was first found.
	seen map[string]time.Time
}

func (s *status) set(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
}

// stopped sets the state to stopped, and clears the last error.
func (s *status) stopped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.err, s.errAt = stateStopped, "", time.Time{}
}

func (s *status) is(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == state
}

// The method waits sets the state to "waiting" because of an error. It returns true if this is new:
// the export was not waiting before, or waited because of another error.
func (s *status) waits(err error) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news = s.state != stateWaiting || s.err != err.Error()
	s.state, s.err, s.errAt = stateWaiting, err.Error(), time.Now()
	s.errors++
	return news
}

// see records which partitions differ from their objects. It returns, for each of these partitions,
// when it was first found to differ.
func (s *status) see(differ []engine.ExportPartition, now time.Time) map[string]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[string]time.Time, len(differ))
	for _, p := range differ {
		if seen[p.Partition] = now; !s.seen[p.Partition].IsZero() {
			seen[p.Partition] = s.seen[p.Partition]
		}
	}
	s.seen = seen
	return maps.Clone(seen)
}

func (s *status) wrote(o catalog.ExportObject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, o.Partition)
	s.rows += o.Rows
	if s.bytes += o.Bytes; o.Bytes > 0 {
		s.objects++
	}
}

func (s *status) droppedOne() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped++
}

// fill copies the data of a status to a Status. The argument differ has the partitions that differ
// from their objects now.
func (s *status) fill(out *Status, differ []engine.ExportPartition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out.State, out.Error, out.ErrorAt, out.Errors = s.state, s.err, s.errAt, s.errors
	out.WrittenObjects, out.WrittenRows, out.WrittenBytes, out.DroppedPartitions = s.objects, s.rows, s.bytes, s.dropped
	out.Due = len(differ)
	for _, p := range differ {
		if since := s.seen[p.Partition]; !since.IsZero() && (out.DueSince.IsZero() || since.Before(out.DueSince)) {
			out.DueSince = since
		}
	}
}
