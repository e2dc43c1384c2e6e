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
	Error   string
	ErrorAt time.Time

	// Since the server was started.
	Messages, Rows, Bytes, DeadLetters int64
	// Messages and rows per second, over the last ten seconds or so.
	MessageRate, RowRate float64

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
	if err != nil {
		s.err, s.errAt = err.Error(), time.Now()
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
	s.rates.add(time.Now(), messages, rows)
}

// fill writes what is gathered into a Status.
func (s *status) fill(out *Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	out.State, out.Error, out.ErrorAt = s.state, s.err, s.errAt
	out.Messages, out.Rows, out.Bytes, out.DeadLetters = s.messages, s.rows, s.bytes, s.letters
	out.MessageRate, out.RowRate = s.rates.perSecond(now)
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

// rates count messages and rows of the last seconds.
type rates struct {
	slots [rateSlots]rateSlot
}

type rateSlot struct {
	second         int64
	messages, rows int64
}

const rateSlots = 10

func (r *rates) add(now time.Time, messages, rows int64) {
	slot := &r.slots[now.Unix()%rateSlots]
	if slot.second != now.Unix() {
		*slot = rateSlot{second: now.Unix()}
	}
	slot.messages += messages
	slot.rows += rows
}

func (r *rates) perSecond(now time.Time) (messages, rows float64) {
	for _, slot := range r.slots {
		if now.Unix()-slot.second < rateSlots {
			messages += float64(slot.messages) / rateSlots
			rows += float64(slot.rows) / rateSlots
		}
	}
	return messages, rows
}
