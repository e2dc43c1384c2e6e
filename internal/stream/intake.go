package stream

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// partition names a partition of a topic.
type partition struct {
	topic  string
	number int32
}

// intake are records that are appended as one edit.
type intake struct {
	records []*kgo.Record // those that were decoded
	letters []letter
	ranges  map[partition]*span
	bytes   int64     // of the memory for records
	began   time.Time // when the first record came; zero before: it is due at once
}

// span is what an intake has of a partition.
type span struct {
	engine.OffsetRange
	bytes  int64     // of the intake's
	newest time.Time // timestamp of the last record; zero without one
}

func newIntake() *intake { return &intake{ranges: map[partition]*span{}} }

func (b *intake) empty() bool { return len(b.ranges) == 0 }

// recordBytes is about what a record takes besides its value and key.
const recordBytes = 256

func sizeOf(rec *kgo.Record) int64 { return int64(len(rec.Value)+len(rec.Key)) + recordBytes }

// stand notes that a partition goes on at a position, from which on records are read. lost, if not empty, says which records
// before it are gone, and why.
func (b *intake) stand(p partition, at position, lost string) {
	b.ranges[p] = &span{OffsetRange: engine.OffsetRange{Topic: p.topic, TopicID: at.topicID, Partition: p.number,
		From: at.next, Next: at.next, Epoch: at.epoch, Reset: lost != ""}}
	if lost != "" {
		b.letters = append(b.letters, letter{partition: p, topicID: at.topicID, offset: at.next, reason: lost})
	}
}

// cover notes that the record behind a position is done with once the batch is stored.
func (b *intake) cover(p partition, at *position, rec *kgo.Record) {
	if b.empty() {
		b.began = time.Now()
	}
	if b.ranges[p] == nil {
		b.stand(p, *at, "")
	}
	r := b.ranges[p]
	r.Next, r.Epoch, r.newest = rec.Offset+1, rec.LeaderEpoch, rec.Timestamp
	r.bytes += sizeOf(rec)
	b.bytes += sizeOf(rec)
}

// drop takes a partition out of the batch, and returns the memory that its records had; what was decoded must be decoded again.
func (b *intake) drop(p partition) (bytes int64) {
	if b.ranges[p] == nil {
		return 0
	}
	bytes = b.ranges[p].bytes
	b.bytes -= bytes
	delete(b.ranges, p)
	of := func(rec *kgo.Record) bool { return rec.Topic == p.topic && rec.Partition == p.number }
	kept := b.records[:0:0]
	for _, rec := range b.records {
		if !of(rec) {
			kept = append(kept, rec)
		}
	}
	b.records = kept
	letters := b.letters[:0:0]
	for _, l := range b.letters {
		if l.partition != p {
			letters = append(letters, l)
		}
	}
	b.letters = letters
	return bytes
}

// halves divides a batch of at least two records into one with the first half of them and one with the rest.
func (b *intake) halves() (first, second *intake) {
	first, second = newIntake(), newIntake()
	middle := len(b.records) / 2
	first.records, second.records = b.records[:middle], b.records[middle:]
	for p, r := range b.ranges {
		left, right := *r, *r
		left.Next, left.bytes, left.newest = r.From, 0, time.Time{}
		for _, rec := range first.records {
			if rec.Topic == p.topic && rec.Partition == p.number {
				left.Next, left.Epoch, left.newest = rec.Offset+1, rec.LeaderEpoch, rec.Timestamp
				left.bytes += sizeOf(rec)
			}
		}
		right.From, right.Reset = left.Next, false
		right.bytes -= left.bytes
		first.ranges[p] = &left // without records too: the stream may stand there since this batch
		if right.Next > right.From {
			second.ranges[p] = &right
		}
		first.bytes, second.bytes = first.bytes+left.bytes, second.bytes+right.bytes
	}
	for _, l := range b.letters {
		if l.record == nil || l.offset < first.ranges[l.partition].Next {
			first.letters = append(first.letters, l)
		} else {
			second.letters = append(second.letters, l)
		}
	}
	return first, second
}

// progress is what the engine is told.
func (b *intake) progress(id base.StreamID) *engine.Progress {
	p := &engine.Progress{Stream: id}
	for _, r := range b.ranges {
		p.Ranges = append(p.Ranges, r.OffsetRange)
	}
	return p
}
