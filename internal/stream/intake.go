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
	ranges  map[partition]*engine.OffsetRange
	bytes   int64 // of the memory for records
	began   time.Time
}

func newIntake() *intake { return &intake{ranges: map[partition]*engine.OffsetRange{}} }

func (b *intake) empty() bool { return len(b.ranges) == 0 }

// recordBytes is about what a record takes besides its value and key.
const recordBytes = 256

func sizeOf(rec *kgo.Record) int64 { return int64(len(rec.Value)+len(rec.Key)) + recordBytes }

// cover notes that a record is done with once the batch is stored.
func (b *intake) cover(p partition, at *position, rec *kgo.Record) {
	r := b.ranges[p]
	if r == nil {
		r = &engine.OffsetRange{Topic: p.topic, TopicID: at.topicID, Partition: p.number, From: at.next, Reset: at.lost != ""}
		if at.next < 0 || r.Reset {
			r.From = rec.Offset
		}
		b.ranges[p] = r
	}
	r.Next, r.Epoch = rec.Offset+1, rec.LeaderEpoch
}

// drop takes a partition out of the batch; what was decoded must be decoded again.
func (b *intake) drop(p partition) {
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
}

// halves divides a batch of at least two records into one with the first half of them and one with the rest.
func (b *intake) halves() (first, second *intake) {
	first, second = newIntake(), newIntake()
	middle := len(b.records) / 2
	first.records, second.records = b.records[:middle], b.records[middle:]
	for p, r := range b.ranges {
		left, right := *r, *r
		left.Next = r.From
		for _, rec := range first.records {
			if rec.Topic == p.topic && rec.Partition == p.number {
				left.Next, left.Epoch = rec.Offset+1, rec.LeaderEpoch
			}
		}
		if left.Next > left.From {
			first.ranges[p] = &left
			right.From, right.Reset = left.Next, false
		}
		if right.Next > right.From {
			second.ranges[p] = &right
		}
	}
	for _, l := range b.letters {
		if r := first.ranges[l.partition]; r != nil && l.offset < r.Next {
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
		p.Ranges = append(p.Ranges, *r)
	}
	return p
}
