package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
	"github.com/scoterdb/scoter/internal/ingest/wire"
	"github.com/scoterdb/scoter/internal/ledger"
)

// newSession returns a session that reads JSON from the partitions 0 and 1 of a topic t, without a
// committer.
func newSession(t *testing.T) *session {
	p := &plan{format: jsonFormat(), shapes: wholeShape, kafka: kafka{batchRows: 1000, batchBytes: 1 << 30, maxAge: time.Hour, topics: []string{"t"}}}
	s := &source{manager: &Manager{}, status: newStatus(), memory: sourceMemory{ledger.NewAccount("streams", 1<<30)}}
	x := &session{source: s, plan: p, sealed: make(chan *sealed, 10), batch: newRecordBatch(), decodings: newDecodings(p), groupCommitter: newGroupCommitter(), positions: map[partition]*position{},
		withoutOffsets: map[partition]bool{}, unreadable: map[partition]time.Time{}, seekTo: map[string]map[int32]kgo.EpochOffset{}}
	for n := range int32(2) {
		x.positions[partition{"t", n}] = &position{epoch: -1}
	}
	var err error
	x.client, err = kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().At(0), 1: kgo.NewOffset().At(0)}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.client.Close)
	s.status.running()
	return x
}

func fetched(number int32, err error, offsets ...int64) *kgo.FetchPartition {
	f := &kgo.FetchPartition{Partition: number, Err: err, HighWatermark: 100}
	for _, o := range offsets {
		f.Records = append(f.Records, &kgo.Record{Topic: "t", Partition: number, Offset: o, Value: fmt.Appendf(nil, `{"id": %d}`, o)})
	}
	return f
}

// TestWhatTheClientCannotReadStopsOnePartition checks that an error in one partition stops only
// that partition. The records before the error and the other partitions are read.
func TestWhatTheClientCannotReadStopsOnePartition(t *testing.T) {
	x, ctx := newSession(t), t.Context()
	zero := partition{"t", 0}
	if err := x.addFetchedPartition(ctx, "t", fetched(0, errors.New("encoded crc 1 does not match calculated crc 2"), 0, 1)); err != nil {
		t.Fatal(err)
	}
	if paused := x.client.PauseFetchPartitions(nil); len(paused["t"]) != 1 || !x.status.is(stateWaiting) || len(x.batch.records) != 2 {
		t.Errorf("%v are paused, %d records, %s", paused, len(x.batch.records), x.status.state)
	}
	if err := x.addFetchedPartition(ctx, "t", fetched(1, nil, 0)); err != nil || !x.status.is(stateWaiting) {
		t.Error(err, x.status.state)
	}
	if err := x.addFetchedPartition(ctx, "t", fetched(0, nil, 2)); err != nil || !x.status.is(stateRunning) {
		t.Error(err, x.status.state)
	}
	// A batch of records that is too large is skipped and reported.
	if err := x.addFetchedPartition(ctx, "t", fetched(0, &kgo.ErrDecompressTooLarge{Topic: "t", Offset: 4, NextOffset: 9, Epoch: 3}, 3)); err != nil {
		t.Fatal(err)
	}
	if got := x.seekTo["t"][0]; got.Offset != 9 || got.Epoch != 3 || x.positions[zero].next != 9 {
		t.Errorf("goes on at %+v, %+v", got, x.positions[zero])
	}
	b := <-x.sealed
	if r := b.ranges[zero]; len(b.records) != 5 || r.Next != 4 {
		t.Errorf("%d records, to %+v", len(b.records), r)
	}
	if r := x.batch.ranges[zero]; len(x.batch.deadLetters) != 1 || !r.Reset || r.From != 9 {
		t.Errorf("%+v, %+v", x.batch.deadLetters, r)
	}
	// An error from the broker ends the session.
	if err := x.addFetchedPartition(ctx, "t", fetched(0, kerr.OffsetOutOfRange)); !errors.Is(err, errTopicsChanged) {
		t.Error(err)
	}
	if err := x.addFetchedPartition(ctx, "t", fetched(0, kerr.TopicAuthorizationFailed)); base.KindOf(err) != base.Unavailable {
		t.Error(err)
	}
}

