package stream

import (
	"fmt"
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
	// kept), failing (and trying again), or refusing (records become dead letters, all of them).
	State   string
	Error   string // the last one, and when it was
	ErrorAt time.Time

	// Since the server was started. Errors are those that Error told of, each time.
	Messages, Rows, Bytes, DeadLetters, Errors int64
	// Messages, rows and bytes per second, over the last ten seconds or so.
	MessageRate, RowRate, ByteRate float64

	QueueBytes int64         // read and not stored
	Lag        int64         // records that the topics have and the tables have not; -1 if unknown
	LagTime    time.Duration // age of the newest record stored of the partition furthest behind; -1 if unknown
	Partitions []PartitionStatus
}

// PartitionStatus is how far a source is in one partition: a row of scoter.source_partitions.
type PartitionStatus struct {
	Topic     string
	Partition int32
	Next      int64 // the offset to come; -1 before anything is stored
	End       int64 // where the partition ends; -1 if unknown: it is not read now
}

// status gathers what Status tells.
type status struct {
	mu         sync.Mutex
	state      string // all guarded by mu
	waits      waits  // of the session
	err        string
	errAt      time.Time
	errors     int64
	messages   int64
	rows       int64
	bytes      int64
	letters    int64
	refused    int64  // how many records became dead letters since the last one that did not
	reason     string // of the last one
	partitions map[partition]*reading
	rates      rates
}

// reading is how far a session is in a partition.
type reading struct {
	next, end int64
	newest    time.Time // timestamp of the last record that was stored; zero before the first
}

func newStatus() *status {
	return &status{state: stateStopped, partitions: map[partition]*reading{}}
}

const (
	stateStopped  = "stopped" // nobody reads it: this process is no server
	stateStarting = "starting"
	stateRunning  = "running"
	statePaused   = "paused"
	stateWaiting  = "waiting"
	stateFailing  = "failing"
	stateRefusing = "refusing"
)

// manyRefused is how many records must become dead letters, without one that does not, for the state to say so.
const manyRefused = 10

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

// waits are what a session waits for. Each is set and cleared by one goroutine, which knows nothing of the others.
type waits uint8

const (
	storing  waits = 1 << iota // a batch cannot be stored
	taking                     // a record cannot be decoded, or there is no memory for it
	asking                     // the cluster does not answer
	fetching                   // a partition gives no records although others do
)

// running notes that a session begins to read.
func (s *status) running() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = stateRunning
	if s.waits != 0 {
		s.state = stateWaiting
	}
}

// waiting notes that a session waits, and why.
func (s *status) waiting(what waits, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits |= what
	s.state = stateWaiting
	s.noteLocked(err)
}

// done notes that a session does not wait for something any more.
func (s *status) done(what waits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits &^= what; s.waits == 0 && s.state == stateWaiting {
		s.state = stateRunning
	}
}

// begin notes that a session reads a partition.
func (s *status) begin(p partition, next, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partitions[p] = &reading{next: next, end: end}
}

// ends notes where a partition ends, if it is read.
func (s *status) ends(p partition, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.partitions[p]; at != nil {
		at.end = max(end, at.next)
	}
}

// forget notes that a partition is not read any more.
func (s *status) forget(p partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.partitions, p)
}

// gone notes that there is no session: nobody knows where the topics end.
func (s *status) gone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.partitions)
	s.waits = 0
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
	if n := len(b.letters); len(b.records) > 0 {
		s.refused = 0
	} else if n > 0 {
		s.refused, s.reason = s.refused+int64(n), b.letters[n-1].reason
	}
	for p, r := range b.ranges {
		if at := s.partitions[p]; at != nil {
			at.next, at.end = r.Next, max(at.end, r.Next)
			if !r.newest.IsZero() {
				at.newest = r.newest
			}
		}
	}
	s.rates.add(time.Now(), amounts{float64(messages), float64(rows), float64(b.bytes)})
}

// fill writes what is gathered into a Status.
func (s *status) fill(out *Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	out.State, out.Error, out.ErrorAt = s.state, s.err, s.errAt
	if s.state == stateRunning && s.refused >= manyRefused {
		out.State, out.Error = stateRefusing, fmt.Sprintf("each of the last %d records became a dead letter: %s", s.refused, s.reason)
	}
	out.Messages, out.Rows, out.Bytes, out.DeadLetters, out.Errors = s.messages, s.rows, s.bytes, s.letters, s.errors
	rate := s.rates.perSecond(now)
	out.MessageRate, out.RowRate, out.ByteRate = rate.messages, rate.rows, rate.bytes
	for p, at := range s.partitions {
		out.Partitions = append(out.Partitions, PartitionStatus{Topic: p.topic, Partition: p.number, Next: at.next, End: at.end})
	}
	out.Lag, out.LagTime = s.lagLocked(now)
}

// lagLocked returns how far behind the partitions are, in records and in time; -1 if unknown.
func (s *status) lagLocked(now time.Time) (records int64, age time.Duration) {
	if len(s.partitions) == 0 {
		return -1, -1
	}
	for _, at := range s.partitions {
		switch {
		case at.next < 0:
			return -1, -1
		case at.end <= at.next:
			continue
		case at.newest.IsZero():
			age = -1
		case age >= 0:
			age = max(age, now.Sub(at.newest))
		}
		records += at.end - at.next
	}
	return records, age
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
