package stream

import (
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// Status is what a source is doing: a row of scoter.sources.
type Status struct {
	ID         base.StreamID
	Name       catalog.StreamName
	Definition Definition // without secrets
	Created    time.Time
	// State is running, paused, waiting (for something that Error tells of; what is read is
	// kept), or failing (and trying again).
	State   string
	Error   string // the last one, and when it was
	ErrorAt time.Time

	// Since the server was started. Errors are those that Error told of, each time.
	Messages, Rows, Bytes, DeadLetters, Errors int64
	// Messages, rows and bytes per second, over the last ten seconds or so.
	MessageRate, RowRate, ByteRate float64

	QueueBytes int64         // read and not stored
	Lag        int64         // records that the topics have and the tables have not; -1 if unknown
	LagTime    time.Duration // age of the newest record stored, if there is a lag
	Partitions []PartitionStatus
}

// PartitionStatus is how far a source is in one partition: a row of scoter.source_partitions.
type PartitionStatus struct {
	Topic     string
	Partition int32
	Next      int64 // the offset to come; -1 if none was read
	End       int64 // where the partition ends; -1 if unknown
}

// status gathers what Status tells.
type status struct {
	mu         sync.Mutex
	state      string // all guarded by mu
	err        string
	errAt      time.Time
	errors     int64
	messages   int64
	rows       int64
	bytes      int64
	letters    int64
	newest     time.Time // of the records stored
	partitions map[partition]*PartitionStatus
	rates      rates
}

func newStatus() *status {
	return &status{state: stateStopped, partitions: map[partition]*PartitionStatus{}}
}

const (
	stateStopped  = "stopped" // nobody reads it: this process is no server
	stateStarting = "starting"
	stateRunning  = "running"
	statePaused   = "paused"
	stateWaiting  = "waiting"
	stateFailing  = "failing"
)

func (s *status) set(state string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
	s.noteLocked(err)
}

// note tells of an error that does not change what the source is doing.
func (s *status) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteLocked(err)
}

func (s *status) noteLocked(err error) {
	if err != nil {
		s.err, s.errAt = err.Error(), time.Now()
		s.errors++
	}
}

func (s *status) is(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == state
}

func (s *status) running()          { s.set(stateRunning, nil) }
func (s *status) waiting(err error) { s.set(stateWaiting, err) }

func (s *status) at(p partition) *PartitionStatus {
	if s.partitions[p] == nil {
		s.partitions[p] = &PartitionStatus{Topic: p.topic, Partition: p.number, Next: -1, End: -1}
	}
	return s.partitions[p]
}

func (s *status) sawEnd(p partition, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(p).End = end
}

// movedEnd is sawEnd for a partition that is read.
func (s *status) movedEnd(p partition, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.partitions[p]; at != nil {
		at.End = max(end, at.Next)
	}
}

func (s *status) stored(p partition, next int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(p).Next = next
}

func (s *status) forget(p partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.partitions, p)
}

// added notes a batch that was stored.
func (s *status) added(b *intake, rows int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := int64(len(b.records) + len(b.letters))
	s.messages += messages
	s.rows += rows
	s.bytes += b.bytes
	s.letters += int64(len(b.letters))
	if n := len(b.records); n > 0 {
		s.newest = b.records[n-1].Timestamp
	}
	for p, r := range b.ranges {
		at := s.at(p)
		at.Next, at.End = r.Next, max(at.End, r.Next)
	}
	s.rates.add(time.Now(), amounts{float64(messages), float64(rows), float64(b.bytes)})
}

// fill writes what is gathered into a Status.
func (s *status) fill(out *Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	out.State, out.Error, out.ErrorAt = s.state, s.err, s.errAt
	out.Messages, out.Rows, out.Bytes, out.DeadLetters, out.Errors = s.messages, s.rows, s.bytes, s.letters, s.errors
	rate := s.rates.perSecond(now)
	out.MessageRate, out.RowRate, out.ByteRate = rate.messages, rate.rows, rate.bytes
	for _, p := range s.partitions {
		out.Partitions = append(out.Partitions, *p)
		switch {
		case p.End < 0:
			out.Lag = -1
		case out.Lag >= 0:
			out.Lag += p.End - max(p.Next, 0)
		}
	}
	if out.Lag > 0 && !s.newest.IsZero() {
		out.LagTime = now.Sub(s.newest)
	}
}

// rates count what was stored in the last seconds.
type rates struct {
	slots [rateSlots]rateSlot
}

type rateSlot struct {
	second int64
	amounts
}

type amounts struct{ messages, rows, bytes float64 }

func (a *amounts) add(b amounts, times float64) {
	a.messages += b.messages * times
	a.rows += b.rows * times
	a.bytes += b.bytes * times
}

const rateSlots = 10

func (r *rates) add(now time.Time, a amounts) {
	slot := &r.slots[now.Unix()%rateSlots]
	if slot.second != now.Unix() {
		*slot = rateSlot{second: now.Unix()}
	}
	slot.add(a, 1)
}

func (r *rates) perSecond(now time.Time) (rate amounts) {
	for _, slot := range r.slots {
		if now.Unix()-slot.second < rateSlots {
			rate.add(slot.amounts, 1.0/rateSlots)
		}
	}
	return rate
}