// TestATakeoverWaitsForWhatIsSealedThen checks that a session which gets a partition waits for the
// batches that were passed to the committer before, and not for later batches.
func TestATakeoverWaitsForWhatIsSealedThen(t *testing.T) {
	x, ctx := newSession(t), t.Context()
	if err := x.waitForSealed(ctx); err != nil {
		t.Error(err)
	}
	read := func(offset int64) *sealed {
		if err := errors.Join(x.addFetchedPartition(ctx, "t", fetched(0, nil, offset)), x.seal(ctx)); err != nil {
			t.Fatal(err)
		}
		return <-x.sealed
	}
	first := read(0)
	then := x.last
	second := read(1)
	close(first.done)
	select {
	case <-then:
	default:
		t.Error("what was sealed is done with, and it is waited for")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := x.waitForSealed(canceled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(second.done)
	if err := x.waitForSealed(ctx); err != nil {
		t.Error(err)
	}
}

// TestBeginKeepsRecordsThatWereRead checks that a session which gets a second partition keeps the
// records of its first partition, even if the start of that one is not stored yet.
func TestBeginKeepsRecordsThatWereRead(t *testing.T) {
	x, ctx := newSession(t), t.Context()
	zero, other := partition{"t", 0}, partition{"t", 2}
	if err := x.addFetchedPartition(ctx, "t", fetched(0, nil, 0, 1, 2)); err != nil {
		t.Fatal(err)
	}
	start := startPoint{position: position{epoch: -1}, stored: -1}
	mine := start
	mine.read = true
	x.startPartitions(map[partition]startPoint{zero: start, other: mine})
	if r := x.batch.ranges[zero]; r.Next != 3 || x.positions[zero].next != 3 || x.batch.ranges[other] == nil {
		t.Errorf("%+v, %+v", r, x.positions[zero])
	}
}

// TestWaitingSourcesAreReported checks that a source with two reasons to wait is still waiting
// after one of them ends.
func TestWaitingSourcesAreReported(t *testing.T) {
	s := newStatus()
	s.running()
	s.waiting(waitStore, errors.New("no space"))
	s.waiting(waitCluster, errors.New("away"))
	s.done(waitCluster)
	s.done(waitDecode)
	if !s.is(stateWaiting) {
		t.Error(s.state)
	}
	if s.done(waitStore); !s.is(stateRunning) {
		t.Error(s.state)
	}
	s.waiting(waitFetch, errors.New("no leader"))
	if s.running(); !s.is(stateWaiting) {
		t.Error(s.state)
	}
	s.set(stateFailing, errors.New("failed"))
	if s.done(waitFetch); !s.is(stateFailing) {
		t.Error(s.state)
	}
}

// TestHalves divides a batch in two, again and again, until each part has one record. Every part
// continues where the previous one ends, and no record is lost or duplicated.
func TestHalves(t *testing.T) {
	b := newRecordBatch()
	at := map[partition]*position{}
	for i := range int64(40) {
		p := partition{"t", int32(i % 3)}
		if at[p] == nil {
			at[p] = &position{epoch: -1}
			b.setPosition(p, *at[p], []string{"lost", "", ""}[p.number])
		}
		rec := &kgo.Record{Topic: p.topic, Partition: p.number, Offset: 2 * i, LeaderEpoch: int32(i), Value: make([]byte, i), Headers: []kgo.RecordHeader{{Key: "h", Value: make([]byte, 1000)}}}
		b.addRecord(p, at[p], rec)
		at[p].next = rec.Offset + 1
		if i%4 == 1 {
			b.deadLetters = append(b.deadLetters, deadLetter{partition: p, offset: rec.Offset, record: rec})
		} else {
			b.records = append(b.records, rec)
		}
	}
	if b.bytes < 40*1000 {
		t.Errorf("%d bytes, without headers", b.bytes)
	}
	next, bytes, lost := map[partition]int64{}, int64(0), 0
	seen := map[*kgo.Record]bool{}
	var divide func(b *recordBatch)
	divide = func(b *recordBatch) {
		if len(b.allRecords()) > 1 {
			first, second := b.split()
			divide(first)
			divide(second)
			return
		}
		bytes += b.bytes
		for p, r := range b.ranges {
			if r.From != next[p] || r.Reset && len(b.deadLetters) == 0 {
				t.Errorf("%v: %+v behind %d", p, r.OffsetRange, next[p])
			}
			next[p] = r.Next
		}
		for _, rec := range b.allRecords() {
			r := b.ranges[placeOf(rec).partition]
			if seen[rec] || rec.Offset < r.From || rec.Offset >= r.Next || r.Epoch != rec.LeaderEpoch || r.bytes != sizeOf(rec) {
				t.Errorf("record %d in %+v", rec.Offset, r)
			}
			seen[rec] = true
		}
		for _, l := range b.deadLetters {
			if l.record == nil {
				lost++
			}
		}
	}
	divide(b)
	if len(seen) != 40 || bytes != b.bytes || lost != 1 {
		t.Errorf("%d records, %d bytes of %d, %d times lost", len(seen), bytes, b.bytes, lost)
	}
	for p, r := range b.ranges {
		if next[p] != r.Next {
			t.Errorf("%v: to %d, want %+v", p, next[p], r.OffsetRange)
		}
	}
}

// scarce is a message decoder that has room for one message.
type scarce struct {
	wire.MessageDecoder
	messages, refused int
}

func (d *scarce) Append(msg []byte) error {
	if d.messages == 0 {
		d.messages++
		return d.MessageDecoder.Append(msg)
	}
	if d.refused++; d.refused > 10 {
		return base.Errorf(base.Invalid, "it is full for ever")
	}
	return wire.ErrFull
}

func (d *scarce) Reset() {
	d.messages = 0
	d.MessageDecoder.Reset()
}

// TestDecodersAreEmptyOnceTheBatchIs revokes the only partition of a batch with full decoders. The
// decoders must be reset, because no batch will be sealed.
func TestDecodersAreEmptyOnceTheBatchIs(t *testing.T) {
	x, ctx := newSession(t), t.Context()
	x.decodings.byKey[""] = &decoding{decoders: []wire.MessageDecoder{&scarce{MessageDecoder: jsonDecoder()}}}
	if err := x.addFetchedPartition(ctx, "t", fetched(0, nil, 0)); err != nil {
		t.Fatal(err)
	}
	x.revoked(ctx, nil, map[string][]int32{"t": {0}})
	if err := x.addFetchedPartition(ctx, "t", fetched(1, nil, 0)); err != nil {
		t.Fatal(err)
	}
	if len(x.batch.records) != 1 || len(x.batch.deadLetters) > 0 {
		t.Errorf("%d records, letters %v", len(x.batch.records), x.batch.deadLetters)
	}
}

// TestAPartitionWithoutOffsetsEndsNoSession checks that a session continues if a partition has a
// leader, but Kafka does not return its offsets yet.
func TestAPartitionWithoutOffsetsEndsNoSession(t *testing.T) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	var well atomic.Bool
	fake.ControlKey(int16(kmsg.ListOffsets), func(req kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		for _, topic := range req.(*kmsg.ListOffsetsRequest).Topics {
			answer := kmsg.NewListOffsetsResponseTopic()
			answer.Topic = topic.Topic
			for _, p := range topic.Partitions {
				of := kmsg.NewListOffsetsResponseTopicPartition()
				of.Partition, of.Offset, of.LeaderEpoch = p.Partition, 0, 0
				if p.Partition == 1 {
					of.ErrorCode = kerr.OffsetNotAvailable.Code
				}
				answer.Partitions = append(answer.Partitions, of)
			}
			resp.Topics = append(resp.Topics, answer)
		}
		return resp, nil, !well.Load()
	})
	x, ctx := newSession(t), t.Context()
	if x.client, err = kgo.NewClient(kgo.SeedBrokers(fake.ListenAddrs()...)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.client.Close)
	one := partition{"t", 1}
	delete(x.positions, one)
	x.withoutOffsets[one] = true
	topics, err := x.plan.kafka.topicIDs(ctx, x.client)
	if err != nil {
		t.Fatal(err)
	}
	x.ids = map[string][16]byte{"t": topics["t"].ID}
	look := func() error {
		x.fetchEndOffsets(ctx)
		return x.check(ctx)
	}
	if err := look(); err != nil {
		t.Error(err)
	}
	well.Store(true)
	if err := look(); !errors.Is(err, errTopicsChanged) || !strings.Contains(err.Error(), "partition 1") {
		t.Error(err)
	}
}

// TestASourceWhoseDeadLettersAreReplayedIsNotDropped checks that dropping the schema fails during a
// replay, and does not stop the source.
func TestASourceWhoseDeadLettersAreReplayedIsNotDropped(t *testing.T) {
	m := &Manager{}
	s := &source{manager: m, id: 1, name: catalog.SourceName{Database: "d", Schema: "main", Name: "s"}, status: newStatus(), stop: func() { t.Error("it was stopped") }}
	m.sources = map[base.SourceID]*source{s.id: s}
	s.replaying.Lock()
	err := m.DropWithSources("D", "", func() error {
		t.Error("it was dropped")
		return nil
	})
	if base.KindOf(err) != base.Conflict || !s.changing.TryLock() {
		t.Error(err)
	}
}
