package stream

import (
	"cmp"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/engine"
)

// partition identifies a partition of a topic by the topic's name and the partition's number.
type partition struct {
	topic  string
	number int32
}

// intake is a batch of records whose rows are committed as one edit.
type intake struct {
	records []*kgo.Record // the records that were decoded without an error
	letters []letter
	ranges  map[partition]*span
	bytes   int64 // bytes is the memory that is reserved for the records of the batch.
	// began is when the first record of the batch arrived. It is zero if the batch has no record,
	// but only positions and reports of lost records. Such a batch is stored at once.
	began time.Time
}

// span is the range of a partition's offsets in a batch.
type span struct {
	engine.OffsetRange
	// bytes is the memory that is reserved for this partition's records. It is a part of
	// intake.bytes.
	bytes int64
	// newest is the timestamp of the last record. It is zero if there is no record.
	newest time.Time
}

func newIntake() *intake { return &intake{ranges: map[partition]*span{}} }

func (b *intake) empty() bool { return len(b.ranges) == 0 }

// recordBytes is an estimate of the memory that a record takes in addition to its value and key.
const recordBytes = 256

// headerBytes is an estimate of the memory that a header takes in addition to its name and value.
const headerBytes = 64

func sizeOf(rec *kgo.Record) int64 {
	bytes := int64(len(rec.Value)+len(rec.Key)) + recordBytes
	for _, h := range rec.Headers {
		bytes += int64(len(h.Key)+len(h.Value)) + headerBytes
	}
	return bytes
}

// stand sets the position at which the batch's range of a partition begins. If lost is not empty,
// records before the position are lost, and lost says which ones and why. Then stand adds a dead
// letter to the batch that reports the loss.
func (b *intake) stand(p partition, at position, lost string) {
	b.ranges[p] = &span{OffsetRange: engine.OffsetRange{Topic: p.topic, TopicID: at.topicID, Partition: p.number,
		From: at.next, Next: at.next, Epoch: at.epoch, Reset: lost != ""}}
	if lost != "" {
		b.letters = append(b.letters, letter{partition: p, topicID: at.topicID, offset: at.next, reason: lost})
	}
}

// cover extends the batch's range of a partition by the offset and the size of the record rec. at
// is the position in the partition before rec.
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

// drop removes a partition's records from the batch, and returns how many bytes were reserved for
// them. The caller must decode the remaining records again.
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

// place identifies a record by topic, partition and offset.
type place struct {
	partition
	offset int64
}

func (a place) compare(b place) int {
	return cmp.Or(a.partition.compare(b.partition), cmp.Compare(a.offset, b.offset))
}

func (p partition) compare(q partition) int {
	return cmp.Or(cmp.Compare(p.topic, q.topic), cmp.Compare(p.number, q.number))
}

func placeOf(rec *kgo.Record) place { return place{partition{rec.Topic, rec.Partition}, rec.Offset} }

// held returns all records of a batch, including those in dead letters.
func (b *intake) held() []*kgo.Record {
	all := slices.Clone(b.records)
	for _, l := range b.letters {
		if l.record != nil {
			all = append(all, l.record)
		}
	}
	return all
}

// halves divides a batch of at least two records into two batches. The records are ordered by
// topic, partition and offset. The second half begins with the record in the middle.
func (b *intake) halves() (first, second *intake) {
	held := b.held()
	slices.SortFunc(held, func(a, b *kgo.Record) int { return placeOf(a).compare(placeOf(b)) })
	cut := placeOf(held[len(held)/2])
	first, second = newIntake(), newIntake()
	for p, r := range b.ranges {
		left, right := *r, *r
		first.ranges[p] = &left
		switch at := p.compare(cut.partition); {
		case at < 0:
			continue
		case at == 0:
			left.Next = cut.offset
		default:
			// The first half has no records of this partition. But its range may store the position
			// at which reading continues in the partition.
			left.Next = left.From
		}
		left.bytes, left.newest, right.From, right.Reset = 0, time.Time{}, left.Next, false
		if right.Next > right.From {
			second.ranges[p] = &right
		}
	}
	for _, rec := range held {
		if r := first.ranges[cut.partition]; placeOf(rec).partition == cut.partition && rec.Offset < cut.offset {
			r.Epoch, r.newest = rec.LeaderEpoch, rec.Timestamp
			r.bytes += sizeOf(rec)
		}
	}
	second.ranges[cut.partition].bytes -= first.ranges[cut.partition].bytes
	for _, r := range first.ranges {
		first.bytes += r.bytes
	}
	second.bytes = b.bytes - first.bytes
	for _, rec := range b.records {
		if placeOf(rec).compare(cut) < 0 {
			first.records = append(first.records, rec)
		} else {
			second.records = append(second.records, rec)
		}
	}
	for _, l := range b.letters {
		// A dead letter that reports lost records has no record. It belongs to the first half,
		// whose offsets skip the lost records.
		if l.record == nil || placeOf(l.record).compare(cut) < 0 {
			first.letters = append(first.letters, l)
		} else {
			second.letters = append(second.letters, l)
		}
	}
	return first, second
}

// progress returns the batch's ranges of offsets in the form in which the engine commits them.
func (b *intake) progress(id base.StreamID) *engine.Progress {
	p := &engine.Progress{Stream: id}
	for _, r := range b.ranges {
		p.Ranges = append(p.Ranges, r.OffsetRange)
	}
	return p
}
