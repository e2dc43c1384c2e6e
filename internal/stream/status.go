package stream

import (
	"fmt"
	"sync"
	"time"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// Status is the status of a source. It is a row of the system table scoter.sources.
type Status struct {
	ID         base.SourceID
	Name       catalog.SourceName
	Definition Definition // the source's definition, without secrets
	Created    time.Time
	// State is one of:
	//
	//   - starting
	//   - running
	//   - paused
	//   - waiting: the field Error says for what. Records that were read are not lost.
	//   - failing: a session failed, and is repeated.
	//   - refusing: all records become dead letters.
	//   - stopped: the process is not a server.
	State   string
	Error   string // the last error; it occurred at ErrorAt
	ErrorAt time.Time

	// These counts begin at 0 when the server starts. Errors counts every error, also the same
	// error again.
	Messages, Rows, Bytes, DeadLetters, Errors int64
	// The rates are messages, rows and bytes per second, averaged over the last 10 seconds.
	MessageRate, RowRate, ByteRate float64

	QueueBytes int64 // the size of the records that were read and are not stored yet
	// Lag is the number of records in the topics that are not stored yet. It is -1 if it is
	// unknown.
	Lag int64
	// LagTime is how far the source is behind in time: the age of the newest stored record in the
	// partition that is furthest behind. It is -1 if it is unknown.
	LagTime    time.Duration
	Partitions []PartitionStatus
}

// PartitionStatus is the progress of a source in one partition. It is a row of the system table
// scoter.source_partitions.
type PartitionStatus struct {
	Topic     string
	Partition int32
	Next      int64 // the offset after the last stored record; -1 before anything is stored
	// End is the offset after the partition's last record in Kafka. It is -1 if the partition is
	// not being read.
	End int64
}

// status collects the values of one source that a Status shows.
type status struct {
	mu sync.Mutex
	// state is what the source does, such as "running"; mu guards all fields
	state       string
	waitReasons waitReasons // the reasons why the session waits
	err         string
	errAt       time.Time
	errors      int64
	messages    int64
	rows        int64
	bytes       int64
	deadLetters int64
	// refused is the number of dead letters since the last record that was stored as a row.
	refused    int64
	reason     string // the reason of the last dead letter
	partitions map[partition]*partitionProgress
	rates      rates
}

// partitionProgress is the progress of a session in one partition. The field next is the next
// offset to store, and end the offset after the partition's last record in Kafka.
type partitionProgress struct {
	next, end int64
	// newest is the timestamp of the last stored record. It is zero before the first record is
	// stored.
	newest time.Time
}

func newStatus() *status {
	return &status{state: stateStopped, partitions: map[partition]*partitionProgress{}}
}

const (
	stateStopped  = "stopped" // the source is not read, because this process is not a server
	stateStarting = "starting"
	stateRunning  = "running"
	statePaused   = "paused"
	stateWaiting  = "waiting"
	stateFailing  = "failing"
	stateRefusing = "refusing"
)

// manyRefused is how many records in a row must become dead letters before the state of the source
// is "refusing".
const manyRefused = 10

func (s *status) set(state string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
	s.noteLocked(err)
}

// note stores err as the last error of the source. It does not change the state of the source.
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

// waitReasons is a bit set of the reasons why a session waits. Each bit is set and cleared by only
// one goroutine.
type waitReasons uint8

const (
	waitStore   waitReasons = 1 << iota // a batch cannot be stored
	waitDecode                          // a record cannot be decoded, or there is no memory for it
	waitCluster                         // the cluster does not answer
	waitFetch                           // some partitions return no records
)

// running is called when a session begins to read. It sets the state to "running", or to "waiting"
// if there is a reason to wait.
func (s *status) running() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = stateRunning
	if s.waitReasons != 0 {
		s.state = stateWaiting
	}
}

// waiting adds a reason (what) to the reasons why the session waits. The state becomes "waiting",
// and err, which explains the reason, becomes the last error.
func (s *status) waiting(what waitReasons, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waitReasons |= what
	s.state = stateWaiting
	s.noteLocked(err)
}

// done removes a reason (what) from the reasons why the session waits. If no reason is left, the
// state changes from "waiting" to "running".
func (s *status) done(what waitReasons) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waitReasons &^= what; s.waitReasons == 0 && s.state == stateWaiting {
		s.state = stateRunning
	}
}

// startPartition adds a partition that a session reads. The argument next is the next offset to
// store. The argument end is the offset after the partition's last record in Kafka.
func (s *status) startPartition(p partition, next, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partitions[p] = &partitionProgress{next: next, end: end}
}

// setEnd sets the end of a partition: the offset after its last record in Kafka. It does nothing if
// the partition is not being read.
func (s *status) setEnd(p partition, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.partitions[p]; at != nil {
		at.end = max(end, at.next)
	}
}

// forget removes a partition that the session does not read any more.
func (s *status) forget(p partition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.partitions, p)
}

// sessionEnded is called when a session ends. It removes all partitions, because without a session
// their lag is unknown.
func (s *status) sessionEnded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.partitions)
	s.waitReasons = 0
}

// added counts the records, rows and dead letters of a batch that was stored.
func (s *status) added(b *recordBatch, rows int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := int64(len(b.records) + len(b.deadLetters))
	s.messages += messages
	s.rows += rows
	s.bytes += b.bytes
	s.deadLetters += int64(len(b.deadLetters))
	if n := len(b.deadLetters); len(b.records) > 0 {
		s.refused = 0
	} else if n > 0 {
		s.refused, s.reason = s.refused+int64(n), b.deadLetters[n-1].reason
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

// fill copies the collected values of a source to the fields of the argument out.
func (s *status) fill(out *Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	out.State, out.Error, out.ErrorAt = s.state, s.err, s.errAt
	if s.state == stateRunning && s.refused >= manyRefused {
		out.State, out.Error = stateRefusing, fmt.Sprintf("each of the last %d records became a dead letter: %s", s.refused, s.reason)
	}
	out.Messages, out.Rows, out.Bytes, out.DeadLetters, out.Errors = s.messages, s.rows, s.bytes, s.deadLetters, s.errors
	rate := s.rates.perSecond(now)
	out.MessageRate, out.RowRate, out.ByteRate = rate.messages, rate.rows, rate.bytes
	for p, at := range s.partitions {
		out.Partitions = append(out.Partitions, PartitionStatus{Topic: p.topic, Partition: p.number, Next: at.next, End: at.end})
	}
	out.Lag, out.LagTime = s.lagLocked(now)
}

// lagLocked returns how far the source is behind: the number of records that are not stored, and
// the age of the newest stored record. A value that is unknown is -1. The caller holds mu.
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

// rates counts the records, rows and bytes that were stored in each of the last rateSlots seconds.
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
