package engine

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/scoterdb/scoter/internal/base"
	"github.com/scoterdb/scoter/internal/catalog"
)

// Progress says which offsets of a source an append covers. It is stored in the same log frame as
// the rows, and later in the catalog transaction that lists their parts. So the rows of each offset
// are in the tables exactly once, even if records are read again after a crash.
type Progress struct {
	Stream base.StreamID
	Ranges []OffsetRange // at most one range per partition
}

// OffsetRange is a range of offsets of one partition, from From up to, but not including, Next.
// Offsets in the range for which there is no row (compacted, aborted, dead letters) count as read,
// too.
type OffsetRange struct {
	Topic string
	// Distinguishes topics that had the same name; zero if the broker has no topic ids.
	TopicID   [16]byte
	Partition int32
	From      int64
	Next      int64
	Epoch     int32 // leader epoch of the last record in the range; -1 if unknown
	// Reset allows From to differ from the source's stored offset. It is for a topic that lost
	// records, or that was created again. The same append must record the reason.
	Reset bool
}

// offsetKey identifies a partition of a topic for one source.
type offsetKey struct {
	stream    base.StreamID
	topic     string
	partition int32
}

func keyOfOffset(o catalog.Offset) offsetKey { return offsetKey{o.Stream, o.Topic, o.Partition} }

// offsets has, for each source and partition, the stored offset: that of the next record to read.
type offsets map[offsetKey]catalog.Offset

func (all offsets) advance(p *Progress) {
	if p == nil {
		return
	}
	for _, r := range p.Ranges {
		o := catalog.Offset{Stream: p.Stream, Topic: r.Topic, Partition: r.Partition, TopicID: r.TopicID, Next: r.Next, Epoch: r.Epoch}
		all[keyOfOffset(o)] = o
	}
}

// sorted returns the offsets ordered by source, topic and partition.
func (all offsets) sorted() []catalog.Offset {
	return slices.SortedFunc(maps.Values(all), func(a, b catalog.Offset) int {
		return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
}

// follows returns an error unless the range begins at the stored offset now. known is false if no
// offset is stored. Then, and with Reset, the range may begin anywhere.
func (r OffsetRange) follows(now catalog.Offset, known bool) error {
	switch {
	case r.From < 0 || r.Next < r.From || r.Partition < 0 || r.Epoch < -1:
		return base.Errorf(base.Internal, "topic %q partition %d: offsets %d to %d, epoch %d", r.Topic, r.Partition, r.From, r.Next, r.Epoch)
	case r.Reset || !known:
		return nil
	case r.TopicID != now.TopicID:
		return base.Errorf(base.Conflict, "topic %q is another one than the one that was read: id %x, before %x", r.Topic, r.TopicID, now.TopicID)
	case r.From != now.Next:
		return base.Errorf(base.Conflict, "topic %q partition %d: the stream stands at offset %d, not at %d", r.Topic, r.Partition, now.Next, r.From)
	}
	return nil
}

// checkProgress returns an error unless the ranges of p begin at the stored offsets. ahead has the
// offsets that requests before it in the group will store. It runs in the committer.
func (e *Engine) checkProgress(p *Progress, ahead offsets) error {
	if p == nil {
		return nil
	}
	s := e.streams[p.Stream]
	if s == nil {
		return base.Errorf(base.NotFound, "source %d was dropped", p.Stream)
	}
	for _, r := range p.Ranges {
		key := offsetKey{p.Stream, r.Topic, r.Partition}
		now, known := ahead[key]
		if !known {
			now, known = s.offsets[key]
		}
		if err := r.follows(now, known); err != nil {
			return base.Wrap(err, "source %q", s.Name.Name)
		}
	}
	return nil
}

// advanceLocked records that an append with p is committed: the offsets of its source are now
// those after the ranges.
func (e *Engine) advanceLocked(g *generation, p *Progress) {
	if p == nil {
		return
	}
	g.offsets.advance(p)
	e.streams[p.Stream].offsets.advance(p)
}

// replayProgress does for a replayed frame what advanceLocked does for a committed one.
func (e *Engine) replayProgress(g *generation, p *Progress) error {
	if p == nil || e.streams[p.Stream] == nil {
		return nil // the source was dropped after the append
	}
	for _, r := range p.Ranges {
		now, known := e.streams[p.Stream].offsets[offsetKey{p.Stream, r.Topic, r.Partition}]
		if err := r.follows(now, known); err != nil {
			return base.Errorf(base.Corrupt, "stream %d: %w", p.Stream, err)
		}
	}
	e.advanceLocked(g, p)
	return nil
}

// liveOffsets returns offsets for the catalog, without those of sources that were dropped.
func (e *Engine) liveOffsets(all offsets) []catalog.Offset {
	return slices.DeleteFunc(all.sorted(), func(o catalog.Offset) bool { return e.streams[o.Stream] == nil })
}

// encode returns the content of the section of progress in a log frame: the source's id, the number
// of ranges, then for each range the topic (length and bytes), its id (16 bytes), partition, from,
// next, epoch plus 1, and 1 for a reset. Numbers are unsigned varints.
func (p *Progress) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(p.Stream))
	b = binary.AppendUvarint(b, uint64(len(p.Ranges)))
	for _, r := range p.Ranges {
		b = append(binary.AppendUvarint(b, uint64(len(r.Topic))), r.Topic...)
		b = append(b, r.TopicID[:]...)
		reset := uint64(0)
		if r.Reset {
			reset = 1
		}
		for _, n := range []uint64{uint64(r.Partition), uint64(r.From), uint64(r.Next), uint64(r.Epoch + 1), reset} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

func readProgress(r *frameReader) *Progress {
	p := &Progress{Stream: base.StreamID(r.uvarint())}
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		o := OffsetRange{Topic: string(r.bytes(r.uvarint()))}
		copy(o.TopicID[:], r.bytes(uint64(len(o.TopicID))))
		o.Partition, o.From, o.Next = int32(r.uvarint()), int64(r.uvarint()), int64(r.uvarint())
		o.Epoch, o.Reset = int32(r.uvarint())-1, r.uvarint() == 1
		p.Ranges = append(p.Ranges, o)
	}
	return p
}
