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

// recordBatch is a batch of records whose rows are committed as one edit.
type recordBatch struct {
	records     []*kgo.Record // the records that were decoded without an error
	deadLetters []deadLetter
	ranges      map[partition]*partitionRange
	bytes       int64 // bytes is the memory that is reserved for the records of the batch.
	// began is when the first record of the batch arrived. It is zero if the batch has no record,
	// but only positions and reports of lost records. Such a batch is stored without delay.
	began time.Time
}

// partitionRange is the range of a partition's offsets in a batch.
type partitionRange struct {
	engine.OffsetRange
	// bytes is the memory that is reserved for this partition's records. It is a part of
	// recordBatch.bytes.
	bytes int64
	// newest is the timestamp of the last record. It is zero if there is no record.
	newest time.Time
}

func newRecordBatch() *recordBatch { return &recordBatch{ranges: map[partition]*partitionRange{}} }

func (b *recordBatch) empty() bool { return len(b.ranges) == 0 }

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

// setPosition sets the position at which the batch's range of a partition begins. If the text lost
// is not empty, it says which records before the position are lost, and why. Then setPosition adds
// a dead letter that reports the loss to the batch.
func (b *recordBatch) setPosition(p partition, at position, lost string) {
	b.ranges[p] = &partitionRange{OffsetRange: engine.OffsetRange{Topic: p.topic, TopicID: at.topicID, Partition: p.number,
		From: at.next, Next: at.next, Epoch: at.epoch, Reset: lost != ""}}
	if lost != "" {
		b.deadLetters = append(b.deadLetters, deadLetter{partition: p, topicID: at.topicID, offset: at.next, reason: lost})
	}
}

// addRecord extends the batch's range of a partition by the offset and the size of the record rec.
// The argument at is the position in the partition before rec was read.
func (b *recordBatch) addRecord(p partition, at *position, rec *kgo.Record) {
	if b.empty() {
		b.began = time.Now()
	}
	if b.ranges[p] == nil {
		b.setPosition(p, *at, "")
	}
	r := b.ranges[p]
	r.Next, r.Epoch, r.newest = rec.Offset+1, rec.LeaderEpoch, rec.Timestamp
	r.bytes += sizeOf(rec)
	b.bytes += sizeOf(rec)
}

// removePartition removes a partition's records from the batch, and returns how many bytes were
// reserved for them. The caller must decode the remaining records again.
func (b *recordBatch) removePartition(p partition) (bytes int64) {
	if b.ranges[p] == nil {
		return 0
	}
	bytes = b.ranges[p].bytes
	b.bytes -= bytes
	delete(b.ranges, p)
	of := func(rec *kgo.Record) bool { return rec.Topic == p.topic && rec.Partition == p.number }
	remaining := b.records[:0:0]
	for _, rec := range b.records {
		if !of(rec) {
			remaining = append(remaining, rec)
		}
	}
	b.records = remaining
	deadLetters := b.deadLetters[:0:0]
	for _, l := range b.deadLetters {
		if l.partition != p {
			deadLetters = append(deadLetters, l)
		}
	}
	b.deadLetters = deadLetters
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

// allRecords returns all records of a batch, including those in dead letters.
func (b *recordBatch) allRecords() []*kgo.Record {
	all := slices.Clone(b.records)
	for _, l := range b.deadLetters {
		if l.record != nil {
			all = append(all, l.record)
		}
	}
	return all
}

// split divides a batch of at least two records into two batches. The records are ordered by
// topic, partition and offset. The second half begins with the record in the middle.
func (b *recordBatch) split() (first, second *recordBatch) {
	held := b.allRecords()
	slices.SortFunc(held, func(a, b *kgo.Record) int { return placeOf(a).compare(placeOf(b)) })
	cut := placeOf(held[len(held)/2])
	first, second = newRecordBatch(), newRecordBatch()
	for p, r := range b.ranges {
		left, right := *r, *r
		first.ranges[p] = &left
		switch at := p.compare(cut.partition); {
		case at < 0:
			continue
		case at == 0:
			left.Next = cut.offset
		default:
			// The first half has no records of this partition. It gets an empty range of offsets
			// all the same, because a range may also store the position at which reading of the
			// partition continues.
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
	for _, l := range b.deadLetters {
		// A dead letter that reports lost records has no record. It belongs to the first half,
		// whose offsets skip the lost records.
		if l.record == nil || placeOf(l.record).compare(cut) < 0 {
			first.deadLetters = append(first.deadLetters, l)
		} else {
			second.deadLetters = append(second.deadLetters, l)
		}
	}
	return first, second
}

// progress returns the batch's ranges of offsets in the form in which the engine commits them.
func (b *recordBatch) progress(id base.SourceID) *engine.Progress {
	p := &engine.Progress{Source: id}
	for _, r := range b.ranges {
		p.Ranges = append(p.Ranges, r.OffsetRange)
	}
	return p
}
